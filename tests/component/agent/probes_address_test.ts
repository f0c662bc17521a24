/**
 * Where probes find the containers of a pod (PR-11).
 *
 * @module
 */

import { match, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { ON_LOOPBACK } from "../../support/agent/other_runtime.ts";
import {
  condition,
  messages,
  probed,
  untilReady,
} from "../../support/agent/probes.ts";
import { type HttpServer, serveHttp } from "../../support/peers/http_server.ts";

/** A workload on the loopback address that answers with a status. */
interface Workload extends HttpServer {
  status: number;
  asked: number;
}

async function workload(): Promise<Workload> {
  const server = await serveHttp((_request, response) => {
    self.asked++;
    response.writeHead(self.status);
    response.end();
  });
  const self: Workload = { ...server, status: 503, asked: 0 };
  return self;
}

/** A container that is asked by HTTP, at the name of its port. */
function served(port: number): Record<string, unknown> {
  return {
    ports: [{ name: "http", containerPort: port }],
    readinessProbe: {
      httpGet: { port: "http", path: "/ok" },
      periodSeconds: 1,
    },
  };
}

Deno.test("Agent asks a pod by HTTP at the address of its sandbox, by the name of a port (PR-11)", async () => {
  await using server = await workload();
  await using rig = await CoreRig.start(ON_LOOPBACK);
  await rig.apply("web", probed(served(server.port)));
  await rig.until(() => server.asked > 2, "questions");
  strictEqual(condition(rig, "Ready"), "False");
  strictEqual(
    messages(rig, "Unhealthy")[0],
    "Readiness probe failed: HTTP probe failed with statuscode: 503",
  );
  server.status = 200;
  await untilReady(rig);
});

Deno.test("Agent asks a pod on the node's network at the node's address (PR-11)", async () => {
  await using server = await workload();
  server.status = 204;
  await using rig = await CoreRig.start({ nodeIp: "127.0.0.1" });
  const spec = { hostNetwork: true };
  await rig.apply("web", probed(served(server.port), { spec }));
  await untilReady(rig);
  strictEqual(server.asked > 0, true);
});

Deno.test("Agent runs a pod whose liveness probe names no port of it, says so, and never kills it (PR-11)", async () => {
  await using rig = await CoreRig.start();
  const livenessProbe = {
    tcpSocket: { port: "nowhere" },
    periodSeconds: 1,
    failureThreshold: 1,
  };
  await rig.apply("web", probed({ livenessProbe }));
  await rig.until(() => messages(rig, "Unhealthy").length > 0, "the event");
  await rig.pass(10_000);
  match(
    messages(rig, "Unhealthy")[0] ?? "",
    /^Liveness probe errored .*nowhere/,
  );
  strictEqual(messages(rig, "Killing").length, 0);
  strictEqual(condition(rig, "Ready"), "True");
});
