/**
 * What is of no use any more, on a real runtime: dead containers and images; and a disk on
 * which nothing is written while nothing happens.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { busyboxRecipe } from "../../scripts/lib/oci_image.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find, runningContainers } from "../../scripts/lib/pod_views.ts";
import { firstExisting } from "../../scripts/lib/runtime_tools.ts";
import { pause, waitUntil } from "../../scripts/lib/wait_until.ts";
import { idOf, untilPodRuns } from "../support/e2e/inside.ts";
import { cronJobManifest } from "../support/e2e/jobs.ts";
import { storeSet } from "../support/e2e/store_set.ts";
import { webDeployment } from "../support/e2e/web_deployment.ts";
import { type TestRuntime, withRuntime } from "../support/e2e/with_runtime.ts";
import { countChanges, filesBelow } from "../support/files_below.ts";

/** After the last move all that is written later has been. */
const SETTLED_MS = 20_000;

const IDLE_MS = 45_000;

/** That had anything to look at: those of Deployments, ReplicaSets, StatefulSets, CronJobs. */
const CONTROLLERS = 4;

withRuntime("collection", (test) => {
  test("ten pods, ten Deployments, a StatefulSet and a CronJob that are idle cost no look and no write: none below state, run and log directories, none of the process (I5)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    for (let at = 0; at < 10; at++) {
      await agent.apply(`pod${at}.json`, sleeper(`pod${at}`));
      const name = `web${at}`;
      await agent.apply(`${name}.json`, webDeployment("one", 1, { name }));
    }
    await agent.apply("store.json", storeSet(1, "one"));
    // It is due on a day that comes in four years.
    const rare = { schedule: "0 0 29 2 *", command: ["true"] };
    await agent.apply("rare.json", cronJobManifest("rare", rare));
    await agent.until(
      "all that runs",
      (pods) =>
        pods.filter((pod) => runningContainers(pod) === 1).length === 21,
    );
    await pause(SETTLED_MS);
    const looks = await looksOf(agent);
    strictEqual(looks.size, CONTROLLERS);
    const before = await written(agent);
    ok(before.files.size > 200, `${before.files.size}`);
    await pause(IDLE_MS);
    const after = await written(agent);
    strictEqual(countChanges(before.files, after.files), 0);
    strictEqual(after.bytes - before.bytes, 0);
    // Each minute a CronJob is looked at, since a clock that is set tells nobody.
    const more = await looksOf(agent);
    const cron = "cronjob-controller";
    const asked = (more.get(cron) ?? NaN) - (looks.get(cron) ?? NaN);
    ok(asked <= 2, `${asked}`);
    deepStrictEqual(
      new Map([...more, [cron, 0]]),
      new Map([...looks, [cron, 0]]),
    );
  });

  test("dead containers stay as many as they may (GC-01)", async (runtime) => {
    await using agent = await startAgent(runtime, [
      "crashLoopBackOff: {maxContainerRestartPeriod: 1s}",
    ], ["--maximum-dead-containers-per-container=2"]);
    await agent.apply(
      "crash.json",
      podManifest("crash", {
        containers: [{ name: "main", command: ["false"] }],
      }),
    );
    const pods = await agent.until(
      "five restarts",
      (pods) =>
        (find(pods, "crash")?.status?.containerStatuses?.[0]?.restartCount ??
          0) >= 5,
    );
    const uid = find(pods, "crash")?.metadata.uid ?? "";
    let left = 0;
    // One may be made at the moment, or has ended and is counted in a moment.
    await waitUntil("three containers at most", async () => {
      left = (await containersOf(runtime, uid)).length;
      return left <= 3;
    }, { saw: () => left });
    ok(left >= 2, `${left}`);
  });

  test("a full disk costs images that nothing uses, and under hard pressure those of other manifests (GC-05)", async (runtime) => {
    const [free, named] = ["localhost/free:1", "localhost/named:1"];
    for (const ref of [free, named]) {
      const made = await busyboxRecipe({
        ref,
        busyboxPath: await firstExisting(["/bin/busybox", "/usr/bin/busybox"]),
      });
      const bytes = new TextEncoder().encode(ref);
      const file = {
        kind: "file",
        path: "etc/name",
        mode: 0o644,
        bytes,
      } as const;
      await runtime.rig.tools.importImage({
        ...made,
        layer: [...made.layer, file],
      });
    }
    const before = await images(runtime);
    const soft = [
      "evictionHard: {memory.available: 1Mi}",
      'evictionSoft: {nodefs.available: "99.9%"}',
      "evictionSoftGracePeriod: {nodefs.available: 1s}",
    ];
    const critical = { priority: 2_000_001_000 };
    await using agent = await startAgent(runtime, soft);
    await agent.apply("used.json", sleeper("used", critical));
    await agent.apply(
      "till.json",
      sleeper("till", {
        nodeSelector: { none: "such" },
        containers: [{ name: "main", image: named }],
      }),
    );
    const used = await untilPodRuns(agent, "used");
    await untilImages(runtime, before.filter((name) => name !== free));
    await agent.untilAnswer("/api/v1/events", /"ImagesRemoved"/);

    await agent.terminate();
    await writeConfig(agent.directory, [
      'evictionHard: {nodefs.available: "99.9%"}',
    ]);
    await agent.start();
    await untilImages(
      runtime,
      before.filter((name) => name !== free && name !== named),
    );
    const after = await untilPodRuns(agent, "used");
    strictEqual(idOf(after, "main"), idOf(used, "main"));
  });
});

