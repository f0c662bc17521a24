/**
 * An agent in its own process that is stopped because the machine goes down, or not.
 *
 * @module
 */

import { match, ok, strictEqual } from "node:assert/strict";
import { systemClock } from "../../../mod/base/mod.ts";
import { AgentProcess } from "../../../scripts/lib/agent_process.ts";
import { runningContainers } from "../../../scripts/lib/pod_views.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import { alone } from "../../support/agent/manifests.ts";
import { FakeCri } from "../../support/fake_cri/fake_cri.ts";
import { IMAGE } from "../../support/pods.ts";
import { TempDir } from "../../support/temp_dir.ts";

const HEAD =
  "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n";

/** An agent whose pod "web" runs, with these lines in its configuration file. */
async function world(
  stack: AsyncDisposableStack,
  lines: readonly string[] = ["shutdownGracePeriod: 20s"],
) {
  const { path: directory } = stack.use(await TempDir.make());
  const runtimeSocket = `${directory}/cri.sock`;
  const fake = stack.use(
    await FakeCri.start({ socketPath: runtimeSocket, clock: systemClock }),
  );
  fake.addImage({ ref: IMAGE });
  const config = `${directory}/config.yaml`;
  await Deno.writeTextFile(config, HEAD + lines.join("\n"));
  const notify = stack.adopt(
    Deno.listenDatagram({ transport: "unixpacket", path: `${directory}/n` }),
    (socket) => socket.close(),
  );
  const agent = stack.use(
    await AgentProcess.create({
      directory,
      runtimeSocket,
      podNetwork: "10.88.0.0/16",
      args: [`--config=${config}`, `--notify-socket=${directory}/n`],
    }),
  );
  await agent.apply("web.json", alone("web"));
  const marker = `${agent.runDir}/machine-stopping`;
  const runs = () =>
    agent.until("web runs", ([pod]) => runningContainers(pod) === 1);
  /** The next message of the agent with a key. */
  const heard = async (key: string): Promise<string> => {
    for (;;) {
      const [bytes] = await notify.receive();
      const text = new TextDecoder().decode(bytes);
      if (text.includes(key)) return text;
    }
  };
  return { agent, fake, marker, runs, heard, config };
}

Deno.test("runAgent() stops its pods when the machine goes down, and they come back (SD-01)", async () => {
  await using stack = new AsyncDisposableStack();
  const { agent, fake, marker, runs, heard } = await world(stack);
  // A run directory on a disk still has the one of the last shutdown.
  await Deno.mkdir(agent.runDir, { recursive: true });
  await Deno.writeTextFile(marker, "");
  await agent.start();
  await runs();
  strictEqual(await agent.terminate(), 0);
  strictEqual(fake.running("web").length, 1, "a stop alone stops no pod");

  await agent.start();
  await runs();
  await Deno.writeTextFile(marker, "");
  const stopped = agent.terminate();
  match(await heard("EXTEND"), /^STOPPING=1\nEXTEND_TIMEOUT_USEC=40000000\n/);
  strictEqual(await stopped, 0);
  strictEqual(fake.running("web").length, 0);
  match(await agent.logTail(), /machine_goes_down[^]*pods_stopped/);

  await agent.start();
  await runs();
  const { text } = await agent.get("/metrics");
  const [start = 0, end = 0] = ["start", "end"].map((what) => {
    const name = `kubelet_graceful_shutdown_${what}_time_seconds`;
    return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
  });
  ok(start > 1_700_000_000 && end >= start, `${start} ${end}`);
});

Deno.test("runAgent() leaves all pods running when nothing is configured for the end of the machine", async () => {
  await using stack = new AsyncDisposableStack();
  const { agent, fake, marker, runs } = await world(stack, []);
  await agent.start();
  await runs();
  await Deno.writeTextFile(marker, "");
  strictEqual(await agent.terminate(), 0);
  strictEqual(fake.running("web").length, 1);
});

Deno.test("runAgent() ends although the runtime does not, when the machine goes down", async () => {
  await using stack = new AsyncDisposableStack();
  const { agent, fake, marker, runs } = await world(stack, [
    "shutdownGracePeriodByPodPriority: [{shutdownGracePeriodSeconds: 1}]",
  ]);
  await agent.start();
  await runs();
  fake.fault("StopContainer", { kind: "hang" });
  await Deno.writeTextFile(marker, "");
  strictEqual(await agent.terminate(), 0);
  match(await agent.logTail(), /shutdown_group_late/);
});

Deno.test("runAgent() takes up what can change while it runs, and nothing of a file with a fault", async () => {
  await using stack = new AsyncDisposableStack();
  const { agent, fake, marker, runs, config } = await world(stack, []);
  await agent.start();
  await runs();
  const reload = async (lines: string, said: RegExp): Promise<void> => {
    await Deno.writeTextFile(config, `${HEAD}${lines}`);
    Deno.kill(agent.pid, "SIGHUP");
    await waitUntil(`${said}`, async () => said.test(await agent.logTail()));
  };
  await reload(
    "shutdownGracePeriod: 1ms",
    /config_not_reloaded.*wanted 0 or at least 1s/,
  );
  await reload("maxPods: 7", /config_needs_restart.*maxPods/);
  // Had the file with a fault counted, or the one without a time, pods would end now or never.
  await reload("shutdownGracePeriod: 20s", /config_reloaded.*20/);
  await Deno.writeTextFile(marker, "");
  strictEqual(await agent.terminate(), 0);
  strictEqual(fake.running("web").length, 0);
});

Deno.test("runAgent() removes the file of an earlier shutdown even where pods are left alone", async () => {
  await using stack = new AsyncDisposableStack();
  const { agent, fake, marker, runs, config } = await world(stack, []);
  await Deno.mkdir(agent.runDir, { recursive: true });
  await Deno.writeTextFile(marker, "");
  await agent.start();
  await runs();
  await Deno.writeTextFile(config, `${HEAD}shutdownGracePeriod: 20s`);
  Deno.kill(agent.pid, "SIGHUP");
  await waitUntil(
    "the reload",
    async () => /config_reloaded/.test(await agent.logTail()),
  );
  strictEqual(await agent.terminate(), 0);
  strictEqual(fake.running("web").length, 1);
});

Deno.test("runAgent() stops no pod for a file of an earlier shutdown that it cannot remove", async () => {
  await using stack = new AsyncDisposableStack();
  const { agent, fake, marker, runs } = await world(stack);
  await Deno.mkdir(`${marker}/full`, { recursive: true });
  await agent.start();
  await runs();
  strictEqual(await agent.terminate(), 0);
  strictEqual(fake.running("web").length, 1);
  match(await agent.logTail(), /shutdown_marker_stays/);
});
