/**
 * Files of variables, as they lie on a disk.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import type { KeyFile } from "../../../mod/runtime/spec/mod.ts";
import { readKeyFiles } from "../../../mod/runtime/start/read_key_files.ts";
import { container } from "../../support/pods.ts";

function refused(message: string): KeyFile {
  return { kind: "refused", message };
}

function read(variables: Readonly<Record<string, string>>): KeyFile {
  return { kind: "read", variables: new Map(Object.entries(variables)) };
}

const utf8 = new TextEncoder();
const KIB_64 = 65_536;

const ROWS: readonly (readonly [
  what: string,
  content: Uint8Array | undefined,
  expected: KeyFile,
])[] = [
  ["is there", utf8.encode("A='1'\n"), read({ A: "1" })],
  ["is not there", undefined, { kind: "missing" }],
  [
    "is as large as it may be",
    utf8.encode("A='1'\n".padEnd(KIB_64, "\n")),
    read({ A: "1" }),
  ],
  [
    "is larger by a byte",
    utf8.encode("A='1'\n".padEnd(KIB_64 + 1, "\n")),
    refused("it is larger than 65536 bytes"),
  ],
  ["holds a NUL", utf8.encode("A='\0'\n"), refused("it holds a NUL byte")],
  ["holds another control", utf8.encode("A='\x01'\n"), read({ A: "\x01" })],
  ["is no UTF-8", new Uint8Array([0xc3]), refused("it is not UTF-8")],
  ["is malformed", utf8.encode("A\n"), { kind: "malformed", line: 1 }],
];

const env = [{
  name: "A",
  valueFrom: { fileKeyRef: { volumeName: "v", path: "f", key: "A" } },
}];

for (const [what, content, expected] of ROWS) {
  Deno.test(`readKeyFiles() reads a file that ${what}`, async () => {
    const hostPath = await Deno.makeTempDir({ prefix: "skerry-keys-" });
    try {
      if (content !== undefined) {
        await Deno.writeFile(`${hostPath}/f`, content);
      }
      const volumes = new Map([["v", { hostPath, readOnly: false }]]);
      const files = await readKeyFiles(container("c", { env }), volumes);
      deepStrictEqual([...files], [["v:f", expected]]);
    } finally {
      await Deno.remove(hostPath, { recursive: true });
    }
  });
}

Deno.test("readKeyFiles() reads nothing of a volume that is not set up", async () => {
  const files = await readKeyFiles(container("c", { env }), new Map());
  deepStrictEqual([...files], [["v:f", refused("the volume is not set up")]]);
});
