/**
 * Hints on their way to a reader.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Moved } from "../../../../mod/cri/events/hint.ts";
import { HintBuffer } from "../../../../mod/cri/events/hint_buffer.ts";

Deno.test("HintBuffer.take() gives what was offered, in order", () => {
  const buffer = new HintBuffer(9);
  for (const id of ["a", "b"]) strictEqual(buffer.offer(moved(id)), true);
  deepStrictEqual(
    [buffer.take(), buffer.take(), buffer.take()],
    [moved("a"), moved("b"), undefined],
  );
});

Deno.test("HintBuffer.offer() takes one hint for all that say the same, until it is read", () => {
  const buffer = new HintBuffer(1);
  buffer.offer(moved("a", { at: 1n }));
  strictEqual(buffer.offer(moved("a", { at: 2n })), true);
  deepStrictEqual(buffer.take(), moved("a", { at: 1n }));
  strictEqual(buffer.offer(moved("a", { at: 3n })), true);
  deepStrictEqual(buffer.take(), moved("a", { at: 3n }));
});

Deno.test("HintBuffer.offer() tells moves of one container apart", () => {
  const buffer = new HintBuffer(9);
  buffer.offer(moved("a", { what: "started" }));
  buffer.offer(moved("a", { what: "stopped" }));
  deepStrictEqual(
    [buffer.take(), buffer.take()],
    [moved("a", { what: "started" }), moved("a", { what: "stopped" })],
  );
});

Deno.test("HintBuffer.offer() refuses what there is no room for", () => {
  const buffer = new HintBuffer(1);
  buffer.offer(moved("a"));
  strictEqual(buffer.offer(moved("b")), false);
  buffer.take();
  buffer.take();
  strictEqual(buffer.offer(moved("b")), true);
});

Deno.test("HintBuffer.take() tells once, and before all that waits, that hints were refused since it was last called", () => {
  const buffer = new HintBuffer(1);
  for (const id of ["a", "b", "c"]) buffer.offer(moved(id));
  deepStrictEqual(
    [buffer.take(), buffer.take(), buffer.take()],
    [{ kind: "missed" }, moved("a"), undefined],
  );
  for (const id of ["d", "e"]) buffer.offer(moved(id));
  deepStrictEqual(
    [buffer.take(), buffer.take(), buffer.take()],
    [{ kind: "missed" }, moved("d"), undefined],
  );
});

Deno.test("HintBuffer.changed() resolves when a hint is refused", async () => {
  const buffer = new HintBuffer(1);
  buffer.offer(moved("a"));
  const changed = buffer.changed();
  buffer.offer(moved("b"));
  await changed;
});

Deno.test("HintBuffer.changed() resolves with the next offer", async () => {
  const buffer = new HintBuffer(1);
  const changed = buffer.changed();
  buffer.offer(moved("a"));
  await changed;
});

Deno.test("HintBuffer.changed() resolves when it is woken", async () => {
  const buffer = new HintBuffer(1);
  const changed = buffer.changed();
  buffer.wake();
  await changed;
});

function moved(containerId: string, more: Partial<Moved> = {}): Moved {
  return {
    kind: "moved",
    containerId,
    podUid: undefined,
    what: "stopped",
    at: 0n,
    ...more,
  };
}
