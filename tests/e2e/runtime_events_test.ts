/**
 * What containerd tells by itself, on each version there is.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { MetricsRegistry, silentLogger } from "../../mod/base/telemetry/mod.ts";
import { systemClock } from "../../mod/base/mod.ts";
import { connectCri, type CriConnection } from "../../mod/cri/mod.ts";
import type { ContainerEvent } from "../../mod/cri/events/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { containerOf, idOf, untilPodRuns } from "../support/e2e/inside.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find, runningContainers } from "../../scripts/lib/pod_views.ts";
import { PATIENCE_MS, waitUntil } from "../../scripts/lib/wait_until.ts";
import { BUSYBOX_IMAGE } from "../../scripts/lib/containerd_rig.ts";
import {
  containerdVersions,
  withRuntime,
} from "../support/e2e/with_runtime.ts";

for (const { name, options } of await containerdVersions()) {
  withRuntime(`events of ${name}`, (test) => {
    test("a container that is killed is told of, and all else that moves", async ({ rig }) => {
      await using told = await listen(rig.socketPath);
      const { sandboxId, containerId } = await run(told.cri, "dies");
      await told.until("started", containerId);
      await rig.tools.killContainer(containerId);
      await told.until("stopped", containerId);
      await ended(told.cri, containerId);
      await told.cri.runtime.removeContainer(containerId);
      await told.until("deleted", containerId);
      await told.cri.runtime.removePodSandbox(sandboxId);
      await told.until("deleted", sandboxId);
      deepStrictEqual(
        new Set(told.of(containerId)),
        new Set(["created", "started", "stopped", "deleted"]),
      );
      ok(told.of(sandboxId).includes("started"));
      ok(told.of(sandboxId).includes("stopped"));
    });

    test("a command that ends in a container is no end of the container", async ({ rig }) => {
      await using told = await listen(rig.socketPath);
      const { containerId } = await run(told.cri, "probed");
      await told.cri.runtime.execSync(containerId, ["true"]);
      // What is told later of the container shows that nothing was told of the command.
      await rig.tools.killContainer(containerId);
      await told.until("stopped", containerId);
      const [at = 0n] = told.times(containerId, "stopped");
      const killed = await ended(told.cri, containerId);
      ok(at >= killed, `told at ${at}, killed at ${killed}`);
    });

    test("an end is known to the nanosecond before the CRI shows it, and to stop or remove the dead does no harm", async ({ rig }) => {
      await using told = await listen(rig.socketPath);
      const { runtime } = told.cri;
      for (const calls of [["stop"], ["remove"], ["stop", "remove"], []]) {
        const { containerId } = await run(told.cri, `ends-${calls.join("-")}`);
        await told.until("started", containerId);
        await rig.tools.killContainer(containerId);
        await told.until("stopped", containerId);
        const exit = await told.cri.containerExit(containerId);
        // On a busy machine the CRI may be the first; then nothing is left to ask about.
        if (exit !== undefined) {
          deepStrictEqual(exit, told.exit(containerId));
          strictEqual(exit.exitCode, 137);
        }
        for (const call of calls) {
          const make = () =>
            call === "stop"
              ? runtime.stopContainer(containerId, 0)
              : runtime.removeContainer(containerId);
          // At that very instant containerd may fail ("ttrpc: closed"); that is all.
          await make().catch(() => ended(told.cri, containerId).then(make));
        }
        if (calls.includes("remove")) {
          await rejects(runtime.containerStatus(containerId), {
            kind: "not_found",
          });
          continue;
        }
        const finishedAt = await ended(told.cri, containerId);
        const { exitCode } = await runtime.containerStatus(containerId);
        strictEqual(exitCode, 137);
        if (exit !== undefined) strictEqual(finishedAt, exit.finishedAt);
      }
    });

    test("a container whose process is killed runs again at once, and its status says how it ended (PL-01)", async (runtime) => {
      await using agent = await AgentProcess.start(runtime.agentOptions());
      await agent.apply(
        "dies.json",
        podManifest("dies", {
          containers: [{ name: "main", command: ["sleep", "100000"] }],
        }),
      );
      const before = await untilPodRuns(agent, "dies");
      const id = idOf(before, "main");
      await runtime.rig.tools.killContainer(id);
      const pods = await agent.until("restarted", (pods) => {
        const pod = find(pods, "dies");
        const { restartCount, lastState } = containerOf(pod, "main") ?? {};
        return runningContainers(pod) === 1 && restartCount === 1 &&
          lastState?.terminated !== undefined;
      });
      const { terminated } = containerOf(find(pods, "dies"), "main")
        ?.lastState ?? {};
      strictEqual(terminated?.exitCode, 137);
      strictEqual(terminated?.containerID, `containerd://${id}`);
      await agent.terminate();
    });

    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      test(`the stream breaks as unavailable at ${signal} of the runtime, and a new one tells on (RT-12)`, async ({ rig }) => {
        await using told = await listen(rig.socketPath);
        const { containerId } = await run(told.cri, "survivor");
        await told.until("started", containerId);
        await rig.killRuntime(signal);
        await rejects(told.over, { kind: "unavailable" });
        await rig.startRuntime();
        await using again = await listen(rig.socketPath);
        await rig.tools.killContainer(containerId);
        await again.until("stopped", containerId);
      });
    }
  }, options);
}

interface Told extends AsyncDisposable {
  readonly cri: CriConnection;
  /** Settles when the stream has ended, and how. */
  readonly over: Promise<void>;
  /** Waits for a move, in vain when the stream ends before. */
  until(what: ContainerEvent["what"], id: string): Promise<void>;
  of(id: string): readonly ContainerEvent["what"][];
  times(id: string, what: ContainerEvent["what"]): readonly bigint[];
  /** How a container ended, as it was told. */
  exit(id: string): ContainerEvent["exit"];
}

