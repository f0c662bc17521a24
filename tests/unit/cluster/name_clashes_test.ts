/**
 * Pods of a node and of its cluster that want one name.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Pod } from "../../../mod/api/types/mod.ts";
import {
  ANNOTATION_CONFIG_MIRROR,
  podFullName,
} from "../../../mod/api/vocabulary/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { NameClashes, nameClashes } from "../../../mod/cluster/mod.ts";
import { linkedPod as pod } from "../../support/cluster/linked_pods_rig.ts";
import { type EventOfPod, eventsOfPodsTo } from "../../support/event_list.ts";
import { messagesTo } from "../../support/log_lines.ts";

const foreign = (name: string, uid = `api-${name}`) => pod(name, { uid });

Deno.test("nameClashes() finds names that both have, and takes no mirror for a clash", () => {
  const mirror = pod("c", {
    uid: "m",
    annotations: { [ANNOTATION_CONFIG_MIRROR]: "h" },
  });
  const elsewhere = pod("a", { uid: "x", namespace: "other" });
  const found = nameClashes(
    [pod("a"), pod("b"), pod("c")],
    [elsewhere, foreign("b"), mirror, foreign("d")],
  );
  deepStrictEqual(
    found.map(({ own, foreign }) => [podFullName(own), foreign.metadata.uid]),
    [["b_shop", "api-b"]],
  );
});

Deno.test("a clash is told once at both pods, counted as long as it lasts, and told when it is over", async () => {
  const metrics = new MetricsRegistry();
  const messages: string[] = [];
  const events: EventOfPod[] = [];
  let own: readonly Pod[] = [pod("a"), pod("b")];
  let shown: readonly Pod[] | undefined;
  const clashes = new NameClashes({
    log: messagesTo(messages),
    metrics,
    events: eventsOfPodsTo(events),
    own: () => own,
    shown: () => shown,
  });
  const stop = new AbortController();
  const running = clashes.run(stop.signal);
  const look = async (): Promise<void> => {
    clashes.wake();
    for (let turns = 0; turns < 5; turns++) await Promise.resolve();
  };
  const count = (): string | undefined =>
    metrics.render().match(/^skerry_pod_name_clashes (.*)$/m)?.[1];
  await look();
  deepStrictEqual(messages, []);
  shown = [foreign("a")];
  await look();
  await look();
  strictEqual(count(), "1");
  deepStrictEqual(messages, ["pod_name_clash"]);
  const rule =
    "the one that runs keeps the name, and the other one waits until it is gone";
  deepStrictEqual(
    events.map(({ pod: { uid }, type, reason, message }) => [
      ...[uid, type, reason, message],
    ]),
    [[
      "uid-a",
      "Warning",
      "NameClash",
      `The cluster has a pod of the same name "shop/a" (UID api-a) on this node: ${rule}. The cluster does not show this pod meanwhile`,
    ], [
      "api-a",
      "Warning",
      "NameClash",
      `The node itself has a pod of the same name "shop/a" (UID uid-a): ${rule}`,
    ]],
  );
  // A server that has to be asked anew takes nothing back.
  shown = undefined;
  await look();
  strictEqual(count(), "1");
  // Another pod of the name is another clash.
  shown = [foreign("a", "api-2"), foreign("b")];
  await look();
  strictEqual(count(), "2");
  strictEqual(events.length, 6);
  own = [];
  await look();
  strictEqual(count(), "0");
  deepStrictEqual(messages, [
    "pod_name_clash",
    "pod_name_clash",
    "pod_name_clash",
    "pod_name_clash_over",
    "pod_name_clash_over",
    "pod_name_clash_over",
  ]);
  strictEqual(events.length, 6);
  stop.abort();
  await running;
});
