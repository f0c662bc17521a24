/**
 * What is told of a pod that is not there.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import {
  explainMissingPod,
  type KnownPods,
} from "../../../mod/explain/missing_pod.ts";

const WEB = { namespace: "default", name: "web" };

const FILE = { location: "/m", isReady: true, faults: "" };

const ROWS: readonly (readonly [string, KnownPods, string])[] = [
  [
    "nothing at all",
    { pods: [], sources: [FILE] },
    'Cannot find pod "wbe": it is wanted by no manifest in namespace "default"',
  ],
  [
    "an agent that starts",
    { pods: [], sources: [] },
    'Cannot find pod "wbe": it is wanted by no manifest in namespace "default"; the agent is starting and has asked no source yet',
  ],
  [
    "a near name",
    { pods: [WEB, { namespace: "default", name: "db" }], sources: [FILE] },
    'Cannot find pod "wbe": it is wanted by no manifest in namespace "default", did you mean "web"',
  ],
  [
    "another namespace",
    { pods: [WEB, { namespace: "other", name: "wbe" }], sources: [FILE] },
    'Cannot find pod "wbe": it is wanted by no manifest in namespace "default", found "other/wbe"',
  ],
  [
    "sources that may be the cause",
    {
      pods: [],
      sources: [
        { location: "/m", isReady: true, faults: "a.yaml: no YAML" },
        { location: "http://c", isReady: false, faults: "" },
      ],
    },
    'Cannot find pod "wbe": it is wanted by no manifest in namespace "default"; the source "http://c" has not answered yet; the source "/m" has manifests that are not valid: a.yaml: no YAML',
  ],
];

for (const [name, known, wanted] of ROWS) {
  Deno.test(`explainMissingPod() tells of ${name}`, () => {
    const pod = { namespace: "default", name: "wbe" };
    strictEqual(explainMissingPod(pod, known), wanted);
  });
}
