/**
 * Pods that are removed, replaced, or wanted back (I1, I3).
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import {
  busybox,
  leftovers,
  untilGone,
  WEB,
  web,
  writeLog,
} from "../../support/agent/manifests.ts";
import {
  untilPhase,
  untilRunning,
  withRunning,
} from "../../support/agent/phases.ts";

/** A UID by which a pod stays the same when its content changes. */
const UID = "0badc0de-0000-4000-8000-000000000002";

for (const [given, told] of [[45, 45], [2, 2], [1, 2], [0, 2]] as const) {
  Deno.test(`Agent tells the runtime ${told} s of grace where the spec says ${given}`, async () => {
    const spec = { terminationGracePeriodSeconds: given };
    await using rig = await withRunning(web({ spec }));
    await rig.remove("web");
    await untilGone(rig);
    const stops = rig.fake.callsOf("StopContainer")
      .map(({ request }) => JSON.stringify(request, plain));
    strictEqual(stops.length, 1);
    match(stops[0] ?? "", new RegExp(`"timeout":"${told}"`));
  });
}

Deno.test("Agent leaves nothing of a removed pod (I3)", async () => {
  const volumes = [{ name: "data", emptyDir: {} }];
  const volumeMounts = [{ name: "data", mountPath: "/data" }];
  const manifest = web({ spec: { volumes } });
  const withMount = JSON.parse(JSON.stringify(manifest));
  withMount.spec.containers[0].volumeMounts = volumeMounts;
  await using rig = await withRunning(withMount);
  const uid = rig.pod("web")?.metadata.uid ?? "";
  await writeLog(rig, uid, 0);
  await rig.remove("web");
  await untilGone(rig);
  strictEqual(rig.core.statuses.get(uid), undefined);
  deepStrictEqual(rig.pods(), []);
  await rig.pass(5_000);
  deepStrictEqual(leftovers(rig), []);
});

Deno.test("Agent shows a pod that ends with the time it was asked to and its grace", async () => {
  await using rig = await withRunning();
  rig.fake.behave(WEB, { onTerm: { code: 0, afterMs: 3_000 } });
  const askedMs = rig.clock.now();
  await rig.remove("web");
  await rig.until(
    () => rig.fake.callsOf("StopContainer").length === 1,
    "its end",
  );
  const { metadata } = rig.pod("web") ?? {};
  const shownMs = Date.parse(metadata?.deletionTimestamp ?? "");
  ok(shownMs >= askedMs && shownMs <= rig.clock.now());
  strictEqual(metadata?.deletionGracePeriodSeconds, 5);
  await untilGone(rig);
});

Deno.test("Agent starts the new version of a pod after the old one has ended (I1)", async () => {
  await using rig = await withRunning();
  rig.fake.behave(WEB, { onTerm: { code: 0, afterMs: 4_000 } });
  const old = rig.only(WEB);
  const from = rig.fake.calls.length;
  await rig.apply("web", web({ labels: { version: "2" } }));
  await rig.until(
    () => rig.mutations(from).includes("StartContainer"),
    "the new version",
  );
  const methods = rig.mutations(from);
  ok(
    methods.indexOf("RunPodSandbox") > methods.indexOf("StopPodSandbox"),
    methods.join(" "),
  );
  await untilRunning(rig);
  strictEqual(rig.pods().length, 1);
  await rig.until(
    () => rig.fake.containers.size === 1,
    "the old one's removal",
  );
  ok(rig.fake.containers.get(old.id) === undefined);
});

Deno.test("Agent runs only the last of many quick versions of a pod", async () => {
  await using rig = await withRunning();
  rig.fake.behave(WEB, { onTerm: { code: 0, afterMs: 2_000 } });
  for (let version = 2; version <= 8; version++) {
    await rig.apply("web", web({ labels: { version: String(version) } }));
    await rig.pass(300, 100);
  }
  await rig.until(
    () =>
      rig.pods().length === 1 && rig.fake.containers.size === 1 &&
      rig.pod("web")?.metadata.labels?.["version"] === "8" &&
      rig.status("web")?.phase === "Running",
    "version 8 alone",
  );
  await rig.until(() => rig.fake.sandboxes.size === 1, "one sandbox");
});

