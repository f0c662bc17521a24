/**
 * What a start costs: from the process's start to the first call for a waiting pod, and
 * the memory after it.
 *
 * @module
 */

import { BUSYBOX_IMAGE } from "../lib/containerd_rig.ts";
import { COMPILED_FLAGS } from "../lib/launch_flags.ts";
import { AgentProcess } from "../lib/agent_process.ts";
import { pause } from "../lib/wait_until.ts";
import { FakeCri } from "../../tests/support/fake_cri/fake_cri.ts";
import { callAfter, residentMb, sleeper, wallMs } from "./bench_runtime.ts";
import { type Report, spread } from "./figures.ts";

const ROUNDS = 7;

/** Until nothing of the start is left to do. */
const SETTLE_MS = 5_000;

/**
 * How the code cache is found. An executable would keep it in the temp directory,
 * where it is gone after a boot; `deno run` of the same bundle, with an empty cache
 * directory, is measured in its place.
 */
const WAYS = [
  "with a filled code cache",
  "with an empty code cache",
  "without code cache (as compiled)",
] as const;

type Way = typeof WAYS[number];

interface Start {
  readonly tookMs: number;
  readonly residentMb: number;
}

/**
 * Prints the time to the first RunPodSandbox and the memory, for each way; the fake
 * runtime takes no time.
 */
export async function measureCold(report: Report): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "skerry-cold-" });
  try {
    const filled = `${directory}/filled`;
    await start(directory, { denoDir: filled });
    const seen = new Map<Way, Start[]>(WAYS.map((way) => [way, []]));
    // Turn by turn, so that a slow moment of the machine hits all of them.
    for (let round = 0; round < ROUNDS; round++) {
      const how = {
        "with a filled code cache": { denoDir: filled },
        "with an empty code cache": { denoDir: `${directory}/empty-${round}` },
        "without code cache (as compiled)": {
          denoDir: filled,
          denoFlags: COMPILED_FLAGS,
        },
      };
      for (const way of WAYS) {
        seen.get(way)?.push(await start(directory, how[way]));
      }
    }
    for (const [way, starts] of seen) {
      report(
        `start ${way} → RunPodSandbox`,
        spread(starts.map(({ tookMs }) => tookMs), "ms"),
      );
      report(
        "  resident 5 s later",
        spread(starts.map(({ residentMb }) => residentMb), "MB"),
      );
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function start(
  directory: string,
  how: { readonly denoDir: string; readonly denoFlags?: readonly string[] },
): Promise<Start> {
  const runtimeSocket = `${directory}/cri.sock`;
  await using fake = await FakeCri.start({ socketPath: runtimeSocket });
  fake.addImage({ ref: BUSYBOX_IMAGE });
  await using agent = await AgentProcess.create({
    runtimeSocket,
    podNetwork: "10.88.0.0/16",
    ...how,
  });
  await agent.applyLongAgo("p.json", sleeper("p"));
  const started = wallMs();
  await agent.start();
  const tookMs = await callAfter(fake, "RunPodSandbox", 0) - started;
  await pause(SETTLE_MS);
  const resident = await residentMb(agent.pid);
  // The goodbye of a client ends a process that has served it for long by node:http2 (2.9.6).
  await agent.kill();
  return { tookMs, residentMb: resident };
}
