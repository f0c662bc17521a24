/**
 * The names and the network of pods, as their processes and their neighbours see
 * them.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  ok,
  rejects,
  strictEqual,
} from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import {
  askPort,
  askUdp,
  freePort,
  serveUdp,
  untilSays,
} from "../support/e2e/ask_port.ts";
import {
  execIn,
  idOf,
  sandboxesOf,
  untilLogged,
  untilPodRuns,
} from "../support/e2e/inside.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find } from "../../scripts/lib/pod_views.ts";
import { type TestRuntime, withRuntime } from "../support/e2e/with_runtime.ts";

const SLEEP = ["sleep", "100000"];
const ONE = [{ name: "c", command: SLEEP }];

withRuntime("network from inside", (test) => {
  test("host names: own, overridden, as full name, and one too long (RT-29)", async (runtime) => {
    await using agent = await AgentProcess.start(
      await withKubeletConfig(runtime, { clusterDomain: "cluster.local" }),
    );
    const long = "a".repeat(50);
    const specs: Readonly<Record<string, object>> = {
      plain: { hostname: "till", subdomain: "shop" },
      full: { hostname: "till", subdomain: "shop", setHostnameAsFQDN: true },
      override: { hostnameOverride: "front.desk.example" },
      toolong: {
        hostname: long,
        subdomain: "shop",
        setHostnameAsFQDN: true,
      },
    };
    for (const [name, draft] of Object.entries(specs)) {
      await agent.apply(
        `${name}.json`,
        podManifest(name, { ...draft, containers: ONE }),
      );
    }
    const full = "till.shop.default.svc.cluster.local";
    const expected: Readonly<Record<string, [string, string]>> = {
      plain: ["till", `${full}\ttill`],
      full: [full, `${full}\ttill`],
      override: ["front.desk.example", "front.desk.example"],
    };
    for (const [name, [hostname, names]] of Object.entries(expected)) {
      const pod = await untilPodRuns(agent, name, 1);
      const seen = await inside(runtime, pod, "hostname; cat /etc/hosts");
      const [own, ...hosts] = seen.trim().split("\n");
      strictEqual(own, hostname, name);
      strictEqual(hosts.at(-1), `${pod.status?.podIP}\t${names}`, name);
    }
    await untilLogged(agent, /FailedCreatePodSandBox.*found 81 characters/);
    const waits = find(await agent.pods() ?? [], "toolong");
    strictEqual(waits?.status?.phase, "Pending");
    deepStrictEqual(await sandboxesOf(runtime, waits.metadata.uid), []);
  });

  test("the managed hosts file: aliases, the node's file, a mount of one's own (VO-13)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await Deno.writeTextFile(`${agent.directory}/hosts`, "192.0.2.1 mine\n");
    const hostAliases = [{
      ip: "192.0.2.7",
      hostnames: ["printer", "scanner"],
    }];
    const aliases =
      "\n# Entries added by HostAliases.\n192.0.2.7\tprinter\tscanner\n";
    await agent.apply(
      "pods.json",
      podManifest("pods", {
        hostAliases,
        containers: [...ONE, {
          name: "own",
          command: SLEEP,
          volumeMounts: [{ name: "hosts", mountPath: "/etc/hosts" }],
        }],
        volumes: [{
          name: "hosts",
          hostPath: { path: `${agent.directory}/hosts` },
        }],
      }),
    );
    await agent.apply(
      "node.json",
      podManifest("node", { hostNetwork: true, hostAliases, containers: ONE }),
    );
    const pod = await untilPodRuns(agent, "pods", 2);
    const { podIP } = pod.status ?? {};
    const loopback = [
      "127.0.0.1\tlocalhost",
      "::1\tlocalhost ip6-localhost ip6-loopback",
      "fe00::0\tip6-localnet",
      "fe00::0\tip6-mcastprefix",
      "fe00::1\tip6-allnodes",
      "fe00::2\tip6-allrouters",
    ];
    strictEqual(
      await inside(runtime, pod, "cat /etc/hosts"),
      ["# Kubernetes-managed hosts file.", ...loopback, `${podIP}\tpods-edge1`]
        .join("\n") + `\n${aliases}`,
    );
    strictEqual(
      await execIn(runtime, idOf(pod, "own"), "cat /etc/hosts"),
      "192.0.2.1 mine\n",
    );
    const node = await untilPodRuns(agent, "node", 1);
    strictEqual(
      await inside(runtime, node, "cat /etc/hosts"),
      `# Kubernetes-managed hosts file (host network).\n${await Deno
        .readTextFile("/etc/hosts")}${aliases}`,
    );
  });

  test("resolver settings: the node's trimmed, none, the cluster's (VO-13)", async (runtime) => {
    const directory = await Deno.makeTempDir({ prefix: "skerry-resolv-" });
    await Deno.writeTextFile(
      `${directory}/resolv.conf`,
      [
        ...Array.from({ length: 10 }, (_, i) => `nameserver 192.0.2.${i + 1}`),
        `search ${
          Array.from(
            { length: 60 },
            (_, i) => `d${i}.${"x".repeat(50)}.example`,
          )
            .join(" ")
        }`,
        "options timeout:1",
        "",
      ].join("\n"),
    );
    const options = await withKubeletConfig(runtime, {
      resolvConf: `${directory}/resolv.conf`,
      clusterDNS: ["192.0.2.100"],
      clusterDomain: "cluster.local",
    });
    try {
      await using agent = await AgentProcess.start(options);
      const searches = Array.from({ length: 32 }, (_, i) => `s${i}.example`);
      const none = (more: number) => ({
        dnsPolicy: "None",
        dnsConfig: {
          nameservers: ["192.0.2.53", "192.0.2.54", "192.0.2.55"],
          searches: [...searches, ...searches.slice(0, more)],
          options: [{ name: "ndots", value: "2" }, { name: "edns0" }],
        },
        containers: ONE,
      });
      const specs = {
        node: { dnsPolicy: "Default", containers: ONE },
        none: none(0),
        more: none(1),
        first: { containers: ONE },
      };
      for (const [name, draft] of Object.entries(specs)) {
        await agent.apply(`${name}.json`, podManifest(name, draft));
      }
      const look = async (name: string) => {
        const pod = await untilPodRuns(agent, name, 1);
        return parse(await inside(runtime, pod, "cat /etc/resolv.conf"));
      };
      const node = await look("node");
      deepStrictEqual(node.nameserver, [
        "192.0.2.1",
        "192.0.2.2",
        "192.0.2.3",
      ]);
      deepStrictEqual(node.options, ["timeout:1"]);
      strictEqual(node.search.length, 32);
      ok(node.search.join(" ").length <= 2048);
      await untilLogged(agent, /DNSConfigForming.*found 10, at most 3/);
      await untilLogged(agent, /DNSConfigForming.*found 60, at most 32/);

      const own = await look("none");
      deepStrictEqual(own.nameserver, [
        "192.0.2.53",
        "192.0.2.54",
        "192.0.2.55",
      ]);
      deepStrictEqual(own.search, searches);
      deepStrictEqual(own.options, ["ndots:2", "edns0"]);

      const cluster = await look("first");
      deepStrictEqual(cluster.nameserver, ["192.0.2.100"]);
      deepStrictEqual(cluster.search.slice(0, 3), [
        "default.svc.cluster.local",
        "svc.cluster.local",
        "cluster.local",
      ]);
      deepStrictEqual(cluster.options, ["ndots:5"]);
      const refused = find(await agent.pods() ?? [], "more");
      strictEqual(refused?.status?.reason, "InvalidManifest");
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  });

  test("host ports: TCP and UDP of one number, and one of an address (RT-29)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const port = await freePort();
    const scoped = await freePort();
    await agent.apply(
      "ports.json",
      podManifest("ports", {
        containers: [
          {
            name: "tcp",
            command: ["nc", "-ll", "-p", "80", "-e", "echo", "over-tcp"],
            ports: [
              { containerPort: 80, hostPort: port },
              { containerPort: 81, hostPort: port, protocol: "UDP" },
              {
                containerPort: 80,
                hostPort: scoped,
                hostIP: "127.0.0.1",
              },
            ],
          },
        ],
      }),
    );
    const pod = await untilPodRuns(agent, "ports", 1);
    const gateway = runtime.rig.podNetwork.replace(/0\/24$/, "1");
    const local = "127.0.0.1";
    await untilSays("over-tcp\n", { hostname: local, port });
    await untilSays("over-tcp\n", { hostname: gateway, port });
    const pid = (await runtime.rig.tools.tasks()).get(idOf(pod, "tcp"));
    await using _server = await serveUdp(pid ?? 0, 81);
    strictEqual(await askUdp(gateway, port), "over-udp");
    await untilSays("over-tcp\n", { hostname: local, port: scoped });
    await rejects(askPort(gateway, scoped));
    // Another pod waits for the number, and gets it when it is free.
    await agent.apply(
      "next.json",
      podManifest("next", {
        containers: [{
          name: "c",
          command: ["nc", "-ll", "-p", "80", "-e", "echo", "next"],
          ports: [{ containerPort: 80, hostPort: port }],
        }],
      }),
    );
    await agent.until(
      "the port is taken",
      (pods) => find(pods, "next")?.status?.reason === "NodePorts",
    );
    await agent.removeManifest("ports.json");
    await runtime.untilGone(pod.metadata.uid, agent);
    await rejects(askPort(local, scoped));
    await untilPodRuns(agent, "next", 1);
    await untilSays("next\n", { hostname: local, port });
  });

  test("a pod on the node's network has the node's address", async (runtime) => {
    await using agent = await AgentProcess.start({
      ...runtime.agentOptions(),
      args: ["--node-ip=192.0.2.44"],
    });
    const address = {
      name: "IP",
      valueFrom: { fieldRef: { fieldPath: "status.podIP" } },
    };
    await agent.apply(
      "node.json",
      podManifest("node", {
        hostNetwork: true,
        containers: [{ name: "c", command: SLEEP, env: [address] }],
      }),
    );
    const pod = await untilPodRuns(agent, "node", 1);
    const environment = await inside(
      runtime,
      pod,
      "tr '\\0' '\\n' < /proc/1/environ",
    );
    match(environment, /^IP=192\.0\.2\.44$/m);
    strictEqual(pod.status?.podIP, "192.0.2.44");
  });

  test("addresses are shown from the sandbox to the end, and while a pod ends (ST-09)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const container = (seconds: number, code: number) => [{
      name: "c",
      command: ["sh", "-c", `sleep ${seconds}; exit ${code}`],
    }];
    const spec = { restartPolicy: "Never", terminationGracePeriodSeconds: 600 };
    // The shell ends by SIGKILL only.
    const specs: Readonly<Record<string, Parameters<typeof podManifest>[1]>> = {
      done: { ...spec, containers: container(1, 0) },
      failed: { ...spec, containers: container(1, 3) },
      node: { ...spec, hostNetwork: true, containers: container(1, 0) },
      ending: { ...spec, containers: container(100_000, 0) },
    };
    for (const [name, draft] of Object.entries(specs)) {
      await agent.apply(`${name}.json`, podManifest(name, draft));
    }
    const before = await untilPodRuns(agent, "ending");
    await agent.until(
      "all over",
      (pods) =>
        find(pods, "done")?.status?.phase === "Succeeded" &&
        find(pods, "failed")?.status?.phase === "Failed" &&
        find(pods, "node")?.status?.phase === "Succeeded",
    );
    await agent.removeManifest("ending.json");
    const pods = await agent.until(
      "ending",
      (pods) => find(pods, "ending")?.metadata.deletionTimestamp !== undefined,
    );
    const pod = (name: string) => find(pods, name)?.status;
    for (const name of ["done", "failed", "ending"]) {
      const { podIP, podIPs, hostIP, hostIPs } = pod(name) ?? {};
      match(podIP ?? "", /^10\.244\./, name);
      deepStrictEqual(podIPs, [{ ip: podIP }], name);
      strictEqual(hostIPs?.[0]?.ip, hostIP, name);
    }
    strictEqual(pod("ending")?.podIP, before.status?.podIP);
    ok((pod("node")?.podIPs ?? []).length > 0);
    deepStrictEqual(pod("node")?.podIPs, pod("node")?.hostIPs);
    await runtime.rig.tools.killContainer(idOf(before, "c"));
    await runtime.untilGone(before.metadata.uid, agent);
  });
});

async function inside(
  runtime: TestRuntime,
  pod: Pod,
  script: string,
): Promise<string> {
  return await execIn(runtime, idOf(pod, "c"), script);
}

/** Options of an agent with a KubeletConfiguration. */
async function withKubeletConfig(
  runtime: TestRuntime,
  fields: object,
): Promise<ReturnType<TestRuntime["agentOptions"]>> {
  const path = `${runtime.rig.directory}/kubelet-${crypto.randomUUID()}.json`;
  await Deno.writeTextFile(
    path,
    JSON.stringify({
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      kind: "KubeletConfiguration",
      ...fields,
    }),
  );
  return { ...runtime.agentOptions(), args: [`--config=${path}`] };
}

/** The words of a resolv.conf by keyword. */
function parse(
  text: string,
): Readonly<Record<"nameserver" | "search" | "options", readonly string[]>> {
  const words = (keyword: string) =>
    text.split("\n").map((line) => line.trim().split(/\s+/))
      .filter(([first]) => first === keyword)
      .flatMap(([, ...rest]) => rest);
  return {
    nameserver: words("nameserver"),
    search: words("search"),
    options: words("options"),
  };
}
