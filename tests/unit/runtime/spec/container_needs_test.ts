/**
 * What the environment of a container is made from.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { containerEnvironment } from "../../../../mod/runtime/spec/environment.ts";
import {
  keyFileName,
  parseKeyFile,
} from "../../../../mod/runtime/spec/key_file.ts";
import { container } from "../../../support/pods.ts";
import { containerInput } from "../../../support/runtime/spec_inputs.ts";

Deno.test("containerEnvironment() hands on the addresses and files that are known", () => {
  const ref = { volumeName: "v", path: "app.env", key: "A" };
  const env = [
    { name: "A", valueFrom: { fileKeyRef: { ...ref, optional: true } } },
    { name: "POD", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
    { name: "HOST", valueFrom: { fieldRef: { fieldPath: "status.hostIP" } } },
  ];
  const input = containerInput({ container: container("c", { env }) });
  const keyFiles = new Map([
    [keyFileName(ref), parseKeyFile("A='1'\n")],
  ]);
  const full = containerEnvironment({ ...input, keyFiles });
  deepStrictEqual(Object.fromEntries(full), {
    A: "1",
    POD: "10.88.0.7",
    HOST: "10.0.0.5",
  });
  const missing = new Map([
    [keyFileName(ref), { kind: "missing" as const }],
  ]);
  const bare = containerEnvironment({ ...input, keyFiles: missing });
  strictEqual(bare.has("A"), false);
});
