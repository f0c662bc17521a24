/**
 * Watching what the system does not watch any more, and what does not answer.
 *
 * A file of its own, since a lost watching thread is lost for the whole process.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { type WatchHint, watchPath } from "../../../mod/host/files/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { untilLaterFileTime } from "../../support/file_times.ts";
import { HungStat } from "../../support/hung_stat.ts";
import { messagesTo } from "../../support/log_lines.ts";
import { Quiet } from "../../support/quiet/quiet.ts";
import { until } from "../../support/until.ts";

/** A directory that is watched, and a file of the agent's own beside it. */
class Watching implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly #quiet: Quiet;
  readonly hints: WatchHint[] = [];
  readonly log: string[] = [];
  readonly path: string;
  readonly #root: string;
  readonly #stop = new AbortController();
  #ended: Promise<void> | undefined;

  private constructor(clock: FakeClock, quiet: Quiet) {
    this.clock = clock;
    this.#quiet = quiet;
    this.#root = Deno.makeTempDirSync({ prefix: "skerry_watch_" });
    this.path = join(this.#root, "dir");
    Deno.mkdirSync(this.path);
    Deno.writeTextFileSync(join(this.#root, "skerry.lock"), "");
  }

  /** Lets time pass; all that the kernel reports is heard before each step. */
  async pass(ms = 100): Promise<void> {
    for (let step = 0; step < ms; step += 100) {
      await this.#quiet.wait();
      await this.clock.advance(100);
    }
  }

  static async create(): Promise<Watching> {
    const clock = new FakeClock();
    return new Watching(clock, await Quiet.open({ clock }));
  }

  start(): void {
    this.#ended = (async () => {
      const deps = {
        clock: this.clock,
        log: messagesTo(this.log, { clock: this.clock }),
        rootDir: this.#root,
      };
      const { signal } = this.#stop;
      for await (const hint of watchPath(this.path, signal, deps)) {
        this.hints.push(hint);
      }
    })();
  }

  /** Lets time pass until a hint fits. */
  async untilHint(fits: (hint: WatchHint) => boolean): Promise<void> {
    await until(async () => {
      await this.pass();
      return this.hints.some(fits);
    });
    this.hints.length = 0;
  }

  /** Writes files until the kernel reports one. */
  async untilHeard(): Promise<void> {
    let count = 0;
    await until(async () => {
      await Deno.writeTextFile(join(this.path, `file${count++}`), "");
      await this.pass();
      return this.hints.some(({ kind }) => kind === "entry");
    });
    this.hints.length = 0;
  }

  /** Asks it to end, and waits for that. */
  async stop(): Promise<void> {
    this.#stop.abort();
    let isOver = false;
    const ended = this.#ended?.then(() => {
      isOver = true;
    });
    await until(async () => {
      await this.pass();
      return isOver;
    });
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    this.#quiet[Symbol.dispose]();
    await Deno.remove(this.#root, { recursive: true });
  }
}

const isRescan = ({ kind }: WatchHint): boolean => kind === "rescan";

Deno.test("watchPath() watches again what the system has stopped watching, and does not take its thread for lost", async () => {
  await using watching = await Watching.create();
  const { log, path } = watching;
  await using dead = await firstWatchDead(path);
  watching.start();
  await watching.untilHint(isRescan);
  await watching.pass(1000);
  await untilLaterFileTime();
  await watching.untilHeard();
  deepStrictEqual(log, []);
  ok(dead.isPast());
});

Deno.test("watchPath() does not forget that it heard nothing while the directory does not answer", async () => {
  await using watching = await Watching.create();
  const { hints, log, path } = watching;
  await using dead = await firstWatchDead(path);
  const { readDir } = Deno;
  let listed = 0;
  using _restored = {
    [Symbol.dispose]() {
      Deno.readDir = readDir;
    },
  };
  watching.start();
  await watching.untilHint(isRescan);
  await watching.pass(1000);
  await untilLaterFileTime();
  // It is listed when the change is seen, and once more when nothing was heard of it.
  Deno.readDir = (directory) => {
    if (directory !== path || ++listed === 1) return readDir(directory);
    return {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
    };
  };
  await Deno.writeTextFile(join(path, "file"), "");
  await until(async () => {
    await watching.pass();
    return listed > 1;
  });
  await watching.pass(3000);
  Deno.readDir = readDir;
  deepStrictEqual(hints, []);
  await watching.untilHint(isRescan);
  deepStrictEqual(log, []);
  ok(dead.isPast());
});

/** The first watch of a path hears nothing, as if the system had ended it. */
async function firstWatchDead(
  path: string,
): Promise<AsyncDisposable & { readonly isPast: () => boolean }> {
  const elsewhere = await Deno.makeTempDir();
  const { watchFs } = Deno;
  let isFirst = true;
  Deno.watchFs = (paths, options) => {
    const isDead = paths === path && isFirst;
    if (isDead) isFirst = false;
    return watchFs(isDead ? elsewhere : paths, options);
  };
  return {
    isPast: () => !isFirst,
    async [Symbol.asyncDispose]() {
      Deno.watchFs = watchFs;
      await Deno.remove(elsewhere);
    },
  };
}

