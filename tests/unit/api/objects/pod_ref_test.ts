import { deepStrictEqual } from "node:assert/strict";
import { podRef } from "../../../../mod/api/objects/mod.ts";
import { pod } from "../../../support/pods.ts";

const source = (value: string) => ({ "kubernetes.io/config.source": value });
const NAMED = { name: "web", namespace: "shop", uid: "u-1" };

for (
  const [what, draft, wanted] of [
    ["without a source", {}, NAMED],
    ["of a manifest", { annotations: source("file") }, NAMED],
    ["of an API server", { annotations: source("api") }, NAMED],
    [
      "of a controller of this node",
      { annotations: source("local") },
      { ...NAMED, isLocal: true },
    ],
  ] as const
) {
  Deno.test(`podRef() names a pod ${what}`, () => {
    deepStrictEqual(podRef(pod(draft)), wanted);
  });
}
