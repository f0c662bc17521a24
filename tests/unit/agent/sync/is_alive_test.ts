/**
 * Pods that have to make way for another of their name.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { sandbox, seen } from "../../../support/observed_pods.ts";
import { isAlive } from "../../../../mod/agent/sync/pod_terminator.ts";
import type { ObservedPod } from "../../../../mod/pod/observed/mod.ts";

type State = ObservedPod["containers"][number]["state"];

const ROWS: readonly {
  readonly sandboxes: readonly boolean[];
  readonly containers: readonly State[];
  readonly expected: boolean;
}[] = [
  { sandboxes: [], containers: [], expected: false },
  { sandboxes: [false], containers: ["exited", "created"], expected: false },
  { sandboxes: [false, true], containers: [], expected: true },
  { sandboxes: [false], containers: ["exited", "running"], expected: true },
  { sandboxes: [], containers: ["unknown"], expected: true },
];

for (const { sandboxes, containers, expected } of ROWS) {
  const shown = `[${sandboxes.join()}] and [${containers.join()}]`;
  Deno.test(`isAlive() is ${expected} of sandboxes that are ready ${shown}`, () => {
    const pod = {
      sandboxes: sandboxes.map((ready) => sandbox({ ready })),
      containers: containers.map((state) => seen("a", { state })),
    };
    strictEqual(isAlive(pod), expected);
  });
}
