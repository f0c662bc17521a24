/**
 * Bytes that are no manifest, whatever they say.
 *
 * @module
 */

import {
  HEAD,
  hopeless,
  type HostileManifest,
  hostilePod,
  RUNS,
  wrong,
} from "./row.ts";
import { utf16 } from "../utf16.ts";

/** What cannot be read as YAML or JSON, or only at a price. */
export function hostileTexts(): HostileManifest[] {
  return [
    ...bytes(),
    ...bombs(),
    ...syntax(),
    ...traps(),
    ...shapes(),
    ...lists(),
  ];
}

function bytes(): HostileManifest[] {
  const binary = (title: string, start: readonly number[]) =>
    hopeless(title, new Uint8Array([...start, 0, 0, 0, 1]), /binary|utf-8/);
  return [
    hopeless("empty", "", /no document/),
    hopeless("space", " \n\t\n  \n", /no document|tab/i),
    hopeless("comments", "# nothing\n# at all\n", /no document/),
    hopeless("separators", "---\n---\n", /no document/),
    hopeless("document-end", "...\n", /no document/),
    hopeless("null", "null\n", /no document/),
    hopeless("tilde", "~\n", /no document/),
    hopeless("mark-only", new Uint8Array([0xef, 0xbb, 0xbf]), /no document/),
    binary("elf", [0x7f, 0x45, 0x4c, 0x46, 2]),
    binary("gzip", [0x1f, 0x8b, 8]),
    binary("png", [0x89, 0x50, 0x4e, 0x47]),
    binary("zip", [0x50, 0x4b, 3, 4]),
    binary("sqlite", [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65]),
    hopeless("nul", new Uint8Array(1 << 20), /binary/),
    hopeless("nul-in-text", `${RUNS}  hostname: "a\0b"\n`, /binary/),
    hopeless("random", randomBytes(65_536), /binary|utf-8/),
    wrong(
      "truncated-utf8",
      new Uint8Array([0x61, 0x3a, 0x20, 0xe2, 0x82]),
      /utf-8/,
    ),
    wrong("latin1", encoded(`${RUNS}  hostname: x\n#`, 0xe9, 0x0a), /utf-8/),
    wrong("surrogate-utf8", encoded(RUNS, 0x23, 0xed, 0xa0, 0x80), /utf-8/),
    wrong("overlong-utf8", encoded(RUNS, 0x23, 0xc0, 0xaf), /utf-8/),
    hopeless("half-utf16", new Uint8Array([0xff, 0xfe, 0x61]), /utf-16/),
    hopeless("lone-utf16", new Uint8Array([0xff, 0xfe, 0, 0xd8]), /utf-16/),
    wrong("utf16", utf16(`${HEAD}  containers: []\n`), /spec\.containers/),
    wrong(
      "crlf",
      `${HEAD}  containers: []\n`.replaceAll("\n", "\r\n"),
      /line 6/,
    ),
    wrong("cr", `${HEAD}  containers: []\n`.replaceAll("\n", "\r"), /line 6/),
    wrong("mark", `\ufeff${HEAD}  containers: []\n`, /line 6/),
  ];
}

function bombs(): HostileManifest[] {
  const laughs = Array.from(
    { length: 12 },
    (_, at) =>
      `x${at}: &x${at} [${
        Array(10).fill(at === 0 ? "lol" : `*x${at - 1}`).join(", ")
      }]`,
  ).join("\n");
  const merges = Array.from(
    { length: 24 },
    (_, at) =>
      at === 0
        ? "m0: &m0 {a: 1, b: 2}"
        : `m${at}: &m${at} {<<: [*m${at - 1}, *m${at - 1}], k${at}: *m${
          at - 1
        }}`,
  ).join("\n");
  return [
    wrong("deep-lists", "[".repeat(10_000), /200 levels|line/),
    wrong("deep-maps", '{"a":'.repeat(10_000), /200 levels|line/),
    wrong(
      "deep-flow",
      `${HEAD}  x: ${"{a: ".repeat(5_000)}`,
      /200 levels|line/,
    ),
    wrong("deep-dashes", "- ".repeat(1 << 19), /200 levels|line/),
    wrong("deep-block", steps(400), /200 levels|line/),
    wrong("deep-tags", "!!seq [".repeat(4_000), /200 levels|line/),
    wrong("laughs", `${laughs}\n`, /values|aliases/),
    wrong("merges", `${merges}\n`, /values|aliases|line/),
    wrong("cycle", "a: &a [*a]\n", /line 1/),
    wrong("cycle-map", "a: &a {b: *a}\n", /line 1/),
    hopeless("many-values", "- a\n".repeat(200_000), /values/),
    wrong("many-json", `[${"1,".repeat(99_999)}1]`, /values/),
    hopeless("many-lines", "\n".repeat(300_000), /lines/),
    hopeless(
      "many-documents",
      "---\na: 1\n".repeat(60_000),
      /values|lines|docum/,
    ),
    hopeless("too-large", "#".repeat((10 << 20) + 1), /at most 10485760/),
    wrong(
      "long-scalar",
      `a: ${"x".repeat(2 << 20)}\n`,
      /more than \d+ characters/,
    ),
    wrong(
      "long-quoted",
      `{"a": "${"\\u0041".repeat(1 << 19)}"}`,
      /characters|line/,
    ),
    wrong("long-key", `? ${"x".repeat(2 << 20)}\n: 1\n`, /characters|line/),
    wrong("long-number", `{"a": ${"9".repeat(100_000)}}`, /line 1/),
  ];
}

