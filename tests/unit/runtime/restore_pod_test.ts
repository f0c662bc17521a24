/**
 * What the runtime remembers of a lost pod.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { groupByPod } from "../../../mod/runtime/mod.ts";
import { restorePod } from "../../../mod/runtime/restore_pod.ts";
import { containerRow, sandboxRow } from "./builders.ts";

function restore(annotations: Readonly<Record<string, string>>) {
  const { pods } = groupByPod(
    [sandboxRow("u-1")],
    [containerRow("u-1", { annotations })],
  );
  const listing = pods.get("u-1");
  if (listing === undefined) throw new Error("Cannot go on: no such pod");
  return restorePod(listing);
}

Deno.test("restorePod() restores names and the recorded grace", () => {
  const { metadata, spec } = restore({
    "io.kubernetes.pod.terminationGracePeriod": "45",
    "io.kubernetes.pod.deletionGracePeriod": "12",
  });
  deepStrictEqual(metadata, {
    name: "web",
    namespace: "shop",
    uid: "u-1",
    deletionGracePeriodSeconds: 12,
  });
  strictEqual(spec.terminationGracePeriodSeconds, 45);
});

const PRE_STOP = "io.kubernetes.container.preStopHandler";
const HOOKS = [
  ['{"exec":{"command":["sh","-c","bye"]}}', {
    exec: { command: ["sh", "-c", "bye"] },
  }],
  ['{"sleep":{"seconds":3}}', { sleep: { seconds: 3 } }],
  ['{"exec":{"command":"sh"}}', undefined],
  ['{"sleep":{"seconds":-3}}', undefined],
  ["null", undefined],
  ["not json", undefined],
] as const;

for (const [text, expected] of HOOKS) {
  Deno.test(`restorePod() reads the hook ${text}`, () => {
    const { spec } = restore({ [PRE_STOP]: text });
    deepStrictEqual(spec.containers[0]?.lifecycle?.preStop, expected);
  });
}