Deno.test({
  name:
    "watchPath() watches again what is unmounted and mounted again in a moment",
  ignore: !mount("tmpfs", "/mnt") || !unmount("/mnt"),
  async fn() {
    await using watching = await Watching.create();
    const { log, path } = watching;
    ok(mount("tmpfs", path));
    using _unmounted = { [Symbol.dispose]: () => unmount(path) };
    watching.start();
    await watching.untilHeard();
    ok(unmount(path));
    // Mostly with the number of the device of before: then only silence shows it.
    ok(mount("tmpfs", path));
    await untilLaterFileTime();
    await watching.untilHeard();
    deepStrictEqual(log, []);
    await watching.stop();
  },
});

Deno.test("watchPath() ends, and waits for a file system that does not answer, and for it to answer again", async () => {
  await using watching = await Watching.create();
  const { hints, path } = watching;
  watching.start();
  await watching.untilHeard();
  using hung = new HungStat(path);
  await until(async () => {
    await watching.pass();
    return hung.asked > 0;
  });
  await watching.pass(10_000);
  hints.length = 0;
  strictEqual(hung.asked, 1);
  // It is mounted anew, and the call to the old mount waits for good.
  hung.restore();
  await Deno.rename(path, `${path}.old`);
  await Deno.mkdir(path);
  await watching.pass(120_000);
  await watching.untilHeard();
  using _again = new HungStat(path);
  await watching.pass(2_000);
  await watching.stop();
});

Deno.test("watchPath() looks at a directory on while what a link in it leads to does not answer", async () => {
  await using watching = await Watching.create();
  const { hints, path } = watching;
  const link = join(path, "link");
  await Deno.symlink(path, link);
  using hung = new HungStat(link);
  watching.start();
  await watching.pass(10_000);
  await untilLaterFileTime();
  hints.length = 0;
  await Deno.writeTextFile(join(path, "file"), "");
  await watching.pass(3000);
  ok(hints.some(isRescan));
  strictEqual(hung.asked, 1);
});

Deno.test("watchPath() looks at a directory when a link comes into it for whose target the thread waits", async () => {
  await using watching = await Watching.create();
  const { hints, log, path } = watching;
  const elsewhere = await Deno.makeTempDir();
  const link = join(path, "link");
  const { watchFs } = Deno;
  const left = new DisposableStack();
  // Nothing is reported any more.
  Deno.watchFs = (_paths, options) => {
    const watcher = watchFs(elsewhere, options);
    left.defer(watcher.close.bind(watcher));
    watcher.close = () => {};
    return watcher;
  };
  const hung = new HungStat(link);
  await using _restored = {
    async [Symbol.asyncDispose]() {
      hung[Symbol.dispose]();
      await watching.stop();
      Deno.watchFs = watchFs;
      left.dispose();
      await Deno.remove(elsewhere, { recursive: true });
    },
  };
  watching.start();
  await watching.untilHint(isRescan);
  await watching.pass(2000);
  await untilLaterFileTime();
  await Deno.symlink(path, link);
  await watching.pass(20_000);
  deepStrictEqual(log, ["watch_unsafe"]);
  await untilLaterFileTime();
  hints.length = 0;
  await Deno.writeTextFile(join(path, "file"), "");
  await watching.pass(5000);
  ok(hints.some(isRescan));
});

Deno.test("watchPath() neither begins nor ends to watch while the thread waits for something, and goes on when it reports again", async () => {
  await using watching = await Watching.create();
  const { path } = watching;
  const elsewhere = await Deno.makeTempDir();
  const { watchFs } = Deno;
  const left = new DisposableStack();
  let [begun, ended] = [0, 0];
  // What happens to the agent's own file is not reported; what happens elsewhere is.
  Deno.watchFs = (paths, options) => {
    const isOwn = paths === path;
    const watcher = watchFs(isOwn ? paths : elsewhere, options);
    const close = watcher.close.bind(watcher);
    left.defer(close);
    if (!isOwn) return watcher;
    begun++;
    watcher.close = () => {
      ended++;
    };
    return watcher;
  };
  await using _restored = {
    async [Symbol.asyncDispose]() {
      await watching.stop();
      Deno.watchFs = watchFs;
      left.dispose();
      await Deno.remove(elsewhere, { recursive: true });
    },
  };
  watching.start();
  await watching.untilHeard();
  await Deno.rename(path, `${path}.old`);
  await Deno.mkdir(path);
  await watching.pass(10_000);
  deepStrictEqual([begun, ended], [1, 0]);
  await untilLaterFileTime();
  watching.hints.length = 0;
  await Deno.writeTextFile(join(path, "new"), "");
  await watching.untilHint(isRescan);
  deepStrictEqual([begun, ended], [1, 0]);
  await until(async () => {
    await Deno.writeTextFile(join(elsewhere, "a"), "");
    await watching.pass();
    return begun > 1;
  });
  await watching.untilHeard();
  deepStrictEqual([begun, ended], [2, 0]);
});

function mount(type: string, path: string): boolean {
  return command("mount", "-t", type, "none", path);
}

function unmount(path: string): boolean {
  return command("umount", path);
}

function command(name: string, ...args: readonly string[]): boolean {
  try {
    const output = new Deno.Command(name, { args: [...args], stderr: "null" });
    return output.outputSync().success;
  } catch {
    // There is no such command.
    return false;
  }
}
