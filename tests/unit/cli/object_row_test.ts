/**
 * The columns of `get` for what makes pods, and for what they refer to.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  allKinds,
  findKind,
  prefixedName,
  type ShownObject,
} from "../../../mod/cli/kinds/mod.ts";
import { GrowingTable } from "../../../mod/cli/listing.ts";
import { objectListing } from "../../../mod/cli/object_row.ts";

const NOW = Date.parse("2026-01-02T00:00:00Z");
const CREATED = "2026-01-01T23:55:00Z";

/** The headings and cells of one object. */
function table(
  word: string,
  fields: Readonly<Record<string, unknown>>,
  output: "table" | "wide" = "table",
): Record<string, string> {
  const resource = findKind(word);
  ok(resource !== undefined);
  const listing = objectListing(resource);
  const { metadata, ...rest } = fields;
  const object: ShownObject = {
    apiVersion: resource.apiVersion,
    kind: resource.kind,
    metadata: {
      name: "web",
      namespace: "shop",
      uid: "u",
      creationTimestamp: CREATED,
      ...(typeof metadata === "object" && metadata),
    },
    ...rest,
  };
  const rows = new GrowingTable(listing.columns, {
    output,
    namespace: undefined,
  }).add([listing.row(object, NOW)]);
  const [headings = "", cells = ""] = rows.split("\n");
  const begins = [...headings.matchAll(/(?:^| {3})(\S+(?: \S+)*)/g)]
    .map((match) => match.index + (match.index === 0 ? 0 : 3));
  const cut = (line: string): string[] =>
    begins.map((from, at) => line.slice(from, begins[at + 1]).trim());
  const values = cut(cells);
  return Object.fromEntries(
    cut(headings).map((key, at) => [key, values[at] ?? ""]),
  );
}

const TEMPLATE = {
  spec: {
    containers: [{ name: "a", image: "i:1" }, { name: "b", image: "i:2" }],
    nodeSelector: { disk: "ssd", arch: "arm64" },
  },
};
const SELECTOR = {
  matchLabels: { tier: "x", app: "web" },
  matchExpressions: [
    { key: "a", operator: "In", values: ["2", "1"] },
    { key: "b", operator: "NotIn", values: ["3"] },
    { key: "c", operator: "Exists" },
    { key: "d", operator: "DoesNotExist" },
  ],
};
const SELECTED = "app=web,tier=x,a in (1,2),b notin (3),c,!d";
const WIDE = { CONTAINERS: "a,b", IMAGES: "i:1,i:2" };
const HEAD = { NAMESPACE: "shop", NAME: "web" };

Deno.test("get deployments has kubectl's columns", () => {
  const spec = { replicas: 3, template: TEMPLATE, selector: SELECTOR };
  const status = {
    readyReplicas: 2,
    updatedReplicas: 1,
    availableReplicas: 4,
    replicas: 9,
  };
  const shown = {
    ...HEAD,
    READY: "2/3",
    "UP-TO-DATE": "1",
    AVAILABLE: "4",
    AGE: "5m",
  };
  deepStrictEqual(table("deploy", { spec, status }), shown);
  deepStrictEqual(table("deploy", { spec, status }, "wide"), {
    ...shown,
    ...WIDE,
    SELECTOR: SELECTED,
  });
  strictEqual(table("deploy", { spec })["READY"], "0/3");
});

Deno.test("get replicasets and replicationcontrollers have kubectl's columns", () => {
  const spec = { replicas: 3, template: TEMPLATE, selector: SELECTOR };
  const status = { replicas: 2, readyReplicas: 1 };
  const shown = {
    ...HEAD,
    DESIRED: "3",
    CURRENT: "2",
    READY: "1",
    AGE: "5m",
    ...WIDE,
  };
  deepStrictEqual(table("rs", { spec, status }, "wide"), {
    ...shown,
    SELECTOR: SELECTED,
  });
  const selector = { b: "2", a: "1" };
  deepStrictEqual(
    table("rc", { spec: { ...spec, selector }, status }, "wide"),
    { ...shown, SELECTOR: "a=1,b=2" },
  );
  const none = table("rc", { spec: { template: TEMPLATE } }, "wide");
  strictEqual(none["SELECTOR"], "<none>");
  strictEqual(none["DESIRED"], "0");
});

