/**
 * Looks at single containers, in the picture of a pod.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { RuntimePicture } from "../../../mod/picture/mod.ts";
import type { PodPart } from "../../../mod/picture/pod_picture.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { emptyPicture } from "../../support/picture/picture.ts";
import {
  ended,
  observed,
  sandbox as sandboxOf,
  seen,
} from "../../support/observed_pods.ts";

const RUNNING = seen("c");
const EXITED = ended("c", 3);
const OTHER = seen("d");
const POD = observed([RUNNING, OTHER]);
const END = { containerId: RUNNING.id, container: EXITED };

/** Records a look at one container, and says whether it counts. */
function amend(
  picture: RuntimePicture,
  uid: string,
  part: PodPart,
  atMs: number,
): boolean {
  const { look } = picture.of(uid);
  const stepped = picture.step(uid, { kind: "part", part, atMs });
  return stepped.picture.look !== look;
}

function newPicture(): RuntimePicture {
  return emptyPicture({ clock: new FakeClock() }).picture;
}

function pictureAt(atMs: number): RuntimePicture {
  const picture = newPicture();
  picture.record("u-1", POD, atMs);
  return picture;
}

function states(picture: RuntimePicture): Readonly<Record<string, string>> {
  const { containers = [] } = picture.get("u-1") ?? {};
  return Object.fromEntries(containers.map(({ name, state }) => [name, state]));
}

Deno.test("RuntimePicture.step() changes one container, and neither the others nor the time of the pod", () => {
  const picture = pictureAt(10);
  strictEqual(amend(picture, "u-1", END, 20), true);
  deepStrictEqual(states(picture), { c: "exited", d: "running" });
  deepStrictEqual([picture.timeOf("u-1"), picture.of("u-1").look.atMs], [
    10,
    10,
  ]);
});

Deno.test("RuntimePicture.step() takes away a container that is gone", () => {
  const picture = pictureAt(10);
  const part = { containerId: RUNNING.id, container: undefined };
  strictEqual(amend(picture, "u-1", part, 20), true);
  deepStrictEqual(states(picture), { d: "running" });
});

Deno.test("RuntimePicture.step() changes nothing that a newer look has shown", () => {
  const picture = pictureAt(30);
  strictEqual(amend(picture, "u-1", END, 20), false);
  deepStrictEqual(states(picture), { c: "running", d: "running" });
  strictEqual(amend(picture, "u-2", END, 20), false);
});

Deno.test("RuntimePicture.record() keeps what was learned after the look that it records", () => {
  const picture = pictureAt(10);
  amend(picture, "u-1", END, 20);
  // A list asked for at 15 that comes late.
  picture.record("u-1", POD, 15);
  deepStrictEqual(states(picture), { c: "exited", d: "running" });
  picture.record("u-1", POD, 25);
  deepStrictEqual(states(picture), { c: "running", d: "running" });
});

Deno.test("RuntimePicture.step() does not take a container back to where it was before", () => {
  const order = ["unknown", "created", "running", "exited"] as const;
  for (const [at, later] of order.entries()) {
    for (const earlier of order.slice(0, at)) {
      const shown = seen("c", { state: later });
      const picture = newPicture();
      picture.record("u-1", observed([shown]), 10);
      const container = seen("c", { state: earlier });
      amend(picture, "u-1", { containerId: shown.id, container }, 20);
      deepStrictEqual(states(picture), { c: later }, `${later} to ${earlier}`);
    }
  }
});

Deno.test("RuntimePicture takes of two looks of the same moment the one that is recorded last", () => {
  const picture = pictureAt(10);
  strictEqual(amend(picture, "u-1", END, 10), true);
  deepStrictEqual(states(picture), { c: "exited", d: "running" });
  picture.record("u-1", POD, 10);
  deepStrictEqual(states(picture), { c: "running", d: "running" });
});

Deno.test("RuntimePicture.record() takes the later state of a container when two looks cross", () => {
  const picture = pictureAt(10);
  // Asked before, answered before the end; the list's own status came after it.
  const part = { containerId: RUNNING.id, container: RUNNING };
  amend(picture, "u-1", part, 20);
  picture.record("u-1", observed([EXITED, OTHER]), 15);
  deepStrictEqual(states(picture), { c: "exited", d: "running" });
});

Deno.test("RuntimePicture.step() takes over the sandbox and its address", () => {
  const picture = pictureAt(10);
  const sandbox = sandboxOf({ ip: "10.88.0.9" });
  amend(picture, "u-1", { ...END, sandbox }, 20);
  deepStrictEqual(picture.get("u-1")?.ips, ["10.88.0.9"]);
  amend(picture, "u-1", { ...END, sandbox: { ...sandbox, ready: false } }, 30);
  // A pod that ends keeps its address in its status.
  deepStrictEqual(picture.get("u-1")?.ips, ["10.88.0.9"]);
});

Deno.test("RuntimePicture.confirmAll() says nothing of the pods that are excepted", () => {
  const picture = pictureAt(10);
  picture.record("u-2", POD, 10);
  picture.confirmAll(20);
  picture.confirmAll(30, new Set(["u-1"]));
  deepStrictEqual([picture.timeOf("u-1"), picture.timeOf("u-2")], [20, 30]);
  picture.confirmAll(40, new Set(["u-1"]));
  strictEqual(picture.timeOf("u-1"), 20);
  picture.confirmAll(50);
  strictEqual(picture.timeOf("u-1"), 50);
});

Deno.test("RuntimePicture.isAwaited() as long as somebody waits for a newer look", async () => {
  const picture = pictureAt(10);
  const { signal } = new AbortController();
  const waiting = picture.latest("u-1", { newerThanMs: 15, signal });
  await Promise.resolve();
  strictEqual(picture.isAwaited("u-1"), true);
  picture.record("u-1", POD, 16);
  await waiting;
  strictEqual(picture.isAwaited("u-1"), false);
});
