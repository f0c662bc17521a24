/**
 * Pods from a web server, through its absence and the agent's.
 *
 * @module
 */

import { match, ok, strictEqual } from "node:assert/strict";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import {
  type HttpAnswer,
  ManifestServer,
  type ServerTls,
  statusAnswer,
  text,
} from "../support/peers/manifest_server.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find, runningContainers } from "../../scripts/lib/pod_views.ts";
import { waitUntil } from "../../scripts/lib/wait_until.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";
import { Pki } from "../support/peers/pki.ts";

withRuntime("url source", (test) => {
  test("SRC-21 SRC-24 a pod from an HTTPS URL survives the absence of the server, of the agent and of both", async (runtime) => {
    await using pki = await Pki.create();
    const tls = await pki.server();
    await using server = new ComingAndGoing(tls);
    await server.come(serve("web", "one"));
    await using agent = await AgentProcess.start({
      ...runtime.agentOptions(),
      args: tlsArguments(server.url, pki),
    });
    const first = await agent.until(
      "the pod of the URL running",
      (pods) => runningContainers(find(pods, "web")) === 1,
    );
    const { uid } = find(first, "web")?.metadata ?? {};
    const container = containerOf(first);

    // Where the agent has no business it does not get, whoever sends it there.
    await using elsewhere = await ManifestServer.start(serve("web", "evil"), {
      tls: { ...tls, clientCa: undefined },
    });
    server.change(statusAnswer(302, { location: elsewhere.url }));
    await untilFailed(agent);
    strictEqual(elsewhere.requests.length, 0);
    const told = await Deno.readTextFile(`${agent.directory}/agent.log`);
    match(told, /the agent may not talk to that host/);

    await server.go();
    await untilFailed(agent);
    strictEqual(containerOf(await agent.pods() ?? []), container);

    await agent.kill();
    await agent.apply("static.json", sleeper("static", "one"));
    await agent.start();
    // The pod of the file waits for nobody; that of the URL comes from the checkpoint.
    const restored = await agent.until(
      "the file's pod beside the URL's",
      (pods) =>
        runningContainers(find(pods, "static")) === 1 &&
        runningContainers(find(pods, "web")) === 1,
    );
    strictEqual(containerOf(restored), container);
    strictEqual(find(restored, "web")?.metadata.uid, uid);

    await server.come(serve("web", "two"));
    const second = await agent.until(
      "the edited pod alone",
      (pods) => {
        const pod = find(pods, "web");
        return pods.length === 2 && pod?.metadata.uid !== uid &&
          runningContainers(pod) === 1;
      },
    );
    await runtime.untilGone(uid ?? "", agent);

    const log = await Deno.readTextFile(`${agent.directory}/agent.log`);
    ok(!log.includes("hunter2"), "a header in the log");
    strictEqual(server.token, "hunter2");

    server.change(text(podList([])));
    await agent.until(
      "the pod of the URL gone",
      (pods) => pods.length === 1 && find(pods, "web") === undefined,
    );
    const last = find(second, "web")?.metadata.uid ?? "";
    await runtime.untilGone(last, agent);
  });
});

/** A server that may be away; its port stays its own. */
class ComingAndGoing implements AsyncDisposable {
  readonly #tls: ServerTls;
  #server: ManifestServer | undefined;
  #port = 0;

  constructor(tls: ServerTls) {
    this.#tls = tls;
  }

  get url(): string {
    return `https://localhost:${this.#port}/manifests.yaml`;
  }

  /** The secret header that came last. */
  get token(): string | readonly string[] | undefined {
    return this.#server?.requests.at(-1)?.headers["x-token"];
  }

  async come(answer: HttpAnswer): Promise<void> {
    const options = { tls: this.#tls, port: this.#port };
    this.#server = await ManifestServer.start(answer, options);
    this.#port = this.#server.port;
  }

  /** Answers otherwise, from the next question on. */
  change(answer: HttpAnswer): void {
    if (this.#server !== undefined) this.#server.answer = answer;
  }

  async go(): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    this.#server = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.go();
  }
}

function tlsArguments(url: string, pki: Pki): string[] {
  const { caFile, certFile, keyFile } = pki.client;
  return [
    `--manifest-url=${url}`,
    "--manifest-url-header=X-Token: hunter2",
    `--manifest-url-ca-file=${caFile}`,
    `--manifest-url-cert-file=${certFile}`,
    `--manifest-url-key-file=${keyFile}`,
    "--http-check-frequency=200ms",
  ];
}

function sleeper(name: string, version: string): Record<string, unknown> {
  return podManifest(name, {
    containers: [{
      name: "main",
      command: ["sleep", "100000"],
      env: [{ name: "VERSION", value: version }],
    }],
  });
}

function podList(items: readonly object[]): string {
  return JSON.stringify({ apiVersion: "v1", kind: "PodList", items });
}

function serve(name: string, version: string): HttpAnswer {
  return text(podList([sleeper(name, version)]));
}

function containerOf(
  pods: Parameters<typeof find>[0],
): string | undefined {
  return find(pods, "web")?.status?.containerStatuses?.[0]?.containerID;
}

/** Waits for two questions that nothing good comes of. */
async function untilFailed(agent: AgentProcess): Promise<void> {
  const wanted = await failedPolls(agent) + 2;
  await waitUntil(
    "questions to the URL that fail",
    async () => await failedPolls(agent) >= wanted,
  );
}

async function failedPolls(agent: AgentProcess): Promise<number> {
  const { text } = await agent.get("/metrics");
  const found = /url_polls_total\{result="failed"\} (\d+)/.exec(text);
  return Number(found?.[1] ?? 0);
}
