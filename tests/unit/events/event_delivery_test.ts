/**
 * How a cluster is told of events, whatever its API server does.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../mod/api/access/mod.ts";
import { nodeRef } from "../../../mod/api/objects/mod.ts";
import {
  EventDeliveryRig,
  SHOP_POD,
} from "../../support/events/event_delivery_rig.ts";

Deno.test("EventDelivery makes an event, and counts on in it when it happens again", async () => {
  await using rig = new EventDeliveryRig();
  rig.version = { resourceVersion: "7" };
  rig.say("before it runs", { fieldPath: "spec.containers{c}" });
  await rig.run();
  await rig.clock.advance(5_000);
  rig.say("before it runs", { fieldPath: "spec.containers{c}" });
  await rig.clock.advance(0);
  const [create, patch, ...rest] = rig.calls;
  ok(create?.verb === "create" && patch?.verb === "patch");
  deepStrictEqual(rest, []);
  const { name } = create.event.metadata;
  match(name, /^web\.[0-9a-f]{16}$/);
  // Whatever else an object has is the API server's to say.
  deepStrictEqual(create.event, {
    apiVersion: "v1",
    kind: "Event",
    metadata: { namespace: "shop", name },
    involvedObject: {
      apiVersion: "v1",
      kind: "Pod",
      namespace: "shop",
      name: "web",
      uid: "u-1",
      resourceVersion: "7",
      fieldPath: "spec.containers{c}",
    },
    reason: "Tested",
    message: "before it runs",
    source: { component: "kubelet", host: "edge1" },
    firstTimestamp: "2026-01-01T00:00:00Z",
    lastTimestamp: "2026-01-01T00:00:00Z",
    count: 1,
    type: "Normal",
    eventTime: null,
    reportingComponent: "kubelet",
    reportingInstance: "edge1",
  });
  deepStrictEqual(patch, {
    verb: "patch",
    place: { namespace: "shop", name },
    news: {
      count: 2,
      lastTimestamp: "2026-01-01T00:00:05Z",
      message: "before it runs",
    },
  });
});

Deno.test("EventDelivery tells of a static pod by the UID that its mirror shows, and of no UID where there is none", async () => {
  await using rig = new EventDeliveryRig();
  await rig.run();
  rig.say("static", {}, { ...SHOP_POD, uid: "static" });
  rig.say("refused", {}, { ...SHOP_POD, uid: "" });
  await rig.clock.advance(0);
  deepStrictEqual(
    rig.calls.map((call) =>
      call.verb === "create" && call.event.involvedObject.uid
    ),
    ["hash", undefined],
  );
});

Deno.test("EventDelivery tells of the node and its pods, not of what is the node's own", async () => {
  await using rig = new EventDeliveryRig();
  await rig.run();
  const job = { ...SHOP_POD, apiVersion: "batch/v1", kind: "Job" };
  rig.say("of a Job of the folder", {}, job);
  rig.say("of its pod", {}, { ...SHOP_POD, uid: "u-2", isLocal: true });
  rig.say("of the node", {}, nodeRef("edge1"));
  await rig.clock.advance(0);
  deepStrictEqual(rig.texts, ["create of the node"]);
  const [call] = rig.calls;
  ok(call?.verb === "create");
  strictEqual(call.event.metadata.namespace, "default");
});

Deno.test("EventDelivery makes anew what the API server has forgotten (client-go TestUpdateExpiredEvent)", async () => {
  await using rig = new EventDeliveryRig();
  await rig.run();
  rig.say("one");
  await rig.clock.advance(0);
  rig.fates.push("NotFound");
  rig.say("one");
  await rig.clock.advance(0);
  deepStrictEqual(rig.texts, ["create one", "patch one 2", "create one 2"]);
});

Deno.test("EventDelivery tells once what happened often while nobody could be told", async () => {
  await using rig = new EventDeliveryRig();
  rig.mayTell = false;
  await rig.run();
  for (let times = 0; times < 5; times++) rig.say("often");
  rig.say("once");
  await rig.clock.advance(60_000);
  deepStrictEqual(rig.texts, []);
  rig.mayTell = true;
  rig.fates.push("NotFound");
  rig.delivery.wake();
  await rig.clock.advance(0);
  deepStrictEqual(rig.texts, [
    "patch often 5",
    "create often 5",
    "create once",
  ]);
});

Deno.test("EventDelivery stops telling when it may not speak for the node any more", async () => {
  await using rig = new EventDeliveryRig();
  await rig.run();
  rig.mayTell = false;
  rig.say("not now");
  await rig.clock.advance(0);
  deepStrictEqual(rig.texts, []);
});

Deno.test("EventDelivery takes for told what is there already, unless it has happened again since", async () => {
  await using rig = new EventDeliveryRig();
  await rig.run();
  // The event was made, but the answer did not come.
  rig.fates.push("Timeout", "AlreadyExists");
  rig.say("one");
  await rig.clock.advance(2_500);
  deepStrictEqual(rig.texts, ["create one", "create one"]);
  rig.fates.push("Timeout");
  rig.say("two");
  await rig.clock.advance(0);
  rig.say("two");
  rig.fates.push("NotFound", "AlreadyExists");
  await rig.clock.advance(2_500);
  deepStrictEqual(rig.texts.slice(2), [
    "create two",
    "patch two 2",
    "create two 2",
    "patch two 2",
  ]);
  await rig.clock.advance(60_000);
  strictEqual(rig.calls.length, 6);
});

Deno.test("EventDelivery tells again what happened while it was being told", async () => {
  await using rig = new EventDeliveryRig();
  await rig.run();
  const gate = Promise.withResolvers<void>();
  rig.fates.push({ until: gate.promise });
  rig.say("one");
  await rig.clock.advance(0);
  rig.say("one");
  rig.say("two");
  await rig.clock.advance(0);
  deepStrictEqual(rig.texts, ["create one"]);
  gate.resolve();
  await rig.clock.advance(0);
  deepStrictEqual(rig.texts, ["create one", "patch one 2", "create two"]);
});

Deno.test("EventDelivery tries twelve times, by chance at first, and then the next event", async () => {
  await using rig = new EventDeliveryRig();
  await rig.run();
  for (let times = 0; times < 12; times++) rig.fates.push("Timeout");
  rig.say("bad");
  rig.say("good");
  await rig.clock.advance(102_499);
  strictEqual(rig.calls.length, 11);
  await rig.clock.advance(1);
  deepStrictEqual(rig.times.slice(0, 3), [0, 2_500, 12_500]);
  deepStrictEqual(rig.times.slice(11), [102_500, 102_500]);
  deepStrictEqual(rig.texts.slice(10), [
    "create bad",
    "create bad",
    "create good",
  ]);
  strictEqual(rig.untold("tries"), 1);
  deepStrictEqual(rig.logged, [
    "events_wait",
    "event_given_up",
    "events_told_again",
  ]);
});

Deno.test("EventDelivery counts the tries of each event for itself", async () => {
  await using rig = new EventDeliveryRig();
  await rig.run();
  rig.always = "Timeout";
  rig.say("one");
  rig.say("two");
  await rig.clock.advance(2_500 + 10_000 * 22);
  strictEqual(rig.texts.filter((text) => text === "create one").length, 12);
  strictEqual(rig.texts.filter((text) => text === "create two").length, 12);
  strictEqual(rig.untold("tries"), 2);
});

Deno.test("EventDelivery gives up nothing while nobody answers, and begins with the first when somebody does", async () => {
  await using rig = new EventDeliveryRig();
  await rig.run();
  rig.always = "Unreachable";
  rig.say("one");
  rig.say("two");
  await rig.clock.advance(30 * 60_000);
  strictEqual(rig.calls.length, 181);
  rig.always = "ok";
  await rig.clock.advance(10_000);
  deepStrictEqual(rig.texts.slice(181), ["create one", "create two"]);
  strictEqual(rig.untold("tries"), 0);
  strictEqual(rig.untold("forgotten"), 0);
  deepStrictEqual(rig.logged, ["events_wait", "events_told_again"]);
});

Deno.test("EventDelivery waits by chance again at the begin of each outage", async () => {
  await using rig = new EventDeliveryRig();
  await rig.run();
  for (const message of ["one", "two"]) {
    rig.fates.push("Unreachable");
    rig.say(message);
    await rig.clock.advance(10_000);
  }
  deepStrictEqual(rig.times, [0, 2_500, 10_000, 12_500]);
});

Deno.test("EventDelivery says how many events were forgotten before they could be told", async () => {
  await using rig = new EventDeliveryRig();
  await rig.run();
  rig.say("told");
  await rig.clock.advance(0);
  rig.always = "Unreachable";
  for (let number = 0; number < 4_100; number++) {
    rig.say("", {}, { ...SHOP_POD, uid: `u${number}` });
  }
  await rig.clock.advance(10_000);
  // The one that was told was among those that went.
  strictEqual(rig.untold("forgotten"), 4);
  rig.always = "ok";
  await rig.clock.advance(10_000);
  strictEqual(rig.calls.length, 1 + 2 + 4_096);
  deepStrictEqual(rig.logged, [
    "events_wait",
    "events_told_again",
    "events_lost",
  ]);
  strictEqual(rig.lines.at(-1)?.["count"], 4);
  rig.say("afterwards");
  await rig.clock.advance(0);
  strictEqual(rig.logged.length, 3);
});

Deno.test("EventDelivery tells nothing that is older than what an API server keeps, and counts it", async () => {
  await using rig = new EventDeliveryRig();
  rig.mayTell = false;
  await rig.run();
  rig.say("old");
  await rig.clock.advance(3_599_999);
  rig.say("new");
  await rig.clock.advance(1);
  rig.mayTell = true;
  rig.delivery.wake();
  await rig.clock.advance(0);
  deepStrictEqual(rig.texts, ["create new"]);
  strictEqual(rig.untold("forgotten"), 1);
});

Deno.test("EventDelivery does not count as lost what a cluster would not have been told", async () => {
  await using rig = new EventDeliveryRig();
  rig.mayTell = false;
  await rig.run();
  const local = { ...SHOP_POD, uid: "u-2", isLocal: true } as const;
  rig.say("of its own", {}, local);
  for (let number = 0; number < 40; number++) {
    rig.say(`${number}`, { reason: `R${number}` });
  }
  await rig.clock.advance(3_600_000);
  rig.say("new", { type: "Warning" });
  rig.mayTell = true;
  rig.delivery.wake();
  await rig.clock.advance(0);
  // All above 25 were over the limit of the pod.
  strictEqual(rig.untold("forgotten"), 25);
});

Deno.test("EventDelivery goes on where an earlier one ended", async () => {
  await using rig = new EventDeliveryRig();
  await rig.run();
  rig.say("one");
  await rig.clock.advance(0);
  await rig.end();
  rig.say("two");
  await rig.run(rig.build());
  deepStrictEqual(rig.texts, ["create one", "create two"]);
});

Deno.test("EventDelivery stops while it waits, and while it is answered", async () => {
  const rig = new EventDeliveryRig();
  await rig.run();
  rig.always = "Unreachable";
  rig.say("one");
  await rig.clock.advance(0);
  await rig.end();
  strictEqual(rig.clock.pendingTimers, 0);
  const gate = Promise.withResolvers<void>();
  rig.fates.push({ until: gate.promise });
  await rig.run();
  const ending = rig.end();
  gate.reject(new ApiFailure("Forbidden", "it was ended"));
  await ending;
  strictEqual(rig.untold("refused"), 0);
  deepStrictEqual(rig.logged, ["events_wait"]);
});

Deno.test("EventDelivery makes no more calls than it may (eventRecordQPS, eventBurst)", async () => {
  await using rig = new EventDeliveryRig({ perSecond: 10, burst: 3 });
  await rig.run();
  for (let number = 0; number < 8; number++) rig.say(`${number}`);
  await rig.clock.advance(0);
  strictEqual(rig.calls.length, 3);
  await rig.clock.advance(250);
  strictEqual(rig.calls.length, 5);
  // What happens while it waits is told as it is then.
  rig.say("5");
  await rig.clock.advance(10_000);
  deepStrictEqual(rig.texts.slice(5), ["create 6", "create 7", "patch 5 2"]);
});

Deno.test("EventDelivery makes as many calls as there are when no number is given", async () => {
  await using rig = new EventDeliveryRig({ perSecond: 0, burst: 0 });
  await rig.run();
  for (let number = 0; number < 20; number++) {
    rig.say("one", {}, { ...SHOP_POD, uid: `u${number}` });
  }
  await rig.clock.advance(0);
  strictEqual(rig.calls.length, 20);
});
