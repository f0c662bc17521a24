/**
 * An agent that finds what another one left: running pods, orphans, unmanaged pods.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  notStrictEqual,
  strictEqual,
} from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { NODE } from "../../support/agent/core_config.ts";
import {
  busybox,
  untilGone,
  WEB,
  web,
  writeLog,
} from "../../support/agent/manifests.ts";
import { untilRunning, withRunning } from "../../support/agent/phases.ts";

/** A UID by which a pod stays the same when its content changes. */
const UID = "0badc0de-0000-4000-8000-000000000001";

Deno.test("Agent adopts running pods without a single change (I2)", async () => {
  await using rig = await withRunning();
  await rig.apply("two", web({ name: "two" }));
  await untilRunning(rig, "two");
  rig.fake.exitContainer(rig.fake.running(WEB)[0]?.id ?? "", 1);
  await rig.until(() => rig.fake.running(WEB).length === 2, "the restart");
  const ids = rig.fake.running(WEB).map(({ id }) => id).sort();
  const counts = countsOf(rig);
  await rig.pass(3_000);
  const from = rig.fake.calls.length;

  await rig.restartAgent();
  await untilRunning(rig, "web", "two");
  await rig.pass(70_000);

  deepStrictEqual(rig.mutations(from), []);
  deepStrictEqual(rig.fake.running(WEB).map(({ id }) => id).sort(), ids);
  deepStrictEqual(countsOf(rig), counts);
  deepStrictEqual(rig.logged("orphan_found"), []);
  deepStrictEqual(rig.logged("foreign_pod"), []);
});

Deno.test("Agent knows since when a pod is ready, also after its own restart", async () => {
  const readinessProbe = { exec: { command: ["true"] }, periodSeconds: 1 };
  const probed = busybox(WEB, { readinessProbe });
  await using rig = await withRunning(
    web({ spec: { containers: [probed] } }),
  );
  const times = () =>
    Object.fromEntries(
      (rig.status("web")?.conditions ?? []).map((
        { type, status, lastTransitionTime },
      ) => [`${type} ${status}`, lastTransitionTime]),
    );
  await rig.until(() => times()["Ready True"] !== undefined, "ready");
  const before = times();
  await rig.pass(600_000, 5_000);
  await rig.restartAgent();
  await rig.until(() => times()["Ready True"] !== undefined, "ready again");
  deepStrictEqual(times(), before);
  // A machine that starts anew begins all of it anew.
  await rig.stopAgent();
  for (const id of [...rig.fake.sandboxes.keys()]) rig.fake.vanish(id);
  await rig.pass(60_000, 5_000);
  await rig.startAgent();
  await rig.until(
    () => rig.fake.running(WEB).length === 1,
    "the container of this boot",
  );
  await rig.until(() => times()["Ready True"] !== undefined, "ready anew");
  notStrictEqual(times()["Ready True"], before["Ready True"]);
});

Deno.test("Agent leaves alone what runs through twenty restarts at odd moments", async () => {
  await using rig = await withRunning();
  const { id } = rig.only(WEB);
  const from = rig.fake.calls.length;
  for (let round = 0; round < 20; round++) {
    await rig.restartAgent();
    await rig.quiet();
    for (let turn = 0; turn < round % 4; turn++) await rig.clock.advance(350);
  }
  await untilRunning(rig);
  strictEqual(rig.only(WEB).id, id);
  deepStrictEqual(rig.mutations(from), []);
});

Deno.test("Agent does not run completed pods again after a restart (PW-08)", async () => {
  await using rig = await CoreRig.start();
  const ends = [["never-0", "Never", 0, "Succeeded"], [
    "never-1",
    "Never",
    1,
    "Failed",
  ], ["onfail-0", "OnFailure", 0, "Succeeded"]] as const;
  for (const [name, restartPolicy, code] of ends) {
    rig.fake.behave(name, { exit: { code, afterMs: 100 } });
    const spec = { restartPolicy, containers: [busybox(name)] };
    await rig.apply(name, web({ name, spec }));
  }
  const settled = (): boolean =>
    ends.every(([name, , , phase]) => rig.status(name)?.phase === phase);
  await rig.until(settled, "all phases");
  await rig.pass(5_000);
  const from = rig.fake.calls.length;
  await rig.restartAgent();
  await rig.until(settled, "all phases again");
  await rig.pass(70_000);
  deepStrictEqual(
    rig.mutations(from).filter((method) => method !== "StopPodSandbox"),
    [],
  );
});

