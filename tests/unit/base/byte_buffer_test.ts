/**
 * Collecting bytes in one piece of memory.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { ByteBuffer } from "../../../mod/base/byte_buffer.ts";
import { StepCounter } from "../../support/step_counter.ts";

Deno.test("ByteBuffer keeps what was added, in order", () => {
  const buffer = new ByteBuffer({ maxBytes: 10_000 });
  const wanted: number[] = [];
  for (let at = 0; at < 300; at++) {
    const piece = Array.from({ length: at % 60 }, (_, i) => (at + i) % 256);
    ok(buffer.add(Uint8Array.from(piece)));
    wanted.push(...piece);
  }
  deepStrictEqual([...buffer.bytes], wanted);
  strictEqual(buffer.length, wanted.length);
});

Deno.test("ByteBuffer takes nothing of a piece that is too much, and memory for no more than its bound", () => {
  const buffer = new ByteBuffer({ maxBytes: 1500 });
  strictEqual(buffer.bytes.buffer.byteLength, 0);
  ok(buffer.add(new Uint8Array(1400)));
  strictEqual(buffer.add(new Uint8Array(101)), false);
  strictEqual(buffer.left, 100);
  ok(buffer.add(new Uint8Array(100)));
  deepStrictEqual([buffer.length, buffer.bytes.buffer.byteLength], [
    1500,
    1500,
  ]);
});

Deno.test("ByteBuffer takes a megabyte of single bytes in memory and work for a megabyte", () => {
  const meter = new StepCounter();
  const buffer = new ByteBuffer({ maxBytes: 10 * 2 ** 20, meter });
  const piece = Uint8Array.of(7);
  for (let at = 0; at < 2 ** 20; at++) buffer.add(piece);
  ok(
    buffer.bytes.buffer.byteLength <= 2 * 2 ** 20,
    String(buffer.bytes.buffer.byteLength),
  );
  ok(meter.total <= 4 * 2 ** 20, String(meter.total));
});

Deno.test("ByteBuffer that was cleared begins anew", () => {
  const buffer = new ByteBuffer({ maxBytes: 4 });
  buffer.add(Uint8Array.of(1, 2, 3));
  buffer.clear();
  ok(buffer.add(Uint8Array.of(4, 5, 6, 7)));
  deepStrictEqual([...buffer.bytes], [4, 5, 6, 7]);
});
