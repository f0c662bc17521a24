/**
 * What kinds are called on the way.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  groupOf,
  groupResource,
  type Resource,
  resourcePath,
  RESOURCES,
} from "../../../../mod/api/access/mod.ts";

function resource(kind: string): Resource {
  const found = RESOURCES.find((each) => each.kind === kind);
  ok(found !== undefined);
  return found;
}

const SHOP = { namespace: "shop" };
for (
  const [kind, place, path] of [
    ["Deployment", SHOP, "/apis/apps/v1/namespaces/shop/deployments"],
    ["Deployment", {}, "/apis/apps/v1/deployments"],
    [
      "CronJob",
      { ...SHOP, name: "a/b" },
      "/apis/batch/v1/namespaces/shop/cronjobs/a%2Fb",
    ],
    ["Job", { namespace: "a/b" }, "/apis/batch/v1/namespaces/a%2Fb/jobs"],
    ["ConfigMap", SHOP, "/api/v1/namespaces/shop/configmaps"],
    [
      "RuntimeClass",
      { ...SHOP, name: "gvisor" },
      "/apis/node.k8s.io/v1/runtimeclasses/gvisor",
    ],
    ["PriorityClass", {}, "/apis/scheduling.k8s.io/v1/priorityclasses"],
  ] as const
) {
  Deno.test(`resourcePath() of ${kind} is ${path}`, () => {
    strictEqual(resourcePath(resource(kind), place), path);
  });
}

Deno.test("groupResource() names the group behind the resource, if it has one", () => {
  strictEqual(groupResource(resource("StatefulSet")), "statefulsets.apps");
  strictEqual(groupResource(resource("Pod")), "pods");
  strictEqual(groupOf("node.k8s.io/v1"), "node.k8s.io");
  strictEqual(groupOf("v1"), "");
});

Deno.test("RESOURCES has every word once", () => {
  const words = RESOURCES.flatMap(({ kind, resource, shortNames }) => [
    kind.toLowerCase(),
    resource,
    ...shortNames,
  ]);
  deepStrictEqual([...new Set(words)], words);
  const shorts = RESOURCES.flatMap(({ shortNames }) => shortNames);
  deepStrictEqual(
    shorts.sort(),
    "cj cm deploy ds pc po pvc rc rs sts svc".split(" "),
  );
});
