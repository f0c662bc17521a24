/**
 * Versions of runtimes that are known to be dangerous.
 *
 * @module
 */

import type { RuntimeVersion } from "./model/mod.ts";

/** One flaw of the runtime that runs. */
export interface Advisory {
  readonly id: string;
  /** What can happen. */
  readonly danger: string;
  /** What the agent does about it, or the operator can. */
  readonly mitigation: string;
  /** The versions that mended it, one for each line of releases. */
  readonly fixedIn: readonly string[];
}

/** By the name of the runtime. */
const FLAWS: ReadonlyMap<string, readonly Advisory[]> = new Map([
  ["containerd", [
    {
      id: "CVE-2024-40635",
      danger: "an image whose user id is above 2147483647 may run as root",
      mitigation: "with runAsNonRoot such an image is refused",
      fixedIn: ["1.6.38", "1.7.27", "2.0.4"],
    },
    {
      id: "CVE-2023-25173",
      danger: "supplementary groups of a container are not set up in full",
      mitigation:
        "none: do not keep anything from a group by denying it to that group",
      fixedIn: ["1.5.18", "1.6.18"],
    },
    {
      id: "CVE-2022-23471",
      danger: "sessions with a terminal can exhaust the runtime's memory",
      mitigation: "the agent opens none",
      fixedIn: ["1.5.16", "1.6.12"],
    },
    {
      id: "CVE-2022-31030",
      danger: "the output of an exec hook can exhaust the runtime's memory",
      mitigation: "none: run exec hooks and probes of trusted images only",
      fixedIn: ["1.5.13", "1.6.6"],
    },
  ]],
  ["cri-o", [
    {
      id: "CVE-2022-0811",
      danger: "the value of a sysctl can set another one, on the whole node",
      mitigation: "manifests with such values are refused",
      fixedIn: ["1.19.6", "1.20.7", "1.21.6", "1.22.3", "1.23.2"],
    },
  ]],
]);

/**
 * The known flaws of a runtime, by the version that it reports. A distribution
 * may remove a flaw without raising the version, so an advisory may be out of date.
 */
export function runtimeAdvisories(
  version: RuntimeVersion,
): readonly Advisory[] {
  const found = parseVersion(version.runtimeVersion);
  if (found === undefined) return [];
  const flaws = FLAWS.get(version.runtimeName.toLowerCase()) ?? [];
  return flaws.filter(({ fixedIn }) => isBeforeFix(found, fixedIn));
}

type Version = readonly [number, number, number];

function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(text) ?? [];
  return patch === undefined
    ? undefined
    : [Number(major), Number(minor), Number(patch)];
}

/** Lines of releases after the last that was mended have never had the flaw. */
function isBeforeFix(found: Version, fixedIn: readonly string[]): boolean {
  const [major, minor, patch] = found;
  const fixes = fixedIn.map(parseVersion).filter((fix) => fix !== undefined);
  const sameLine = fixes.find((fix) => fix[0] === major && fix[1] === minor);
  if (sameLine !== undefined) return patch < sameLine[2];
  return fixes.some((fix) =>
    major < fix[0] || major === fix[0] && minor < fix[1]
  );
}
