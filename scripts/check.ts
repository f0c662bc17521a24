/**
 * Runs every static check, as many side by side as there are processors, and shows what
 * those wrote that failed.
 *
 * Run: `deno run --allow-run=deno scripts/check.ts`
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a command-line script that reports what it did

// The longest first.
const CHECKS = [
  "check --quiet .",
  "lint --quiet",
  "run --allow-read scripts/tidy.ts",
  "run --allow-run=deno --allow-read scripts/check_layers.ts",
  "run -A scripts/gen_pod_schema.ts --check",
  "run --allow-read scripts/gen_pod_fields.ts --check",
  "run --allow-read scripts/gen_workload_fields.ts --check",
  "run --allow-read scripts/gen_kubelet_flags.ts --check",
  "run --allow-read scripts/gen_scenarios.ts --check",
  "fmt --check --quiet",
];

/** Runs all, also after one has failed; returns the exit code. */
async function main(): Promise<number> {
  const waiting = [...CHECKS];
  const failed: string[] = [];
  const worker = async (): Promise<void> => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      if (!await run(check)) failed.push(check);
    }
  };
  const workers = navigator.hardwareConcurrency;
  await Promise.all(Array.from({ length: workers }, worker));
  for (const check of failed) console.error(`FAILED: deno ${check}`);
  return failed.length === 0 ? 0 : 1;
}

async function run(check: string): Promise<boolean> {
  const { success, stdout, stderr } = await new Deno.Command("deno", {
    args: check.split(" "),
    stdin: "null",
  }).output();
  if (!success) {
    const decoder = new TextDecoder();
    console.error(`--- deno ${check}`);
    console.error(`${decoder.decode(stdout)}${decoder.decode(stderr)}`);
  }
  return success;
}

if (import.meta.main) Deno.exit(await main());
