/**
 * Hints that something changed in a directory.
 *
 * @module
 */

import { basename } from "node:path";
import { type Clock, Inbox, nextDelay, TaskGroup } from "../../base/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import { type FileLook, lookAtFile } from "./bounded_read.ts";
import { judgeWatchHazard, type WatchHazard } from "./watch_hazard.ts";

/**
 * A reason to look again. It never says what is true: the file may have changed
 * once more by the time the hint is read.
 */
export type WatchHint =
  | {
    readonly kind: "entry";
    /** The name in the directory, or the name of the watched file itself. */
    readonly name: string;
    readonly change: EntryChange;
    /** Of `removed`: the new name, when it only moved within the directory. */
    readonly movedTo?: string;
  }
  /** Anything may have changed: events were lost, or the directory is another. */
  | { readonly kind: "rescan" };

/**
 * What happened to an entry.
 *
 * `created` is a name that is new, with content still to come or not; `written` any
 * write or change of mode, perhaps one of many; `closed` the end of one writer;
 * `arrived` a complete file that was renamed to this name.
 */
export type EntryChange =
  | "created"
  | "written"
  | "closed"
  | "arrived"
  | "removed";

/** What {@linkcode watchPath} needs. */
export interface PathWatchDeps {
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Watches a directory (not those in it) or a single file, whatever becomes of it.
 *
 * A path that vanishes, returns or is replaced is watched again within a second, or at once
 * when it was away for a moment only; then a `rescan` comes. The first `rescan` comes when
 * watching has begun. While the system refuses to watch (inotify limits), that is logged
 * once and tried again with a growing delay of up to 20 s. A directory with a FIFO or
 * device in it is looked at every second instead, and if such a thing comes while it is
 * being watched, so is every path until the process ends ({@linkcode WatchHazard}). Links
 * in the directory are seen to change only when they point into it: callers that need to be
 * sure poll, too.
 *
 * Ends without an error when `signal` aborts, and not before.
 */
export async function* watchPath(
  path: string,
  signal: AbortSignal,
  deps: PathWatchDeps,
): AsyncGenerator<WatchHint, void, undefined> {
  // An already aborted signal fires no event, so check it first.
  if (signal.aborted) return;
  using hints = new Inbox<WatchHint>(HINT_CAPACITY);
  await using tasks = new TaskGroup(signal);
  const close = (): void => hints[Symbol.dispose]();
  tasks.signal.addEventListener("abort", close, { once: true });
  const watch = new Watch(path, { ...deps, hints });
  tasks.start((stop) => watch.run(stop));
  for await (const hint of hints) {
    yield hint;
    if (hints.size === 0 && watch.takeLoss()) yield RESCAN;
  }
  if (tasks.failure !== undefined) throw tasks.failure;
}

const RESCAN: WatchHint = { kind: "rescan" };

// More than any burst for which single hints are worth it; beyond it a rescan is
// cheaper, so what does not fit is dropped and replaced by one.
const HINT_CAPACITY = 4096;

// Deno (2.9.6) drops events beyond about a thousand that wait, and says so, but now and then
// not of the end of a burst.
const MANY_EVENTS = 100;

// Upstream's retryPeriod of the file watch (pkg/kubelet/config/file_linux.go).
const LOOK_PERIOD_MS = 1000;

// A directory that is replaced is mostly there again at once.
const RETURN = { baseMs: 20, maxMs: LOOK_PERIOD_MS };

// Upstream's back-off of the file watch.
const RETRY = { baseMs: 1000, maxMs: 20_000 };

interface WatchContext extends PathWatchDeps {
  readonly hints: Inbox<WatchHint>;
}

// Deno has one watching thread; once it is lost, it is lost to all. Like that
// thread this lives as long as the process.
let isThreadLost = false;

class Watch {
  readonly #path: string;
  readonly #deps: WatchContext;
  #isLossy = false;
  #isUnsafe = false;
  #retryMs: number | undefined;
  /** The last pause while the path is away. */
  #awayMs: number | undefined;
  /** What polling saw last, so that nothing falls between two looks. */
  #polled: WatchLook | undefined;
  #events = 0;

  constructor(path: string, deps: WatchContext) {
    this.#path = path;
    this.#deps = deps;
  }

