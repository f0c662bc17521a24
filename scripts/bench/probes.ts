/**
 * What probing costs, and how well it keeps its times.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- prints what its own process found

import { cpuUsage } from "node:process";
import {
  type Clock,
  Sessions,
  systemClock,
  systemRandom,
} from "../../mod/base/mod.ts";
import { MetricsRegistry, silentLogger } from "../../mod/base/telemetry/mod.ts";
import { V8_FLAGS } from "../lib/launch_flags.ts";
import type { Pod, Probe } from "../../mod/api/types/mod.ts";
import type { ObservedPod } from "../../mod/pod/observed/mod.ts";
import {
  ProbeManager,
  type ProbeRunner,
  TargetProber,
} from "../../mod/prober/mod.ts";
import { median, type Report } from "./figures.ts";

const COUNTS = [100, 500] as const;

// The first attempts are slower, since the engine compiles what they use.
const WARM_UP_S = 5;
const WINDOW_S = 20;

/** Per cent of a core that so many probes a second may cost. */
const CPU_AIM: Readonly<Record<number, string>> = {
  100: "",
  500: "aim < 25",
};

/**
 * Prints the CPU of a process that only probes, under the engine's flags of the agent, and
 * how far attempts are from their second, for HTTP, TCP and gRPC probes in equal parts, one
 * in fifty of which is never answered; needs no runtime.
 */
export async function measureProbes(report: Report): Promise<void> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      "--no-check",
      `--v8-flags=${V8_FLAGS.join(",")}`,
      new URL(import.meta.url).pathname,
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("Cannot measure probes: their process failed");
  for (const line of new TextDecoder().decode(stdout).trim().split("\n")) {
    // Sound because the end of this file printed it.
    const [what, figure, compared] = JSON.parse(line) as Parameters<Report>;
    report(what, figure, compared);
  }
}

async function measureHere(report: Report): Promise<void> {
  const targets = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      new URL("probe_targets.ts", import.meta.url).pathname,
    ],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  try {
    const { value } = await targets.stdout.getReader().read();
    // Sound because the other file of this pair printed it.
    const ports = JSON.parse(new TextDecoder().decode(value)) as Ports;
    for (const count of COUNTS) await measure(report, { count, ports });
  } finally {
    await targets.stdin.close();
    await targets.status;
  }
}

/** HTTP, TCP, gRPC, and what never answers. */
type Ports = readonly [number, number, number, number];

async function measure(
  report: Report,
  { count, ports }: { readonly count: number; readonly ports: Ports },
): Promise<void> {
  const begun = new Map<string, number[]>();
  const failed: string[] = [];
  const runner = new TargetProber({
    clock: systemClock,
    runtime: {
      execSync: () => Promise.reject(new Error("No command is run here")),
      version: () => Promise.reject(new Error("No runtime is asked here")),
    },
  });
  const watched: ProbeRunner = {
    run: async (probe, target, signal) => {
      begun.get(target.containerId)?.push(systemClock.monotonic());
      const result = await runner.run(probe, target, signal);
      if (result.kind !== "success") failed.push(target.containerId);
      return result;
    },
  };
  const manager = managerOf(watched);
  const stop = new AbortController();
  const changes = drain(manager.run(stop.signal));
  for (let at = 0; at < count; at++) {
    const pod = podOf(at, ports);
    begun.set(`c${at}`, []);
    manager.add(pod);
    // Pods come one after the other on a node, too.
    await pause(systemClock, 1000 / count);
  }
  await pause(systemClock, WARM_UP_S * 1000);
  for (const times of begun.values()) times.length = 0;
  failed.length = 0;
  const before = cpuUsage();
  await pause(systemClock, WINDOW_S * 1000);
  const { user, system } = cpuUsage(before);
  stop.abort();
  await changes;
  report(
    `${count} probes a second, one in 50 hangs: CPU of one core`,
    `${((user + system) / (WINDOW_S * 10_000)).toFixed(1)} %`,
    CPU_AIM[count] ?? "",
  );
  reportDrift(report, begun);
  const answered = failed.filter((id) => !hangs(Number(id.slice(1))));
  report(
    "  failed though the target answers",
    String(answered.length),
    "aim 0",
  );
}

function reportDrift(
  report: Report,
  begun: ReadonlyMap<string, readonly number[]>,
): void {
  const drifts = [...begun.entries()]
    .filter(([id]) => !hangs(Number(id.slice(1))))
    .flatMap(([, times]) =>
      times.slice(1).map((time, at) =>
        Math.abs(time - (times[at] ?? NaN) - 1000)
      )
    )
    .sort((a, b) => a - b);
  const at = (share: number): string =>
    `${(drifts[Math.floor(drifts.length * share)] ?? NaN).toFixed(1)} ms`;
  report(
    "  between attempts, off a second, median",
    `${median(drifts).toFixed(1)} ms`,
  );
  report("  99 of 100", at(0.99), "aim < 200 (20 %)");
  report("  at most", at(1 - 1e-9));
  const least = Math.min(...[...begun.values()].map((times) => times.length));
  report("  fewest attempts of a probe", String(least), `of ${WINDOW_S}`);
}

function hangs(at: number): boolean {
  return at % 50 === 49;
}

function managerOf(runner: ProbeRunner): ProbeManager {
  return new ProbeManager({
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    metrics: new MetricsRegistry(),
    events: { record: () => {} },
    pods: { observed: runningPod, podIps: () => ["127.0.0.1"] },
    memory: { remembered: () => ({ ready: true, started: true }) },
    runner,
    sessions: new Sessions(),
  });
}

function podOf(at: number, ports: Ports): Pod {
  const numbers = { periodSeconds: 1, timeoutSeconds: 1, failureThreshold: 3 };
  const [http, tcp, grpc, mute] = ports;
  const handlers: readonly Probe[] = [
    { httpGet: { port: hangs(at) ? mute : http, path: "/", scheme: "HTTP" } },
    { tcpSocket: { port: tcp } },
    { grpc: { port: hangs(at) ? mute : grpc, service: "" } },
  ];
  // A listener that never answers is fine for a TCP probe.
  const handler = handlers[hangs(at) ? 0 : at % handlers.length];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `p${at}`, namespace: "default", uid: `u${at}` },
    spec: {
      containers: [{
        name: "main",
        image: "localhost/busybox:1.35",
        readinessProbe: { ...handler, ...numbers },
      }],
    },
  };
}

/** The pod of this UID with its container running. */
function runningPod(uid: string): ObservedPod {
  const at = uid.slice(1);
  return {
    uid,
    name: `p${at}`,
    namespace: "default",
    sandboxes: [],
    ips: ["127.0.0.1"],
    containers: [{
      id: `c${at}`,
      sandboxId: `s${at}`,
      name: "main",
      state: "running",
      createdAt: 0n,
      startedAt: 0n,
      finishedAt: 0n,
      exitCode: 0,
      reason: "",
      message: "",
      image: "",
      imageRef: "",
      hash: "",
      restartCount: 0,
      logPath: "",
      user: undefined,
    }],
  };
}

async function drain(changes: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of changes);
}

function pause(clock: Clock, ms: number): Promise<void> {
  return clock.sleep(ms, new AbortController().signal);
}

if (import.meta.main) {
  await measureHere((...row) => console.log(JSON.stringify(row)));
}
