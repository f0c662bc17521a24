/**
 * The mux that many sources feed.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import {
  type NotificationMode,
  PodConfigMux,
} from "../../../../mod/source/merge/merge_mux.ts";
import type { SourceUpdate } from "../../../../mod/source/merge/source_set.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { settingsMap, sourcePod } from "../../../support/source/source_pods.ts";
import {
  MODES,
  newStorage,
  set,
  words,
} from "../../../support/source/updates.ts";

const a = sourcePod({ name: "a" });
const b = sourcePod({ name: "b" });

/** A source that a test speaks through. */
class FakeSource {
  readonly #queue: SourceUpdate[] = [];
  #wake: () => void = () => {};
  failure: Error | undefined;
  isStopped = false;

  say(update: SourceUpdate): void {
    this.#queue.push(update);
    this.#wake();
  }

  fail(failure: Error): void {
    this.failure = failure;
    this.#wake();
  }

  async *run(signal: AbortSignal): AsyncGenerator<SourceUpdate> {
    signal.addEventListener("abort", () => this.#wake(), { once: true });
    while (!signal.aborted) {
      if (this.failure !== undefined) throw this.failure;
      const next = this.#queue.shift();
      if (next !== undefined) yield next;
      else {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
    }
    this.isStopped = true;
  }
}

class MuxRig implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly file = new FakeSource();
  readonly http = new FakeSource();
  readonly mux: PodConfigMux;
  readonly told: string[] = [];
  readonly stop = new AbortController();
  running: Promise<void> | undefined;

  constructor(mode: NotificationMode) {
    this.mux = new PodConfigMux(mode, {
      storage: newStorage(),
      objects: {
        replace: (source, objects) => {
          const names = objects.map(({ name }) => name);
          this.told.push(`objects of ${source}:${names}`);
        },
      },
    });
  }

  async pass(): Promise<void> {
    this.running ??= this.#run();
    await this.clock.advance(0);
  }

  async #run(): Promise<void> {
    const sources = [this.file, this.http];
    for await (const news of this.mux.run(sources, this.stop.signal)) {
      this.told.push(`${news.source} ${words([news])}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort();
    await this.running;
  }
}

Deno.test("PodConfigMux.run() tells one source while another is silent (SRC-24)", async () => {
  await using rig = new MuxRig("incremental");
  rig.file.say({ ...set("file", a), objects: [settingsMap()] });
  await rig.pass();
  deepStrictEqual(rig.told, ["objects of file:settings", "file add:a"]);
  rig.file.say({ op: "remove", source: "file", pods: [a] });
  await rig.pass();
  deepStrictEqual(rig.told.slice(2), ["file remove:a"]);
});

Deno.test("PodConfigMux.run() tells snapshots of all sources", async () => {
  await using rig = new MuxRig("snapshot");
  await rig.pass();
  rig.file.say(set("file", a));
  await rig.pass();
  rig.http.say(set("http", b));
  await rig.pass();
  deepStrictEqual(rig.told.filter((line) => line.includes("set")), [
    "file set:a",
    "http set:a,b",
  ]);
});

Deno.test("PodConfigMux.run() ignores a checkpoint that comes late, with its objects", async () => {
  await using rig = new MuxRig("incremental");
  rig.file.say(set("file", a));
  rig.file.say({
    op: "restore",
    source: "file",
    pods: [b],
    objects: [settingsMap()],
    workloads: [],
  });
  await rig.pass();
  deepStrictEqual(rig.told, ["objects of file:", "file add:a"]);
});

for (const mode of MODES) {
  Deno.test(`PodConfigMux.resync() tells the merged state again, but no increments (${mode})`, async () => {
    await using rig = new MuxRig(mode);
    rig.mux.resync();
    await rig.pass();
    deepStrictEqual(rig.told, mode === "incremental" ? [] : ["* set:"]);
    rig.file.say(set("file", a));
    await rig.pass();
    rig.told.length = 0;
    rig.mux.resync();
    await rig.pass();
    deepStrictEqual(
      rig.told,
      mode === "incremental" ? [] : ["* set:a"],
    );
  });
}

Deno.test("PodConfigMux.run() stops its sources when it is left", async () => {
  const rig = new MuxRig("incremental");
  const { mux, file, http, stop } = rig;
  file.say(set("file", a));
  for await (const news of mux.run([file, http], stop.signal)) {
    strictEqual(news.op, "add");
    break;
  }
  strictEqual(file.isStopped && http.isStopped, true);
});

Deno.test("PodConfigMux.run() runs nothing once it was told to stop", async () => {
  const rig = new MuxRig("incremental");
  rig.stop.abort();
  rig.file.say(set("file", a));
  await rig.pass();
  await rig.running;
  deepStrictEqual(rig.told, []);
});

Deno.test("PodConfigMux.run() takes fifty updates more than its reader, and lets the source wait then", async () => {
  const { mux, stop, clock } = new MuxRig("incremental");
  let said = 0;
  const busy = {
    async *run(signal: AbortSignal): AsyncGenerator<SourceUpdate> {
      while (!signal.aborted) {
        said++;
        yield set("file", sourcePod({ name: `p${said}` }));
      }
    },
  };
  for await (const _news of mux.run([busy], stop.signal)) {
    await clock.advance(0);
    // One is read, fifty lie ready, and one more waits for room.
    strictEqual(said, 52);
    break;
  }
});

Deno.test("PodConfigMux.run() fails with its source", async () => {
  const rig = new MuxRig("incremental");
  const failed = rejects(
    (async () => {
      for await (
        const _news of rig.mux.run([rig.file], rig.stop.signal)
      );
    })(),
    /broken/,
  );
  rig.file.fail(new Error("It is broken"));
  await failed;
});
