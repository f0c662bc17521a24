/**
 * Pods at an API server that is not there, for what links them with those of a node.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { ApiFailure, type FailureReason } from "../../../mod/api/access/mod.ts";
import type { Pod } from "../../../mod/api/types/mod.ts";
import type { PodClient } from "../../../mod/cluster/mod.ts";
import { EventList } from "../event_list.ts";
import { FakeClock } from "../fake_clock.ts";

/** A pod of that name. */
export function linkedPod(
  name: string,
  metadata: Partial<Pod["metadata"]> = {},
): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "shop", uid: `uid-${name}`, ...metadata },
    spec: { containers: [{ name: "c" }] },
  };
}

/** An API server that keeps pods, or refuses. */
export class LinkedPodsRig implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly events: EventList = new EventList();
  readonly calls: string[] = [];
  readonly pods: Map<string, Pod> = new Map<string, Pod>();
  readonly refusals: (FailureReason | undefined)[] = [];
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #made = 0;
  /** Nothing is answered. */
  hangs: boolean = false;
  /** Called before each answer. */
  onCall: () => void = () => {};

  readonly client: PodClient = {
    create: (mirror, signal) => {
      this.#enter(`create ${mirror.metadata.name}`);
      if (this.hangs) return aborted(signal);
      const uid = `made-${++this.#made}`;
      const made: Pod = { ...mirror, metadata: { ...mirror.metadata, uid } };
      this.pods.set(made.metadata.name, made);
      return Promise.resolve(made);
    },
    remove: ({ name, uid }, signal) => {
      this.#enter(`remove ${name} ${uid}`);
      if (this.hangs) return aborted(signal);
      if (this.pods.get(name)?.metadata.uid === uid) this.pods.delete(name);
      return Promise.resolve();
    },
  };

  #enter(call: string): void {
    this.calls.push(call);
    this.onCall();
    const reason = this.refusals.shift();
    if (reason !== undefined) throw new ApiFailure(reason, `is ${reason}`);
  }

  /** Runs one part. */
  async start(
    part: { run(signal: AbortSignal): Promise<void> },
  ): Promise<void> {
    this.#running = part.run(this.#stop.signal);
    await this.clock.advance(0);
  }

  /** The calls since the last time. */
  take(): string[] {
    return this.calls.splice(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    strictEqual(this.clock.pendingTimers, 0);
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}
