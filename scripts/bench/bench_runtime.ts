/**
 * What every measurement needs: a runtime, the bare calls to it, agents on it.
 *
 * @module
 */

import { MetricsRegistry, silentLogger } from "../../mod/base/telemetry/mod.ts";
import { systemClock } from "../../mod/base/mod.ts";
import { COMPILED_FLAGS } from "../lib/launch_flags.ts";
import { connectCri, type CriConnection } from "../../mod/cri/mod.ts";
import { type AgentOptions, AgentProcess } from "../lib/agent_process.ts";
import { pause } from "../lib/wait_until.ts";
import type { FakeCri } from "../../tests/support/fake_cri/fake_cri.ts";
import { podManifest } from "../lib/pod_manifest.ts";
import type { ContainerdRig } from "../lib/containerd_rig.ts";
import { type BareRequest, BareRequests } from "./bare_requests.ts";
import type { Report } from "./figures.ts";
import { removeLeftCgroups } from "./left_cgroups.ts";
import { type KubeletOptions, KubeletProcess } from "./kubelet_process.ts";

/** A wall clock with fractions: runtimes report nanoseconds since the epoch. */
export function wallMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Megabytes of a process that are in memory, shared ones included. */
export async function residentMb(pid: number): Promise<number> {
  const rollup = await Deno.readTextFile(`/proc/${pid}/smaps_rollup`);
  return Math.round(Number(/^Rss:\s+(\d+)/m.exec(rollup)?.[1]) / 1024);
}

/** CPU time that a process has used, in the kernel's ticks. */
export async function cpuTicks(pid: number): Promise<number> {
  const fields = (await Deno.readTextFile(`/proc/${pid}/stat`)).replace(
    /^.*\) /,
    "",
  ).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** A fake runtime with so many pods, in a process of its own, until it is disposed. */
export async function fakeRuntime(
  socketPath: string,
  pods: number,
): Promise<AsyncDisposable> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      new URL("fake_runtime.ts", import.meta.url).pathname,
      socketPath,
      String(pods),
    ],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const stdout = child.stdout.getReader();
  await stdout.read();
  return {
    [Symbol.asyncDispose]: async () => {
      await child.stdin.close();
      await stdout.cancel();
      await child.status;
    },
  };
}

const CALL_LIMIT_MS = 30_000;

/**
 * When a fake runtime was asked after the first `count` times, by the wall clock.
 *
 * @throws {Error} When it is not within 30 s.
 */
export async function callAfter(
  fake: FakeCri,
  method: string,
  count: number,
): Promise<number> {
  const until = performance.now() + CALL_LIMIT_MS;
  while (performance.now() < until) {
    const call = fake.callsOf(method)[count];
    if (call !== undefined) return call.atMs;
    await pause(1);
  }
  throw new Error(`Cannot see ${method} within ${CALL_LIMIT_MS} ms`);
}

/** What is measured beside skerry. */
export interface BenchOptions {
  /** The program of a kubelet. @default none is measured */
  readonly kubeletPath?: string | undefined;
  /** No more rounds than these. @default as many as each part wants */
  readonly mostRounds?: number | undefined;
}

/** One runtime to measure on. */
export class Bench implements AsyncDisposable {
  readonly rig: ContainerdRig;
  readonly cri: CriConnection;
  readonly #report: Report;
  readonly #bare: BareRequests;
  readonly #options: BenchOptions;

  private constructor(
    rig: ContainerdRig,
    parts: {
      readonly cri: CriConnection;
      readonly report: Report;
      readonly options: BenchOptions;
    },
  ) {
    this.rig = rig;
    this.cri = parts.cri;
    this.#report = parts.report;
    this.#options = parts.options;
    this.#bare = new BareRequests(`${rig.directory}/bare`);
  }

  static async open(
    rig: ContainerdRig,
    report: Report,
    options: BenchOptions = {},
  ): Promise<Bench> {
    const cri = connectCri({ endpoint: `unix://${rig.socketPath}` }, {
      clock: systemClock,
      log: silentLogger,
      metrics: new MetricsRegistry(),
    });
    await cri.ready(AbortSignal.timeout(10_000));
    return new Bench(rig, { cri, report, options });
  }

  /** Prints one figure beside what it is compared with. */
  report(what: string, figure: string, compared = ""): void {
    this.#report(what, figure, compared);
  }

  /** An agent as it is shipped: the bundle, under the locked flags, without code cache. */
  async agent(
    options: Pick<AgentOptions, "args" | "nodeName"> = {},
  ): Promise<AgentProcess> {
    return await AgentProcess.create({
      denoFlags: COMPILED_FLAGS,
      runtimeSocket: this.rig.socketPath,
      podNetwork: this.rig.podNetwork,
      ...options,
    });
  }

  /** Whether a kubelet is measured beside skerry. */
  get hasKubelet(): boolean {
    return this.#options.kubeletPath !== undefined;
  }

  /** How often something is measured that is usually measured so often. */
  rounds(usual: number): number {
    return Math.min(usual, this.#options.mostRounds ?? usual);
  }

  /**
   * A kubelet that does not run yet.
   *
   * @throws {Error} when none was named
   */
  async kubelet(
    join: Pick<KubeletOptions, "kubeconfigPath"> = {},
  ): Promise<KubeletProcess> {
    const { kubeletPath } = this.#options;
    if (kubeletPath === undefined) {
      throw new Error("Cannot start a kubelet: KUBELET names none");
    }
    return await KubeletProcess.create({
      path: kubeletPath,
      runtimeSocket: this.rig.socketPath,
      certDir: `${this.rig.directory}/kubelet-certs`,
      ...join,
    });
  }

  /**
   * RunPodSandbox, CreateContainer, StartContainer and nothing else, with the very
   * requests that the agent would send: what it adds is all that differs.
   */
  async barePod(): Promise<
    { sandboxId: string; containerId: string; request: BareRequest }
  > {
    const request = await this.#bare.next();
    const sandboxId = await this.cri.runtime.runPodSandbox(request.sandbox);
    const containerId = await this.cri.runtime.createContainer({
      sandboxId,
      sandboxConfig: request.sandbox,
      config: request.container,
    });
    await this.cri.runtime.startContainer(containerId);
    return { sandboxId, containerId, request };
  }

  /** When the container's process began, by the runtime. */
  async startedAtMs(containerId: string): Promise<number> {
    const status = await this.cri.runtime.containerStatus(containerId);
    return Number(status.startedAt / 1000n) / 1000;
  }

  /** Removes every pod of the runtime. */
  async clear(): Promise<void> {
    await this.rig.removeAllPods();
    if (this.hasKubelet) await removeLeftCgroups();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.clear();
    await this.cri[Symbol.asyncDispose]();
  }
}

/** A manifest of one sleeping container. */
export function sleeper(name: string): Record<string, unknown> {
  return podManifest(name, {
    containers: [{ name: "main", command: ["sleep", "100000"] }],
  });
}

/** The one container's id of a listed pod, without its scheme. */
export function containerIdOf(
  pod:
    | { status?: { containerStatuses?: readonly { containerID?: string }[] } }
    | undefined,
): string {
  return pod?.status?.containerStatuses?.[0]?.containerID?.replace(
    /^.*:\/\//,
    "",
  ) ?? "";
}
