/**
 * Tests of a pod's resolver settings.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import {
  type NodeDns,
  parseResolvConf,
  podDns,
  type ResolverConfig,
} from "../../../../mod/runtime/spec/dns.ts";
import { pod } from "../../../support/pods.ts";

const HOST: ResolverConfig = {
  servers: ["192.168.1.1"],
  searches: ["lan"],
  options: ["timeout:2"],
};
const ALONE: NodeDns = {
  host: undefined,
  clusterDns: [],
  clusterDomain: "",
  nodeIp: "10.0.0.5",
};
const JOINED: NodeDns = {
  host: HOST,
  clusterDns: ["10.96.0.10"],
  clusterDomain: "cluster.local",
  nodeIp: "10.0.0.5",
};

const FILES: readonly {
  readonly text: string;
  readonly expected: ResolverConfig;
}[] = [
  { text: "", expected: { servers: [], searches: [], options: [] } },
  {
    text: "nameserver 1.1.1.1\nnameserver\t2.2.2.2\n",
    expected: { servers: ["1.1.1.1", "2.2.2.2"], searches: [], options: [] },
  },
  {
    text: "search a.b\nsearch c.d. . e",
    expected: { servers: [], searches: ["c.d", "e"], options: [] },
  },
  {
    text: "options ndots:1 rotate\noptions ndots:3",
    expected: { servers: [], searches: [], options: ["ndots:3", "rotate"] },
  },
  {
    text:
      "# nameserver 9.9.9.9\n;search x\n  nameserver 1.1.1.1  \r\nnameserver",
    expected: { servers: ["1.1.1.1"], searches: [], options: [] },
  },
];

for (const { text, expected } of FILES) {
  Deno.test(`parseResolvConf() reads ${JSON.stringify(text)}`, () => {
    deepStrictEqual(parseResolvConf(text), expected);
  });
}

const CLUSTER: ResolverConfig = {
  servers: ["10.96.0.10"],
  searches: [
    "shop.svc.cluster.local",
    "svc.cluster.local",
    "cluster.local",
    "lan",
  ],
  options: ["ndots:5"],
};

const POLICIES: readonly {
  readonly policy: string | undefined;
  readonly hostNetwork?: boolean;
  readonly expected: ResolverConfig;
}[] = [
  { policy: "None", expected: { servers: [], searches: [], options: [] } },
  { policy: "Default", expected: HOST },
  { policy: "ClusterFirst", expected: CLUSTER },
  { policy: undefined, expected: CLUSTER },
  { policy: "ClusterFirst", hostNetwork: true, expected: HOST },
  { policy: "ClusterFirstWithHostNet", hostNetwork: true, expected: CLUSTER },
];

for (const { policy, hostNetwork, expected } of POLICIES) {
  Deno.test(`podDns() follows ${policy} with hostNetwork ${hostNetwork}`, () => {
    const dns = podDns(
      pod({
        ...(policy === undefined ? {} : { dnsPolicy: policy }),
        ...(hostNetwork === undefined ? {} : { hostNetwork }),
      }),
      JOINED,
    );
    deepStrictEqual(dns, { config: expected, warnings: [] });
  });
}

Deno.test("podDns() gives the loopback address when the node's settings are not used", () => {
  deepStrictEqual(podDns(pod({ dnsPolicy: "Default" }), ALONE).config, {
    servers: ["127.0.0.1"],
    searches: ["."],
    options: [],
  });
});

Deno.test("podDns() gives the IPv6 loopback address on an IPv6 node", () => {
  const node = { ...ALONE, nodeIp: "fd00::5" };
  deepStrictEqual(podDns(pod({ dnsPolicy: "Default" }), node).config.servers, [
    "::1",
  ]);
});

Deno.test("podDns() gives a pod that asks for nothing the node's settings without a word", () => {
  const dns = podDns(pod(), { ...ALONE, host: HOST });
  deepStrictEqual(dns, { config: HOST, warnings: [] });
});

Deno.test("podDns() says that a cluster DNS asked for is not there", () => {
  const asking = pod({ dnsPolicy: "ClusterFirstWithHostNet" });
  const dns = podDns(asking, { ...ALONE, host: HOST });
  deepStrictEqual(dns.config, HOST);
  deepStrictEqual(dns.warnings.map(({ reason }) => reason), [
    "MissingClusterDNS",
  ]);
});

Deno.test("podDns() uses only the node's search domains without a cluster domain", () => {
  const { config } = podDns(pod(), { ...JOINED, clusterDomain: "" });
  deepStrictEqual(config.searches, ["lan"]);
});

Deno.test("podDns() appends the pod's own settings without repeating any", () => {
  const own = pod({
    dnsPolicy: "Default",
    dnsConfig: {
      nameservers: ["192.168.1.1", "8.8.8.8"],
      searches: ["lan", "my.dns"],
      options: [{ name: "timeout", value: "9" }, { name: "edns0" }],
    },
  });
  deepStrictEqual(podDns(own, JOINED).config, {
    servers: ["192.168.1.1", "8.8.8.8"],
    searches: ["lan", "my.dns"],
    options: ["timeout:9", "edns0"],
  });
});

function numbered(count: number, make: (index: number) => string): string[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

Deno.test("podDns() keeps three servers and warns of more", () => {
  const host = { ...HOST, servers: numbered(10, (i) => `10.0.0.${i}`) };
  const dns = podDns(pod({ dnsPolicy: "Default" }), { ...JOINED, host });
  deepStrictEqual(dns.config.servers, ["10.0.0.0", "10.0.0.1", "10.0.0.2"]);
  strictEqual(dns.warnings[0]?.reason, "DNSConfigForming");
  match(dns.warnings[0]?.message ?? "", /10\.0\.0\.0 10\.0\.0\.1 10\.0\.0\.2/);
});

const SEARCHES: readonly {
  readonly title: string;
  readonly searches: readonly string[];
  readonly kept: number;
}[] = [
  { title: "32 domains", searches: numbered(32, (i) => `d${i}`), kept: 32 },
  { title: "33 domains", searches: numbered(33, (i) => `d${i}`), kept: 32 },
  {
    title: "2048 characters",
    // 8 domains of 255 characters and a space would be 2047, but 253 is the limit
    // of one: 8 * 253 + 7 + 1 + 16 = 2048.
    searches: [...numbered(8, (i) => `${i}`.repeat(253)), "e".repeat(16)],
    kept: 9,
  },
  {
    title: "2049 characters",
    searches: [...numbered(8, (i) => `${i}`.repeat(253)), "e".repeat(17)],
    kept: 8,
  },
  { title: "a domain of 254", searches: ["x".repeat(254), "ok"], kept: 1 },
];

for (const { title, searches, kept } of SEARCHES) {
  Deno.test(`podDns() keeps ${kept} search domains of ${title}`, () => {
    const node = { ...JOINED, host: { ...HOST, searches } };
    const dns = podDns(pod({ dnsPolicy: "Default" }), node);
    strictEqual(dns.config.searches.length, kept);
    deepStrictEqual(
      dns.warnings.map(({ reason }) => reason),
      kept === searches.length ? [] : ["DNSConfigForming"],
    );
  });
}
