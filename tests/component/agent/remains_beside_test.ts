/**
 * What goes on beside a removal that fails: files that change, updates that are ready,
 * and the successor of a pod whose logs stay.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { configMap } from "../../support/local_objects.ts";
import { busybox, untilGone, WEB, web } from "../../support/agent/manifests.ts";
import {
  count,
  runningVersion,
  untilRuns,
  version,
  withGood,
} from "../../support/agent/versions.ts";
import { untilRunning, withRunning } from "../../support/agent/phases.ts";

const ERROR = { kind: "error", code: 2, details: "device busy" } as const;
const HANGS = { kind: "hang" } as const;

const FAULTS = [["is refused", ERROR], ["hangs", HANGS]] as const;

/** Whether something is left that could not be removed, or is being removed all the time. */
function hasRemains(rig: CoreRig): boolean {
  return (rig.metric("skerry_garbage_pieces") ?? 0) > 0;
}

for (const [what, fault] of FAULTS) {
  Deno.test(`Agent brings the files of a pod up to date though the removal of its dead container ${what}`, async () => {
    await using rig = await CoreRig.start();
    const mountPath = "/etc/settings";
    const volumeMounts = [{ name: "files", mountPath }];
    const spec = {
      volumes: [{ name: "files", configMap: { name: "settings" } }],
      containers: [busybox(WEB, { volumeMounts })],
    };
    await rig.apply("settings", configMap("settings", { color: "red" }));
    await rig.apply("web", web({ spec }));
    await untilRunning(rig);
    rig.fake.fault("RemoveContainer", fault);
    for (let crash = 1; crash <= 2; crash++) {
      rig.fake.exitContainer(rig.only(WEB).id, 1);
      await rig.until(
        () => rig.fake.running(WEB).length === 1,
        `restart ${crash}`,
        { limitMs: 60_000 },
      );
    }
    await rig.until(() => hasRemains(rig), "what cannot be removed");
    const { id, config } = rig.only(WEB);
    const mount = config.mounts.find((each) =>
      each.containerPath === mountPath
    );
    ok(mount !== undefined);
    const color = () => Deno.readTextFileSync(`${mount.hostPath}/color`);
    await rig.apply("settings", configMap("settings", { color: "blue" }));
    await rig.until(() => color() === "blue", "blue", { limitMs: 5_000 });
    strictEqual(rig.only(WEB).id, id);
    ok(hasRemains(rig));
  });

  Deno.test(`Agent does not roll back an update that is ready though the removal of the old version ${what}`, async () => {
    await using rig = await withGood();
    rig.fake.fault("RemovePodSandbox", fault);
    await rig.apply("web", version("two"));
    await untilRuns(rig, "two");
    await rig.pass(150_000, 5_000);
    strictEqual(runningVersion(rig), "two");
    strictEqual(count(rig, "Warning RolledBack"), 0);
    strictEqual(rig.metric("skerry_rollbacks_total") ?? 0, 0);
    ok(hasRemains(rig));
  });
}

async function run(command: string, ...args: string[]): Promise<boolean> {
  const { success } = await new Deno.Command(command, {
    args,
    stderr: "null",
  }).output();
  return success;
}

/** Makes a directory one that cannot be removed; `undefined` where that is not allowed. */
async function holdDirectory(
  path: string,
): Promise<AsyncDisposable | undefined> {
  if (Deno.uid() !== 0) {
    await Deno.writeTextFile(`${path}/held`, "");
    await Deno.chmod(path, 0o500);
    return { [Symbol.asyncDispose]: () => Deno.chmod(path, 0o700) };
  }
  if (!await run("mount", "-t", "tmpfs", "none", path)) return undefined;
  return {
    async [Symbol.asyncDispose]() {
      await run("umount", path);
    },
  };
}

Deno.test("Agent starts the new version of a pod though the old one's log directory cannot be removed, and says so once", async (t) => {
  await using rig = await withRunning();
  const { podLogsDir } = rig.config.runtime;
  const [logs] = rig.list(podLogsDir);
  ok(logs !== undefined);
  const held = await holdDirectory(`${podLogsDir}/${logs}`);
  if (held === undefined) {
    await t.step({
      name: "mounting is not allowed here",
      ignore: true,
      fn() {},
    });
    return;
  }
  {
    await using _held = held;
    await rig.apply("web", web({ labels: { version: "2" } }));
    await rig.until(
      () =>
        rig.status("web")?.phase === "Running" &&
        rig.pod("web")?.metadata.labels?.["version"] === "2",
      "the new version",
      { limitMs: 20_000 },
    );
    await rig.pass(100_000, 5_000);
    strictEqual(rig.pods().length, 1);
    ok(rig.list(podLogsDir).includes(logs));
    strictEqual(rig.logged("garbage_not_removed").length, 1);
    strictEqual(rig.metric("skerry_garbage_failing"), 1);
  }
  await rig.until(
    () => rig.metric("skerry_garbage_pieces") === 0,
    "its removal",
  );
  deepStrictEqual(rig.list(podLogsDir).includes(logs), false);
  await rig.remove("web");
  await untilGone(rig);
});
