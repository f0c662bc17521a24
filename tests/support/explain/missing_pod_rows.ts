/**
 * What is told of a pod that is not there.
 *
 * @module
 */

import type { KnownPods } from "../../../mod/explain/missing_pod.ts";

const WEB = { namespace: "default", name: "web" };

const FILE = { location: "/m", isReady: true, faults: "" };

/** What there is instead of the pod "wbe". */
export const MISSING_PODS: Readonly<Record<string, KnownPods>> = {
  "nothing at all": { pods: [], sources: [FILE] },
  "an agent that starts": { pods: [], sources: [] },
  "a near name": {
    pods: [WEB, { namespace: "default", name: "db" }],
    sources: [FILE],
  },
  "a near name in another namespace": {
    pods: [{ namespace: "other", name: "web" }],
    sources: [FILE],
  },
  "several other namespaces": {
    pods: [
      { namespace: "a", name: "wbe" },
      WEB,
      { namespace: "b", name: "wbe" },
    ],
    sources: [FILE],
  },
  "another namespace": {
    pods: [WEB, { namespace: "other", name: "wbe" }],
    sources: [FILE],
  },
  "sources that may be the cause": {
    pods: [],
    sources: [
      { location: "/m", isReady: true, faults: "a.yaml: no YAML" },
      { location: "http://c", isReady: false, faults: "" },
    ],
  },
};
