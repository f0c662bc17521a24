import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  MAX_OBJECT_DEPTH,
  readWireObject,
} from "../../../../mod/kube/objects/wire_object.ts";

const POD = { apiVersion: "v1", kind: "Pod" };
const METADATA = {
  namespace: "shop",
  name: "web",
  uid: "u1",
  resourceVersion: "7",
};

function pod(metadata: Readonly<Record<string, unknown>> = {}): unknown {
  return { ...POD, metadata: { ...METADATA, ...metadata } };
}

function faultOf(wire: unknown): string | undefined {
  const reading = readWireObject(wire, POD);
  return reading.kind === "garbage" ? reading.fault : undefined;
}

Deno.test("readWireObject() gives an object as it came, but for its managed fields", () => {
  const wire = {
    ...POD,
    metadata: {
      ...METADATA,
      labels: { app: "web" },
      annotations: {},
      creationTimestamp: null,
      deletionTimestamp: "2026-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 30,
      generation: 2,
      finalizers: ["a"],
      ownerReferences: [
        { apiVersion: "v1", kind: "Node", name: "n", uid: "u", extra: 1 },
      ],
      managedFields: [{ manager: "kubectl" }],
    },
    spec: { containers: null },
    status: {},
  };
  const { managedFields: _left, ...metadata } = wire.metadata;
  deepStrictEqual(readWireObject(wire, POD), {
    kind: "read",
    object: { ...wire, metadata },
  });
});

Deno.test("readWireObject() gives an empty namespace where there is none", () => {
  const { namespace: _none, ...metadata } = METADATA;
  for (const none of [undefined, null, ""]) {
    const wire = { ...POD, metadata: { ...metadata, namespace: none } };
    const reading = readWireObject(wire, POD);
    strictEqual(
      reading.kind === "read" && reading.object.metadata.namespace,
      "",
    );
  }
});

Deno.test("readWireObject() says of an item of a list what it is", () => {
  const item = { metadata: METADATA };
  deepStrictEqual(readWireObject(item, POD, { isItem: true }), {
    kind: "read",
    object: { ...POD, metadata: METADATA },
  });
  const other = { ...item, kind: "Node" };
  strictEqual(readWireObject(other, POD, { isItem: true }).kind, "garbage");
  strictEqual(readWireObject(item, POD).kind, "garbage");
});