  /** Whether hints were dropped since the last call. */
  takeLoss(): boolean {
    const lossy = this.#isLossy;
    this.#isLossy = false;
    return lossy;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const look = this.#polled ?? await this.#look();
      this.#polled = undefined;
      const outcome = await this.#attend(look, signal);
      if (signal.aborted) return;
      // What vanished or was replaced wants a look, now and when it is back.
      if (outcome === "changed") this.#hint(RESCAN);
      if (outcome === "missing") await this.#stayAway(signal);
      if (outcome === "refused") await this.#backOff(signal);
    }
  }

  async #attend(look: WatchLook, signal: AbortSignal): Promise<Outcome> {
    if (look.kind === "missing" || look.kind === "dangling") return "missing";
    if (look.kind !== "denied" && await this.#isHazardous(look)) {
      return await this.#poll(look, signal);
    }
    return await this.#watch(look, signal);
  }

  async #isHazardous(look: FileLook): Promise<boolean> {
    const isHazardous = isThreadLost ||
      await judgeWatchHazard(this.#path, look) === "deadly";
    if (isHazardous && !this.#isUnsafe) {
      this.#deps.log.warn("watch_unsafe", { path: this.#path });
      this.#hint(RESCAN);
    }
    this.#isUnsafe = isHazardous;
    return isHazardous;
  }

  async #poll(before: WatchLook, signal: AbortSignal): Promise<Outcome> {
    this.#reportReturn();
    await this.#deps.clock.sleep(LOOK_PERIOD_MS, signal);
    const now = await this.#look();
    this.#polled = now;
    const isSame = sameIdentity(before, now) &&
      modifiedOf(before) === modifiedOf(now);
    return isSame ? "same" : "changed";
  }

  async #stayAway(signal: AbortSignal): Promise<void> {
    this.#awayMs = nextDelay(this.#awayMs, RETURN);
    await this.#deps.clock.sleep(this.#awayMs, signal);
  }

  /** For a path that is back and not watched; a watched one has events of its own. */
  #reportReturn(): void {
    if (this.#awayMs === undefined) return;
    this.#awayMs = undefined;
    this.#hint(RESCAN);
  }

  async #backOff(signal: AbortSignal): Promise<void> {
    this.#retryMs = nextDelay(this.#retryMs, RETRY);
    await this.#deps.clock.sleep(this.#retryMs, signal);
  }

  async #watch(look: WatchLook, signal: AbortSignal): Promise<Outcome> {
    // Nothing below waits before it listens to the signal.
    if (signal.aborted) return "changed";
    const watcher = this.#arm();
    if (watcher === "refused") this.#reportReturn();
    if (typeof watcher === "string") return watcher;
    this.#awayMs = undefined;
    const ended = Promise.withResolvers<void>();
    await using tasks = new TaskGroup(signal);
    tasks.signal.addEventListener("abort", () => ended.resolve(), {
      once: true,
    });
    tasks.start(async (stop) => {
      await this.#untilReplaced(look, stop);
      ended.resolve();
    });
    this.#hint(RESCAN);
    const drained = this.#drain(watcher, look);
    await Promise.race([drained, ended.promise]);
    await this.#release(watcher);
    // The events of a lost thread never end, so they are not waited for.
    return isThreadLost ? "changed" : await drained;
  }

  async #drain(watcher: Deno.FsWatcher, look: WatchLook): Promise<Outcome> {
    try {
      for await (const event of watcher) {
        this.#events++;
        if (this.#isGone(event)) break;
        this.#report(event, look);
      }
      return "changed";
    } catch (error) {
      this.#deps.log.warn("watch_failed", { path: this.#path, error });
      return "refused";
    }
  }

  #arm(): Deno.FsWatcher | "missing" | "refused" {
    const { log } = this.#deps;
    try {
      const watcher = Deno.watchFs(this.#path, { recursive: false });
      if (this.#retryMs !== undefined) {
        log.info("watch_restored", { path: this.#path });
      }
      this.#retryMs = undefined;
      return watcher;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return "missing";
      if (this.#retryMs === undefined) {
        log.warn("watch_unavailable", { path: this.#path, error });
      }
      return "refused";
    }
  }

  // Closing waits for the watching thread, so a lost one must be left alone.
  async #release(watcher: Deno.FsWatcher): Promise<void> {
    const look = await this.#look();
    if (look.kind !== "denied") await this.#checkThread(look);
    if (isThreadLost) return;
    try {
      watcher.close();
    } catch {
      // It ended by itself and is closed already.
    }
  }

  async #checkThread(look: FileLook): Promise<WatchHazard> {
    const hazard = await judgeWatchHazard(this.#path, look);
    if (hazard === "deadly") this.#loseThread();
    return hazard;
  }

  #loseThread(): void {
    if (isThreadLost) return;
    isThreadLost = true;
    this.#deps.log.error("watch_lost", {
      path: this.#path,
      reason:
        "A FIFO or device is or was in it; until the agent is restarted changes are found by looking",
    });
  }

  /** Whether an event says that the watched path itself was replaced or removed. */
  #isGone(event: Deno.FsEvent): boolean {
    // A path that something else has taken already is reported as renamed.
    return event.paths[0] === this.#path &&
      (event.kind === "remove" || event.kind === "rename");
  }

  #report(event: Deno.FsEvent, look: WatchLook): void {
    const change = CHANGES[event.kind];
    const [path, target] = event.paths;
    if (event.flag === "rescan" || change === undefined) {
      return this.#hint(RESCAN);
    }
    if (path === undefined) return;
    // A change of the directory's mode may hide or show everything in it.
    if (path === this.#path && look.kind === "directory") {
      return this.#hint(RESCAN);
    }
    if (event.kind === "rename" && target !== undefined) {
      this.#hint({
        kind: "entry",
        name: basename(path),
        change: "removed",
        movedTo: basename(target),
      });
    }
    this.#hint({ kind: "entry", name: basename(target ?? path), change });
  }

  #hint(hint: WatchHint): void {
    if (!this.#deps.hints.offer(hint)) this.#isLossy = true;
  }

  // The kernel reports a path that is removed, but not one that something else was
  // mounted over, nor a rename above it. And the thread that listens may be lost without
  // an error.
  async #untilReplaced(armed: WatchLook, signal: AbortSignal): Promise<void> {
    // Events are counted before each look: what comes during one may belong to
    // what the next one sees.
    let counted = this.#events;
    let earlier = counted;
    // No event comes for a change from before the system listened.
    let before = await this.#look();
    if (!sameIdentity(armed, before)) return;
    let unheard: number | undefined;
    for (;;) {
      await this.#deps.clock.sleep(LOOK_PERIOD_MS, signal);
      const events = counted;
      counted = this.#events;
      if (counted - earlier >= MANY_EVENTS) this.#hint(RESCAN);
      earlier = events;
      const now = await this.#look();
      if (!sameIdentity(before, now) || now.kind === "denied") return;
      // Entries came or went a whole period ago, and no event came.
      const isDeaf = unheard === this.#events;
      unheard = undefined;
      if (isDeaf || modifiedOf(before) !== modifiedOf(now)) {
        const hazard = await this.#checkThread(now);
        if (isDeaf && hazard === "none") this.#loseThread();
        if (isThreadLost) return;
        if (isDeaf) this.#hint(RESCAN);
        else if (events === this.#events) unheard = events;
      }
      before = now;
    }
  }

  async #look(): Promise<WatchLook> {
    try {
      return await lookAtFile(this.#path);
    } catch {
      // Perhaps for a while only: watching fails, too, and its error says why.
      return { kind: "denied" };
    }
  }
}

type WatchLook = FileLook | { readonly kind: "denied" };

/** `same` is an outcome of polling only. */
type Outcome = "changed" | "same" | "missing" | "refused";

function sameIdentity(a: WatchLook, b: WatchLook): boolean {
  if (a.kind === "directory" && b.kind === "directory") {
    return a.inode === b.inode && a.device === b.device;
  }
  if (a.kind === "file" && b.kind === "file") {
    return a.stamp.inode === b.stamp.inode;
  }
  return a.kind === b.kind;
}

function modifiedOf(look: WatchLook): number {
  return look.kind === "directory"
    ? look.modifiedMs
    : look.kind === "file"
    ? look.stamp.modifiedMs
    : 0;
}

const CHANGES: Readonly<Partial<Record<Deno.FsEvent["kind"], EntryChange>>> = {
  create: "created",
  modify: "written",
  access: "closed",
  rename: "arrived",
  remove: "removed",
};
