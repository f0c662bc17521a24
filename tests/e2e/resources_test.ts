/**
 * Resources as the kernel shows them: cgroup files by class, limits of whole pods,
 * and changes without a restart.
 *
 * @module
 */

import { match, ok, strictEqual } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { HostView } from "../support/e2e/host_view.ts";
import { containerOf, idOf, untilPodRuns } from "../support/e2e/inside.ts";
import { type PodDraft, podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find } from "../../scripts/lib/pod_views.ts";
import { waitUntil } from "../../scripts/lib/wait_until.ts";
import { type TestRuntime, withRuntime } from "../support/e2e/with_runtime.ts";

const SLEEP = ["sleep", "100000"];
const CGROUPS = "/sys/fs/cgroup";

interface Row {
  readonly name: string;
  /** Below `kubepods`, with a slash behind it. */
  readonly parent: string;
  readonly resources: Readonly<
    Record<string, Readonly<Record<string, string>>>
  >;
  readonly container: Readonly<Record<string, string>>;
  readonly pod: Readonly<Record<string, string>>;
}

const UNLIMITED_MEMORY = "9223372036854771712";

const ROWS: readonly Row[] = [
  {
    name: "guaranteed",
    parent: "",
    resources: { limits: { cpu: "250m", memory: "48Mi" } },
    container: {
      "cpu/cpu.shares": "256",
      "cpu/cpu.cfs_quota_us": "25000",
      "cpu/cpu.cfs_period_us": "100000",
      "memory/memory.limit_in_bytes": String(48 << 20),
    },
    pod: {
      "cpu/cpu.shares": "256",
      "cpu/cpu.cfs_quota_us": "25000",
      "memory/memory.limit_in_bytes": String(48 << 20),
      "pids/pids.max": "77",
    },
  },
  {
    name: "burstable",
    parent: "burstable/",
    resources: {
      requests: { cpu: "1m", memory: "16Mi" },
      limits: { memory: "64Mi" },
    },
    container: {
      "cpu/cpu.shares": "2",
      "cpu/cpu.cfs_quota_us": "-1",
      "memory/memory.limit_in_bytes": String(64 << 20),
    },
    pod: {
      "cpu/cpu.shares": "2",
      "cpu/cpu.cfs_quota_us": "-1",
      "memory/memory.limit_in_bytes": String(64 << 20),
      "pids/pids.max": "77",
    },
  },
  {
    name: "besteffort",
    parent: "besteffort/",
    resources: {},
    container: {
      "cpu/cpu.shares": "2",
      "cpu/cpu.cfs_quota_us": "-1",
      "memory/memory.limit_in_bytes": UNLIMITED_MEMORY,
    },
    pod: {
      "cpu/cpu.shares": "2",
      "memory/memory.limit_in_bytes": UNLIMITED_MEMORY,
      "pids/pids.max": "77",
    },
  },
];

/** The files of version 1 are what these tests read; version 2 is in table tests. */
const HAS_VERSION_1 = await Deno.stat(`${CGROUPS}/memory`)
  .then(() => true, () => false);

