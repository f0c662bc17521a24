/**
 * What containers are told of Services: variables in the request, names in the hosts file.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { alone } from "../../support/agent/manifests.ts";

const HOSTS = { flags: ["--hosts-of-services"] };

/** A Service of the default namespace: its port 80 is port `http` of its pods. */
function webService(spec: Readonly<Record<string, unknown>> = {}): unknown {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web" },
    spec: {
      selector: { app: "web" },
      ports: [{ port: 80, targetPort: "http" }],
      ...spec,
    },
  };
}

/** A pod of the Service, which listens at port 8080. */
function server(
  name: string,
  spec: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const ports = [{ name: "http", containerPort: 8080 }];
  return alone(name, { ports }, { labels: { app: "web" }, spec });
}

async function untilReady(rig: CoreRig, name: string): Promise<string> {
  const status = () => rig.status(name);
  await rig.until(
    () =>
      status()?.conditions?.some((each) =>
        each.type === "Ready" && each.status === "True"
      ) === true,
    `${name} to be ready`,
  );
  return status()?.podIP ?? "";
}

/** The variables of Services in the request of the one running container of a name. */
function linksOf(rig: CoreRig, name: string): Record<string, string> {
  const decoder = new TextDecoder();
  return Object.fromEntries(
    rig.only(name).config.envs.map(({ key, value }) => [
      key,
      decoder.decode(value),
    ]),
  );
}

async function hostsOf(rig: CoreRig, name: string): Promise<string> {
  const [mount] = rig.only(name).config.mounts
    .filter(({ containerPath }) => containerPath === "/etc/hosts");
  ok(mount !== undefined);
  return await Deno.readTextFile(mount.hostPath);
}

Deno.test("Agent tells a container of the Service that has a ready pod", async () => {
  await using rig = await CoreRig.start(HOSTS);
  await rig.apply("service", webService());
  await rig.apply("server", server("server"));
  const ip = await untilReady(rig, "server");
  await rig.apply("client", alone("client"));
  await untilReady(rig, "client");
  deepStrictEqual(linksOf(rig, "client"), {
    WEB_SERVICE_HOST: ip,
    WEB_SERVICE_PORT: "8080",
    WEB_PORT: `tcp://${ip}:8080`,
    WEB_PORT_80_TCP: `tcp://${ip}:8080`,
    WEB_PORT_80_TCP_PROTO: "tcp",
    WEB_PORT_80_TCP_PORT: "8080",
    WEB_PORT_80_TCP_ADDR: ip,
  });
  strictEqual(
    (await hostsOf(rig, "client")).split("# Entries of Services.\n")[1],
    `${ip}\tweb.default.svc.cluster.local\tweb.default.svc\tweb.default\tweb\n`,
  );
  // When the server itself was started, nothing of it was ready.
  deepStrictEqual(linksOf(rig, "server"), {});
});

Deno.test("Agent tells of a Service by variables only, unless it is told otherwise", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("service", webService({ clusterIP: "None", ports: [] }));
  await rig.apply("server", server("server"));
  const ip = await untilReady(rig, "server");
  await rig.apply("client", alone("client"));
  await untilReady(rig, "client");
  deepStrictEqual(linksOf(rig, "client"), { WEB_SERVICE_HOST: ip });
  const content = await hostsOf(rig, "client");
  match(content, /localhost/);
  ok(!content.includes("web"), content);
});

Deno.test("Agent starts a container without a Service that has no ready pod, and tells the next one", async () => {
  await using rig = await CoreRig.start(HOSTS);
  await rig.apply("service", webService());
  await rig.apply("client", alone("client"));
  await untilReady(rig, "client");
  deepStrictEqual(linksOf(rig, "client"), {});
  ok(!(await hostsOf(rig, "client")).includes("web"));
  await rig.apply("server", server("server"));
  const ip = await untilReady(rig, "server");
  // The container that runs is left alone; the one after it knows.
  const { id } = rig.only("client");
  await rig.pass(5_000);
  strictEqual(rig.only("client").id, id);
  deepStrictEqual(linksOf(rig, "client"), {});
  rig.fake.exitContainer(id, 1);
  await rig.until(
    () => rig.fake.running("client").some((each) => each.id !== id),
    "the next container",
  );
  strictEqual(linksOf(rig, "client")["WEB_SERVICE_HOST"], ip);
  match(await hostsOf(rig, "client"), new RegExp(`\n${ip}\tweb\\.default`));
});

Deno.test("Agent restarts nothing for a Service that is edited or goes", async () => {
  await using rig = await CoreRig.start(HOSTS);
  await rig.apply("service", webService());
  await rig.apply("server", server("server"));
  await untilReady(rig, "server");
  await rig.apply("client", alone("client"));
  await untilReady(rig, "client");
  const before = rig.fake.calls.length;
  await rig.apply("service", webService({ selector: { app: "db" } }));
  await rig.pass(5_000);
  await rig.remove("service");
  await rig.pass(5_000);
  deepStrictEqual(rig.mutations(before), []);
  await rig.apply("late", alone("late"));
  await untilReady(rig, "late");
  deepStrictEqual(linksOf(rig, "late"), {});
});

Deno.test("Agent leads to the node for a pod on its network, and to the oldest pod that is ready", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("service", webService());
  await rig.apply("node", server("node", { hostNetwork: true }));
  strictEqual(await untilReady(rig, "node"), "192.0.2.1");
  await rig.pass(2_000);
  await rig.apply("second", server("second"));
  const ip = await untilReady(rig, "second");
  await rig.apply("client", alone("client"));
  await untilReady(rig, "client");
  strictEqual(linksOf(rig, "client")["WEB_SERVICE_HOST"], "192.0.2.1");
  await rig.remove("node");
  await rig.until(() => rig.fake.running("node").length === 0, "its end");
  await rig.apply("late", alone("late"));
  await untilReady(rig, "late");
  strictEqual(linksOf(rig, "late")["WEB_SERVICE_HOST"], ip);
});
