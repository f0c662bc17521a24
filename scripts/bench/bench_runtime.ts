/**
 * What every measurement needs: a runtime, the bare calls to it, agents on it.
 *
 * @module
 */

import { MetricsRegistry, silentLogger } from "../../mod/base/telemetry/mod.ts";
import { systemClock } from "../../mod/base/mod.ts";
import { COMPILED_FLAGS } from "../lib/launch_flags.ts";
import { connectCri, type CriConnection } from "../../mod/cri/mod.ts";
import { AgentProcess } from "../lib/agent_process.ts";
import { pause } from "../lib/wait_until.ts";
import type { FakeCri } from "../../tests/support/fake_cri/fake_cri.ts";
import { podManifest } from "../lib/pod_manifest.ts";
import type { ContainerdRig } from "../lib/containerd_rig.ts";
import { type BareRequest, BareRequests } from "./bare_requests.ts";

/** A wall clock with fractions: runtimes report nanoseconds since the epoch. */
export function wallMs(): number {
  return performance.timeOrigin + performance.now();
}

/** The middle one, of the mean of the two middle ones, of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = Math.floor(sorted.length / 2);
  const high = sorted[at] ?? NaN;
  return sorted.length % 2 === 1 ? high : (high + (sorted[at - 1] ?? NaN)) / 2;
}

/** The smallest, the middle and the largest of some numbers. */
export function spread(
  values: readonly number[],
  unit: string,
  digits = 0,
): string {
  const shown = [Math.min(...values), median(values), Math.max(...values)];
  return `${shown.map((value) => value.toFixed(digits)).join(" / ")} ${unit}`;
}

/** How often one middle value is another. */
export function ratio(
  values: readonly number[],
  base: readonly number[],
): string {
  return `× ${(median(values) / median(base)).toFixed(2)}`;
}

/** What one middle value is above another. */
export function onTop(
  values: readonly number[],
  base: readonly number[],
): string {
  return `${(median(values) - median(base)).toFixed(0)} ms on top`;
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

/** Prints one figure beside what it is compared with. */
export type Report = (what: string, figure: string, compared?: string) => void;

/** Lays figures out in columns. */
export function reportTo(print: (line: string) => void): Report {
  return (what, figure, compared = "") =>
    print(`${what.padEnd(58)} ${figure.padStart(24)}  ${compared}`);
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

/** One runtime to measure on. */
export class Bench implements AsyncDisposable {
  readonly rig: ContainerdRig;
  readonly cri: CriConnection;
  readonly #report: Report;
  readonly #bare: BareRequests;

  private constructor(
    rig: ContainerdRig,
    cri: CriConnection,
    report: Report,
  ) {
    this.rig = rig;
    this.cri = cri;
    this.#report = report;
    this.#bare = new BareRequests(`${rig.directory}/bare`);
  }

  static async open(
    rig: ContainerdRig,
    report: Report,
  ): Promise<Bench> {
    const cri = connectCri({ endpoint: `unix://${rig.socketPath}` }, {
      clock: systemClock,
      log: silentLogger,
      metrics: new MetricsRegistry(),
    });
    await cri.ready(AbortSignal.timeout(10_000));
    return new Bench(rig, cri, report);
  }

  /** Prints one figure beside what it is compared with. */
  report(what: string, figure: string, compared = ""): void {
    this.#report(what, figure, compared);
  }

  /** An agent as it is shipped: the bundle, under the locked flags, without code cache. */
  async agent(args: readonly string[] = []): Promise<AgentProcess> {
    return await AgentProcess.create({
      denoFlags: COMPILED_FLAGS,
      runtimeSocket: this.rig.socketPath,
      podNetwork: this.rig.podNetwork,
      args,
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
