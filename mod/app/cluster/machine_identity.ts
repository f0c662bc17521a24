/**
 * What a machine, and an agent on it, are known by.
 *
 * @module
 */

import { readFileBounded, writeFileAtomic } from "../../host/files/mod.ts";
import type { AgentConfig } from "../../config/mod.ts";
import type { MachineIdentity } from "./node_pictures.ts";

const MAX_BYTES = 64 * 1024;

/** As Go names processors. */
const ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ["x86_64", "amd64"],
  ["aarch64", "arm64"],
]);

/**
 * Asks the machine; what the sandbox hides is made up once and kept: an ID of the boot in
 * the run directory, which no reboot leaves, one of the machine in the root directory.
 *
 * @param etc where the machine's own files lie
 */
export async function readMachineIdentity(
  { paths }: {
    readonly paths: Pick<AgentConfig["paths"], "rootDir" | "runDir">;
  },
  etc: string = "/etc",
): Promise<MachineIdentity> {
  const machineID = (await readText(`${etc}/machine-id`)).trim() ||
    (await keptId(`${paths.rootDir}/machine-id`)).replaceAll("-", "");
  const release = await readText(`${etc}/os-release`);
  return {
    machineID,
    bootID: await keptId(`${paths.runDir}/boot-id`),
    kernelVersion: Deno.osRelease(),
    osImage: prettyName(release) ?? "Linux",
    architecture: ARCHITECTURES.get(Deno.build.arch) ?? Deno.build.arch,
  };
}

/** What an os-release file calls the system. */
function prettyName(release: string): string | undefined {
  const line = release.split("\n").find((each) => each.startsWith(NAME_FIELD));
  const name = line?.slice(NAME_FIELD.length).replaceAll('"', "").trim();
  return name === "" ? undefined : name;
}

const NAME_FIELD = "PRETTY_NAME=";

/**
 * An ID that is made once for a place on the disk; where nothing can be written, it is
 * another one after each start of the agent.
 */
export async function keptId(path: string): Promise<string> {
  const known = (await readText(path)).trim();
  if (/^[0-9a-f-]{36}$/.test(known)) return known;
  const made = crypto.randomUUID();
  const bytes = new TextEncoder().encode(`${made}\n`);
  try {
    await writeFileAtomic(path, bytes, { mode: 0o644 });
  } catch {
    // A disk that is full or read-only must not keep the agent from its pods.
  }
  return made;
}

async function readText(path: string): Promise<string> {
  try {
    const read = await readFileBounded(path, MAX_BYTES);
    return read.kind === "read" ? new TextDecoder().decode(read.bytes) : "";
  } catch {
    // Hidden, or not readable: the agent does without.
    return "";
  }
}
