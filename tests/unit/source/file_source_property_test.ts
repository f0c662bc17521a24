/**
 * Any interleaving of edits and restarts ends where a fresh start ends.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { FileSource } from "../../../mod/source/file/file_source.ts";
import type { SourceSet } from "../../../mod/source/merge/source_set.ts";
import { NO_CHECK, NO_EVENTS } from "../../support/no_ops.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import {
  FakeLastGood,
  FakeManifests,
  FILE_OPTIONS,
} from "../../support/source/fake_manifests.ts";

/** What a file says: a pod of some name and image, or nothing that makes sense. */
type Content =
  | { readonly kind: "pod"; readonly name: string; readonly image: string }
  | { readonly kind: "garbage"; readonly text: string };

/** Whether the system tells of an edit. */
type Hints = "told" | "lost";

type Edit =
  | {
    readonly kind: "write" | "put";
    readonly file: string;
    readonly content: Content;
    readonly ageMs: number;
    readonly hints: Hints;
  }
  | {
    readonly kind: "write_under_old_time";
    readonly file: string;
    readonly content: Content;
    readonly hints: Hints;
  }
  | {
    readonly kind: "touch" | "remove";
    readonly file: string;
    readonly hints: Hints;
  }
  | {
    readonly kind: "rename";
    readonly file: string;
    readonly to: string;
    readonly hints: Hints;
  }
  | {
    readonly kind: "vanish" | "outage";
    readonly ms: number;
    readonly hints: Hints;
  }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "stop" | "start" };

const FILES = ["a.yaml", "b.yaml", "c.json"] as const;

const file = fc.constantFrom(...FILES);
const hints = fc.constantFrom<Hints>("told", "lost");
const ms = fc.constantFrom(0, 5, 50, 99, 100, 101, 1000, 2500, 19_000, 21_000);

const content: fc.Arbitrary<Content> = fc.oneof(
  fc.record({
    kind: fc.constant("pod"),
    name: fc.constantFrom("p", "q"),
    // Of one length, so that a size tells nothing.
    image: fc.constantFrom("v1", "v2", "v3"),
  }),
  fc.record({
    kind: fc.constant("garbage"),
    text: fc.constantFrom("", "{{{", "kind: Pod\n", "\u0000"),
  }),
);

const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom("write", "put"),
      file,
      content,
      ageMs: fc.constantFrom(0, 500, 60_000, -500),
      hints,
    }),
  },
  {
    arbitrary: fc.record({
      kind: fc.constant("write_under_old_time"),
      file,
      content,
      hints,
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      kind: fc.constantFrom("touch", "remove"),
      file,
      hints,
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant("rename"),
      file,
      to: fc.constantFrom(...FILES, "a.yaml~", ".hidden.yaml"),
      hints,
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      kind: fc.constantFrom("vanish", "outage"),
      ms,
      hints,
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({ kind: fc.constant("pass"), ms }),
    weight: 6,
  },
  {
    arbitrary: fc.record({ kind: fc.constantFrom("stop", "start") }),
    weight: 2,
  },
);

/** After so long everything has been looked at, and what is gone given up. */
const FULL_LOOK_MS = 21_000;

const CANARY = "0-canary.yaml";

/** A folder, a store, and at most one agent that reads them. */
class World {
  readonly clock = new FakeClock();
  readonly files = new FakeManifests(this.clock);
  readonly lastGood: FakeLastGood = new FakeLastGood();
  /** What each name ever said, as `pod image`. */
  readonly said = new Map<string, Set<string>>();
  readonly #contents = new Map<string, Content>();
  #agent: Agent | undefined;

  constructor() {
    const canary = { kind: "pod", name: "canary", image: "v0" } as const;
    this.files.write(CANARY, textOf(canary), { ageMs: 60_000 });
    this.#contents.set(CANARY, canary);
  }

  async apply(edit: Edit): Promise<void> {
    switch (edit.kind) {
      case "write":
      case "put":
        return this.#write(edit.file, edit);
      case "write_under_old_time":
        if (!this.files.files.has(`/m/${edit.file}`)) return;
        this.files.writeUnderOldTime(edit.file, textOf(edit.content));
        this.#note(edit.file, edit.content);
        return this.#hint(edit, () => {
          this.files.hint(edit.file, "written");
          this.files.hint(edit.file, "closed");
        });
      case "touch":
        this.files.touch(edit.file);
        return this.#hint(edit, () => this.files.hint(edit.file, "written"));
      case "remove":
        this.files.remove(edit.file);
        this.#contents.delete(edit.file);
        return this.#hint(edit, () => this.files.hint(edit.file, "removed"));
      case "rename":
        return this.#rename(edit);
      case "vanish":
      case "outage":
        return await this.#interrupt(edit);
      case "pass":
        await this.pass(edit.ms);
        if (edit.ms >= FULL_LOOK_MS) this.#forget();
        return;
      case "stop":
        return await this.stop();
      case "start":
        return await this.start();
    }
  }

  async start(): Promise<void> {
    this.#agent ??= new Agent(this);
    await this.pass(0);
  }

  async stop(): Promise<void> {
    const agent = this.#agent;
    this.#agent = undefined;
    await agent?.stop();
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.clock.advance(0);
  }

  /** Waits for longer than anything is waited for. */
  async settle(): Promise<void> {
    await this.start();
    await this.pass(25_000);
    await this.pass(25_000);
  }

  get last(): SourceSet | undefined {
    return this.#agent?.sets.at(-1);
  }

  get sets(): readonly SourceSet[] {
    return this.#agent?.sets ?? [];
  }

  /** What the manifests say at present, in their order. */
  contents(): readonly (readonly [string, Content])[] {
    return [...this.#contents]
      .filter(([name]) => /^[^.].*\.(yaml|json)$/.test(name))
      .sort(([a], [b]) => a < b ? -1 : 1);
  }

  #write(name: string, edit: Extract<Edit, { kind: "write" | "put" }>): void {
    const { content, ageMs } = edit;
    if (edit.kind === "put") this.files.remove(name);
    this.files.write(name, textOf(content), { ageMs, changedAgeMs: 0 });
    this.#note(name, content);
    this.#hint(edit, () => {
      if (edit.kind === "put") return this.files.hint(name, "arrived");
      this.files.hint(name, "created");
      this.files.hint(name, "written");
      this.files.hint(name, "closed");
    });
  }

  #rename(edit: Extract<Edit, { kind: "rename" }>): void {
    const { file: from, to } = edit;
    const content = this.#contents.get(from);
    if (content === undefined || from === to) return;
    this.files.rename(from, to);
    this.#contents.delete(from);
    this.#note(to, content);
    this.#hint(edit, () => {
      this.files.hint(from, "removed", to);
      this.files.hint(to, "arrived");
    });
  }

  async #interrupt(
    edit: Extract<Edit, { kind: "vanish" | "outage" }>,
  ): Promise<void> {
    // A folder that is not there at the start is another matter.
    if (this.#agent === undefined) return;
    if (edit.kind === "vanish") this.files.exists = false;
    else this.files.outage = new Error("EIO");
    this.#hint(edit, () => {
      this.files.hint(CANARY, edit.kind === "vanish" ? "removed" : "written");
      this.files.rescan();
    });
    await this.pass(edit.ms);
    this.files.exists = true;
    this.files.outage = undefined;
    this.#hint(edit, () => this.files.rescan());
  }

  /** Who saw that a file was gone does not remember what it said. */
  #forget(): void {
    if (this.#agent === undefined) return;
    for (const name of this.said.keys()) {
      if (!this.#contents.has(name)) this.said.delete(name);
    }
  }

  #note(name: string, content: Content): void {
    this.#contents.set(name, content);
    if (content.kind === "garbage") return;
    const said = this.said.get(name) ?? new Set();
    this.said.set(name, said.add(`${content.name} ${content.image}`));
  }

  #hint(edit: { readonly hints: Hints }, tell: () => void): void {
    if (edit.hints === "told" && this.#agent !== undefined) tell();
  }
}

