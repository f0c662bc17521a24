/**
 * Updates that do not become ready, through restarts, reboots and bad disks.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { coreConfig } from "../../support/agent/core_config.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, WEB } from "../../support/agent/manifests.ts";
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
import { PodServer } from "../../support/agent/pod_server.ts";

Deno.test("Agent gives an update no more time because it is restarted", async () => {
  await using rig = await withGood();
  await rig.apply("web", version("two", { isBad: true }));
  await untilRuns(rig, "two");
  const sinceMs = rig.clock.monotonic();
  await rig.pass(30_000);
  await rig.restartAgent();
  await untilRuns(rig, "two");
  await rig.pass(15_000);
  await rig.restartAgent();
  await untilRuns(rig, "one");
  const tookMs = rig.clock.monotonic() - sinceMs;
  ok(tookMs < 80_000, String(tookMs));
  strictEqual(shown(rig), "RolledBack");
});

Deno.test("Agent looks again before it ends a trial that ran out without it", async () => {
  await using rig = await withGood();
  await rig.apply("web", version("two"));
  await untilRuns(rig, "two");
  await rig.stopAgent();
  await rig.clock.advance(600_000);
  const from = rig.fake.calls.length;
  await rig.startAgent();
  await rig.pass(120_000);
  strictEqual(runningVersion(rig), "two");
  deepStrictEqual(rig.mutations(from), []);
});

Deno.test("Agent gives an update its whole time although the device was off for longer", async () => {
  await using rig = await withGood();
  let exitCode = 1;
  rig.fake.settings.exec = () => ({ exitCode });
  const readinessProbe = { exec: { command: ["test"] }, periodSeconds: 1 };
  const spec = { containers: [busybox(WEB, { readinessProbe })] };
  await rig.apply("web", version("two", { spec }));
  await untilRuns(rig, "two");
  await rig.pass(10_000);
  await reboot(rig, () => rig.clock.advance(3_600_000));
  await untilRuns(rig, "two");
  await rig.pass(30_000);
  exitCode = 0;
  await rig.pass(60_000);
  strictEqual(runningVersion(rig), "two");
  strictEqual(rollbackCondition(rig), undefined);
});

Deno.test("Agent goes back from an update that takes down the machine again and again", async () => {
  await using rig = await withGood();
  await rig.pass(15_000);
  await rig.apply("web", version("two", { isBad: true }));
  await untilRuns(rig, "two");
  const from = rig.clock.monotonic();
  const path = `${rig.config.paths.rootDir}/checkpoints/rollbacks/${
    records(rig)[0]
  }`;
  for (let boot = 0; boot < 8; boot++) {
    // Without power no agent says goodbye.
    const record = await Deno.readTextFile(path);
    await reboot(rig, () => Deno.writeTextFile(path, record));
    await rig.pass(3_000);
  }
  await untilRuns(rig, "one");
  ok(rig.clock.monotonic() - from < 60_000);
  strictEqual(shown(rig), "RolledBack");
});

Deno.test("Agent goes back from an update that takes down the machine before any agent could look at it", async () => {
  await using rig = await withGood();
  await rig.pass(15_000);
  await rig.apply("web", version("two", { isBad: true }));
  await untilRuns(rig, "two");
  const path = `${rig.config.paths.rootDir}/checkpoints/rollbacks/${
    records(rig)[0]
  }`;
  let boots = 0;
  for (; boots < 30 && runningVersion(rig) !== "one"; boots++) {
    const record = await Deno.readTextFile(path);
    await reboot(rig, () => Deno.writeTextFile(path, record));
    await rig.pass(3_000);
  }
  ok(boots > 8 && boots < 13, String(boots));
  strictEqual(shown(rig), "RolledBack");
  strictEqual(rig.metric("skerry_rollbacks_total"), 1);
  // And it is remembered.
  await reboot(rig);
  await untilRuns(rig, "one");
});

Deno.test("Agent runs the good version after a reboot with the bad manifest", async () => {
  await using rig = await withRollback();
  await reboot(rig);
  await untilRuns(rig, "one");
  strictEqual(shown(rig), "RolledBack");
  strictEqual(rig.metric("skerry_rolled_back_pods"), 1);
  strictEqual(rig.metric("skerry_rollbacks_total") ?? 0, 0);
  strictEqual(count(rig, "Warning RolledBack"), 1);
  await rig.pass(120_000);
  deepStrictEqual([
    ...new Set(rig.ready().map(({ config }) => config.labels["version"])),
  ], ["one"]);
});

Deno.test("Agent goes back from an update that was made while it was down", async () => {
  await using rig = await withGood({ first: { after: undefined } });
  await reboot(rig, () => rig.apply("web", version("two", { isBad: true })));
  await untilRuns(rig, "two");
  await untilRuns(rig, "one");
});

Deno.test("Agent forgets the versions of a pod that was removed while it was down", async () => {
  await using rig = await withRollback();
  await reboot(rig, () => rig.remove("web"));
  await rig.until(() => records(rig).length === 0, "no record");
});

Deno.test("Agent goes back under a UID that the manifest fixes", async () => {
  await using rig = await withGood({ first: { uid: "fixed" } });
  const other = {
    containers: [
      busybox(WEB, { image: "localhost/none:1", imagePullPolicy: "Never" }),
    ],
  };
  await rig.apply("web", version("two", { uid: "fixed", spec: other }));
  await rig.until(
    () => shown(rig) === "ErrImageNeverPull",
    "the image to be missing",
  );
  await untilRuns(rig, "one");
  // Under the same UID the phase was Running all the time.
  await rig.until(
    () => shown(rig) === "RolledBack",
    "the rollback to be shown",
  );
  await reboot(rig);
  await untilRuns(rig, "one");
  strictEqual(shown(rig), "RolledBack");
});

Deno.test("Agent tries an update again when an object changes that it refers to", async () => {
  const map = (value: string) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings" },
    data: { key: value },
  });
  const spec = {
    volumes: [{ name: "v", configMap: { name: "settings" } }],
  };
  await using rig = await withGood();
  await rig.apply("map", map("wrong"));
  await rig.apply("web", version("two", { isBad: true, spec }));
  await untilRuns(rig, "two");
  await untilRuns(rig, "one");
  // Its content is the same as before.
  await rig.restartAgent();
  await rig.pass(30_000);
  strictEqual(shown(rig), "RolledBack");

  const fromMs = rig.clock.monotonic();
  await rig.apply("map", map("right"));
  // At once, and not with the next review of all versions.
  strictEqual(rig.clock.monotonic(), fromMs);
  strictEqual(rig.pod("web")?.metadata.labels?.["version"], "two");
  await untilRuns(rig, "two");
  strictEqual(rollbackCondition(rig), undefined);
  await untilRuns(rig, "one");
});

Deno.test("Agent goes back with pods of a URL, also when the URL is away (SRC-24)", async () => {
  await using server = new PodServer(version("one"));
  await using rig = await CoreRig.start({ flags: server.flags });
  await untilRuns(rig, "one");
  await rig.pass(5_000);
  server.pods = [version("two", { isBad: true })];
  await untilRuns(rig, "two");
  server.isCut = true;
  await rig.restartAgent();
  await untilRuns(rig, "two");
  await untilRuns(rig, "one");
  strictEqual(shown(rig), "RolledBack");
  await reboot(rig);
  await untilRuns(rig, "one");
  strictEqual(shown(rig), "RolledBack");
  server.isCut = false;
  await rig.pass(60_000);
  strictEqual(shown(rig), "RolledBack");
});

Deno.test("Agent forgets the versions of pods of a source that is not configured any more, once all others have spoken", async () => {
  await using server = new PodServer(version("one"));
  await using rig = await CoreRig.start({ flags: server.flags });
  await untilRuns(rig, "one");
  await rig.until(() => records(rig).length === 1, "the record");
  await rig.stopAgent();
  rig.config = await coreConfig(rig.directory, {});
  const { manifestPath } = rig.config.source;
  await Deno.rename(manifestPath, `${manifestPath}.away`);
  await Deno.symlink("manifests", manifestPath);
  await rig.startAgent();
  await rig.pass(20_000);
  strictEqual(records(rig).length, 1);
  await Deno.remove(manifestPath);
  await Deno.rename(`${manifestPath}.away`, manifestPath);
  await rig.until(() => records(rig).length === 0, "no record");
});

Deno.test("Agent goes back on a disk that keeps no record", async () => {
  await using rig = await CoreRig.start({
    prepare: async (rig) => {
      await Deno.mkdir(`${rig.config.paths.rootDir}/checkpoints`, {
        recursive: true,
      });
      await Deno.writeTextFile(
        `${rig.config.paths.rootDir}/checkpoints/rollbacks`,
        "",
      );
    },
  });
  await rig.apply("web", version("one"));
  await untilRuns(rig, "one");
  await rig.pass(5_000);
  await rig.apply("web", version("two", { isBad: true }));
  await untilRuns(rig, "two");
  await untilRuns(rig, "one");
  strictEqual(rig.logged("rollback_record_write_failed").length, 1);
});

Deno.test("Agent sets a record aside that is damaged, and runs what the manifest says", async () => {
  await using rig = await withRollback();
  const directory = `${rig.config.paths.rootDir}/checkpoints/rollbacks`;
  await reboot(rig, async () => {
    const [name] = records(rig);
    await Deno.writeTextFile(`${directory}/${name}`, '{"version":1,');
  });
  await untilRuns(rig, "two");
  strictEqual(rig.logged("rollback_record_corrupt").length, 1);
});
