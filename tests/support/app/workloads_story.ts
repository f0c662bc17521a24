/**
 * A node to which things happen: manifests are edited, pods come ready, end and fail, the
 * agent is killed, the power fails, the clock is set. All from one random source.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import type { Pod, PodStatus } from "../../../mod/api/types/mod.ts";
import type { Random } from "../../../mod/base/mod.ts";
import { CONTROLLER_KINDS } from "../../../mod/controller/run/mod.ts";
import { findCondition, formatTime } from "../../../mod/pod/status/mod.ts";
import { below, pick } from "../fuzz/fuzz.ts";
import { CrashDisk } from "../local/crash_disk.ts";
import {
  manifestOf,
  type Wish,
  WISHED_NAMES,
  type WishedKinds,
  wishFor,
} from "./workload_wishes.ts";
import { checkWorkloads } from "./workloads_check.ts";
import { WorkloadsRig } from "./workloads_rig.ts";

/** A container that runs. */
interface Running {
  readonly pod: Pod;
  readonly endMs: number;
  /** Whether the agent has told it to end. */
  readonly isAsked: boolean;
}

const HOUR_MS = 3_600_000;
const CLOCK_JUMPS = [HOUR_MS, -HOUR_MS, 30 * 24 * HOUR_MS, -60_000] as const;

type Deed = "wish" | "remove" | "die" | "fail" | "delete" | "clock" | "time";

/** Some more often than others. */
const DEEDS = [
  "wish",
  "wish",
  "wish",
  "time",
  "time",
  "time",
  "time",
  "die",
  "die",
  "delete",
  "delete",
  "remove",
  "fail",
  "clock",
] as const;

/** Plays one story, over any number of agents. */
export class WorkloadsStory implements AsyncDisposable {
  /** What has happened, for the words of a test that fails. */
  readonly history: string[] = [];
  readonly #disk: CrashDisk;
  readonly #random: Random;
  readonly #kinds: WishedKinds | undefined;
  #rig: WorkloadsRig;
  readonly #wishes = new Map<string, Wish>();
  /** By UID: what the runtime has, whatever agent there is. */
  readonly #running = new Map<string, Running>();
  /** By UID: what the disk knows of pods. */
  readonly #records = new Map<string, PodStatus>();
  readonly #succeeded = new Map<string, number>();
  #hasLostPower = false;
  #lives = 0;
  #livedMs = 0;
  #wallMs = Date.UTC(2026, 0, 1);

  /** @param kinds those that are wished, by default all */
  constructor(random: Random, kinds?: WishedKinds) {
    this.#random = random;
    this.#kinds = kinds;
    this.#disk = new CrashDisk(random);
    this.#rig = this.#newRig();
  }

  async start(): Promise<this> {
    this.#say();
    await this.#rig.start();
    return this;
  }

