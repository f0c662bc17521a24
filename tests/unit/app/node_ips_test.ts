/**
 * The node's addresses over time.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { NodeIps } from "../../../mod/app/node_ips.ts";
import { createLogger } from "../../../mod/base/telemetry/mod.ts";
import type { NodeAddress } from "../../../mod/host/machine/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const LOOPBACK = address("127.0.0.1");

function address(text: string): NodeAddress {
  return {
    family: text.includes(":") ? "IPv6" : "IPv4",
    address: text,
  };
}

/** A machine whose interfaces a test changes. */
class Machine {
  readonly clock = new FakeClock();
  readonly log: string[] = [];
  interfaces: readonly NodeAddress[] = [LOOPBACK];
  granted: ReadonlySet<string> = new Set();
  looks = 0;

  ips(...configured: readonly string[]): NodeIps {
    return new NodeIps(configured, {
      clock: this.clock,
      log: createLogger({
        level: "info",
        format: "text",
        clock: this.clock,
        write: (line) => this.log.push(line),
      }),
      list: () => {
        this.looks++;
        return this.interfaces;
      },
      isGranted: (each) => this.granted.has(each),
    });
  }
}

Deno.test("NodeIps finds an address that DHCP gives after the start, and one that it changes", async () => {
  const machine = new Machine();
  machine.granted = new Set(["192.168.1.5"]);
  const ips = machine.ips();
  deepStrictEqual(ips.current, []);
  machine.interfaces = [LOOPBACK, address("fe80::1"), address("192.168.1.5")];
  await machine.clock.advance(10_000);
  deepStrictEqual([ips.current, ips.reachable], [
    ["192.168.1.5"],
    ["192.168.1.5"],
  ]);
  strictEqual(machine.log.length, 0);
  machine.interfaces = [LOOPBACK, address("192.168.1.77")];
  await machine.clock.advance(10_000);
  deepStrictEqual([ips.current, ips.reachable], [["192.168.1.77"], []]);
  match(machine.log[0] ?? "", /node_address_changed from=192.168.1.5/);
  match(
    machine.log[1] ?? "",
    /node_address_not_granted address=192.168.1.77 .*--node-ip/,
  );
});

Deno.test("NodeIps keeps an address while an interface has it, and while there is no other", async () => {
  const machine = new Machine();
  machine.interfaces = [address("192.168.1.5")];
  const ips = machine.ips();
  deepStrictEqual(ips.current, ["192.168.1.5"]);
  for (
    const interfaces of [
      [address("172.17.0.1"), address("192.168.1.5")],
      [LOOPBACK, address("169.254.3.4")],
    ]
  ) {
    machine.interfaces = interfaces;
    await machine.clock.advance(10_000);
    deepStrictEqual(ips.current, ["192.168.1.5"]);
  }
});

Deno.test("NodeIps asks the machine once in ten seconds, and never when told", async () => {
  const machine = new Machine();
  const ips = machine.ips();
  for (let time = 0; time < 100; time++) ips.current;
  strictEqual(machine.looks, 1);
  await machine.clock.advance(10_000);
  ips.current;
  strictEqual(machine.looks, 2);
  deepStrictEqual(machine.ips("192.0.2.1").current, ["192.0.2.1"]);
  strictEqual(machine.looks, 2);
});