Deno.test("get daemonsets has kubectl's columns", () => {
  const status = {
    desiredNumberScheduled: 1,
    currentNumberScheduled: 2,
    numberReady: 3,
    updatedNumberScheduled: 4,
    numberAvailable: 5,
  };
  const spec = { template: TEMPLATE, selector: SELECTOR };
  deepStrictEqual(table("ds", { spec, status }, "wide"), {
    ...HEAD,
    DESIRED: "1",
    CURRENT: "2",
    READY: "3",
    "UP-TO-DATE": "4",
    AVAILABLE: "5",
    "NODE SELECTOR": "arch=arm64,disk=ssd",
    AGE: "5m",
    ...WIDE,
    SELECTOR: SELECTED,
  });
  strictEqual(table("ds", { spec: {} })["NODE SELECTOR"], "<none>");
});

Deno.test("get statefulsets has kubectl's columns", () => {
  const spec = { replicas: 2, template: TEMPLATE, selector: SELECTOR };
  deepStrictEqual(
    table("sts", { spec, status: { readyReplicas: 1 } }, "wide"),
    { ...HEAD, READY: "1/2", AGE: "5m", ...WIDE },
  );
});

const TRUE = (type: string) => ({ conditions: [{ type, status: "True" }] });
for (
  const [wanted, status, metadata] of [
    ["Running", {}, {}],
    ["Complete", TRUE("Complete"), { deletionTimestamp: CREATED }],
    ["Failed", TRUE("Failed"), { deletionTimestamp: CREATED }],
    ["Terminating", TRUE("Suspended"), { deletionTimestamp: CREATED }],
    ["Suspended", TRUE("Suspended"), {}],
    ["FailureTarget", TRUE("FailureTarget"), {}],
    ["SuccessCriteriaMet", TRUE("SuccessCriteriaMet"), {}],
    ["Running", { conditions: [{ type: "Complete", status: "False" }] }, {}],
  ] as const
) {
  Deno.test(`get jobs says ${wanted} of ${JSON.stringify({ status, metadata })}`, () => {
    strictEqual(table("job", { status, metadata })["STATUS"], wanted);
  });
}

const STARTED = "2026-01-01T23:58:00Z";
for (
  const [spec, status, completions, duration] of [
    [{ completions: 5 }, { succeeded: 2 }, "2/5", ""],
    [{ parallelism: 3 }, { succeeded: 2 }, "2/1 of 3", ""],
    [{ parallelism: 1 }, {}, "0/1", ""],
    [{}, { startTime: STARTED }, "0/1", "2m"],
    [
      {},
      { startTime: STARTED, completionTime: "2026-01-01T23:58:30Z" },
      "0/1",
      "30s",
    ],
    [
      {},
      { startTime: STARTED, completionTime: "2026-01-01T23:57:30Z" },
      "0/1",
      "0s",
    ],
  ] as const
) {
  Deno.test(`get jobs says how far ${JSON.stringify({ spec, status })} is`, () => {
    const shown = table("job", { spec, status });
    strictEqual(shown["COMPLETIONS"], completions);
    strictEqual(shown["DURATION"], duration);
  });
}

Deno.test("get cronjobs has kubectl's columns", () => {
  const jobTemplate = { spec: { template: TEMPLATE } };
  const spec = { schedule: "*/5 * * * *", suspend: true, jobTemplate };
  const shown = {
    ...HEAD,
    SCHEDULE: "*/5 * * * *",
    TIMEZONE: "<none>",
    SUSPEND: "True",
    ACTIVE: "0",
    "LAST SCHEDULE": "<none>",
    AGE: "5m",
    ...WIDE,
    SELECTOR: "<none>",
  };
  deepStrictEqual(table("cj", { spec }, "wide"), shown);
  const more = { ...spec, suspend: false, timeZone: "Europe/Berlin" };
  const status = { active: [{}, {}], lastScheduleTime: STARTED };
  deepStrictEqual(table("cj", { spec: more, status }, "wide"), {
    ...shown,
    TIMEZONE: "Europe/Berlin",
    SUSPEND: "False",
    ACTIVE: "2",
    "LAST SCHEDULE": "2m",
  });
});

Deno.test("get controllerrevisions has kubectl's columns", () => {
  const owner = { apiVersion: "apps/v1", kind: "DaemonSet", uid: "u" };
  const ownerReferences = [
    { ...owner, name: "other" },
    { ...owner, name: "log", controller: true },
  ];
  deepStrictEqual(
    table("controllerrevisions", {
      revision: 3,
      metadata: { ownerReferences },
    }),
    { ...HEAD, CONTROLLER: "daemonset.apps/log", REVISION: "3", AGE: "5m" },
  );
  strictEqual(table("controllerrevision", {})["CONTROLLER"], "<none>");
});

