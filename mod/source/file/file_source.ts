/**
 * Pods from a directory of manifests, or from a single one.
 *
 * @module
 */

import type { UnknownFields } from "../../api/fault/mod.ts";
import {
  Bell,
  type Moment,
  momentOf,
  TaskGroup,
  wallTimeOf,
} from "../../base/mod.ts";
import { trimEndOf } from "../../base/text/mod.ts";
import {
  isManifestName,
  type PendingLook,
  type QuietPeriods,
  readHint,
} from "./file_hints.ts";
import { FileReporter, type FileReporterDeps } from "./file_reporter.ts";
import { FileSchedule, RewrittenFiles } from "./file_schedule.ts";
import {
  checkpointCondition,
  type FileReport,
  isContentKnown,
  isSettling,
  type LastGoodStore,
  type ManifestFiles,
  type PodCheck,
  sameContent,
  type SourceCondition,
} from "../mod.ts";
import { NameHolders } from "./resolve_files.ts";
import { KeptManifests } from "./kept_manifests.ts";
import { ManifestReader } from "./manifest_reader.ts";
import { ManifestSet } from "./manifest_set.ts";
import type { SourceSet } from "../merge/mod.ts";

/** How a {@linkcode FileSource} works. */
export interface FileSourceOptions {
  /** A directory or a single file, best as an absolute path: it is part of the UIDs. */
  readonly path: string;
  /** The node's name as configured, in any case. */
  readonly nodeName: string;
  /**
   * How often everything is looked at whatever the hints say.
   *
   * @default {20_000}
   */
  readonly checkFrequencyMs?: number;
  /**
   * How long a file that was written must be quiet before it is read; one that was
   * not closed, a hundred times as long.
   *
   * @default {100}
   */
  readonly settleMs?: number;
  /**
   * Whether every name that does not begin with a dot is a manifest, as in the
   * kubelet, instead of `.yaml`, `.yml` and `.json` only.
   *
   * @default {false}
   */
  readonly everyFile?: boolean;
  /**
   * What becomes of fields that the API does not have.
   *
   * @default {"refuse"}
   */
  readonly unknownFields?: UnknownFields;
}

/** What a {@linkcode FileSource} is built on. */
export interface FileSourceDeps extends FileReporterDeps {
  readonly files: ManifestFiles;
  readonly lastGood: LastGoodStore;
  /** What this node has against a valid pod; a fault refuses its manifest. */
  readonly check?: PodCheck;
}

/**
 * Delivers the pods and objects of all manifests as full sets, one for each change.
 *
 * Hints of the system make it quick, a full look now and then makes it right. A
 * manifest that turns invalid or unreadable keeps its last good content, also across
 * a restart; only one that is gone takes it along. A directory that vanishes, cannot
 * be read or is empty and another than before keeps all of it, also across a restart.
 *
 * The first set waits until each manifest says something, or did so to an agent
 * before; not longer than 10 s, since one that is written all the time must not hold
 * up the others. What is not known then is named in the set.
 */
export class FileSource {
  readonly #path: string;
  readonly #checkFrequencyMs: number;
  readonly #quiet: QuietPeriods;
  readonly #deps: FileSourceDeps;
  readonly #schedule: FileSchedule;
  readonly #manifests: ManifestSet;
  readonly #reporter: FileReporter;
  readonly #kept: KeptManifests;
  readonly #nameHolders: NameHolders;
  readonly #start: Moment;
  readonly #rewritten = new RewrittenFiles();

  #isChanged = false;
  #emitted: SourceSet | undefined;
  /** Until then the first set waits for manifests that may be being written. */
  #settledMs = Infinity;
  #reports: readonly FileReport[] = [];
  readonly #bell = new Bell();

  /** Touches nothing until it runs. */
  constructor(options: FileSourceOptions, deps: FileSourceDeps) {
    const { nodeName, settleMs = 100, everyFile = false } = options;
    const { path } = options;
    // The root itself stays.
    this.#path = path.slice(0, 1) + trimEndOf(path.slice(1), "/");
    this.#checkFrequencyMs = options.checkFrequencyMs ?? 20_000;
    this.#quiet = { settleMs, openMs: settleMs * 100 };
    this.#deps = deps;
    this.#schedule = new FileSchedule(settleMs);
    this.#kept = new KeptManifests(deps.lastGood);
    this.#nameHolders = new NameHolders(this.#kept);
    const kept = this.#kept;
    const isManifest = (name: string): boolean =>
      isManifestName(name, { everyFile });
    this.#manifests = new ManifestSet(
      { path: this.#path, isManifest, quiet: this.#quiet },
      {
        ...deps,
        kept,
        schedule: this.#schedule,
        reader: new ManifestReader(nodeName, {
          ...deps,
          kept,
          unknownFields: options.unknownFields ?? "refuse",
        }),
      },
    );
    this.#reporter = new FileReporter(nodeName, deps);
    this.#start = momentOf(deps.clock);
  }

