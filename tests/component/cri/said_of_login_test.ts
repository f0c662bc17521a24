/**
 * What is written of a registry's words.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects } from "node:assert/strict";
import { startCriRig } from "../../support/cri/cri_rig.ts";
import { CODE } from "../../support/fake_cri/status_error.ts";
import { linesTo } from "../../support/log_lines.ts";

Deno.test("ImageService writes no login that a registry repeats into the log, at any level", async () => {
  const lines: string[] = [];
  await using rig = await startCriRig({
    log: linesTo(lines, { level: "debug" }),
  });
  rig.fake.fault("PullImage", {
    kind: "error",
    code: CODE.unknown,
    details: "401: secret-word is wrong",
  });
  const auth = { username: "me", password: "secret-word" };
  await rejects(rig.cri.images.pullImage({ image: "x" }, { auth }), {
    method: "PullImage",
  });
  ok(lines.some((line) => line.includes("cri_call_failed")));
  deepStrictEqual(lines.filter((line) => line.includes("secret-word")), []);
});
