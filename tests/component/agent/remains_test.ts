/**
 * What pods leave behind and cannot be removed: nobody waits for it, and it goes in
 * the end (I3).
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { claim, secret, withClaim } from "../../support/local_objects.ts";
import {
  busybox,
  leftovers,
  untilGone,
  WEB,
  web,
} from "../../support/agent/manifests.ts";
import {
  untilPhase,
  untilRunning,
  withRunning,
} from "../../support/agent/phases.ts";

/** A UID by which a pod stays the same when its content changes. */
const UID = "0badc0de-0000-4000-8000-000000000002";

const ERROR = { kind: "error", code: 2, details: "device busy" } as const;
const HANGS = { kind: "hang" } as const;

async function untilVersion(rig: CoreRig, version?: string): Promise<void> {
  await rig.until(
    () =>
      rig.status("web")?.phase === "Running" &&
      rig.pod("web")?.metadata.labels?.["version"] === version,
    "Running",
    { limitMs: 20_000 },
  );
}

/** The rest can be removed now and the pod outlives it; then all of it goes. */
async function endTheRest(rig: CoreRig): Promise<void> {
  rig.fake.clearFaults();
  await rig.until(() => rig.fake.sandboxes.size === 1, "the end of the rest", {
    limitMs: 90_000,
  });
  strictEqual(rig.fake.running(WEB).length, 1);
  await rig.remove("web");
  await untilGone(rig);
}

for (
  const [what, fault] of [["is refused", ERROR], ["hangs", HANGS]] as const
) {
  Deno.test(`Agent starts the new version of a pod though the removal of the old one's sandbox ${what}`, async () => {
    await using rig = await withRunning();
    rig.fake.fault("RemovePodSandbox", fault);
    await rig.apply("web", web({ labels: { version: "2" } }));
    await untilVersion(rig, "2");
    strictEqual(rig.pods().length, 1);
  });
}

Deno.test("Agent tells once that a sandbox cannot be removed, counts it, and removes it when it can be", async () => {
  await using rig = await withRunning();
  rig.fake.fault("RemovePodSandbox", ERROR);
  await rig.remove("web");
  await rig.pass(200_000, 5_000);
  deepStrictEqual(rig.pods(), []);
  strictEqual(rig.logged("garbage_not_removed").length, 1);
  strictEqual(rig.metric("skerry_garbage_failing"), 1);
  const tries = rig.fake.callsOf("RemovePodSandbox").length;
  ok(tries >= 6 && tries <= 10, `${tries} tries`);
  // Its directory marks it as ours as long as something is there.
  strictEqual(rig.list(`${rig.config.paths.rootDir}/pods`).length, 1);
  strictEqual(rig.metric("skerry_foreign_pods"), 0);
  rig.fake.clearFaults();
  await untilGone(rig);
  strictEqual(rig.logged("garbage_removed").length, 1);
  // Its directory lies in the trash for a moment.
  await rig.until(() => rig.metric("skerry_garbage_pieces") === 0, "nothing");
});

Deno.test("Agent started anew finds what the last one could not remove, and its name is free", async () => {
  await using rig = await withRunning();
  rig.fake.fault("RemovePodSandbox", ERROR);
  await rig.remove("web");
  await rig.until(() => rig.pods().length === 0, "its end");
  await rig.restartAgent();
  await rig.apply("web", web({ labels: { version: "2" } }));
  await untilVersion(rig, "2");
  rig.fake.clearFaults();
  await rig.remove("web");
  await untilGone(rig);
});

