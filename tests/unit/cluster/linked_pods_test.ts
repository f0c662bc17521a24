/**
 * Mirrors of manifests, as an API server sees them.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { Node } from "../../../mod/api/cluster/mod.ts";
import type { Pod } from "../../../mod/api/types/mod.ts";
import { type MirrorEnd, MirrorPods } from "../../../mod/cluster/mod.ts";
import {
  linkedPod as pod,
  LinkedPodsRig,
} from "../../support/cluster/linked_pods_rig.ts";
import { messagesTo } from "../../support/log_lines.ts";

const NODE: Node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "kiosk-1", namespace: "", uid: "n1" },
  spec: {},
};

class MirrorRig extends LinkedPodsRig {
  wanted: readonly Pod[] | undefined;
  node: Node | undefined = NODE;
  isAsked = true;
  readonly messages: string[] = [];
  isComplete = true;
  /** What ends here. */
  ending: ReadonlyMap<string, MirrorEnd> | undefined = new Map();
  readonly mirrors = new MirrorPods({
    clock: this.clock,
    log: messagesTo(this.messages),
    events: this.events,
    client: this.client,
    wanted: () => this.wanted,
    shown: () => this.isAsked ? [...this.pods.values()] : undefined,
    node: () => this.node,
    isComplete: () => this.isComplete,
    lives: () => true,
    ending: () => this.ending,
  });

  async want(...pods: readonly Pod[]): Promise<void> {
    this.wanted = pods;
    await this.wake();
  }

  async wake(): Promise<void> {
    this.mirrors.wake();
    await this.clock.advance(0);
  }
}

Deno.test("nothing is mirrored before the manifests, the cluster and its node are known", async () => {
  await using rig = new MirrorRig();
  rig.isAsked = false;
  rig.node = undefined;
  await rig.start(rig.mirrors);
  await rig.want(pod("a"));
  rig.isAsked = true;
  await rig.wake();
  deepStrictEqual(rig.take(), []);
  rig.node = NODE;
  await rig.wake();
  deepStrictEqual(rig.take(), ["create a"]);
});

Deno.test("what was refused waits without a turn while it is not known what there is to be, and is done then", async () => {
  await using rig = new MirrorRig();
  rig.refusals.push("Unreachable");
  await rig.start(rig.mirrors);
  await rig.want(pod("a"));
  deepStrictEqual(rig.take(), ["create a"]);
  // As when the agent's lease of the node has lapsed.
  rig.wanted = undefined;
  await rig.wake();
  const { moves } = rig.clock;
  await rig.clock.advance(60_000);
  strictEqual(rig.clock.moves, moves);
  await rig.want(pod("a"));
  deepStrictEqual(rig.take(), ["create a"]);
});

Deno.test("a mirror follows its manifest: made, replaced, removed", async () => {
  await using rig = new MirrorRig();
  await rig.start(rig.mirrors);
  await rig.want(pod("a"));
  await rig.wake();
  deepStrictEqual(rig.take(), ["create a"]);
  await rig.want(pod("a", { labels: { v: "2" } }));
  deepStrictEqual(rig.take(), ["remove a made-1"]);
  await rig.wake();
  deepStrictEqual(rig.take(), ["create a"]);
  await rig.want();
  deepStrictEqual(rig.take(), ["remove a made-2"]);
});

Deno.test("a mirror that is refused is told once, and tried at 1 s, 2 s and so on", async () => {
  await using rig = new MirrorRig();
  for (let tries = 0; tries < 11; tries++) rig.refusals.push("Forbidden");
  await rig.start(rig.mirrors);
  await rig.want(pod("a"));
  deepStrictEqual(rig.take(), ["create a"]);
  await rig.wake();
  deepStrictEqual(rig.take(), []);
  const pauses = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300];
  for (const seconds of pauses) {
    await rig.clock.advance(seconds * 1_000 - 1);
    deepStrictEqual(rig.take(), []);
    await rig.clock.advance(1);
    deepStrictEqual(rig.take(), ["create a"]);
  }
  deepStrictEqual(rig.events.texts, [
    "Warning FailedMirror: The cluster does not show this pod, which runs all the same: is Forbidden",
  ]);
  deepStrictEqual(rig.messages, ["mirror_failed"]);
  await rig.clock.advance(300_000);
  deepStrictEqual(rig.take(), ["create a"]);
  await rig.clock.advance(3_000_000);
  deepStrictEqual(rig.take(), []);
});

