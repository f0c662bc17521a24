/**
 * Where clients look for their agent.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import {
  findControlSocket,
  parseRunArguments,
} from "../../../mod/config/run_arguments.ts";
import { fakeIo, skerryFile } from "../../support/config/config_io.ts";

Deno.test("findControlSocket() agrees with the agent of the same flags", async () => {
  const files = { "/c.yaml": skerryFile("rootDir: /data/b") };
  for (
    const args of [
      [],
      ["--root-dir=x"],
      ["--config=/c.yaml"],
      ["--config=/c.yaml", "--control-socket=/s"],
    ]
  ) {
    const found = await findControlSocket(args, fakeIo(files));
    ok(found.kind === "ok");
    const parsed = await parseRunArguments(args, fakeIo(files));
    ok(parsed.kind === "ok");
    strictEqual(found.path, parsed.config.paths.controlSocket);
  }
});

Deno.test("findControlSocket() tells what is wrong with the file", async () => {
  const found = await findControlSocket(["--config=/c"], fakeIo({ "/c": "" }));
  ok(found.kind === "refused");
  ok(found.faults[0]?.includes("empty file"));
});
