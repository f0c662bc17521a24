/**
 * An agent in its own process whose disk has become read-only.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { systemClock } from "../../../mod/base/mod.ts";
import { AgentProcess } from "../../../scripts/lib/agent_process.ts";
import { FakeCri } from "../../support/fake_cri/fake_cri.ts";
import { canMountMemory, MemoryDisk } from "../../support/e2e/memory_disk.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import { runningContainers } from "../../../scripts/lib/pod_views.ts";

const IMAGE = "localhost/busybox:1.35";

function pod(name: string): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { containers: [{ name: "c", image: IMAGE }] },
  };
}

Deno.test(
  "runAgent() starts on a root directory that became read-only, keeps what runs, and says it",
  {
    ignore: !await canMountMemory(),
  },
  async () => {
    await using stack = new AsyncDisposableStack();
    const { agent, disk, fake, ...world } = await agentOnDisk(stack);
    await agent.apply("old.json", pod("old"));
    await agent.start();
    await agent.until("old runs", (pods) => runningContainers(pods[0]) === 1);
    await agent.terminate();
    const before = [...fake.containers.keys()];

    await disk.remount("ro");
    await agent.start();
    await agent.until(
      "old is adopted",
      (pods) => runningContainers(pods[0]) === 1,
    );
    deepStrictEqual([...fake.containers.keys()], before);
    strictEqual(before.length, 1);
    await agent.untilAnswer(
      "/healthz",
      /\[-\]disk failed: Cannot write ".*skerry\.lock": the disk is read-only/,
    );
    match(await agent.logTail(), /root_directory_not_writable/);

    const second = stack.use(
      await AgentProcess.create({
        ...world,
        runDir: `${world.directory}/run2`,
      }),
    );
    await second.start();
    strictEqual(await second.exitCode(), 1);

    // What runs is looked after as ever; what is new needs a directory, and waits.
    fake.exitContainer(before[0] ?? "", 1);
    await agent.until(
      "old is started again",
      (pods) =>
        pods.some(({ status }) =>
          status?.containerStatuses?.[0]?.restartCount === 1 &&
          status.containerStatuses[0].state?.running !== undefined
        ),
    );
    await agent.apply("new.json", pod("new"));
    await agent.untilAnswer("/api/v1/events", /FailedMakePodDataDirectories/);

    await disk.remount("rw");
    await agent.untilAnswer("/healthz", /^ok$/);
    await agent.until(
      "new runs",
      (pods) =>
        pods.filter((each) => runningContainers(each) === 1).length === 2,
    );
    strictEqual(await agent.terminate(), 0);
  },
);

Deno.test(
  "runAgent() starts on a read-only disk on which it never ran, and says what it lacks before all else",
  {
    ignore: !await canMountMemory(),
  },
  async () => {
    await using stack = new AsyncDisposableStack();
    const { agent: _, disk, fake: __, ...world } = await agentOnDisk(stack);
    const agent = stack.use(await AgentProcess.create(world));
    await disk.remount("ro");
    await agent.start();
    await waitUntil(
      "the agent says what it lacks",
      async () =>
        /run_directory_missing[^]*pid_file_missing[^]*root_directory_not_writable[^]*agent_started/
          .test(await agent.logTail(1_000)),
      { saw: () => agent.logTail() },
    );
    strictEqual(await agent.terminate(), 0);
  },
);

/** An agent that does not run yet, with a root directory on a disk of its own. */
async function agentOnDisk(stack: AsyncDisposableStack) {
  const directory = await Deno.makeTempDir({ prefix: "skerry-ro-" });
  stack.defer(() => Deno.remove(directory, { recursive: true }));
  const runtimeSocket = `${directory}/cri.sock`;
  const fake = stack.use(
    await FakeCri.start({ socketPath: runtimeSocket, clock: systemClock }),
  );
  fake.addImage({ ref: IMAGE });
  const world = { directory, runtimeSocket, podNetwork: "10.88.0.0/16" };
  const agent = stack.use(
    await AgentProcess.create({ ...world, runDir: `${directory}/run` }),
  );
  const disk = stack.use(await MemoryDisk.mount(agent.rootDir));
  return { agent, disk, fake, ...world };
}
