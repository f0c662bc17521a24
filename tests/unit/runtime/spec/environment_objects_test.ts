/**
 * Tests of variables that come from ConfigMaps, Secrets and files.
 *
 * @module
 */

import { deepStrictEqual, ok, throws } from "node:assert/strict";
import type { ContainerSpec } from "../../../../mod/api/types/mod.ts";
import {
  containerEnvironment,
  type EnvironmentInput,
} from "../../../../mod/runtime/spec/environment.ts";
import { MAX_PROGRAM_LENGTH } from "../../../../mod/runtime/spec/expansion.ts";
import {
  type KeyFile,
  keyFileName,
  parseKeyFile,
} from "../../../../mod/runtime/spec/key_file.ts";
import { SpecRefusal } from "../../../../mod/runtime/spec/spec_refusal.ts";
import { container, pod } from "../../../support/pods.ts";
import { keyed, objectGetter } from "../../../support/keyed_objects.ts";

const HIDDEN = "hunter2";
const OBJECTS = objectGetter([
  keyed("ConfigMap", "base", { A: "1", B: "2", "dotted.key": "d" }),
  keyed("ConfigMap", "more", { B: "3", REF: "$(A)" }),
  keyed("ConfigMap", "elsewhere", { A: "1" }, { namespace: "other" }),
  keyed("Secret", "safe", { PASSWORD: HIDDEN }),
  keyed("Secret", "binary", { KEY: new Uint8Array([0x68, 0xff, 0x31]) }),
  keyed("Secret", "cut", { KEY: `${HIDDEN}\0` }),
]);
const FACTS: Omit<EnvironmentInput, "pod" | "container"> = {
  podIps: [],
  node: { ips: [], allocatable: new Map() },
  objects: OBJECTS,
};

function environment(
  fields: Pick<ContainerSpec, "env" | "envFrom">,
  facts: Partial<EnvironmentInput> = {},
  of = pod(),
): Record<string, string> {
  const values = containerEnvironment({
    pod: of,
    container: container("c", fields),
    ...FACTS,
    ...facts,
  });
  return Object.fromEntries(values);
}

const CASES: readonly {
  readonly title: string;
  readonly fields: Pick<ContainerSpec, "env" | "envFrom">;
  readonly expected: Record<string, string>;
}[] = [
  {
    title: "lets a later source and then env win (RT-27)",
    fields: {
      envFrom: [
        { configMapRef: { name: "base" } },
        { configMapRef: { name: "more" } },
      ],
      env: [{ name: "A", value: "own" }],
    },
    expected: { A: "own", B: "3", "dotted.key": "d", REF: "$(A)" },
  },
  {
    title: "puts a prefix before every key of a source",
    fields: {
      envFrom: [{ prefix: "P_", configMapRef: { name: "more" } }],
    },
    expected: { P_B: "3", P_REF: "$(A)" },
  },
  {
    title: "expands values with what sources gave",
    fields: {
      envFrom: [{ secretRef: { name: "safe" } }],
      env: [{ name: "URL", value: "db://$(PASSWORD)@x" }],
    },
    expected: { PASSWORD: HIDDEN, URL: `db://${HIDDEN}@x` },
  },
  {
    title: "takes single keys, and does not expand them",
    fields: {
      env: [
        { name: "A", value: "x" },
        {
          name: "M",
          valueFrom: { configMapKeyRef: { name: "more", key: "REF" } },
        },
        {
          name: "S",
          valueFrom: { secretKeyRef: { name: "safe", key: "PASSWORD" } },
        },
      ],
    },
    expected: { A: "x", M: "$(A)", S: HIDDEN },
  },
  {
    title: "leaves out what is optional and not there (VO-14)",
    fields: {
      envFrom: [
        { configMapRef: { name: "none", optional: true } },
        { secretRef: { name: "none", optional: true } },
      ],
      env: [
        {
          name: "M",
          valueFrom: {
            configMapKeyRef: { name: "none", key: "k", optional: true },
          },
        },
        {
          name: "S",
          valueFrom: {
            secretKeyRef: { name: "safe", key: "no", optional: true },
          },
        },
        { name: "KEPT", value: "$(M)" },
      ],
    },
    expected: { KEPT: "$(M)" },
  },
];

for (const { title, fields, expected } of CASES) {
  Deno.test(`containerEnvironment() ${title}`, () => {
    deepStrictEqual(environment(fields), expected);
  });
}

