/**
 * A file source over a real directory, and what it delivered.
 *
 * The time passes only while a test waits, and only when nothing is under way.
 *
 * @module
 */

import { join } from "node:path";
import {
  fnv1a128Hex,
  formatObjectId,
  objectId,
  stableJson,
} from "../../../mod/api/objects/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { type Clock, systemClock } from "../../../mod/base/mod.ts";
import type { WatchHint } from "../../../mod/host/files/mod.ts";
import {
  createManifestFiles,
  FileSource,
  type FileSourceOptions,
} from "../../../mod/source/file/mod.ts";
import { DiskLastGoodStore } from "../../../mod/source/records/mod.ts";
import type { FileReport, ManifestFiles } from "../../../mod/source/mod.ts";
import type { SourceSet } from "../../../mod/source/merge/mod.ts";
import { NO_CHECK } from "../no_ops.ts";
import { type EventOfPod, eventsOfPodsTo } from "../event_list.ts";
import { Quiet } from "../quiet/quiet.ts";
import { until } from "../until.ts";
import { FileClock } from "./file_clock.ts";
import { fieldsTo } from "../log_lines.ts";
import { textsOf } from "../api/object_json.ts";

/** What a test may choose; the rest is as in production. */
export interface RigOptions
  extends Partial<Omit<FileSourceOptions, "nodeName">> {
  /** Whether the directory is there when the source starts. @default {true} */
  readonly exists?: boolean;
  /** The root directory of an earlier rig, which then stays. */
  readonly root?: string;
  /**
   * The machine's, where Deno's watching thread gets lost: nobody can tell then when all
   * changes have been told. @default one that only the rig moves
   */
  readonly clock?: Clock;
  /** Replaces parts of the file system. */
  readonly files?: (real: ManifestFiles) => ManifestFiles;
  /** Runs before the source starts. */
  readonly prepare?: (rig: SourceRig) => Promise<void>;
}

/**
 * How much time passes for what must come: less than the time from one look at the whole
 * directory to the next, so that what comes in time was told by the system.
 */
const PATIENCE_MS = 15_000;

/** Short, so that what falls due in one step is done before much else falls due. */
const STEP_MS = 50;

/** Starts a source in a temporary directory. */
export async function startSourceRig(
  options: RigOptions = {},
): Promise<SourceRig> {
  const root = options.root ??
    await Deno.makeTempDir({ prefix: "skerry_source_" });
  const clock = new FileClock();
  const time = options.clock === undefined
    ? { clock, quiet: await Quiet.open({ clock }) }
    : undefined;
  const rig = new SourceRig(root, options, time);
  if (options.exists ?? true) {
    await Deno.mkdir(rig.manifests, { recursive: true });
  }
  await options.prepare?.(rig);
  rig.start();
  return rig;
}

interface FakeTime {
  readonly clock: FileClock;
  readonly quiet: Quiet;
}

/** Owns the directory and the running source. */
export class SourceRig implements AsyncDisposable {
  readonly root: string;
  /** The watched directory. */
  readonly manifests: string;
  readonly sets: SourceSet[] = [];
  readonly events: EventOfPod[] = [];
  readonly log: Record<string, unknown>[] = [];
  readonly metrics: MetricsRegistry = new MetricsRegistry();
  readonly #options: RigOptions;
  readonly #time: FakeTime | undefined;
  readonly #stop = new AbortController();
  #source: FileSource | undefined;
  #running: Promise<void> | undefined;
  #written = 0;
  #scans = 0;
  #reads = 0;
  #hints = 0;

  constructor(root: string, options: RigOptions, time?: FakeTime) {
    this.root = root;
    this.manifests = join(root, "manifests");
    this.#options = options;
    this.#time = time;
  }

