/**
 * Asks servers on ports of this machine, and serves one that busybox cannot.
 *
 * @module
 */

import { run } from "../../../scripts/lib/runtime_tools.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";

/** A port that nobody listens on at this moment. */
export function freePort(): Promise<number> {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return Promise.resolve(listener.addr.port);
}

/** What a TCP server says; @throws {Error} when nobody answers. */
export async function askPort(hostname: string, port: number): Promise<string> {
  const { ok, text } = await run("busybox", [
    "sh",
    "-c",
    `sleep 1 | busybox nc -w 2 ${hostname} ${port}`,
  ]);
  if (!ok || text === "") {
    throw new Error(`Cannot hear from "${hostname}:${port}": ${text}`);
  }
  return text;
}

/** Waits until a TCP server says exactly this. */
export async function untilSays(
  text: string,
  { hostname, port }: { readonly hostname: string; readonly port: number },
): Promise<void> {
  let said = "";
  await waitUntil(`"${text}" from "${hostname}:${port}"`, async () => {
    said = await askPort(hostname, port).catch((error) => `${error}`);
    return said === text;
  }, { saw: () => said });
}

/** Begins the arguments of a Deno that may send datagrams, as the one of the tests may not. */
const DATAGRAMS = ["eval", "--quiet", "--unstable-net"];

/** A server on a port of a process's network: busybox has none that speaks UDP. */
export async function serveUdp(
  pid: number,
  port: number,
): Promise<AsyncDisposable> {
  const server = new Deno.Command("nsenter", {
    args: [
      `--net=/proc/${pid}/ns/net`,
      Deno.execPath(),
      ...DATAGRAMS,
      `const socket = Deno.listenDatagram({ transport: "udp", hostname: "0.0.0.0", port: ${port} });
      console.log("ready");
      for await (const [, from] of socket) {
        await socket.send(new TextEncoder().encode("over-udp"), from);
      }`,
    ],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const reader = server.stdout.getReader();
  await reader.read();
  return {
    async [Symbol.asyncDispose]() {
      server.kill("SIGKILL");
      await server.status;
      await reader.cancel();
    },
  };
}

/** What a UDP server says to a datagram; empty after half a minute of silence. */
export async function askUdp(hostname: string, port: number): Promise<string> {
  const { text } = await run(Deno.execPath(), [
    ...DATAGRAMS,
    `const socket = Deno.listenDatagram({ transport: "udp", hostname: "0.0.0.0", port: 0 });
    setTimeout(() => Deno.exit(), 30_000);
    const to = { transport: "udp", hostname: "${hostname}", port: ${port} };
    await socket.send(new TextEncoder().encode("hello"), to);
    const [answer] = await socket.receive();
    console.log(new TextDecoder().decode(answer));
    Deno.exit();`,
  ]);
  return text.trim();
}
