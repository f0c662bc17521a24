/**
 * What V8's code cache is worth at a start, and what a start without it costs.
 *
 * @module
 */

import { COMPILED_FLAGS } from "../lib/launch_flags.ts";
import { AgentProcess } from "../lib/agent_process.ts";
import { pause } from "../lib/wait_until.ts";
import {
  fakeRuntime,
  median,
  type Report,
  residentMb,
  wallMs,
} from "./bench_runtime.ts";

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
  readonly answersMs: number;
  readonly residentMb: number;
}

/** Prints the time to the first answer and the memory, for each way; needs no runtime. */
export async function measureCold(report: Report): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "skerry-cold-" });
  try {
    const socketPath = `${directory}/cri.sock`;
    await using _fake = await fakeRuntime(socketPath, 0);
    const filled = `${directory}/filled`;
    await start(socketPath, { denoDir: filled });
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
        seen.get(way)?.push(await start(socketPath, how[way]));
      }
    }
    for (const [way, starts] of seen) {
      const answers = median(starts.map(({ answersMs }) => answersMs));
      const resident = median(starts.map(({ residentMb }) => residentMb));
      report(`start ${way}: answers`, `${answers.toFixed(0)} ms`);
      report("  resident 5 s later", `${resident.toFixed(0)} MB`);
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function start(
  runtimeSocket: string,
  how: { readonly denoDir: string; readonly denoFlags?: readonly string[] },
): Promise<Start> {
  await using agent = await AgentProcess.create({
    runtimeSocket,
    podNetwork: "10.88.0.0/16",
    ...how,
  });
  const started = wallMs();
  await agent.start();
  await agent.until("the agent answers", () => true);
  const answersMs = wallMs() - started;
  await pause(SETTLE_MS);
  const resident = await residentMb(agent.pid);
  await agent.terminate();
  return { answersMs, residentMb: resident };
}
