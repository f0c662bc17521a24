/**
 * Rows that change, rows that do not, and answers that are broken.
 *
 * @module
 */

import {
  deepStrictEqual,
  notStrictEqual,
  strictEqual,
  throws,
} from "node:assert/strict";
import { RowDecoder } from "../../../../mod/cri/rpc/row_decoder.ts";
import * as wire from "../../../../proto/gen/runtime/v1/api.ts";

function decoder(): RowDecoder<wire.Container> {
  return new RowDecoder({
    stateField: 6,
    decode: (bytes) => wire.Container.decode(bytes),
  });
}

function row(fields: Partial<wire.Container>): wire.Container {
  return { ...wire.Container.decode(new Uint8Array()), ...fields };
}

function answer(...containers: wire.Container[]): Uint8Array {
  return wire.ListContainersResponse.encode({ containers }).finish();
}

Deno.test("RowDecoder.decode() yields what the generated decoder yields", () => {
  const rows = [
    row({ id: "a", state: 1, labels: { x: "1", y: "2" }, createdAt: 5n }),
    row({ id: "b", state: 0, metadata: { name: "n", attempt: 3 } }),
  ];
  deepStrictEqual(decoder().decode(answer(...rows)), rows);
});

Deno.test("RowDecoder.decode() gives the same object for an unchanged row", () => {
  const decode = decoder();
  const [before] = decode.decode(
    answer(row({ id: "a", state: 1, labels: { x: "1", y: "2" } })),
  );
  // Runtimes write maps in any order.
  const [after] = decode.decode(
    answer(
      row({ id: "b" }),
      row({ id: "a", state: 1, labels: { y: "2", x: "1" } }),
    ),
  ).slice(1);
  strictEqual(after, before);
});

for (
  const [change, changed] of [
    ["state", row({ id: "a", state: 2, imageRef: "x" })],
    ["length", row({ id: "a", state: 1, imageRef: "xy" })],
    ["id", row({ id: "b", state: 1, imageRef: "x" })],
  ] as const
) {
  Deno.test(`RowDecoder.decode() sees another ${change}`, () => {
    const decode = decoder();
    decode.decode(answer(row({ id: "a", state: 1, imageRef: "x" })));
    deepStrictEqual(decode.decode(answer(changed)), [changed]);
  });
}

Deno.test("RowDecoder.decode() forgets what an answer lacks", () => {
  const decode = decoder();
  const bytes = answer(row({ id: "a", state: 1 }));
  const [before] = decode.decode(bytes);
  deepStrictEqual(decode.decode(answer()), []);
  const [after] = decode.decode(bytes);
  notStrictEqual(after, before);
});

Deno.test("RowDecoder.decode() keeps rows without an id apart", () => {
  const rows = [row({ imageRef: "x" }), row({ imageRef: "y" })];
  deepStrictEqual(decoder().decode(answer(...rows)), rows);
});

Deno.test("RowDecoder.decode() passes over fields that it does not know", () => {
  const unknownField = [0x10, 0x07];
  const bytes = new Uint8Array([...unknownField, ...answer(row({ id: "a" }))]);
  strictEqual(decoder().decode(bytes)[0]?.id, "a");
});

Deno.test("RowDecoder.decode() refuses a truncated answer", () => {
  const bytes = answer(row({ id: "a", imageRef: "x" }));
  throws(() => decoder().decode(bytes.subarray(0, bytes.length - 1)));
});
