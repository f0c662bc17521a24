/**
 * What is told of pods that have no place on the node or whose manifest is not valid.
 *
 * @module
 */

import type { Pod } from "../../../mod/api/types/mod.ts";
import { spec } from "../pod/builders.ts";
import { CREATING, facts, type Row, tellsOf, web } from "./rows.ts";

const other: Pod = {
  ...web({}, {
    containers: [
      spec("c", { ports: [{ containerPort: 1, hostPort: 80 }] }),
    ],
  }),
  metadata: { name: "y", namespace: "default", uid: "u2" },
};

const ROWS: readonly Row[] = [
  // The node's door (mod/pod/admission/admit.ts, mod/agent/desired/pod_admission.ts).
  [
    "a port that is taken",
    facts({
      pod: web({ phase: "Failed" }, {
        containers: [
          spec("web", { ports: [{ containerPort: 8, hostPort: 80 }] }),
        ],
      }),
      hold: {
        kind: "refused",
        reason: "NodePorts",
        message: "Predicate NodePorts failed",
      },
      others: [other],
    }),
    ["Refused: hostPort 80 is taken by pod default/y"],
  ],
  ...([
    [
      "NodeAffinity",
      "no match",
      "it wants a node with other labels than this one has (no match)",
    ],
    ["NodeName", "no match", "it wants a node of another name (no match)"],
    [
      "PodOSNotSupported",
      "windows",
      "it is made for another operating system (windows)",
    ],
    [
      "PodOSSelectorNodeLabelDoesNotMatch",
      "label",
      "it wants another operating system (label)",
    ],
    [
      "SysctlForbidden",
      "kernel.x",
      "it sets a kernel parameter that this node does not allow (kernel.x)",
    ],
  ] as const).map(([reason, message, sentence]) =>
    [
      `the refusal ${reason}`,
      facts({
        pod: web({ phase: "Failed" }),
        hold: { kind: "refused", reason, message },
      }),
      [`Refused: ${sentence}`],
    ] as const
  ),
  ...([
    ["a node label that it selects", {}, " (nodeSelector disk=ssd)"],
    ["labels of which nobody knows which", {
      affinity: { nodeAffinity: {} },
    }, " (no match)"],
  ] as const).map(([what, more, told]) =>
    [
      what,
      facts({
        pod: web({ phase: "Failed" }, {
          nodeSelector: { disk: "ssd" },
          ...more,
        }),
        hold: { kind: "refused", reason: "NodeAffinity", message: "no match" },
      }),
      [`Refused: it wants a node with other labels than this one has${told}`],
    ] as const
  ),
  [
    "a pod that waits for room",
    facts({
      pod: web({ phase: "Pending" }),
      hold: {
        kind: "waits",
        reason: "OutOfpods",
        message: "…",
        shortage: { resource: "pods", requested: 1n, used: 2n, capacity: 2n },
      },
    }),
    ["It waits for other pods to end: 2 of 2 pods are on this node"],
  ],
  [
    "a pod of the same name",
    facts({
      pod: web(CREATING),
      namesake: { uid: "u0", isEnding: true },
    }),
    [
      "It waits for the pod of the same name (UID u0) to end; it has been told to",
    ],
  ],
  // Sources.
  [
    "a manifest that was never valid",
    facts({
      pod: {
        ...web({
          phase: "Failed",
          reason: "InvalidManifest",
          message: 'The manifest "/m/web.yaml" is not valid: spec: Required',
        }),
        metadata: { name: "web-n1", namespace: "default", uid: "" },
      },
      stage: undefined,
    }),
    ['It does not run: The manifest "/m/web.yaml" is not valid: spec: Required'],
  ],
  [
    "a pod that nobody has looked at",
    facts({ pod: web({ phase: "Pending" }), stage: undefined }),
    ["It was just accepted: nothing has been done for it yet"],
  ],
];

tellsOf(ROWS);
