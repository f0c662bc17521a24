/**
 * Tests of the choice of the runtime's handler.
 *
 * @module
 */

import { match, strictEqual, throws } from "node:assert/strict";
import type { RuntimeClassObject } from "../../../../mod/api/objects/mod.ts";
import type { RuntimeSupport } from "../../../../mod/pod/admission/mod.ts";
import { podRuntimeHandler } from "../../../../mod/runtime/spec/runtime_handler.ts";
import { SpecRefusal } from "../../../../mod/runtime/spec/spec_refusal.ts";
import { bareNode } from "../../../../scripts/lib/bare_node.ts";
import { pod } from "../../../support/pods.ts";

const GVISOR: RuntimeClassObject = {
  kind: "RuntimeClass",
  name: "gvisor",
  handler: "runsc",
  overhead: new Map(),
  nodeSelector: {},
};

function runtimeWith(...names: string[]): () => RuntimeSupport {
  return () => ({
    handlers: names.map((name) => ({ name, userNamespaces: name === "new" })),
    supplementalGroupsPolicy: true,
  });
}

const runtimeClass = (name: string): RuntimeClassObject | undefined =>
  name === GVISOR.name ? GVISOR : undefined;

const HANDLERS: readonly {
  readonly title: string;
  readonly name?: string;
  readonly runtime?: () => RuntimeSupport | undefined;
  readonly expected: string | RegExp;
}[] = [
  { title: "a pod without a class", expected: "" },
  { title: "an empty class name", name: "", expected: "" },
  { title: "a class", name: "gvisor", expected: "runsc" },
  {
    title: "a class whose handler the runtime does not list",
    name: "gvisor",
    runtime: runtimeWith("", "runc"),
    expected: "runsc",
  },
  {
    title: "a handler's own name",
    name: "runc",
    runtime: runtimeWith("", "runc"),
    expected: "runc",
  },
  {
    title: "any name where the runtime lists no handlers",
    name: "kata",
    runtime: runtimeWith(),
    expected: "kata",
  },
  {
    title: "any name before the runtime has answered",
    name: "kata",
    expected: "kata",
  },
  {
    title: "a name that nobody knows",
    name: "kata",
    runtime: runtimeWith("", "runc"),
    expected: /^RuntimeHandler "kata" is unknown: .*\("runc"\)$/,
  },
];

for (const { title, name, runtime, expected } of HANDLERS) {
  Deno.test(`podRuntimeHandler() for ${title}`, () => {
    const of = pod(name === undefined ? {} : { runtimeClassName: name });
    const node = bareNode({
      runtimeClass: (_pod, name) => runtimeClass(name),
      ...runtime && { runtime },
    });
    if (typeof expected === "string") {
      strictEqual(podRuntimeHandler(of, node), expected);
      return;
    }
    throws(() => podRuntimeHandler(of, node), (error) => {
      match(String((error as Error).message), expected);
      return error instanceof SpecRefusal;
    });
  });
}

Deno.test("podRuntimeHandler() refuses what the handler cannot do", () => {
  const of = pod({ hostUsers: false, runtimeClassName: "runc" });
  const node = bareNode({ runtime: runtimeWith("", "runc", "new") });
  throws(() => podRuntimeHandler(of, node), {
    name: "SpecRefusal",
    reason: "PodFeatureUnsupported",
  });
});
