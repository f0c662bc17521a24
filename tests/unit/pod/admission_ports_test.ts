/**
 * Tests of whether the node's ports that a pod wants are free.
 *
 * @module
 */

import { listening, type Row, testRows } from "./admission_rows.ts";
import { sidecarSpec, spec } from "./builders.ts";

const TAKEN = { reason: "NodePorts" };

const PORTS: readonly Row[] = [
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
    pod: { containers: [spec("a", { ports: [{ containerPort: 80 }] })] },
    others: [{ containers: [spec("a", { ports: [{ containerPort: 80 }] })] }],
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
        sidecarSpec("s", { ports: [{ containerPort: 1, hostPort: 80 }] }),
      ],
    }],
    ...TAKEN,
  },
  {
    title: "a port of an init container that ends",
    pod: listening({ hostPort: 80 }),
    others: [{
      initContainers: [
        spec("i", { ports: [{ containerPort: 1, hostPort: 80 }] }),
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
