/**
 * When pods of a cluster are seen to run, by whoever watches them.
 *
 * @module
 */

import type { Pod } from "../../mod/api/types/mod.ts";
import type { ApiClient } from "../../tests/support/cluster/api_client.ts";
import { waitUntil } from "../lib/wait_until.ts";
import { containerIdOf, wallMs } from "./bench_runtime.ts";
import { PODS_PATH } from "./joined_kinds.ts";

/** When a pod was first seen so, by the wall clock. */
export interface SeenPod {
  readonly containerId: string;
  readonly runningMs: number;
  readonly readyMs: number;
}

interface PodEvent {
  readonly type: string;
  readonly object: Pod;
}

/** Watches all pods of the default namespace; `await using` ends it. */
export class PodWatch implements AsyncDisposable {
  readonly #stop: AbortController = new AbortController();
  readonly #running = new Map<string, number>();
  readonly #seen = new Map<string, SeenPod>();
  readonly #there = new Set<string>();
  #reading: Promise<void> = Promise.resolve();

  private constructor() {}

  /** Resolves when the watch is open. */
  static async open(api: ApiClient): Promise<PodWatch> {
    const watch = new PodWatch();
    // Longer than a measurement; the server would end it after half an hour at the earliest.
    const path = `${PODS_PATH}?watch=1&timeoutSeconds=7200`;
    const events = await api.watch(path, watch.#stop.signal);
    watch.#reading = watch.#read(events);
    return watch;
  }

  /** Waits until pods are ready; in the order of the names. */
  async untilReady(names: readonly string[]): Promise<readonly SeenPod[]> {
    const ready = () => names.flatMap((name) => this.#seen.get(name) ?? []);
    await waitUntil(
      `${names.length} ready pods in the API`,
      () => Promise.resolve(ready().length === names.length),
      { saw: () => ready().length, everyMs: 20 },
    );
    return ready();
  }

  /** Waits until pods have gone. */
  async untilGone(names: readonly string[]): Promise<void> {
    const left = () => names.filter((name) => this.#there.has(name));
    await waitUntil(
      `${names.length} pods that are gone`,
      () => Promise.resolve(left().length === 0),
      { saw: left, everyMs: 100 },
    );
  }

  async #read(events: AsyncIterable<unknown>): Promise<void> {
    try {
      for await (const event of events) {
        // What a real server says of pods.
        this.#note(event as PodEvent);
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error;
    }
  }

  #note({ type, object }: PodEvent): void {
    const atMs = wallMs();
    const { metadata: { name }, status } = object;
    if (type === "DELETED") {
      this.#there.delete(name);
      return;
    }
    this.#there.add(name);
    if (status?.phase === "Running" && !this.#running.has(name)) {
      this.#running.set(name, atMs);
    }
    const isReady = status?.conditions?.some(({ type, status }) =>
      type === "Ready" && status === "True"
    );
    if (!isReady || this.#seen.has(name)) return;
    this.#seen.set(name, {
      containerId: containerIdOf(object),
      runningMs: this.#running.get(name) ?? atMs,
      readyMs: atMs,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#reading;
  }
}
