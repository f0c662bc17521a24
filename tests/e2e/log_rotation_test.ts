/**
 * The logs of containers are rotated while they are written, and while the agent is killed.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { readLogNames } from "../../mod/logs/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { pause, waitUntil } from "../../scripts/lib/wait_until.ts";
import { untilPodRuns } from "../support/e2e/inside.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";
import { TempDir } from "../support/temp_dir.ts";
import { seededRandom } from "../support/seeded_random.ts";

/** How often the agent is killed, each time after another rotation. */
const KILLS = 4;
const LINES = 20_000;
/** Where the writer sees that it has written enough. */
const TOLD = "/told";

/** Writes numbers from 1 on, about a megabyte of log at a time, and at last a 0. */
const WRITER = `i=0
while [ $i -lt 10 ] || [ $i -lt 600 -a ! -e ${TOLD}/enough ]; do
  seq $((i * ${LINES} + 1)) $((i * ${LINES} + ${LINES}))
  i=$((i + 1))
  sleep 0.5
done
echo 0
sleep 100000`;

const CONFIG = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerLogMaxSize: 1Mi
containerLogMaxFiles: 1000
containerLogMonitorInterval: 3s
`;

/** The files of a log, oldest first. */
async function filesOf(directory: string): Promise<string[]> {
  const names = await Array.fromAsync(Deno.readDir(directory), (x) => x.name);
  const { rotated } = readLogNames(names, "0.log");
  return [...rotated.map(({ name }) => name), "0.log"];
}

/** What the entries of a log say, one after the other, with parts of lines joined. */
async function numbersIn(directory: string): Promise<number[]> {
  const decoder = new TextDecoder();
  const numbers: number[] = [];
  let open = "";
  for (const name of await filesOf(directory)) {
    const bytes = await Deno.readFile(`${directory}/${name}`);
    const plain = name.endsWith(".gz") ? gunzipSync(bytes) : bytes;
    for (const entry of decoder.decode(plain).split("\n").slice(0, -1)) {
      const [, , tag, content = ""] = entry.split(" ");
      open += content;
      if (tag === "P") continue;
      numbers.push(Number(open));
      open = "";
    }
  }
  return numbers;
}

withRuntime("log rotation", (test) => {
  test("a fast logger is rotated while the agent is killed, and every line is there once (LG-02)", async (runtime) => {
    const seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
    // deno-lint-ignore no-console -- with it a failure can be repeated
    console.log(`seed ${seed}`);
    const random = seededRandom(seed);
    await using temp = await TempDir.make();
    const directory = temp.path;
    const config = `${directory}/config.yaml`;
    await Deno.writeTextFile(config, CONFIG);
    await using agent = await AgentProcess.start({
      ...runtime.agentOptions(),
      directory,
      args: [`--config=${config}`],
    });
    const told = `${directory}/told`;
    await Deno.mkdir(told);
    await agent.apply(
      "writer.json",
      podManifest("writer", {
        containers: [{
          name: "main",
          command: ["sh", "-c", WRITER],
          volumeMounts: [{ name: "told", mountPath: TOLD }],
        }],
        volumes: [{ name: "told", hostPath: { path: told } }],
      }),
    );
    const writer = await untilPodRuns(agent, "writer");
    const { uid } = writer.metadata;
    const logs = `${agent.podLogsDir}/default_writer-edge1_${uid}/main`;
    const rotations = async () => (await filesOf(logs)).length - 1;
    for (let round = 0; round < KILLS; round++) {
      const before = await rotations();
      await waitUntil(
        "another rotation",
        async () => await rotations() > before,
        { everyMs: 20 },
      );
      await pause(random.next() * 1_000);
      await agent.kill();
      await pause(random.next() * 1_000);
      await agent.start();
    }
    await Deno.writeTextFile(`${told}/enough`, "");
    await waitUntil("the last line", async () => {
      const bytes = await Deno.readFile(`${logs}/0.log`).catch(() => undefined);
      const text = new TextDecoder().decode(bytes);
      return text.endsWith(" 0\n") || bytes?.length === 0;
    });
    // An agent that lives compresses what others have left.
    await agent.terminate();
    await agent.start();
    await waitUntil(
      "compressed logs",
      async () => (await filesOf(logs)).some((name) => name.endsWith(".gz")),
    );
    let numbers: readonly number[] = [];
    await waitUntil("every line", async () => {
      numbers = await numbersIn(logs).catch(() => []);
      return numbers.at(-1) === 0;
    }, { saw: () => numbers.length, everyMs: 1_000 });
    const written = numbers.length - 1;
    strictEqual(written % LINES, 0);
    ok(numbers.slice(0, -1).every((number, at) => number === at + 1));
    ok(await rotations() >= KILLS);
    const log = await Deno.readTextFile(`${directory}/agent.log`);
    deepStrictEqual(log.match(/log_not_(rotated|compressed)/g), null);
    // The agent has just begun: it may not know the container yet.
    await untilPodRuns(agent, "writer");
    // What is shown is what was written, before as well as after rotations.
    const shown = await agent.get(
      "/containerLogs/default/writer-edge1/main?tailLines=100000",
    );
    strictEqual(shown.status, 200, shown.text.slice(0, 200));
    const last = shown.text.split("\n").slice(0, -1).map(Number);
    strictEqual(last.length, 100_000);
    const expected = numbers.slice(-100_000);
    ok(last.every((number, at) => number === expected[at]));
    await agent.removeManifest("writer.json");
    await runtime.untilGone(uid, agent);
  });
});