Deno.test("Agent runs a fixed-UID pod again that was removed and re-added while it ended, and counts on", async () => {
  await using rig = await withRunning(web({ uid: UID }));
  rig.fake.behave(WEB, { onTerm: { code: 0, afterMs: 4_000 } });
  await writeLog(rig, UID, 0);
  await rig.remove("web");
  await rig.until(
    () => rig.fake.callsOf("StopContainer").length === 1,
    "its end",
  );
  await rig.apply("web", web({ uid: UID }));
  const from = rig.fake.calls.length;
  let highest = 0;
  await rig.until(
    () => {
      const [shown] = rig.status("web")?.containerStatuses ?? [];
      ok((shown?.restartCount ?? highest) >= highest, "The count fell");
      highest = shown?.restartCount ?? highest;
      return rig.mutations(from).includes("StartContainer") &&
        rig.status("web")?.phase === "Running";
    },
    "its return",
  );
  strictEqual(rig.ready()[0]?.config.metadata?.uid, UID);
  strictEqual(rig.status("web")?.containerStatuses?.[0]?.restartCount, 1);
});

Deno.test("Agent runs a Never pod again whose manifest was removed and re-added while it ended", async () => {
  const manifest = web({ uid: UID, spec: { restartPolicy: "Never" } });
  await using rig = await withRunning(manifest);
  rig.fake.behave(WEB, { onTerm: { code: 0, afterMs: 4_000 } });
  await rig.remove("web");
  await rig.until(
    () => rig.fake.callsOf("StopContainer").length === 1,
    "its end",
  );
  await rig.apply("web", manifest);
  await rig.until(
    () => rig.fake.callsOf("StartContainer").length === 2,
    "its return",
  );
  await untilRunning(rig);
});

Deno.test("Agent runs a Never pod again that was removed and re-added while a look at its end hung", async () => {
  const spec = { restartPolicy: "Never" };
  const uid = "fixed";
  await using rig = await withRunning(web({ uid, spec }));
  await rig.pass(3_000);
  // Over between two lists of all.
  const hang = { kind: "delay", ms: 5_500 } as const;
  rig.fake.fault("PodSandboxStatus", hang, { times: 1 });
  rig.fake.exitContainer(rig.only(WEB).id, 0);
  await rig.pass(1_500, 100);
  const beganMs = rig.fake.callsOf("PodSandboxStatus").at(-1)?.atMs ?? NaN;
  await rig.remove("web");
  await untilGone(rig);
  await rig.pass(beganMs + 5_520 - rig.clock.now(), 100);
  await rig.apply("web", web({ uid, spec }));
  await untilPhase(rig, "Running", { limitMs: 10_000 });
});

Deno.test("Agent clears the logs too of a pod that was wanted back only for a moment", async () => {
  await using rig = await withRunning(web({ uid: UID }));
  await writeLog(rig, UID, 0);
  rig.fake.behave(WEB, { onTerm: { code: 0, afterMs: 2_000 } });
  await rig.remove("web");
  // The clearing has begun with the logs kept when the pod is dropped again.
  rig.fake.fault("RemovePodSandbox", { kind: "delay", ms: 3_000 }, {
    times: 1,
  });
  await rig.until(
    () => rig.fake.callsOf("StopContainer").length === 1,
    "its end",
  );
  await rig.apply("web", web({ uid: UID }));
  await rig.until(
    () => rig.fake.callsOf("RemovePodSandbox").length === 1,
    "the clearing",
  );
  await rig.remove("web");
  await untilGone(rig);
});

Deno.test("Agent ends a pod that is removed while its sandbox is being made", async () => {
  await using rig = await CoreRig.start();
  rig.fake.fault("RunPodSandbox", { kind: "delay", ms: 8_000 }, { times: 1 });
  await rig.apply("web", web());
  await rig.until(
    () => rig.fake.callsOf("RunPodSandbox").length === 1,
    "the sandbox",
  );
  await rig.remove("web");
  await rig.pass(2_000);
  strictEqual(rig.fake.callsOf("StopPodSandbox").length, 0);
  await rig.until(
    () => rig.fake.callsOf("RemovePodSandbox").length > 0,
    "the end of the late sandbox",
  );
  await untilGone(rig);
  strictEqual(rig.fake.callsOf("CreateContainer").length, 0);
});

