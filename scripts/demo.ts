/**
 * Shows skerry at work on real containers, from nothing to clean again.
 *
 * Starts a private containerd and the agent under its locked permissions, lets
 * it run the manifests of `examples/`, and does to them what an operator or bad
 * luck would do. Exits 0 only if everything that it announces was seen.
 *
 * `--runtime-endpoint unix:///run/containerd/containerd.sock` uses a runtime that is
 * there already instead (with `--pod-network` of its CNI configuration).
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a command-line script whose purpose is to show things

import { parseArgs } from "node:util";
import type { Pod } from "../mod/api/types/mod.ts";
import { AgentProcess } from "./lib/agent_process.ts";
import { BUSYBOX_IMAGE, ContainerdRig } from "./lib/containerd_rig.ts";
import { RuntimeTools } from "./lib/runtime_tools.ts";
import { installDependencies } from "./install_dependencies.ts";
import { runSkerry } from "./lib/run_skerry.ts";
import { waitUntil } from "./lib/wait_until.ts";

const STEPS = [
  "the pods settle: web runs, crash backs off, job completes",
  "a container is killed and comes back",
  "a manifest is edited and its pod replaced",
  "a broken edit is refused and its pod runs on",
  "a manifest is removed and its pod is gone",
  "a container's log is read",
  "a Deployment has its pods, a Job is done, a StatefulSet has two databases",
  "the Deployment is scaled",
  "a CronJob has run",
] as const;

/** Manifests of single pods, and of what makes pods. */
const POD_EXAMPLES = ["web", "crash", "job"];
const WORKLOAD_EXAMPLES = ["shop", "sums", "store", "clock"];

if (import.meta.main) Deno.exit(await demo(Deno.args));

