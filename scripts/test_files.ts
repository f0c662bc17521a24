/**
 * Runs the tests below a folder, and says at the end what their counts leave out:
 * which files were repeated, which tests were skipped, and which files are slowest.
 *
 * Run: `deno run -A scripts/test_files.ts [--jobs=N] [--repeat=WHEN] FOLDER… [deno test options…]`
 *
 * - `--jobs=N` gives each file a process of its own and runs N of them side by side.
 *   The output of each appears when it has ended. Without it, one process tests all.
 * - `--repeat=signal` runs a file once more whose process was ended by a signal. Deno
 *   2.9.6 can die inside nghttp2, by an assertion or in silence, when one end of an
 *   HTTP/2 connection says goodbye (denoland/deno#36788), and the component tests say
 *   it some thousands of times.
 * - `--repeat=failure` runs a file once more after any failure.
 *
 * No file is repeated in silence: each is named at the end, and the output of its first
 * attempt is quoted.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a command-line script that reports what it did

import {
  type Attempt,
  quoted,
  reportLines,
  skippedTests,
} from "./test_report.ts";

const REPEATS = ["never", "signal", "failure"] as const;

interface Options {
  /** How many processes run side by side, or one for the whole folder. */
  readonly jobs: number | "together";
  readonly repeat: typeof REPEATS[number];
  readonly folders: readonly string[];
  /** What `deno test` is given besides the path. */
  readonly denoOptions: readonly string[];
}

/** Runs all files, also after one has failed; returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  const options = parse(args);
  if (options === undefined) {
    console.error(
      "Cannot run tests: wanted [--jobs=N] [--repeat=signal|failure] FOLDER…",
    );
    return 64;
  }
  const together = options.jobs === "together";
  const { folders } = options;
  const waiting = together
    ? [...folders]
    : (await Promise.all(folders.map(testFiles))).flat();
  const scratch = await Deno.makeTempDir({ prefix: "test_files_" });
  const attempts: Attempt[] = [];
  const worker = async (): Promise<void> => {
    for (let path = waiting.shift(); path; path = waiting.shift()) {
      attempts.push(...await run(path, { options, scratch }));
    }
  };
  try {
    const workers = options.jobs === "together" ? 1 : options.jobs;
    await Promise.all(Array.from({ length: workers }, worker));
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
  for (const line of reportLines(attempts)) console.log(line);
  return attempts.every(({ ok, repeated }) => ok || repeated) ? 0 : 1;
}

function parse(args: readonly string[]): Options | undefined {
  let jobs: Options["jobs"] = "together";
  let repeat: Options["repeat"] = "never";
  for (const [index, arg] of args.entries()) {
    if (!arg.startsWith("--")) {
      const end = args.findIndex((each, at) => at > index && each[0] === "-");
      const rest = end < 0 ? args.length : end;
      const folders = args.slice(index, rest);
      return { jobs, repeat, folders, denoOptions: args.slice(rest) };
    }
    const [name, value = ""] = arg.split("=");
    const when = REPEATS.find((known) => known === value);
    if (name === "--jobs" && Number(value) >= 1) jobs = Number(value);
    else if (name === "--repeat" && when !== undefined) repeat = when;
    else return undefined;
  }
  return undefined;
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

/** Tests `path`, twice at most. */
async function run(
  path: string,
  context: { readonly options: Options; readonly scratch: string },
): Promise<Attempt[]> {
  const { repeat } = context.options;
  const first = await attempt(
    path,
    context,
    (ended) =>
      repeat === "failure" && ended !== "exit 0" ||
      repeat === "signal" && ended.startsWith("SIG"),
  );
  if (!first.repeated) return [first];
  return [first, await attempt(path, context, () => false)];
}

async function attempt(
  path: string,
  { options, scratch }: {
    readonly options: Options;
    readonly scratch: string;
  },
  mayRepeat: (ended: string) => boolean,
): Promise<Attempt> {
  const junit = `${scratch}/${path.replaceAll("/", "-")}.xml`;
  const startedMs = performance.now();
  // One process alone may write as it goes.
  const output = options.jobs === "together" ? "inherit" : "piped";
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", ...options.denoOptions, `--junit-path=${junit}`, path],
    stdin: "null",
    stdout: output,
    stderr: output,
  }).spawn();
  const texts = output === "piped"
    ? await Promise.all([child.stdout.text(), child.stderr.text()])
    : [];
  const { code, signal } = await child.status;
  const ended = signal ?? `exit ${code}`;
  const repeated = mayRepeat(ended);
  if (texts.length > 0) show(`--- ${path}\n`);
  for (const text of texts) show(repeated ? quoted(text) : text);
  if (ended !== "exit 0") {
    show(`${path} ended with ${ended}${repeated ? ", and is repeated" : ""}\n`);
  }
  return {
    path,
    ended,
    ok: ended === "exit 0",
    repeated,
    tookMs: performance.now() - startedMs,
    skipped: repeated ? [] : skippedTests(await textOf(junit)),
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