Deno.test("Agent that is stopped while a pod ends goes at once, and the next one finishes", async () => {
  const spec = { terminationGracePeriodSeconds: 60 };
  await using rig = await withRunning(web({ spec }));
  rig.fake.behave(WEB, { onTerm: "ignore" });
  await rig.remove("web");
  await rig.until(
    () => rig.fake.callsOf("StopContainer").length === 1,
    "its end",
  );
  const from = rig.fake.calls.length;
  const atMs = rig.clock.monotonic();
  await rig.stopAgent();
  strictEqual(rig.clock.monotonic(), atMs);
  deepStrictEqual(rig.mutations(from), []);
  strictEqual(rig.fake.running(WEB).length, 1);
  await rig.startAgent();
  await untilGone(rig);
});

Deno.test("Agent forgets a pod that is removed while it waits for its name", async () => {
  await using rig = await withRunning();
  rig.fake.behave(WEB, { onTerm: { code: 0, afterMs: 4_000 } });
  await rig.apply("web", web({ labels: { version: "2" } }));
  await rig.until(
    () => rig.fake.callsOf("StopContainer").length === 1,
    "the end of the first",
  );
  await rig.remove("web");
  await untilGone(rig);
  strictEqual(rig.fake.callsOf("RunPodSandbox").length, 1);
});

Deno.test("Agent keeps the record of a completed pod until its manifest goes", async () => {
  await using rig = await withRunning(
    web({ spec: { restartPolicy: "Never" } }),
  );
  rig.fake.exitContainer(rig.only(WEB).id, 0);
  await untilPhase(rig, "Succeeded");
  await rig.pass(70_000);
  strictEqual(rig.fake.containers.size, 1);
  strictEqual(rig.ready().length, 0);
  await rig.remove("web");
  await untilGone(rig);
});

function plain(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

Deno.test("Agent leaves an ended pod of a fixed UID as it is when it is edited, says so, and starts it when it is added again", async () => {
  await using rig = await CoreRig.start();
  const pod = (name: string) =>
    web({
      uid: UID,
      spec: { restartPolicy: "Never", containers: [busybox(name)] },
    });
  await rig.apply("web", pod("first"));
  await rig.until(() => rig.fake.running("first").length === 1, "Running");
  rig.fake.exitContainer(rig.only("first").id, 0);
  await untilPhase(rig, "Succeeded");
  await rig.pass(5_000);
  await rig.apply("web", pod("second"));
  await rig.until(
    () => rig.events("web").includes("Warning PodChangeIgnored"),
    "the event",
  );
  await rig.pass(30_000);
  strictEqual(rig.fake.callsOf("CreateContainer").length, 1);
  strictEqual(rig.status("web")?.phase, "Succeeded");
  await rig.remove("web");
  await untilGone(rig);
  await rig.apply("web", pod("second"));
  await rig.until(() => rig.fake.running("second").length === 1, "a new start");
});

Deno.test("Agent ends a pod at its deadline, not at the next look (PW-15)", async () => {
  await using rig = await withRunning(
    web({ spec: { activeDeadlineSeconds: 10 } }),
  );
  await rig.pass(8_000);
  strictEqual(rig.status("web")?.phase, "Running");
  await rig.pass(3_000);
  strictEqual(rig.status("web")?.phase, "Failed");
  strictEqual(rig.status("web")?.reason, "DeadlineExceeded");
  await rig.until(() => rig.fake.running(WEB).length === 0, "the end");
});

Deno.test("Agent takes a fixed UID under another name for another pod", async () => {
  await using rig = await withRunning(web({ uid: "fixed" }));
  await rig.apply("web", web({ uid: "fixed", name: "other" }));
  const names = () =>
    [...rig.fake.sandboxes.values()].map(({ config }) => config.metadata?.name);
  // Until then the status under the UID may still be that of the first.
  await rig.until(() => names().join() === "other-edge1", "the other");
  await untilRunning(rig, "other");
  // Nothing of the first one is left under its old name.
  await rig.until(
    () => rig.list(rig.config.runtime.podLogsDir).length === 1,
    "the end of the first one's logs",
  );
  deepStrictEqual(rig.list(rig.config.runtime.podLogsDir), [
    "default_other-edge1_fixed",
  ]);
});