withRuntime("resources", (test) => {
  test("RT-31 containers are limited below the cgroup of their class", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    for (const row of ROWS) {
      await agent.apply(`${row.name}.json`, manifest(row));
    }
    for (const row of ROWS) {
      const pod = await untilPodRuns(agent, row.name);
      const { uid } = pod.metadata;
      const path = `${row.parent}pod${uid}/${idOf(pod, "main")}`;
      for (const [file, value] of Object.entries(row.container)) {
        strictEqual(
          await cgroupFile(path, file),
          value,
          `${row.name} ${file}`,
        );
      }
    }
  });

  test("RT-31 with a host view pods are limited as a whole, and their cgroups go with them", async (runtime) => {
    await using view = await HostView.make();
    await using agent = await startLimited(runtime, view);
    for (const row of ROWS) {
      await agent.apply(`${row.name}.json`, manifest(row));
    }
    const paths: string[] = [];
    for (const row of ROWS) {
      const pod = await untilPodRuns(agent, row.name);
      const path = `${row.parent}pod${pod.metadata.uid}`;
      paths.push(path);
      for (const [file, value] of Object.entries(row.pod)) {
        strictEqual(
          await cgroupFile(path, file),
          value,
          `${row.name} ${file}`,
        );
      }
    }
    for (const row of ROWS) await agent.removeManifest(`${row.name}.json`);
    for (const path of paths) await untilNoCgroup(path);
  });

  test("RT-31 the cgroup of a pod that completed is removed", async (runtime) => {
    await using view = await HostView.make();
    await using agent = await startLimited(runtime, view);
    await agent.apply(
      "done.json",
      podManifest("done", {
        restartPolicy: "Never",
        containers: [{ name: "main", command: ["true"] }],
      }),
    );
    const pods = await agent.until(
      "done succeeded",
      (pods) => find(pods, "done")?.status?.phase === "Succeeded",
    );
    const uid = find(pods, "done")?.metadata.uid;
    ok(uid);
    await untilNoCgroup(`besteffort/pod${uid}`);
  });

  test("RT-32 a memory limit beyond 2^53 reaches the runtime exactly", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const limits = { memory: "9007199254740993" };
    await agent.apply(
      "huge.json",
      podManifest("huge", {
        containers: [{
          name: "main",
          command: SLEEP,
          resources: { limits, requests: { memory: "1Mi" } },
        }],
      }),
    );
    const pod = await untilPodRuns(agent, "huge");
    const { text } = await runtime.rig.tools.ctr([
      "containers",
      "info",
      "--spec",
      idOf(pod, "main"),
    ]);
    match(text, /"limit": 9007199254740993\b/);
  });

  test("a pod with a UID of its own is resized without a restart", async (runtime) => {
    await using view = await HostView.make();
    await using agent = await startLimited(runtime, view);
    const apply = (cpu: string, memory: string) =>
      agent.apply("grow.json", fixed("grow", { cpu, memory }));
    const read = (file: string, id: string) =>
      cgroupFile(`podfixed-grow/${id}`, file);
    await apply("100m", "32Mi");
    const id = idOf(await untilPodRuns(agent, "grow"), "main");

    await apply("400m", "64Mi");
    await untilEqual(
      () => read("memory/memory.limit_in_bytes", id),
      String(64 << 20),
    );
    await untilEqual(() => read("cpu/cpu.cfs_quota_us", id), "40000");
    strictEqual(await read("cpu/cpu.shares", id), "409");
    strictEqual(
      await read("memory/memory.limit_in_bytes", ""),
      String(64 << 20),
    );
    strictEqual(await read("cpu/cpu.cfs_quota_us", ""), "40000");

    // One grows while the other shrinks: the kernel wants the pod's to be the wider.
    for (
      const [cpu, memory] of [["100m", "96Mi"], ["400m", "64Mi"]] as const
    ) {
      await apply(cpu, memory);
      const bytes = String(parseInt(memory) << 20);
      const quota = String(parseInt(cpu) * 100);
      for (const below of [id, ""]) {
        await untilEqual(() => read("cpu/cpu.cfs_quota_us", below), quota);
        await untilEqual(
          () => read("memory/memory.limit_in_bytes", below),
          bytes,
        );
      }
    }

    // What another agent started is known to the next one.
    await agent.kill();
    await apply("200m", "48Mi");
    await agent.start();
    await untilEqual(() => read("cpu/cpu.cfs_quota_us", ""), "20000");
    await untilEqual(() => read("cpu/cpu.cfs_quota_us", id), "20000");
    strictEqual(
      await read("memory/memory.limit_in_bytes", id),
      String(48 << 20),
    );
    const after = await untilPodRuns(agent, "grow");
    strictEqual(idOf(after, "main"), id);
    strictEqual(containerOf(after, "main")?.restartCount, 0);
    await agent.until(
      "the status without a resize",
      (pods) =>
        conditions(find(pods, "grow")).every((type) => !/Resize/.test(type)),
    );
    await agent.removeManifest("grow.json");
    await untilNoCgroup("podfixed-grow");
  });

  test("resizePolicy RestartContainer restarts, another class replaces the sandbox", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const resizePolicy = [
      { resourceName: "memory", restartPolicy: "RestartContainer" },
    ];
    await agent.apply(
      "swap.json",
      fixed("swap", { cpu: "100m", memory: "32Mi" }, { resizePolicy }),
    );
    const id = idOf(await untilPodRuns(agent, "swap"), "main");
    await agent.apply(
      "swap.json",
      fixed("swap", { cpu: "100m", memory: "40Mi" }, { resizePolicy }),
    );
    const restarted = find(
      await agent.until(
        "a restart",
        (pods) =>
          containerOf(find(pods, "swap"), "main")?.restartCount === 1 &&
          idOf(find(pods, "swap"), "main") !== id,
      ),
      "swap",
    );
    const second = idOf(restarted, "main");
    await untilEqual(
      () =>
        cgroupFile(`podfixed-swap/${second}`, "memory/memory.limit_in_bytes"),
      String(40 << 20),
    );
    await agent.apply("swap.json", fixed("swap", undefined));
    await agent.until(
      "another class",
      (pods) =>
        find(pods, "swap")?.status?.qosClass === "BestEffort" &&
        ![id, second, ""].includes(idOf(find(pods, "swap"), "main")),
    );
    const third = idOf(await untilPodRuns(agent, "swap"), "main");
    ok(
      await cgroupFile(`besteffort/podfixed-swap/${third}`, "cpu/cpu.shares"),
    );
  });
}, {
  skip: HAS_VERSION_1 ? undefined : "the machine has no cgroups of version 1",
});

