/**
 * Runs the tests below a folder, and says at the end what their counts leave out:
 * which files were repeated, which tests were skipped, and which files are slowest.
 *
 * Run: `deno run -A scripts/test_files.ts [--jobs=N] [--parts=N] [--first=FILE] [--last=FOLDER] [--repeat=WHEN] FOLDER… [deno test options…]`
 *
 * Each file has a process of its own, and its output appears when that has ended.
 *
 * - `--jobs=N` runs N processes side by side (1).
 * - `--parts=N` deals the files out to N processes instead. What the files of a part
 *   share is loaded and compiled once, which takes a third of the time away. A file named
 *   `…_alone_test.ts` has its own all the same: it leaves its process unfit for others.
 * - `--first=FILE` begins with a file that takes long, and with its part.
 * - `--last=FOLDER` ends with the files below a folder, which need what gets ready meanwhile.
 * - `--repeat=signal` runs a process again that was ended by a signal, twice at most. Deno
 *   2.9.6 can die inside nghttp2, by an assertion or in silence, when one end of an
 *   HTTP/2 connection says goodbye (denoland/deno#36788), and the component tests say
 *   it some thousands of times.
 * - `--repeat=failure` runs a process once more after any failure.
 *
 * Nothing is repeated in silence: each is named at the end, and the output of its first
 * attempt is quoted.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a command-line script that reports what it did

import { pathToFileURL } from "node:url";
import {
  type Attempt,
  fileTimes,
  quoted,
  reportLines,
  skippedTests,
} from "./test_report.ts";

const REPEATS = ["never", "signal", "failure"] as const;

interface Options {
  /** How many processes run side by side. */
  readonly jobs: number;
  /** How many processes share the files; without it, each file has its own. */
  readonly parts?: number;
  /** The file to begin with. */
  readonly first: string;
  /** The folder to end with. */
  readonly last: string;
  readonly repeat: typeof REPEATS[number];
  readonly folders: readonly string[];
  /** What `deno test` is given besides the path. */
  readonly denoOptions: readonly string[];
}

/** What one process tests. */
interface Unit {
  /** As the report names it. */
  readonly name: string;
  /** The module that `deno test` is given. */
  readonly entry: string;
}

/** Runs all files, also after one has failed; returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  const options = parse(args);
  if (options === undefined) {
    console.error(
      "Cannot run tests: wanted [--jobs=N] [--parts=N] [--first=FILE] [--last=FOLDER] [--repeat=signal|failure] FOLDER…",
    );
    return 64;
  }
  const { folders, jobs, parts, first, last } = options;
  const place = (path: string): number =>
    path === first ? 0 : last !== "" && path.startsWith(`${last}/`) ? 2 : 1;
  const files = (await Promise.all(folders.map(testFiles))).flat()
    .sort((a, b) => place(a) - place(b));
  const scratch = await Deno.makeTempDir({ prefix: "test_files_" });
  const attempts: Attempt[] = [];
  try {
    const waiting = parts === undefined
      ? files.map(unitOf)
      : await dealOut(files, { parts, scratch, name: folders.join(" ") });
    const worker = async (): Promise<void> => {
      for (let unit = waiting.shift(); unit; unit = waiting.shift()) {
        attempts.push(...await run(unit, { options, scratch }));
      }
    };
    await Promise.all(Array.from({ length: jobs }, worker));
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
  for (const line of reportLines(attempts)) console.log(line);
  return attempts.every(({ ok, repeated }) => ok || repeated) ? 0 : 1;
}

function parse(args: readonly string[]): Options | undefined {
  let jobs = 1;
  let parts: number | undefined;
  let first = "";
  let last = "";
  let repeat: Options["repeat"] = "never";
  for (const [index, arg] of args.entries()) {
    if (!arg.startsWith("--")) {
      const end = args.findIndex((each, at) => at > index && each[0] === "-");
      const rest = end < 0 ? args.length : end;
      const folders = args.slice(index, rest);
      return {
        jobs,
        ...parts !== undefined && { parts },
        first,
        last,
        repeat,
        folders,
        denoOptions: args.slice(rest),
      };
    }
    const [name, value = ""] = arg.split("=");
    const when = REPEATS.find((known) => known === value);
    if (name === "--jobs" && Number(value) >= 1) jobs = Number(value);
    else if (name === "--parts" && Number(value) >= 1) parts = Number(value);
    else if (name === "--first" && value !== "") first = value;
    else if (name === "--last" && value !== "") last = value;
    else if (name === "--repeat" && when !== undefined) repeat = when;
    else return undefined;
  }
  return undefined;
}

interface Deal {
  readonly parts: number;
  readonly scratch: string;
  readonly name: string;
}

/** Files that share their process with others, and those that cannot. */
async function dealOut(files: readonly string[], deal: Deal): Promise<Unit[]> {
  const { alone = [], shared = [] } = Object.groupBy(
    files,
    (path) => path.endsWith("_alone_test.ts") ? "alone" : "shared",
  );
  return [...await writeParts(shared, deal), ...alone.map(unitOf)];
}

