/**
 * What the machine says of itself while a disk hangs.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { Devices, limitMachine } from "../../../mod/usage/limited_machine.ts";
import { NodeMeter } from "../../../mod/usage/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const LEFT = { capacity: 10, available: 1 };
const DISK = { bytes: LEFT, inodes: LEFT };
const never = (): Promise<never> => new Promise(() => {});

Deno.test("limitMachine() has the rest of the node measured while a disk hangs, and asks that one seldom", async () => {
  const clock = new FakeClock();
  let asked = 0;
  const machine = limitMachine({
    memory: () => LEFT,
    swap: () => LEFT,
    cpuNanos: () => 7n,
    processes: () => Promise.resolve(LEFT),
    fileSystem: (path) => {
      if (path !== "/images") return Promise.resolve(DISK);
      asked++;
      return never();
    },
  }, clock);
  const podsMemory = () => Promise.resolve(LEFT);
  const paths = { nodeFs: "/", imageFs: "/images" };
  const meter = new NodeMeter({ machine, podsMemory }, paths);
  let measured = 0;
  for (let look = 0; look < 5 * 360; look++) {
    void meter.measure().then(({ memory, nodeFs, imageFs }) => {
      deepStrictEqual([memory, nodeFs, imageFs], [LEFT, DISK, undefined]);
      measured++;
    });
    await clock.advance(10_000);
  }
  strictEqual(measured, 5 * 360);
  strictEqual(asked, 9);
});

Deno.test("Devices takes a path that does not answer for one that is not there", async () => {
  const clock = new FakeClock();
  const found = new Map([["/a", 1], ["/b", 2], ["/c", 1]]);
  const devices = new Devices({
    clock,
    stat: async (path) => ({ dev: found.get(path) ?? await never() }),
  });
  strictEqual(await devices.differ("/a", "/b"), true);
  strictEqual(await devices.differ("/a", "/c"), false);
  strictEqual(await devices.areSame("/a", "/c"), true);
  const judged = devices.differ("/a", "/hung");
  await clock.advance(3000);
  strictEqual(await judged, false);
  strictEqual(await devices.areSame("/a", "/hung"), false);
});