function syntax(): HostileManifest[] {
  return [
    wrong("truncated", '{"apiVersion": "v1", "kind": "Po', /line 1/),
    wrong(
      "truncated-yaml",
      `${HEAD}  containers:\n  - name: "ma`,
      /line 7|line 8/,
    ),
    wrong("braces", "{{{{", /line 1/),
    wrong("tabs", "apiVersion: v1\nkind:\tPod\n\tmetadata: {}\n", /line/),
    wrong("tab-indent", `${HEAD}\tcontainers: []\n`, /line 6/),
    wrong("bad-indent", `${HEAD}   a: 1\n  b: 2\n`, /line 7/),
    wrong("colon", "kind: Pod: x\n", /line 1/),
    wrong("at-sign", `${HEAD}  x: @y\n`, /line 6/),
    wrong("backtick", `${HEAD}  x: \`y\`\n`, /line 6/),
    wrong("escape", `${HEAD}  x: "\\q"\n`, /line 6/),
    wrong("alias-unknown", `${HEAD}  x: *nobody\n`, /line 6/),
    wrong("directive", `%YAML 9.9\n---\n${RUNS}`, /line 2/),
    wrong("template", `${HEAD}  hostname: {{ .Values.name }}\n`, /line 6/),
    wrong("diff", `<<<<<<< HEAD\n${RUNS}=======\n>>>>>>> x\n`, /line 1|line 2/),
    wrong("html", "<!DOCTYPE html>\n<html><body>x</body></html>\n", /line 1/),
    wrong("shell", "#!/bin/sh\necho hello\n", /line 2/),
    wrong("ini", "[pod]\nname = web\n", /line/),
    wrong(
      "two-json",
      `${JSON.stringify(hostilePod())}${JSON.stringify(hostilePod())}`,
      /line/,
    ),
    wrong("json-comma", '{"kind": "Pod",}\n', /line 1/),
    wrong("json-comment", '{"kind": "Pod", // x\n}\n', /line/),
    wrong("json-tail", `${JSON.stringify(hostilePod())} x\n`, /line/),
    wrong(
      "one-bad-document",
      `${RUNS}---\n${HEAD}  containers: []\n`,
      /document 2.*spec\.containers/,
    ),
    wrong("bad-last-document", `${RUNS}---\n{{{\n`, /document 2, line 11/),
  ];
}

