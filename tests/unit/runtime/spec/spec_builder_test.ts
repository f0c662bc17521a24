/**
 * Tests of all builders together behind their port.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { NO_OBJECTS } from "../../../support/no_objects.ts";
import type { ResolverConfig } from "../../../../mod/runtime/spec/dns.ts";
import {
  SpecBuilder,
  type SpecBuilderOptions,
} from "../../../../mod/runtime/spec/spec_builder.ts";
import type { SpecNode } from "../../../../mod/runtime/spec/spec_input.ts";
import { pod } from "../../../support/pods.ts";
import {
  containerInput,
  SPEC_NODE,
} from "../../../support/runtime/spec_inputs.ts";
import { target } from "../../../support/services.ts";

function builder(options: Partial<SpecBuilderOptions> = {}): SpecBuilder {
  return new SpecBuilder({
    node: SPEC_NODE,
    podLogsDir: "/logs",
    hostDns: () => undefined,
    clusterDns: [],
    clusterDomain: "cluster.local",
    nodeHostsFile: () => "127.0.0.1 node\n",
    objects: NO_OBJECTS,
    ...options,
  });
}

Deno.test("SpecBuilder.sandbox() follows the node's resolver settings as they change", () => {
  let host: ResolverConfig = {
    servers: ["1.1.1.1"],
    searches: [],
    options: [],
  };
  const specs = builder({ hostDns: () => host });
  const servers = () => {
    const result = specs.sandbox({
      pod: pod({ dnsPolicy: "Default" }),
      attempt: 0,
    });
    return result.kind === "ok" ? result.config.dnsConfig?.servers : undefined;
  };
  deepStrictEqual(servers(), ["1.1.1.1"]);
  host = { ...host, servers: ["2.2.2.2"] };
  deepStrictEqual(servers(), ["2.2.2.2"]);
});

Deno.test("SpecBuilder.sandbox() hands warnings on", () => {
  const asking = pod({ dnsPolicy: "ClusterFirstWithHostNet" });
  const { warnings } = builder().sandbox({ pod: asking, attempt: 0 });
  deepStrictEqual(warnings?.map(({ reason }) => reason), ["MissingClusterDNS"]);
});

Deno.test("SpecBuilder.sandbox() refuses a full name that is too long in words", () => {
  const of = pod({ subdomain: "s".repeat(63), setHostnameAsFQDN: true });
  const result = builder().sandbox({ pod: of, attempt: 0 });
  strictEqual(result.kind, "refused");
  if (result.kind === "refused") match(result.message, /at most 64/);
});

Deno.test("SpecBuilder.sandbox() names the runtime's handler of a RuntimeClass", () => {
  const node: SpecNode = {
    ...SPEC_NODE,
    runtimeClass: (_pod, name) => ({
      kind: "RuntimeClass",
      name,
      handler: "kata",
      overhead: new Map(),
      nodeSelector: {},
    }),
  };
  const of = pod({ runtimeClassName: "sandboxed" });
  const result = builder({ node }).sandbox({ pod: of, attempt: 0 });
  strictEqual(result.kind, "ok");
  strictEqual(result.runtimeHandler, "kata");
});

Deno.test("SpecBuilder.sandbox() refuses by the reason that upstream gives", () => {
  const of = pod({ securityContext: { supplementalGroupsPolicy: "Strict" } });
  const result = builder().sandbox({ pod: of, attempt: 0 });
  strictEqual(
    result.kind === "refused" && result.reason,
    "SupplementalGroupsPolicyNotSupported",
  );
});

Deno.test("SpecBuilder.container() knows the node", () => {
  const { node: _, ...input } = containerInput();
  const result = builder().container(input);
  strictEqual(
    result.kind === "ok" && result.config.linux?.resources?.cpuPeriod,
    100_000n,
  );
});

Deno.test("SpecBuilder.hostsFile() names the pod by the cluster's domain", () => {
  const text = builder().hostsFile(pod({ subdomain: "sub" }), ["10.88.0.7"]);
  match(text, /^10\.88\.0\.7\tweb\.sub\.shop\.svc\.cluster\.local\tweb$/m);
});

Deno.test("SpecBuilder.hostsFile() shows the node's file on the node's network only", () => {
  const specs = builder();
  match(specs.hostsFile(pod({ hostNetwork: true }), []), /127\.0\.0\.1 node/);
  strictEqual(specs.hostsFile(pod(), ["10.88.0.7"]).includes("node\n"), false);
});

const WITH_SERVICES = {
  services: () => [target(), target({ name: "db", namespace: "back" })],
};
const LAST_LINES = [
  "10.88.0.9\tweb.shop.svc.DOMAIN\tweb.shop.svc\tweb.shop\tweb",
  "10.88.0.9\tdb.back.svc.DOMAIN\tdb.back.svc\tdb.back",
].join("\n");

Deno.test("SpecBuilder.hostsFile() names Services only if it is told to", () => {
  const plain = builder().hostsFile(pod(), ["10.88.0.7"]);
  const silent = { ...WITH_SERVICES, hostsOfServices: false };
  for (const options of [WITH_SERVICES, silent, { hostsOfServices: true }]) {
    strictEqual(builder(options).hostsFile(pod(), ["10.88.0.7"]), plain);
  }
});

Deno.test("SpecBuilder.hostsFile() names Services in the cluster's domain, or the usual one", () => {
  for (
    const [clusterDomain, shown] of [
      ["edge.test", "edge.test"],
      ["", "cluster.local"],
    ] as const
  ) {
    const options = { ...WITH_SERVICES, hostsOfServices: true, clusterDomain };
    const content = builder(options).hostsFile(pod(), ["10.88.0.7"]);
    const lines = LAST_LINES.replaceAll("DOMAIN", shown);
    strictEqual(content.split("# Entries of Services.\n")[1], `${lines}\n`);
  }
});

Deno.test("SpecBuilder.hostsFile() names no Services to a pod of a cluster", () => {
  const annotations = { "kubernetes.io/config.source": "api" };
  const options = { ...WITH_SERVICES, hostsOfServices: true };
  const content = builder(options).hostsFile(pod({ annotations }), [
    "10.88.0.7",
  ]);
  strictEqual(content.includes("Entries of Services"), false);
});

Deno.test("SpecBuilder.container() tells of Services as they are at the start", () => {
  let services = [target({ ports: [] })];
  const specs = builder({ services: () => services });
  const envs = () => {
    const result = specs.container(containerInput());
    return result.kind === "ok" ? result.config.envs : undefined;
  };
  deepStrictEqual(envs(), [{ key: "WEB_SERVICE_HOST", value: "10.88.0.9" }]);
  services = [];
  deepStrictEqual(envs(), []);
});
