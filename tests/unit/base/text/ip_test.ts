import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  cidrContains,
  parseCidr,
  parseIp,
} from "../../../../mod/base/text/ip.ts";

const ips: readonly [text: string, ipv6: boolean, value: bigint][] = [
  ["0.0.0.0", false, 0n],
  ["10.88.0.5", false, 0x0a580005n],
  ["255.255.255.255", false, 0xffffffffn],
  ["::", true, 0n],
  ["::1", true, 1n],
  ["fd00::5", true, 0xfd00n << 112n | 5n],
  ["1:2:3:4:5:6:7:8", true, 0x00010002000300040005000600070008n],
  ["1:2:3:4:5:6:7::", true, 0x00010002000300040005000600070000n],
  ["::ffff:10.88.0.5", false, 0x0a580005n],
  ["64:ff9b::1.2.3.4", true, 0x0064ff9bn << 96n | 0x01020304n],
];
for (const [text, ipv6, value] of ips) {
  Deno.test(`parseIp() reads ${text}`, () => {
    deepStrictEqual(parseIp(text), { ipv6, value });
  });
}

const noIps = [
  "",
  "1.2.3",
  "1.2.3.4.5",
  "1.2.3.256",
  "01.2.3.4",
  "1.2.3.x",
  ":",
  ":::",
  "1::2::3",
  "1:2:3:4:5:6:7",
  "1:2:3:4:5:6:7:8:9",
  "1:2:3:4:5:6:7:8::",
  "12345::",
  "::1.2.3.4:5",
  "fe80::1%eth0",
  "example.org",
];
for (const text of noIps) {
  Deno.test(`parseIp() refuses "${text}"`, () => {
    strictEqual(parseIp(text), undefined);
  });
}

for (
  const text of [
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "/8",
    "::/129",
    "10.0.0.0/-1",
  ]
) {
  Deno.test(`parseCidr() refuses "${text}"`, () => {
    strictEqual(parseCidr(text), undefined);
  });
}

const contains: readonly [
  network: string,
  address: string,
  expected: boolean,
][] = [
  ["10.88.0.0/16", "10.88.255.255", true],
  ["10.88.0.0/16", "10.89.0.0", false],
  ["10.88.7.9/16", "10.88.0.1", true],
  ["0.0.0.0/0", "203.0.113.7", true],
  ["0.0.0.0/0", "::1", false],
  ["10.0.0.1", "10.0.0.1", true],
  ["10.0.0.1", "10.0.0.2", false],
  ["fd00::/8", "fdff::1", true],
  ["fd00::/8", "fe80::1", false],
  ["::/0", "10.0.0.1", false],
  ["junk", "10.0.0.1", false],
  ["10.0.0.0/8", "junk", false],
];
for (const [network, address, expected] of contains) {
  Deno.test(`cidrContains() is ${expected} for ${address} in ${network}`, () => {
    strictEqual(cidrContains(network, address), expected);
  });
}
