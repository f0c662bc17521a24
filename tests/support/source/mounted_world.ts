/**
 * A directory of manifests on a mount that comes and goes, a disk of records, and agents
 * that live and die beside them.
 *
 * @module
 */

import { deepStrictEqual, ok } from "node:assert/strict";
import { fnv1a128Hex } from "../../../mod/api/objects/mod.ts";
import { isRecord } from "../../../mod/base/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { type EntryChange, openRecord } from "../../../mod/host/files/mod.ts";
import { FileSource } from "../../../mod/source/file/file_source.ts";
import type { SourceSet } from "../../../mod/source/merge/source_set.ts";
import { DiskLastGoodStore } from "../../../mod/source/records/last_good_store.ts";
import { FakeClock } from "../fake_clock.ts";
import { NO_CHECK, NO_EVENTS } from "../no_ops.ts";
import { FILE_OPTIONS } from "./fake_manifests.ts";
import { FakeRecords } from "./fake_records.ts";
import {
  type ManifestCall,
  MountedManifests,
  NAMES,
  type Says,
  type Sight,
} from "./mounted_manifests.ts";

/** Something that happens at once, also between two calls of the agent. */
export type Act =
  | {
    readonly kind: "put";
    readonly name: string;
    readonly says: Says;
    readonly ageMs: number;
    readonly isHinted: boolean;
  }
  | {
    readonly kind: "remove";
    readonly name: string;
    readonly isHinted: boolean;
  }
  | {
    readonly kind: "unmount";
    readonly leaves: "empty" | "missing";
    readonly isHinted: boolean;
  }
  | { readonly kind: "mount"; readonly isHinted: boolean }
  | {
    readonly kind: "hint";
    readonly name: string;
    readonly change: EntryChange;
  }
  | { readonly kind: "rescan" | "heal" }
  | {
    readonly kind: "fail";
    readonly call: ManifestCall;
    readonly path: string;
  }
  | {
    readonly kind: "disk";
    readonly call: "read" | "write" | "any";
    readonly code: string;
  }
  | { readonly kind: "disk_heals" }
  | {
    readonly kind: "damage";
    /** Whose record: that of a manifest, or the note of the directory. */
    readonly key: string;
  };

/** One step of a script. */
export type MountedStep =
  | { readonly kind: "pass"; readonly ms: number }
  | {
    readonly kind: "restart";
    /** Whether what was not written yet is lost. */
    readonly isKilled: boolean;
    /** What happens while no agent runs. */
    readonly meanwhile?: readonly Act[];
  }
  | {
    readonly kind: "act";
    /** Before which call of the agent; `0` is now. */
    readonly calls: number;
    readonly act: Act;
  };

/** Longer than anything is waited for. */
const SETTLE_MS = 130_000;

/** What a pod may be ended for. */
interface Leave {
  /** Whether it was seen that the mounted directory does not want it. */
  isAbsent: boolean;
  /** Whether its manifest was seen there after that. */
  isBack: boolean;
  /** Whether its record was damaged: then it ends also if its manifest says nothing. */
  isDamaged: boolean;
}

