/**
 * Events and the metrics of probes as the control server is given them.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { NODE } from "../../support/agent/core_config.ts";
import { ASK, of } from "../../support/agent/events_row.ts";

Deno.test("AgentViews gives events in wire form, and the metrics of probes apart", async () => {
  await using rig = await CoreRig.start();
  const { views } = rig;
  const { events } = views;
  deepStrictEqual(events.list().items, []);
  const readinessProbe = { exec: ASK, periodSeconds: 1 };
  await rig.apply("web", of({ readinessProbe }));
  await rig.until(
    () =>
      events.list().items.length > 0 &&
      rig.metrics.render().includes("prober_"),
    "a probe and an event",
  );
  const { items, resourceVersion } = events.list();
  const last = items.at(-1);
  strictEqual(last?.metadata.resourceVersion, resourceVersion);
  deepStrictEqual(
    [last.involvedObject.name, last.source],
    [`web-${NODE}`, { component: "kubelet", host: NODE }],
  );
  const stop = new AbortController();
  const changes = events.watch(stop.signal, {})[Symbol.asyncIterator]();
  const first = await changes.next();
  ok(first.done !== true && first.value.kind === "added");
  deepStrictEqual(first.value.event, items[0]);
  stop.abort();
  strictEqual((await changes.next()).done, true);
  const text = views.probeMetrics();
  match(text, /^# HELP prober_/);
  ok(
    text.trim().split("\n").every((line) =>
      /^(# (HELP|TYPE) )?prober_/.test(line)
    ),
    text,
  );
});
