import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { KubeKind, kubeResource } from "../../../mod/kube/objects/mod.ts";
import {
  KubeClient,
  pour,
  StagedServer,
} from "../../support/kube/staged_server.ts";
import { wirePod } from "../../support/kube/recording_api.ts";
import { until } from "../../support/until.ts";

const PODS = kubeResource({ apiVersion: "v1", kind: "Pod" });

/** A watch that is read, and the server's side of it. */
interface FollowedWatch {
  readonly response: ServerResponse;
  readonly seen: unknown[];
  /** `undefined` while it goes on, `ended`, or why it broke. */
  end: unknown;
}

/** Opens a watch and gives what has come of it. */
async function follow(
  client: KubeClient,
  server: StagedServer,
): Promise<FollowedWatch> {
  const opened = Promise.withResolvers<ServerResponse>();
  server.answer = ({ path }, response) => {
    if (path === "/version") return void response.end("{}");
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    opened.resolve(response);
  };
  const watch = await new KubeKind(client.transport, PODS).watch(
    {},
    client.stop.signal,
  );
  const result: FollowedWatch = {
    response: await opened.promise,
    seen: [],
    end: undefined,
  };
  const read = async (): Promise<void> => {
    for await (const event of watch) result.seen.push(event);
  };
  read().then(() => result.end = "ended", (error) => result.end = error);
  return result;
}

const EVENT = `${JSON.stringify({ type: "ADDED", object: wirePod() })}\n`;

for (
  const [name, act, wanted] of [
    ["ends", (response: ServerResponse) => void response.end(), /^ended$/],
    [
      "ends in the middle of a line",
      (response: ServerResponse) => void response.end("{"),
      /Cannot watch pods: it ends in the middle of a line/,
    ],
    [
      "is cut",
      (response: ServerResponse) => void response.destroy(),
      /ApiFailure: Cannot watch pods: /,
    ],
    [
      "says garbage",
      (response: ServerResponse) => void response.write("<html>\n"),
      /a line is no JSON/,
    ],
    [
      "says a line without end",
      pour,
      /a line is longer than 10485760 bytes/,
    ],
  ] as const
) {
  Deno.test(`KubeKind.watch() gives what came before it ${name}`, async () => {
    await using server = await StagedServer.start();
    await using client = new KubeClient(server.identity);
    const watch = await follow(client, server);
    watch.response.write(EVENT);
    await until(() => watch.seen.length === 1);
    deepStrictEqual(watch.seen, [{ type: "ADDED", object: wirePod() }]);
    act(watch.response);
    await until(() => watch.end !== undefined);
    match(`${watch.end}`, wanted);
  });
}

Deno.test("KubeKind.watch() breaks off within 45 s when the server is silent and answers nothing else", async () => {
  await using server = await StagedServer.start();
  await using client = new KubeClient(server.identity);
  const watch = await follow(client, server);
  watch.response.write(EVENT);
  await until(() => watch.seen.length === 1);
  // As long as it answers, silence is well.
  await client.clock.advance(30_000);
  await until(() => server.requests.at(-1)?.path === "/version");
  await client.clock.advance(1_000);
  strictEqual(watch.end, undefined);
  const beganMs = client.clock.monotonic();
  server.answer = () => {};
  await until(async () => {
    await client.clock.advance(500);
    return watch.end !== undefined;
  });
  ok(client.clock.monotonic() - beganMs <= 45_500);
  match(`${watch.end}`, /says nothing any more on this connection/);
  // The next one is over a new connection.
  const { connections } = server;
  await follow(client, server);
  ok(server.connections > connections);
});

Deno.test("KubeKind.watch() ends on the server when its caller has enough", async () => {
  await using server = await StagedServer.start();
  await using client = new KubeClient(server.identity);
  const watch = await follow(client, server);
  let isClosed = false;
  watch.response.on("close", () => isClosed = true);
  client.stop.abort();
  await until(() => isClosed);
  strictEqual(watch.end, "ended");
});
