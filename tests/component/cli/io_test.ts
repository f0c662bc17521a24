/**
 * The process that a command runs in, as the command sees it.
 *
 * @module
 */

import { rejects, strictEqual } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { systemIo } from "../../../mod/cli/mod.ts";
import { until } from "../../support/until.ts";

const DOOR = new URL("../../../mod/cli/mod.ts", import.meta.url).href;
const CONFIG = fileURLToPath(new URL("../../../deno.json", import.meta.url));

const MOST_BYTES = 100_000;

/** What a process reads of its input, which has so many bytes. */
async function readBy(bytes: number): Promise<string> {
  const script = `import { systemIo } from "${DOOR}";
    const io = systemIo();
    const read = await io.readStdin(${MOST_BYTES});
    await io.out(read.length + " " + read.every((byte) => byte === 120));
    await io.err("said");`;
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(file, script);
    const { stdout, stderr } = await feed(file, bytes);
    strictEqual(stderr, "said\n");
    return stdout;
  } finally {
    await Deno.remove(file);
  }
}

async function feed(file: string, bytes: number) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", "-A", "--config", CONFIG, file],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const input = child.stdin.getWriter();
  // One that has read enough waits for no end.
  const hasEnd = bytes <= MOST_BYTES;
  const fed = input.write(new Uint8Array(bytes).fill(120))
    .then(() => hasEnd ? input.close() : undefined).catch(() => {});
  const { stdout, stderr } = await child.output();
  await fed;
  if (!hasEnd) await input.abort().catch(() => {});
  const decoder = new TextDecoder();
  return { stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

for (
  const [bytes, read] of [[0, 0], [99_000, 99_000], [300_000, 100_001]] as const
) {
  Deno.test(`systemIo() reads ${read} of ${bytes} bytes of its input`, async () => {
    strictEqual(await readBy(bytes), `${read} true`);
  });
}

Deno.test("systemIo() hears that it is to reload, several times at once as one", async () => {
  const stop = new AbortController();
  using reloads = systemIo().reloadRequests();
  let heard = 0;
  const listening = (async () => {
    for (;;) {
      await reloads.next(stop.signal);
      heard++;
    }
  })();
  for (let times = 1; times <= 2; times++) {
    Deno.kill(Deno.pid, "SIGHUP");
    await until(() => heard === times, "the request");
  }
  stop.abort(new Error("over"));
  await rejects(listening, /over/);
  strictEqual(heard, 2);
  await rejects(reloads.next(stop.signal), /over/);
});

Deno.test("systemIo() hears that it is to stop", async () => {
  using stop = systemIo().stopRequests();
  strictEqual(stop.signal.aborted, false);
  Deno.kill(Deno.pid, "SIGTERM");
  await until(() => stop.signal.aborted, "the request");
  strictEqual(stop.signal.reason.name, "AbortError");
});