for (
  const [name, wire, fault] of [
    ["no object", [pod()], "it is no object"],
    ["nothing", null, "it is no object"],
    ["a text", "pod", "it is no object"],
    [
      "no kind",
      { apiVersion: "v1", metadata: METADATA },
      "it has no kind, wanted a v1 Pod",
    ],
    [
      "another kind",
      { ...POD, kind: "Node", metadata: METADATA },
      "it is of another kind, wanted a v1 Pod",
    ],
    [
      "another version",
      { ...POD, apiVersion: "v2", metadata: METADATA },
      "it is of another kind, wanted a v1 Pod",
    ],
    [
      "a kind that is no text",
      { ...POD, kind: {}, metadata: METADATA },
      "it is of another kind, wanted a v1 Pod",
    ],
    ["no metadata", POD, "it has no name"],
    ["metadata that is a list", { ...POD, metadata: [] }, "it has no name"],
    ["no name", pod({ name: undefined }), "it has no name"],
    ["an empty name", pod({ name: "" }), "it has no name"],
    ["a name that is no text", pod({ name: 7 }), "it has no name"],
    ["no uid", pod({ uid: undefined }), "it has no uid"],
    ["an empty uid", pod({ uid: "" }), "it has no uid"],
    [
      "no version",
      pod({ resourceVersion: undefined }),
      "it has no resourceVersion",
    ],
    [
      "a version that is a number",
      pod({ resourceVersion: 7 }),
      "it has no resourceVersion",
    ],
    [
      "a namespace that is no text",
      pod({ namespace: 7 }),
      "its namespace is of the wrong type",
    ],
    [
      "labels that are a list",
      pod({ labels: [] }),
      "its labels is of the wrong type",
    ],
    [
      "a label that is a number",
      pod({ labels: { a: 1 } }),
      "its labels is of the wrong type",
    ],
    [
      "annotations that are a text",
      pod({ annotations: "a" }),
      "its annotations is of the wrong type",
    ],
    [
      "an annotation that is a map",
      pod({ annotations: { a: {} } }),
      "its annotations is of the wrong type",
    ],
    [
      "a creation that is no text",
      pod({ creationTimestamp: 7 }),
      "its creationTimestamp is of the wrong type",
    ],
    [
      "a deletion that is no text",
      pod({ deletionTimestamp: true }),
      "its deletionTimestamp is of the wrong type",
    ],
    [
      "a grace that is no number",
      pod({ deletionGracePeriodSeconds: "30" }),
      "its deletionGracePeriodSeconds is of the wrong type",
    ],
    [
      "a generation that is no number",
      pod({ generation: "1" }),
      "its generation is of the wrong type",
    ],
    [
      "finalizers that are a map",
      pod({ finalizers: {} }),
      "its finalizers is of the wrong type",
    ],
    [
      "a finalizer that is no text",
      pod({ finalizers: [1] }),
      "its finalizers is of the wrong type",
    ],
    [
      "owners that are a map",
      pod({ ownerReferences: {} }),
      "its ownerReferences is of the wrong type",
    ],
    [
      "an owner that is a text",
      pod({ ownerReferences: ["a"] }),
      "its ownerReferences is of the wrong type",
    ],
    [
      "a label that is a number beside others",
      pod({ labels: { a: "b", c: 1 } }),
      "its labels is of the wrong type",
    ],
    [
      "a finalizer that is no text behind one that is",
      pod({ finalizers: ["a", 1] }),
      "its finalizers is of the wrong type",
    ],
    [
      "an owner that is none behind one that is",
      pod({
        ownerReferences: [
          { apiVersion: "v1", kind: "a", name: "b", uid: "c" },
          { apiVersion: "v1", kind: "a", name: "b" },
        ],
      }),
      "its ownerReferences is of the wrong type",
    ],
    [
      "an owner without a uid",
      pod({ ownerReferences: [{ apiVersion: "v1", kind: "a", name: "b" }] }),
      "its ownerReferences is of the wrong type",
    ],
    [
      "an owner without a name",
      pod({ ownerReferences: [{ apiVersion: "v1", kind: "a", uid: "b" }] }),
      "its ownerReferences is of the wrong type",
    ],
    [
      "an owner without a kind",
      pod({ ownerReferences: [{ apiVersion: "v1", name: "a", uid: "b" }] }),
      "its ownerReferences is of the wrong type",
    ],
    [
      "an owner without a version",
      pod({ ownerReferences: [{ kind: "v1", name: "a", uid: "b" }] }),
      "its ownerReferences is of the wrong type",
    ],
  ] as const
) {
  Deno.test(`readWireObject() refuses ${name}`, () => {
    strictEqual(faultOf(wire), fault);
  });
}

Deno.test("readWireObject() says of garbage what can be said, without a uid", () => {
  deepStrictEqual(readWireObject(pod({ resourceVersion: "" }), POD), {
    kind: "garbage",
    fault: "it has no resourceVersion",
    remains: { ...POD, metadata: { namespace: "shop", name: "web", uid: "" } },
  });
  const wire = { ...POD, kind: 7, metadata: { name: {}, namespace: [] } };
  deepStrictEqual(readWireObject(wire, POD), {
    kind: "garbage",
    fault: "it is of another kind, wanted a v1 Pod",
    remains: {
      apiVersion: "v1",
      kind: "",
      metadata: { namespace: "", name: "", uid: "" },
    },
  });
});

function nested(levels: number): unknown {
  let value: unknown = "x";
  for (let level = 0; level < levels; level++) {
    value = level % 2 === 0 ? [value] : { a: value };
  }
  return value;
}

Deno.test("readWireObject() refuses what is nested too deeply, and recurses no deeper", () => {
  const at = (levels: number) => ({
    ...POD,
    metadata: METADATA,
    spec: nested(levels),
  });
  strictEqual(faultOf(at(MAX_OBJECT_DEPTH - 1)), undefined);
  strictEqual(faultOf(at(MAX_OBJECT_DEPTH)), "it is nested too deeply");
  strictEqual(faultOf(at(100_000)), "it is nested too deeply");
});

Deno.test("readWireObject() is not misled by keys with a meaning", () => {
  const wire: unknown = JSON.parse(
    `{"__proto__": {"kind": "Pod", "apiVersion": "v1"}, "metadata": ${
      JSON.stringify(METADATA)
    }}`,
  );
  strictEqual(faultOf(wire), "it has no kind, wanted a v1 Pod");
});
