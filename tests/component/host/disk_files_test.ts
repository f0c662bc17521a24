import { strictEqual } from "node:assert/strict";
import { diskFiles } from "../../../mod/host/files/mod.ts";

Deno.test("diskFiles replaces notes as a whole, so that who is ended in between leaves the old ones", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const path = `${directory}/record.json`;
    await diskFiles.replace(path, "old", { durable: true });
    using before = await Deno.open(path);
    await diskFiles.replace(path, "new", { durable: false });
    strictEqual(await new Response(before.readable).text(), "old");
    strictEqual(await Deno.readTextFile(path), "new");
    strictEqual(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
