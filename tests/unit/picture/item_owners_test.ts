/**
 * What an event of the runtime costs among many pods: visits of their containers are counted.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import type { ObservedPod } from "../../../mod/pod/observed/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { sandbox, seen } from "../../support/observed_pods.ts";
import { emptyPicture } from "../../support/picture/picture.ts";

const PODS = 1_000;

/** A pod with one sandbox and one container, whose lists count who walks them. */
function counted(number: number, visit: () => void): ObservedPod {
  const walked = <T>(items: readonly T[]): readonly T[] =>
    new Proxy(items, {
      get: (target, key) => {
        if (key === Symbol.iterator) visit();
        return Reflect.get(target, key);
      },
    });
  return {
    uid: `u-${number}`,
    name: `pod-${number}`,
    namespace: "shop",
    ips: [],
    sandboxes: walked([sandbox({ id: `s-${number}` })]),
    containers: walked([seen("c", { id: `c-${number}` })]),
  };
}

Deno.test("RuntimePicture.announce() and record() visit one pod among a thousand, not all", () => {
  const { picture } = emptyPicture({ clock: new FakeClock() });
  let visits = 0;
  for (let number = 0; number < PODS; number++) {
    picture.record(`u-${number}`, counted(number, () => visits++), 10);
  }
  strictEqual(picture.ownerOf("c-999"), "u-999");
  visits = 0;
  for (let number = 0; number < PODS; number++) {
    const at = BigInt(number);
    const containerId = `c-${number}`;
    picture.announce({
      kind: "moved",
      what: "stopped",
      containerId,
      podUid: undefined,
      at,
    });
    picture.record(`u-${number}`, counted(number, () => visits++), 20);
    strictEqual(picture.ownerOf(containerId), `u-${number}`);
  }
  // A few of the pod itself; they were two million, 2000 for each event.
  ok(visits <= 8 * PODS, `${visits} visits`);
});

Deno.test("RuntimePicture.ownerOf() follows a container from pod to pod and forgets one that is gone", () => {
  const { picture } = emptyPicture({ clock: new FakeClock() });
  const pod = counted(1, () => {});
  picture.record("u-1", pod, 10);
  picture.step("u-1", { kind: "settled", atMs: 10 });
  strictEqual(picture.ownerOf("c-1"), "u-1");
  // The look lacks it, and the listeners still know it.
  picture.record("u-1", { ...pod, containers: [] }, 20);
  strictEqual(picture.ownerOf("c-1"), "u-1");
  picture.step("u-1", { kind: "settled", atMs: 20 });
  strictEqual(picture.ownerOf("c-1"), undefined);
  picture.record("u-2", { ...pod, uid: "u-2" }, 30);
  strictEqual(picture.ownerOf("c-1"), "u-2");
  picture.step("u-2", { kind: "gone", atMs: 40 });
  strictEqual(picture.ownerOf("c-1"), undefined);
});