async function demo(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      "runtime-endpoint": { type: "string" },
      "pod-network": { type: "string", default: "10.0.0.0/8" },
    },
  });
  await installDependencies();
  const endpoint = values["runtime-endpoint"];
  if (endpoint !== undefined) {
    const tools = new RuntimeTools(endpoint.replace(/^unix:\/\//, ""));
    await tools.importBusybox(BUSYBOX_IMAGE);
    return await show(tools, values["pod-network"]);
  }
  say("Starting a private containerd");
  await using rig = await ContainerdRig.start({
    progress: (step) => say(`  ${step}`),
  });
  return await show(rig.tools, rig.podNetwork);
}

async function show(tools: RuntimeTools, podNetwork: string): Promise<number> {
  say(
    "Starting the agent under its locked permission set, with examples/ as manifests",
  );
  await using agent = await AgentProcess.create({
    runtimeSocket: tools.socketPath,
    podNetwork,
  });
  await copyExamples(agent, POD_EXAMPLES);
  await agent.start();
  const seen = new Set<string>();
  try {
    await settle(agent, seen);
    await killed(agent, { tools, seen });
    await edited(agent, seen);
    await broken(agent, seen);
    await removed(agent, seen);
    await logged(agent, seen);
    await worked(agent, seen);
    await scaled(agent, seen);
    await ticked(agent, seen);
  } catch (error) {
    say(`\n${error instanceof Error ? error.message : String(error)}`);
  }
  await clearAll(agent);
  say("\nWhat was seen:");
  for (const step of STEPS) say(`  ${seen.has(step) ? "yes" : "NO "}  ${step}`);
  return STEPS.every((step) => seen.has(step)) ? 0 : 1;
}

async function settle(agent: AgentProcess, seen: Set<string>): Promise<void> {
  heading("Waiting for the pods to settle");
  await watch(
    agent,
    "web running, crash backing off, job completed",
    (pods) =>
      running(find(pods, "web")) === 2 &&
      waitingReason(find(pods, "crash")) === "CrashLoopBackOff" &&
      find(pods, "job")?.status?.phase === "Succeeded",
  );
  seen.add(STEPS[0]);
}

async function killed(
  agent: AgentProcess,
  options: { tools: RuntimeTools; seen: Set<string> },
): Promise<void> {
  heading("Killing the container web/server");
  const before = container(find(await agent.pods() ?? [], "web"), "server");
  const id = before?.containerID?.replace(/^.*:\/\//, "") ?? "";
  await options.tools.killContainer(id);
  await watch(agent, "web/server running again", (pods) => {
    const now = container(find(pods, "web"), "server");
    return now?.state?.running !== undefined &&
      now.containerID !== before?.containerID &&
      now.restartCount > (before?.restartCount ?? 0);
  });
  options.seen.add(STEPS[1]);
}

async function edited(agent: AgentProcess, seen: Set<string>): Promise<void> {
  heading("Editing web.yaml: the writer greets from a new place");
  const before = find(await agent.pods() ?? [], "web")?.metadata.uid;
  await edit(agent, (text) => text.replace("writing for", "writing anew for"));
  await watch(agent, "a new web pod running", (pods) => {
    const all = pods.filter((pod) => pod.metadata.name.startsWith("web-"));
    return all.length === 1 && all[0]?.metadata.uid !== before &&
      running(all[0]) === 2;
  });
  seen.add(STEPS[2]);
}

async function broken(agent: AgentProcess, seen: Set<string>): Promise<void> {
  heading("Breaking web.yaml: a misspelt field");
  const before = find(await agent.pods() ?? [], "web")?.metadata.uid;
  await edit(
    agent,
    (text) => text.replace("  containers:\n", "  contaners:\n"),
  );
  await watch(agent, "web running on, its manifest refused", (pods) => {
    const pod = find(pods, "web");
    return pod?.metadata.uid === before && running(pod) === 2 &&
      (pod?.status?.conditions ?? []).some((condition) =>
        condition.reason === "InvalidManifest"
      );
  });
  await edit(
    agent,
    (text) => text.replace("  contaners:\n", "  containers:\n"),
  );
  seen.add(STEPS[3]);
}

async function removed(agent: AgentProcess, seen: Set<string>): Promise<void> {
  heading("Removing crash.yaml");
  await agent.removeManifest("crash.yaml");
  await watch(agent, "crash gone", (pods) => find(pods, "crash") === undefined);
  seen.add(STEPS[4]);
}

async function logged(agent: AgentProcess, seen: Set<string>): Promise<void> {
  heading("skerry logs job -c multiply");
  const { code, stdout } = await runSkerry([
    "logs",
    "job",
    "-c",
    "multiply",
    `--control-socket=${agent.socketPath}`,
  ]);
  say(stdout.trimEnd());
  if (code === 0 && stdout.includes("the answer is 42")) seen.add(STEPS[5]);
}

async function worked(agent: AgentProcess, seen: Set<string>): Promise<void> {
  heading(`Adding what makes pods: ${WORKLOAD_EXAMPLES.join(", ")}`);
  await copyExamples(agent, WORKLOAD_EXAMPLES);
  await watch(
    agent,
    "shop, store and sums at work",
    (pods) =>
      ready(pods, "shop") === 2 && ready(pods, "store") === 2 &&
      count(pods, "sums", "Succeeded") === 3,
  );
  seen.add(STEPS[6]);
}

async function scaled(agent: AgentProcess, seen: Set<string>): Promise<void> {
  heading("Editing shop.yaml: three replicas");
  const path = `${agent.manifestPath}/shop.yaml`;
  const text = await Deno.readTextFile(path);
  await agent.apply("shop.yaml", text.replace("replicas: 2", "replicas: 3"));
  await watch(agent, "three shops", (pods) => ready(pods, "shop") === 3);
  seen.add(STEPS[7]);
}

async function ticked(agent: AgentProcess, seen: Set<string>): Promise<void> {
  heading("Waiting for the next minute, when clock runs");
  await watch(
    agent,
    "a run of clock",
    (pods) => count(pods, "clock", "Succeeded") > 0,
  );
  seen.add(STEPS[8]);
}

async function copyExamples(
  agent: AgentProcess,
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    await Deno.copyFile(
      new URL(`../examples/${name}.yaml`, import.meta.url),
      `${agent.manifestPath}/${name}.yaml`,
    );
  }
}

/** How many pods of a workload are in a phase. */
function count(pods: readonly Pod[], owner: string, phase: string): number {
  return pods.filter(({ metadata, status }) =>
    metadata.name.startsWith(`${owner}-`) && status?.phase === phase
  ).length;
}

/** How many pods of a workload have all their containers running. */
function ready(pods: readonly Pod[], owner: string): number {
  return pods.filter((pod) =>
    pod.metadata.name.startsWith(`${owner}-`) && running(pod) === 1
  ).length;
}

/** Takes every manifest away, so that a runtime that is not ours is left as it was. */
async function clearAll(agent: AgentProcess): Promise<void> {
  heading("Cleaning up");
  for await (const entry of Deno.readDir(agent.manifestPath)) {
    await agent.removeManifest(entry.name);
  }
  await agent.until("no pod left", (pods) => pods.length === 0, 30_000)
    .catch((error) => say(String(error)));
}

async function edit(
  agent: AgentProcess,
  change: (text: string) => string,
): Promise<void> {
  const text = await Deno.readTextFile(`${agent.manifestPath}/web.yaml`);
  await agent.apply("web.yaml", change(text));
}

/** Prints the table of pods whenever it changes, until `condition` holds. */
async function watch(
  agent: AgentProcess,
  what: string,
  condition: (pods: readonly Pod[]) => boolean,
): Promise<void> {
  let shown = "";
  const table = async () => {
    const { code, stdout } = await runSkerry([
      "get",
      "pods",
      "-A",
      `--control-socket=${agent.socketPath}`,
    ]);
    // Ages change every second; only what happened is news.
    const key = stdout.replaceAll(/\S+\s*$/gm, "");
    if (code === 0 && key !== shown) say(`\n${stdout.trimEnd()}`);
    if (code === 0) shown = key;
  };
  await waitUntil(what, async () => {
    const pods = await agent.pods();
    await table();
    return pods !== undefined && condition(pods);
  }, { saw: () => agent.logTail() });
}

function find(pods: readonly Pod[], name: string): Pod | undefined {
  return pods.find((pod) => pod.metadata.name.startsWith(`${name}-`));
}

function container(pod: Pod | undefined, name: string) {
  return pod?.status?.containerStatuses?.find((status) => status.name === name);
}

function running(pod: Pod | undefined): number {
  return (pod?.status?.containerStatuses ?? [])
    .filter((status) => status.state?.running !== undefined).length;
}

function waitingReason(pod: Pod | undefined): string | undefined {
  return pod?.status?.containerStatuses?.[0]?.state?.waiting?.reason;
}

function heading(text: string): void {
  say(`\n== ${text}`);
}

function say(text: string): void {
  console.log(text);
}
