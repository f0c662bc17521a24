/**
 * What many nodes ask of one API server while nothing happens and when it has been away, and
 * what each of them takes of the memory.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import {
  type AuditedCall,
  countAudited,
} from "../../tests/support/cluster/audit_log.ts";
import { Cluster } from "../../tests/support/cluster/cluster.ts";
import { clusterProgram } from "../cluster_components.ts";
import { pause, waitUntil } from "../lib/wait_until.ts";
import { residentMb } from "./bench_runtime.ts";
import { type Report, spread } from "./figures.ts";

const COUNT = 200;

/** Longer than the longest watch, as for the kubelet's own calls. */
const MEASURED_MS = 12 * 60_000;

/** What a start brings is over by then. */
const SETTLE_MS = 90_000;

/** Long enough for every node to have noticed, and to have waited its longest. */
const AWAY_MS = 90_000;
const RETURN_MS = 90_000;

const BIN_S = 5;

/** Prints calls a minute and node, when nodes come back, and their memory. */
export async function measureFleet(report: Report): Promise<void> {
  const program = await clusterProgram();
  if ("missing" in program) {
    return report("fleet", `not measured: ${program.missing}`);
  }
  await using cluster = await Cluster.start(program.path);
  for (let at = 0; at < COUNT; at++) {
    const name = `hollow-${at}`;
    const path = await cluster.nodeKubeconfig(name);
    await Deno.rename(path, `${cluster.directory}/${name}.kubeconfig`);
  }
  await using fleet = new Fleet(cluster.directory);
  await fleet.said("empty");
  const emptyMb = await residentMb(fleet.pid);
  await fleet.go();
  await fleet.said("started");
  await untilReady(cluster);
  await pause(SETTLE_MS);
  const from = Date.now();
  const coming = await callsSince(cluster, 0);
  reportCalls(report, "coming", { calls: coming, minutes: 1 });
  await pause(MEASURED_MS);
  const calls = await callsSince(cluster, from);
  reportCalls(report, "idle, a minute", {
    calls,
    minutes: MEASURED_MS / 60_000,
  });
  const kilobytes = (await residentMb(fleet.pid) - emptyMb) * 1_024 / COUNT;
  report(
    "fleet: memory of a node",
    `${kilobytes.toFixed(0)} KB`,
    `${emptyMb} MB without any`,
  );
  await cluster.endPart("kube-apiserver", "SIGKILL");
  await pause(AWAY_MS);
  const startMs = Date.now();
  await cluster.startPart("kube-apiserver");
  await pause(RETURN_MS);
  reportReturn(report, await callsSince(cluster, startMs));
}

function reportCalls(
  report: Report,
  what: string,
  { calls, minutes }: {
    readonly calls: readonly AuditedCall[];
    readonly minutes: number;
  },
): void {
  const each = (count: number): string => (count / COUNT / minutes).toFixed(2);
  for (const [call, count] of countAudited(calls)) {
    report(`fleet of ${COUNT}, ${what}: ${call}`, each(count));
  }
  report(`fleet of ${COUNT}, ${what}: all`, each(calls.length), "kubelet 6.50");
}

/** When each node's first call and its first renewed lease were answered, and how they lie. */
function reportReturn(report: Report, calls: readonly AuditedCall[]): void {
  const answered = calls.filter(({ code }) => code < 400);
  const zeroMs = Math.min(...answered.map(({ atMs }) => atMs));
  const seconds = (of: readonly AuditedCall[]): number[] => {
    const first = new Map<string, number>();
    for (const { user, atMs } of of) {
      first.set(user, Math.min(first.get(user) ?? Infinity, atMs));
    }
    return [...first.values()].map((atMs) => (atMs - zeroMs) / 1_000);
  };
  const rows = {
    "first call": seconds(answered),
    "first lease": seconds(answered.filter(({ verb }) => verb === "update")),
    "watch of pods": seconds(
      answered.filter(({ verb, resource }) =>
        verb === "watch" && resource === "pods"
      ),
    ),
  };
  for (const [what, times] of Object.entries(rows)) {
    report(
      `fleet after ${AWAY_MS / 1_000} s without its server: ${what}`,
      spread(times, "s", 1),
      histogram(times),
    );
  }
  const bySecond = Map.groupBy(calls, ({ atMs }) => Math.floor(atMs / 1_000));
  const most = Math.max(...[...bySecond.values()].map((each) => each.length));
  report("fleet after that: most calls in a second", `${most}`);
}

/** How many lie in each part of the time. */
function histogram(times: readonly number[]): string {
  const bins = Map.groupBy(times, (time) => Math.floor(time / BIN_S));
  return [...bins].sort(([a], [b]) => a - b)
    .map(([bin, each]) =>
      `${bin * BIN_S}-${(bin + 1) * BIN_S} s: ${each.length}`
    )
    .join(", ");
}

async function callsSince(
  cluster: Cluster,
  sinceMs: number,
): Promise<readonly AuditedCall[]> {
  return (await cluster.calls()).filter(({ atMs }) => atMs >= sinceMs);
}

async function untilReady(cluster: Cluster): Promise<void> {
  let ready = 0;
  await waitUntil(`${COUNT} nodes`, async () => {
    const { text } = await cluster.kubectl(["get", "nodes", "--no-headers"]);
    ready = text.match(/^hollow-\d+\s+Ready\s/gm)?.length ?? 0;
    return ready === COUNT;
  }, { saw: () => ready, timeoutMs: 300_000, everyMs: 2_000 });
}

/** The process of the nodes. */
class Fleet implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #output: ReadableStreamDefaultReader<string>;
  #text = "";

  constructor(directory: string) {
    const load = fileURLToPath(new URL("./fleet_load.ts", import.meta.url));
    this.#process = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", load, directory, `${COUNT}`],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    this.#input = this.#process.stdin.getWriter();
    this.#output = this.#process.stdout
      .pipeThrough(new TextDecoderStream()).getReader();
  }

  get pid(): number {
    return this.#process.pid;
  }

  async go(): Promise<void> {
    await this.#input.write(new TextEncoder().encode("go\n"));
  }

  /** Waits until it says so. */
  async said(word: string): Promise<void> {
    while (!this.#text.includes(word)) {
      const { value, done } = await this.#output.read();
      if (done) throw new Error(`The fleet ended before it was ${word}`);
      this.#text += value;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close();
    await this.#output.cancel();
    await this.#process.status;
  }
}
