import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import {
  type ApiCaller,
  RatedCaller,
  type RequestLimits,
} from "../../../../mod/kube/transport/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { GET_VERSION } from "../../../support/kube/transport_rig.ts";

const NODE_STATUS = "/api/v1/nodes/edge1/status";
const LEASE =
  "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/edge1";

class RateRig {
  readonly clock = new FakeClock();
  /** The paths that were asked for. */
  readonly asked: string[] = [];
  readonly caller: ApiCaller;
  readonly stop = new AbortController();

  constructor(limits: RequestLimits) {
    this.caller = new RatedCaller({
      clock: this.clock,
      caller: {
        call: ({ path }) => {
          this.asked.push(path);
          return Promise.resolve(path);
        },
        stream: ({ path }) => {
          this.asked.push(`stream ${path}`);
          return Promise.resolve(ReadableStream.from([]));
        },
      },
    }, limits);
  }

  call(path: string): Promise<unknown> {
    return this.caller.call({ ...GET_VERSION, path }, this.stop.signal);
  }

  /** Makes some calls, and says how many went at once. */
  async burst(count: number): Promise<number> {
    const before = this.asked.length;
    for (let at = 0; at < count; at++) void this.call("/x");
    await this.clock.advance(0);
    return this.asked.length - before;
  }
}

Deno.test("RatedCaller lets a burst through, and then so many a second", async () => {
  const rig = new RateRig({ perSecond: 3, burst: 4 });
  strictEqual(await rig.burst(10), 4);
  await rig.clock.advance(333);
  strictEqual(rig.asked.length, 4);
  await rig.clock.advance(1);
  strictEqual(rig.asked.length, 5);
  await rig.clock.advance(2_000);
  strictEqual(rig.asked.length, 10);
  // Full again after a rest, and not fuller.
  await rig.clock.advance(60_000);
  strictEqual(await rig.burst(5), 4);
  await rig.clock.advance(1_000);
});

Deno.test("RatedCaller counts streams among the calls", async () => {
  const rig = new RateRig({ perSecond: 1, burst: 1 });
  await rig.caller.stream({ ...GET_VERSION, path: "/w" }, rig.stop.signal);
  strictEqual(await rig.burst(1), 0);
  const waiting = rig.caller.stream(
    { ...GET_VERSION, path: "/v" },
    rig.stop.signal,
  );
  await rig.clock.advance(1_000);
  deepStrictEqual(rig.asked, ["stream /w", "/x"]);
  await rig.clock.advance(1_000);
  await waiting;
  deepStrictEqual(rig.asked, ["stream /w", "/x", "stream /v"]);
});

for (
  const path of [
    LEASE,
    NODE_STATUS,
    "/api/v1/namespaces/shop/events",
    "/api/v1/namespaces/shop/events/web.1",
  ]
) {
  Deno.test(`RatedCaller never lets ${path} wait, nor counts it`, async () => {
    const rig = new RateRig({ perSecond: 1, burst: 1 });
    strictEqual(await rig.burst(5), 1);
    await rig.call(path);
    strictEqual(rig.asked.at(-1), path);
    await rig.clock.advance(4_000);
    strictEqual(rig.asked.length, 6);
  });
}

for (
  const path of [
    "/api/v1/nodes/edge1",
    "/api/v1/nodes/edge1/statuses",
    "/x/api/v1/nodes/edge1/status",
    "/api/v1/namespaces/nodes/pods/a/status",
    "/api/v1/namespaces/shop/eventsources",
    "/api/v1/namespaces/shop/pods/events",
    "/api/v1/namespaces/a/b/events",
    "/x/api/v1/namespaces/shop/events",
    "/apis/coordination.k8s.io/v1/namespaces/other/leases/edge1",
    "/x/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/a",
  ]
) {
  Deno.test(`RatedCaller takes ${path} for no heartbeat`, async () => {
    const rig = new RateRig({ perSecond: 1, burst: 1 });
    await rig.burst(1);
    const call = rig.call(path);
    await rig.clock.advance(999);
    strictEqual(rig.asked.length, 1);
    await rig.clock.advance(1);
    strictEqual(await call, path);
  });
}

for (const perSecond of [0, -1]) {
  Deno.test(`RatedCaller takes ${perSecond} a second for no limit`, async () => {
    const rig = new RateRig({ perSecond, burst: 1 });
    strictEqual(await rig.burst(1_000), 1_000);
  });
}

Deno.test("RatedCaller waits for no turn that nobody wants", async () => {
  const rig = new RateRig({ perSecond: 1, burst: 1 });
  await rig.burst(1);
  const call = rig.call("/y");
  rig.stop.abort(new Error("enough"));
  await rejects(call, /enough/);
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("RatedCaller lets nobody wait for those who have gone away", async () => {
  const rig = new RateRig({ perSecond: 1, burst: 1 });
  strictEqual(await rig.burst(1), 1);
  const gone = new AbortController();
  const waiting = Array.from(
    { length: 500 },
    () =>
      rejects(rig.caller.call({ ...GET_VERSION, path: "/gone" }, gone.signal)),
  );
  gone.abort();
  await Promise.all(waiting);
  strictEqual(await rig.burst(1), 0);
  await rig.clock.advance(1_000);
  deepStrictEqual(rig.asked, ["/x", "/x"]);
});