Deno.test("Agent counts restarts on after a restart of its own (I4)", async () => {
  await using rig = await withRunning();
  for (const expected of [1, 2]) {
    rig.fake.exitContainer(rig.only(WEB).id, 1);
    await rig.until(
      () =>
        rig.fake.running(WEB).length === 1 &&
        restartsOf(rig) === expected,
      `restart ${expected}`,
    );
  }
  await rig.stopAgent();
  await rig.startAgent();
  await rig.until(() => restartsOf(rig) === 2, "the old count");
  rig.fake.exitContainer(rig.only(WEB).id, 1);
  await rig.until(() => restartsOf(rig) === 3, "the next count");
});

Deno.test("Agent ends a pod whose manifest went while it was down, with its own grace (PW-02)", async () => {
  const spec = { terminationGracePeriodSeconds: 77 };
  await using rig = await withRunning(web({ spec }));
  await rig.stopAgent();
  await rig.remove("web");
  const from = rig.fake.calls.length;
  await rig.startAgent();
  await untilGone(rig);
  const [stop, ...more] = rig.fake.calls.slice(from)
    .filter(({ method }) => method === "StopContainer");
  match(JSON.stringify(stop?.request, showBigint), /"timeout":"77"/);
  strictEqual(more.length, 0);
  strictEqual(rig.metric("kubelet_orphaned_runtime_pods_total"), 1);
});

Deno.test("Agent clears away the directory of a pod that the runtime has lost", async () => {
  await using rig = await withRunning();
  await rig.stopAgent();
  await rig.remove("web");
  rig.fake.vanish(rig.ready()[0]?.id ?? "");
  await rig.startAgent();
  await untilGone(rig);
});

Deno.test("Agent ends no orphan before its sources have spoken", async () => {
  await using rig = await withRunning();
  await rig.stopAgent();
  const { manifestPath } = rig.config.source;
  await Deno.rename(manifestPath, `${manifestPath}.away`);
  // Neither a directory nor known to be missing: nobody can say what is wanted.
  await Deno.symlink("manifests", manifestPath);
  const from = rig.fake.calls.length;
  await rig.startAgent();
  await rig.pass(30_000);
  deepStrictEqual(rig.mutations(from), []);
  await Deno.remove(manifestPath);
  await Deno.rename(`${manifestPath}.away`, manifestPath);
  await untilRunning(rig);
  deepStrictEqual(rig.mutations(from), []);
});

Deno.test("Agent never touches pods that it did not start", async () => {
  await using rig = await withRunning();
  const uid = "11111111-2222-4333-8444-555555555555";
  const config = sandboxConfig(rig, { uid, name: "unmanaged" });
  const id = await rig.connection.runtime.runPodSandbox(config);
  await rig.until(() => rig.metric("skerry_foreign_pods") === 1, "the count");
  await rig.restartAgent();
  await rig.until(() => rig.metric("skerry_foreign_pods") === 1, "the count");
  await rig.pass(70_000);
  const touched = rig.fake.calls.filter(({ method, request }) =>
    method !== "RunPodSandbox" &&
    JSON.stringify(request, showBigint).includes(id)
  );
  deepStrictEqual(touched, []);
  strictEqual(rig.logged("foreign_pod").length, 2);
});

Deno.test("Agent does not take a pod that it has just removed for an unmanaged one", async () => {
  await using rig = await withRunning();
  for (let round = 0; round < 5; round++) {
    await rig.remove("web");
    await untilGone(rig);
    await rig.apply("other", web({ name: "other" }));
    await rig.pass(300 * round, 100);
    await rig.remove("other");
    await rig.pass(3_000, 100);
    await rig.apply("web", web());
    await untilRunning(rig);
  }
  deepStrictEqual(rig.logged("foreign_pod"), []);
});

