/**
 * Signals that come before the agent runs.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { TempDir } from "../../support/temp_dir.ts";

const MAIN = fileURLToPath(new URL("../../../main.ts", import.meta.url));

Deno.test("run is not ended by a request to reload while it still reads its configuration", async () => {
  await using dir = await TempDir.make();
  const pipe = `${dir.path}/config.yaml`;
  await new Deno.Command("mkfifo", { args: [pipe] }).output();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "-A", MAIN, "run", `--config=${pipe}`],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  // It opens when somebody reads.
  const file = await Deno.open(pipe, { write: true });
  child.kill("SIGHUP");
  await file.write(new TextEncoder().encode("kind: None\n"));
  file.close();
  const { code, signal } = await child.status;
  strictEqual(signal, null);
  strictEqual(code, 64);
});
