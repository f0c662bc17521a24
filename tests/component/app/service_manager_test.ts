/**
 * An agent in its own process that tells a service manager how it is.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { systemClock } from "../../../mod/base/mod.ts";
import { NotifySocket } from "../../../mod/host/clients/mod.ts";
import { AgentProcess } from "../../../scripts/lib/agent_process.ts";
import { FakeCri } from "../../support/fake_cri/fake_cri.ts";
import { TempDir } from "../../support/temp_dir.ts";

/** The socket of a service manager. */
function listen(path: string): Deno.DatagramConn {
  return Deno.listenDatagram({ transport: "unixpacket", path });
}

async function heard(manager: Deno.DatagramConn): Promise<string> {
  const [bytes] = await manager.receive();
  return new TextDecoder().decode(bytes);
}

Deno.test("runAgent() is ready for its service manager, under its own locked permissions, and says that it stops", async () => {
  await using stack = new AsyncDisposableStack();
  const { path: directory } = stack.use(await TempDir.make());
  const runtimeSocket = `${directory}/cri.sock`;
  stack.use(
    await FakeCri.start({ socketPath: runtimeSocket, clock: systemClock }),
  );
  const manager = stack.adopt(
    listen(`${directory}/notify`),
    (socket) => socket.close(),
  );
  const agent = stack.use(
    await AgentProcess.create({
      directory,
      runtimeSocket,
      podNetwork: "10.88.0.0/16",
      args: [`--notify-socket=${directory}/notify`, "--watchdog-timeout=20s"],
    }),
  );
  // An agent that was killed leaves its end behind.
  await Deno.mkdir(agent.runDir, { recursive: true });
  await Deno.writeTextFile(`${agent.runDir}/notify.sock`, "");
  await agent.start();
  match(await heard(manager), /^READY=1\nWATCHDOG_USEC=20000000\nSTATUS=./);
  strictEqual((await agent.get("/healthz")).status > 0, true);
  const stopped = agent.terminate();
  let last = "";
  while (!last.startsWith("STOPPING=1")) last = await heard(manager);
  strictEqual(await stopped, 0);
  await rejects(
    () => Deno.lstat(`${agent.runDir}/notify.sock`),
    Deno.errors.NotFound,
  );
});

Deno.test("runAgent() runs on without its service manager, and says so", async () => {
  await using stack = new AsyncDisposableStack();
  const { path: directory } = stack.use(await TempDir.make());
  const runtimeSocket = `${directory}/cri.sock`;
  stack.use(
    await FakeCri.start({ socketPath: runtimeSocket, clock: systemClock }),
  );
  const agent = stack.use(
    await AgentProcess.start({
      directory,
      runtimeSocket,
      podNetwork: "10.88.0.0/16",
      args: [`--notify-socket=${directory}/absent`],
    }),
  );
  await agent.until("the agent answers", () => true);
  await agent.untilAnswer("/healthz", /^ok$/);
  match(
    await agent.logTail(),
    /agent_started[^]*service_manager_not_told/,
  );
  strictEqual(await agent.terminate(), 0);
});

Deno.test("NotifySocket sends one message a time, and leaves no name behind", async () => {
  await using temp = await TempDir.make();
  const socket = `${temp.path}/manager`;
  const manager = listen(socket);
  try {
    {
      using notify = NotifySocket.open({ socket, own: `${temp.path}/own` });
      await notify.send(["READY=1", "STATUS=well"]);
      strictEqual(await heard(manager), "READY=1\nSTATUS=well");
    }
  } finally {
    manager.close();
  }
  const left = await Array.fromAsync(
    Deno.readDir(temp.path),
    ({ name }) => name,
  );
  deepStrictEqual(left, ["manager"]);
});
