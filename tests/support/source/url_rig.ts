/**
 * A URL source over a real loopback server, on a clock that the test moves.
 *
 * @module
 */

import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { readFileBounded } from "../../../mod/host/files/mod.ts";
import type {
  FileReport,
  Kept,
  SetCheckpoint,
} from "../../../mod/source/mod.ts";
import type {
  SourceContent,
  SourceSet,
} from "../../../mod/source/merge/mod.ts";
import {
  UrlSource,
  type UrlSourceDeps,
  type UrlSourceOptions,
} from "../../../mod/source/url/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { NO_CHECK } from "../no_ops.ts";
import { until } from "../until.ts";
import { type EventOfPod, eventsOfPodsTo } from "../event_list.ts";
import { fieldsTo } from "../log_lines.ts";

const PERIOD_MS = 20_000;

/** Notes when the source has nothing to do but wait for its next question. */
class PollClock extends FakeClock {
  polls = 0;

  override sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    if (delayMs === PERIOD_MS) this.polls++;
    return super.sleep(delayMs, signal);
  }
}

/** A checkpoint that lasts as long as the test keeps it, and takes what it gets while it runs. */
export class MemoryCheckpoint implements SetCheckpoint {
  content: SourceContent | undefined;
  saves = 0;
  /** Why it cannot be read at present. */
  outage: string | undefined;
  #isRunning = false;

  load(): Promise<Kept<SourceContent>> {
    const { content, outage } = this;
    return Promise.resolve(
      outage !== undefined
        ? { kind: "unknown", reason: outage }
        : content === undefined
        ? { kind: "absent" }
        : { kind: "present", content },
    );
  }

  save(content: SourceContent): void {
    if (!this.#isRunning) return;
    this.content = content;
    this.saves++;
  }

  failure(): undefined {}

  async run(signal: AbortSignal): Promise<void> {
    this.#isRunning = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    this.#isRunning = false;
  }
}

/** What a test may choose. */
export interface UrlRigOptions
  extends Partial<Omit<UrlSourceOptions, "nodeName">> {
  readonly url: string;
  readonly checkpoint?: SetCheckpoint;
  readonly check?: NonNullable<UrlSourceDeps["check"]>;
  /** @default from the disk */
  readonly readFile?: UrlSourceDeps["readFile"];
}

/** Starts a source and waits for the end of its first question. */
export async function startUrlRig(options: UrlRigOptions): Promise<UrlRig> {
  const rig = new UrlRig(options);
  await rig.untilPolls(1);
  return rig;
}

/** Owns a running source. */
export class UrlRig implements AsyncDisposable {
  readonly clock: PollClock = new PollClock();
  readonly sets: SourceSet[] = [];
  readonly events: EventOfPod[] = [];
  readonly log: Record<string, unknown>[] = [];
  readonly metrics: MetricsRegistry = new MetricsRegistry();
  readonly checkpoint: SetCheckpoint;
  readonly #source: UrlSource;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  /** Starts the source; its first question is under way. */
  constructor(options: UrlRigOptions) {
    const { checkpoint = new MemoryCheckpoint(), ...others } = options;
    const { check = NO_CHECK, readFile = readFileBounded, ...rest } = others;
    const { clock, metrics } = this;
    this.checkpoint = checkpoint;
    const log = fieldsTo(this.log, { clock, level: "debug" });
    const events = eventsOfPodsTo(this.events);
    this.#source = new UrlSource({
      nodeName: "Node-1",
      headers: {},
      publicKeyFiles: [],
      checkFrequencyMs: PERIOD_MS,
      unknownFields: "refuse",
      ...rest,
    }, {
      clock,
      log,
      metrics,
      events,
      checkpoint,
      readFile,
      check,
    });
    this.#running = this.#collect();
  }

  get last(): SourceSet | undefined {
    return this.sets.at(-1);
  }

  /** Name and first image of the pods in the last set, as `name=image`. */
  get pods(): readonly string[] {
    return (this.last?.pods ?? []).map(({ metadata, spec }) =>
      `${metadata.name.replace(/-node-1$/, "")}=${spec.containers[0]?.image}`
    ).sort();
  }

  /** What the source has to report, one text for each. */
  get reports(): readonly string[] {
    return this.#source.report().map((report) => describe(report));
  }

  report(): readonly FileReport[] {
    return this.#source.report();
  }

  /** The names of the pods whose places are kept; `undefined` until they are known. */
  get expected(): readonly string[] | undefined {
    return this.#source.expected?.map(({ metadata }) => metadata.name);
  }

  /** Lets the source ask once more, and waits for what comes of it. */
  async poll(): Promise<void> {
    const before = this.clock.polls;
    await this.clock.advance(PERIOD_MS);
    await this.untilPolls(before + 1);
  }

  async untilPolls(wanted: number): Promise<void> {
    await this.until(() => this.clock.polls >= wanted, `poll ${wanted}`);
    // What the poll delivered is on its way through the generator.
    await this.clock.advance(0);
  }

  /** The answers come over a real socket, which no clock of a test hurries. */
  async until(condition: () => boolean, what: string): Promise<void> {
    await until(condition, what, () => JSON.stringify(this.reports));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #collect(): Promise<void> {
    for await (const set of this.#source.run(this.#stop.signal)) {
      this.sets.push(set);
    }
  }
}

function describe(report: FileReport): string {
  switch (report.kind) {
    case "refused":
    case "last_good":
      return `${report.kind} ${report.file}: ${
        report.faults.map(({ field, message }) => `${field}: ${message}`)
          .join("; ")
      }`;
    case "unreachable":
      return report.message;
    case "duplicate":
    case "duplicate_object":
      return `${report.kind} ${report.file}`;
  }
}

/** A pod as a manifest has it. */
export function urlPod(name: string, image: string = "one"): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { containers: [{ name: "c", image }] },
  };
}

/** A PodList in JSON. */
export function podList(...items: readonly object[]): string {
  return JSON.stringify({ apiVersion: "v1", kind: "PodList", items });
}