function traps(): HostileManifest[] {
  const yaml = (title: string, line: string, names: RegExp) =>
    wrong(title, `${RUNS}  ${line}\n`, names);
  const meta = (title: string, line: string) =>
    wrong(title, RUNS.replace("spec:", `  ${line}\nspec:`), /metadata\./);
  return [
    wrong(
      "duplicate-key",
      `${HEAD}  containers:\n  - name: a\n    image: x\n    image: y\n`,
      /line 9|image/,
    ),
    wrong("duplicate-spec", `${RUNS}spec:\n  containers: []\n`, /line 9/),
    wrong("duplicate-json", '{"kind":"Pod","kind":"Pod"}', /line 1.*kind|kind/),
    yaml("merge-duplicate", "hostname: a\n  hostname: b", /line 10/),
    yaml("tag-js", 'x: !!js/function "f(){}"', /line 9|tag/),
    yaml("tag-python", "x: !!python/object:os.system [ls]", /line 9|tag/),
    yaml("tag-own", "x: !secret y", /line 9|tag/),
    yaml("tag-binary", "activeDeadlineSeconds: !!binary aGk=", /line 9/),
    yaml("proto", "__proto__:\n    a: 1", /__proto__/),
    yaml("constructor", "constructor: {prototype: {x: 1}}", /constructor/),
    yaml("to-string", "toString: x", /toString/),
    yaml("bool-name", "hostname: yes", /hostname/),
    yaml("number-name", "hostname: 012", /hostname/),
    yaml("float-int", "activeDeadlineSeconds: 1.5", /activeDeadlineSeconds/),
    yaml("inf", "activeDeadlineSeconds: .inf", /activeDeadlineSeconds/),
    yaml("nan", "priority: .nan", /priority/),
    yaml("text-int", 'activeDeadlineSeconds: "5"', /activeDeadlineSeconds/),
    yaml("text-bool", 'hostNetwork: "true"', /hostNetwork/),
    yaml("int-bool", "hostPID: 1", /hostPID/),
    yaml("int64", "activeDeadlineSeconds: 9223372036854775808", /Deadline/),
    yaml("int32", "priority: 2147483648", /priority/),
    meta("label-bool", "labels: {a: yes}"),
    meta("label-number", "labels: {a: 1}"),
    meta("labels-list", "labels: [a]"),
    meta("annotations-text", "annotations: a=b"),
  ];
}

function shapes(): HostileManifest[] {
  return [
    wrong("scalar", "just a text\n", /mapping|Invalid/),
    wrong("number", "42\n", /mapping|Invalid/),
    wrong("list", "- 1\n- 2\n", /mapping|Invalid/),
    wrong("kind-missing", "apiVersion: v1\n", /kind/),
    wrong("kind-null", "apiVersion: v1\nkind: null\n", /kind/),
    wrong("kind-list", "apiVersion: v1\nkind: [Pod]\n", /kind/),
    wrong("kind-lower", RUNS.replace("Pod", "pod"), /kind/),
    wrong(
      "version-missing",
      RUNS.replace("apiVersion: v1\n", ""),
      /apiVersion/,
    ),
    wrong("version-number", RUNS.replace("v1", "1"), /apiVersion/),
    wrong("v1beta3", { ...hostilePod(), apiVersion: "v1beta3" }, /apiVersion/),
    wrong("ingress", {
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
    }, /kind/),
    wrong("endpoints", { apiVersion: "v1", kind: "Endpoints" }, /kind/),
    wrong(
      "kubelet-config",
      "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n",
      /kind/,
    ),
    wrong("compose", "services:\n  web:\n    image: x\n", /kind|services/),
    wrong(
      "spec-missing",
      "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n",
      /spec/,
    ),
    wrong(
      "spec-list",
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: []\n",
      /spec/,
    ),
    wrong(
      "metadata-text",
      "apiVersion: v1\nkind: Pod\nmetadata: a\nspec: {}\n",
      /metadata/,
    ),
    wrong("metadata-missing", {
      apiVersion: "v1",
      kind: "Pod",
      spec: hostilePod()["spec"],
    }, /metadata/),
  ];
}

function lists(): HostileManifest[] {
  return [
    wrong(
      "list-no-items",
      "apiVersion: v1\nkind: PodList\nitems: {}\n",
      /items/,
    ),
    wrong(
      "list-scalar",
      "apiVersion: v1\nkind: List\nitems: [1]\n",
      /items\[0\]/,
    ),
    wrong(
      "list-in-list",
      "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: List, items: []}\n",
      /items\[0\]/,
    ),
    wrong(
      "list-one-bad",
      {
        apiVersion: "v1",
        kind: "PodList",
        items: [hostilePod(), hostilePod({ containers: [] })],
      },
      /items\[1\]\.spec\.containers/,
    ),
    wrong(
      "podlist-configmap",
      {
        apiVersion: "v1",
        kind: "PodList",
        items: [{ apiVersion: "v1", kind: "ConfigMap" }],
      },
      /items\[0\]/,
    ),
  ];
}

function steps(depth: number): string {
  return Array.from({ length: depth }, (_, at) => `${" ".repeat(at)}a:`)
    .join("\n");
}

function encoded(text: string, ...more: readonly number[]): Uint8Array {
  return new Uint8Array([...new TextEncoder().encode(text), ...more]);
}

function randomBytes(length: number): Uint8Array {
  // Reproducible, with a NUL for certain.
  const bytes = new Uint8Array(length);
  let state = 1;
  for (let at = 0; at < length; at++) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    bytes[at] = state >> 16;
  }
  bytes[7] = 0;
  return bytes;
}