class Agent {
  readonly sets: SourceSet[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor({ clock, files, lastGood }: World) {
    const source = new FileSource(FILE_OPTIONS, {
      clock,
      files,
      lastGood,
      log: silentLogger,
      metrics: new MetricsRegistry(),
      events: NO_EVENTS,
      check: NO_CHECK,
    });
    this.#running = (async () => {
      for await (const set of source.run(this.#stop.signal)) {
        this.sets.push(set);
      }
    })();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

Deno.test("FileSource ends where a fresh start ends, after any edits, lost hints and restarts", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(edit, { maxLength: 40, size: "max" }),
      async (edits) => {
        const world = new World();
        await world.start();
        for (const one of edits) {
          await world.apply(one);
          // An untouched neighbour is in every set.
          ok(world.sets.every((set) => podsOf(set).has("canary v0")));
        }
        await world.settle();
        const ended = world.last;
        await world.stop();
        await world.settle();
        deepStrictEqual(world.last, ended);
        assertFits(world);
        await world.stop();
        strictEqual(world.clock.pendingTimers, 0);
      },
    ),
    { numRuns: 200 },
  );
});

/** What runs is what the files say, or said before they turned invalid. */
function assertFits(world: World): void {
  const pods = podsOf(world.last);
  const contents = world.contents();
  for (const [, content] of contents) {
    if (content.kind === "garbage") continue;
    const named = [...pods].filter((pod) => pod.startsWith(`${content.name} `));
    strictEqual(named.length, 1, `one pod "${content.name}"`);
  }
  for (const pod of pods) {
    const isSaid = contents.some(([name, content]) =>
      content.kind === "pod"
        ? pod === `${content.name} ${content.image}`
        : world.said.get(name)?.has(pod) ?? false
    );
    ok(isSaid, `"${pod}" is in no file`);
  }
}

function podsOf(set: SourceSet | undefined): ReadonlySet<string> {
  return new Set(
    set?.pods.map(({ metadata, spec }) =>
      `${metadata.name.replace(/-n$/, "")} ${spec.containers[0]?.image}`
    ),
  );
}

function textOf(content: Content): string {
  if (content.kind === "garbage") return content.text;
  const { name, image } = content;
  return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"${name}"},` +
    `"spec":{"containers":[{"name":"main","image":"${image}"}]}}`;
}
