/**
 * The Debian package on a machine with systemd: installed, run, upgraded, shut down, booted,
 * removed and purged.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  notStrictEqual,
  ok,
  strictEqual,
} from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find, runningContainers } from "../../scripts/lib/pod_views.ts";
import { waitUntil } from "../../scripts/lib/wait_until.ts";
import { makePackage } from "../../scripts/package.ts";
import { SystemdMachine } from "../support/e2e/systemd_machine.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

const NAMES = ["web", "job"];

withRuntime("the Debian package", (test) => {
  test("runs pods through install, stop, upgrade, shutdown, boot, removal and purge (I2, SD-01)", async ({ agentOptions, rig }) => {
    // It runs in the machine; here it is only asked.
    await using agent = await AgentProcess.create(agentOptions());
    const packed = (revision: string) =>
      makePackage({
        output: `${agent.directory}/packages`,
        binary: undefined,
        revision,
        args: agent.runArguments.slice(1),
        compression: "none",
      });
    const [first, second] = [await packed("1"), await packed("2")];
    await using machine = await SystemdMachine.boot([
      agent.directory,
      rig.directory,
    ]);
    await machine.must("dpkg", "--install", first);
    strictEqual(await show(machine, "ActiveState"), "active");
    strictEqual(await show(machine, "Type"), "notify");
    await agent.apply("web.json", obeying("web"));
    await agent.apply("job.json", obeying("job", { restartPolicy: "Never" }));
    const before = ids(await agent.until("both run", bothRun));
    await untilStatus(machine, /^Healthy$/);

    const started = await show(machine, "MainPID");
    await machine.must("systemctl", "reload", "skerry");
    strictEqual(await show(machine, "MainPID"), started);

    await machine.must("systemctl", "stop", "skerry");
    await machine.must("systemctl", "start", "skerry");
    deepStrictEqual(ids(await agent.until("both run on", bothRun)), before);

    const pid = await show(machine, "MainPID");
    await machine.must("dpkg", "--install", second);
    match(await machine.must("dpkg", "--status", "skerry"), /^Version: .*-2$/m);
    notStrictEqual(await show(machine, "MainPID"), pid);
    strictEqual(await show(machine, "ActiveState"), "active");
    deepStrictEqual(ids(await agent.until("both run on", bothRun)), before);

    await machine.powerOff();
    strictEqual((await rig.tools.tasks()).size, 0, "nothing runs any more");
    match(await record(agent), /^\{"startTime":\d+,"endTime":[1-9]\d*\}$/);
    await machine.boot();
    const after = ids(await agent.until("both run again", bothRun));
    ok(NAMES.every((name) => after.get(name) !== before.get(name)));

    await machine.must("dpkg", "--remove", "skerry");
    strictEqual(
      (await machine.run("systemctl", "is-active", "skerry")).ok,
      false,
    );
    ok((await rig.tools.tasks()).size >= 4, "two pods and their sandboxes");
    await machine.must("test", "-e", "/etc/skerry/config.yaml");
    await machine.must("dpkg", "--purge", "skerry");
    for (
      const path of [
        "/etc/skerry/config.yaml",
        "/usr/bin/skerry",
        "/usr/lib/skerry",
      ]
    ) await machine.must("test", "!", "-e", path);
    // Pods still run: what they mount stays.
    ok(
      (await Array.fromAsync(Deno.readDir(`${agent.rootDir}/pods`))).length >=
        2,
    );
  });

  test("is restarted by systemd when it hangs, and pods run on (I2)", async ({ agentOptions, rig }) => {
    await using agent = await AgentProcess.create(agentOptions());
    const output = `${agent.directory}/packages`;
    const deb = await makePackage({
      output,
      binary: undefined,
      revision: "1",
      args: [...agent.runArguments.slice(1), "--watchdog-timeout=10s"],
      compression: "none",
    });
    await using machine = await SystemdMachine.boot([
      agent.directory,
      rig.directory,
    ]);
    await machine.must("dpkg", "--install", deb);
    await agent.apply("web.json", obeying("web"));
    const runs = (pods: readonly Pod[]) =>
      runningContainers(find(pods, "web")) === 1;
    const before = await agent.until("web runs", runs);
    const pid = await show(machine, "MainPID");
    await machine.must("kill", "-STOP", pid);
    await waitUntil("another agent", async () => {
      const now = await show(machine, "MainPID");
      return now !== pid && now !== "0";
    });
    const after = await agent.until("web runs on", runs);
    strictEqual(containerId(after, "web"), containerId(before, "web"));
    strictEqual(await show(machine, "NRestarts"), "1");
  });
}, { skip: await SystemdMachine.missing() });

/** A pod that ends with 0 when it is told to, by which a job would be done. */
function obeying(name: string, spec: Readonly<Record<string, unknown>> = {}) {
  const command = ["sh", "-c", "trap 'exit 0' TERM; sleep 1d & wait"];
  return podManifest(name, { ...spec, containers: [{ name: "c", command }] });
}

async function show(machine: SystemdMachine, name: string): Promise<string> {
  const text = await machine.must("systemctl", "show", "-p", name, "skerry");
  return text.trim().slice(name.length + 1);
}

async function untilStatus(
  machine: SystemdMachine,
  wanted: RegExp,
): Promise<void> {
  let status = "";
  await waitUntil(`status ${wanted}`, async () => {
    status = await show(machine, "StatusText");
    return wanted.test(status);
  }, { saw: () => status });
}

function bothRun(pods: readonly Pod[]): boolean {
  return NAMES.every((name) => runningContainers(find(pods, name)) === 1);
}

function containerId(pods: readonly Pod[], name: string): string | undefined {
  return find(pods, name)?.status?.containerStatuses?.[0]?.containerID;
}

function ids(pods: readonly Pod[]): ReadonlyMap<string, string | undefined> {
  return new Map(NAMES.map((name) => [name, containerId(pods, name)]));
}

async function record(agent: AgentProcess): Promise<string> {
  return await Deno.readTextFile(
    `${agent.rootDir}/graceful_node_shutdown_state`,
  );
}
