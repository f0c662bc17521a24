/**
 * When an agent writes to its disk: never in the way of a pod, and never for nothing.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { countChanges, filesBelow } from "../../support/files_below.ts";
import { BusyDisk } from "../../support/agent/busy_disk.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, WEB } from "../../support/agent/manifests.ts";
import { untilRuns, version } from "../../support/agent/versions.ts";
import { untilRunning } from "../../support/agent/phases.ts";
import { PodServer } from "../../support/agent/pod_server.ts";

Deno.test("Agent starts pods of file and URL, and updates them, while the disk makes nothing durable", async () => {
  await using server = new PodServer(named("remote", "one"));
  await using rig = await CoreRig.start({ flags: server.flags });
  await using disk = new BusyDisk(rig);
  for (const label of ["one", "two"]) {
    server.pods = [named("remote", label)];
    await rig.apply("local", named("local", label));
    for (const name of ["local", "remote"]) {
      await rig.until(
        () =>
          rig.status(name)?.phase === "Running" &&
          rig.pod(name)?.metadata.labels?.["version"] === label,
        `version ${label} of ${name}`,
      );
    }
    await rig.pass(3_000);
  }
  strictEqual(rig.fake.running(WEB).length, 2);
  // The manifest, the answer of the URL and the versions all wait.
  ok(disk.asked >= 3, `${disk.asked}`);
});

Deno.test("Agent writes nothing anywhere while nothing happens (I5)", async () => {
  await using server = new PodServer(named("remote", "one"));
  await using rig = await CoreRig.start({ flags: server.flags });
  rig.fake.behave("job", { exit: { code: 0, afterMs: 500 } });
  await rig.apply("local", named("local", "one"));
  await rig.apply("rolled", named("rolled", "one"));
  await rig.apply("broken", named("broken", "one"));
  await rig.apply("job", job());
  const phaseOf = (name: string) => rig.status(name)?.phase;
  await rig.until(
    () =>
      ["local", "remote", "rolled", "broken"]
        .every((name) => phaseOf(name) === "Running") &&
      phaseOf("job") === "Succeeded",
    "all of them",
  );
  await rig.pass(5_000);
  // One went back, and one has a manifest that is not valid.
  await rig.apply("rolled", version("two", { name: "rolled", isBad: true }));
  await rig.apply("broken", { ...named("broken", "two"), spec: {} });
  await untilRuns(rig, "two", "rolled");
  await untilRuns(rig, "one", "rolled");
  await rig.pass(30_000);

  const before = await filesOf(rig);
  ok(before.size > 20, `${before.size}`);
  await rig.pass(600_000, 5_000);
  deepStrictEqual(await filesOf(rig), before);
});

Deno.test("Agent of ten idle pods writes nothing in five minutes, though it looks at images, dead containers and logs (I5)", async () => {
  await using rig = await CoreRig.start({
    kubelet: ["imageMaximumGCAge: 3m"],
    flags: ["--maximum-dead-containers=5"],
  });
  for (let at = 0; at < 10; at++) {
    await rig.apply(`idle${at}`, named(`idle${at}`, "one"));
  }
  await rig.until(() => rig.fake.running(WEB).length === 10, "ten pods");
  // Some have been restarted, so that there are dead containers to be kept.
  for (const { id } of rig.fake.running(WEB).slice(0, 3)) {
    rig.fake.exitContainer(id, 1);
  }
  await rig.until(() => rig.fake.running(WEB).length === 10, "ten again");
  await rig.pass(30_000);

  const before = await filesOf(rig);
  ok(before.size > 100, `${before.size}`);
  const from = rig.fake.calls.length;
  await rig.pass(300_000, 5_000);
  strictEqual(countChanges(before, await filesOf(rig)), 0);
  deepStrictEqual(rig.mutations(from), []);
  const asked = rig.fake.calls.slice(from).map(({ method }) => method);
  ok(asked.includes("ListImages"));
  ok(!asked.includes("RemoveImage"));
});

Deno.test("Agent restarts a container and runs its edited version on a disk that takes nothing (N01)", async () => {
  await using rig = await CoreRig.start();
  const uid = "0badc0de-0000-4000-8000-000000000002";
  const fixed = (label: string) => version(label, { name: "local", uid });
  await rig.apply("local", fixed("one"));
  await untilRunning(rig, "local");
  // Until everything is kept.
  await rig.pass(15_000);
  // Where its directories were, nothing can be made, whoever the agent is.
  const { rootDir } = rig.config.paths;
  for (const path of [`pods/${uid}/containers`, "checkpoints"]) {
    await Deno.remove(`${rootDir}/${path}`, { recursive: true });
    await Deno.writeTextFile(`${rootDir}/${path}`, "");
  }
  rig.fake.exitContainer(rig.only(WEB).id, 1);
  await rig.until(() => rig.fake.running(WEB).length === 1, "the restart");
  ok(rig.events("local").includes("Warning FailedTerminationLog"));
  await rig.apply("local", fixed("two"));
  await rig.until(
    () => rig.pod("local")?.metadata.labels?.["version"] === "two",
    "the edit",
  );
  await rig.until(
    () => rig.logged("checkpoint_write_failed").length === 1,
    "the word on the checkpoint",
  );
  strictEqual(rig.fake.running(WEB).length, 1);

  await Deno.remove(`${rootDir}/checkpoints`);
  await rig.until(
    () => rig.logged("checkpoint_write_recovered").length === 1,
    "what was kept in memory to be written",
  );
  strictEqual(rig.list(`${rootDir}/checkpoints/manifests`).length, 1);
});

function named(name: string, label: string): Record<string, unknown> {
  return version(label, { name });
}

function job(): Record<string, unknown> {
  const spec = { restartPolicy: "Never", containers: [busybox("job")] };
  return version("one", { name: "job", spec });
}

async function filesOf(rig: CoreRig): Promise<ReadonlyMap<string, string>> {
  await rig.quiet();
  return await filesBelow(rig.directory);
}
