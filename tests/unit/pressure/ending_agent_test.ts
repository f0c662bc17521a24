/**
 * What is done when the agent ends while the node runs short.
 *
 * @module
 */

import { deepStrictEqual, rejects } from "node:assert/strict";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { NodePressureManager } from "../../../mod/pressure/node_pressure_manager.ts";
import type {
  Observation,
  PressureSignal,
} from "../../../mod/pressure/signals.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { podOf } from "../../support/pods.ts";

Deno.test("NodePressureManager ends no pod when the agent ends while room is being made", async () => {
  const stop = new AbortController();
  const evicted: string[] = [];
  let asked = 0;
  const left = new Map<PressureSignal, Observation>([
    ["memory.available", { capacity: 100, available: 1 }],
  ]);
  const manager = new NodePressureManager({
    clock: new FakeClock(),
    metrics: new MetricsRegistry(),
    log: silentLogger,
    events: { record: () => {} },
    node: { kind: "Node", name: "edge1", namespace: "default", uid: "edge1" },
    meters: {
      layout: () =>
        Promise.resolve({ hasOwnImageFs: false, layersOn: "nodefs" }),
      observe: () => Promise.resolve(left),
      pods: () => {
        asked++;
        return Promise.resolve(new Map());
      },
    },
    pods: {
      running: () => [podOf("a")],
      evict: (uid) => evicted.push(uid) > 0,
      hasEnded: () => false,
    },
    reclaimers: [{
      reclaim: () => {
        stop.abort(new Error("the agent ends"));
        return Promise.reject(new Error("cut short"));
      },
    }, {
      reclaim: () => {
        asked++;
        return Promise.resolve("done");
      },
    }],
  }, {
    thresholds: [{
      signal: "memory.available",
      kind: "hard",
      least: { kind: "quantity", value: 50 },
      graceMs: 0,
      reclaim: { kind: "quantity", value: 0 },
    }],
    transitionMs: 1,
    maxPodGraceSeconds: 0,
  });
  await rejects(manager.check(stop.signal), /the agent ends/);
  deepStrictEqual([evicted, asked], [[], 0]);
});