  start(): void {
    const {
      exists: _,
      root: _root,
      files,
      prepare: _p,
      clock: given = systemClock,
      ...rest
    } = this.#options;
    const clock = this.#time?.clock ?? given;
    const log = fieldsTo(this.log, { clock, level: "debug" });
    const events = eventsOfPodsTo(this.events);
    const { metrics } = this;
    const deps = { clock, log, metrics, events };
    const real = this.#counted(createManifestFiles(deps));
    this.#source = new FileSource(
      {
        path: this.manifests,
        nodeName: "Node-1",
        checkFrequencyMs: 20_000,
        everyFile: false,
        unknownFields: "refuse",
        ...rest,
      },
      {
        ...deps,
        check: NO_CHECK,
        files: files?.(real) ?? real,
        lastGood: new DiskLastGoodStore({
          directory: join(this.root, "checkpoints"),
          secretDirectory: join(this.root, "run"),
          // What is written together, and when, is a matter of its own.
          gatherMs: 0,
        }, deps),
      },
    );
    this.#running = this.#collect(this.#source);
  }

  get last(): SourceSet | undefined {
    return this.sets.at(-1);
  }

  /** The names of the pods in the last set, without the node's. */
  get names(): readonly string[] {
    return (this.last?.pods ?? [])
      .map((pod) => pod.metadata.name.replace(/-node-1$/, "")).sort();
  }

  /** What the last set has beside pods, as `kind namespace/name` and texts. */
  get objects(): Readonly<Record<string, Readonly<Record<string, string>>>> {
    return Object.fromEntries((this.last?.objects ?? []).map((object) => [
      formatObjectId(objectId(object)),
      textsOf(object),
    ]));
  }

  async untilObjects(wanted: SourceRig["objects"]): Promise<void> {
    await this.until(
      () => stableJson(this.objects) === stableJson(wanted),
      `objects ${stableJson(wanted)}`,
    );
  }

  report(): readonly FileReport[] {
    return this.#source?.report() ?? [];
  }

  path(name: string): string {
    return join(this.manifests, name);
  }

  /** Puts a file there in one step. */
  async put(name: string, text: string): Promise<void> {
    this.#written++;
    const temporary = join(this.root, `new-${this.#written}`);
    await Deno.writeTextFile(temporary, text);
    await Deno.rename(temporary, this.path(name));
  }

  /** Waits until `holds` is true, and fails with what was seen if it never is. */
  async until(
    holds: () => boolean | Promise<boolean>,
    what: string,
  ): Promise<void> {
    // The kernel and a lost thread cannot be asked whether they are done.
    if (this.#time === undefined) {
      return await until(holds, what, () => this.#describe());
    }
    const { clock, quiet } = this.#time;
    const endMs = clock.monotonic() + PATIENCE_MS;
    clock.catchUp();
    await quiet.wait();
    while (!await holds()) {
      if (clock.monotonic() >= endMs) {
        throw new Error(`Never came: ${what}; there is ${this.#describe()}`);
      }
      await this.#step(this.#time);
    }
  }

  /** How much time has passed. */
  get passedMs(): number {
    if (this.#time === undefined) throw new Error("The time is the machine's");
    return this.#time.clock.monotonic();
  }

  /** Lets time pass. */
  async pass(ms: number): Promise<void> {
    const endMs = this.passedMs + ms;
    await this.until(() => true, "nothing");
    while (this.#time && this.passedMs < endMs) await this.#step(this.#time);
  }

  async untilNames(...names: readonly string[]): Promise<void> {
    const wanted = names.toSorted().join();
    await this.until(
      () => this.last !== undefined && this.names.join() === wanted,
      `pods ${wanted}`,
    );
  }

  /**
   * Waits until all that was changed before would have been told: the first look at the
   * whole directory notices it, the second may come before it is read, and what was read
   * is told before the third.
   */
  async untilLooked(): Promise<void> {
    const wanted = this.#scans + 3;
    await this.until(() => this.#scans >= wanted, "looks at the directory");
  }

  /** Makes a change, and waits until a manifest has been read. */
  async untilRead(change: () => Promise<void>): Promise<void> {
    const before = this.#reads;
    await change();
    await this.until(() => this.#reads > before, "a look into a file");
  }

  /** Makes a change, and waits until the system has told of one. */
  async untilHint(change: () => Promise<void>): Promise<void> {
    const before = this.#hints;
    await change();
    await this.until(() => this.#hints > before, "a hint");
  }

  /** Stops the source and leaves the directory. */
  async stop(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    using _quiet = this.#time?.quiet;
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await Deno.remove(this.root, { recursive: true });
  }

  /** Moves the clock on, and waits for what that sets off. */
  async #step({ clock, quiet }: FakeTime): Promise<void> {
    const { moves } = clock;
    await clock.advance(STEP_MS);
    // Where no timer was due, nothing has begun.
    if (clock.moves !== moves) await quiet.wait();
  }

  #describe(): string {
    return JSON.stringify({
      names: this.names,
      objects: this.objects,
      sets: this.sets.length,
      report: this.report(),
      log: this.log.filter(({ level }) => level !== "debug").slice(-20),
    });
  }

  /** Counts what is asked of the files. */
  #counted(files: ManifestFiles): ManifestFiles {
    return {
      look: (path) => files.look(path),
      list: (path) => {
        this.#scans++;
        return files.list(path);
      },
      read: async (path, maxBytes) => {
        const found = await files.read(path, maxBytes);
        this.#reads++;
        return found;
      },
      watch: (path, signal) => this.#heard(files.watch(path, signal)),
    };
  }

  async *#heard(hints: AsyncIterable<WatchHint>): AsyncGenerator<WatchHint> {
    for await (const hint of hints) {
      this.#hints++;
      yield hint;
    }
  }

  async #collect(source: FileSource): Promise<void> {
    for await (const set of source.run(this.#stop.signal)) {
      this.sets.push(set);
    }
  }
}

/** A manifest of one pod with one container. */
export function manifestYaml(
  name: string,
  options: { readonly image?: string; readonly uid?: string } = {},
): string {
  const { image = "busybox", uid } = options;
  return [
    "apiVersion: v1",
    "kind: Pod",
    "metadata:",
    `  name: ${name}`,
    ...(uid === undefined ? [] : [`  uid: ${uid}`]),
    "spec:",
    "  containers:",
    "  - name: main",
    `    image: ${image}`,
    "",
  ].join("\n");
}

/** A manifest of one ConfigMap or Secret. */
export function keyedManifest(
  kind: "ConfigMap" | "Secret",
  name: string,
  values: Readonly<Record<string, string>>,
): string {
  const field = kind === "Secret" ? "stringData" : "data";
  const body = { apiVersion: "v1", kind, metadata: { name }, [field]: values };
  return `${JSON.stringify(body)}
`;
}

/** Whether a record below `root` is that of the directory, and not of a manifest. */
export function isDirectoryRecord(root: string, name: string): boolean {
  return name === `${fnv1a128Hex(`directory:${join(root, "manifests")}`)}.json`;
}

/** Makes a file look as if it had been written a minute ago. */
export async function age(path: string): Promise<void> {
  const then = (systemClock.now() - 60_000) / 1000;
  await Deno.utime(path, then, then);
}
