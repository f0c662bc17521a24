/**
 * An agent's process from its start to its end.
 *
 * @module
 */

import { match, ok, strictEqual } from "node:assert/strict";
import { systemClock } from "../../../mod/base/mod.ts";
import { bundleAgent } from "../../../scripts/bundle.ts";
import {
  type AgentOptions,
  AgentProcess,
} from "../../../scripts/lib/agent_process.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import { alone } from "../../support/agent/manifests.ts";
import { FakeCri } from "../../support/fake_cri/fake_cri.ts";
import { TempDir } from "../../support/temp_dir.ts";

/** An agent that does not run yet, beside a runtime, in a directory of its own. */
async function world(
  stack: AsyncDisposableStack,
  options: (directory: string) => Partial<AgentOptions> = () => ({}),
) {
  const { path: directory } = stack.use(await TempDir.make());
  const runtimeSocket = `${directory}/cri.sock`;
  stack.use(
    await FakeCri.start({ socketPath: runtimeSocket, clock: systemClock }),
  );
  const given = { directory, runtimeSocket, podNetwork: "10.88.0.0/16" };
  const agent = stack.use(
    await AgentProcess.create({ ...given, ...options(directory) }),
  );
  const said = async (expected: RegExp): Promise<void> =>
    await waitUntil(
      `${expected}`,
      async () => expected.test(await agent.logTail(1_000)),
      { saw: () => agent.logTail() },
    );
  return { agent, directory, given, said };
}

async function isWell(agent: AgentProcess): Promise<void> {
  await agent.until("the agent answers", () => true);
  await agent.untilAnswer("/healthz", /^ok$/);
}

async function modeOf(path: string): Promise<number> {
  return ((await Deno.stat(path)).mode ?? 0) & 0o777;
}

Deno.test("runAgent() makes its directories for nobody else, says who it is, and ends without a fault", async () => {
  await using stack = new AsyncDisposableStack();
  const { agent, said } = await world(stack, (directory) => ({
    runDir: `${directory}/run`,
    args: ["--pod-network=fd00::/64"],
  }));
  await Deno.remove(agent.rootDir);
  await agent.start();
  await isWell(agent);
  strictEqual(await modeOf(agent.rootDir), 0o750);
  strictEqual(await modeOf(agent.runDir), 0o700);
  const pidFile = `${agent.runDir}/skerry.pid`;
  strictEqual(await Deno.readTextFile(pidFile), `${agent.pid}\n`);
  strictEqual(await modeOf(pidFile), 0o644);
  await said(/config_warning.*IPv6 networks fd00::/);
  await said(/agent_started version=.* node=edge1/);
  strictEqual(await agent.terminate(), 0);
  match(await agent.logTail(), /agent_stopped[^\n]*$/);
});

Deno.test("runAgent() says which permission it lacks, and does not begin", async () => {
  await using stack = new AsyncDisposableStack();
  const { agent, directory } = await world(stack, (directory) => ({
    args: [`--image-credentials=${directory}/config.json`],
    grantsOf: [],
  }));
  await agent.start();
  strictEqual(await agent.exitCode(), 64);
  const lines = (await agent.logTail()).split("\n")
    .filter((line) => line.includes("grant_missing"));
  strictEqual(lines.length, 1);
  ok(`${lines}`.includes(`${directory}/config.json`), `${lines}`);
});

Deno.test("runAgent() leaves a root directory alone that another agent has", async () => {
  await using stack = new AsyncDisposableStack();
  const { agent, given, said } = await world(stack);
  await agent.start();
  await isWell(agent);
  const second = stack.use(
    await AgentProcess.create({
      ...given,
      runDir: `${given.directory}/run2`,
    }),
  );
  await second.start();
  strictEqual(await second.exitCode(), 1);
  await said(
    new RegExp(
      `root_directory_locked.*another agent, process ${agent.pid}, has it`,
    ),
  );
  await isWell(agent);
});

Deno.test("runAgent() says why it cannot run", async () => {
  await using stack = new AsyncDisposableStack();
  const { agent, directory, said } = await world(stack, (directory) => ({
    runDir: `${directory}/file/run`,
  }));
  await Deno.writeTextFile(`${directory}/file`, "");
  await agent.start();
  strictEqual(await agent.exitCode(), 1);
  await said(/agent_failed.*file\/run/);
  // Only on a disk that is read-only it would go on.
  strictEqual(/run_directory_missing/.test(await agent.logTail()), false);
});

Deno.test("runAgent() runs on without what only others read, and says so", async () => {
  await using stack = new AsyncDisposableStack();
  const { agent, said } = await world(stack, (directory) => ({
    args: [`--notify-socket=${directory}/manager`],
  }));
  for (const name of ["skerry.pid", "notify.sock"]) {
    await Deno.mkdir(`${agent.runDir}/${name}/full`, { recursive: true });
  }
  await agent.start();
  await isWell(agent);
  await said(/pid_file_missing/);
  await said(/service_manager_not_told/);
  strictEqual(await agent.terminate(), 0);
});

Deno.test("runAgent() logs as much as its settings say after a reload", async () => {
  await using stack = new AsyncDisposableStack();
  const { agent, directory, said } = await world(stack, (directory) => ({
    args: [`--config=${directory}/config.yaml`],
  }));
  const configure = (level: string) =>
    Deno.writeTextFile(
      `${directory}/config.yaml`,
      `apiVersion: skerry.dev/v1alpha1\nkind: SkerryConfiguration\nlogLevel: ${level}\n`,
    );
  await configure("info");
  await agent.start();
  await isWell(agent);
  strictEqual(/cri_call_done/.test(await agent.logTail(1_000)), false);
  await configure("debug");
  Deno.kill(agent.pid, "SIGHUP");
  await said(/config_reloaded/);
  // The runtime is to be asked for something.
  await agent.apply("web.json", alone("web"));
  await said(/cri_call_done/);
  strictEqual(await agent.terminate(), 0);
});

Deno.test("runAgent() logs a failure that no code awaited, and goes on", async () => {
  await using stack = new AsyncDisposableStack();
  const { path: entries } = stack.use(await TempDir.make());
  const entry = await bundleAgent(entries);
  // The agent, and a promise that is rejected whenever a test asks for it.
  await Deno.writeTextFile(
    `${entries}/stray.js`,
    `Deno.addSignalListener("SIGUSR1", () => { Promise.reject(new Error("stray")); });
     Deno.addSignalListener("SIGUSR2", () => { Promise.reject("plain"); });`,
  );
  const text = await Deno.readTextFile(entry);
  await Deno.writeTextFile(entry, `import"./stray.js";\n${text}`);
  const { agent, said } = await world(stack, () => ({ entry }));
  await agent.start();
  await isWell(agent);
  Deno.kill(agent.pid, "SIGUSR1");
  await said(/unhandled_rejection error=stray stack=.*stray\.js/);
  Deno.kill(agent.pid, "SIGUSR2");
  await said(/unhandled_rejection error=plain/);
  await isWell(agent);
  strictEqual(await agent.terminate(), 0);
});
