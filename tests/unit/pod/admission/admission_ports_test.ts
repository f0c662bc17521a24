/**
 * Tests of whether the node's ports that a pod wants are free.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  hasPortConflict,
  takenPorts,
} from "../../../../mod/pod/admission/admission_ports.ts";
import {
  type AdmissionRow,
  listening,
  testRows,
} from "../../../support/pod/admission_rows.ts";
import { container, pod as makePod, sidecar } from "../../../support/pods.ts";

const TAKEN = { reason: "NodePorts" };

const PORTS: readonly AdmissionRow[] = [
  {
    title: "the same port",
    pod: listening({ hostPort: 80 }),
    others: [listening({ hostPort: 80 })],
    ...TAKEN,
  },
  {
    title: "another port",
    pod: listening({ hostPort: 81 }),
    others: [listening({ hostPort: 80 })],
  },
  {
    title: "the port of a container only",
    pod: listening({ hostPort: 0 }),
    others: [listening({ hostPort: 0 })],
  },
  {
    title: "no port of the node, like another pod",
    pod: { containers: [container("a", { ports: [{ containerPort: 80 }] })] },
    others: [{
      containers: [container("a", { ports: [{ containerPort: 80 }] })],
    }],
  },
  {
    title: "RT-29: the same number of another protocol",
    pod: listening({ hostPort: 53, protocol: "UDP" }),
    others: [listening({ hostPort: 53, protocol: "TCP" })],
  },
  {
    title: "RT-29: the same port on another address",
    pod: listening({ hostPort: 80, hostIP: "192.0.2.1" }),
    others: [listening({ hostPort: 80, hostIP: "192.0.2.2" })],
  },
  {
    title: "RT-29: the same port on the same address",
    pod: listening({ hostPort: 80, hostIP: "192.0.2.1" }),
    others: [listening({ hostPort: 80, hostIP: "192.0.2.1" })],
    ...TAKEN,
  },
  {
    title: "RT-29: a port that another has on all addresses",
    pod: listening({ hostPort: 80, hostIP: "192.0.2.1" }),
    others: [listening({ hostPort: 80, hostIP: "0.0.0.0" })],
    ...TAKEN,
  },
  {
    title: "a port on all addresses that another has on one",
    pod: listening({ hostPort: 80 }),
    others: [listening({ hostPort: 80, hostIP: "2001:db8::1" })],
    ...TAKEN,
  },
  {
    title: "the same IPv6 address, spelled in two ways",
    pod: listening({ hostPort: 80, hostIP: "2001:db8::1" }),
    others: [listening({ hostPort: 80, hostIP: "2001:db8:0:0::1" })],
    ...TAKEN,
  },
  {
    title: "TCP where no protocol is named",
    pod: listening({ hostPort: 80, protocol: "TCP" }),
    others: [listening({ hostPort: 80 })],
    ...TAKEN,
  },
  {
    title: "a port of a sidecar",
    pod: listening({ hostPort: 80 }),
    others: [{
      initContainers: [
        sidecar("s", { ports: [{ containerPort: 1, hostPort: 80 }] }),
      ],
    }],
    ...TAKEN,
  },
  {
    title: "a port of an init container that ends",
    pod: listening({ hostPort: 80 }),
    others: [{
      initContainers: [
        container("i", { ports: [{ containerPort: 1, hostPort: 80 }] }),
      ],
    }],
  },
  {
    title: "one taken port among free ones",
    pod: listening({ hostPort: 81 }, { hostPort: 80 }),
    others: [listening({ hostPort: 79 }), listening({ hostPort: 80 })],
    ...TAKEN,
  },
];

testRows(PORTS);

Deno.test("hasPortConflict() and takenPorts() find what a look at each pair of ports finds", () => {
  const port = fc.record({
    containerPort: fc.constant(1),
    hostPort: fc.integer({ min: 0, max: 3 }),
    protocol: fc.constantFrom("TCP", "UDP"),
    hostIP: fc.constantFrom("", "0.0.0.0", "10.0.0.1", "::1", "0:0::1"),
  });
  const ports = fc.array(port, { maxLength: 4 });
  const any = new Set(["", "0.0.0.0"]);
  const spelled = (ip: string) => ip === "0:0::1" ? "::1" : ip;
  fc.assert(
    fc.property(ports, fc.array(ports, { maxLength: 3 }), (own, all) => {
      const collides = (a: typeof own[number], b: typeof own[number]) =>
        a.hostPort > 0 && a.hostPort === b.hostPort &&
        a.protocol === b.protocol &&
        (any.has(a.hostIP) || any.has(b.hostIP) ||
          spelled(a.hostIP) === spelled(b.hostIP));
      const podOf = (name: string, ports: typeof own) =>
        makePod({ metadata: { name }, containers: [{ name: "c", ports }] });
      const others = all.map((each, at) => podOf(`p${at}`, each));
      const expected = own.filter((a) =>
        all.flat().some((b) => collides(a, b))
      );
      const pod = podOf("own", own);
      strictEqual(hasPortConflict(pod, others), expected.length > 0);
      deepStrictEqual(
        takenPorts(pod, others).map(({ port, protocol }) => [port, protocol]),
        expected.map(({ hostPort, protocol }) => [hostPort, protocol]),
      );
    }),
  );
});
