/**
 * Manifests that somebody wrote to harm whoever reads them.
 *
 * @module
 */

import type { Random } from "../../../mod/base/mod.ts";
import { below, many, pick } from "./fuzz.ts";
import { hostileText, mutated } from "./hostile_bytes.ts";
import { utf16 } from "../utf16.ts";

/** The bytes of one manifest. Most are small; some are some 100 KB long. */
export function hostileManifest(random: Random): Uint8Array<ArrayBuffer> {
  const text = pick(random, MAKERS)(random);
  const bytes = new TextEncoder().encode(text);
  if (random.next() < 0.4) return mutated(random, bytes);
  if (random.next() < 0.02) return utf16(text);
  return bytes;
}

type Maker = (random: Random) => string;

const MAKERS: readonly [Maker, ...Maker[]] = [
  (random) => JSON.stringify(pod(random)),
  (random) => JSON.stringify(pod(random), null, 2),
  documents,
  list,
  deep,
  aliases,
  merges,
  repeatedKeys,
  longRuns,
  manyItems,
  manyUnknown,
  (random) => hostileText(random, 2000),
];

/** A valid pod, or another object, of which one thing is not what it was. */
function pod(random: Random): unknown {
  const isPod = random.next() < 0.5;
  const made: unknown = structuredClone(isPod ? GOOD_POD : pick(random, GOOD));
  return random.next() < 0.2 ? made : replaced(made, random);
}

function replaced(value: unknown, random: Random): unknown {
  if (typeof value !== "object" || value === null || random.next() < 0.15) {
    return hostileValue(random);
  }
  const entries = Object.entries(value);
  const at = below(random, entries.length);
  const changed = entries.map(([key, each], index) =>
    index === at
      ? [changedKey(key, random), replaced(each, random)]
      : [key, each]
  );
  return Array.isArray(value)
    ? changed.map(([, each]) => each)
    : Object.fromEntries(changed);
}

function changedKey(key: string, random: Random): string {
  return random.next() < 0.05 ? hostileText(random, 300) : key;
}

function hostileValue(random: Random): unknown {
  return pick<unknown>(random, [
    null,
    {},
    [],
    [null],
    true,
    -1,
    1e308,
    2 ** 53,
    hostileText(random, 500),
    many(below(random, 300), () => hostileText(random, 5)),
    Object.fromEntries(
      many(below(random, 300), (at) => [`${at}${hostileText(random, 9)}`, at]),
    ),
  ]);
}

function documents(random: Random): string {
  return many(
    below(random, 60),
    () => `---\n${JSON.stringify(pod(random))}\n`,
  ).join("");
}

function list(random: Random): string {
  const kind = pick(random, ["List", "PodList", "Pod"]);
  const items = many(below(random, 60), () => pod(random));
  return JSON.stringify({ apiVersion: "v1", kind, items });
}

function deep(random: Random): string {
  const [open, close] = pick(random, [
    ["[", "]"],
    ['{"a":', "}"],
    ["{a: ", "}"],
    ["- ", ""],
    ["? ", ""],
    ["a:\n ", ""],
    [`{"${"k".repeat(900)}":`, "}"],
  ]);
  const depth = below(random, 300);
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}

function aliases(random: Random): string {
  const width = 1 + below(random, 12);
  const lines = [`a0: &a0 [${hostileText(random, 50).replace(/\W/g, "x")}]`];
  const levels = below(random, 12);
  for (let level = 1; level <= levels; level++) {
    const items = many(width, () => `*a${level - 1}`);
    lines.push(`a${level}: &a${level} [${items.join(", ")}]`);
  }
  return `kind: Pod\napiVersion: v1\n${lines.join("\n")}\nspec: *a${levels}\n`;
}

function merges(random: Random): string {
  const keys = many(1 + below(random, 40), (at) => `k${at}: ${at}`);
  const uses = many(below(random, 200), () => "- <<: [*a, *a]\n");
  return `kind: Pod\napiVersion: v1\nx: &a {${keys.join(", ")}}\ny:\n${
    uses.join("")
  }`;
}

function repeatedKeys(random: Random): string {
  const key = hostileText(random, 20).replace(/[^a-z]/g, "") || "a";
  return `kind: Pod\n${`${key}: 1\n`.repeat(1 + below(random, 200))}`;
}