Deno.test("another version of what was refused is tried at once, and what is not wished any more not again", async () => {
  await using rig = new MirrorRig();
  rig.refusals.push("Forbidden", "Forbidden");
  await rig.start(rig.mirrors);
  await rig.want(pod("a"));
  await rig.want(pod("a", { labels: { v: "2" } }));
  deepStrictEqual(rig.take(), ["create a", "create a"]);
  await rig.want();
  await rig.clock.advance(600_000);
  deepStrictEqual(rig.take(), []);
});

Deno.test("a server that is away is no event; one mirror that fails keeps no other back", async () => {
  await using rig = new MirrorRig();
  rig.refusals.push("Unreachable");
  await rig.start(rig.mirrors);
  await rig.want(pod("a"), pod("b"));
  deepStrictEqual(rig.take(), ["create a", "create b"]);
  deepStrictEqual(rig.events.texts, []);
  await rig.clock.advance(1_000);
  deepStrictEqual(rig.take(), ["create a"]);
});

Deno.test("what is there, or is gone, already is no failure", async () => {
  await using rig = new MirrorRig();
  rig.refusals.push("AlreadyExists", undefined, "NotFound");
  await rig.start(rig.mirrors);
  await rig.want(pod("a"));
  await rig.clock.advance(1_000);
  deepStrictEqual(rig.take(), ["create a", "create a"]);
  await rig.want();
  await rig.clock.advance(600_000);
  deepStrictEqual(rig.take(), ["remove a made-1"]);
  deepStrictEqual(rig.events.texts, []);
});

Deno.test("a name that a pod on another node has is told once, asked for with a back-off, and taken when it is free", async () => {
  await using rig = new MirrorRig();
  rig.refusals.push("AlreadyExists", "AlreadyExists", "AlreadyExists");
  await rig.start(rig.mirrors);
  await rig.want(pod("a"));
  // Each status of a pod wakes it.
  await rig.wake();
  deepStrictEqual(rig.take(), ["create a"]);
  await rig.clock.advance(3_000);
  deepStrictEqual(rig.take(), ["create a", "create a"]);
  deepStrictEqual(rig.events.texts, [
    "Warning FailedMirror: The cluster does not show this pod, which runs all the same: the cluster has another pod of this name, which is not on this node",
  ]);
  await rig.clock.advance(4_000);
  deepStrictEqual(rig.take(), ["create a"]);
  await rig.clock.advance(600_000);
  deepStrictEqual(rig.take(), []);
});

Deno.test("a mirror stays as long as its pod ends, is looked at less and less often, and goes then (ST-10)", async () => {
  await using rig = new MirrorRig();
  await rig.start(rig.mirrors);
  await rig.want(pod("a"), pod("b"));
  await rig.wake();
  deepStrictEqual(rig.take(), ["create a", "create b"]);
  rig.ending = new Map([["a_shop", "runs"]]);
  let looks = 0;
  Object.defineProperty(rig, "isComplete", {
    get: () => {
      looks++;
      return true;
    },
  });
  await rig.want();
  deepStrictEqual(rig.take(), ["remove b made-2"]);
  await rig.clock.advance(30_000);
  deepStrictEqual(rig.take(), []);
  // 100, 200, 400, 800 and 1600 ms, and then every other second.
  strictEqual(looks, 1 + 5 + 13);
  // How it ended comes before, but not for good.
  rig.ending = new Map([["a_shop", "untold"]]);
  await rig.clock.advance(2_000);
  deepStrictEqual(rig.take(), []);
  await rig.clock.advance(8_000);
  deepStrictEqual(rig.take(), []);
  await rig.clock.advance(2_000);
  deepStrictEqual(rig.take(), ["remove a made-1"]);
});

