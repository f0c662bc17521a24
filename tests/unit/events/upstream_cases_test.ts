/**
 * The cases of client-go's tools/record/events_cache_test.go, by their names: what a cluster
 * is told of an event after others.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import type { PodEvent, PodRef } from "../../../mod/api/types/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { EventRecorder } from "../../../mod/events/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { SHOP_POD } from "../../support/events/event_delivery_rig.ts";

/** One thing that is recorded. */
type Said = PodEvent & { readonly pod?: PodRef };

function said(reason: string, message: string, rest: Partial<Said> = {}): Said {
  return { type: "Normal", reason, message, ...rest };
}

const first = said("first", "i am first");
const duplicate = said("duplicate", "me again");
const unique = said("unique", "snowflake");
const similar = said("similar", "similar message", {
  fieldPath: "spec.containers{container1}",
});

const times = (count: number, one: (number: number) => Said): Said[] =>
  Array.from({ length: count }, (_, number) => one(number));
const alike = (count: number): Said[] =>
  times(count, (number) => ({ ...similar, message: `${number}-alike` }));

interface Case {
  readonly name: string;
  readonly previous: readonly Said[];
  readonly next: Said;
  readonly everySeconds: number;
  /** Absent: nothing is told. */
  readonly told?: { readonly message: string; readonly count: number };
}

const COMBINED = "(combined from similar events): similar message";

const CASES: readonly Case[] = [
  {
    name: "create-a-single-event",
    previous: [],
    next: first,
    everySeconds: 5,
    told: { message: "i am first", count: 1 },
  },
  {
    name: "the-same-event-should-just-count",
    previous: [duplicate],
    next: duplicate,
    everySeconds: 5,
    told: { message: "me again", count: 2 },
  },
  {
    name: "the-same-event-should-just-count-even-if-more-than-aggregate",
    previous: times(10, () => duplicate),
    next: duplicate,
    everySeconds: 30,
    told: { message: "me again", count: 11 },
  },
  {
    name: "the-same-event-is-spam-if-happens-too-frequently",
    previous: times(26, () => duplicate),
    next: duplicate,
    everySeconds: 1,
  },
  {
    name: "create-many-unique-events",
    previous: times(
      30,
      (number) =>
        said(`reason-${number}`, `message-${number}`, {
          pod: { name: `pod-${number}`, namespace: `ns-${number}`, uid: "u" },
        }),
    ),
    next: unique,
    everySeconds: 5,
    told: { message: "snowflake", count: 1 },
  },
  {
    name: "similar-events-should-aggregate-event",
    previous: alike(9),
    next: similar,
    everySeconds: 5,
    told: { message: COMBINED, count: 1 },
  },
  {
    name: "similar-events-many-times-should-count-the-aggregate",
    previous: alike(10),
    next: similar,
    everySeconds: 5,
    told: { message: COMBINED, count: 2 },
  },
  {
    name: "events-from-different-containers-do-not-aggregate",
    previous: [{ ...similar, fieldPath: "spec.containers{container2}" }],
    next: similar,
    everySeconds: 5,
    told: { message: "similar message", count: 1 },
  },
  {
    name:
      "similar-events-whose-interval-is-greater-than-aggregate-interval-do-not-aggregate",
    previous: alike(9),
    next: similar,
    everySeconds: 601,
    told: { message: "similar message", count: 1 },
  },
  {
    // TestEventSpamFilter: only the object counts, not what is said of it.
    name: "event-should-be-reported-as-spam-if-object-reference-is-the-same",
    previous: times(25, (number) => said(`reason-${number}`, "")),
    next: said("another", "reason"),
    everySeconds: 1,
  },
];

for (const { name, previous, next, everySeconds, told } of CASES) {
  Deno.test(`EventOutbox.next() after upstream's ${name}`, async () => {
    const clock = new FakeClock();
    const recorder = new EventRecorder({
      clock,
      log: silentLogger,
      metrics: new MetricsRegistry(),
    });
    const { outbox } = recorder;
    /** All that is told after each event. */
    const takeAll = (): unknown[] => {
      const found: unknown[] = [];
      for (let event = outbox.next(); event; event = outbox.next()) {
        found.push({ message: event.message, count: event.count });
        outbox.done(event);
      }
      return found;
    };
    const record = ({ pod = SHOP_POD, ...event }: Said): void =>
      recorder.record(pod, event);
    for (const event of previous) {
      record(event);
      takeAll();
      await clock.advance(everySeconds * 1_000);
    }
    record(next);
    deepStrictEqual(takeAll(), told === undefined ? [] : [told]);
  });
}