function longRuns(random: Random): string {
  const text = hostileText(random, 30_000);
  return pick(random, [
    `kind: Pod\napiVersion: v1\nmetadata: {name: ${JSON.stringify(text)}}\n`,
    `{"kind":"Pod","apiVersion":"v1","x":${JSON.stringify(text)}}`,
    `{"kind":"Pod","x":${text}`,
    `kind: Secret\napiVersion: v1\nstringData:\n  a: |\n   ${text}\n`,
    `kind: Pod # ${text}\n`,
    `${text}\n{"kind":"Pod"}`,
  ]);
}

function manyItems(random: Random): string {
  const count = below(random, 3000);
  const name = pick(random, ["env", "ports", "volumeMounts", "x"]);
  const items = many(count, (at) =>
    pick<unknown>(random, [
      { name: `n${at}` },
      { name: "n", mountPath: `/m${at}` },
      at,
    ]));
  const container = { name: "c", image: "i", [name]: items };
  const labels = Object.fromEntries(many(count, (at) => [`l${at}`, "a b"]));
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "many", labels },
    spec: { containers: [container] },
  });
}

/** Fields that no pod has, in one mapping: each of 200 faults is looked for among them. */
function manyUnknown(random: Random): string {
  const start = pick(random, ["", "k", "a.", "a[", "[", "a]"]);
  const fields = many(below(random, 1500), (at) => [`${start}${at}`, 1]);
  const spec = { containers: [], ...Object.fromEntries(fields) };
  const metadata = { name: "many" };
  return JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata, spec });
}

const GOOD_POD = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", labels: { app: "web" }, annotations: { a: "b" } },
  spec: {
    containers: [{
      name: "app",
      image: "app:1",
      args: ["a"],
      env: [{ name: "A", value: "b" }],
      ports: [{ containerPort: 80, hostPort: 80 }],
      resources: { requests: { cpu: "100m", memory: "64Mi" } },
      volumeMounts: [{ name: "v", mountPath: "/v", subPath: "a" }],
      livenessProbe: { httpGet: { port: 80, path: "/" } },
    }],
    volumes: [
      { name: "v", emptyDir: { sizeLimit: "1Gi" } },
      {
        name: "c",
        configMap: { name: "m", items: [{ key: "k", path: "a/b" }] },
      },
    ],
  },
};

const { labels } = GOOD_POD.metadata;
const TEMPLATE = { metadata: { labels }, spec: GOOD_POD.spec };
const SELECTOR = { matchLabels: labels };
const JOB_POD = { ...GOOD_POD.spec, restartPolicy: "Never" };
const JOB = {
  completionMode: "Indexed",
  completions: 3,
  parallelism: 2,
  backoffLimitPerIndex: 1,
  maxFailedIndexes: 1,
  podFailurePolicy: {
    rules: [
      { action: "FailJob", onExitCodes: { operator: "In", values: [1, 2] } },
      { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] },
    ],
  },
  successPolicy: { rules: [{ succeededIndexes: "0,2", succeededCount: 1 }] },
  template: { metadata: { labels }, spec: JOB_POD },
};

function good(apiVersion: string, kind: string, spec: object): object {
  return { apiVersion, kind, metadata: { name: "web", labels }, spec };
}

/** What a manifest may hold beside pods, with most of its fields. */
const GOOD: readonly [object, ...object[]] = [
  good("v1", "ReplicationController", {
    replicas: 2,
    selector: labels,
    template: TEMPLATE,
  }),
  good("apps/v1", "ReplicaSet", {
    replicas: 2,
    selector: SELECTOR,
    template: TEMPLATE,
  }),
  good("apps/v1", "Deployment", {
    replicas: 2,
    selector: {
      ...SELECTOR,
      matchExpressions: [{ key: "app", operator: "In", values: ["web"] }],
    },
    strategy: {
      type: "RollingUpdate",
      rollingUpdate: { maxSurge: "25%", maxUnavailable: 1 },
    },
    template: TEMPLATE,
  }),
  good("apps/v1", "DaemonSet", { selector: SELECTOR, template: TEMPLATE }),
  good("apps/v1", "StatefulSet", {
    selector: SELECTOR,
    updateStrategy: { rollingUpdate: { partition: 1 } },
    template: TEMPLATE,
    volumeClaimTemplates: [{
      metadata: { name: "data" },
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
      },
    }],
  }),
  good("batch/v1", "Job", JOB),
  good("batch/v1", "CronJob", {
    schedule: "0/15 9-17 * * mon-fri",
    timeZone: "Europe/Berlin",
    concurrencyPolicy: "Forbid",
    jobTemplate: { spec: JOB },
  }),
  {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: "high" },
    value: 1000,
  },
  good("v1", "Service", {
    selector: labels,
    ports: [{ name: "http", port: 80, targetPort: "web" }],
  }),
];
