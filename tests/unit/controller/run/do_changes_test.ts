/** What a step wishes is done in its order, and no more than is wise. */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import { doChanges } from "../../../../mod/controller/run/do_changes.ts";
import type { Change } from "../../../../mod/controller/run/mod.ts";
import { ScriptedObjects } from "../../../support/controller/scripted_objects.ts";

const OWNER = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: "web", namespace: "shop", uid: "owner" },
} as const;

function create(name: string): Change {
  return {
    verb: "create",
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "shop" },
    },
    events: {
      done: { type: "Normal", reason: "Made", message: "Made {name}" },
      failed: { type: "Warning", reason: "Not", message: "{name}: {error}" },
    },
  };
}

function ref(name: string) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    namespace: "shop",
    name,
    uid: `uid-${name}`,
  };
}

class Rig {
  readonly objects = new ScriptedObjects();
  readonly told: string[] = [];
  readonly wrote: string[] = [];
  readonly deleted: string[] = [];
  readonly #ended = new AbortController();

  do(changes: readonly Change[]) {
    return doChanges(OWNER, changes, {
      client: this.objects,
      signal: this.#ended.signal,
      listener: {
        wrote: ({ metadata }) => void this.wrote.push(metadata.name),
        deleted: ({ name }) => void this.deleted.push(name),
        tell: ({ reason, message }) =>
          void this.told.push(`${reason} ${message}`),
      },
    });
  }

  end(): void {
    this.#ended.abort();
  }

  /** Lets calls wait until there are no more, and says how many came each time. */
  async batches(run: Promise<unknown>): Promise<number[]> {
    const sizes: number[] = [];
    let isOver = false;
    void run.finally(() => {
      isOver = true;
    });
    for (let turn = 0; turn < 100 && !isOver; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      const waiting = this.objects.held?.splice(0) ?? [];
      if (waiting.length > 0) sizes.push(waiting.length);
      for (const resolve of waiting) resolve();
    }
    await run;
    return sizes;
  }
}

function pods(count: number): Change[] {
  return Array.from({ length: count }, (_, at) => create(`web-${at}`));
}

/** TestSlowStartBatch. */
const batches: readonly (readonly [number, readonly number[]])[] = [
  [0, []],
  [1, [1]],
  [3, [1, 2]],
  [4, [1, 2, 1]],
  [10, [1, 2, 4, 3]],
];

for (const [count, expected] of batches) {
  Deno.test(`${count} creations go out in batches of ${expected}`, async () => {
    const rig = new Rig();
    rig.objects.held = [];
    deepStrictEqual(await rig.batches(rig.do(pods(count))), expected);
    strictEqual(rig.objects.calls.length, count);
  });
}

Deno.test("deletions go out all at once, and creations begin slowly again after them", async () => {
  const rig = new Rig();
  rig.objects.held = [];
  const deletions = ["a", "b", "c"].map((name): Change => ({
    verb: "delete",
    ref: ref(name),
  }));
  const run = rig.do([...pods(3), ...deletions, create("x"), create("y")]);
  deepStrictEqual(await rig.batches(run), [1, 2, 3, 1, 1]);
  deepStrictEqual(rig.deleted, ["a", "b", "c"]);
});

Deno.test("a failure ends the batches; what was done beside it counts", async () => {
  const rig = new Rig();
  rig.objects.refuse = (_verb, { name }) =>
    name === "web-1" ? new ApiFailure("Forbidden", "too many") : undefined;
  const failures = await rig.do(pods(8));
  deepStrictEqual(failures.map(({ failure }) => failure.reason), ["Forbidden"]);
  deepStrictEqual(rig.objects.calls, [
    "create Pod web-0",
    "create Pod web-1",
    "create Pod web-2",
  ]);
  deepStrictEqual(rig.wrote, ["web-0", "web-2"]);
  deepStrictEqual(rig.told.toSorted(), [
    "Made Made web-0",
    "Made Made web-2",
    "Not web-1: too many",
  ]);
});

const DONE = { type: "Normal", reason: "Did", message: "{name}" } as const;

/** Both to one pod, as it was seen. */
const TO_A: readonly Change[] = [
  { verb: "patch", ref: ref("a"), patch: {}, events: { done: DONE } },
  { verb: "delete", ref: ref("a"), events: { done: DONE } },
];

for (const uid of [undefined, "anew"]) {
  Deno.test(`what is ${uid ?? "gone"} needs no patch and no deletion, and nothing is told`, async () => {
    const rig = new Rig();
    if (uid !== undefined) {
      const metadata = { name: "a", namespace: "shop", uid };
      rig.objects.put({ apiVersion: "v1", kind: "Pod", metadata });
    }
    deepStrictEqual(await rig.do(TO_A), []);
    deepStrictEqual(rig.wrote, []);
    deepStrictEqual(rig.deleted, ["a"]);
    deepStrictEqual(rig.told, []);
    strictEqual(rig.objects.all("Pod").length, uid === undefined ? 0 : 1);
  });
}