Deno.test("a mirror whose pod has ended, and of which that is told, goes at the next look (ST-10)", async () => {
  await using rig = new MirrorRig();
  await rig.start(rig.mirrors);
  await rig.want(pod("a"));
  await rig.wake();
  rig.take();
  rig.ending = new Map([["a_shop", "runs"]]);
  await rig.want();
  await rig.clock.advance(50);
  rig.ending = new Map();
  await rig.clock.advance(49);
  deepStrictEqual(rig.take(), []);
  await rig.clock.advance(1);
  deepStrictEqual(rig.take(), ["remove a made-1"]);
  await rig.clock.advance(60_000);
  deepStrictEqual(rig.take(), []);
});

Deno.test("a manifest that returns while its pod ends keeps its mirror; an edited one gets another when the pod has ended (ST-10)", async () => {
  await using rig = new MirrorRig();
  await rig.start(rig.mirrors);
  await rig.want(pod("a"));
  await rig.wake();
  rig.take();
  rig.ending = new Map([["a_shop", "runs"]]);
  await rig.want();
  await rig.want(pod("a"));
  await rig.clock.advance(5_000);
  deepStrictEqual(rig.take(), []);
  await rig.want(pod("a", { labels: { v: "2" } }));
  await rig.clock.advance(5_000);
  deepStrictEqual(rig.take(), []);
  // Somebody takes the mirror away meanwhile.
  rig.pods.clear();
  await rig.wake();
  deepStrictEqual(rig.take(), []);
  rig.ending = new Map();
  await rig.clock.advance(2_000);
  deepStrictEqual(rig.take(), ["create a"]);
});

Deno.test("no mirror goes while it is not known what runs here, or whose pods a silent source has", async () => {
  await using rig = new MirrorRig();
  await rig.start(rig.mirrors);
  await rig.want(pod("a"), pod("b"));
  await rig.wake();
  rig.take();
  rig.ending = undefined;
  await rig.want(pod("a", { labels: { v: "2" } }), pod("c"));
  await rig.clock.advance(5_000);
  deepStrictEqual(rig.take(), ["create c"]);
  rig.ending = new Map();
  rig.isComplete = false;
  await rig.wake();
  deepStrictEqual(rig.take(), ["remove a made-1"]);
  rig.isComplete = true;
  await rig.wake();
  deepStrictEqual(rig.take(), ["remove b made-2", "create a"]);
});

Deno.test("a change that comes while a call is under way is looked at after it", async () => {
  await using rig = new MirrorRig();
  await rig.start(rig.mirrors);
  rig.onCall = () => {
    rig.onCall = () => {};
    rig.wanted = [pod("a"), pod("b")];
    rig.mirrors.wake();
  };
  await rig.want(pod("a"));
  deepStrictEqual(rig.take(), ["create a", "create b"]);
});

Deno.test("a mirror that is being made when its maker ends is left as it is", async () => {
  await using rig = new MirrorRig();
  rig.hangs = true;
  await rig.start(rig.mirrors);
  await rig.want(pod("a"));
  deepStrictEqual(rig.take(), ["create a"]);
});

Deno.test("a fault of the agent itself ends its mirrors", async () => {
  const fault = new RangeError("a fault");
  const rig = new MirrorRig();
  Object.defineProperty(rig, "node", {
    get: () => {
      throw fault;
    },
  });
  await rejects(rig.mirrors.run(new AbortController().signal), fault);
});

Deno.test("a mirror that is made at the second try, and that the watch does not show yet, is not made again and again", async () => {
  await using rig = new MirrorRig();
  rig.refusals.push("Forbidden");
  rig.pods.set = () => rig.pods;
  await rig.start(rig.mirrors);
  await rig.want(pod("a"));
  await rig.clock.advance(1_000);
  deepStrictEqual(rig.take(), ["create a", "create a"]);
  await rig.clock.advance(60_000);
  deepStrictEqual(rig.take(), []);
});
