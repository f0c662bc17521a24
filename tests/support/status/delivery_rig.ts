/**
 * A delivery of statuses to a sink that can be slow, refuse, or have another pod.
 *
 * @module
 */

import { type Logger, silentLogger } from "../../../mod/base/telemetry/mod.ts";
import {
  StatusDelivery,
  type StatusReceipt,
  type StatusSink,
  type StatusUpdate,
} from "../../../mod/status/status_delivery.ts";
import type { StatusManager } from "../../../mod/status/status_manager.ts";
import { FakeClock } from "../fake_clock.ts";
import { manager, phaseStatus, statusPod } from "./builders.ts";

/** What the sink answers to one update. */
export type SinkAnswer = StatusReceipt["kind"] | "fails" | "hangs";

/** A sink that answers by a script, and takes everything when that is over. */
export class ScriptedSink implements StatusSink {
  readonly name = "scripted";
  // Absent unless a test says so.
  wantsEnds?: boolean;
  failsAsOne?: boolean;
  readonly puts: StatusUpdate[] = [];
  readonly removed: string[] = [];
  /** By UID. */
  readonly script: Map<string, SinkAnswer[]> = new Map();
  /** Lets go of what hangs. */
  readonly gates: Map<string, () => void> = new Map();
  #inFlight = new Map<string, number>();
  mostInFlight = 0;

  async put(
    update: StatusUpdate,
    signal: AbortSignal,
  ): Promise<StatusReceipt> {
    const { uid } = update;
    this.puts.push(update);
    const flying = (this.#inFlight.get(uid) ?? 0) + 1;
    this.#inFlight.set(uid, flying);
    this.mostInFlight = Math.max(this.mostInFlight, flying);
    try {
      const answer = this.script.get(uid)?.shift() ?? "taken";
      if (answer === "hangs") {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        this.gates.set(uid, resolve);
        signal.addEventListener("abort", () => reject(signal.reason));
        await promise;
        return { kind: "taken" };
      }
      await Promise.resolve();
      if (answer === "fails") throw new Error("HTTP 409");
      return { kind: answer };
    } finally {
      this.#inFlight.set(uid, flying - 1);
    }
  }

  remove(uid: string): Promise<void> {
    this.removed.push(uid);
    return Promise.resolve();
  }

  /** What it was told of a pod, by phase. */
  told(uid: string): (string | undefined)[] {
    return this.puts.filter((put) => put.uid === uid)
      .map((put) => put.status.phase);
  }
}

/** A delivery that runs, and all around it. */
export interface DeliveryRig {
  readonly clock: FakeClock;
  readonly statuses: StatusManager;
  readonly sink: ScriptedSink;
  readonly delivery: StatusDelivery;
  set(uid: string, phase: string): void;
}

/** A delivery to a sink that answers by a script; nobody runs it yet. */
export function deliveryRig(
  log: Logger = silentLogger,
  facts: Pick<StatusSink, "failsAsOne"> = {},
): DeliveryRig {
  const clock = new FakeClock();
  const statuses = manager(clock);
  const sink = Object.assign(new ScriptedSink(), facts);
  const delivery = new StatusDelivery({
    clock,
    statuses,
    sink,
    log,
  });
  const set = (uid: string, phase: string) => {
    statuses.setPodStatus(statusPod(uid), phaseStatus(phase));
  };
  return { clock, statuses, sink, delivery, set };
}

/** The same, and runs it. */
export async function withDelivery(
  use: (rig: DeliveryRig) => Promise<void>,
  log?: Logger,
): Promise<void> {
  const rig = deliveryRig(log);
  const stop = new AbortController();
  const running = rig.delivery.run(stop.signal);
  try {
    await use(rig);
  } finally {
    stop.abort();
    await running;
  }
}
