/**
 * Looks from inside containers, as their programs see the world.
 *
 * @module
 */

import { ok } from "node:assert/strict";
import type { ContainerStatus, Pod } from "../../../mod/api/types/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import {
  LABEL_POD_NAME,
  LABEL_POD_NAMESPACE,
} from "../../../mod/api/vocabulary/mod.ts";
import { systemClock } from "../../../mod/base/mod.ts";
import { connectCri } from "../../../mod/cri/mod.ts";
import type { RuntimeService, Sandbox } from "../../../mod/cri/model/mod.ts";
import type { AgentProcess } from "../../../scripts/lib/agent_process.ts";
import { find, runningContainers } from "../../../scripts/lib/pod_views.ts";
import { runSkerry } from "../../../scripts/lib/run_skerry.ts";
import { PATIENCE_MS, waitUntil } from "../../../scripts/lib/wait_until.ts";
import type { TestRuntime } from "./with_runtime.ts";

/** The status of one container of a pod, of whatever kind it is. */
export function containerOf(
  pod: Pod | undefined,
  name: string,
): ContainerStatus | undefined {
  const { status } = pod ?? {};
  return [
    ...status?.containerStatuses ?? [],
    ...status?.initContainerStatuses ?? [],
  ].find((container) => container.name === name);
}

/** Why a container of a pod does not run. */
export function waitingOf(
  pod: Pod | undefined,
  name: string,
): NonNullable<ContainerStatus["state"]>["waiting"] {
  return containerOf(pod, name)?.state?.waiting;
}

/** Waits until `count` app containers of a pod run. */
export async function untilPodRuns(
  agent: AgentProcess,
  name: string,
  count: number = 1,
): Promise<Pod> {
  const pod = find(
    await agent.until(
      `${name} running`,
      (pods) => runningContainers(find(pods, name)) === count,
    ),
    name,
  );
  ok(pod);
  return pod;
}

/** The runtime's id of a container; empty when it has none yet. */
export function idOf(pod: Pod | undefined, name: string): string {
  return containerOf(pod, name)?.containerID?.replace(/^.*:\/\//, "") ?? "";
}

/**
 * Runs a shell command in a running container and returns what it wrote.
 *
 * @throws {Error} when it fails
 */
export async function execIn(
  runtime: TestRuntime,
  containerId: string,
  script: string,
): Promise<string> {
  const { ok, text } = await runtime.rig.tools.ctr([
    "tasks",
    "exec",
    "--exec-id",
    `t${crypto.randomUUID().slice(0, 8)}`,
    containerId,
    "/bin/sh",
    "-c",
    script,
  ]);
  if (!ok) throw new Error(`Cannot run "${script}" in a container: ${text}`);
  return text;
}

/** The fields of a container's /proc/1/status, their values parted by single blanks. */
export async function statusIn(
  runtime: TestRuntime,
  containerId: string,
): Promise<ReadonlyMap<string, string>> {
  const text = await execIn(runtime, containerId, "cat /proc/1/status");
  return new Map(
    text.trim().split("\n").map((line) => {
      const [name = "", value = ""] = line.split(":", 2);
      return [name, value.trim().split(/\s+/).join(" ")];
    }),
  );
}

/** The variables and arguments of a container's first process, as they were given to it. */
export async function firstProcessIn(
  runtime: TestRuntime,
  containerId: string,
): Promise<{
  readonly variables: ReadonlyMap<string, string>;
  readonly args: readonly string[];
}> {
  const words = async (file: string) =>
    (await execIn(runtime, containerId, `tr '\\0' '\\n' < /proc/1/${file}`))
      .split("\n").slice(0, -1);
  const variables = (await words("environ")).map((line) => {
    const at = line.indexOf("=");
    return [line.slice(0, at), line.slice(at + 1)] as const;
  });
  return { variables: new Map(variables), args: await words("cmdline") };
}

/** The command lines of the processes of a container, as the node sees them. */
export async function processesOf(
  runtime: TestRuntime,
  containerId: string,
): Promise<readonly string[]> {
  const first = (await runtime.rig.tools.tasks()).get(containerId) ?? 0;
  const own = await Deno.readLink(`/proc/${first}/ns/pid`);
  const lines: string[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^[0-9]+$/.test(name)) continue;
    try {
      if (await Deno.readLink(`/proc/${name}/ns/pid`) !== own) continue;
      const line = await Deno.readTextFile(`/proc/${name}/cmdline`);
      lines.push(line.replaceAll("\0", " ").trim());
    } catch {
      // It has ended meanwhile.
    }
  }
  return lines;
}

/**
 * The lines of a pod's log, as `skerry logs` prints them.
 *
 * @throws {Error} when it cannot
 */
export async function logsOf(
  agent: AgentProcess,
  pod: string,
): Promise<readonly string[]> {
  const { code, stdout, stderr } = await runSkerry([
    "logs",
    pod,
    `--control-socket=${agent.socketPath}`,
  ]);
  if (code !== 0) throw new Error(`Cannot read the log of "${pod}": ${stderr}`);
  return stdout.trim().split("\n");
}

/** Waits until a line of the agent's log matches. */
export async function untilLogged(
  agent: AgentProcess,
  expected: RegExp,
): Promise<void> {
  await waitUntil(
    `${expected} in the agent's log`,
    async () => expected.test(await agent.logTail(1_000)),
    { saw: () => agent.logTail() },
  );
}

/** The sandboxes that the runtime has for a pod. */
export async function sandboxesOf(
  runtime: TestRuntime,
  podUid: string,
): Promise<readonly Sandbox[]> {
  return await withCri(runtime, async (cri) => {
    const all = await cri.listPodSandbox();
    return all.filter(({ metadata }) => metadata.uid === podUid);
  });
}

/** What runs at this moment, as `<namespace>/<pod> <container>`: once for each that does. */
export async function runningNames(
  runtime: TestRuntime,
): Promise<readonly string[]> {
  const running = await withCri(
    runtime,
    (cri) => cri.listContainers({ state: "running" }),
  );
  return running.map(({ metadata: { name }, labels }) =>
    `${labels[LABEL_POD_NAMESPACE]}/${labels[LABEL_POD_NAME]} ${name}`
  ).toSorted();
}

/** Stops a sandbox behind the agent's back, as a reboot or a careless operator does. */
export async function stopSandbox(
  runtime: TestRuntime,
  sandboxId: string,
): Promise<void> {
  await withCri(runtime, (cri) => cri.stopPodSandbox(sandboxId));
}

async function withCri<T>(
  runtime: TestRuntime,
  work: (cri: RuntimeService) => Promise<T>,
): Promise<T> {
  await using connection = connectCri({ endpoint: runtime.rig.socketPath }, {
    clock: systemClock,
    log: silentLogger,
    metrics: new MetricsRegistry(),
  });
  await connection.ready(AbortSignal.timeout(PATIENCE_MS));
  return await work(connection.runtime);
}