const REFUSED: readonly (readonly [
  message: string,
  fields: Pick<ContainerSpec, "env" | "envFrom">,
])[] = [
  ['configmap "none" not found', {
    envFrom: [{ configMapRef: { name: "none" } }],
  }],
  ['secret "none" not found', { envFrom: [{ secretRef: { name: "none" } }] }],
  // Of the pod's own namespace only.
  ['configmap "elsewhere" not found', {
    envFrom: [{ configMapRef: { name: "elsewhere" } }],
  }],
  ["couldn't find key k in ConfigMap shop/base", {
    env: [{
      name: "X",
      valueFrom: { configMapKeyRef: { name: "base", key: "k" } },
    }],
  }],
  ["couldn't find key k in Secret shop/safe", {
    env: [{
      name: "X",
      valueFrom: { secretKeyRef: { name: "safe", key: "k" } },
    }],
  }],
  [
    'Cannot use key "KEY" of Secret "shop/binary" as a variable: its value is not UTF-8',
    { envFrom: [{ secretRef: { name: "binary" } }] },
  ],
  [
    'Cannot use key "KEY" of Secret "shop/cut" as a variable: its value holds a NUL byte',
    {
      env: [{
        name: "X",
        valueFrom: { secretKeyRef: { name: "cut", key: "KEY" } },
      }],
    },
  ],
];

for (const [message, fields] of REFUSED) {
  Deno.test(`containerEnvironment() says: ${message} (VO-14)`, () => {
    throws(
      () => environment(fields),
      (error) => {
        ok(error instanceof SpecRefusal);
        deepStrictEqual(error.message, message);
        return !error.message.includes(HIDDEN);
      },
    );
  });
}

Deno.test("containerEnvironment() reads variables of a file, and leaves optional ones out", () => {
  const ref = { volumeName: "v", path: "app.env", key: "A" };
  const keyFiles = new Map<string, KeyFile>([
    [keyFileName(ref), parseKeyFile("A='1'\n")],
    [keyFileName({ ...ref, path: "none" }), { kind: "missing" }],
  ]);
  const env = [
    { name: "A", valueFrom: { fileKeyRef: ref } },
    {
      name: "B",
      valueFrom: { fileKeyRef: { ...ref, key: "B", optional: true } },
    },
    {
      name: "C",
      valueFrom: { fileKeyRef: { ...ref, path: "none", optional: true } },
    },
  ];
  deepStrictEqual(environment({ env }, { keyFiles }), { A: "1" });
  const needed = [{
    name: "B",
    valueFrom: { fileKeyRef: { ...ref, key: "B" } },
  }];
  throws(
    () => environment({ env: needed }, { keyFiles }),
    /"B": file "app.env" of volume "v" has no variable "B"/,
  );
});

Deno.test("containerEnvironment() sets no variables of services where there are none, with links or without", () => {
  for (const enableServiceLinks of [true, false]) {
    deepStrictEqual(environment({}, {}, pod({ enableServiceLinks })), {});
  }
});

Deno.test("containerEnvironment() keeps a byte order mark of an object's text", () => {
  const objects = objectGetter([keyed("ConfigMap", "mark", { A: "\uFEFFx" })]);
  deepStrictEqual(
    environment({ envFrom: [{ configMapRef: { name: "mark" } }] }, { objects }),
    { A: "\uFEFFx" },
  );
});

Deno.test("containerEnvironment() counts the names of variables as well", () => {
  const name = "N".repeat(MAX_PROGRAM_LENGTH - 1);
  deepStrictEqual(environment({ env: [{ name, value: "1" }] }), {
    [name]: "1",
  });
  throws(
    () => environment({ env: [{ name, value: "12" }] }),
    /Cannot give the program its variables/,
  );
});

Deno.test("(IN-11) containerEnvironment() waits for what a server refuses to say, were it optional", () => {
  const objects: EnvironmentInput["objects"] = {
    ...OBJECTS,
    withheld: ({ kind, name }) =>
      name === "hidden" ? `of ${kind}: no such right` : undefined,
  };
  const from = { name: "hidden", key: "A", optional: true };
  throws(
    () =>
      environment({ env: [{ name: "A", valueFrom: { secretKeyRef: from } }] }, {
        objects,
      }),
    {
      name: "SpecRefusal",
      message: "failed to sync secret cache: of Secret: no such right",
    },
  );
  const configMapRef = { name: "hidden", optional: true };
  throws(
    () => environment({ envFrom: [{ configMapRef }] }, { objects }),
    /^SpecRefusal: failed to sync configmap cache: of ConfigMap: no such right$/,
  );
});
