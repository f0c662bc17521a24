/**
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { decodeManifest } from "../../../../mod/api/read/decode.ts";
import { MAX_MANIFEST_BYTES } from "../../../../mod/api/text/source_text.ts";
import { GOLDEN } from "../../../support/pod/golden.ts";
import {
  faultsOf,
  linesOf,
  podJson,
  podYaml,
} from "../../../support/api/drafts.ts";
import { TYPICAL_POD } from "../../../support/api/typical_pod.ts";

const POD = podYaml();
const encoder = new TextEncoder();

function namesOf(source: string | Uint8Array): readonly string[] | undefined {
  const result = decodeManifest(source);
  return result.kind === "ok"
    ? result.pods.map((pod) => pod.metadata.name)
    : undefined;
}

Deno.test("decodeManifest() reads a pod of the usual kind", () => {
  const result = decodeManifest(TYPICAL_POD);
  if (result.kind === "refused") throw new Error(JSON.stringify(result.faults));
  const [pod] = result.pods;
  strictEqual(pod?.metadata.namespace, "shop");
  strictEqual(pod?.spec.containers[1]?.resources?.limits?.["cpu"], "500m");
  strictEqual(pod?.spec.containers[0]?.env?.[0]?.value, "production");
});

for (const [name, { manifest }] of GOLDEN) {
  Deno.test(`decodeManifest() takes the recorded manifest ${name}`, () => {
    deepStrictEqual(faultsOf(JSON.stringify(manifest, null, 1)), []);
  });
}

const utf16 = (text: string, bigEndian: boolean): Uint8Array => {
  const view = new DataView(new ArrayBuffer(text.length * 2 + 2));
  for (const [i, char] of [..."\uFEFF", ...text].entries()) {
    view.setUint16(i * 2, char.charCodeAt(0), !bigEndian);
  }
  return new Uint8Array(view.buffer);
};

const READ: readonly [string, string | Uint8Array, readonly string[]][] = [
  ["YAML", POD, ["web"]],
  ["JSON", podJson(), ["web"]],
  ["JSON behind blank lines", `\n \t${podJson()}\n`, ["web"]],
  ["bytes", encoder.encode(POD), ["web"]],
  ["a byte order mark", encoder.encode(`\uFEFF${POD}`), ["web"]],
  ["a byte order mark in a string", `\uFEFF${POD}`, ["web"]],
  ["UTF-16 LE", utf16(POD, false), ["web"]],
  ["UTF-16 BE", utf16(POD, true), ["web"]],
  ["CRLF", POD.replaceAll("\n", "\r\n"), ["web"]],
  ["a leading separator", `---\n${POD}`, ["web"]],
  ["two documents", `${POD}---\n${POD.replace("web", "db")}`, ["web", "db"]],
  ["empty documents between", `---\n---\n${POD}---\n# x\n---\n`, ["web"]],
  ["JSON documents parted by lines", `${podJson()}\n---\n${podJson()}`, [
    "web",
    "web",
  ]],
  ["a List", `{"apiVersion":"v1","kind":"List","items":[${podJson()}]}`, [
    "web",
  ]],
  [
    "a PodList whose items do not say what they are",
    `{"apiVersion":"v1","kind":"PodList","metadata":{"resourceVersion":"1"},` +
    `"items":[{"metadata":{"name":"a"},"spec":{"containers":[{"name":"a","image":"b"}]}}]}`,
    ["a"],
  ],
  ["an empty PodList", '{"apiVersion":"v1","kind":"PodList","items":[]}', []],
  ["an empty List of null", "apiVersion: v1\nkind: List\nitems:\n", []],
];

for (const [what, source, names] of READ) {
  Deno.test(`decodeManifest() reads ${what}`, () => {
    deepStrictEqual(namesOf(source), names);
  });
}

Deno.test("decodeManifest() drops what an API server adds", () => {
  const result = decodeManifest(
    podYaml().replace(
      "  name: web\n",
      [
        "  name: web",
        "  creationTimestamp: null",
        '  resourceVersion: "12"',
        "  generation: 3",
        "  selfLink: /x",
        "  managedFields: [{manager: kubectl, unknownField: 1}]",
        "",
      ].join("\n"),
    ) + "status:\n  phase: Running\n  anything: {goes: here}\n",
  );
  if (result.kind === "refused") throw new Error(JSON.stringify(result.faults));
  deepStrictEqual(result.pods[0]?.metadata, { name: "web" });
  strictEqual(Object.hasOwn(result.pods[0] ?? {}, "status"), false);
});

const REFUSED: readonly [string, string | Uint8Array, string, RegExp][] = [
  ["nothing", "", "", /holds no document/],
  ["only comments", "# a\n# b\n", "", /holds no document/],
  ["only a separator", "---\n", "", /holds no document/],
  ["NUL bytes", new Uint8Array(1 << 20), "", /binary/],
  [
    "an ELF",
    new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]),
    "",
    /binary/,
  ],
  ["a gzip", new Uint8Array([0x1f, 0x8b, 8, 8, 0xff]), "", /not valid utf-8/],
  ["half of UTF-16", new Uint8Array([0xff, 0xfe, 0x61]), "", /utf-16le/],
  ["a scalar", "hello\n", "", /wanted a mapping/],
  ["a list", "- a\n", "", /wanted a mapping/],
  [
    "kind Ingress",
    POD.replace("Pod", "Ingress"),
    "kind",
    /"Ingress".*"Pod", "ConfigMap",.* "List", "PodList"/,
  ],
  ["kind pod", POD.replace("Pod", "pod"), "kind", /Unsupported value: "pod"/],
  ["no kind", POD.replace("kind: Pod\n", ""), "kind", /Required value/],
  [
    "v1beta3",
    POD.replace("v1", "v1beta3"),
    "apiVersion",
    /Unsupported value: "v1beta3"/,
  ],
  [
    "no apiVersion",
    POD.replace("apiVersion: v1\n", ""),
    "apiVersion",
    /Required value/,
  ],
  [
    "kind constructor",
    POD.replace("Pod", "constructor"),
    "kind",
    /Unsupported/,
  ],
  [
    "a List in a List",
    '{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"List"}]}',
    "items[0].kind",
    /Unsupported value: "List"/,
  ],
  [
    "a List whose items are no list",
    '{"apiVersion":"v1","kind":"List","items":{}}',
    "items",
    /wanted a list/,
  ],
];

for (const [what, source, field, message] of REFUSED) {
  Deno.test(`decodeManifest() refuses ${what}`, () => {
    const fault = faultsOf(source).find((fault) => message.test(fault.message));
    ok(fault !== undefined, JSON.stringify(faultsOf(source)));
    strictEqual(fault.field, field);
  });
}

Deno.test("decodeManifest() names the line of bytes that are no UTF-8", () => {
  const bytes = encoder.encode("a: 1\nb: 2\nc: x\n");
  bytes[13] = 0xff;
  strictEqual(faultsOf(bytes)[0]?.line, 3);
});

Deno.test("decodeManifest() refuses what is cut off inside of a letter", () => {
  const bytes = encoder.encode(`${POD}# é`);
  match(faultsOf(bytes.subarray(0, -1))[0]?.message ?? "", /not valid utf-8/);
});

Deno.test("decodeManifest() refuses the whole file for one bad document, and names all pods", () => {
  const bad = POD.replace("web", "db").replace("app:1", "'app:1 '");
  const result = decodeManifest(
    `${POD}---\n${bad}---\n${
      POD.replace("name: web", "name: x\n  namespace: shop")
    }`,
  );
  if (result.kind === "ok") throw new Error("it was taken");
  deepStrictEqual(result.named, [
    { name: "web" },
    { name: "db" },
    { name: "x", namespace: "shop" },
  ]);
  deepStrictEqual(
    result.faults.map(({ document, line, field }) => ({
      document,
      line,
      field,
    })),
    [{ document: 2, line: 17, field: "spec.containers[0].image" }],
  );
});

Deno.test("decodeManifest() gives every fault of a file, with its line", () => {
  const faults = faultsOf([
    "apiVersion: v1", // 1
    "kind: Pod", // 2
    "metadata:", // 3
    "  name: Web", // 4
    "spec:", // 5
    "  restatPolicy: Never", // 6
    "  containers:", // 7
    "  - name: app", // 8
    "    ports:", // 9
    "    - containerPort: 80.5", // 10
    "    - {containerPort: 70000}", // 11
    "",
  ].join("\n"));
  deepStrictEqual(faults.map(({ field, line }) => [field, line]), [
    ["spec.restatPolicy", 6],
    ["spec.containers[0].ports[0].containerPort", 10],
    ["metadata.name", 4],
    ["spec.containers[0].image", 8],
    ["spec.containers[0].ports[1].containerPort", 11],
  ]);
});

Deno.test("decodeManifest() takes a comment of 9.9 MiB and refuses more than 10 MiB", () => {
  const padding = MAX_MANIFEST_BYTES - POD.length - 3;
  const full = `${POD}# ${"x".repeat(padding)}\n`;
  deepStrictEqual(linesOf(full), []);
  match(linesOf(`${full}#`)[0] ?? "", /Too long/);
});

Deno.test("decodeManifest() stops listing faults before they become a flood", () => {
  const spec = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, i) => [`restartPolic${i}`, 1]),
  );
  const faults = faultsOf(podJson({ spec }));
  strictEqual(faults.length, 201);
  match(faults.at(-1)?.message ?? "", /19800 more faults/);
});

Deno.test("decodeManifest() leaves prototypes alone whatever the keys", () => {
  const result = decodeManifest(
    podYaml().replace(
      "  name: web\n",
      "  name: web\n  labels:\n    __proto__: x\n    constructor: y\n",
    ),
  );
  // As a key of a label `__proto__` begins with what no key begins with.
  strictEqual(result.kind, "refused");
  strictEqual(Reflect.get({}, "x"), undefined);
  const nodeSelector = '{"constructor":"y","toString":"z"}';
  const good = decodeManifest(
    podJson({ spec: { nodeSelector: JSON.parse(nodeSelector) } }),
  );
  const [pod] = good.kind === "ok" ? good.pods : [];
  deepStrictEqual({ ...pod?.spec.nodeSelector }, JSON.parse(nodeSelector));
});