/** The directory, the disk, the agent of the moment, and the pods that run. */
export class MountedWorld implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly files: MountedManifests = new MountedManifests(this.clock);
  readonly disk: FakeRecords = new FakeRecords();
  /** The pods that run on the node, also while no agent does. */
  readonly running: Set<string> = new Set<string>();
  /** The pods that were ended though it was not seen that their manifest is gone. */
  readonly wronged: string[] = [];
  readonly #leaves = new Map<string, Leave>(
    NAMES.map((name) => [name, {
      isAbsent: true,
      isBack: false,
      isDamaged: false,
    }]),
  );
  #exchangedMs = -1;
  /** Whether the note of the directory may be lost. */
  #isExcused = false;
  #armed: { calls: number; readonly act: Act }[] = [];
  #agent: Agent | undefined;

  constructor() {
    this.files.before = () => this.#count();
    this.files.saw = (sight) => this.#note(sight);
  }

  async do(step: MountedStep): Promise<void> {
    switch (step.kind) {
      case "pass":
        return await this.pass(step.ms);
      case "restart":
        await this.stop(step.isKilled);
        for (const act of step.meanwhile ?? []) this.#act(act);
        return await this.start();
      case "act":
        if (step.calls === 0) this.#act(step.act);
        else this.#armed.push({ calls: step.calls, act: step.act });
        return await this.pass(0);
    }
  }

  /** Every manifest is there, and was seen. */
  async fill(): Promise<void> {
    for (const name of NAMES) {
      this.files.put(name, "v1", 60_000);
    }
    await this.pass(21_000);
  }

  async start(): Promise<void> {
    for (const name of NAMES) this.#look(name);
    this.#agent = new Agent(this);
    await this.pass(0);
  }

  async stop(isKilled: boolean = false): Promise<void> {
    this.#isExcused ||= isKilled;
    const { failing } = this.disk;
    if (isKilled) this.disk.failing = () => "EIO";
    await this.#agent?.stop();
    this.#agent = undefined;
    if (isKilled) this.disk.failing = failing;
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.clock.advance(0);
  }

  /** All is well for long enough: what runs is what the directory wants. */
  async settle(): Promise<void> {
    deepStrictEqual(this.wronged, []);
    for (const { act } of this.#armed.splice(0)) this.#act(act);
    this.files.mount();
    this.files.failing = undefined;
    this.disk.failing = () => undefined;
    await this.pass(SETTLE_MS);
    if (this.files.wanted().size === 0 && this.#agent?.isAway === true) {
      ok(this.#isExcused, "the directory is the one of before");
      // The documented way to empty a directory that is taken for a missing mount.
      this.files.put("none", "none", 60_000);
      await this.pass(SETTLE_MS);
    }
    deepStrictEqual(this.wronged, []);
    this.#assertSettled();
  }

  /** Takes a set as the agent does. */
  take(set: SourceSet, life: Agent): void {
    const wanted = new Set(set.pods.map(({ metadata }) => nameOf(metadata)));
    const isComplete = set.unknown === undefined;
    life.isReady ||= isComplete;
    const before = life.isReady ? new Set(this.running) : life.held;
    for (const name of before) {
      if (wanted.has(name)) continue;
      this.running.delete(name);
      if (this.#leaves.get(name)?.isAbsent !== true) this.wronged.push(name);
    }
    for (const name of wanted) {
      this.running.add(name);
      const leave = this.#leaves.get(name);
      if (leave?.isBack) {
        Object.assign(leave, { isAbsent: false, isBack: false });
      }
    }
    life.held = wanted;
  }

  #assertSettled(): void {
    const last = this.#agent?.last;
    ok(last !== undefined, "there is a set");
    deepStrictEqual(last.unknown, undefined);
    const found = new Map(
      last.pods.map(({ metadata, spec }) =>
        [nameOf(metadata), spec.containers[0]?.image] as const
      ),
    );
    for (const [name, says] of this.files.wanted()) {
      if (says === "garbage") found.delete(name);
      else if (says !== "none") {
        deepStrictEqual(found.get(name), says, `pod "${name}"`);
        found.delete(name);
      }
    }
    deepStrictEqual([...found], [], "nothing else is held");
  }

  #count(): void {
    const due = this.#armed.filter((one) => --one.calls <= 0);
    this.#armed = this.#armed.filter((one) => one.calls > 0);
    for (const { act } of due) this.#act(act);
  }

  #note({ name, what }: Sight): void {
    const leave = this.#leaves.get(name);
    if (leave === undefined) return;
    switch (what) {
      case "absent":
        return void Object.assign(leave, { isAbsent: true, isBack: false });
      case "present":
        return void (leave.isBack = true);
      case "faulty":
        if (leave.isDamaged) leave.isAbsent = true;
    }
  }

  /** A record that is not there, or is damaged, tells the next agent less. */
  #look(name: string): void {
    const leave = this.#leaves.get(name);
    if (leave === undefined) return;
    leave.isDamaged = false;
    const file = fileOf(`/m/${name}.yaml`);
    const opened = openRecord(this.disk.files.get(file) ?? "");
    const record = opened?.record;
    const pods = isRecord(record) ? record["pods"] : undefined;
    if (Array.isArray(pods) && pods.length > 0) return;
    const isDamaged = opened === undefined &&
      [...this.disk.files.keys()].some((path) => path.startsWith(file));
    leave.isDamaged = isDamaged;
    if (!isDamaged) Object.assign(leave, { isAbsent: true, isBack: false });
  }

  #act(act: Act): void {
    const { files, disk } = this;
    const isWatched = this.#agent !== undefined;
    this.#isExcused ||= ["damage", "disk", "fail"].includes(act.kind);
    switch (act.kind) {
      case "put":
        files.put(act.name, act.says, act.ageMs);
        if (act.isHinted && isWatched) {
          files.hint(`${act.name}.yaml`, "arrived");
        }
        return;
      case "remove":
        files.drop(act.name);
        if (act.isHinted && isWatched) {
          files.hint(`${act.name}.yaml`, "removed");
        }
        return;
      case "unmount":
      case "mount":
        this.#exchange(act);
        if (act.isHinted && isWatched) files.rescan();
        return;
      case "hint":
        if (isWatched) files.hint(`${act.name}.yaml`, act.change);
        return;
      case "rescan":
        if (isWatched) files.rescan();
        return;
      case "heal":
        files.failing = undefined;
        return;
      case "fail":
        files.failing = act;
        return;
      case "disk":
        disk.failing = (call) =>
          act.call === "any" || act.call === "read" === call.startsWith("read ")
            ? act.code
            : undefined;
        return;
      case "disk_heals":
        disk.failing = () => undefined;
        return;
      case "damage":
        return this.#damage(act.key);
    }
  }

  /**
   * Mounts or unmounts, but not twice at the same time: what goes and comes back between
   * two looks at the directory cannot be told from what stays.
   */
  #exchange(act: Extract<Act, { kind: "unmount" | "mount" }>): void {
    const nowMs = this.clock.monotonic();
    if (nowMs === this.#exchangedMs) return;
    this.#exchangedMs = nowMs;
    if (act.kind === "mount") this.files.mount();
    else this.files.unmount(act.leaves);
  }

  #damage(key: string): void {
    const text = this.disk.files.get(fileOf(key));
    if (text === undefined) return;
    this.disk.files.set(fileOf(key), text.slice(1));
    for (const [name, leave] of this.#leaves) {
      if (key !== `/m/${name}.yaml`) continue;
      leave.isDamaged = true;
      // It may have been seen just before.
      if (this.files.isFaulty(name)) leave.isAbsent = true;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

class Agent {
  last: SourceSet | undefined;
  isReady = false;
  held: ReadonlySet<string> = new Set();
  readonly #source: FileSource;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(world: MountedWorld) {
    const { clock, files, disk } = world;
    const metrics = new MetricsRegistry();
    const common = { clock, metrics, log: silentLogger, events: NO_EVENTS };
    const lastGood = new DiskLastGoodStore({
      directory: "/manifests",
      secretDirectory: "/run/manifests",
    }, { ...common, files: disk });
    const deps = { ...common, files, lastGood, check: NO_CHECK };
    this.#source = new FileSource(FILE_OPTIONS, deps);
    this.#running = this.#follow(world);
  }

  /** Whether the source says that its directory is another, or gone. */
  get isAway(): boolean {
    return this.#source.report().some(({ kind }) => kind === "unreachable");
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #follow(world: MountedWorld): Promise<void> {
    for await (const set of this.#source.run(this.#stop.signal)) {
      this.last = set;
      world.take(set, this);
    }
  }
}

function fileOf(key: string): string {
  return `/manifests/${fnv1a128Hex(key)}.json`;
}

function nameOf({ name }: { readonly name: string }): string {
  return name.replace(/-n$/, "");
}
