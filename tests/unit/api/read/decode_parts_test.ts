/**
 * Manifests of which some parts are valid and others are not.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  decodeManifest,
  decodeManifestParts,
  type ManifestParts,
} from "../../../../mod/api/read/decode.ts";
import { podYaml } from "../../../support/api/drafts.ts";

type ReadParts = ManifestParts & { readonly kind: "read" };

function read(text: string): ReadParts {
  const parts = decodeManifestParts(text);
  if (parts.kind === "refused") throw new Error(JSON.stringify(parts.faults));
  return parts;
}

function item(name: string, image: unknown = "i"): object {
  return { metadata: { name }, spec: { containers: [{ name: "c", image }] } };
}

function list(items: unknown, kind: string = "PodList"): string {
  return JSON.stringify({ apiVersion: "v1", kind, items });
}

Deno.test("decodeManifestParts() takes a sound manifest as decodeManifest() does", () => {
  const text =
    `${podYaml()}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n`;
  const whole = decodeManifest(text);
  ok(whole.kind === "ok");
  const { kind: _, faulty, hasEmptyList, ...parts } = read(text);
  deepStrictEqual(parts, {
    pods: whole.pods,
    objects: whole.objects,
    workloads: whole.workloads,
    warnings: whole.warnings,
  });
  deepStrictEqual([faulty, hasEmptyList], [[], false]);
});

Deno.test("decodeManifestParts() parts the good items of a list from the others, with their lines", () => {
  const text = `apiVersion: v1
kind: PodList
items:
- metadata: {name: good}
  spec: {containers: [{name: c, image: i}]}
- metadata: {name: bad, namespace: far}
  spec: {containers: [{name: c, imag: i}]}
- 7
- metadata: {}
  spec: {containers: [{name: c, image: i}]}
- kind: ConfigMap
  metadata: {name: map}
`;
  const { pods, faulty } = read(text);
  deepStrictEqual(pods.map(({ metadata }) => metadata.name), ["good"]);
  deepStrictEqual(
    faulty.map(({ isPod, named, faults: [fault] }) => [
      isPod,
      named,
      fault?.field,
      fault?.line,
    ]),
    [
      [
        true,
        { name: "bad", namespace: "far" },
        "items[1].spec.containers[0].imag",
        7,
      ],
      [false, undefined, "items[2]", 8],
      [false, undefined, "items[3].metadata.name", 9],
      [false, { name: "map" }, "items[4].kind", 11],
    ],
  );
});

for (
  const [kind, wanted] of [["PodList", "a Pod"], ["List", "an object"]] as const
) {
  Deno.test(`decodeManifestParts() wants ${wanted} in a ${kind}`, () => {
    const { faulty: [part] } = read(list([7], kind));
    ok(part?.faults[0]?.message.includes(`wanted ${wanted}`));
  });
}

Deno.test("decodeManifestParts() parts a good document from the others", () => {
  const text =
    `kind: Pood\napiVersion: v1\nmetadata: {name: x}\n---\n${podYaml()}`;
  const { pods, faulty } = read(text);
  strictEqual(pods.length, 1);
  deepStrictEqual(
    faulty.map(({ isPod, named, faults }) => [
      isPod,
      named,
      faults[0]?.document,
    ]),
    [[false, { name: "x" }, 1]],
  );
});

for (
  const [text, expected] of [
    [list([]), true],
    [list([], "List"), true],
    [list(null), false],
    [list([]).replace(',"items":[]', ""), false],
    [list([]).replace('"v1"', '"v2"'), false],
    [list([item("a")]), false],
    [`${podYaml()}---\n${list([])}`, true],
  ] as const
) {
  Deno.test(`decodeManifestParts() ${expected ? "sees" : "does not see"} an empty list in ${text.slice(0, 60).replaceAll("\n", " ")}`, () => {
    strictEqual(read(text).hasEmptyList, expected);
  });
}

Deno.test("decodeManifestParts() refuses a text that cannot be read, without a value of a Secret", () => {
  const parts = decodeManifestParts("kind: Secret\nstringData: {a: 'hunter2\n");
  ok(parts.kind === "refused");
  ok(!JSON.stringify(parts).includes("hunter2"));
  strictEqual(decodeManifestParts("# nothing\n").kind, "refused");
});

Deno.test("decodeManifestParts() tells of ten thousand bad items in few words", () => {
  const items = Array.from({ length: 10_000 }, () => ({ spec: { x: 1 } }));
  const { faulty } = read(list(items));
  strictEqual(faulty.length, 10_000);
  const told = faulty.flatMap(({ faults }) => faults);
  ok(told.length < 10_300, String(told.length));
});

Deno.test("decodeManifestParts() gives every good item, wherever bad ones stand between them", () => {
  fc.assert(fc.property(
    fc.array(fc.oneof(
      fc.constant("good"),
      fc.constantFrom<unknown>(1, null, "x", [], {}, { spec: 3 }),
    )),
    (kinds) => {
      const items = kinds.map((kind, at) =>
        kind === "good" ? item(`p${at}`) : kind
      );
      const { pods, faulty } = read(list(items));
      const good = kinds.flatMap((kind, at) => kind === "good" ? `p${at}` : []);
      deepStrictEqual(pods.map(({ metadata }) => metadata.name), good);
      strictEqual(faulty.length, kinds.length - good.length);
    },
  ));
});