Deno.test("get persistentvolumeclaims has kubectl's columns", () => {
  const spec = {
    volumeName: "v",
    storageClassName: "local",
    accessModes: ["ReadWriteOncePod", "ReadWriteOnce"],
    volumeMode: "Filesystem",
  };
  const status = { phase: "Bound", capacity: { storage: "1Gi" } };
  const shown = {
    ...HEAD,
    STATUS: "Bound",
    VOLUME: "v",
    CAPACITY: "1Gi",
    "ACCESS MODES": "RWO,RWOP",
    STORAGECLASS: "local",
    VOLUMEATTRIBUTESCLASS: "<unset>",
    AGE: "5m",
    VOLUMEMODE: "Filesystem",
  };
  deepStrictEqual(table("pvc", { spec, status }, "wide"), shown);
  const metadata = { deletionTimestamp: CREATED };
  strictEqual(table("pvc", { status, metadata })["STATUS"], "Terminating");
  const modes = { accessModes: ["ReadOnlyMany", "ReadWriteMany"] };
  const other = table("pvc", { status: modes }, "wide");
  strictEqual(other["ACCESS MODES"], "ROX,RWX");
  strictEqual(other["VOLUMEMODE"], "<unset>");
});

for (
  const [word, fields, cells] of [
    ["cm", { data: { a: "1" }, binaryData: { b: "", c: "" } }, { DATA: "3" }],
    ["cm", {}, { DATA: "0" }],
    ["secret", { type: "kubernetes.io/tls", data: { a: "", b: "" } }, {
      TYPE: "kubernetes.io/tls",
      DATA: "2",
    }],
    ["secrets", {}, { TYPE: "Opaque", DATA: "0" }],
    ["svc", { spec: { clusterIP: "None", ports: [{ port: 80 }] } }, {
      TYPE: "ClusterIP",
      "CLUSTER-IP": "None",
      "EXTERNAL-IP": "<none>",
      "PORT(S)": "80/TCP",
    }],
    ["service", {
      spec: {
        type: "NodePort",
        externalIPs: ["1.2.3.4", "5.6.7.8"],
        ports: [{ port: 53, protocol: "UDP" }, { port: 80, nodePort: 30080 }],
      },
    }, {
      TYPE: "NodePort",
      "CLUSTER-IP": "<none>",
      "EXTERNAL-IP": "1.2.3.4,5.6.7.8",
      "PORT(S)": "53/UDP,80:30080/TCP",
    }],
    ["services", {}, {
      TYPE: "ClusterIP",
      "CLUSTER-IP": "<none>",
      "EXTERNAL-IP": "<none>",
      "PORT(S)": "<none>",
    }],
  ] as const
) {
  Deno.test(`get ${word} has kubectl's columns for ${JSON.stringify(fields)}`, () => {
    deepStrictEqual(table(word, fields), { ...HEAD, ...cells, AGE: "5m" });
  });
}

Deno.test("get runtimeclasses and priorityclasses are of no namespace", () => {
  const metadata = { namespace: "" };
  deepStrictEqual(table("runtimeclass", { handler: "runsc", metadata }), {
    NAME: "web",
    HANDLER: "runsc",
    AGE: "5m",
  });
  deepStrictEqual(table("pc", { value: 7, globalDefault: true, metadata }), {
    NAME: "web",
    VALUE: "7",
    "GLOBAL-DEFAULT": "true",
    AGE: "5m",
    PREEMPTIONPOLICY: "PreemptLowerPriority",
  });
  strictEqual(table("pc", { metadata })["GLOBAL-DEFAULT"], "false");
});

for (
  const [word, kind] of [
    ["po", "Pod"],
    ["rc", "ReplicationController"],
    ["deployment", "Deployment"],
    ["Deployments", "Deployment"],
    ["deployments.apps", "Deployment"],
    ["deploy.v1.apps", "Deployment"],
    ["jobs.batch", "Job"],
    ["pods.v1", undefined],
    ["deployments.batch", undefined],
    ["deployments.v2.apps", undefined],
    ["jobsx", undefined],
    ["", undefined],
  ] as const
) {
  Deno.test(`findKind() of "${word}" is ${kind}`, () => {
    strictEqual(findKind(word)?.kind, kind);
  });
}

Deno.test("allKinds() are those of kubectl's all, and a name has its kind before it", () => {
  deepStrictEqual(allKinds().map(({ resource }) => resource), [
    "pods",
    "replicationcontrollers",
    "services",
    "daemonsets",
    "deployments",
    "replicasets",
    "statefulsets",
    "cronjobs",
    "jobs",
  ]);
  const job = { apiVersion: "batch/v1", kind: "Job" };
  strictEqual(prefixedName(job, "a"), "job.batch/a");
  strictEqual(prefixedName({ apiVersion: "v1", kind: "Pod" }, "a"), "pod/a");
});
