/**
 * Updates that do not become ready, and the way back from them.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, untilGone, WEB } from "../../support/agent/manifests.ts";
import { Answers, ask } from "../../support/agent/probes.ts";
import {
  count,
  reboot,
  records,
  rollbackCondition,
  runningVersion,
  shown,
  untilRuns,
  version,
  withGood,
  withRollback,
} from "../../support/agent/versions.ts";

Deno.test("Agent goes back from an update that is not ready in its time, once", async () => {
  await using rig = await withGood();
  const good = rig.pod("web")?.metadata.uid;
  await rig.apply("web", version("two", { isBad: true }));
  await untilRuns(rig, "two");
  const bad = rig.pod("web")?.metadata.uid;
  const sinceMs = rig.clock.monotonic();
  strictEqual(shown(rig), "Running");
  await untilRuns(rig, "one");
  const tookMs = rig.clock.monotonic() - sinceMs;
  ok(tookMs > 50_000 && tookMs < 75_000, String(tookMs));

  strictEqual(rig.pod("web")?.metadata.uid, good);
  strictEqual(rig.only(WEB).state, "running");
  strictEqual(shown(rig), "RolledBack");
  const told = rollbackCondition(rig);
  deepStrictEqual([told?.status, told?.reason], ["True", "NotReadyInTime"]);
  match(told?.message ?? "", new RegExp(`UID "${bad}".*within 1m0s`));
  strictEqual(rig.metric("skerry_rollbacks_total"), 1);
  strictEqual(rig.metric("skerry_rolled_back_pods"), 1);

  const from = rig.fake.calls.length;
  await rig.pass(600_000, 5_000);
  strictEqual(runningVersion(rig), "one");
  strictEqual(count(rig, "Warning RolledBack"), 1);
  deepStrictEqual(rig.mutations(from), []);
});

Deno.test("Agent keeps an update that is ready in its time", async () => {
  await using rig = await withGood();
  await rig.apply("web", version("two"));
  await untilRuns(rig, "two");
  await rig.pass(120_000);
  strictEqual(runningVersion(rig), "two");
  strictEqual(shown(rig), "Running");
  strictEqual(rollbackCondition(rig), undefined);
  strictEqual(rig.metric("skerry_rollbacks_total") ?? 0, 0);

  // From now on it is the one to go back to.
  await rig.apply("web", version("three", { isBad: true }));
  await untilRuns(rig, "three");
  await untilRuns(rig, "two");
});

Deno.test("Agent does not take an update for ready that crashes again and again", async () => {
  await using rig = await withGood();
  await rig.apply("web", version("two"));
  await rig.until(
    () => rig.pod("web")?.metadata.labels?.["version"] === "two",
    "two",
  );
  for (
    let round = 0;
    round < 60 && count(rig, "Warning RolledBack") === 0;
    round++
  ) {
    await rig.pass(2_000);
    const isSecond = rig.pod("web")?.metadata.labels?.["version"] === "two";
    for (const { id } of isSecond ? rig.fake.running(WEB) : []) {
      rig.fake.exitContainer(id, 1);
    }
  }
  await untilRuns(rig, "one");
  strictEqual(shown(rig), "RolledBack");
});

Deno.test("Agent goes by the annotation of the new version alone", async () => {
  await using rig = await withGood({ first: { after: "1m" } });
  await rig.apply("web", version("two", { isBad: true, after: undefined }));
  await untilRuns(rig, "two");
  await rig.pass(300_000, 5_000);
  strictEqual(runningVersion(rig), "two");

  await rig.apply("web", version("three", { isBad: true, after: "30s" }));
  await untilRuns(rig, "three");
  await untilRuns(rig, "one");
});

Deno.test("Agent leaves a first version that is not ready, and says so once", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", version("one", { isBad: true }));
  await untilRuns(rig, "one");
  await rig.pass(300_000, 5_000);
  strictEqual(runningVersion(rig), "one");
  strictEqual(count(rig, "Warning RollbackImpossible"), 1);
  strictEqual(count(rig, "Warning RolledBack"), 0);
  deepStrictEqual(records(rig), []);
});

Deno.test("Agent tries what is edited again, and forgets the mark with the good content", async () => {
  await using rig = await withRollback();
  await rig.apply("web", version("three", { isBad: true }));
  await untilRuns(rig, "three");
  strictEqual(rollbackCondition(rig), undefined);
  await untilRuns(rig, "one");
  strictEqual(rig.metric("skerry_rollbacks_total"), 2);

  await rig.apply("web", version("one"));
  await rig.until(() => rollbackCondition(rig) === undefined, "no mark");
  const { id } = rig.only(WEB);
  await rig.pass(30_000);
  strictEqual(rig.only(WEB).id, id);
  strictEqual(rig.metric("skerry_rolled_back_pods"), 0);

  // The mark is gone, so that the same content has a new try.
  await rig.apply("web", version("three", { isBad: true }));
  await untilRuns(rig, "three");
});

Deno.test("Agent forgets the versions of a pod whose manifest is removed", async () => {
  await using rig = await withRollback();
  strictEqual(records(rig).length, 1);
  await rig.remove("web");
  await untilGone(rig);
  await rig.until(() => records(rig).length === 0, "no record");
  strictEqual(rig.metric("skerry_rolled_back_pods"), 0);
  // Nothing is left that would make this one bad.
  await rig.apply("web", version("two", { isBad: true }));
  await untilRuns(rig, "two");
  await rig.pass(120_000);
  strictEqual(runningVersion(rig), "two");
});

Deno.test("Agent goes back with one pod of a file and leaves its neighbour", async () => {
  const both = (first: unknown, second: unknown) => ({
    apiVersion: "v1",
    kind: "List",
    items: [first, second],
  });
  await using rig = await CoreRig.start();
  const neighbour = version("same", {
    name: "near",
    spec: { containers: [busybox("near")] },
  });
  await rig.apply("both", both(version("one"), neighbour));
  await untilRuns(rig, "one");
  await untilRuns(rig, "same", "near");
  await rig.pass(5_000);
  const { id } = rig.only("near");
  await rig.apply("both", both(version("two", { isBad: true }), neighbour));
  await untilRuns(rig, "two");
  await untilRuns(rig, "one");
  strictEqual(rig.only("near").id, id);
  strictEqual(rollbackCondition(rig, "near"), undefined);
  await reboot(rig);
  await untilRuns(rig, "one");
  await untilRuns(rig, "same", "near");
});

Deno.test("Agent counts the time for which a pod is not taken", async () => {
  await using rig = await withGood();
  const spec = { nodeSelector: { disk: "none" } };
  await rig.apply("web", version("two", { spec }));
  await rig.until(() => shown(rig) === "NodeAffinity", "a refusal");
  await untilRuns(rig, "one");
  strictEqual(shown(rig), "RolledBack");
});

Deno.test("Agent counts the time for which the runtime is away", async () => {
  await using rig = await withGood();
  await rig.fake.stop();
  await rig.apply("web", version("two"));
  await rig.pass(90_000, 5_000);
  strictEqual(count(rig, "Warning RolledBack"), 1);
  await rig.fake.restart();
  await rig.until(() => shown(rig) === "RolledBack", "the good version");
});

Deno.test("Agent goes back from an update whose readiness probe never succeeds", async () => {
  await using rig = await withGood();
  const answers = new Answers(rig);
  answers.set("ready", "no");
  const spec = {
    containers: [busybox(WEB, { readinessProbe: ask("ready") })],
  };
  await rig.apply("web", version("two", { spec }));
  await untilRuns(rig, "two");
  await rig.until(() => answers.asked("ready") > 0, "a question");
  await untilRuns(rig, "one");
  strictEqual(shown(rig), "RolledBack");
});

Deno.test("Agent keeps an update that is ready for ten seconds on end, not one that is so by moments", async () => {
  await using rig = await withGood();
  const answers = new Answers(rig);
  answers.set("ready", "no");
  const probed = (label: string) =>
    version(label, {
      spec: {
        containers: [
          busybox(WEB, {
            readinessProbe: ask("ready", { failureThreshold: 1 }),
          }),
        ],
      },
    });
  await rig.apply("web", probed("two"));
  await untilRuns(rig, "two");
  // Ready for four seconds, unready for two, again and again.
  for (let round = 0; round < 12 && runningVersion(rig) === "two"; round++) {
    answers.set("ready", "yes");
    await rig.pass(4_000);
    answers.set("ready", "no");
    await rig.pass(2_000);
  }
  await untilRuns(rig, "one");
  strictEqual(count(rig, "Warning RolledBack"), 1);

  answers.set("ready", "yes");
  await rig.apply("web", probed("three"));
  await untilRuns(rig, "three");
  await rig.pass(15_000);
  answers.set("ready", "no");
  await rig.pass(90_000);
  strictEqual(runningVersion(rig), "three");
});