function sleeper(
  name: string,
  spec: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return podManifest(name, {
    containers: [{ name: "main", command: ["sleep", "100000"] }],
    ...spec,
  });
}

async function writeConfig(
  directory: string,
  lines: readonly string[],
): Promise<string> {
  const path = `${directory}/config.yaml`;
  const text = [
    "apiVersion: kubelet.config.k8s.io/v1beta1",
    "kind: KubeletConfiguration",
    ...lines,
  ].join("\n");
  await Deno.writeTextFile(path, text);
  return path;
}

async function startAgent(
  runtime: TestRuntime,
  kubelet: readonly string[],
  args: readonly string[] = [],
): Promise<AgentProcess> {
  const directory = await Deno.makeTempDir({ prefix: "skerry-agent-" });
  const config = await writeConfig(directory, kubelet);
  return await AgentProcess.start({
    ...runtime.agentOptions(),
    directory,
    args: [`--config=${config}`, ...args],
  });
}

/** What shows every write: the files, and the bytes that the process had written to disks. */
async function written(
  agent: AgentProcess,
): Promise<{ files: ReadonlyMap<string, string>; bytes: number }> {
  const files = new Map<string, string>();
  for (const path of [agent.rootDir, agent.runDir, agent.podLogsDir]) {
    for (const [name, what] of await filesBelow(path)) files.set(name, what);
  }
  const io = await Deno.readTextFile(`/proc/${agent.pid}/io`);
  return { files, bytes: Number(/^write_bytes: (\d+)$/m.exec(io)?.[1]) };
}

/** How often each controller was asked to look at something. */
async function looksOf(
  agent: AgentProcess,
): Promise<ReadonlyMap<string, number>> {
  const { text } = await agent.get("/metrics");
  const found = text.matchAll(
    /^skerry_workqueue_adds_total\{name="([^"]+)"\} (\d+)$/gm,
  );
  return new Map(
    [...found].map(([, name = "", count]) => [name, Number(count)]),
  );
}

/** The containers of a pod, without its sandbox. */
async function containersOf(
  runtime: TestRuntime,
  uid: string,
): Promise<readonly string[]> {
  const { text } = await runtime.rig.tools.ctr([
    "containers",
    "ls",
    `labels."io.kubernetes.pod.uid"==${uid},labels."io.kubernetes.container.name"==main`,
    "-q",
  ]);
  return text.trim().split("\n").filter((line) => line !== "");
}

/** The tags of all images, in order. */
async function images(runtime: TestRuntime): Promise<readonly string[]> {
  const { text } = await runtime.rig.tools.ctr(["images", "ls", "-q"]);
  return text.trim().split("\n").filter((name) => name.startsWith("localhost/"))
    .filter((name) => !name.includes("@")).sort();
}

async function untilImages(
  runtime: TestRuntime,
  wanted: readonly string[],
): Promise<void> {
  let left: readonly string[] = [];
  await waitUntil(`the images ${wanted.join(", ")}`, async () => {
    left = await images(runtime);
    return left.join() === wanted.join();
  }, { saw: () => left.join(", ") });
  deepStrictEqual(left, wanted);
}
