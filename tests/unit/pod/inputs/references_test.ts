/**
 * Tests of which objects a pod refers to.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { objectReferences } from "../../../../mod/pod/inputs/references.ts";
import { claimOfVolume } from "../../../../mod/pod/inputs/volume_claims.ts";
import { container, pod, podOfThree } from "../../../support/pods.ts";

Deno.test("objectReferences() finds every kind of reference, each object once", () => {
  const subject = pod({
    metadata: { namespace: "shop" },
    runtimeClassName: "kata",
    imagePullSecrets: [{ name: "pull" }],
    volumes: [
      { name: "a", configMap: { name: "files", optional: true } },
      { name: "b", secret: { secretName: "cert" } },
      {
        name: "c",
        projected: {
          sources: [
            { configMap: { name: "files" } },
            { secret: { name: "extra", optional: true } },
            { downwardAPI: { items: [] } },
          ],
        },
      },
      { name: "d", persistentVolumeClaim: { claimName: "disk" } },
      { name: "e", emptyDir: {} },
    ],
    initContainers: [
      container("i", { envFrom: [{ configMapRef: { name: "init" } }] }),
    ],
    containers: [
      container("a", {
        envFrom: [{ secretRef: { name: "all", optional: true } }],
        env: [
          {
            name: "X",
            valueFrom: { configMapKeyRef: { name: "keys", key: "k" } },
          },
          {
            name: "Y",
            valueFrom: {
              secretKeyRef: { name: "cert", key: "k", optional: true },
            },
          },
          { name: "Z", value: "1" },
        ],
      }),
    ],
  });
  const found = objectReferences(subject).map((
    { kind, namespace, name, optional },
  ) => `${kind} ${namespace}/${name}${optional ? "?" : ""}`);
  deepStrictEqual(found, [
    "RuntimeClass /kata?",
    "Secret shop/pull?",
    "ConfigMap shop/files",
    "Secret shop/cert",
    "Secret shop/extra?",
    "PersistentVolumeClaim shop/disk",
    "ConfigMap shop/init",
    "Secret shop/all?",
    "ConfigMap shop/keys",
  ]);
});

Deno.test("objectReferences() finds nothing in a plain pod", () => {
  deepStrictEqual(objectReferences(podOfThree()), []);
});

Deno.test("objectReferences() finds the claim of an ephemeral volume under the name of its pod", () => {
  const subject = pod({
    name: "web",
    volumes: [{ name: "scratch", ephemeral: {} }],
  });
  deepStrictEqual(objectReferences(subject), [{
    kind: "PersistentVolumeClaim",
    namespace: "shop",
    name: "web-scratch",
    optional: false,
  }]);
});

for (
  const [volume, expected] of [
    [{ name: "v", emptyDir: {} }, undefined],
    [{ name: "v", persistentVolumeClaim: { claimName: "data" } }, {
      claimName: "data",
      readOnly: false,
      isEphemeral: false,
    }],
    [
      {
        name: "v",
        persistentVolumeClaim: { claimName: "data", readOnly: true },
      },
      { claimName: "data", readOnly: true, isEphemeral: false },
    ],
    [{ name: "v", ephemeral: {} }, {
      claimName: "web-v",
      readOnly: false,
      isEphemeral: true,
    }],
  ] as const
) {
  Deno.test(`claimOfVolume() of ${JSON.stringify(volume)}`, () => {
    deepStrictEqual(claimOfVolume(pod({ name: "web" }), volume), expected);
  });
}
