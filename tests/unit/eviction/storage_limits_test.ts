/**
 * Tests of what a pod may store on the node.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  findExcess,
  storageLimits,
  type StorageUsage,
} from "../../../mod/eviction/storage_limits.ts";
import { container, pod, type PodDraft, sidecar } from "../../support/pods.ts";

const MI = 1 << 20;

function limited(text: string) {
  return { resources: { limits: { "ephemeral-storage": text } } };
}

function emptyDir(
  sizeLimit: string | undefined,
  medium?: string,
): PodDraft {
  return {
    volumes: [{
      name: "x",
      emptyDir: {
        ...sizeLimit === undefined ? {} : { sizeLimit },
        ...medium === undefined ? {} : { medium },
      },
    }],
  };
}

interface Usage {
  readonly volumes?: Readonly<Record<string, number>>;
  readonly logs?: Readonly<Record<string, number>>;
  readonly layers?: Readonly<Record<string, number>>;
  readonly files?: number;
}

function usage(of: Usage): StorageUsage {
  const map = (list: Readonly<Record<string, number>> = {}) =>
    new Map(Object.entries(list));
  return {
    volumes: map(of.volumes),
    logs: map(of.logs),
    layers: map(of.layers),
    files: of.files ?? 0,
  };
}

interface Row {
  readonly title: string;
  readonly pod: PodDraft;
  readonly usage: Usage;
  readonly message?: string;
}

const VOLUME = 'Usage of EmptyDir volume "x" exceeds the limit "8Mi". ';
const POD =
  "Pod ephemeral local storage usage exceeds the total limit of containers 100Mi. ";
const CONTAINER =
  'Container a exceeded its local ephemeral storage limit "60Mi". ';

const ROWS: readonly Row[] = [
  {
    title: "a volume as full as it may be",
    pod: emptyDir("8Mi"),
    usage: { volumes: { x: 8 * MI } },
  },
  {
    title: "VO-01: a volume above its limit",
    pod: emptyDir("8Mi"),
    usage: { volumes: { x: 8 * MI + 1 } },
    message: VOLUME,
  },
  {
    title: "VO-01: a volume in memory above its limit",
    pod: emptyDir("8Mi", "Memory"),
    usage: { volumes: { x: 9 * MI } },
    message: VOLUME,
  },
  {
    title: "a volume of a limit that is written otherwise",
    pod: emptyDir("8192Ki"),
    usage: { volumes: { x: 9 * MI } },
    message: VOLUME,
  },
  { title: "a volume that is not made yet", pod: emptyDir("8Mi"), usage: {} },
  {
    title: "SE-08: logs above the limit of all containers",
    pod: {
      containers: [
        container("a", limited("60Mi")),
        container("b", limited("40Mi")),
      ],
    },
    usage: { logs: { a: 55 * MI, b: 46 * MI } },
    message: POD,
  },
  {
    title: "SE-08: volume, layer and logs above the limit together",
    pod: {
      ...emptyDir(undefined),
      containers: [container("a", limited("100Mi"))],
    },
    usage: {
      volumes: { x: 40 * MI },
      logs: { a: 30 * MI },
      layers: { a: 31 * MI },
    },
    message: POD,
  },
  {
    title: "SE-08: hosts file and termination messages above the limit",
    pod: { containers: [container("a", limited("100Mi"))] },
    usage: { files: 101 * MI },
    message: POD,
  },
  {
    title: "a full volume in memory, which is no disk",
    pod: {
      ...emptyDir(undefined, "Memory"),
      containers: [container("a", limited("100Mi"))],
    },
    usage: { volumes: { x: 200 * MI } },
  },
  {
    title: "SE-08: one container above its own limit",
    pod: {
      containers: [
        container("a", limited("60Mi")),
        container("b", limited("40Mi")),
      ],
    },
    usage: { logs: { a: 31 * MI }, layers: { a: 30 * MI } },
    message: CONTAINER,
  },
  {
    title: "a sidecar above its own limit",
    pod: {
      initContainers: [sidecar("a", limited("60Mi"))],
      containers: [container("b", limited("100Mi"))],
    },
    usage: { layers: { a: 61 * MI } },
    message: CONTAINER,
  },
  {
    title: "a container without a limit of its own",
    pod: { containers: [container("a", limited("100Mi")), container("b")] },
    usage: { logs: { b: 90 * MI } },
  },
  {
    title: "a volume before the pod as a whole",
    pod: { ...emptyDir("8Mi"), containers: [container("a", limited("100Mi"))] },
    usage: { volumes: { x: 200 * MI } },
    message: VOLUME,
  },
];
for (const row of ROWS) {
  const verb = row.message === undefined ? "allows" : "finds";
  Deno.test(`findExcess() ${verb} ${row.title}`, () => {
    const subject = pod(row.pod);
    const limits = storageLimits(subject);
    strictEqual(
      limits && findExcess(subject, limits, usage(row.usage))?.message,
      row.message,
    );
  });
}

const UNLIMITED: readonly (readonly [title: string, pod: PodDraft])[] = [
  ["no volume and no limit", {}],
  ["an emptyDir without a limit", emptyDir(undefined)],
  ["an emptyDir of limit 0, which upstream takes for none", emptyDir("0")],
  ["limits of other kinds", {
    containers: [container("a", { resources: { limits: { memory: "1Gi" } } })],
  }],
];
for (const [title, options] of UNLIMITED) {
  Deno.test(`storageLimits() has nothing to watch with ${title}`, () => {
    deepStrictEqual(storageLimits(pod(options)), undefined);
  });
}
