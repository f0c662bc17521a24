/**
 * A fake runtime and a connection to it, for the tests of this folder.
 *
 * @module
 */

import { join } from "node:path";
import type { Clock } from "../../../mod/base/mod.ts";
import {
  type Logger,
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { connectCri, type CriConnection } from "../../../mod/cri/mod.ts";
import type {
  ContainerConfig,
  SandboxConfig,
} from "../../../mod/cri/config/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { FakeCri } from "../fake_cri/fake_cri.ts";

/** What one test works with. */
export interface CriRig extends AsyncDisposable {
  readonly fake: FakeCri;
  readonly cri: CriConnection;
  readonly metrics: MetricsRegistry;
  readonly socketPath: string;
}

/** How a rig differs from the usual one. */
export interface CriRigOptions {
  /** The clock of the fake runtime. @default one that stands still */
  readonly fakeClock?: Clock;
  /** The clock of the client. @default one that stands still, so that no call is late */
  readonly clock?: Clock;
  readonly requestTimeoutMs?: number;
  /** Where the client logs. @default nowhere */
  readonly log?: Logger;
}

/** Starts a fake runtime in a directory of its own and connects to it. */
export async function startCriRig(
  options: CriRigOptions = {},
): Promise<CriRig> {
  const { fakeClock = new FakeClock(), clock = new FakeClock() } = options;
  const directory = await Deno.makeTempDir({ prefix: "cri_test_" });
  const socketPath = join(directory, "cri.sock");
  const fake = await FakeCri.start({ socketPath, clock: fakeClock });
  fake.addImage({ ref: "busybox:1.35" });
  const metrics = new MetricsRegistry();
  const { requestTimeoutMs = 10_000, log = silentLogger } = options;
  const cri = connectCri(
    { endpoint: `unix://${socketPath}`, requestTimeoutMs },
    { clock, log, metrics },
  );
  return {
    fake,
    cri,
    metrics,
    socketPath,
    [Symbol.asyncDispose]: async () => {
      await cri[Symbol.asyncDispose]();
      await fake[Symbol.asyncDispose]();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

/** A sandbox config with as little as a runtime needs. */
export function sandboxConfig(
  name: string,
  more: Partial<SandboxConfig> = {},
): SandboxConfig {
  return {
    metadata: { name, uid: `uid-${name}`, namespace: "default", attempt: 0 },
    logDirectory: `/logs/${name}`,
    labels: { "io.kubernetes.pod.name": name },
    annotations: {},
    ...more,
  };
}

/** A container config with as little as a runtime needs. */
export function containerConfig(
  name: string,
  more: Partial<ContainerConfig> = {},
): ContainerConfig {
  return {
    metadata: { name, attempt: 0 },
    image: { image: "busybox:1.35" },
    labels: { "io.kubernetes.container.name": name },
    annotations: {},
    logPath: `${name}/0.log`,
    ...more,
  };
}

/** Runs a sandbox with one container that runs. */
export async function runContainer(
  { cri }: CriRig,
  name: string,
): Promise<{ readonly sandboxId: string; readonly containerId: string }> {
  const config = sandboxConfig(name);
  const sandboxId = await cri.runtime.runPodSandbox(config);
  const containerId = await cri.runtime.createContainer({
    sandboxId,
    config: containerConfig(name),
    sandboxConfig: config,
  });
  await cri.runtime.startContainer(containerId);
  return { sandboxId, containerId };
}
