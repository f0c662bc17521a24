/**
 * Events as clients of the API get them.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { EventRecorder } from "../../../mod/events/recorder.ts";
import { toWireEvent } from "../../../mod/events/wire_event.ts";
import { nodeRef } from "../../../mod/api/objects/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const WEB = { name: "web-n1", namespace: "shop", uid: "u-1" };
const NODE = { nodeName: "n1" };

function rig() {
  const clock = new FakeClock();
  const metrics = new MetricsRegistry();
  const recorder = new EventRecorder({ clock, log: silentLogger, metrics });
  return { clock, recorder };
}

Deno.test("toWireEvent() names the node, in the namespace of what has none", () => {
  const { recorder } = rig();
  recorder.record(nodeRef("n1"), {
    type: "Warning",
    reason: "FreeDiskSpaceFailed",
    message: "full",
  });
  const [wire] = recorder.list().map((event) => toWireEvent(event, NODE));
  strictEqual(wire?.metadata.namespace, "default");
  deepStrictEqual(wire.involvedObject, {
    apiVersion: "v1",
    kind: "Node",
    namespace: "",
    name: "n1",
    uid: "n1",
  });
});

Deno.test("toWireEvent() writes a v1 Event as the kubelet sends it", async () => {
  const { clock, recorder } = rig();
  for (let turn = 0; turn < 2; turn++) {
    recorder.record(WEB, {
      type: "Warning",
      reason: "BackOff",
      message: "Back-off",
      fieldPath: "spec.containers{c}",
    });
    await clock.advance(10_000);
  }
  const wire = recorder.list().map((event) => toWireEvent(event, NODE))[0];
  ok(wire !== undefined);
  const { name, uid, resourceVersion, ...metadata } = wire.metadata;
  match(name, /^web-n1\.[0-9a-f]{16}$/);
  match(
    uid,
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  match(resourceVersion, /^\d+$/);
  deepStrictEqual({ ...wire, metadata }, {
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      namespace: "shop",
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    involvedObject: {
      apiVersion: "v1",
      kind: "Pod",
      namespace: "shop",
      name: "web-n1",
      uid: "u-1",
      fieldPath: "spec.containers{c}",
    },
    reason: "BackOff",
    message: "Back-off",
    source: { component: "kubelet", host: "n1" },
    firstTimestamp: "2026-01-01T00:00:00Z",
    lastTimestamp: "2026-01-01T00:00:10Z",
    count: 2,
    type: "Warning",
    eventTime: null,
    reportingComponent: "kubelet",
    reportingInstance: "n1",
  });
});

Deno.test("toWireEvent() gives names and UIDs that are unique and last", async () => {
  const { clock, recorder } = rig();
  const tell = () => {
    for (let number = 0; number < 20; number++) {
      const uid = `u-${number % 2}`;
      const reason = `R${number}`;
      const pod = { ...WEB, uid };
      recorder.record(pod, { type: "Normal", reason, message: "" });
    }
  };
  const ids = () =>
    recorder.list().map((event) => {
      const { name, uid } = toWireEvent(event, NODE).metadata;
      return `${name} ${uid}`;
    });
  tell();
  const first = ids();
  strictEqual(new Set(first.map((each) => each.split(" ")[0])).size, 20);
  strictEqual(new Set(first.map((each) => each.split(" ")[1])).size, 20);
  clock.wall = 0;
  await clock.advance(1);
  tell();
  // Half of them are over the rate limit by now, and keep their place.
  deepStrictEqual(new Set(ids()), new Set(first));
});

Deno.test("toWireEvent() is valid UTF-8 whatever was recorded (I7)", () => {
  const { recorder } = rig();
  const bad = "a\ud800\u0000\u001b[31m\udfff";
  recorder.record({ name: bad, namespace: bad, uid: bad }, {
    type: "Normal",
    reason: bad,
    message: `${bad}${"😀".repeat(1_000)}`,
    fieldPath: bad,
  });
  const [event] = recorder.list();
  ok(event !== undefined);
  const text = JSON.stringify(toWireEvent(event, NODE));
  ok(text.isWellFormed());
  ok(!/\\ud[89a-f]/i.test(text), text);
});

Deno.test("toWireEvent() leaves out the UID of a pod that has none", () => {
  const { recorder } = rig();
  recorder.record({ ...WEB, uid: "" }, {
    type: "Warning",
    reason: "FailedValidation",
    message: "",
  });
  const [event] = recorder.list();
  ok(event !== undefined);
  deepStrictEqual(toWireEvent(event, NODE).involvedObject, {
    apiVersion: "v1",
    kind: "Pod",
    namespace: "shop",
    name: "web-n1",
  });
});

Deno.test("toWireEvent() says who said it, and of what kind of object", () => {
  const { recorder } = rig();
  const job = { ...WEB, apiVersion: "batch/v1", kind: "Job" };
  recorder.record(job, {
    type: "Normal",
    reason: "Completed",
    message: "",
    component: "job-controller",
  });
  const [wire] = recorder.list().map((event) => toWireEvent(event, NODE));
  deepStrictEqual(wire?.involvedObject, {
    apiVersion: "batch/v1",
    kind: "Job",
    namespace: "shop",
    name: "web-n1",
    uid: "u-1",
  });
  strictEqual(wire.reportingComponent, "job-controller");
  strictEqual(wire.source.component, "job-controller");
});

for (
  const [name, isKept] of [
    ["a".repeat(253 - 17), true],
    ["a".repeat(254 - 17), false],
    ["Web_1", false],
  ] as const
) {
  Deno.test(`toWireEvent() ${isKept ? "keeps" : "replaces"} a name of ${name.length} characters like ${name.slice(0, 5)} (client-go GenerateEventName)`, () => {
    const { recorder } = rig();
    const words = { type: "Normal", reason: "Tested", message: "" } as const;
    recorder.record({ ...WEB, name }, words);
    const [wire] = recorder.list().map((event) => toWireEvent(event, NODE));
    strictEqual(wire?.metadata.name.startsWith(`${name}.`), isKept);
    strictEqual(wire.metadata.name === wire.metadata.uid, !isKept);
  });
}

Deno.test("toWireEvent() makes name and UID of when an event was recorded first, and as which", () => {
  const clock = new FakeClock();
  clock.wall = Date.UTC(2026, 10, 24, 4, 20, 44, 123);
  const metrics = new MetricsRegistry();
  const recorder = new EventRecorder({ clock, log: silentLogger, metrics });
  recorder.record(WEB, { type: "Normal", reason: "Tested", message: "" });
  const [event] = recorder.list();
  ok(event !== undefined);
  const { name, uid } = toWireEvent({ ...event, id: 7_000_042 }, NODE).metadata;
  // 1795494044123 milliseconds, and 42 in the place of nanoseconds.
  const nanos = (1_795_494_044_123_000_042n).toString(16);
  strictEqual(name, `web-n1.${nanos}`);
  strictEqual(uid, "18eae051-f847-4cea-84fb-0f48bbcb88f9");
});
