/**
 * Looking at pods and remembering what was seen.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { listPod } from "../../../mod/runtime/observe/mod.ts";
import { PodCache } from "../../../mod/picture/cache.ts";
import { PodObserver } from "../../../mod/picture/look.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import {
  containerRow,
  sandboxRow,
  seenContainer,
  seenPod,
  seenSandbox,
} from "../runtime/builders.ts";
import { depsOf, SmallRuntime } from "../runtime/small_runtime.ts";

Deno.test("PodObserver.look() builds upon what is known, and dates the look by when it was asked for", async () => {
  const runtime = new SmallRuntime();
  runtime.sandboxes = [sandboxRow("u-1")];
  runtime.containers = [containerRow("u-1")];
  const clock = new FakeClock();
  const cache = new PodCache();
  const observer = new PodObserver({ ...depsOf(runtime), cache, clock });
  await clock.advance(5);
  const { signal } = new AbortController();
  const first = await observer.look("u-1", signal);
  strictEqual(cache.get("u-1"), first);
  strictEqual(cache.entryTime("u-1"), 5);
  runtime.calls.length = 0;
  deepStrictEqual(await observer.look("u-1", signal), first);
  deepStrictEqual(runtime.calls.slice(2), ["status s-u-1"]);
  const listing = await listPod(runtime, "u-1");
  runtime.calls.length = 0;
  await observer.inspect(listing, signal);
  deepStrictEqual(runtime.calls, ["status s-u-1"]);
});

Deno.test("PodObserver.glimpse() asks of one container and the sandbox that is ready", async () => {
  const runtime = new SmallRuntime();
  runtime.sandboxes = [sandboxRow("u-1")];
  runtime.containers = [containerRow("u-1", { state: "exited" })];
  const clock = new FakeClock();
  const cache = new PodCache();
  const asked: string[] = [];
  const observer = new PodObserver({
    ...depsOf(runtime),
    cache,
    clock,
    exits: {
      learn: (id) => {
        asked.push(id);
        return Promise.resolve();
      },
    },
  });
  const { signal } = new AbortController();
  const glimpse = () => observer.glimpse("u-1", "c-u-1", signal);
  strictEqual(await glimpse(), undefined);
  const see = (ready: boolean, state: "running" | "exited", id = "c-u-1") =>
    cache.set("u-1", {
      ...seenPod({ uid: "u-1" }),
      sandboxes: [seenSandbox({ id: "s-u-1", ready })],
      containers: [seenContainer("c", { id, sandboxId: "s-u-1", state })],
    }, 0);
  see(true, "running", "other");
  strictEqual(await glimpse(), undefined);
  deepStrictEqual(runtime.calls, []);
  see(true, "running");
  const part = await glimpse();
  deepStrictEqual(
    [part?.containerId, part?.container?.state, part?.sandbox?.ready],
    ["c-u-1", "exited", true],
  );
  deepStrictEqual(runtime.calls.toSorted(), ["status c-u-1", "status s-u-1"]);
  deepStrictEqual(asked, ["c-u-1", "s-u-1"]);
  // What has ended is not asked for.
  runtime.calls.length = asked.length = 0;
  see(false, "exited");
  const ended = await glimpse();
  deepStrictEqual(Object.keys(ended ?? {}), ["containerId", "container"]);
  deepStrictEqual([runtime.calls, asked], [["status c-u-1"], []]);
  runtime.gone = ["c-u-1"];
  strictEqual((await glimpse())?.container, undefined);
});
