/**
 * Runs the tests below a folder in several processes: one for each folder in it, or
 * for each file where there are no folders.
 *
 * Deno 2.9.6 can die inside nghttp2, by an assertion or in silence, when one end of
 * an HTTP/2 connection says goodbye (denoland/deno#36788), and the component tests say
 * it some thousands of times. A process for each folder bounds what such a death takes
 * with it, says where it was, and lets that folder, and nothing else, be tried again: a
 * test that fails is a failure at once.
 *
 * Run: `deno run -A scripts/test_folders.ts JOBS FOLDER [deno test options…]`; JOBS
 * processes run side by side, and each one's output appears when it has ended.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a command-line script that reports what it did

/** How often a part is tried whose process was ended by a signal. */
const ATTEMPTS = 2;

/** Runs all parts, also after one has failed; returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  const [jobs, root, ...options] = args;
  if (jobs === undefined || root === undefined) {
    console.error("Cannot run tests: wanted a number of jobs and a folder");
    return 64;
  }
  const waiting = await partsOf(root);
  const failed: string[] = [];
  const worker = async (): Promise<void> => {
    for (let part = waiting.shift(); part; part = waiting.shift()) {
      if (!await run(part, options)) failed.push(part);
    }
  };
  await Promise.all(Array.from({ length: Number(jobs) }, worker));
  for (const part of failed.sort()) console.error(`FAILED in ${part}`);
  return failed.length === 0 ? 0 : 1;
}

async function partsOf(root: string): Promise<string[]> {
  const folders: string[] = [];
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(root)) {
    if (isDirectory) folders.push(`${root}/${name}`);
    else if (name.endsWith("_test.ts")) files.push(`${root}/${name}`);
  }
  return (folders.length > 0 ? folders : files).sort();
}

async function run(part: string, options: readonly string[]): Promise<boolean> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { code, signal, stdout, stderr } = await new Deno.Command(
      Deno.execPath(),
      { args: ["test", ...options, part], stdin: "null" },
    ).output();
    console.log(`--- ${part}`);
    await writeAll(Deno.stdout, stdout);
    await writeAll(Deno.stderr, stderr);
    if (signal === null) return code === 0;
    console.error(
      `The process that tests ${part} was ended by ${signal}, attempt ${attempt} of ${ATTEMPTS}`,
    );
  }
  return false;
}

async function writeAll(
  to: { write(bytes: Uint8Array): Promise<number> },
  bytes: Uint8Array,
): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await to.write(bytes.subarray(at));
}

if (import.meta.main) Deno.exit(await main(Deno.args));
