/**
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ANNOTATION_CONFIG_SOURCE } from "../../../../mod/api/vocabulary/keys.ts";
import {
  findContainer,
  isCriticalPod,
  isLocalPod,
  isStaticPod,
  logDirectoryName,
  podFullName,
} from "../../../../mod/api/vocabulary/pod_facts.ts";
import {
  formatContainerId,
  isPodUid,
  parseContainerId,
} from "../../../../mod/api/objects/objects.ts";
import { container, pod } from "../../../support/pods.ts";

const POD = pod({
  name: "web-edge1",
  initContainers: [container("init", { image: "i" })],
  containers: [container("app", { image: "a" })],
});

Deno.test("podFullName() and logDirectoryName() are spelled as the kubelet does", () => {
  strictEqual(podFullName(POD), "web-edge1_shop");
  strictEqual(logDirectoryName(POD), "shop_web-edge1_u-1");
});

for (
  const [source, expected] of [
    ["file", true],
    ["http", true],
    ["api", false],
    ["local", false],
  ] as const
) {
  Deno.test(`isStaticPod() is ${expected} for a pod from ${source}`, () => {
    const annotations = { [ANNOTATION_CONFIG_SOURCE]: source };
    strictEqual(
      isStaticPod({ metadata: { ...POD.metadata, annotations } }),
      expected,
    );
  });
}

Deno.test("isLocalPod() is true for a pod of a controller of this node only", () => {
  for (const source of ["file", "http", "api", "local"]) {
    const annotations = { [ANNOTATION_CONFIG_SOURCE]: source };
    strictEqual(
      isLocalPod({ metadata: { ...POD.metadata, annotations } }),
      source === "local",
    );
  }
  strictEqual(isLocalPod(POD), false);
});

Deno.test("isStaticPod() is false for a pod that no source has marked", () => {
  strictEqual(isStaticPod(POD), false);
});

for (
  const [priority, expected] of [
    [undefined, false],
    [1_999_999_999, false],
    [2_000_000_000, true],
  ] as const
) {
  Deno.test(`isCriticalPod() is ${expected} at priority ${priority}`, () => {
    const spec = priority === undefined ? POD.spec : { ...POD.spec, priority };
    strictEqual(isCriticalPod({ spec }), expected);
  });
}

Deno.test("findContainer() finds app and init containers", () => {
  strictEqual(findContainer(POD, "init")?.image, "i");
  strictEqual(findContainer(POD, "app")?.image, "a");
  strictEqual(findContainer(POD, "none"), undefined);
});

Deno.test("parseContainerId() reads back formatContainerId()", () => {
  const text = formatContainerId("containerd", "4f2a");
  strictEqual(text, "containerd://4f2a");
  deepStrictEqual(parseContainerId(text), {
    runtimeName: "containerd",
    id: "4f2a",
  });
  strictEqual(parseContainerId("4f2a"), undefined);
  strictEqual(parseContainerId("containerd://"), undefined);
});

for (const uid of ["a", "0f9e-1", "A".repeat(64)]) {
  Deno.test(`isPodUid() takes "${uid}"`, () =>
    strictEqual(isPodUid(uid), true));
}

const BAD_UIDS = [
  "",
  "..",
  "a/b",
  "-a",
  "a\n",
  "a\0",
  "$(id)",
  "A".repeat(65),
  "ä",
];
for (const uid of BAD_UIDS) {
  Deno.test(`isPodUid() refuses ${JSON.stringify(uid)}`, () => {
    strictEqual(isPodUid(uid), false);
  });
}