Deno.test("what is there at another version is not done, and told if it is done", async () => {
  const rig = new Rig();
  rig.objects.put({ apiVersion: "v1", kind: "Pod", metadata: ref("a") });
  const patch = { metadata: { resourceVersion: "0" } };
  const stale: Change = { verb: "patch", ref: ref("a"), patch };
  const [failed] = await rig.do([stale]);
  strictEqual(failed?.failure.reason, "Conflict");
  deepStrictEqual(await rig.do(TO_A), []);
  deepStrictEqual(rig.told, ["Did a", "Did a"]);
});

for (const isSame of [true, false]) {
  Deno.test(`what is there already and is ${isSame ? "" : "not "}what was wished is told as it is`, async () => {
    const rig = new Rig();
    const metadata = { name: "a", namespace: "shop", uid: "other" };
    rig.objects.put({ apiVersion: "v1", kind: "Pod", metadata });
    const change: Change = {
      verb: "create",
      object: { apiVersion: "v1", kind: "Pod", metadata },
      isSame: (found) => isSame && found.metadata.uid === "other",
      events: { done: DONE },
    };
    const failures = await rig.do([change]);
    deepStrictEqual(
      failures.map(({ failure }) => failure.reason),
      isSame ? [] : ["AlreadyExists"],
    );
    deepStrictEqual(rig.wrote, isSame ? ["a"] : []);
    deepStrictEqual(rig.told, []);
  });
}

const notSame = {
  "that is refused for something else": [{ isSame: () => true }, "Forbidden"],
  "that nobody compares": [{}, "AlreadyExists"],
} as const;

for (const [what, [wish, reason]] of Object.entries(notSame)) {
  Deno.test(`a creation ${what} is not looked up, though its name is taken`, async () => {
    const rig = new Rig();
    rig.objects.put({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "a", namespace: "shop", uid: "other" },
    });
    rig.objects.refuse = () => new ApiFailure(reason, "no");
    const [failed] = await rig.do([{ ...create("a"), ...wish }]);
    strictEqual(failed?.failure.reason, reason);
    deepStrictEqual(rig.objects.calls, ["create Pod a"]);
    deepStrictEqual(rig.wrote, []);
  });
}

const adoption: Change = {
  verb: "patch",
  ref: ref("a"),
  patch: { metadata: { labels: { adopted: "yes" } } },
  isAdoption: true,
};

const livesOn: Readonly<Record<string, readonly [object, readonly string[]]>> =
  {
    "as it was": [{}, ["get ReplicaSet web", "patch Pod a"]],
    "as another one": [{ uid: "new" }, ["get ReplicaSet web"]],
    "about to go": [
      { deletionTimestamp: "2026-01-01T00:00:00Z" },
      ["get ReplicaSet web"],
    ],
  };

for (const [state, [metadata, calls]] of Object.entries(livesOn)) {
  Deno.test(`an owner that is ${state} is looked at before it adopts`, async () => {
    const rig = new Rig();
    rig.objects.put({ ...OWNER, metadata: { ...OWNER.metadata, ...metadata } });
    rig.objects.put({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...ref("a") },
    });
    const failures = await rig.do([adoption]);
    deepStrictEqual(rig.objects.calls, calls);
    deepStrictEqual(
      failures.map(({ failure }) => failure.reason),
      calls.length === 2 ? [] : ["Conflict"],
    );
  });
}

Deno.test("what goes out beside an adoption waits for the next look when nothing may be adopted", async () => {
  const rig = new Rig();
  const other: Change = { verb: "patch", ref: ref("b"), patch: {} };
  const failures = await rig.do([other, adoption]);
  strictEqual(failures.length, 2);
  deepStrictEqual(rig.objects.calls, ["get ReplicaSet web"]);
});

Deno.test("an owner that is gone adopts nothing, and one that cannot be read neither", async () => {
  const rig = new Rig();
  strictEqual((await rig.do([adoption]))[0]?.failure.reason, "Conflict");
  rig.objects.refuse = () => new ApiFailure("Timeout", "no answer");
  await rejects(rig.do([adoption]), /no answer/);
});

Deno.test("what no API says is a failure as well, and an abort is none", async () => {
  const rig = new Rig();
  rig.objects.refuse = () => {
    throw new TypeError("broken client");
  };
  const [failed] = await rig.do(pods(1));
  strictEqual(failed?.failure.reason, "InternalError");
  rig.objects.refuse = () => {
    rig.end();
    throw new DOMException("ended", "AbortError");
  };
  await rejects(rig.do(pods(1)), { name: "AbortError" });
});

Deno.test("a name with marks in it is told as it is", async () => {
  const rig = new Rig();
  rig.objects.refuse = () => new ApiFailure("Invalid", "{name} $& {error}");
  await rig.do([create("$&")]);
  deepStrictEqual(rig.told, ["Not $&: {name} $& {error}"]);
});
