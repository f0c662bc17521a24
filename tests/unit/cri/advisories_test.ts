/**
 * Which versions of runtimes are warned of (SE-15).
 *
 * @module
 */

import { deepStrictEqual, ok } from "node:assert/strict";
import { runtimeAdvisories } from "../../../mod/cri/advisories.ts";

const OVERFLOW = "CVE-2024-40635";
const GROUPS = "CVE-2023-25173";
const TERMINAL = "CVE-2022-23471";
const EXEC = "CVE-2022-31030";

const ROWS: readonly (readonly [string, string, readonly string[]])[] = [
  ["containerd", "1.4.13", [OVERFLOW, GROUPS, TERMINAL, EXEC]],
  ["containerd", "1.5.17", [OVERFLOW, GROUPS]],
  ["containerd", "1.6.5", [OVERFLOW, GROUPS, TERMINAL, EXEC]],
  ["containerd", "v1.6.11", [OVERFLOW, GROUPS, TERMINAL]],
  ["containerd", "1.6.12", [OVERFLOW, GROUPS]],
  ["containerd", "1.6.20~ds1", [OVERFLOW]],
  ["containerd", "1.6.38", []],
  ["containerd", "1.7.26", [OVERFLOW]],
  ["containerd", "1.7.27", []],
  ["containerd", "2.0.3", [OVERFLOW]],
  ["containerd", "2.0.4", []],
  ["containerd", "2.2.0-rc.1", []],
  ["cri-o", "1.22.2", ["CVE-2022-0811"]],
  ["cri-o", "1.23.2", []],
  ["cri-o", "1.30.0", []],
  ["cri-dockerd", "0.3.4", []],
  ["containerd", "unknown", []],
];

for (const [runtimeName, runtimeVersion, expected] of ROWS) {
  Deno.test(`runtimeAdvisories() names the flaws of ${runtimeName} ${runtimeVersion} (SE-15)`, () => {
    const advisories = runtimeAdvisories({
      runtimeName,
      runtimeVersion,
    });
    deepStrictEqual(advisories.map(({ id }) => id), expected);
    ok(advisories.every(({ danger, mitigation }) => danger && mitigation));
  });
}
