/**
 * The addresses of the node that a cluster is told.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import {
  NodeAddresses,
  nodeIpFault,
} from "../../../../mod/app/cluster/node_addresses.ts";
import { linesTo } from "../../../support/log_lines.ts";

const OWN = [
  ...["127.0.0.1", "169.254.1.1", "192.0.2.7", "224.0.0.5", "0.0.0.0"],
  ...["::1", "fe80::7", "febf::7", "2001:db8::7", "ff02::1", "::"],
];

for (
  const [address, found] of [
    ["192.0.2.7", undefined],
    ["2001:db8::7", undefined],
    ["2001:0db8:0:0::0007", undefined],
    ["192.0.2.8", "one that no interface here has"],
    ["2001:db8::8", "one that no interface here has"],
    ["::c000:207", "one that no interface here has"],
    ["127.0.0.1", "a loopback address"],
    ["127.9.9.9", "a loopback address"],
    ["::1", "a loopback address"],
    ["169.254.1.1", "a link-local address"],
    ["fe80::7", "a link-local address"],
    ["febf::7", "a link-local address"],
    ["fec0::7", "one that no interface here has"],
    ["224.0.0.5", "a multicast address"],
    ["240.0.0.5", "one that no interface here has"],
    ["ff02::1", "a multicast address"],
    ["0.0.0.0", "the one that stands for all"],
    ["::", "the one that stands for all"],
  ] as const
) {
  Deno.test(`nodeIpFault() of ${address}: ${found ?? "none"}`, () => {
    const fault = nodeIpFault(address, OWN);
    strictEqual(
      fault,
      found &&
        `Cannot use --node-ip ${address}: found ${found}, wanted an address of this machine by which others reach it`,
    );
  });
}

Deno.test("NodeAddresses has those of both families, then the name of the node", () => {
  const ips = { current: ["192.0.2.7", "2001:db8::7"] };
  const log: string[] = [];
  const list = () => OWN.map((address) => ({ address }));
  const addresses = new NodeAddresses(
    { log: linesTo(log), ips, list },
    "edge1",
  );
  deepStrictEqual(addresses.current, [
    { type: "InternalIP", address: "192.0.2.7" },
    { type: "InternalIP", address: "2001:db8::7" },
    { type: "Hostname", address: "edge1" },
  ]);
  deepStrictEqual(log, []);
});

Deno.test("NodeAddresses has none as long as the machine has none, or not all of those that are wanted", () => {
  const ips: { current: readonly string[] } = { current: [] };
  let own = ["192.0.2.7"];
  const log: string[] = [];
  const list = () => own.map((address) => ({ address }));
  const addresses = new NodeAddresses(
    { log: linesTo(log), ips, list },
    "edge1",
  );
  const told = () => addresses.current?.length;
  strictEqual(told(), undefined);
  deepStrictEqual(log, []);
  ips.current = ["192.0.2.7", "192.0.2.8"];
  deepStrictEqual([told(), told()], [undefined, undefined]);
  strictEqual(log.length, 1);
  match(log.join(), /node_ip_refused.*192\.0\.2\.8: found one that no/);
  own = ["192.0.2.7", "192.0.2.8"];
  deepStrictEqual([told(), told()], [3, 3]);
  strictEqual(log.length, 2);
  match(log.join(), /node_ip_usable/);
});
