/**
 * Installs what the demo, the tests and the bench run on and the machine lacks:
 * containerd, runc, the CNI plugins and a static busybox, all from Debian. Run by
 * itself it also fetches the newer containerd that some tests run besides.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a command-line script that reports progress

import { exists, fetchNewerContainerd } from "./newer_containerd.ts";

/** A program and the Debian package that brings it. */
interface Dependency {
  readonly paths: readonly string[];
  readonly debianPackage: string;
}

const DEPENDENCIES: readonly Dependency[] = [
  {
    paths: ["/usr/bin/containerd", "/usr/local/bin/containerd"],
    debianPackage: "containerd",
  },
  {
    paths: ["/usr/sbin/runc", "/usr/bin/runc", "/usr/local/sbin/runc"],
    debianPackage: "runc",
  },
  {
    paths: ["/usr/lib/cni/bridge", "/opt/cni/bin/bridge"],
    debianPackage: "containernetworking-plugins",
  },
  {
    paths: ["/bin/busybox", "/usr/bin/busybox"],
    debianPackage: "busybox-static",
  },
  {
    paths: ["/sbin/ip", "/usr/sbin/ip", "/bin/ip", "/usr/bin/ip"],
    debianPackage: "iproute2",
  },
  // The bridge plugin looks for it even when it sets no rule.
  {
    paths: ["/usr/sbin/iptables", "/sbin/iptables"],
    debianPackage: "iptables",
  },
];

/** Installs the missing packages; does nothing when all are there. @throws {Error} when that fails */
export async function installDependencies(): Promise<void> {
  const missing = (await Promise.all(
    DEPENDENCIES.map(async (dependency) =>
      await anyExists(dependency.paths) ? [] : [dependency.debianPackage]
    ),
  )).flat();
  if (missing.length === 0) return;
  console.error(`Installing from Debian: ${missing.join(" ")}`);
  await apt(["update"]);
  await apt(["install", "--yes", "--no-install-recommends", ...missing]);
}

async function apt(args: readonly string[]): Promise<void> {
  const { code, stderr } = await new Deno.Command("apt-get", {
    args: ["--quiet", ...args],
    env: { DEBIAN_FRONTEND: "noninteractive" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (code !== 0) {
    throw new Error(
      `Cannot run "apt-get ${args.join(" ")}": it exited ${code}, saying "${
        new TextDecoder().decode(stderr).trim().slice(-500)
      }"; run it as root on Debian, or install the packages by hand`,
    );
  }
}

async function anyExists(paths: readonly string[]): Promise<boolean> {
  for (const path of paths) {
    if (await exists(path)) return true;
  }
  return false;
}

/** Fetches the newer containerd; what needs it is left out where it cannot be had. */
export async function fetchIfPossible(): Promise<void> {
  try {
    await fetchNewerContainerd();
  } catch (error) {
    console.error("All that runs on a newer containerd is SKIPPED:", error);
  }
}

if (import.meta.main) {
  await installDependencies();
  await fetchIfPossible();
}
