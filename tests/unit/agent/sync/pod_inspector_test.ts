/**
 * What a sync takes for the present state of a pod.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { PodInspector } from "../../../../mod/agent/sync/pod_inspector.ts";
import type { ObservedPod } from "../../../../mod/pod/observed/mod.ts";
import { observed, sandbox } from "../../../support/observed_pods.ts";

const SEEN: ObservedPod = { ...observed([]), sandboxes: [sandbox()] };
const NOTHING: ObservedPod = { ...SEEN, sandboxes: [], containers: [] };

for (
  const [actedAtMs, shown, isKnown, expected] of [
    [undefined, SEEN, false, ["latest -1"]],
    // I1: what was done is to be seen before the next plan, at whatever moment it was.
    [0, SEEN, false, ["latest 0"]],
    [5_000, SEEN, true, ["latest 5000"]],
    [undefined, NOTHING, false, ["latest -1"]],
    // What ran before may be missing in a list of a runtime that still starts.
    [5_000, NOTHING, true, ["latest 5000", "look"]],
  ] as const
) {
  const acted = actedAtMs === undefined ? "never" : `at ${actedAtMs} ms`;
  const what = shown === SEEN ? "a sandbox" : "nothing";
  const known = isKnown ? "a known pod" : "an unknown pod";
  Deno.test(`PodInspector: ${known} that was acted upon ${acted} and shows ${what} is asked for by ${expected.join(", ")}`, async () => {
    const asked: string[] = [];
    const inspector = new PodInspector({
      memory: { get: () => ({ actedAtMs }) },
      picture: {
        latest: (_uid, { newerThanMs }) => {
          asked.push(`latest ${newerThanMs}`);
          return Promise.resolve(shown);
        },
        listing: undefined,
        record: () => true,
        get: () => undefined,
      },
      remains: { ofThisLife: (pod) => pod },
      statuses: { get: () => isKnown ? { phase: "Running" } : undefined },
      observer: {
        look: () => {
          asked.push("look");
          return Promise.resolve(SEEN);
        },
        lookStopped: () => Promise.reject(new Error("not played")),
      },
      prober: { look: () => {} },
    });
    await inspector.latest("u-1", new AbortController().signal);
    deepStrictEqual(asked, expected);
  });
}