  /** Something happens. */
  async happen(): Promise<void> {
    const happens = pick(this.#random, DEEDS);
    await this.#deeds[happens]();
  }

  readonly #deeds: Readonly<Record<Deed, () => void | Promise<void>>> = {
    wish: () => this.#wish(),
    remove: () => this.#remove(),
    die: () => this.#die(),
    fail: () => this.#fail(),
    delete: () => this.#delete(),
    clock: () => this.#setClock(),
    time: () => this.pass(below(this.#random, 40)),
  };

  #note(words: string): void {
    const time = new Date(this.#rig.clock.now()).toISOString();
    this.history.push(`${time} ${words}`);
  }

  #wish(): void {
    const wish = wishFor(this.#random, this.#kinds);
    this.#note(`wish ${JSON.stringify(wish)}`);
    this.#wishes.set(wish.name, wish);
    this.#say();
  }

  #remove(): void {
    const name = pick(this.#random, WISHED_NAMES);
    this.#note(`remove ${name}`);
    this.#wishes.delete(name);
    this.#say();
  }

  /** The manifests are read. */
  #say(): void {
    const texts = [...this.#wishes.values()].map(manifestOf);
    this.#rig.apply(texts.length === 0 ? NOTHING : texts.join("\n---\n"));
  }

  /** The agent is killed, now or at one of the next writes. */
  async #die(): Promise<void> {
    this.#note("the agent dies");
    if (this.#random.next() < 0.5) {
      this.#disk.changesLeft = below(this.#random, 6);
      await this.pass(below(this.#random, 4));
    }
    await this.#restart({ hasPower: this.#random.next() < 0.6 });
  }

  /** A pod fails, or some are not ready any more. */
  async #fail(): Promise<void> {
    const pod = this.#onePod();
    if (pod === undefined) return;
    if (this.#random.next() < 0.5) {
      this.#note(`${pod.metadata.name} fails`);
      return this.#end(pod, "Failed");
    }
    this.#note("some are unready");
    const pods = [...this.#running.values()].map(({ pod }) => pod)
      .filter(() => this.#random.next() < 0.8);
    for (const each of pods) this.#report(each, { isReady: false });
    // And some are ready again, while that is being told.
    for (let turn = below(this.#random, 8); turn > 0; turn--) {
      await Promise.resolve();
    }
    for (const each of pods) {
      if (this.#random.next() < 0.5) this.#report(each, { isReady: true });
    }
  }

  #onePod(): Pod | undefined {
    const all = [...this.#running.values()];
    return all[below(this.#random, all.length)]?.pod;
  }

  /** A client deletes a pod, or what makes pods. */
  async #delete(): Promise<void> {
    const wishes = [...this.#wishes.values()];
    const pod = this.#random.next() < 0.5 ? this.#onePod() : undefined;
    const wish = wishes[below(this.#random, wishes.length)];
    const kind = pod === undefined ? wish?.kind : "Pod";
    const name = pod?.metadata.name ?? wish?.name;
    if (name === undefined || kind === undefined) return;
    const propagation = pick(
      this.#random,
      ["Background", "Foreground"] as const,
    );
    this.#note(`delete ${kind} ${name} ${propagation}`);
    const apiVersion = CONTROLLER_KINDS[kind];
    const ref = { apiVersion, kind, namespace: "shop", name };
    const { local: { store }, signal } = this.#rig;
    const options = pod === undefined ? { propagation } : {};
    // It may be gone already.
    await store.delete(ref, options, signal).catch(() => {});
  }

  #setClock(): void {
    const jumpMs = pick(this.#random, CLOCK_JUMPS);
    this.#note(`the clock is set by ${jumpMs}`);
    this.#rig.clock.wall = this.#rig.clock.now() + jumpMs;
  }

  /** Lets the node work for some seconds. */
  async pass(seconds: number): Promise<void> {
    for (let left = seconds; left >= 0; left--) {
      await this.#rig.clock.advance(1000);
      if (this.#disk.isDead) return;
      this.#work();
    }
  }

  /** All that is wished is good from now on, and there is time for it. */
  async calm(): Promise<void> {
    this.#note("calm");
    if (this.#disk.isDead) await this.#restart({ hasPower: true });
    for (const [name, wish] of this.#wishes) {
      this.#wishes.set(name, { ...wish, image: "good:9", isPaused: false });
    }
    this.#say();
    for (const [uid, { pod }] of this.#running) {
      const ready = findCondition(this.#records.get(uid)?.conditions, "Ready");
      // What is ready was said, and is said once.
      if (ready?.status !== "True") this.#report(pod, { isReady: true });
    }
    await this.pass(1500);
  }

  /** Asserts that all is as it should be, and that nothing is written any more. */
  async check(): Promise<void> {
    const wishes = [...this.#wishes.values()];
    await checkWorkloads(this.#rig, {
      wishes,
      succeeded: this.#succeeded,
      hasLostPower: this.#hasLostPower,
    });
    if (wishes.some(({ kind }) => kind === "CronJob")) return;
    const { length } = this.#disk.changes;
    await this.pass(600);
    strictEqual(this.#disk.changes.slice(length).join(), "");
  }

  #newRig(): WorkloadsRig {
    const rig = new WorkloadsRig(this.#disk, ++this.#lives);
    rig.clock.wall = this.#wallMs;
    for (const [uid, { phase }] of this.#records) {
      // What is ready is found out anew.
      rig.statuses.set(uid, { ...(phase !== undefined && { phase }) });
    }
    return rig;
  }

  async #restart({ hasPower }: { readonly hasPower: boolean }): Promise<void> {
    this.#wallMs = this.#rig.clock.now();
    this.#livedMs = this.#nowMs();
    this.#disk.isDead = true;
    await this[Symbol.asyncDispose]();
    if (!hasPower) {
      this.#note("the power fails");
      this.#hasLostPower = true;
      this.#running.clear();
      this.#disk.cutPower();
    }
    this.#disk.restart();
    this.#rig = this.#newRig();
    // The folder is read before the store, or after it.
    if (this.#random.next() < 0.5) this.#say();
    await this.#rig.start();
    this.#say();
  }

  /** A clock that nobody sets, over all lives of the agent. */
  #nowMs(): number {
    return this.#livedMs + this.#rig.clock.monotonic();
  }

  /** What an agent and its runtime do in a moment. */
  #work(): void {
    const { wanted } = this.#rig;
    const byUid = new Map(wanted.map((pod) => [pod.metadata.uid, pod]));
    for (const [uid, run] of this.#running) this.#go(run, byUid.get(uid));
    for (const pod of wanted) this.#take(pod);
  }

  /** One that is not wanted, or not any more, ends in a while; others when they are done. */
  #go(run: Running, wanted: Pod | undefined): void {
    const { pod, pod: { metadata: { uid } }, isAsked, endMs } = run;
    const nowMs = this.#nowMs();
    const isLeaving = wanted?.metadata.deletionTimestamp !== undefined ||
      wanted === undefined;
    if (isLeaving && !isAsked) {
      const endMs = nowMs + below(this.#random, 6) * 1000;
      this.#running.set(uid, { pod, endMs, isAsked: true });
      return;
    }
    if (nowMs < endMs) return;
    const isGood = this.#random.next() < 0.8 || imageOf(pod) === "good:9";
    this.#end(pod, isGood && !isAsked ? "Succeeded" : "Failed");
  }

  #take(pod: Pod): void {
    const { uid, deletionTimestamp, name } = pod.metadata;
    const rig = this.#rig;
    const record = this.#records.get(uid);
    if (record?.phase === "Succeeded" || record?.phase === "Failed") return;
    if (this.#running.has(uid)) {
      rig.held.add(uid);
      const isSaid = rig.statuses.get(uid)?.conditions !== undefined;
      return isSaid ? undefined : this.#report(pod, { isReady: true });
    }
    const isJob = pod.spec.restartPolicy === "Never";
    // What ran before a power cut does not begin anew.
    if (deletionTimestamp !== undefined || isJob && record !== undefined) {
      return this.#end(pod, "Failed");
    }
    // One that had the name before comes to its end first.
    const others = [...this.#running.values()];
    if (others.some(({ pod: { metadata } }) => metadata.name === name)) return;
    rig.held.add(uid);
    const lastsMs = isJob ? below(this.#random, 20) * 1000 : Infinity;
    const endMs = this.#nowMs() + lastsMs;
    this.#running.set(uid, { pod, endMs, isAsked: false });
    this.#report(pod, { isReady: true });
  }

  #report(pod: Pod, { isReady }: { readonly isReady: boolean }): void {
    const isUp = isReady && !imageOf(pod).startsWith("bad");
    const lastTransitionTime = formatTime(this.#rig.clock.now());
    this.#put(pod, {
      phase: "Running",
      conditions: [
        { type: "PodScheduled", status: "True", lastTransitionTime },
        { type: "Ready", status: isUp ? "True" : "False", lastTransitionTime },
      ],
    });
  }

  #end(pod: Pod, phase: "Succeeded" | "Failed"): void {
    const { uid, ownerReferences: [owner] = [] } = pod.metadata;
    this.#running.delete(uid);
    this.#rig.held.delete(uid);
    if (phase === "Succeeded" && owner !== undefined) {
      const before = this.#succeeded.get(owner.uid) ?? 0;
      this.#succeeded.set(owner.uid, before + 1);
    }
    this.#put(pod, { phase });
  }

  #put(pod: Pod, status: PodStatus): void {
    this.#records.set(pod.metadata.uid, status);
    this.#rig.report(pod, status);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ending = this.#rig[Symbol.asyncDispose]();
    // A disk that refuses is waited for a while.
    for (let turn = 0; turn < 10; turn++) await this.#rig.clock.advance(1000);
    await ending;
  }
}

function imageOf({ spec }: Pod): string {
  return spec.containers[0]?.image ?? "";
}

const NOTHING = '{"apiVersion": "v1", "kind": "List", "items": []}';
