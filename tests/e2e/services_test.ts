/**
 * Services, as the programs of pods find them.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find } from "../../scripts/lib/pod_views.ts";
import { execIn, idOf, untilPodRuns } from "../support/e2e/inside.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

const SERVICE = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "shop" },
  spec: {
    selector: { app: "web" },
    ports: [{ name: "http", port: 80, targetPort: "http" }],
  },
};

const ASK_ITSELF = ["wget", "-q", "-O", "-", "http://127.0.0.1:8080/"];

/** A pod of namespace `shop` that answers at port 8080 with its own words. */
function server(): Record<string, unknown> {
  const pod = podManifest("server", {
    containers: [{
      name: "c",
      command: [
        "sh",
        "-c",
        "mkdir /w && echo good day > /w/index.html && exec httpd -f -p 8080 -h /w",
      ],
      ports: [{ name: "http", containerPort: 8080 }],
      readinessProbe: { exec: { command: ASK_ITSELF }, periodSeconds: 1 },
    }],
  });
  const labels = { app: "web" };
  return { ...pod, metadata: { name: "server", namespace: "shop", labels } };
}

/** A pod that waits to be told what to do. */
function client(name: string, namespace: string): Record<string, unknown> {
  const command = ["sleep", "100000"];
  const pod = podManifest(name, { containers: [{ name: "c", command }] });
  return { ...pod, metadata: { name, namespace } };
}

withRuntime("Services from inside", (test) => {
  test("a client reaches a server by its variables and by its names", async (runtime) => {
    const { args = [], ...options } = runtime.agentOptions();
    await using agent = await AgentProcess.start({
      ...options,
      args: [...args, "--hosts-of-services"],
    });
    await agent.apply("service.json", SERVICE);
    await agent.apply("server.json", server());
    const pods = await agent.until(
      "the server is ready",
      (pods) =>
        find(pods, "server")?.status?.conditions?.some((each) =>
          each.type === "Ready" && each.status === "True"
        ) === true,
    );
    const { podIP = "" } = find(pods, "server")?.status ?? {};
    ok(podIP);
    await agent.apply("client.json", client("client", "shop"));
    await agent.apply("other.json", client("other", "default"));
    const near = idOf(await untilPodRuns(agent, "client"), "c");
    const ask = (id: string, url: string) =>
      execIn(runtime, id, `wget -q -O - "${url}"`);
    strictEqual(
      await ask(near, "http://$WEB_SERVICE_HOST:$WEB_SERVICE_PORT/"),
      "good day\n",
    );
    strictEqual(
      await ask(near, "http://$WEB_PORT_80_TCP_ADDR:$WEB_SERVICE_PORT_HTTP/"),
      "good day\n",
    );
    const names = ["web.shop", "web.shop.svc", "web.shop.svc.cluster.local"];
    for (const name of ["web", ...names]) {
      strictEqual(await ask(near, `http://${name}:8080/`), "good day\n", name);
    }
    const far = idOf(await untilPodRuns(agent, "other"), "c");
    for (const name of names) {
      strictEqual(await ask(far, `http://${name}:8080/`), "good day\n", name);
    }
    const seen = await execIn(runtime, far, "env; cat /etc/hosts");
    deepStrictEqual(
      seen.split("\n").filter((line) => line.includes("web")),
      [`${podIP}\tweb.shop.svc.cluster.local\tweb.shop.svc\tweb.shop`],
    );
    strictEqual(/WEB_/.test(seen), false);
  });
});
