/**
 * The cases of the text are those of upstream's fields package (TestSplitTerms,
 * TestSplitTerm, TestEscapeValue).
 *
 * @module
 */

import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import {
  parseFieldSelector,
  selectionFilter,
} from "../../../../mod/api/access/mod.ts";
import type { ApiObject } from "../../../../mod/api/workload/mod.ts";

const READ: readonly (readonly [string, readonly string[]])[] = [
  ["", []],
  [",", []],
  ["metadata.name=a", ["metadata.name = a"]],
  ["metadata.name==a", ["metadata.name = a"]],
  ["metadata.name!=a", ["metadata.name ! a"]],
  ["metadata.name=", ["metadata.name = "]],
  [
    "metadata.name=a,metadata.namespace!=b",
    ["metadata.name = a", "metadata.namespace ! b"],
  ],
  [String.raw`metadata.name=a\,b`, ["metadata.name = a,b"]],
  [String.raw`metadata.name=a\=b`, ["metadata.name = a=b"]],
  [String.raw`metadata.name=a\\`, ["metadata.name = a\\"]],
  [" metadata.name =a", ["metadata.name = a"]],
];

for (const [text, wanted] of READ) {
  Deno.test(`parseFieldSelector() reads '${text}'`, () => {
    const terms = parseFieldSelector(text, "Pod").map((
      { field, value, isWanted },
    ) => `${field} ${isWanted ? "=" : "!"} ${value}`);
    deepStrictEqual(terms, wanted);
  });
}

for (
  const text of [
    "metadata.name",
    "metadata.name=a=b",
    "metadata.name===a",
    "metadata.name=\\a",
    "metadata.name=a\\",
    "metadata.name\\=a",
  ]
) {
  Deno.test(`parseFieldSelector() refuses '${text}'`, () => {
    throws(() => parseFieldSelector(text, "Pod"), {
      reason: "BadRequest",
      message: `Cannot read the field selector "${text}": found "${text}", ` +
        `wanted "field=value"`,
    });
  });
}

Deno.test("parseFieldSelector() says by which fields a kind can be selected", () => {
  throws(() => parseFieldSelector("spec.replicas=1", "ReplicaSet"), {
    reason: "BadRequest",
    message: 'Cannot select by "spec.replicas": a ReplicaSet can be selected ' +
      'by "metadata.name", "metadata.namespace", "status.replicas"',
  });
  throws(() => parseFieldSelector("status.phase=Running", "Deployment"), {
    message: 'Cannot select by "status.phase": a Deployment can be selected ' +
      'by "metadata.name", "metadata.namespace"',
  });
});

const WEB: ApiObject & Record<"spec" | "status", unknown> = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "web",
    namespace: "shop",
    uid: "u1",
    labels: { app: "web" },
  },
  spec: { nodeName: "edge-1", restartPolicy: "Always" },
  status: { phase: "Running", replicas: 3, succeeded: 2 },
};
const SILENT: typeof WEB = { ...WEB, spec: {}, status: {} };

const MEANT: readonly (readonly [string, string, ApiObject, boolean])[] = [
  ["Pod", "metadata.name=web", WEB, true],
  ["Pod", "metadata.name=db", WEB, false],
  ["Pod", "metadata.name!=db,metadata.namespace=shop", WEB, true],
  ["Pod", "metadata.name=web,metadata.namespace=home", WEB, false],
  ["Pod", "status.phase=Running,spec.nodeName=edge-1", WEB, true],
  ["Pod", "status.phase!=Running", WEB, false],
  ["Pod", "spec.restartPolicy=Never", WEB, false],
  ["Pod", "spec.hostNetwork=false", WEB, true],
  ["Pod", "spec.nodeName=", SILENT, true],
  ["Pod", "status.podIP=,spec.schedulerName=", SILENT, true],
  [
    "Pod",
    "spec.serviceAccountName!=,status.nominatedNodeName!=",
    SILENT,
    false,
  ],
  ["ReplicaSet", "status.replicas=3", WEB, true],
  ["ReplicaSet", "status.replicas=0", SILENT, true],
  ["ReplicationController", "status.replicas=3", WEB, true],
  ["Job", "status.successful=2", WEB, true],
  ["Job", "status.successful=0", SILENT, true],
  ["Secret", "type=", WEB, true],
];

for (const [kind, fieldSelector, object, isMeant] of MEANT) {
  Deno.test(`'${fieldSelector}' ${isMeant ? "means" : "does not mean"} a ${kind} ${object === SILENT ? "that says nothing" : "that says all"}`, () => {
    strictEqual(selectionFilter(kind, { fieldSelector })?.(object), isMeant);
  });
}

Deno.test("selectionFilter() is not there when all objects are meant", () => {
  strictEqual(selectionFilter("Pod", {}), undefined);
  const selection = { namespace: "", labelSelector: "", fieldSelector: "" };
  strictEqual(selectionFilter("Pod", selection), undefined);
});

Deno.test("selectionFilter() asks for namespace, labels and fields", () => {
  const meant = (selection: Parameters<typeof selectionFilter>[1]) =>
    selectionFilter("Pod", selection)?.(WEB);
  strictEqual(meant({ namespace: "shop" }), true);
  strictEqual(meant({ namespace: "home" }), false);
  strictEqual(meant({ labelSelector: "app in (web,db)" }), true);
  strictEqual(meant({ labelSelector: "!app" }), false);
  strictEqual(meant({ namespace: "shop", labelSelector: "app=db" }), false);
});