for (
  const [what, fault] of [["is refused", ERROR], ["hangs", HANGS]] as const
) {
  Deno.test(`Agent starts the new version of a pod though stopping the old one's sandbox ${what}`, async () => {
    await using rig = await withRunning();
    rig.fake.fault("StopPodSandbox", fault);
    await rig.apply("web", web({ labels: { version: "2" } }));
    await untilVersion(rig, "2");
    rig.fake.clearFaults();
    if (fault.kind === "hang") return;
    await rig.until(() => rig.fake.sandboxes.size === 1, "the old one's end", {
      limitMs: 60_000,
    });
  });

  Deno.test(`Agent makes another sandbox for a pod whose own died, though stopping that one ${what}`, async () => {
    await using rig = await withRunning();
    const [dead] = rig.ready();
    ok(dead !== undefined);
    const isDead = (request: unknown): boolean =>
      JSON.stringify(request).includes(dead.id);
    rig.fake.fault("StopPodSandbox", fault, { when: isDead });
    dead.state = "not_ready";
    rig.fake.exitContainer(rig.only(WEB).id, 137);
    await rig.until(() => rig.fake.running(WEB).length === 1, "its restart", {
      limitMs: 20_000,
    });
    strictEqual(rig.status("web")?.phase, "Running");
    rig.fake.clearFaults();
    // It stays as long as the record of its dead container, and its network does not.
    const from = rig.fake.calls.length;
    await rig.until(
      () => rig.mutations(from).includes("StopPodSandbox"),
      "the end of its network",
      { limitMs: 150_000 },
    );
    await rig.until(
      () => rig.metric("skerry_garbage_pieces") === 0,
      "the collector's rest",
      { limitMs: 5_000 },
    );
    strictEqual(rig.fake.running(WEB).length, 1);
  });
}

Deno.test("Agent makes no second sandbox beside one that does not stop and is ready", async () => {
  await using rig = await withRunning(web({ uid: UID }));
  rig.fake.fault("StopPodSandbox", ERROR);
  const spec = { hostNetwork: true };
  await rig.stopAgent();
  const manifest = JSON.stringify(web({ uid: UID, spec }));
  await Deno.writeTextFile(rig.manifestPath("web"), manifest);
  await rig.startAgent();
  await rig.pass(30_000);
  strictEqual(rig.fake.sandboxes.size, 1);
  rig.fake.clearFaults();
  await rig.until(() => rig.fake.running(WEB).length === 1, "its restart", {
    limitMs: 60_000,
  });
});

Deno.test("Agent restarts a crashed container though its dead ones cannot be removed", async () => {
  await using rig = await withRunning();
  rig.fake.fault("RemoveContainer", HANGS);
  for (let round = 1; round <= 3; round++) {
    rig.fake.exitContainer(rig.only(WEB).id, 1);
    await rig.until(
      () => rig.fake.running(WEB).length === 1,
      `restart ${round}`,
      { limitMs: 60_000 },
    );
  }
  await rig.until(() => rig.metric("skerry_garbage_pieces") === 2, "two dead");
  strictEqual(rig.status("web")?.phase, "Running");
});

Deno.test("Agent runs a fixed UID again beside what it cannot remove of its past (Never)", async () => {
  const spec = {
    restartPolicy: "Never",
    initContainers: [busybox("prepare")],
  };
  await using rig = await CoreRig.start();
  rig.fake.behave("prepare", { exit: { code: 0, afterMs: 100 } });
  await rig.apply("web", web({ uid: UID, spec }));
  await rig.until(() => rig.fake.running(WEB).length === 1, "Running");
  rig.fake.behave(WEB, { onTerm: { code: 0, afterMs: 3_000 } });
  rig.fake.fault("RemovePodSandbox", ERROR);
  rig.fake.fault("RemoveContainer", ERROR);
  await rig.remove("web");
  await rig.until(
    () => rig.fake.callsOf("StopContainer").length === 1,
    "its end",
  );
  await rig.apply("web", web({ uid: UID, spec }));
  const from = rig.fake.calls.length;
  await rig.until(
    () =>
      rig.mutations(from).filter((method) => method === "StartContainer")
        .length === 2,
    "both its containers",
  );
  await untilRunning(rig);
  // The names of the old ones are taken.
  const attempts = [...rig.fake.sandboxes.values()]
    .map(({ config }) => config.metadata?.attempt);
  deepStrictEqual(attempts.sort(), [0, 1]);
  await endTheRest(rig);
});