async function listen(socketPath: string): Promise<Told> {
  const cri = connectCri({ endpoint: socketPath }, {
    clock: systemClock,
    log: silentLogger,
    metrics: new MetricsRegistry(),
  });
  const stop = new AbortController();
  const moves: ContainerEvent[] = [];
  const connected = Promise.withResolvers<void>();
  let moved = Promise.withResolvers<void>();
  await cri.ready(AbortSignal.timeout(PATIENCE_MS));
  const over = (async () => {
    for await (const event of cri.events(stop.signal)) {
      if (event.kind === "connected") {
        connected.resolve();
        continue;
      }
      if (event.kind === "moved") moves.push(event);
      moved.resolve();
      moved = Promise.withResolvers();
    }
  })();
  // Whoever waits for something else is not to hear of it as an unhandled failure.
  over.catch((error) => connected.reject(error));
  await connected.promise;
  const times: Told["times"] = (id, what) =>
    moves.filter((move) => move.containerId === id && move.what === what)
      .map(({ at }) => at);
  return {
    cri,
    over,
    times,
    exit: (id) =>
      moves.find(({ containerId, exit }) =>
        containerId === id && exit !== undefined
      )?.exit,
    of: (id) =>
      moves.filter(({ containerId }) => containerId === id)
        .map(({ what }) => what),
    until: async (what, id) => {
      const limit = AbortSignal.timeout(PATIENCE_MS);
      const late = new Promise<never>((_, reject) =>
        limit.addEventListener("abort", () => reject(limit.reason))
      );
      while (times(id, what).length === 0) {
        await Promise.race([moved.promise, over, late]);
      }
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await over.catch(() => {});
      await cri[Symbol.asyncDispose]();
    },
  };
}

async function run(
  { runtime }: CriConnection,
  name: string,
): Promise<{ readonly sandboxId: string; readonly containerId: string }> {
  const config = {
    metadata: { name, uid: `uid-${name}`, namespace: "default", attempt: 0 },
    labels: {},
    annotations: {},
  };
  const sandboxId = await runtime.runPodSandbox(config);
  const containerId = await runtime.createContainer({
    sandboxId,
    sandboxConfig: config,
    config: {
      metadata: { name: "main", attempt: 0 },
      image: { image: BUSYBOX_IMAGE },
      command: ["sleep", "100000"],
      labels: {},
      annotations: {},
    },
  });
  await runtime.startContainer(containerId);
  return { sandboxId, containerId };
}

/** When a container ended, by the CRI: nanoseconds since the epoch. */
async function ended(
  { runtime }: CriConnection,
  id: string,
): Promise<bigint> {
  let at = 0n;
  await waitUntil(`the end of container "${id}"`, async () => {
    const { state, finishedAt } = await runtime.containerStatus(id);
    at = finishedAt;
    return state === "exited";
  }, { everyMs: 20 });
  return at;
}
