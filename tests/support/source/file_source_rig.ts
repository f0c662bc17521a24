/**
 * A file source over files in memory and time that stands still, to be stepped.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import {
  createLogger,
  MetricsRegistry,
} from "../../../mod/base/telemetry/mod.ts";
import { FileSource } from "../../../mod/source/file/file_source.ts";
import type { PodCheck } from "../../../mod/source/mod.ts";
import type { SourceSet } from "../../../mod/source/merge/source_set.ts";
import { FakeClock } from "../fake_clock.ts";
import { NO_CHECK, NO_EVENTS } from "../no_ops.ts";
import { FakeLastGood, FakeManifests, FILE_OPTIONS } from "./fake_manifests.ts";

/** A manifest of one pod with one container. */
export function manifest(name: string, image = "busybox"): string {
  return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"${name}"},` +
    `"spec":{"containers":[{"name":"main","image":"${image}"}]}}`;
}

/** A manifest whose pod stays the same in another file. */
export function withUid(name: string): string {
  return manifest(name).replace(`{"name"`, `{"uid":"uid-${name}","name"`);
}

/** What the source delivers and says while a test changes files. */
export class FileSourceRig implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly files: FakeManifests = new FakeManifests(this.clock);
  readonly lastGood: FakeLastGood;
  readonly sets: SourceSet[] = [];
  readonly log: string[] = [];
  readonly metrics: MetricsRegistry = new MetricsRegistry();
  readonly #stop = new AbortController();
  readonly source: FileSource;
  #running: Promise<void> | undefined;

  constructor(
    lastGood: FakeLastGood = new FakeLastGood(),
    check: PodCheck = NO_CHECK,
  ) {
    this.lastGood = lastGood;
    const { clock, files, metrics } = this;
    const log = createLogger({
      level: "debug",
      format: "json",
      clock,
      write: (line) => this.log.push(JSON.parse(line).message),
    });
    this.source = new FileSource(
      { ...FILE_OPTIONS, path: "/m/" },
      { clock, files, lastGood, log, metrics, events: NO_EVENTS, check },
    );
  }

  /** Starts, or goes on, and lets `ms` pass. */
  async pass(ms = 0): Promise<void> {
    this.#running ??= (async () => {
      for await (const set of this.source.run(this.#stop.signal)) {
        this.sets.push(set);
      }
    })();
    await this.clock.advance(ms);
    await this.clock.advance(0);
  }

  get names(): string {
    const pods = this.sets.at(-1)?.pods ?? [];
    return pods.map(({ metadata }) => metadata.name.replace(/-n$/, "")).join();
  }

  get images(): string {
    const pods = this.sets.at(-1)?.pods ?? [];
    return pods.map(({ spec }) => spec.containers[0]?.image).join();
  }

  count(message: string): number {
    return this.log.filter((line) => line === message).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    strictEqual(this.clock.pendingTimers, 0);
  }
}

/** Written long before the source starts. */
export const OLD: { readonly ageMs: number } = { ageMs: 60_000 };

/** Moves a manifest, with the hints of a watcher. */
export function move({ files }: FileSourceRig, from: string, to: string): void {
  files.rename(`${from}.yaml`, `${to}.yaml`);
  files.hint(`${from}.yaml`, "removed", `${to}.yaml`);
  files.hint(`${to}.yaml`, "arrived");
}

/** The sets that lack one of the pods. */
export function lacking(
  { sets }: FileSourceRig,
  ...names: readonly string[]
): readonly string[] {
  return sets.map(({ pods }) => pods.map(({ metadata }) => metadata.name))
    .filter((found) => names.some((name) => !found.includes(`${name}-n`)))
    .map((found) => found.join());
}
