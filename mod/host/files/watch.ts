/**
 * Hints that something changed in a directory.
 *
 * @module
 */

import { join } from "node:path";
import { type Clock, Inbox, nextDelay, TaskGroup } from "../../base/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import { lookAtFile } from "./bounded_read.ts";
import { ROOT_LOCK_NAME } from "./root_lock.ts";
import { TimeLimit } from "./time_limit.ts";
import { judgeWatchHazard, type WatchHazard } from "./watch_hazard.ts";
import { readEvent, RESCAN, type WatchHint } from "./watch_hint.ts";
import { modifiedOf, sameIdentity, type WatchLook } from "./watch_look.ts";
import { WatchProbe } from "./watch_probe.ts";

/** What {@linkcode watchPath} needs. */
export interface PathWatchDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * The root directory of the agent. The lock file there is opened for writing, though not
   * written. Without it, a watch that the system ended is taken for the loss of Deno's
   * watching thread, and a thread that waits for something is not noticed.
   */
  readonly rootDir?: string;
  /** That of others who look at the same path: calls that hang are counted together. */
  readonly beside?: TimeLimit;
}

/**
 * Watches a directory (not those in it) or a single file, whatever becomes of it.
 *
 * A path that vanishes, returns or is replaced is watched again within a second, or at once
 * when it was away for a moment only; then a `rescan` comes. The first `rescan` comes when
 * watching has begun. While the system refuses to watch (inotify limits), that is logged
 * once and tried again with a growing delay of up to 20 s. While a file system does not
 * answer, it is waited for. A directory with a FIFO or
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

// More than any burst for which single hints are worth it; beyond it a rescan is
// cheaper, so what does not fit is dropped and replaced by one.
const HINT_CAPACITY = 4096;

// Deno (2.9.6) drops events beyond about a thousand that wait, and says so, but now and then
// not of the end of a burst.
const MANY_EVENTS = 100;

// Upstream's retryPeriod of the file watch (pkg/kubelet/config/file_linux.go).
const LOOK_PERIOD_MS = 1000;

// A healthy disk answers in milliseconds, and a stop must not wait long for a sick one.
const LOOK_LIMIT_MS = 3000;

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
  readonly #limit: TimeLimit;
  readonly #probe: WatchProbe;
  #isLossy = false;
  #isUnsafe = false;
  /** Whether the thread may wait for something, and blocks whoever waits for it. */
  #isStuck = false;
  #retryMs: number | undefined;
  /** The last pause while the path is away. */
  #awayMs: number | undefined;
  /** What polling saw last, so that nothing falls between two looks. */
  #polled: WatchLook | undefined;
  #events = 0;

  constructor(path: string, deps: WatchContext) {
    this.#path = path;
    this.#deps = deps;
    const { clock, rootDir, beside } = deps;
    const own = rootDir && join(rootDir, ROOT_LOCK_NAME);
    this.#limit = new TimeLimit(clock, {
      limitMs: LOOK_LIMIT_MS,
      asksAgain: true,
      ...beside && { beside },
    });
    this.#probe = new WatchProbe(own, clock);
  }

  /** Whether hints were dropped since the last call. */
  takeLoss(): boolean {
    const lossy = this.#isLossy;
    this.#isLossy = false;
    return lossy;
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#follow(signal);
    if (!isThreadLost && !this.#isStuck) this.#probe[Symbol.dispose]();
  }

  async #follow(signal: AbortSignal): Promise<void> {
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
    const { kind } = look;
    // To begin to watch on a hung file system would block the whole process.
    if (kind === "missing" || kind === "dangling" || kind === "hung") {
      return "missing";
    }
    const isJudged = isThreadLost || this.#isStuck || kind !== "denied";
    if (isJudged && await this.#isHazardous(look)) {
      return await this.#poll(look, signal);
    }
    return await this.#watch(look, signal);
  }

  async #isHazardous(look: WatchLook): Promise<boolean> {
    if (this.#isStuck) this.#isStuck = await this.#probe.ask() !== "reports";
    const isDeadly = isThreadLost || this.#isStuck;
    const hazard = isDeadly ? "deadly" : await this.#judge(look);
    const isHazardous = hazard === "deadly" || hazard === "unknown";
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
    this.#probe.arm();
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
    // The events of a lost thread never end, so they are not waited for.
    return await this.#release(watcher) ? await drained : "changed";
  }

  async #drain(watcher: Deno.FsWatcher, look: WatchLook): Promise<Outcome> {
    try {
      for await (const event of watcher) {
        this.#events++;
        if (this.#isGone(event)) break;
        readEvent(event, { path: this.#path, look }).forEach((hint) =>
          this.#hint(hint)
        );
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
  async #release(watcher: Deno.FsWatcher): Promise<boolean> {
    const look = await this.#look();
    await this.#checkThread(look);
    if (isThreadLost) return false;
    // The thread opens files as well: it may wait for the same disk, or for what was here
    // when nobody looked.
    const thread = await this.#probe.ask();
    this.#isStuck = thread === "silent" ||
      thread === "unknown" && look.kind === "hung";
    if (this.#isStuck) return false;
    try {
      watcher.close();
    } catch {
      // It ended by itself and is closed already.
    }
    return true;
  }

  async #checkThread(look: WatchLook): Promise<Hazard> {
    const hazard = await this.#judge(look);
    if (hazard === "deadly") this.#loseThread();
    return hazard;
  }

  async #judge(look: WatchLook): Promise<Hazard> {
    if (look.kind === "denied" || look.kind === "hung") return "unknown";
    try {
      const judge = () => judgeWatchHazard(this.#path, look);
      // What a link leads to may not answer though the path itself does.
      return await this.#limit.run(join(this.#path, "*"), judge);
    } catch {
      // It does not answer; the next look says so, too.
      return "unknown";
    }
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
      if (now.kind === "hung") continue;
      if (!sameIdentity(before, now) || now.kind === "denied") return;
      // Entries came or went a whole period ago, and no event came.
      const isDeaf = unheard === this.#events;
      if (isDeaf || modifiedOf(before) !== modifiedOf(now)) {
        const hazard = await this.#checkThread(now);
        if (hazard === "unknown") {
          // It is asked again. The thread may wait for what did not answer, as for what a
          // link leads to: then only looking helps.
          if (await this.#probe.ask() === "silent") return;
          continue;
        }
        if (isThreadLost || isDeaf && await this.#isDead(hazard)) return;
        const isSilent = !isDeaf && events === this.#events;
        unheard = isSilent ? events : undefined;
      }
      before = now;
    }
  }

  /** What was not heard is looked for; whether the watch is of no use any more. */
  async #isDead(hazard: Hazard): Promise<boolean> {
    this.#hint(RESCAN);
    // As after an unmount, if the same was mounted again at once; or the thread is stuck.
    if (await this.#probe.ask() !== "unknown") return true;
    if (hazard === "none") this.#loseThread();
    return isThreadLost;
  }

  async #look(): Promise<WatchLook> {
    try {
      const look = () => lookAtFile(this.#path);
      return await this.#limit.run(this.#path, look);
    } catch {
      // Perhaps for a while only: watching fails, too, and its error says why.
      return { kind: this.#limit.isHung(this.#path) ? "hung" : "denied" };
    }
  }
}

/** `unknown` if that could not be found out. */
type Hazard = WatchHazard | "unknown";

/** `same` is an outcome of polling only. */
type Outcome = "changed" | "same" | "missing" | "refused";
