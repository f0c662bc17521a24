/**
 * A node of a cluster whose clock is set, or has been wrong from the start.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { isRecord } from "../../../mod/base/mod.ts";
import {
  joinedContainerOf,
  pathOf,
  ScriptedNode,
} from "../../support/cluster/scripted_node.ts";

const DAY_MS = 86_400_000;

const JUMPS: readonly {
  readonly name: string;
  /** What the clock shows when the agent starts; the right time when absent. */
  readonly startMs?: number;
  /** What it is set to. */
  readonly to: (nowMs: number) => number;
}[] = [
  { name: "from 1970 to now", startMs: 60_000, to: () => Date.UTC(2027, 0, 1) },
  { name: "in 1970 for good", startMs: 60_000, to: (nowMs) => nowMs },
  { name: "back to 1970", to: () => 60_000 },
  { name: "back by a day", to: (nowMs) => nowMs - DAY_MS },
  { name: "on by a year", to: (nowMs) => nowMs + 365 * DAY_MS },
];

for (const { name, startMs, to } of JUMPS) {
  Deno.test(`a node whose clock is set keeps its lease, its pods and the graces of those that end: ${name} (CL-02, CL-05)`, async () => {
    await using core = await ScriptedNode.start({
      prepare: ({ clock }) => {
        if (startMs !== undefined) clock.wall = startMs;
      },
    });
    const { rig, clock, api } = core;
    rig.fake.behave("slow", { onTerm: "ignore" });
    api.objects.create(pathOf("serviceaccounts"), {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "default", namespace: "shop" },
    });
    core.make("web");
    core.make("slow", { terminationGracePeriodSeconds: 60 });
    core.make("named", {
      serviceAccountName: "default",
      volumes: [{
        name: "v",
        projected: { sources: [{ serviceAccountToken: { path: "token" } }] },
      }],
      containers: [
        joinedContainerOf("named", {
          volumeMounts: [{ name: "v", mountPath: "/v" }],
        }),
      ],
    });
    await core.untilPhase("Running", "web", "slow", "named");
    const ids = [rig.only("web").id, rig.only("named").id];
    core.delete("slow", 60);
    const beganMs = clock.monotonic();
    await rig.pass(20_000);
    const asked = api.requests.length;
    const calls = rig.fake.calls.length;
    clock.wall = to(clock.now());
    await rig.until(() => !core.pods().has("slow"), "its end");
    const tookMs = clock.monotonic() - beganMs;
    ok(tookMs >= 60_000 && tookMs < 70_000, `it took ${tookMs} ms`);
    await rig.pass(600_000 - tookMs);
    deepStrictEqual([rig.only("web").id, rig.only("named").id], ids);
    ok(!rig.mutations(calls).includes("CreateContainer"));

    const lines = api.lines.slice(asked);
    const renewals = lines.filter((line) => /^PUT .*\/leases\//.test(line));
    ok(renewals.length > 50 && renewals.length < 70, `${renewals.length}`);
    const [lease] = api.requests.slice(-30).filter(({ method }) =>
      method === "PUT"
    );
    ok(isRecord(lease?.body) && isRecord(lease.body["spec"]));
    const renewed = Date.parse(String(lease.body["spec"]["renewTime"]));
    ok(Math.abs(renewed - clock.now()) < 300_000, `${renewed}`);
    const tokens = lines.filter((line) => line.endsWith("/token"));
    ok(tokens.length <= 1, `${tokens.length} tokens`);
    ok(lines.length < 150, `${lines.length} calls`);
    strictEqual(rig.logged("node_name_taken").length, 0);
    core.make("next");
    await core.untilPhase("Running", "next");
  });
}
