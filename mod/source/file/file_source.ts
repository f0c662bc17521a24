/**
 * Pods from a directory of manifests, or from a single one.
 *
 * @module
 */

import type { UnknownFields } from "../../api/fault/mod.ts";
import { Bell, TaskGroup } from "../../base/mod.ts";
import { trimEndOf } from "../../base/text/mod.ts";
import { isManifestName, type QuietPeriods, readHint } from "./file_hints.ts";
import { FileReporter, type FileReporterDeps } from "./file_reporter.ts";
import {
  type FileReport,
  isEmptyContent,
  isSettling,
  type LastGoodStore,
  type ManifestFiles,
  type PodCheck,
  sameContent,
  type SourceCondition,
} from "../mod.ts";
import { KeptManifests } from "./kept_manifests.ts";
import { ManifestReader } from "./manifest_reader.ts";
import { ManifestSet } from "./manifest_set.ts";
import { ManifestTable, PATIENCE_MS } from "./manifest_table.ts";
import { READERS } from "./path_state.ts";
import {
  areNamed,
  type HeldBack,
  heldBack,
  type Resolution,
} from "./resolve_files.ts";
import type { SourceSet } from "../merge/mod.ts";

/** How a {@linkcode FileSource} works. */
export interface FileSourceOptions {
  /** A directory or a single file, best as an absolute path: it is part of the UIDs. */
  readonly path: string;
  /** The node's name as configured, in any case. */
  readonly nodeName: string;
  /** How often everything is looked at whatever the hints say. */
  readonly checkFrequencyMs: number;
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
   */
  readonly everyFile: boolean;
  /** What becomes of fields that the API does not have. */
  readonly unknownFields: UnknownFields;
}

interface FileSourceDeps extends FileReporterDeps {
  readonly files: ManifestFiles;
  readonly lastGood: LastGoodStore;
  /** What this node has against a valid pod; a fault refuses its manifest. */
  readonly check: PodCheck;
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
  readonly #options: FileSourceOptions;
  readonly #quiet: QuietPeriods;
  readonly #deps: FileSourceDeps;
  readonly #table: ManifestTable;
  readonly #manifests: ManifestSet;
  readonly #reporter: FileReporter;
  readonly #kept: KeptManifests;

  #isChanged = false;
  #resolved:
    | { readonly version: number; readonly resolution: Resolution }
    | undefined;
  #emitted: SourceSet | undefined;
  /** What the last set that was not held back came from. */
  #passed: Resolution | undefined;
  /** Until then the first set waits for manifests that may be being written. */
  #settledMs = Infinity;
  /** Since when a set is held back that lacks something. */
  #heldMs: number | undefined;
  readonly #bell = new Bell();

