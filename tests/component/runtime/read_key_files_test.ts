/**
 * Files of variables, as they lie on a disk.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { container, pod } from "../../support/pods.ts";
import { fakeRig } from "../../support/runtime/runtime_rig.ts";

const utf8 = new TextEncoder();
const KIB_64 = 65_536;

/** What the container has as its variable, or why it has none. */
const ROWS: readonly (readonly [
  what: string,
  content: Uint8Array | undefined,
  expected: string,
])[] = [
  ["is there", utf8.encode("A='1'\n"), "1"],
  ["is not there", undefined, 'file "f" of volume "v" is not there'],
  [
    "is as large as it may be",
    utf8.encode("A='1'\n".padEnd(KIB_64, "\n")),
    "1",
  ],
  [
    "is larger by a byte",
    utf8.encode("A='1'\n".padEnd(KIB_64 + 1, "\n")),
    'file "f" of volume "v": it is larger than 65536 bytes',
  ],
  [
    "holds a NUL",
    utf8.encode("A='\0'\n"),
    'file "f" of volume "v": it holds a NUL byte',
  ],
  ["holds another control", utf8.encode("A='\x01'\n"), "\x01"],
  [
    "is no UTF-8",
    new Uint8Array([0xc3]),
    'file "f" of volume "v": it is not UTF-8',
  ],
  [
    "is malformed",
    utf8.encode("A\n"),
    `file "f" of volume "v" is not well formed at line 1, wanted NAME='value'`,
  ],
];

const env = [{
  name: "A",
  valueFrom: { fileKeyRef: { volumeName: "v", path: "f", key: "A" } },
}];

for (const [what, content, expected] of ROWS) {
  Deno.test(`PodExecutor.execute() reads a file of variables that ${what}`, async () => {
    await using both = await fakeRig();
    const { rig, fake } = both;
    const hostPath = `${rig.directory}/v`;
    await Deno.mkdir(hostPath);
    if (content !== undefined) await Deno.writeFile(`${hostPath}/f`, content);
    const volumes = new Map([["v", { hostPath, readOnly: false }]]);
    const subject = pod({ containers: [container("c", { env })] });
    const { failures } = await rig.sync(subject, { volumes });
    const words = failures.map(({ message }) =>
      message.replace('Cannot set environment variable "A": ', "")
    );
    const values = (fake.running("c")[0]?.config.envs ?? [])
      .map(({ value }) => new TextDecoder().decode(value));
    deepStrictEqual([...words, ...values], [expected]);
  });
}

Deno.test("PodExecutor.execute() reads no file of a volume that is not set up", async () => {
  await using both = await fakeRig();
  const subject = pod({ containers: [container("c", { env })] });
  const { failures } = await both.rig.sync(subject);
  deepStrictEqual(failures.map(({ message }) => message), [
    'Cannot set environment variable "A": file "f" of volume "v": the volume is not set up',
  ]);
});
