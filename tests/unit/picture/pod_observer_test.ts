/**
 * Looking at pods and remembering what was seen.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { listPod } from "../../../mod/runtime/observe/mod.ts";
import { PodObserver } from "../../../mod/picture/pod_observer.ts";
import { emptyPicture, NOTHING_MORE } from "../../support/picture/picture.ts";
import type { RuntimePicture } from "../../../mod/picture/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { ended, observed, sandbox, seen } from "../../support/observed_pods.ts";
import { containerRow, sandboxRow } from "../../support/runtime_rows.ts";
import { depsOf, SmallRuntime } from "../../support/runtime/small_runtime.ts";

function newObserver(
  runtime: SmallRuntime,
  deps: { readonly picture: RuntimePicture; readonly clock: FakeClock },
  asked: string[] = [],
): PodObserver {
  const learn = (id: string) => {
    asked.push(id);
    return Promise.resolve();
  };
  const { files } = depsOf(runtime);
  const ends = Object.assign(runtime, { learn });
  const more = { resources: NOTHING_MORE, notes: NOTHING_MORE };
  return new PodObserver({ ...deps, ...more, files, ends });
}

Deno.test("PodObserver.look() builds upon what is known, and dates the look by when it was asked for", async () => {
  const runtime = new SmallRuntime();
  runtime.sandboxes = [sandboxRow("u-1")];
  runtime.containers = [containerRow("u-1")];
  const clock = new FakeClock();
  const { picture } = emptyPicture({ clock });
  const observer = newObserver(runtime, { picture, clock });
  await clock.advance(5);
  const { signal } = new AbortController();
  const first = await observer.look("u-1", signal);
  strictEqual(picture.get("u-1"), first);
  strictEqual(picture.of("u-1").look.atMs, 5);
  runtime.calls.length = 0;
  deepStrictEqual(await observer.look("u-1", signal), first);
  deepStrictEqual(runtime.calls.slice(2), ["status s-u-1"]);
  const listing = await listPod(runtime, "u-1");
  runtime.calls.length = 0;
  await observer.inspect(listing, signal);
  deepStrictEqual(runtime.calls, ["status s-u-1"]);
});

Deno.test("PodObserver.inspectContainer() asks of one container and the sandbox that is ready", async () => {
  const runtime = new SmallRuntime();
  runtime.sandboxes = [sandboxRow("u-1")];
  runtime.containers = [containerRow("u-1", { state: "exited" })];
  const clock = new FakeClock();
  const { picture } = emptyPicture({ clock });
  const asked: string[] = [];
  const observer = newObserver(runtime, { picture, clock }, asked);
  const { signal } = new AbortController();
  const inspect = () => observer.inspectContainer("u-1", "c-u-1", signal);
  strictEqual(await inspect(), undefined);
  const see = (ready: boolean, state: "running" | "exited", id = "c-u-1") =>
    picture.record(
      "u-1",
      observed([seen("c", { id, sandboxId: "s-u-1", state })], [
        sandbox({ id: "s-u-1", ready }),
      ]),
      0,
    );
  see(true, "running", "other");
  strictEqual(await inspect(), undefined);
  deepStrictEqual(runtime.calls, []);
  see(true, "running");
  const part = await inspect();
  deepStrictEqual(
    [part?.containerId, part?.container?.state, part?.sandbox?.ready],
    ["c-u-1", "exited", true],
  );
  deepStrictEqual(runtime.calls.toSorted(), ["status c-u-1", "status s-u-1"]);
  deepStrictEqual(asked, ["c-u-1", "s-u-1"]);
  // What has ended is not asked for.
  runtime.calls.length = asked.length = 0;
  see(false, "exited");
  const ended = await inspect();
  deepStrictEqual(Object.keys(ended ?? {}), ["containerId", "container"]);
  deepStrictEqual([runtime.calls, asked], [["status c-u-1"], []]);
  runtime.gone = ["c-u-1"];
  strictEqual((await inspect())?.container, undefined);
});

Deno.test("PodObserver.lookStopped() asks by their ids how containers ended, and lists a pod only for a sandbox that is new", async () => {
  const runtime = new SmallRuntime();
  runtime.sandboxes = [sandboxRow("u-1")];
  runtime.containers = [containerRow("u-1", { state: "exited" })];
  const clock = new FakeClock();
  const { picture } = emptyPicture({ clock });
  const observer = newObserver(runtime, { picture, clock });
  const { signal } = new AbortController();
  const look = (...sandboxIds: string[]) => {
    runtime.calls.length = 0;
    return observer.lookStopped("u-1", { sandboxIds, signal });
  };
  // Of a pod that was never seen there are no ids.
  await look("s-u-1");
  deepStrictEqual(runtime.calls.slice(0, 2), [
    "list sandboxes",
    "list containers",
  ]);
  const [running, old] = ["c-u-1", "c-old"].map((id) =>
    seen("c", { id, sandboxId: "s-u-1" })
  );
  const dead = ended("d", 0, { id: "c-dead", sandboxId: "s-u-1" });
  const known = observed(
    [running, old, dead].filter((each) => each !== undefined),
    [sandbox({ id: "s-u-1" }), sandbox({ id: "s-other" })],
  );
  picture.record("u-1", known, 0);
  await clock.advance(5);
  const after = await look("s-u-1");
  // The one that is not there any more is left out; the dead one is not asked for.
  deepStrictEqual(runtime.calls, ["status c-u-1", "status c-old"]);
  deepStrictEqual(
    after.containers.map(({ id, state }) => [id, state]).toSorted(),
    [["c-dead", "exited"], ["c-u-1", "exited"]],
  );
  deepStrictEqual(
    after.sandboxes.map(({ id, ready, isStopped }) => [id, ready, isStopped]),
    [["s-u-1", false, true], ["s-other", true, undefined]],
  );
  strictEqual(picture.get("u-1"), after);
  strictEqual(picture.of("u-1").look.atMs, 5);
  await look("s-u-1", "s-late");
  strictEqual(runtime.calls[0], "list sandboxes");
});

Deno.test("PodObserver.look() keeps that a sandbox was stopped, unless the runtime lists it as ready", async () => {
  const runtime = new SmallRuntime();
  const clock = new FakeClock();
  const { picture } = emptyPicture({ clock });
  const observer = newObserver(runtime, { picture, clock });
  const { signal } = new AbortController();
  const stopped = sandbox({ id: "s-u-1", ready: false, isStopped: true });
  const before = observed([], [stopped]);
  for (
    const [state, isStopped] of [["not_ready", true], ["ready", undefined]]
  ) {
    picture.forget("u-1");
    await clock.advance(1);
    runtime.sandboxes = [
      sandboxRow("u-1", { state: state === "ready" ? "ready" : "not_ready" }),
    ];
    const { sandboxes } = await observer.look("u-1", signal, before);
    deepStrictEqual(sandboxes.map((each) => each.isStopped), [isStopped]);
  }
});
