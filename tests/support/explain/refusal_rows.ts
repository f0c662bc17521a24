/**
 * What is told of pods that have no place on the node or whose manifest is not valid.
 *
 * @module
 */

import type { ExplainFacts } from "../../../mod/explain/facts.ts";
import type { RejectionReason } from "../../../mod/pod/admission/mod.ts";
import { container, type PodDraft } from "../pods.ts";
import {
  CREATING,
  explainedPod,
  facts,
  failed,
  type Rows,
  rowsOf,
} from "./rows.ts";

const other = explainedPod({}, {
  name: "y",
  uid: "u2",
  containers: [
    container("c", { ports: [{ containerPort: 1, hostPort: 80 }] }),
  ],
});

/** What admission says of each reason. */
const REASONS: Readonly<Record<RejectionReason, string>> = {
  NodePorts: "Predicate NodePorts failed",
  NodeAffinity: "no match",
  NodeName: "no match",
  NodeShutdown: "shutting down",
  TaintToleration: "had taints",
  PodOSNotSupported: "windows",
  PodOSSelectorNodeLabelDoesNotMatch: "label",
  Evicted: "DiskPressure",
  SysctlForbidden: "kernel.x",
};

function refused(
  reason: RejectionReason,
  message: string,
  options: PodDraft = {},
): ExplainFacts {
  return facts({
    pod: explainedPod({ phase: "Failed" }, options),
    pendingVerdict: { kind: "refused", reason, message },
  });
}

/** Pods that have no place on the node, or whose manifest is not valid. */
export const REFUSAL_ROWS: Rows = {
  "a port that is taken": facts({
    pod: explainedPod({ phase: "Failed" }, {
      containers: [
        container("web", { ports: [{ containerPort: 8, hostPort: 80 }] }),
      ],
    }),
    pendingVerdict: {
      kind: "refused",
      reason: "NodePorts",
      message: "Predicate NodePorts failed",
    },
    others: [other],
  }),
  ...rowsOf("the refusal", REASONS, refused),
  "a node label that it selects": refused("NodeAffinity", "no match", {
    nodeSelector: { disk: "ssd" },
  }),
  "labels of which nobody knows which": refused("NodeAffinity", "no match", {
    nodeSelector: { disk: "ssd" },
    affinity: { nodeAffinity: {} },
  }),
  "a port of UDP and another that are taken": facts({
    pod: explainedPod({ phase: "Failed" }, {
      containers: [
        container("web", {
          ports: [
            { containerPort: 8, hostPort: 53, protocol: "UDP" },
            { containerPort: 9, hostPort: 80 },
          ],
        }),
      ],
    }),
    pendingVerdict: {
      kind: "refused",
      reason: "NodePorts",
      message: "Predicate NodePorts failed",
    },
    others: [
      other,
      explainedPod({}, {
        name: "z",
        uid: "u3",
        containers: [
          container("c", {
            ports: [{ containerPort: 1, hostPort: 53, protocol: "UDP" }],
          }),
        ],
      }),
    ],
  }),
  "two labels that it selects": refused("NodeAffinity", "no match", {
    nodeSelector: { disk: "ssd", zone: "a" },
  }),
  "a pod that is refused while the runtime is down and its manifest is broken":
    facts({
      pod: explainedPod({ phase: "Pending" }),
      pendingVerdict: { kind: "refused", reason: "NodeName", message: "n" },
      runtimeDown: { message: "m" },
      brokenManifest: { file: "/m/web.yaml", text: "spec: Required value" },
    }),
  "a pod that waits for room": facts({
    pod: explainedPod({ phase: "Pending" }),
    pendingVerdict: {
      kind: "waits",
      reason: "OutOfpods",
      message: "…",
      shortage: { resource: "pods", requested: 1n, used: 2n, capacity: 2n },
    },
  }),
  "a pod of the same name": facts({
    pod: explainedPod(CREATING),
    namesake: { uid: "u0", isEnding: true },
  }),
  "a pod of the same name that was not told to end": facts({
    pod: explainedPod(CREATING),
    namesake: { uid: "u0", isEnding: false },
  }),
  "a pod of the same name, once this one is acted on": (() => {
    const pod = explainedPod(CREATING);
    return facts({
      pod,
      namesake: { uid: "u0", isEnding: true },
      decision: failed(pod, [], { next: { kind: "acting" } }),
    });
  })(),
  "a pod that is held for one that is not known any more": (() => {
    const pod = explainedPod(CREATING);
    return facts({
      pod,
      decision: failed(pod, [], { next: { kind: "held" } }),
    });
  })(),
  "a pod of the same name that runs until the images are pulled": facts({
    pod: explainedPod(CREATING),
    namesake: { uid: "u0", isEnding: true, isKept: true },
    activities: [
      { kind: "pulling_image", container: "web", image: "x", forMs: 72_000 },
    ],
  }),
  "an image of which it is known how much has come": facts({
    pod: explainedPod(CREATING),
    activities: [{
      kind: "pulling_image",
      container: "web",
      image: "x",
      bytes: 12_582_912,
      forMs: 72_000,
    }],
  }),
  // The machine.
  "a pod whose node is shutting down": facts({
    pod: explainedPod(CREATING),
    isGoingDown: true,
  }),
  "a pod that has ended, and whose node is shutting down": facts({
    pod: explainedPod({ phase: "Succeeded" }),
    isGoingDown: true,
  }),
  // Sources.
  "a manifest of which only a word is known": facts({
    pod: {
      ...explainedPod({ phase: "Failed", reason: "InvalidManifest" }),
      metadata: { name: "web-n1", namespace: "default", uid: "" },
    },
    stage: undefined,
  }),
  "a manifest that was never valid": facts({
    pod: {
      ...explainedPod({
        phase: "Failed",
        reason: "InvalidManifest",
        message: 'The manifest "/m/web.yaml" is not valid: spec: Required',
      }),
      metadata: { name: "web-n1", namespace: "default", uid: "" },
    },
    stage: undefined,
  }),
  "a pod that nobody has looked at": facts({
    pod: explainedPod({ phase: "Pending" }),
    stage: undefined,
  }),
};
