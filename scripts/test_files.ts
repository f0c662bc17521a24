/**
 * Runs the tests below a folder in a process for each file.
 *
 * Deno 2.9.6 can die inside nghttp2, by an assertion or in silence, when one end of
 * an HTTP/2 connection says goodbye (denoland/deno#36788), and the component tests say
 * it some thousands of times. A process for each file bounds what such a death takes
 * with it, says where it was, and lets that file, and nothing else, be tried again: a
 * test that fails is a failure at once.
 *
 * Run: `deno run -A scripts/test_files.ts JOBS FOLDER [deno test options…]`; JOBS
 * processes run side by side, and each one's output appears when it has ended.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a command-line script that reports what it did

/** How often a file is tried whose process was ended by a signal. */
const ATTEMPTS = 2;

/** Runs all files, also after one has failed; returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  const [jobs, root, ...options] = args;
  if (jobs === undefined || root === undefined) {
    console.error("Cannot run tests: wanted a number of jobs and a folder");
    return 64;
  }
  const waiting = await testFiles(root);
  const failed: string[] = [];
  const worker = async (): Promise<void> => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      if (!await run(file, options)) failed.push(file);
    }
  };
  await Promise.all(Array.from({ length: Number(jobs) }, worker));
  for (const file of failed.sort()) console.error(`FAILED in ${file}`);
  return failed.length === 0 ? 0 : 1;
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

async function run(file: string, options: readonly string[]): Promise<boolean> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { code, signal, stdout, stderr } = await new Deno.Command(
      Deno.execPath(),
      { args: ["test", ...options, file], stdin: "null" },
    ).output();
    show(file, [stdout, stderr]);
    if (signal === null) return code === 0;
    console.error(
      `The process that tests ${file} was ended by ${signal}, attempt ${attempt} of ${ATTEMPTS}`,
    );
  }
  return false;
}

/** Not to be parted by the output of another file, and so at one go. */
function show(file: string, outputs: readonly Uint8Array[]): void {
  console.log(`--- ${file}`);
  for (const bytes of outputs) {
    for (let at = 0; at < bytes.length;) {
      at += Deno.stdout.writeSync(bytes.subarray(at));
    }
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
