/**
 * Watching real directories.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { basename, join } from "node:path";
import { silentLogger } from "../../../mod/base/telemetry/mod.ts";
import { type WatchHint, watchPath } from "../../../mod/host/files/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { Quiet } from "../../support/quiet/quiet.ts";
import { until } from "../../support/until.ts";
import { linesTo, messagesTo } from "../../support/log_lines.ts";

/** What is heard of a path; the clock goes on only while a test waits. */
class Watching implements AsyncDisposable {
  readonly hints: WatchHint[] = [];
  readonly path: string;
  readonly root: string;
  readonly #clock: FakeClock;
  readonly #quiet: Quiet;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #probes = 0;

  private constructor(path: string, root: string, time: FakeTime) {
    this.root = root;
    this.path = path;
    this.#clock = time.clock;
    this.#quiet = time.quiet;
    this.#ended = this.#collect();
  }

  /** Watches what is or will be at a path below a directory. */
  static async start(root: string, name: string): Promise<Watching> {
    const clock = new FakeClock();
    const quiet = await Quiet.open({ clock });
    return new Watching(join(root, name), root, { clock, quiet });
  }

  async #collect(): Promise<void> {
    const deps = { clock: this.#clock, log: silentLogger };
    for await (const hint of watchPath(this.path, this.#stop.signal, deps)) {
      this.hints.push(hint);
    }
  }

  /** Waits for a hint that fits, and forgets it and those before. */
  async next(fits: (hint: WatchHint) => boolean): Promise<void> {
    if (await this.#comes(fits, PATIENCE_MS)) return;
    throw new Error(`No such hint; there were ${JSON.stringify(this.hints)}`);
  }

  /**
   * Writes files until one is told of. Between a rescan that says that the path is
   * another and the one that says that it is watched again, nothing is heard.
   */
  async hears(): Promise<void> {
    for (let at = 0; at < PATIENCE_MS / PROBE_MS; at++) {
      const name = `probe${this.#probes++}`;
      await Deno.writeTextFile(join(this.path, name), "");
      if (await this.#comes(isEntry(name, "created"), PROBE_MS)) return;
    }
    throw new Error(`Deaf; there were ${JSON.stringify(this.hints)}`);
  }

  /** The same for a watched file, by writing to it. */
  async hearsItself(): Promise<void> {
    for (let at = 0; at < PATIENCE_MS / PROBE_MS; at++) {
      this.hints.length = 0;
      await Deno.writeTextFile(this.path, `probe${this.#probes++}`);
      const isOwn = isEntry(basename(this.path), "written");
      if (await this.#comes(isOwn, PROBE_MS)) return;
    }
    throw new Error(`Deaf; there were ${JSON.stringify(this.hints)}`);
  }

  async #comes(
    fits: (hint: WatchHint) => boolean,
    withinMs: number,
  ): Promise<boolean> {
    let at = -1;
    await pass(this.#clock, { quiet: this.#quiet, withinMs }, () => {
      at = this.hints.findIndex(fits);
      return at >= 0;
    });
    if (at >= 0) this.hints.splice(0, at + 1);
    return at >= 0;
  }

  async rescan(): Promise<void> {
    await this.next((hint) => hint.kind === "rescan");
  }

  async entry(name: string, change: string): Promise<void> {
    await this.next(isEntry(name, change));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
    this.#quiet[Symbol.dispose]();
    await Deno.remove(this.root, { recursive: true });
  }
}

interface FakeTime {
  readonly clock: FakeClock;
  readonly quiet: Quiet;
}

/** How much time passes for what must come, and for one attempt. */
const PATIENCE_MS = 8000;
const PROBE_MS = 200;

const STEP_MS = 100;

function isEntry(name: string, change: string): (hint: WatchHint) => boolean {
  return (hint) =>
    hint.kind === "entry" && hint.name === name && hint.change === change;
}

async function watch(name = "dir"): Promise<Watching> {
  const root = await Deno.makeTempDir({ prefix: "skerry_watch_" });
  if (name === "dir") await Deno.mkdir(join(root, name));
  return await Watching.start(root, name);
}

Deno.test("watchPath() begins with a rescan and names what happens to entries", async () => {
  await using watching = await watch();
  const { path, root } = watching;
  await watching.rescan();
  await Deno.writeTextFile(join(root, "new"), "x");
  await Deno.rename(join(root, "new"), join(path, "a"));
  await watching.entry("a", "arrived");
  await Deno.writeTextFile(join(path, "a"), "yy");
  await watching.entry("a", "written");
  await watching.entry("a", "closed");
  await Deno.writeTextFile(join(path, "b"), "yy");
  await watching.entry("b", "created");
  await Deno.rename(join(path, "b"), join(path, "c"));
  await watching.next((hint) =>
    hint.kind === "entry" && hint.name === "b" && hint.change === "removed" &&
    hint.movedTo === "c"
  );
  await watching.entry("c", "arrived");
  await Deno.remove(join(path, "c"));
  await watching.entry("c", "removed");
});

Deno.test("watchPath() waits for a directory that is missing and follows one that returns", async () => {
  await using watching = await watch("later");
  const { path, root } = watching;
  await Deno.mkdir(path);
  await watching.rescan();
  await Deno.remove(path);
  await watching.rescan();
  await Deno.mkdir(path);
  await watching.rescan();
  await watching.hears();
  await Deno.rename(path, join(root, "old"));
  await Deno.mkdir(path);
  await watching.rescan();
  await watching.hears();
});

Deno.test("watchPath() notices that a directory above was replaced", async () => {
  const root = await Deno.makeTempDir({ prefix: "skerry_watch_" });
  await Deno.mkdir(join(root, "above/dir"), { recursive: true });
  await using watching = await Watching.start(root, "above/dir");
  await watching.rescan();
  await Deno.rename(join(root, "above"), join(root, "old"));
  await Deno.mkdir(join(root, "above/dir"), { recursive: true });
  await watching.rescan();
  await watching.hears();
});

Deno.test("watchPath() watches a single file through its replacement", async () => {
  await using watching = await watch("file.yaml");
  const { path, root } = watching;
  await Deno.writeTextFile(path, "x");
  await watching.rescan();
  await Deno.writeTextFile(path, "yy");
  await watching.entry("file.yaml", "written");
  await Deno.writeTextFile(join(root, "new"), "x");
  await Deno.rename(join(root, "new"), path);
  await watching.rescan();
  await watching.hearsItself();
});

Deno.test("watchPath() replaces lost events by a rescan", async () => {
  await using watching = await watch();
  await watching.rescan();
  watching.hints.length = 0;
  overflow(watching.path);
  // The kernel drops events, perhaps the one by which all is known to be heard as well.
  await until(() => watching.hints.some(({ kind }) => kind === "rescan"));
});

Deno.test("watchPath() asks for a look after many events, since the last may be lost", async () => {
  await using watching = await watch();
  await watching.rescan();
  await watching.hears();
  watching.hints.length = 0;
  for (let at = 0; at < 100; at++) {
    await Deno.writeTextFile(join(watching.path, `file-${at}`), "");
  }
  await watching.rescan();
});

Deno.test("watchPath() ends at once when it is aborted while the path is missing", async () => {
  const stop = new AbortController();
  const deps = { clock: new FakeClock(), log: silentLogger };
  const watching = watchPath("/nowhere/at/all", stop.signal, deps);
  const next = watching.next();
  stop.abort();
  deepStrictEqual(await next, { value: undefined, done: true });
  strictEqual((await watching.next()).done, true);
});

Deno.test("watchPath() ends when the signal has aborted before it begins", async () => {
  const deps = { clock: new FakeClock(), log: silentLogger };
  const watching = watchPath("/nowhere", AbortSignal.abort(), deps);
  strictEqual((await watching.next()).done, true);
});

Deno.test("watchPath() ends when the signal aborts during its first look", async () => {
  const root = await Deno.makeTempDir({ prefix: "skerry_watch_" });
  const stop = new AbortController();
  const deps = { clock: new FakeClock(), log: silentLogger };
  const watching = watchPath(root, stop.signal, deps);
  const next = watching.next();
  stop.abort();
  strictEqual((await next).done, true);
  await Deno.remove(root, { recursive: true });
});

Deno.test("watchPath() notices that a directory was removed and made anew at once", async () => {
  await using watching = await watch();
  const { path } = watching;
  await watching.rescan();
  for (let round = 0; round < 5; round++) {
    await watching.hears();
    watching.hints.length = 0;
    makeAnew(path);
    await watching.rescan();
  }
  await watching.hears();
});

/** Lets a clock go on until something holds; all files are heard of before each step. */
async function pass(
  clock: FakeClock,
  options: { readonly quiet: Quiet; readonly withinMs: number },
  isOver: () => boolean = () => false,
): Promise<void> {
  const { quiet, withinMs } = options;
  const endMs = clock.monotonic() + withinMs;
  await quiet.wait();
  while (!isOver() && clock.monotonic() < endMs) {
    await clock.advance(STEP_MS);
    await quiet.wait();
  }
}

Deno.test("watchPath() does not take a change before it listened for a lost thread", async () => {
  const root = await Deno.makeTempDir({ prefix: "skerry_watch_" });
  await Deno.utime(root, 1, 1);
  const stop = new AbortController();
  const lines: string[] = [];
  const clock = new FakeClock();
  using quiet = await Quiet.open({ clock });
  const log = linesTo(lines, { clock });
  const watchFs = Deno.watchFs;
  Deno.watchFs = (paths, options) => {
    Deno.writeTextFileSync(join(root, "between"), "");
    return watchFs(paths, options);
  };
  const deps = { clock, log };
  const hints: WatchHint[] = [];
  const watching = (async () => {
    for await (const hint of watchPath(root, stop.signal, deps)) {
      hints.push(hint);
    }
  })();
  try {
    await pass(clock, { quiet, withinMs: 10_000 });
  } finally {
    Deno.watchFs = watchFs;
    stop.abort();
    await watching;
    await Deno.remove(root, { recursive: true });
  }
  deepStrictEqual(lines, []);
  deepStrictEqual(hints, [{ kind: "rescan" }]);
});

Deno.test("watchPath() says once that the system refuses to watch, tries again, and watches when it may (SRC-18)", async () => {
  const root = await Deno.makeTempDir({ prefix: "skerry_watch_" });
  const stop = new AbortController();
  const lines: string[] = [];
  const clock = new FakeClock();
  using quiet = await Quiet.open({ clock });
  const log = messagesTo(lines, { clock });
  const watchFs = Deno.watchFs;
  let refusals = 0;
  Deno.watchFs = (paths, options) => {
    refusals++;
    if (refusals > 3) return watchFs(paths, options);
    throw new Error("Too many open files (os error 24)");
  };
  const hints: WatchHint[] = [];
  const watching = (async () => {
    for await (const hint of watchPath(root, stop.signal, { clock, log })) {
      hints.push(hint);
    }
  })();
  try {
    await pass(clock, { quiet, withinMs: 60_000 }, () => hints.length > 0);
    await Deno.writeTextFile(join(root, "a"), "");
    await quiet.wait();
  } finally {
    Deno.watchFs = watchFs;
    stop.abort();
    await watching;
    await Deno.remove(root, { recursive: true });
  }
  deepStrictEqual(lines, ["watch_unavailable", "watch_restored"]);
  deepStrictEqual(hints.slice(0, 2), [
    { kind: "rescan" },
    { kind: "entry", name: "a", change: "created" },
  ]);
});

function makeAnew(directory: string): void {
  Deno.removeSync(directory, { recursive: true });
  Deno.mkdirSync(directory);
}

// Without a pause the loop that reads events gets no turn, and the kernel drops
// what is beyond 16384 of them (fs.inotify.max_queued_events).
function overflow(directory: string): void {
  const [a, b] = [join(directory, "a"), join(directory, "b")];
  Deno.writeTextFileSync(a, "");
  for (let round = 0; round < 5000; round++) {
    Deno.renameSync(a, b);
    Deno.renameSync(b, a);
  }
}
