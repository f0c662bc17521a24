/**
 * Which objects a path means.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { quoted } from "../../../../mod/server/answer/mod.ts";
import { parseObjectPath } from "../../../../mod/server/objects/mod.ts";

for (
  const [path, kind, place] of [
    ["apis/apps/v1/deployments", "Deployment", {}],
    ["apis/apps/v1/namespaces/shop/deployments", "Deployment", {
      namespace: "shop",
    }],
    ["apis/apps/v1/namespaces/shop/deployments/web", "Deployment", {
      namespace: "shop",
      name: "web",
    }],
    ["api/v1/services", "Service", {}],
    ["apis/node.k8s.io/v1/runtimeclasses/runsc", "RuntimeClass", {
      name: "runsc",
    }],
  ] as const
) {
  Deno.test(`parseObjectPath() reads "${path}"`, () => {
    const { resource, ...found } = parseObjectPath(path.split("/")) ?? {};
    strictEqual(resource?.kind, kind);
    deepStrictEqual(found, place);
  });
}

for (
  const path of [
    "",
    "healthz",
    "api/v1",
    "api/v2/services",
    "apis/apps/v1",
    "apis/apps/v2/deployments",
    "apis/apps/v1/services",
    "api/v1/services/",
    // An object of a namespace is found in it only.
    "api/v1/services/web",
    "api/v1/namespaces/shop",
    "api/v1/namespaces/shop/services/web/status",
    "apis/node.k8s.io/v1/runtimeclasses/a/b",
    "apis/node.k8s.io/v1/runtimeclasses/a/b/c",
    "apis/node.k8s.io/v1/namespaces/shop/runtimeclasses",
  ]
) {
  Deno.test(`parseObjectPath() knows no kind by "${path}"`, () => {
    strictEqual(parseObjectPath(path.split("/")), undefined);
  });
}

Deno.test("quoted() repeats 64 characters of a text, and no half of one", () => {
  strictEqual(quoted("a".repeat(64)), `"${"a".repeat(64)}"`);
  strictEqual(quoted("a".repeat(65)), `"${"a".repeat(64)}…"`);
  strictEqual(quoted(`${"a".repeat(63)}💧`), `"${"a".repeat(63)}\ufffd…"`);
});
