/**
 * Where the last lines of a log begin.
 *
 * @module
 */

import { rejects } from "node:assert/strict";
import { findLogTail } from "../../../mod/server/log_parts.ts";

Deno.test("findLogTail() looks through no rotated file for one who has left", async () => {
  const stamp = "20240101-000000";
  const name = `0.log.${stamp}`;
  const parts = {
    rotated: [{ name, stamp, isCompressed: false }],
    current: undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const signal = AbortSignal.abort(new Error("left"));
  await rejects(
    () => findLogTail("/nowhere/0.log", parts, { lines: 1, signal }),
    /left/,
  );
});