  /**
   * Delivers the present set at once and every later one that differs.
   *
   * Nothing comes before the path could be listed or is known to be missing, or an
   * agent before knew what is in it. A set is the whole truth unless it names what is
   * unknown. A slow reader misses sets but never the last
   * one. Ends without an error when `signal` aborts. To be run once.
   */
  async *run(signal: AbortSignal): AsyncGenerator<SourceSet, void, undefined> {
    await using tasks = new TaskGroup(signal);
    tasks.start((stop) => this.#follow(stop));
    tasks.start((stop) => this.#deps.lastGood.run(stop));
    this.#settledMs = this.#deps.clock.monotonic() + FIRST_SET_MS;
    while (!tasks.signal.aborted) {
      await this.#work();
      const set = await this.#takeSet();
      if (set !== undefined && !tasks.signal.aborted) yield set;
      await this.#untilDue(tasks.signal);
    }
    if (tasks.failure !== undefined) throw tasks.failure;
  }

  /** What is wrong with manifests at present. */
  report(): readonly FileReport[] {
    return this.#reports;
  }

  /** Where the manifests are. */
  get location(): string {
    return this.#path;
  }

  /** How well the source does; empty before it looked for the first time. */
  conditions(): readonly SourceCondition[] {
    const conditions = this.#reporter.conditions();
    const failure = this.#deps.lastGood.failure();
    if (conditions.length === 0) return [];
    const startMs = wallTimeOf(this.#start, momentOf(this.#deps.clock));
    return [...conditions, checkpointCondition(failure, startMs)];
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { clock, files } = this.#deps;
    for await (const hint of files.watch(this.#path, signal)) {
      const nowMs = clock.monotonic();
      const demand = readHint(hint, {
        nowMs,
        wallMs: clock.now(),
        quiet: this.#quiet,
        isManifest: (name) => this.#manifests.isManifest(name),
        pending: (name) => this.#schedule.get(this.#manifests.pathOf(name)),
      });
      if (demand.kind === "nothing") continue;
      if (demand.kind === "rescan") {
        this.#schedule.doubtWriters(nowMs + this.#quiet.settleMs * 10);
        this.#schedule.scanSoon(nowMs);
      } else {
        const path = this.#manifests.pathOf(demand.name);
        this.#schedule.add(path, demand.look);
        this.#rewritten.noteChange(path, nowMs);
        // Both names in one set: a pod that moves from one file to the other stays.
        if (demand.movedTo !== undefined) {
          const target = this.#manifests.pathOf(demand.movedTo);
          this.#schedule.add(target, demand.look);
        }
        // Something is there again, and what else is gone tells no one.
        if (this.#manifests.pathState.kind === "unreachable") {
          this.#schedule.scanSoon(nowMs);
        }
      }
      this.#bell.ring();
    }
  }

  /** Does what is due, and for a moment what becomes due meanwhile. */
  async #work(): Promise<void> {
    const { clock } = this.#deps;
    const startMs = clock.monotonic();
    if (this.#schedule.isScanDue(startMs)) {
      this.#schedule.beginScan(startMs, this.#checkFrequencyMs);
      await this.#manifests.scan();
      this.#isChanged = true;
    }
    // What arrives while we read is read as well and goes out in the same set, but
    // the first of many does not wait long for the last.
    do {
      const due = this.#schedule.takeDue(clock.monotonic(), READERS);
      if (due.length === 0) return;
      this.#isChanged = true;
      await Promise.all(due.map((each) => this.#examine(...each)));
    } while (clock.monotonic() - startMs < BATCH_MS);
  }

  async #examine(path: string, look: PendingLook): Promise<void> {
    const { entries } = this.#manifests;
    const before = entries.get(path);
    await this.#manifests.examine(path, look);
    const isRead = entries.get(path) !== before || !this.#schedule.has(path);
    if (isRead) this.#rewritten.noteRead(path);
  }

  async #takeSet(): Promise<SourceSet | undefined> {
    if (!this.#isChanged || this.#isSettling()) return undefined;
    this.#isChanged = false;
    const { entries, pathState, unknown } = this.#manifests;
    const { pods, objects, reports, counted } = await this.#nameHolders
      .resolve(entries);
    const nowMs = this.#deps.clock.monotonic();
    const rewritten = this.#rewritten.reports(entries, nowMs);
    this.#reports = [...this.#outage(), ...reports, ...rewritten];
    this.#reporter.update(this.#reports);
    if (pathState.kind === "unknown") return undefined;
    for (const [path, content] of counted) {
      const verdict = entries.get(path)?.verdict;
      if (verdict !== undefined && isContentKnown(verdict)) {
        this.#kept.keep(path, content);
      }
    }
    const set: SourceSet = { source: "file", pods, objects };
    const told = unknown.length === 0 ? set : { ...set, unknown };
    if (this.#emitted !== undefined && saysLess(told, this.#emitted)) {
      return undefined;
    }
    this.#emitted = told;
    return told;
  }

  /** Whether the first set has to wait for manifests that may be being written. */
  #isSettling(): boolean {
    return this.#emitted === undefined &&
      isSettling(this.#manifests.entries) &&
      this.#deps.clock.monotonic() < this.#settledMs;
  }

  #outage(): readonly FileReport[] {
    const { pathState } = this.#manifests;
    if (pathState.kind !== "unknown" && pathState.kind !== "unreachable") {
      return [];
    }
    const { message } = pathState;
    if (message === undefined) return [];
    return [{ kind: "unreachable", file: this.#path, message }];
  }

  async #untilDue(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const untilMs = this.#schedule.dueMs;
    if (untilMs > clock.monotonic()) {
      await this.#bell.wait(signal, { clock, untilMs });
    }
  }
}

// How long the first of several changes may be held back for the others.
const BATCH_MS = 5;

// How many files are read beside each other.
const READERS = 16;

// As long as a writer may take that pauses.
const FIRST_SET_MS = 10_000;

/** Whether a set tells nothing that another did not. */
function saysLess(set: SourceSet, before: SourceSet): boolean {
  const isComplete = set.unknown === undefined;
  const wasComplete = before.unknown === undefined;
  return sameContent(set, before) && (wasComplete || !isComplete);
}
