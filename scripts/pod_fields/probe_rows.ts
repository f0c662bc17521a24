/**
 * Rows of probes, and of the ways to ask that only they have.
 *
 * @module
 */

import { container, done, type TypeRows } from "./row.ts";

const HTTP = { httpGet: { port: 80 } };
const probe = (fields: Readonly<Record<string, unknown>>) =>
  container({ livenessProbe: { ...HTTP, ...fields } });

/** The types below a probe, but for those that hooks have as well. */
export const PROBE_PARTS: Readonly<Record<string, TypeRows>> = {
  TCPSocketAction: {
    host: done(
      "probes",
      "",
      container({
        livenessProbe: { tcpSocket: { port: 80, host: "10.88.0.9" } },
      }),
    ),
    port: done(
      "probes",
      "",
      container({ livenessProbe: { tcpSocket: { port: 80 } } }),
      81,
    ),
  },
  Probe: {
    exec: done(
      "probes",
      "variables with a fixed value are filled in",
      container({ livenessProbe: { exec: { command: ["/x"] } } }),
      { command: ["/y"] },
    ),
    failureThreshold: done("probes", "", probe({ failureThreshold: 2 })),
    grpc: done(
      "probes",
      "",
      container({ livenessProbe: { grpc: { port: 80 } } }),
      { port: 81 },
    ),
    httpGet: done("probes", "", probe({}), { port: 81 }),
    initialDelaySeconds: done("probes", "", probe({ initialDelaySeconds: 2 })),
    periodSeconds: done("probes", "", probe({ periodSeconds: 2 })),
    successThreshold: done(
      "probes",
      "",
      container({ readinessProbe: { ...HTTP, successThreshold: 2 } }),
    ),
    tcpSocket: done(
      "probes",
      "",
      container({ livenessProbe: { tcpSocket: { port: 80 } } }),
      { port: 81 },
    ),
    terminationGracePeriodSeconds: done(
      "stop",
      "of a container that a probe ends, also the last of its pod",
      probe({ terminationGracePeriodSeconds: 2 }),
    ),
    timeoutSeconds: done(
      "probes",
      "",
      container({
        livenessProbe: { exec: { command: ["/x"] }, timeoutSeconds: 2 },
      }),
    ),
  },
  GRPCAction: {
    port: done(
      "probes",
      "",
      container({ livenessProbe: { grpc: { port: 80 } } }),
      81,
    ),
    service: done(
      "probes",
      "",
      container({ livenessProbe: { grpc: { port: 80, service: "s" } } }),
    ),
  },
};