Deno.test("Agent runs a fixed UID again that was added long after it could not be removed", async () => {
  const spec = { restartPolicy: "Never" };
  await using rig = await withRunning(web({ uid: UID, spec }));
  rig.fake.fault("RemovePodSandbox", ERROR);
  await rig.remove("web");
  await rig.pass(30_000);
  deepStrictEqual(rig.pods(), []);
  await rig.apply("web", web({ uid: UID, spec }));
  await untilVersion(rig);
  strictEqual(rig.fake.running(WEB).length, 1);
  await endTheRest(rig);
});

Deno.test("Agent leaves no volume of a pod that completed, and keeps its status and logs (VO-02)", async () => {
  const mounts = ["memory", "disk", "secret"];
  const volumes = [
    { name: "memory", emptyDir: { medium: "Memory" } },
    { name: "disk", emptyDir: {} },
    { name: "secret", secret: { secretName: "key" } },
  ];
  const volumeMounts = mounts.map((name) => ({ name, mountPath: `/${name}` }));
  const spec = {
    restartPolicy: "Never",
    volumes,
    containers: [busybox(WEB, { volumeMounts })],
  };
  await using rig = await CoreRig.start();
  await rig.apply("key", secret("key", { key: "secret" }));
  await rig.apply("web", web({ uid: UID, spec }));
  await rig.until(() => rig.fake.running(WEB).length === 1, "Running");
  const { rootDir, runDir } = rig.config.paths;
  strictEqual(rig.list(`${runDir}/pods`).length, 1);
  rig.fake.exitContainer(rig.only(WEB).id, 0);
  await untilPhase(rig, "Succeeded");
  await rig.until(
    () =>
      rig.list(`${runDir}/pods`).length === 0 &&
      rig.list(`${rootDir}/pods`).length === 1,
    "the end of its volumes",
  );
  const left = rig.list(`${rootDir}/pods/${UID}`);
  ok(!left.includes("volumes") && left.includes("record.json"), left.join());
  strictEqual(rig.list(rig.config.runtime.podLogsDir).length, 1);
  await rig.restartAgent();
  await untilPhase(rig, "Succeeded");
  strictEqual(rig.list(`${runDir}/pods`).length, 0);
  await rig.remove("web");
  await untilGone(rig);
  deepStrictEqual(leftovers(rig), []);
});

Deno.test("Agent gives a ReadWriteOncePod claim to the new version of a pod at once", async () => {
  const spec = withClaim("data", busybox(WEB));
  await using rig = await CoreRig.start();
  await rig.apply("data", claim("data", "ReadWriteOncePod"));
  await rig.apply("web", web({ spec }));
  await untilVersion(rig);
  rig.fake.fault("RemovePodSandbox", ERROR);
  // The first version may have come before its claim.
  const from = rig.log.length;
  await rig.apply("web", web({ labels: { version: "2" }, spec }));
  await untilVersion(rig, "2");
  const later = rig.log.slice(from);
  deepStrictEqual(later.filter((line) => line.includes("FailedMount")), []);
});

Deno.test("Agent started anew removes what the last one had taken away and not removed yet", async () => {
  await using rig = await withRunning();
  await rig.stopAgent();
  const { rootDir, runDir } = rig.config.paths;
  for (const parent of [rootDir, runDir]) {
    const trash = `${parent}/pods/.skerry-trash-${UID}.1`;
    await Deno.mkdir(`${trash}/volumes/a/b`, { recursive: true });
    await Deno.writeTextFile(`${trash}/volumes/a/f`, "");
  }
  await rig.startAgent();
  await rig.until(
    () =>
      [rootDir, runDir].every((parent) =>
        !rig.list(`${parent}/pods`).some((name) => name.startsWith("."))
      ),
    "the end of it",
  );
  strictEqual(rig.list(`${rootDir}/pods`).length, 1);
  strictEqual(rig.fake.running(WEB).length, 1);
});
