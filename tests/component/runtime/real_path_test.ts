/**
 * Where paths on a real disk lead.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { realPathOf } from "../../../mod/host/paths/mod.ts";

Deno.test("realPathOf() follows links, and tells nothing there from cannot be followed", async () => {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.writeTextFile(`${directory}/file`, "");
    await Deno.symlink("file", `${directory}/link`);
    await Deno.symlink("loop", `${directory}/loop`);
    strictEqual(realPathOf(`${directory}/link`), `${directory}/file`);
    strictEqual(realPathOf(`${directory}/none`), undefined);
    strictEqual(realPathOf(`${directory}/loop`), "");
    strictEqual(realPathOf(`${directory}/file/below`), "");
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
