/**
 * A file source whose records lie on a disk that refuses or does not answer for a while.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { FileSource } from "../../../mod/source/file/file_source.ts";
import type { SourceSet } from "../../../mod/source/merge/source_set.ts";
import { DiskLastGoodStore } from "../../../mod/source/records/last_good_store.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { NO_CHECK, NO_EVENTS } from "../../support/no_ops.ts";
import {
  FakeManifests,
  FILE_OPTIONS,
} from "../../support/source/fake_manifests.ts";
import { FakeRecords } from "../../support/source/fake_records.ts";
import { manifest, OLD } from "../../support/source/file_source_rig.ts";

/** A source and its records, from a start of the agent to its end. */
class Life implements AsyncDisposable {
  readonly sets: SourceSet[] = [];
  readonly manifests: FakeManifests;
  readonly #clock = new FakeClock();
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;

  constructor(
    records: FakeRecords,
    manifests: Readonly<Record<string, string>>,
  ) {
    const clock = this.#clock;
    const files = new FakeManifests(clock);
    this.manifests = files;
    for (const [name, text] of Object.entries(manifests)) {
      files.write(name, text, OLD);
    }
    const metrics = new MetricsRegistry();
    const common = { clock, metrics, log: silentLogger, events: NO_EVENTS };
    const lastGood = new DiskLastGoodStore({
      directory: "/manifests",
      secretDirectory: "/run/manifests",
    }, { ...common, files: records });
    const source = new FileSource(
      { ...FILE_OPTIONS, path: "/m/" },
      { ...common, files, lastGood, check: NO_CHECK },
    );
    const { signal } = this.#stop;
    this.#running = Promise.all([lastGood.run(signal), this.#collect(source)]);
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 500) {
      await this.#clock.advance(500);
    }
    await this.#clock.advance(0);
  }

  /** The names of the pods of the last set, and the manifests that it does not know. */
  get known(): readonly [names: readonly string[], unknown: unknown] {
    const { pods = [], unknown } = this.sets.at(-1) ?? {};
    const names = pods.map(({ metadata }) => metadata.name.split("-")[0] ?? "");
    return [names.sort(), unknown];
  }

  async #collect(source: FileSource): Promise<void> {
    for await (const set of source.run(this.#stop.signal)) this.sets.push(set);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

/** Makes reads fail, and gives the way back. */
const FAULTS: readonly (readonly [
  what: string,
  begin: (records: FakeRecords) => () => void,
])[] = [
  ["does not answer (the limit of 5 s)", (records) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    records.hanging = (call) => call.startsWith("read ") ? promise : undefined;
    return () => {
      records.hanging = () => undefined;
      resolve();
    };
  }],
  ...["EMFILE", "EIO"].map((code) =>
    [`says ${code}`, (records: FakeRecords) => {
      records.failing = (call) => call.startsWith("read ") ? code : undefined;
      return () => records.failing = () => undefined;
    }] as const
  ),
];

for (const [what, begin] of FAULTS) {
  Deno.test(`FileSource does not know what an invalid manifest gave last while the disk of its records ${what}, and learns it later (I8)`, async () => {
    const records = new FakeRecords();
    {
      await using life = new Life(records, { "a.yaml": manifest("a") });
      await life.pass(2_000);
      deepStrictEqual(life.known, [["a"], undefined]);
    }
    strictEqual(records.namesIn("/manifests").length > 0, true);
    const end = begin(records);
    await using life = new Life(records, {
      "a.yaml": "kind: [",
      "b.yaml": manifest("b"),
    });
    await life.pass(30_000);
    deepStrictEqual(life.known, [["b"], ["/m/a.yaml"]]);
    end();
    await life.pass(60_000);
    deepStrictEqual(life.known, [["a", "b"], undefined]);
  });
}

const BAD = "kind: [";

/** What an agent leaves that is gone now; no boot leaves what lies in memory. */
function leftBy(
  records: FakeRecords,
  end: "killed" | "power cut",
): FakeRecords {
  const left = new FakeRecords();
  for (const [path, text] of records.files) {
    if (end === "power cut" && path.startsWith("/run/")) continue;
    left.files.set(path, text);
  }
  return left;
}

/** The containers' images in the last set. */
function images({ sets }: Life): readonly unknown[] {
  return (sets.at(-1)?.pods ?? [])
    .flatMap(({ spec }) => spec.containers.map(({ image }) => image));
}

for (const before of [undefined, "one"]) {
  Deno.test(`FileSource keeps the newest good version after an agent was killed that had not written it, if its manifest is bad by now and the record ${before === undefined ? "missing" : "older"} (I2, I8)`, async () => {
    let records = new FakeRecords();
    if (before !== undefined) {
      const text = manifest("a", before);
      await using life = new Life(records, { "a.yaml": text });
      await life.pass(20_000);
    }
    await using killed = new Life(records, { "a.yaml": manifest("a", "two") });
    await killed.pass(2_000);
    records = leftBy(records, "killed");
    await using life = new Life(records, { "a.yaml": BAD });
    await life.pass(1_000);
    deepStrictEqual(images(life), ["two"]);
    // It is what runs on now, so it is to survive a power cut as well.
    const booted = leftBy(records, "power cut");
    await using next = new Life(booted, { "a.yaml": BAD });
    await next.pass(1_000);
    deepStrictEqual(images(next), ["two"]);
  });
}

Deno.test("FileSource finds the last good version after a power cut that comes a moment after a bad edit (I8)", async () => {
  const records = new FakeRecords();
  await using life = new Life(records, { "a.yaml": manifest("a", "two") });
  await life.pass(2_000);
  strictEqual(records.writes, 0);
  life.manifests.write("a.yaml", BAD);
  await life.pass(25_000);
  deepStrictEqual(images(life), ["two"]);
  await using next = new Life(leftBy(records, "power cut"), { "a.yaml": BAD });
  await next.pass(1_000);
  deepStrictEqual(images(next), ["two"]);
});
