/**
 * Watching real directories.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import {
  type Clock,
  createLogger,
  silentLogger,
  systemClock,
} from "../../../mod/base/mod.ts";
import { type WatchHint, watchPath } from "../../../mod/host/mod.ts";

class Watching implements AsyncDisposable {
  readonly hints: WatchHint[] = [];
  readonly path: string;
  readonly root: string;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor(root: string, name: string) {
    this.root = root;
    this.path = join(root, name);
    this.#ended = this.#collect();
  }

  async #collect(): Promise<void> {
    const deps = { clock: systemClock, log: silentLogger };
    for await (const hint of watchPath(this.path, this.#stop.signal, deps)) {
      this.hints.push(hint);
    }
  }

  /** Waits for a hint that fits, and forgets it and those before. */
  async next(fits: (hint: WatchHint) => boolean): Promise<void> {
    const endMs = systemClock.monotonic() + 5000;
    while (systemClock.monotonic() < endMs) {
      const at = this.hints.findIndex(fits);
      if (at >= 0) {
        this.hints.splice(0, at + 1);
        return;
      }
      await systemClock.sleep(5, this.#stop.signal);
    }
    throw new Error(`No such hint; there were ${JSON.stringify(this.hints)}`);
  }

  async rescan(): Promise<void> {
    await this.next((hint) => hint.kind === "rescan");
  }

  async entry(name: string, change: string): Promise<void> {
    await this.next((hint) =>
      hint.kind === "entry" && hint.name === name && hint.change === change
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
    await Deno.remove(this.root, { recursive: true });
  }
}

async function watch(name = "dir"): Promise<Watching> {
  const root = await Deno.makeTempDir({ prefix: "skerry_watch_" });
  if (name === "dir") await Deno.mkdir(join(root, name));
  return new Watching(root, name);
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
  await Deno.writeTextFile(join(path, "a"), "");
  await watching.entry("a", "created");
  await Deno.rename(path, join(root, "old"));
  await Deno.mkdir(path);
  await watching.rescan();
  await systemClock.sleep(50, AbortSignal.timeout(1000));
  await Deno.writeTextFile(join(path, "b"), "");
  await watching.entry("b", "created");
});

Deno.test("watchPath() notices that a directory above was replaced", async () => {
  const root = await Deno.makeTempDir({ prefix: "skerry_watch_" });
  await Deno.mkdir(join(root, "above/dir"), { recursive: true });
  await using watching = new Watching(root, "above/dir");
  await watching.rescan();
  await Deno.rename(join(root, "above"), join(root, "old"));
  await Deno.mkdir(join(root, "above/dir"), { recursive: true });
  await watching.rescan();
  await systemClock.sleep(50, AbortSignal.timeout(1000));
  await Deno.writeTextFile(join(watching.path, "b"), "");
  await watching.entry("b", "created");
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
  await systemClock.sleep(50, AbortSignal.timeout(1000));
  await Deno.writeTextFile(path, "zzz");
  await watching.entry("file.yaml", "written");
});

Deno.test("watchPath() replaces lost events by a rescan", async () => {
  await using watching = await watch();
  await watching.rescan();
  watching.hints.length = 0;
  overflow(watching.path);
  await watching.rescan();
});

Deno.test("watchPath() ends at once when it is aborted while the path is missing", async () => {
  const stop = new AbortController();
  const deps = { clock: systemClock, log: silentLogger };
  const watching = watchPath("/nowhere/at/all", stop.signal, deps);
  const next = watching.next();
  stop.abort();
  deepStrictEqual(await next, { value: undefined, done: true });
  strictEqual((await watching.next()).done, true);
});

Deno.test("watchPath() ends when the signal has aborted before it begins", async () => {
  const deps = { clock: systemClock, log: silentLogger };
  const watching = watchPath("/nowhere", AbortSignal.abort(), deps);
  strictEqual((await watching.next()).done, true);
});

Deno.test("watchPath() ends when the signal aborts during its first look", async () => {
  const root = await Deno.makeTempDir({ prefix: "skerry_watch_" });
  const stop = new AbortController();
  const deps = { clock: systemClock, log: silentLogger };
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
    await Deno.writeTextFile(join(path, "a"), "");
    await watching.entry("a", "created");
    watching.hints.length = 0;
    makeAnew(path);
    await watching.rescan();
    await systemClock.sleep(100, AbortSignal.timeout(1000));
  }
});

// Periods of a second last a twentieth of one.
const hastyClock: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic(),
  after: (delayMs, callback) => systemClock.after(delayMs / 20, callback),
  sleep: (delayMs, signal) => systemClock.sleep(delayMs / 20, signal),
};

Deno.test("watchPath() does not take a change before it listened for a lost thread", async () => {
  const root = await Deno.makeTempDir({ prefix: "skerry_watch_" });
  await Deno.utime(root, 1, 1);
  const stop = new AbortController();
  const lines: string[] = [];
  const log = createLogger({
    level: "info",
    format: "json",
    clock: systemClock,
    write: (line) => lines.push(line),
  });
  const watchFs = Deno.watchFs;
  Deno.watchFs = (paths, options) => {
    Deno.writeTextFileSync(join(root, "between"), "");
    return watchFs(paths, options);
  };
  const deps = { clock: hastyClock, log };
  const hints: WatchHint[] = [];
  const watching = (async () => {
    for await (const hint of watchPath(root, stop.signal, deps)) {
      hints.push(hint);
    }
  })();
  try {
    await systemClock.sleep(500, AbortSignal.timeout(2000));
  } finally {
    Deno.watchFs = watchFs;
    stop.abort();
    await watching;
    await Deno.remove(root, { recursive: true });
  }
  deepStrictEqual(lines, []);
  deepStrictEqual(hints, [{ kind: "rescan" }]);
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
