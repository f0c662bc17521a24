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
import { observed, sandbox, seen } from "../../support/observed_pods.ts";
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
