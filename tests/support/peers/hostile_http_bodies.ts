/**
 * Bodies that are served in good order and say nothing that is to be done.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Misbehaviour } from "./manifest_server.ts";

/** One way to serve manifests badly. */
export interface HostileHttp {
  readonly name: string;
  readonly act: Misbehaviour;
  /** What the error has to say. */
  readonly reason: RegExp;
  /** Whether only the time limit ends it. */
  readonly stalls?: boolean;
}

/** A pod that nobody is to run. */
export const EVIL: string =
  "apiVersion: v1\nkind: Pod\nmetadata: {name: evil}\nspec: {containers: [{name: c, image: evil}]}\n";

/** Answers 200 with all of a body. */
export function ok(
  body: string | Uint8Array,
  ...headers: readonly string[]
): Uint8Array {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const head = [
    "HTTP/1.1 200 OK",
    `Content-Length: ${bytes.length}`,
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), bytes]);
}

/** Bytes. */
export const MEBIBYTE: number = 1024 * 1024;

const ALIASES = `a: &a [${"x,".repeat(9)}x]\n${
  [..."bcdefghij"].map((name, at) =>
    `${name}: &${name} [${`*${"abcdefghi"[at]},`.repeat(9)}*${"abcdefghi"[at]}]`
  ).join("\n")
}\n`;

/** An answer in good order, of something that is no wish. */
export const HOSTILE_BODIES: readonly HostileHttp[] = [
  ...([
    ["nothing", "", /nothing in it, wanted manifests/],
    ["white space", " \n\n", /holds no document/],
    ["a comment", "# soon\n", /holds no document/],
    ["empty documents", "---\n---\n", /holds no document/],
    [
      "a page of HTML",
      "<!DOCTYPE html>\n<html><head><title>Login</title></head></html>\n",
      /Invalid value/,
    ],
    ["null", "null", /holds no document|Invalid value/],
    ["an empty list", "[]", /Invalid value: a list/],
    ["a number", "42", /Invalid value: 42/],
    ["a text", '"kind: Pod"', /Invalid value/],
    ["an empty object", "{}", /kind: Required value/],
    [
      "a Secret and no pod",
      "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: hunter2}\n",
      /it has no pod/,
    ],
    [
      "an Ingress",
      "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: d}\n",
      /kind: Unsupported value: "Ingress"/,
    ],
    [
      "a Status of an API server",
      '{"apiVersion":"v1","kind":"Status","status":"Failure"}',
      /kind: Unsupported value: "Status"/,
    ],
    [
      "a PodList without items",
      "apiVersion: v1\nkind: PodList\n",
      /it has no pod/,
    ],
    [
      "a PodList with null for items",
      "apiVersion: v1\nkind: PodList\nitems:\n",
      /it has no pod/,
    ],
    [
      "a PodList of another version",
      "apiVersion: v2\nkind: PodList\nitems: []\n",
      /apiVersion: Unsupported value: "v2"/,
    ],
    [
      "a PodList of nothing that is a pod",
      '{"apiVersion":"v1","kind":"PodList","items":[1,null,[]]}',
      /items\[0\]: Invalid value: 1/,
    ],
    [
      "garbage behind JSON",
      `${
        JSON.stringify({ apiVersion: "v1", kind: "PodList", items: [] })
      } trailing`,
      /line 1/,
    ],
    ["an alias bomb", ALIASES, /more than 50000 values|Too long/],
    ["deep nesting", "[".repeat(100_000), /maxDepth \(200\)/],
    ["deep JSON", `{"a":${"[".repeat(5000)}`, /nested deeper than 200/],
    ["tabs", "apiVersion: v1\n\tkind: Pod\n", /line 2/],
    ["a NUL", `${EVIL}\0`, /no text|binary|NUL/i],
    [
      "a bigger number than any",
      '{"kind": 123456789012345678901234567890}',
      /kind/,
    ],
  ] as const).map(([name, body, reason]): HostileHttp => ({
    name: `a body of ${name}`,
    act: ok(body),
    reason,
  })),
  {
    name: "a body of invalid UTF-8",
    act: ok(Buffer.from([0x6b, 0x69, 0x6e, 0x64, 0x3a, 0xff, 0xfe, 0xc0])),
    reason: /not valid utf-8/,
  },
  {
    name: "a body of a million documents",
    act: ok("---\n7\n".repeat(1_000_000)),
    reason: /Too long|more/,
  },
  {
    name: "a body of ten thousand bad items",
    act: ok(
      JSON.stringify({
        apiVersion: "v1",
        kind: "PodList",
        items: Array.from({ length: 10_000 }, () => ({ spec: { x: 1 } })),
      }),
    ),
    reason: /Unknown field/,
  },
];
