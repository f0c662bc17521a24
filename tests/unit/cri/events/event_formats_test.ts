/**
 * What the messages of the two streams mean.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import {
  readContainerEvent,
  readEnvelope,
} from "../../../../mod/cri/events/event_formats.ts";

const utf8 = new TextEncoder();

/** A length-delimited field. */
function field(number: number, value: string | Uint8Array): Uint8Array {
  const bytes = typeof value === "string" ? utf8.encode(value) : value;
  return Uint8Array.of(number << 3 | 2, bytes.length, ...bytes);
}

/** A field that holds a number below 128. */
function small(number: number, value: number): Uint8Array {
  return Uint8Array.of(number << 3, value);
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

// As containerd writes it (seen on 1.6.20): timestamp, namespace, topic, and a payload
// whose type has no host before it.
function envelope(topic: string, payload: Uint8Array): Uint8Array {
  return join(
    field(1, join(small(1, 2), small(2, 3))),
    field(2, "k8s.io"),
    field(3, topic),
    field(4, join(field(1, "containerd.events.Any"), field(2, payload))),
  );
}

const EXIT_TIME = field(5, small(1, 2));

for (
  const [what, topic, payload, wanted] of [
    ["a new container", "/containers/create", field(1, "c"), "created c"],
    ["a removed container", "/containers/delete", field(1, "c"), "deleted c"],
    [
      "a process that begins",
      "/tasks/start",
      join(field(1, "c"), small(2, 9)),
      "started c",
    ],
    [
      "the end of a container's own process",
      "/tasks/exit",
      join(field(1, "c"), field(2, "c"), small(3, 9), small(4, 1), EXIT_TIME),
      "stopped c",
    ],
    [
      "the end of a command in a container",
      "/tasks/exit",
      join(field(1, "c"), field(2, "probe"), small(3, 9), EXIT_TIME),
      "irrelevant",
    ],
    [
      "the burial of a container's own process",
      "/tasks/delete",
      join(field(1, "c"), small(2, 9), small(3, 1)),
      "stopped c",
    ],
    [
      "the burial of a command in a container",
      "/tasks/delete",
      join(field(1, "c"), field(5, "probe")),
      "irrelevant",
    ],
    ["memory that ran out", "/tasks/oom", field(1, "c"), "oom c"],
    ["an unknown topic", "/tasks/paused", field(1, "c"), "irrelevant"],
    ["a topic of JavaScript's own", "toString", field(1, "c"), "irrelevant"],
    ["a payload without an id", "/tasks/oom", small(2, 1), "irrelevant"],
    ["a payload that is cut", "/tasks/oom", Uint8Array.of(10, 9), "unreadable"],
  ] as const
) {
  Deno.test(`readEnvelope() reads ${what}`, () => {
    const reading = readEnvelope(envelope(topic, payload));
    deepStrictEqual(
      reading.kind === "moved"
        ? `${reading.what} ${reading.containerId}`
        : reading.kind,
      wanted,
    );
  });
}

Deno.test("readEnvelope() keeps the time to the nanosecond", () => {
  deepStrictEqual(readEnvelope(envelope("/tasks/oom", field(1, "c"))), {
    kind: "moved",
    containerId: "c",
    podUid: undefined,
    what: "oom",
    at: 2_000_000_003n,
  });
});

for (
  const [what, bytes, wanted] of [
    ["a creation", field(1, "c"), ["created", "c", undefined]],
    [
      "a start, with its pod",
      join(
        field(1, "c"),
        small(2, 1),
        field(4, field(2, join(field(1, "web"), field(2, "uid")))),
      ),
      ["started", "c", "uid"],
    ],
    ["an end", join(field(1, "c"), small(2, 2)), ["stopped", "c", undefined]],
    [
      "a removal",
      join(field(1, "c"), small(2, 3)),
      ["deleted", "c", undefined],
    ],
  ] as const
) {
  Deno.test(`readContainerEvent() reads ${what}`, () => {
    const reading = readContainerEvent(bytes);
    deepStrictEqual(
      reading.kind === "moved" && [
        reading.what,
        reading.containerId,
        reading.podUid,
      ],
      wanted,
    );
  });
}

Deno.test("readContainerEvent() passes over moves that it does not know", () => {
  const bytes = join(field(1, "c"), small(2, 4));
  deepStrictEqual(readContainerEvent(bytes), { kind: "irrelevant" });
});

Deno.test("readContainerEvent() passes over an event without an id", () => {
  deepStrictEqual(readContainerEvent(new Uint8Array()), { kind: "irrelevant" });
});
