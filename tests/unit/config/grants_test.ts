/**
 * Permissions that follow from settings.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { AgentConfig } from "../../../mod/config/agent_config.ts";
import {
  checkGrants,
  deriveGrants,
  type PermissionQuery,
} from "../../../mod/config/grants.ts";
import {
  deriveClientGrants,
  mergeGrants,
  NO_GRANTS,
} from "../../../scripts/lib/command_grants.ts";
import { grantsToFlags } from "../../../scripts/lib/launch_flags.ts";
import { parseRunArguments } from "../../../mod/config/run_arguments.ts";
import { fakeIo } from "../../support/config/config_io.ts";

async function configOf(...args: readonly string[]): Promise<AgentConfig> {
  const parsed = await parseRunArguments(args, fakeIo());
  if (parsed.kind === "refused") throw new Error(parsed.faults.join("\n"));
  return parsed.config;
}

const ADDRESSES = [
  ...["127.0.0.1", "::1", "192.168.1.5", "fe80::1", "FE90::1", "fd00::5"],
];

Deno.test("deriveGrants() gives the defaults exactly these flags", async () => {
  const grants = deriveGrants(await configOf(), ADDRESSES);
  deepStrictEqual(grantsToFlags(grants), [
    "--no-prompt",
    "--ignore-env",
    "--allow-read=/var/lib/skerry,/run/skerry,/run/containerd/containerd.sock,/var/log/pods,/etc/skerry/manifests,/etc/resolv.conf,/etc/hosts",
    "--allow-write=/var/lib/skerry,/run/skerry,/run/containerd/containerd.sock,/var/log/pods",
    "--allow-net=unix:/run/containerd/containerd.sock,unix:/run/skerry/skerry.sock,unix:/run/skerry/skerry.sock.new,127.0.0.1:10248,192.168.1.5,[fd00::5]",
    "--allow-sys=cpus,hostname,networkInterfaces,statfs,systemMemoryInfo",
    "--deny-import",
  ]);
});

Deno.test("deriveGrants() follows every path and network option", async () => {
  const config = await configOf(
    "--root-dir=/a",
    "--control-socket=/b/c.sock",
    "--pod-manifest-path=/m/one.yaml",
    "--pod-logs-dir=/l",
    "--container-runtime-endpoint=unix:///r/cri.sock",
    "--pod-network=10.1.0.0/16,fd00::/64",
    "--node-ip=10.0.0.7",
    "--healthz-port=0",
    "--host-path-roots=/srv/data,/srv/data/in",
    "--host-path-roots=/mnt",
    "--host-view=/v",
    "--image-credentials=/h/one.json",
    "--image-credentials=/h/two.json",
  );
  const grants = deriveGrants(config, ADDRESSES);
  const targets = (kind: keyof typeof grants) =>
    grants[kind].map(({ target }) => target);
  deepStrictEqual(targets("write"), [
    "/a",
    "/b/c.sock",
    "/r/cri.sock",
    "/l",
    "/srv/data",
    "/mnt",
    "/v",
    "/b/c.sock.new",
  ]);
  deepStrictEqual(targets("read"), [
    ...targets("write"),
    "/m",
    "/h/one.json",
    "/h/two.json",
    "/etc/resolv.conf",
    "/etc/hosts",
  ]);
  deepStrictEqual(targets("net"), [
    "unix:/r/cri.sock",
    "unix:/b/c.sock",
    "unix:/b/c.sock.new",
    "10.1.0.0/16",
    "10.0.0.7",
  ]);
});

Deno.test("deriveGrants() opens the service manager's socket, and the agent's own end", async () => {
  const config = await configOf(
    "--notify-socket=/run/systemd/notify",
    "--run-dir=/r",
  );
  const { write, net } = deriveGrants(config, []);
  const of = (grants: typeof write) =>
    grants.filter(({ option }) => option === "--notify-socket")
      .map(({ target }) => target);
  deepStrictEqual(of(write), ["/run/systemd/notify"]);
  deepStrictEqual(of(net), ["unix:/run/systemd/notify", "unix:/r/notify.sock"]);
});

for (
  const [path, granted] of [
    ["/m/one.yaml", "/m"],
    ["/m/one.yml", "/m"],
    ["/m/one.json", "/m"],
    ["/m/web.yaml/pods", "/m/web.yaml/pods"],
    ["/m/pods", "/m/pods"],
    ["/one.yaml", "/one.yaml"],
  ] as const
) {
  Deno.test(`deriveGrants() opens "${granted}" for the manifests of "${path}" (SRC-17)`, async () => {
    const config = await configOf(`--pod-manifest-path=${path}`);
    const of = (option: string) =>
      deriveGrants(config, []).read.filter((grant) => grant.option === option);
    deepStrictEqual(of("--pod-manifest-path"), [
      { target: granted, option: "--pod-manifest-path" },
    ]);
  });
}

Deno.test("deriveGrants() names the option of each thing on the network", async () => {
  const config = await configOf(
    "--container-runtime-endpoint=/r/cri.sock",
    "--manifest-url=http://u:p@h.example/x?y=1",
    "--pod-network=10.1.0.0/16,fd00::/64",
    "--pod-network=10.2.0.0/16",
  );
  const { runtime } = config;
  const grants = deriveGrants(
    { ...config, runtime: { ...runtime, imageSocketPath: "/i.sock" } },
    ADDRESSES,
  );
  deepStrictEqual(
    grants.net.map(({ target, option }) => `${target} of ${option}`),
    [
      "unix:/r/cri.sock of --container-runtime-endpoint",
      "unix:/i.sock of imageServiceEndpoint",
      "unix:/run/skerry/skerry.sock of --control-socket",
      "unix:/run/skerry/skerry.sock.new of --control-socket",
      "127.0.0.1:10248 of --healthz-port",
      "h.example:80 of --manifest-url",
      "10.1.0.0/16 of --pod-network",
      "10.2.0.0/16 of --pod-network",
      "192.168.1.5 of --node-ip",
      "[fd00::5] of --node-ip",
    ],
  );
});

Deno.test("grantsToFlags() leaves out kinds without a target, which would grant all", () => {
  deepStrictEqual(grantsToFlags(NO_GRANTS), [
    "--no-prompt",
    "--ignore-env",
    "--deny-import",
  ]);
});

Deno.test("grantsToFlags() never opens programs, native code or a whole kind", async () => {
  const flags = grantsToFlags(deriveGrants(await configOf(), ADDRESSES));
  for (const flag of flags) {
    ok(!/^--allow-(?:run|ffi|env|all|import)/.test(flag), flag);
    ok(!/^--allow-\w+$/.test(flag), flag);
  }
});

Deno.test("deriveClientGrants() gives the socket and the file, nothing else", () => {
  const grants = deriveClientGrants({
    controlSocket: "/run/s.sock",
    configPath: "/etc/c.yaml",
  });
  deepStrictEqual(grantsToFlags(grants), [
    "--no-prompt",
    "--ignore-env",
    "--allow-read=/run/s.sock,/etc/c.yaml",
    "--allow-write=/run/s.sock",
    "--allow-net=unix:/run/s.sock",
    "--deny-import",
  ]);
});

Deno.test("mergeGrants() drops what another grant covers, but no mere namesake", () => {
  const read = (...targets: readonly string[]) => ({
    ...NO_GRANTS,
    read: targets.map((target) => ({ target, option: "x" })),
  });
  const merged = mergeGrants(read("/a/b", "/ab"), read("/a", "/ab"));
  deepStrictEqual(merged.read.map(({ target }) => target), ["/ab", "/a"]);
});

Deno.test("checkGrants() is content when everything is granted", async () => {
  const grants = deriveGrants(
    await configOf("--pod-network=10.1.0.0/16"),
    ADDRESSES,
  );
  const asked: Deno.PermissionDescriptor[] = [];
  const query: PermissionQuery = (descriptor) => {
    asked.push(descriptor);
    return Promise.resolve({ state: "granted" });
  };
  deepStrictEqual(await checkGrants(grants, query), []);
  const count = grants.read.length + grants.write.length + grants.net.length +
    grants.sys.length;
  strictEqual(asked.length, count);
  deepStrictEqual(
    asked.flatMap((each) => each.name === "net" ? [each.host] : []),
    [
      "unix:/run/containerd/containerd.sock",
      "unix:/run/skerry/skerry.sock",
      "unix:/run/skerry/skerry.sock.new",
      "127.0.0.1:10248",
      // Deno answers for addresses, not for networks.
      "10.1.0.0",
      "192.168.1.5",
      "[fd00::5]",
    ],
  );
  deepStrictEqual(
    asked.flatMap((each) => each.name === "sys" ? [each.kind] : []),
    grants.sys.map(({ target }) => target),
  );
  deepStrictEqual(
    asked.flatMap((each) => each.name === "write" ? [each.path] : []),
    grants.write.map(({ target }) => target),
  );
});

Deno.test("checkGrants() names the path, the missing grant and the option", async () => {
  const grants = deriveGrants(await configOf("--root-dir=/other"), ADDRESSES);
  const query: PermissionQuery = (descriptor) =>
    Promise.resolve({
      state: descriptor.name === "write" && descriptor.path === "/other"
        ? "prompt"
        : "granted",
    });
  const faults = await checkGrants(grants, query);
  strictEqual(faults.length, 1);
  ok(
    faults[0]?.startsWith(
      'Cannot use "/other" of --root-dir: found no write grant',
    ),
  );
  ok(faults[0]?.includes("deno task compile"));
});

for (
  const [argument, path, option] of [
    ["--host-path-roots=/srv/data", "/srv/data", "--host-path-roots"],
    ["--host-view=/v", "/v", "--host-view"],
  ] as const
) {
  Deno.test(`checkGrants() names ${path} when ${option} was not compiled in`, async () => {
    const grants = deriveGrants(await configOf(argument), ADDRESSES);
    const faults = await checkGrants(grants, (descriptor) =>
      Promise.resolve({
        state: "path" in descriptor && descriptor.path === path
          ? "prompt"
          : "granted",
      }));
    deepStrictEqual(
      faults.map((fault) => fault.slice(0, fault.indexOf(" grant"))),
      ["read", "write"].map((kind) =>
        `Cannot use "${path}" of ${option}: found no ${kind}`
      ),
    );
  });
}