function unitOf(path: string): Unit {
  return { name: path, entry: path };
}

/** Writes one module for each part, which loads every `parts`th file. */
async function writeParts(
  files: readonly string[],
  { parts, scratch, name }: Deal,
): Promise<Unit[]> {
  const units: Unit[] = [];
  for (let part = 0; part < Math.min(parts, files.length); part++) {
    const imports = files.filter((_, index) => index % parts === part)
      .map((path) => `import ${JSON.stringify(pathToFileURL(path).href)};\n`);
    const entry = `${scratch}/part_${part + 1}_test.ts`;
    await Deno.writeTextFile(entry, imports.join(""));
    units.push({ name: `${name} (part ${part + 1} of ${parts})`, entry });
  }
  return units;
}

async function testFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) files.push(...await testFiles(path));
    else if (name.endsWith("_test.ts")) files.push(path);
  }
  return files.sort();
}

/** How often a unit is tested once more: what a signal ends says nothing of the tests. */
const REPETITIONS = { never: 0, signal: 2, failure: 1 } as const;

/** Tests a unit, and repeats it as the options say. */
async function run(
  unit: Unit,
  context: { readonly options: Options; readonly scratch: string },
): Promise<Attempt[]> {
  const { repeat } = context.options;
  const attempts: Attempt[] = [];
  for (let left: number = REPETITIONS[repeat];; left--) {
    const last = await attempt(
      unit,
      context,
      (ended) =>
        left > 0 && (repeat === "failure" && ended !== "exit 0" ||
          repeat === "signal" && ended.startsWith("SIG")),
    );
    attempts.push(last);
    if (!last.repeated) return attempts;
  }
}

async function attempt(
  { name, entry }: Unit,
  { options, scratch }: {
    readonly options: Options;
    readonly scratch: string;
  },
  mayRepeat: (ended: string) => boolean,
): Promise<Attempt> {
  const junit = `${scratch}/${entry.replaceAll("/", "-")}.xml`;
  const startedMs = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", ...options.denoOptions, `--junit-path=${junit}`, entry],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const texts = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const { code, signal } = await child.status;
  const ended = signal ?? `exit ${code}`;
  const repeated = mayRepeat(ended);
  show(`--- ${name}\n`);
  for (const text of texts) show(repeated ? quoted(text) : text);
  if (ended !== "exit 0") {
    show(`${name} ended with ${ended}${repeated ? ", and is repeated" : ""}\n`);
  }
  const report = repeated ? "" : await textOf(junit);
  const tookMs = performance.now() - startedMs;
  return {
    name,
    ended,
    ok: ended === "exit 0",
    repeated,
    files: options.parts === undefined
      ? [{ path: name, tookMs }]
      : fileTimes(report),
    skipped: skippedTests(report),
  };
}

/** The text of a file, empty when a process ended before it wrote it. */
async function textOf(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}

/** Not to be parted by the output of another file, and so at one go. */
function show(text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) {
    at += Deno.stdout.writeSync(bytes.subarray(at));
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
