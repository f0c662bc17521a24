/**
 * The stop signal of a container, and runtimes that do not know of such.
 *
 * @module
 */

import {
  deepStrictEqual,
  rejects,
  strictEqual,
  throws,
} from "node:assert/strict";
import { SpecRefusal } from "../../../../mod/runtime/spec/spec_refusal.ts";
import {
  ignoresStopSignal,
  stopSignal,
} from "../../../../mod/runtime/spec/container_spec.ts";
import {
  containerDetails,
  containerRow,
} from "../../../support/runtime_rows.ts";

Deno.test("stopSignal() passes a known signal on, and nothing when there is none", () => {
  deepStrictEqual(stopSignal({ lifecycle: { stopSignal: "SIGRTMIN+3" } }), {
    stopSignal: "SIGRTMIN+3",
  });
  deepStrictEqual(stopSignal({ lifecycle: {} }), {});
  deepStrictEqual(stopSignal({}), {});
});

Deno.test("stopSignal() refuses one that no runtime could be told of", () => {
  throws(
    () => stopSignal({ lifecycle: { stopSignal: "SIGFOO" } }),
    SpecRefusal,
  );
});

const options = { signal: new AbortController().signal };

Deno.test("ignoresStopSignal() goes by what the status repeats", async () => {
  const status = containerDetails(containerRow("u"));
  const knows = {
    containerStatus: () =>
      Promise.resolve({ ...status, stopSignal: "SIGQUIT" }),
  };
  const ignores = { containerStatus: () => Promise.resolve(status) };
  const fails = { containerStatus: () => Promise.reject(new Error("away")) };
  strictEqual(await ignoresStopSignal(knows, "c", options), false);
  strictEqual(await ignoresStopSignal(ignores, "c", options), true);
  strictEqual(await ignoresStopSignal(fails, "c", options), false);
  const signal = AbortSignal.abort(new Error("enough"));
  await rejects(ignoresStopSignal(fails, "c", { signal }), /enough/);
});
