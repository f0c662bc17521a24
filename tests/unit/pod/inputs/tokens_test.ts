/**
 * The tokens of service accounts that a pod has as files.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { objectReferences, podTokens } from "../../../../mod/pod/inputs/mod.ts";
import { pod } from "../../../support/pods.ts";

const source = (rest: Readonly<Record<string, unknown>> = {}) => ({
  serviceAccountToken: { path: "token", ...rest },
});

Deno.test("podTokens() names each token once, with upstream's defaults", () => {
  const wanting = pod({
    volumes: [
      { name: "a", projected: { sources: [source(), source()] } },
      {
        name: "b",
        projected: {
          sources: [
            source({ audience: "vault", expirationSeconds: 600 }),
            { configMap: { name: "ca" } },
          ],
        },
      },
      { name: "c", emptyDir: {} },
    ],
  });
  const { uid } = wanting.metadata;
  deepStrictEqual(podTokens(wanting), [
    {
      object: `token/${uid}/3600/`,
      serviceAccount: "default",
      audience: "",
      expirationSeconds: 3600,
    },
    {
      object: `token/${uid}/600/vault`,
      serviceAccount: "default",
      audience: "vault",
      expirationSeconds: 600,
    },
  ]);
  deepStrictEqual(
    objectReferences(wanting).map(({ kind, name }) => `${kind} ${name}`),
    [
      "ConfigMap ca",
      `Secret token/${uid}/3600/`,
      `Secret token/${uid}/600/vault`,
    ],
  );
});

Deno.test("podTokens() are those of the pod's own account", () => {
  const wanting = pod({
    serviceAccountName: "robot",
    volumes: [{ name: "a", projected: { sources: [source()] } }],
  });
  deepStrictEqual(
    podTokens(wanting).map(({ serviceAccount }) => serviceAccount),
    ["robot"],
  );
  deepStrictEqual(podTokens(pod({})), []);
});
