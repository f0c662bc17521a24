/**
 * What a version promises and what a runtime shows.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { judgeContainerEvents } from "../../../../mod/cri/rpc/features.ts";

const EXPECTED = [
  ["containerd", "1.6.20~ds1", "no"],
  ["containerd", "v1.7.0", "yes"],
  ["containerd", "1.10.3", "yes"],
  ["containerd", "v2.1.4", "yes"],
  ["containerd", "deadbeef", "unknown"],
  ["cri-o", "1.30.0", "unknown"],
] as const;

for (const [runtimeName, runtimeVersion, expected] of EXPECTED) {
  Deno.test(`judgeContainerEvents() says ${expected} for ${runtimeName} ${runtimeVersion}`, () => {
    const version = { runtimeName, runtimeVersion };
    strictEqual(judgeContainerEvents(version), expected);
  });
}
