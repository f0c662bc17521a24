/**
 * Events on their way to a reader.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { ContainerEvent } from "../../../../mod/cri/events/runtime_event.ts";
import { EventBuffer } from "../../../../mod/cri/events/event_buffer.ts";

Deno.test("EventBuffer.take() gives what was offered, in order", () => {
  const buffer = new EventBuffer(9);
  for (const id of ["a", "b"]) strictEqual(buffer.offer(moved(id)), true);
  deepStrictEqual(
    [buffer.take(), buffer.take(), buffer.take()],
    [moved("a"), moved("b"), undefined],
  );
});

Deno.test("EventBuffer.offer() takes one event for all that say the same, until it is read", () => {
  const buffer = new EventBuffer(1);
  buffer.offer(moved("a", { at: 1n }));
  strictEqual(buffer.offer(moved("a", { at: 2n })), true);
  deepStrictEqual(buffer.take(), moved("a", { at: 1n }));
  strictEqual(buffer.offer(moved("a", { at: 3n })), true);
  deepStrictEqual(buffer.take(), moved("a", { at: 3n }));
});

Deno.test("EventBuffer.offer() tells moves of one container apart", () => {
  const buffer = new EventBuffer(9);
  buffer.offer(moved("a", { what: "started" }));
  buffer.offer(moved("a", { what: "stopped" }));
  deepStrictEqual(
    [buffer.take(), buffer.take()],
    [moved("a", { what: "started" }), moved("a", { what: "stopped" })],
  );
});

Deno.test("EventBuffer.offer() refuses what there is no room for", () => {
  const buffer = new EventBuffer(1);
  buffer.offer(moved("a"));
  strictEqual(buffer.offer(moved("b")), false);
  buffer.take();
  buffer.take();
  strictEqual(buffer.offer(moved("b")), true);
});

Deno.test("EventBuffer.take() tells once, and before all that waits, that events were refused since it was last called", () => {
  const buffer = new EventBuffer(1);
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

Deno.test("EventBuffer.changed() resolves when an event is refused", async () => {
  const buffer = new EventBuffer(1);
  buffer.offer(moved("a"));
  const changed = buffer.changed();
  buffer.offer(moved("b"));
  await changed;
});

Deno.test("EventBuffer.changed() resolves with the next offer", async () => {
  const buffer = new EventBuffer(1);
  const changed = buffer.changed();
  buffer.offer(moved("a"));
  await changed;
});

Deno.test("EventBuffer.changed() resolves when it is woken", async () => {
  const buffer = new EventBuffer(1);
  const changed = buffer.changed();
  buffer.wake();
  await changed;
});

function moved(
  containerId: string,
  more: Partial<ContainerEvent> = {},
): ContainerEvent {
  return {
    kind: "moved",
    containerId,
    podUid: undefined,
    what: "stopped",
    at: 0n,
    ...more,
  };
}
