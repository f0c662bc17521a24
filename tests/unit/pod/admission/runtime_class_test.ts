/**
 * Tests of what a RuntimeClass adds to a pod, and of what a runtime lacks for one.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import {
  parseQuantity,
  type RuntimeClassObject,
} from "../../../../mod/api/objects/mod.ts";
import type { PodSpec } from "../../../../mod/api/types/mod.ts";
import {
  runtimeClassConflict,
  runtimeLack,
  type RuntimeSupport,
  withRuntimeClass,
} from "../../../../mod/pod/admission/runtime_class.ts";
import { pod } from "../../../support/pods.ts";

const KATA: RuntimeClassObject = {
  kind: "RuntimeClass",
  name: "kata",
  handler: "kata-qemu",
  overhead: new Map([
    ["cpu", parseQuantity("250m")],
    ["memory", parseQuantity("120Mi")],
  ]),
  nodeSelector: { "kata": "yes", "zone": "a" },
};
const PLAIN: RuntimeClassObject = {
  ...KATA,
  overhead: new Map(),
  nodeSelector: {},
};

Deno.test("withRuntimeClass() gives the pod the class's overhead and labels", () => {
  const { spec } = withRuntimeClass(
    pod({ nodeSelector: { disk: "ssd" } }),
    KATA,
  );
  deepStrictEqual(spec.overhead, { cpu: "250m", memory: "120Mi" });
  deepStrictEqual(spec.nodeSelector, { kata: "yes", zone: "a", disk: "ssd" });
});

Deno.test("withRuntimeClass() keeps what the pod says itself", () => {
  const own = pod({ overhead: { cpu: "1" }, nodeSelector: { zone: "b" } });
  const { spec } = withRuntimeClass(own, KATA);
  deepStrictEqual(spec.overhead, { cpu: "1" });
  deepStrictEqual(spec.nodeSelector, { kata: "yes", zone: "b" });
});

Deno.test("withRuntimeClass() leaves the pod alone when the class adds nothing", () => {
  const own = pod();
  strictEqual(withRuntimeClass(own, PLAIN), own);
});

Deno.test("runtimeClassConflict() names a label that must have two values", () => {
  match(
    runtimeClassConflict(pod({ nodeSelector: { zone: "b" } }), KATA) ?? "",
    /"a" for node label "zone", the pod "b"$/,
  );
  const agreeing = pod({ nodeSelector: { zone: "a", disk: "ssd" } });
  strictEqual(runtimeClassConflict(agreeing, KATA), undefined);
  strictEqual(runtimeClassConflict(pod(), KATA), undefined);
});

const OLD: RuntimeSupport = { handlers: [], supplementalGroupsPolicy: false };
const NEW: RuntimeSupport = {
  handlers: [
    { name: "", userNamespaces: true },
    { name: "runc", userNamespaces: true },
    { name: "kata", userNamespaces: false },
  ],
  supplementalGroupsPolicy: true,
};
const STRICT = { securityContext: { supplementalGroupsPolicy: "Strict" } };

const LACKS: readonly {
  readonly title: string;
  readonly spec: Partial<PodSpec>;
  readonly runtime: RuntimeSupport | undefined;
  readonly handler?: string;
  readonly expected: string | undefined;
}[] = [
  { title: "a plain pod", spec: {}, runtime: OLD, expected: undefined },
  {
    title: "groups merged",
    spec: { securityContext: { supplementalGroupsPolicy: "Merge" } },
    runtime: OLD,
    expected: undefined,
  },
  {
    title: "strict groups on an old runtime",
    spec: STRICT,
    runtime: OLD,
    expected: "SupplementalGroupsPolicyNotSupported",
  },
  {
    title: "strict groups on a runtime that has not answered",
    spec: STRICT,
    runtime: undefined,
    expected: "SupplementalGroupsPolicyNotSupported",
  },
  { title: "strict groups", spec: STRICT, runtime: NEW, expected: undefined },
  {
    title: "a user namespace of a runtime that lists no handlers",
    spec: { hostUsers: false },
    runtime: OLD,
    expected: "PodFeatureUnsupported",
  },
  {
    title: "a user namespace of the default handler",
    spec: { hostUsers: false },
    runtime: NEW,
    expected: undefined,
  },
  {
    title: "a user namespace of a handler that has none",
    spec: { hostUsers: false },
    runtime: NEW,
    handler: "kata",
    expected: "PodFeatureUnsupported",
  },
  {
    title: "the node's users",
    spec: { hostUsers: true },
    runtime: OLD,
    expected: undefined,
  },
];

for (const { title, spec, runtime, handler = "", expected } of LACKS) {
  Deno.test(`runtimeLack() is ${expected ?? "nothing"} for ${title}`, () => {
    strictEqual(runtimeLack(pod(spec), runtime, handler)?.reason, expected);
  });
}
