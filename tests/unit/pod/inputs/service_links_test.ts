/**
 * Tests of how containers learn of Services.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import {
  serviceHostLines,
  serviceVariables,
} from "../../../../mod/pod/inputs/service_links.ts";
import type { ServiceTarget } from "../../../../mod/pod/inputs/service_target.ts";
import { target } from "../../../support/services.ts";

function lines(...targets: readonly ServiceTarget[]): string[] {
  return Array.from(
    serviceVariables(targets),
    ([name, value]) => `${name}=${value}`,
  );
}

const PLAIN = { name: "", protocol: "TCP" } as const;

// Upstream: TestFromServices, without the Services that have no address there.
Deno.test("serviceVariables() gives the variables of upstream's FromServices, in its order", () => {
  const found = lines(
    target({
      name: "foo-bar",
      address: "1.2.3.4",
      ports: [{ ...PLAIN, port: 8080, target: 8080 }],
    }),
    target({
      name: "abc-123",
      address: "5.6.7.8",
      ports: [
        { name: "u-d-p", protocol: "UDP", port: 8081, target: 8081 },
        { name: "t-c-p", protocol: "TCP", port: 8081, target: 8081 },
      ],
    }),
    target({
      name: "q-u-u-x",
      address: "9.8.7.6",
      ports: [
        { ...PLAIN, port: 8082, target: 8082 },
        { ...PLAIN, name: "8083", port: 8083, target: 8083 },
      ],
    }),
  );
  deepStrictEqual(found, [
    "FOO_BAR_SERVICE_HOST=1.2.3.4",
    "FOO_BAR_SERVICE_PORT=8080",
    "FOO_BAR_PORT=tcp://1.2.3.4:8080",
    "FOO_BAR_PORT_8080_TCP=tcp://1.2.3.4:8080",
    "FOO_BAR_PORT_8080_TCP_PROTO=tcp",
    "FOO_BAR_PORT_8080_TCP_PORT=8080",
    "FOO_BAR_PORT_8080_TCP_ADDR=1.2.3.4",
    "ABC_123_SERVICE_HOST=5.6.7.8",
    "ABC_123_SERVICE_PORT=8081",
    "ABC_123_SERVICE_PORT_U_D_P=8081",
    "ABC_123_SERVICE_PORT_T_C_P=8081",
    "ABC_123_PORT=udp://5.6.7.8:8081",
    "ABC_123_PORT_8081_UDP=udp://5.6.7.8:8081",
    "ABC_123_PORT_8081_UDP_PROTO=udp",
    "ABC_123_PORT_8081_UDP_PORT=8081",
    "ABC_123_PORT_8081_UDP_ADDR=5.6.7.8",
    "ABC_123_PORT_8081_TCP=tcp://5.6.7.8:8081",
    "ABC_123_PORT_8081_TCP_PROTO=tcp",
    "ABC_123_PORT_8081_TCP_PORT=8081",
    "ABC_123_PORT_8081_TCP_ADDR=5.6.7.8",
    "Q_U_U_X_SERVICE_HOST=9.8.7.6",
    "Q_U_U_X_SERVICE_PORT=8082",
    "Q_U_U_X_SERVICE_PORT_8083=8083",
    "Q_U_U_X_PORT=tcp://9.8.7.6:8082",
    "Q_U_U_X_PORT_8082_TCP=tcp://9.8.7.6:8082",
    "Q_U_U_X_PORT_8082_TCP_PROTO=tcp",
    "Q_U_U_X_PORT_8082_TCP_PORT=8082",
    "Q_U_U_X_PORT_8082_TCP_ADDR=9.8.7.6",
    "Q_U_U_X_PORT_8083_TCP=tcp://9.8.7.6:8083",
    "Q_U_U_X_PORT_8083_TCP_PROTO=tcp",
    "Q_U_U_X_PORT_8083_TCP_PORT=8083",
    "Q_U_U_X_PORT_8083_TCP_ADDR=9.8.7.6",
  ]);
});

Deno.test("serviceVariables() names the Service's port and tells the pod's", () => {
  const ports = [{ ...PLAIN, name: "http", port: 80, target: 8080 }];
  deepStrictEqual(lines(target({ ports })), [
    "WEB_SERVICE_HOST=10.88.0.9",
    "WEB_SERVICE_PORT=8080",
    "WEB_SERVICE_PORT_HTTP=8080",
    "WEB_PORT=tcp://10.88.0.9:8080",
    "WEB_PORT_80_TCP=tcp://10.88.0.9:8080",
    "WEB_PORT_80_TCP_PROTO=tcp",
    "WEB_PORT_80_TCP_PORT=8080",
    "WEB_PORT_80_TCP_ADDR=10.88.0.9",
  ]);
});

Deno.test("serviceVariables() puts an IPv6 address into brackets in a URL only", () => {
  deepStrictEqual(lines(target({ address: "fd00::9" })), [
    "WEB_SERVICE_HOST=fd00::9",
    "WEB_SERVICE_PORT=8080",
    "WEB_PORT=tcp://[fd00::9]:8080",
    "WEB_PORT_80_TCP=tcp://[fd00::9]:8080",
    "WEB_PORT_80_TCP_PROTO=tcp",
    "WEB_PORT_80_TCP_PORT=8080",
    "WEB_PORT_80_TCP_ADDR=fd00::9",
  ]);
});

Deno.test("serviceVariables() gives the host of a Service without ports", () => {
  deepStrictEqual(
    lines(target({ ports: [] }), target({ name: "db", address: "::1" })),
    [
      "WEB_SERVICE_HOST=10.88.0.9",
      "DB_SERVICE_HOST=::1",
      "DB_SERVICE_PORT=8080",
      "DB_PORT=tcp://[::1]:8080",
      "DB_PORT_80_TCP=tcp://[::1]:8080",
      "DB_PORT_80_TCP_PROTO=tcp",
      "DB_PORT_80_TCP_PORT=8080",
      "DB_PORT_80_TCP_ADDR=::1",
    ],
  );
});

Deno.test("serviceHostLines() gives the bare name in the own namespace only", () => {
  const targets = [
    target(),
    target({ name: "db", namespace: "back", address: "10.88.0.4" }),
  ];
  const options = { namespace: "shop", clusterDomain: "edge.test" };
  deepStrictEqual(serviceHostLines(targets, options), [
    "10.88.0.9\tweb.shop.svc.edge.test\tweb.shop.svc\tweb.shop\tweb",
    "10.88.0.4\tdb.back.svc.edge.test\tdb.back.svc\tdb.back",
  ]);
});
