/**
 * Tells when nothing is under way any more, so that only time can change something.
 *
 * @module
 */

import { deadline, systemClock } from "../../../mod/base/mod.ts";
import { PATIENCE_MS } from "../../../scripts/lib/wait_until.ts";
import { countFetches, fetchesUnderWay } from "./api_calls.ts";
import { callsUnderWay, countCalls } from "./client_calls.ts";
import { EventLoop } from "./event_loop.ts";
import { FakeClock } from "../fake_clock.ts";
import type { FakeCri } from "../fake_cri/fake_cri.ts";

/** The parts of one world. */
export interface QuietParts {
  readonly clock: FakeClock;
  /** The fake runtime, where there is one, and where it listens. */
  readonly runtime?: { readonly fake: FakeCri; readonly socketPath: string };
  /** An API server that is asked by `fetch`. */
  readonly api?: HoldingServer;
}

/** A server that may hold back answers, on purpose. */
export interface HoldingServer {
  /** How many requests it holds back; `undefined` if nothing at all comes through. */
  readonly held: number | undefined;
}

/**
 * Counts what is under way in a world of one process: an agent or a part of one, a fake
 * clock, and perhaps a fake runtime.
 *
 * Something is under way while the watching thread has events that it has not told, while
 * an operation on a file is not over, while a call is not answered that the fake runtime
 * does not itself hold back, and while turns of the event loop set something off. What
 * waits for the clock only is at rest.
 */
export class Quiet implements Disposable {
  readonly #parts: QuietParts;
  readonly #loop: EventLoop;
  readonly #marks: string;
  readonly #watcher: Deno.FsWatcher;
  readonly #events: AsyncIterator<Deno.FsEvent>;

  private constructor(parts: QuietParts, loop: EventLoop, marks: string) {
    this.#parts = parts;
    this.#loop = loop;
    this.#marks = marks;
    this.#watcher = Deno.watchFs(marks, { recursive: false });
    this.#events = this.#watcher[Symbol.asyncIterator]();
  }

  /** Looks on from now; calls that were made before are not counted. */
  static async open(parts: QuietParts): Promise<Quiet> {
    countCalls();
    if (parts.api !== undefined) countFetches();
    const marks = await Deno.makeTempDir({ prefix: "skerry-quiet-" });
    const loop = await EventLoop.open(`${marks}/turns.sock`);
    return new Quiet(parts, loop, marks);
  }

  /**
   * Waits, without moving the clock, until nothing is under way.
   *
   * @throws {Error} When that does not come to be.
   */
  async wait(): Promise<void> {
    await this.#hearAll();
    await this.settle();
  }

  /**
   * Waits as `wait` does, but for no events of files: enough while nobody but the agent
   * changes any.
   *
   * @throws {Error} When that does not come to be.
   */
  async settle(): Promise<void> {
    const giveUpMs = systemClock.monotonic() +
      PATIENCE_MS;
    let before = "";
    let still = 0;
    let calm = 0;
    while (calm < CALM_TURNS) {
      await this.#loop.turn();
      const [busy] = this.#underWay();
      const now = this.#traces();
      still = now === before ? still + 1 : 0;
      calm = busy === undefined && still > 0 ? calm + 1 : 0;
      before = now;
      // Another thread, or another process, needs the processor more than these turns do.
      if (busy !== undefined && still > SPIN_TURNS) {
        await systemClock.sleep(1, NEVER);
      }
      if (systemClock.monotonic() <= giveUpMs) continue;
      throw new Error(`Waited in vain for quiet: ${busy ?? "it goes on"}`);
    }
  }

  /**
   * Lets the clock go on by seconds, and waits before and after each, so many times or
   * until it is over.
   */
  async pass(
    seconds: number,
    isOver: () => boolean = () => false,
  ): Promise<void> {
    await this.wait();
    for (let second = 0; second < seconds && !isOver(); second++) {
      await this.#parts.clock.advance(1_000);
      await this.wait();
    }
  }

  /** Lets turns pass until the fake runtime has no call left, for some turns at most. */
  async hungUp(): Promise<void> {
    for (let turn = 0; turn < HANG_UP_TURNS; turn++) {
      const { unary, streams } = this.#calls();
      if (unary + streams === 0) return;
      await this.#loop.turn();
    }
  }

  [Symbol.dispose](): void {
    this.#watcher.close();
    this.#loop[Symbol.dispose]();
    Deno.removeSync(this.#marks, { recursive: true });
  }

  /**
   * Waits until all changes of files up to now are told to those that watch: all watchers
   * of a process have one thread and one queue, so the latest change comes last.
   */
  async #hearAll(): Promise<void> {
    using limit = deadline(systemClock, PATIENCE_MS);
    const late = Promise.withResolvers<never>();
    limit.signal.addEventListener(
      "abort",
      () => late.reject(limit.signal.reason),
    );
    Deno.utimeSync(this.#marks, 1, 1);
    await Promise.race([this.#events.next(), late.promise]);
  }

  #underWay(): string[] {
    const { runtime } = this.#parts;
    const asked = runtime === undefined ? 0 : callsUnderWay(runtime.socketPath);
    const { unary } = this.#calls();
    const held = this.#heldFetches();
    const working = this.#loop.working - held;
    return [
      ...working === 0 ? [] : [`${working} operations on files`],
      ...asked === unary ? [] : [`${asked} calls, of which ${unary} arrived`],
    ];
  }

  /** The requests that only the API server's will keeps from their answers. */
  #heldFetches(): number {
    const { api } = this.#parts;
    if (api === undefined) return 0;
    const asked = fetchesUnderWay();
    return Math.min(api.held ?? asked, asked);
  }

  #traces(): string {
    const { unary, streams, all } = this.#calls();
    const { moves } = this.#parts.clock;
    return [all, unary, streams, moves, this.#loop.begun].join(" ");
  }

  /** The calls that the fake runtime has to answer, and how many it was ever asked. */
  #calls(): {
    readonly unary: number;
    readonly streams: number;
    readonly all: number;
  } {
    const fake = this.#parts.runtime?.fake;
    if (fake === undefined) return { unary: 0, streams: 0, all: 0 };
    return { ...fake.unanswered, all: fake.calls.length };
  }
}

/** Waits until nothing is under way, where nothing but this was to be waited for. */
export async function untilQuiet(
  clock: FakeClock = new FakeClock(),
): Promise<void> {
  using quiet = await Quiet.open({ clock });
  await quiet.settle();
}

const NEVER = new AbortController().signal;

/**
 * Turns that set nothing off, after which nothing is under way. A message takes two from
 * one end of a socket to the other; the longest that was seen was a first connection: six.
 */
const CALM_TURNS = 12;

/** So many turns are made at once; then others get the processor in between. */
const SPIN_TURNS = 50;

/** A call that hangs on longer is left to its fate. */
const HANG_UP_TURNS = 500;