/** Starts an agent that sees the cgroups and allows 77 processes a pod. */
async function startLimited(
  runtime: TestRuntime,
  view: HostView,
): Promise<AgentProcess> {
  const file = `${runtime.rig.directory}/agent-config.yaml`;
  await Deno.writeTextFile(
    file,
    `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\npodPidsLimit: 77\n`,
  );
  return await AgentProcess.start({
    ...runtime.agentOptions(),
    args: [`--host-view=${view.directory}`, `--config=${file}`],
  });
}

function manifest(row: Row): Record<string, unknown> {
  return podManifest(row.name, {
    containers: [{ name: "main", command: SLEEP, resources: row.resources }],
  });
}

/** A pod of one container whose UID is `fixed-<name>`. */
function fixed(
  name: string,
  limits: Readonly<Record<string, string>> | undefined,
  further: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const draft: PodDraft = {
    containers: [{
      name: "main",
      command: SLEEP,
      ...(limits === undefined ? {} : { resources: { limits } }),
      ...further,
    }],
  };
  return {
    ...podManifest(name, draft),
    metadata: { name, uid: `fixed-${name}` },
  };
}

function conditions(pod: Pod | undefined): readonly string[] {
  return (pod?.status?.conditions ?? []).map(({ type }) => type);
}

/** A file of version 1, given as `controller/file`, without its end of line. */
async function cgroupFile(path: string, file: string): Promise<string> {
  const [controller, name] = file.split("/");
  const at = `${CGROUPS}/${controller}/kubepods/${path}/${name}`;
  return (await Deno.readTextFile(at)).trim();
}

async function untilEqual(
  read: () => Promise<string>,
  wanted: string,
): Promise<void> {
  let seen = "";
  await waitUntil(`"${wanted}"`, async () => {
    seen = await read();
    return seen === wanted;
  }, { saw: () => seen });
}

/** Waits until no controller has the cgroup any more. */
async function untilNoCgroup(path: string): Promise<void> {
  await untilEqual(async () => {
    const left: string[] = [];
    for await (const { name, isDirectory } of Deno.readDir(CGROUPS)) {
      const at = `${CGROUPS}/${name}/kubepods/${path}`;
      const found = isDirectory && await Deno.stat(at).catch(() => undefined);
      if (found) left.push(at);
    }
    return left.join(" ");
  }, "");
}