  /** Touches nothing until it runs. */
  constructor(options: FileSourceOptions, deps: FileSourceDeps) {
    const { path, nodeName, settleMs = 100, unknownFields } = options;
    // The root itself stays.
    this.#path = path.slice(0, 1) + trimEndOf(path.slice(1), "/");
    this.#options = options;
    this.#quiet = { settleMs, openMs: settleMs * 100 };
    this.#deps = deps;
    this.#table = new ManifestTable(settleMs);
    this.#kept = new KeptManifests(deps.lastGood);
    const kept = this.#kept;
    this.#manifests = new ManifestSet({
      path: this.#path,
      isManifest: (name) => isManifestName(name, options),
      quiet: this.#quiet,
    }, {
      ...deps,
      kept,
      table: this.#table,
      reader: new ManifestReader(nodeName, { ...deps, kept, unknownFields }),
    });
    this.#reporter = new FileReporter(nodeName, deps);
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
    return this.#reporter.reports;
  }

  /** Where the manifests are. */
  get location(): string {
    return this.#path;
  }

  /** How well the source does; empty before it looked for the first time. */
  conditions(): readonly SourceCondition[] {
    return this.#reporter.conditions(this.#deps.lastGood.failure());
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { clock, files } = this.#deps;
    const manifests = this.#manifests;
    const table = this.#table;
    for await (const hint of files.watch(this.#path, signal)) {
      const nowMs = clock.monotonic();
      const demand = readHint(hint, {
        nowMs,
        wallMs: clock.now(),
        quiet: this.#quiet,
        isManifest: (name) => manifests.isManifest(name),
        pending: (name) => {
          const { look, closedMs } = table.get(manifests.pathOf(name));
          if (look !== undefined || closedMs === undefined) return look;
          // It may be being read: a change of its mode is no writer all the same.
          return { kind: "when_quiet", dueMs: nowMs, closedMs };
        },
      });
      if (demand === undefined) continue;
      if (demand.kind === "rescan") {
        table.doubtWriters(nowMs + this.#quiet.settleMs * 10);
        table.scans.soon(nowMs);
      } else {
        const [name, movedTo] = demand.names;
        const path = manifests.pathOf(name);
        if (demand.isAside) {
          // As when two names change places by way of a third.
          const untilMs = nowMs + this.#quiet.settleMs;
          table.moves.noteAside(path, { nowMs, untilMs });
        }
        if (movedTo === undefined) table.noteChange(path, demand.look, nowMs);
        else {
          // Both names in one set: a pod that moves from one file to the other stays.
          table.noteMove({ from: path, to: manifests.pathOf(movedTo) }, nowMs);
        }
        // Something is there again. No event comes for other files that are gone.
        if (manifests.pathState.message !== undefined) table.scans.soon(nowMs);
      }
      this.#bell.ring();
    }
  }

  /** Does what is due, and for a moment what becomes due meanwhile. */
  async #work(): Promise<void> {
    const { clock } = this.#deps;
    const startMs = clock.monotonic();
    if (this.#table.scans.nextMs <= startMs) {
      this.#table.scans.begin(startMs, this.#options.checkFrequencyMs);
      await this.#manifests.scan();
      // How long a refusal takes, or a look that is repeated, says nothing of that.
      const { kind, message } = this.#manifests.pathState;
      const isSeen = kind !== "unknown" && message === undefined;
      if (isSeen) this.#table.scans.end(clock.monotonic());
      this.#isChanged = true;
    }
    const least = this.#table.size / MOST_SETS;
    let taken = 0;
    let spentMs = 0;
    // What arrives while we read is read as well and goes out in the same set, but
    // the first of many does not wait long for the last.
    do {
      const due = this.#table.takeDue(clock.monotonic(), READERS);
      if (due.length === 0) return;
      this.#isChanged = true;
      // First the files that something moved to: it is not gone before it is there.
      const { from = [], rest = [] } = Object.groupBy(
        due,
        ([path]) =>
          this.#table.get(path).movedTo !== undefined ? "from" : "rest",
      );
      await this.#examine(rest);
      await this.#examine(from);
      taken += due.length;
      spentMs = clock.monotonic() - startMs;
    } while (spentMs < BATCH_MS || taken < least && spentMs < MOST_BATCH_MS);
  }

  /** Looks at what was taken, of which there may be any number that moved in a row. */
  async #examine(looks: ReturnType<ManifestTable["takeDue"]>): Promise<void> {
    for (let at = 0; at < looks.length; at += READERS) {
      const some = looks.slice(at, at + READERS);
      await Promise.all(some.map(async ([path, look]) => {
        await this.#manifests.examine(path, look);
        this.#table.endLook(path);
      }));
    }
  }

  async #takeSet(): Promise<SourceSet | undefined> {
    if (!this.#isChanged || this.#isSettling()) return undefined;
    this.#isChanged = false;
    const { pathState, unknown } = this.#manifests;
    const resolution = await this.#resolve();
    const { pods, objects, workloads, reports } = resolution;
    const rewritten = this.#table.rewritten(this.#deps.clock.monotonic());
    const lasting = reports.filter((report) => !this.#isMoving(report));
    this.#reporter.update([...this.#outage(), ...lasting, ...rewritten]);
    if (pathState.kind === "unknown") return undefined;
    const held = this.#heldBack(resolution);
    this.#isChanged = held !== undefined;
    if (held === "all") return undefined;
    if (held === undefined) this.#pass(resolution);
    const set: SourceSet = {
      source: "file",
      pods: pods.concat(held?.pods ?? []),
      objects: objects.concat(held?.objects ?? []),
      workloads: workloads.concat(held?.workloads ?? []),
    };
    const next = unknown.length === 0 ? set : { ...set, unknown };
    const emitted = this.#emitted;
    if (emitted && saysLess(next, emitted, { isHeld: held !== undefined })) {
      return undefined;
    }
    this.#emitted = next;
    return next;
  }

  /** Puts the manifests together; anew only if one of them gives something else. */
  async #resolve(): Promise<Resolution> {
    const { version } = this.#table;
    const known = this.#resolved;
    if (known?.version === version) return known.resolution;
    const resolution = await this.#kept.resolve(this.#table.entries);
    this.#resolved = { version, resolution };
    return resolution;
  }

  /** Whether two files have the same only since one of them is missing, and waited for. */
  #isMoving(report: FileReport): boolean {
    if (report.kind !== "duplicate" && report.kind !== "duplicate_object") {
      return false;
    }
    return [report.file, report.of].some((path) =>
      this.#table.get(path).missingMs !== undefined
    );
  }

  #pass(resolution: Resolution): void {
    this.#passed = resolution;
    this.#heldMs = undefined;
    this.#table.notePlaces();
    this.#kept.keep(resolution);
  }

  /**
   * What of the last set has no manifest now, but may be found in another in a moment, or
   * in its own when the directory is back; `undefined` if there is nothing like that.
   */
  #heldBack(resolution: Resolution): HeldBack | undefined {
    const [table, emitted, passed] = [this.#table, this.#emitted, this.#passed];
    if (resolution === passed || emitted === undefined) return undefined;
    const nowMs = this.#deps.clock.monotonic();
    const sinceMs = this.#heldMs ?? nowMs;
    this.#heldMs = sinceMs;
    const { holders: now } = resolution;
    const isOver = !table.isAway && nowMs - sinceMs >= PATIENCE_MS;
    if (isOver || areNamed(emitted, now)) return undefined;
    if (table.isUnsettled(sinceMs, nowMs)) return "all";
    const held = heldBack(emitted, {
      before: passed?.holders ?? new Map(),
      now,
      isMoving: table.mover(nowMs),
    });
    const isNone = held !== "all" && isEmptyContent(held);
    return isNone ? undefined : held;
  }

  /** Until when a set waits that may not be delivered yet. */
  get #patienceMs(): number {
    if (this.#heldMs === undefined) return this.#settledMs;
    if (this.#table.isAway) return Infinity;
    const nowMs = this.#deps.clock.monotonic();
    const asideMs = this.#table.moves.asideMs(nowMs);
    const patienceMs = this.#heldMs + PATIENCE_MS;
    return asideMs > nowMs ? Math.min(asideMs, patienceMs) : patienceMs;
  }

  /** Whether the first set has to wait for manifests that may be being written. */
  #isSettling(): boolean {
    return this.#emitted === undefined &&
      isSettling(this.#table.entries) &&
      this.#deps.clock.monotonic() < this.#settledMs;
  }

  #outage(): readonly FileReport[] {
    const { message } = this.#manifests.pathState;
    return message === undefined
      ? []
      : [{ kind: "unreachable", file: this.#path, message }];
  }

  async #untilDue(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const waitsMs = this.#isChanged ? this.#patienceMs : Infinity;
    const untilMs = Math.min(this.#table.dueMs, waitsMs);
    if (untilMs > clock.monotonic()) {
      await this.#bell.wait(signal, { clock, untilMs });
    }
  }
}

// How long the first of several changes may be held back for the others.
const BATCH_MS = 5;

// All manifests that change at once come in at most so many sets: each of them costs a
// look at every manifest. Slow ones, or one that changes all the time, do not hold up the
// others for that.
const MOST_SETS = 16;
const MOST_BATCH_MS = 1000;

// As long as a writer may take that pauses.
const FIRST_SET_MS = 10_000;

/** Whether a set has nothing new beside another; one that is held has an order of its own. */
function saysLess(
  set: SourceSet,
  before: SourceSet,
  { isHeld }: { readonly isHeld: boolean },
): boolean {
  const isComplete = set.unknown === undefined;
  const wasComplete = before.unknown === undefined;
  const isSame = isHeld
    ? hasSame(set.pods, before.pods) && hasSame(set.objects, before.objects) &&
      hasSame(set.workloads, before.workloads)
    : sameContent(set, before);
  return isSame && (wasComplete || !isComplete);
}

function hasSame<Item>(a: readonly Item[], b: readonly Item[]): boolean {
  const all = new Set(b);
  return a.length === b.length && a.every((item) => all.has(item));
}
