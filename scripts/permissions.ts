/**
 * Which permissions a skerry command line needs: the answer shared by the
 * launcher, the tests and the benchmarks.
 *
 * @module
 */

import { resolve } from "node:path";
import { listFiles } from "../mod/cli/mod.ts";
import {
  type Command,
  type CommandName,
  parseCommand,
} from "../mod/cli/parse/mod.ts";
import {
  type ConfigIo,
  deriveGrants,
  findControlSocket,
  type Grants,
  parseKubeletArguments,
  parseRunArguments,
} from "../mod/config/mod.ts";
import {
  deriveClientGrants,
  deriveFolderGrants,
  deriveReadGrants,
  mergeGrants,
  NO_GRANTS,
} from "./lib/command_grants.ts";
import { FEATURE_FLAGS, grantsToFlags, V8_FLAGS } from "./lib/launch_flags.ts";

/** The grants of a command line, or every reason why it is refused. */
export type GrantsResult =
  | { readonly kind: "ok"; readonly grants: Grants }
  | {
    readonly kind: "refused";
    readonly topic: CommandName | undefined;
    readonly faults: readonly string[];
  };

/** Settings and facts from this machine; relative paths start at `cwd`. */
export function machineIo(cwd: string = Deno.cwd()): ConfigIo {
  return {
    cwd: () => cwd,
    hostname: () => Deno.hostname(),
    readTextFile: (path) => Deno.readTextFile(path),
    listFiles,
  };
}

/** Addresses of this machine's interfaces. */
export function machineAddresses(): readonly string[] {
  return Deno.networkInterfaces().map(({ address }) => address);
}

/** Derives what the command of `args` may touch, and nothing more. */
export async function grantsForArguments(
  args: readonly string[],
  io: ConfigIo,
  addresses: () => readonly string[],
): Promise<GrantsResult> {
  const parsed = parseCommand(args);
  if (parsed.kind === "refused") return parsed;
  const { command } = parsed;
  switch (command.kind) {
    case "help":
    case "version":
    case "kubelet_version":
      return { kind: "ok", grants: NO_GRANTS };
    case "validate":
      return { kind: "ok", grants: deriveReadGrants(filesOf(command, io)) };
    case "install": {
      const run = await parseRunArguments(command.args, { ...io, cwd: root });
      if (run.kind === "refused") return { ...run, topic: "install" };
      const { configPath } = run.config;
      const files = configPath === undefined ? [] : [configPath];
      return { kind: "ok", grants: hostnameAnd(deriveReadGrants(files)) };
    }
    case "run":
    case "kubelet":
      return await grantsForAgent(command, io, addresses);
    case "get_pods":
    case "get_objects":
    case "get_events":
    case "get_sources":
    case "images":
    case "top":
    case "df":
    case "describe_pod":
    case "describe_objects":
    case "explain_pod":
    case "explain_service":
    case "logs":
    case "metrics": {
      const found = await findControlSocket(command.location, io);
      if (found.kind === "refused") return { ...found, topic: undefined };
      const { configPath, path: controlSocket } = found;
      return {
        kind: "ok",
        grants: deriveClientGrants({ controlSocket, configPath }),
      };
    }
    case "apply":
    case "diff":
    case "delete":
    case "change":
    case "rollout_status":
    case "rollout_history":
    case "rollout_undo":
      return await grantsForFolder(command, io);
  }
}

type AgentRun = Extract<Command, { readonly kind: "run" | "kubelet" }>;

async function grantsForAgent(
  { kind, args }: AgentRun,
  io: ConfigIo,
  addresses: () => readonly string[],
): Promise<GrantsResult> {
  const parse = kind === "run" ? parseRunArguments : parseKubeletArguments;
  const run = await parse(args, io);
  return run.kind === "refused"
    ? { ...run, topic: kind }
    : { kind: "ok", grants: deriveGrants(run.config, addresses()) };
}

type FolderCommand = Extract<Command, { readonly dryRun: boolean }>;

/** Those that change manifests, and only those, may write them. */
async function grantsForFolder(
  command: FolderCommand,
  io: ConfigIo,
): Promise<GrantsResult> {
  const found = await findControlSocket(command.location, io);
  if (found.kind === "refused") return { ...found, topic: undefined };
  const { configPath, path: controlSocket, manifestPath } = found;
  const files = "files" in command ? filesOf(command, io) : [];
  return {
    kind: "ok",
    grants: mergeGrants(
      deriveClientGrants({ controlSocket, configPath }),
      deriveReadGrants(files),
      deriveFolderGrants(manifestPath, writesManifests(command)),
    ),
  };
}

function writesManifests({ kind, dryRun }: FolderCommand): boolean {
  return !dryRun &&
    !["diff", "rollout_status", "rollout_history"].includes(kind);
}

function root(): string {
  return "/";
}

/** The node's name is checked, too. */
function hostnameAnd(grants: Grants): Grants {
  const target = "hostname";
  return { ...grants, sys: [{ target, option: target }] };
}

function filesOf(
  command: { readonly files: readonly string[] },
  io: ConfigIo,
): string[] {
  return command.files.filter((file) => file !== "-")
    .map((file) => file.startsWith("/") ? file : resolve(io.cwd(), file));
}

/**
 * The flags of `deno run` under which the command line `args` is locked; the
 * main module and `args` themselves follow them.
 *
 * @throws {Error} When the command line is refused, with every fault.
 */
export async function lockedRunFlags(
  args: readonly string[],
  options: {
    readonly cwd?: string;
    readonly addresses?: () => readonly string[];
  } = {},
): Promise<string[]> {
  const io = machineIo(options.cwd);
  const addresses = options.addresses ?? machineAddresses;
  const result = await grantsForArguments(args, io, addresses);
  if (result.kind === "refused") throw new Error(result.faults.join("\n"));
  return flagsOf(result.grants);
}

/** Grants, features and the engine's flags, as flags of `deno run`. */
export function flagsOf(
  grants: Grants,
  v8Flags: readonly string[] = V8_FLAGS,
): string[] {
  return [
    ...grantsToFlags(grants),
    ...FEATURE_FLAGS,
    `--v8-flags=${v8Flags.join(",")}`,
  ];
}
