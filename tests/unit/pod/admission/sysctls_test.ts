/**
 * Tests of which kernel settings a pod may ask for.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import {
  dottedSysctl,
  sysctlPatternProblem,
  sysctlProblems,
} from "../../../../mod/pod/admission/sysctls.ts";
import type { PodSpec } from "../../../../mod/api/types/mod.ts";

interface Case {
  readonly title: string;
  readonly name: string;
  readonly value?: string;
  readonly spec?: Partial<PodSpec>;
  readonly allowed?: readonly string[];
  readonly expected?: string | RegExp;
}

function problems(
  { name, value = "1", spec = {}, allowed = [] }: Case,
): readonly string[] {
  const sysctls = [{ name, value }];
  return sysctlProblems({
    spec: { containers: [], ...spec, securityContext: { sysctls } },
  }, allowed);
}

const CASES: readonly Case[] = [
  { title: "a safe one", name: "kernel.shm_rmid_forced" },
  { title: "a safe one with slashes", name: "net/ipv4/tcp_syncookies" },
  {
    title: "several numbers",
    name: "net.ipv4.ip_local_port_range",
    value: "1024 65000",
  },
  {
    title: "numbers with tabs",
    name: "net.ipv4.tcp_rmem",
    value: "4096\t87380\t6291456",
  },
  {
    title: "an empty value",
    name: "net.ipv4.ip_local_reserved_ports",
    value: "",
  },
  {
    title: "one that is not on the list",
    name: "kernel.msgmax",
    expected: 'forbidden sysctl: "kernel.msgmax" not allowlisted',
  },
  {
    title: "one that the operator allows by name",
    name: "kernel.msgmax",
    allowed: ["kernel.msgmax"],
  },
  {
    title: "one that the operator allows by its beginning",
    name: "net.core.somaxconn",
    allowed: ["net.core.*"],
  },
  {
    title: "one that the operator allows with slashes",
    name: "net.core.somaxconn",
    allowed: ["net/core/somaxconn"],
  },
  {
    title: "one beside a pattern",
    name: "net.core.somaxconn",
    allowed: ["net.ipv4.*", "net.core.somax"],
    expected: 'forbidden sysctl: "net.core.somaxconn" not allowlisted',
  },
  {
    title: "one of no namespace, whatever is allowed",
    name: "kernel.core_pattern",
    value: "x",
    allowed: ["kernel.*", "kernel.core_pattern"],
    expected: 'forbidden sysctl: "kernel.core_pattern" not allowlisted',
  },
  {
    title: "one of the network on the node's network",
    name: "net/ipv4/tcp_syncookies",
    spec: { hostNetwork: true },
    expected:
      'forbidden sysctl: "net.ipv4.tcp_syncookies" not allowed with host net enabled',
  },
  {
    title: "one of the network with the node's IPC",
    name: "net.ipv4.tcp_syncookies",
    spec: { hostIPC: true },
  },
  {
    title: "one of the IPC namespace with the node's",
    name: "kernel.shm_rmid_forced",
    spec: { hostIPC: true },
    expected:
      'forbidden sysctl: "kernel.shm_rmid_forced" not allowed with host ipc enabled',
  },
  {
    title: "an allowed one of the IPC namespace with the node's",
    name: "kernel.sem",
    spec: { hostIPC: true },
    allowed: ["kernel.sem"],
    expected:
      'forbidden sysctl: "kernel.sem" not allowed with host ipc enabled',
  },
  {
    title: "a value that brings another setting",
    name: "kernel.shm_rmid_forced",
    value: "1+kernel.core_pattern=|/x",
    expected:
      /^forbidden sysctl: "kernel\.shm_rmid_forced" not allowed with value "1\+/,
  },
  ...["1\n2", "1 ", " 1", "1  2", "1\0", "1\r", "a=b", "|/x", "$(id)"].map(
    (value): Case => ({
      title: `the value ${JSON.stringify(value)}`,
      name: "kernel.shm_rmid_forced",
      value,
      expected: /not allowed with value/,
    }),
  ),
];

for (const row of CASES) {
  const verdict = row.expected === undefined ? "takes" : "forbids";
  Deno.test(`sysctlProblems() ${verdict} ${row.title} (SE-06)`, () => {
    const found = problems(row);
    const { expected } = row;
    if (expected === undefined) {
      deepStrictEqual(found, []);
      return;
    }
    strictEqual(found.length, 1);
    if (typeof expected === "string") strictEqual(found[0], expected);
    else match(found[0] ?? "", expected);
  });
}

Deno.test("sysctlProblems() names every setting that is forbidden", () => {
  const sysctls = ["kernel.a", "kernel.shm_rmid_forced", "kernel.b"].map(
    (name) => ({ name, value: "1" }),
  );
  const spec = { containers: [], securityContext: { sysctls } };
  strictEqual(sysctlProblems({ spec }, []).length, 2);
});

for (
  const [name, expected] of [
    ["net.ipv4.conf.eth0/1.arp_accept", "net.ipv4.conf.eth0/1.arp_accept"],
    ["net/ipv4/conf/eth0.1/arp_accept", "net.ipv4.conf.eth0/1.arp_accept"],
    ["kernel/shm_rmid_forced", "kernel.shm_rmid_forced"],
  ] as const
) {
  Deno.test(`dottedSysctl() writes "${name}" with dots`, () => {
    strictEqual(dottedSysctl(name), expected);
  });
}

for (
  const [pattern, isGood] of [
    ["net.*", true],
    ["net.core.somaxconn", true],
    ["kernel.msg*", true],
    ["kernel/shm*", true],
    ["kernel.sem", true],
    ["fs.mqueue.*", true],
    ["*", false],
    ["kernel.*", false],
    ["vm.swappiness", false],
    ["net.*.x", false],
    ["", false],
  ] as const
) {
  Deno.test(`sysctlPatternProblem() ${isGood ? "takes" : "refuses"} "${pattern}"`, () => {
    strictEqual(sysctlPatternProblem(pattern) === undefined, isGood);
  });
}