for (
  const [what, isAged, isListSlow] of [
    ["known from its last good content", false, false],
    ["an orphan when the manifest is read", true, false],
    ["listed after the manifest is read", true, true],
  ] as const
) {
  Deno.test(`Agent ends an old version of a pod before it starts one that was edited in while it was down: ${what} (I1)`, async () => {
    await using rig = await withRunning();
    rig.fake.behave(WEB, { onTerm: { code: 0, afterMs: 3_000 } });
    await rig.stopAgent();
    await rig.apply("web", web({ labels: { version: "2" } }));
    // Only an old file is read at once: a young one may still be being written.
    if (isAged) await Deno.utime(rig.manifestPath("web"), 1, 1);
    if (isListSlow) {
      const slow = { kind: "delay", ms: 3_000 } as const;
      rig.fake.fault("ListPodSandbox", slow, { times: 1 });
    }
    const from = rig.fake.calls.length;
    await rig.startAgent();
    await rig.until(
      () =>
        rig.status("web")?.phase === "Running" &&
        rig.fake.sandboxes.size === 1 && rig.mutations(from).length > 5,
      "the new version",
    );
    // The rest of the old one is cleared away beside the new one's start.
    const { before, after } = splitAt(rig.mutations(from), "RunPodSandbox");
    deepStrictEqual(before.slice(0, 2), ["StopContainer", "StopPodSandbox"]);
    deepStrictEqual(
      [...before.slice(2), ...after].sort(),
      ["CreateContainer", "RemovePodSandbox", "StartContainer"],
    );
  });
}

Deno.test("Agent adopts a wanted pod whose directory was lost, in whatever sandbox it is", async () => {
  await using rig = await withRunning();
  rig.fake.killSandbox(rig.ready()[0]?.id ?? "");
  await rig.until(
    () => rig.ready().length === 1 && rig.fake.running(WEB).length === 1,
    "the second sandbox",
  );
  await rig.pass(3_000);
  const { id } = rig.only(WEB);
  await rig.stopAgent();
  await Deno.remove(`${rig.config.paths.rootDir}/pods`, { recursive: true });
  const from = rig.fake.calls.length;
  await rig.startAgent();
  await untilRunning(rig);
  await rig.pass(5_000);
  deepStrictEqual(rig.mutations(from), []);
  strictEqual(rig.only(WEB).id, id);
  strictEqual(rig.metric("skerry_foreign_pods"), 0);
  // It is watched like any other from then on.
  rig.fake.exitContainer(id, 1);
  await rig.until(() => rig.fake.running(WEB).length === 1, "the restart", {
    limitMs: 3_000,
  });
});

Deno.test("Agent brings back a fixed-UID pod whose manifest returns while it ends as an orphan", async () => {
  await using rig = await withRunning(web({ uid: UID }));
  await writeLog(rig, UID, 4);
  rig.fake.behave(WEB, { onTerm: { code: 0, afterMs: 4_000 } });
  await rig.stopAgent();
  await rig.remove("web");
  await rig.startAgent();
  await rig.until(
    () => rig.fake.callsOf("StopContainer").length === 1,
    "its end",
  );
  const from = rig.fake.calls.length;
  await rig.apply("web", web({ uid: UID }));
  await rig.until(
    () => rig.mutations(from).includes("StartContainer"),
    "its return",
  );
  await untilRunning(rig);
  strictEqual(restartsOf(rig), 5);
});

function restartsOf(rig: CoreRig): number {
  return rig.status("web")?.containerStatuses?.[0]?.restartCount ?? -1;
}

function countsOf(rig: CoreRig): readonly (readonly [string, number])[] {
  return rig.pods().flatMap(({ metadata, status }) =>
    (status?.containerStatuses ?? []).map(({ restartCount }) =>
      [metadata.name, restartCount] as const
    )
  );
}

function showBigint(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

function sandboxConfig(
  rig: CoreRig,
  pod: { readonly uid: string; readonly name: string },
): Parameters<typeof rig.connection.runtime.runPodSandbox>[0] {
  const { uid, name } = pod;
  const namespace = "default";
  return {
    metadata: { name, namespace, uid, attempt: 0 },
    hostname: NODE,
    logDirectory: `${rig.directory}/elsewhere`,
    portMappings: [],
    labels: {
      "io.kubernetes.pod.name": name,
      "io.kubernetes.pod.namespace": namespace,
      "io.kubernetes.pod.uid": uid,
    },
    annotations: {},
  };
}

function splitAt(
  calls: readonly string[],
  method: string,
): { readonly before: readonly string[]; readonly after: readonly string[] } {
  const at = calls.indexOf(method);
  return { before: calls.slice(0, at), after: calls.slice(at + 1) };
}
