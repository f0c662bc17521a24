/**
 * From arguments to an exit code.
 *
 * @module
 */

import { describeError } from "../base/text/mod.ts";
import {
  findControlSocket,
  KUBELET_VERSION,
  parseKubeletArguments,
  parseRunArguments,
  VERSION,
} from "../config/mod.ts";
import {
  type ApplyCommand,
  type ChangeCommand,
  type Command,
  type CommandName,
  type DeleteCommand,
  helpText,
  parseCommand,
  type RolloutCommand,
} from "./parse/mod.ts";
import { ask, type ClientContext, readText } from "./control_client.ts";
import { describeObjects, showServiceExplanation } from "./describe_objects.ts";
import { getEvents } from "./get_events.ts";
import { getObjects } from "./get_objects.ts";
import { getPods } from "./get_pods.ts";
import { getSources } from "./get_sources.ts";
import { listImages } from "./list_images.ts";
import { install } from "./install.ts";
import { type CliIo, OutputClosedError } from "./io.ts";
import { showDisk } from "./show_disk.ts";
import { showLog } from "./show_log.ts";
import { showDescription, showExplanation } from "./show_report.ts";
import { showUse } from "./show_use.ts";
import { cleanLine } from "./text/mod.ts";

/** It was done. */
export const EXIT_OK = 0;
/** It failed; of `validate`, a manifest has a fault. */
export const EXIT_FAILURE = 1;
/** The arguments, the configuration or the grants do not allow it (sysexits' EX_USAGE). */
export const EXIT_USAGE = 64;

/** Carries out a command line and returns the exit code; 0, 1 or 64. */
export async function main(
  args: readonly string[],
  io: CliIo,
): Promise<number> {
  const parsed = parseCommand(args);
  if (parsed.kind === "refused") {
    await refuse(parsed.faults, { topic: parsed.topic, io });
    return EXIT_USAGE;
  }
  try {
    return await carryOut(parsed.command, io);
  } catch (error) {
    // The reader of the pipe has seen enough.
    if (error instanceof OutputClosedError) return EXIT_OK;
    // An agent may repeat what a manifest says.
    await io.err(`skerry: ${cleanLine(describeError(error))}`);
    return exitCodeOf(error);
  }
}

async function carryOut(command: Command, io: CliIo): Promise<number> {
  switch (command.kind) {
    case "help":
      await io.out(helpText(command.topic));
      return EXIT_OK;
    case "version":
      await io.out(
        `skerry ${VERSION} (deno ${Deno.version.deno}, v8 ${Deno.version.v8})\n`,
      );
      return EXIT_OK;
    case "kubelet_version":
      await io.out(`Kubernetes ${KUBELET_VERSION}\n`);
      return EXIT_OK;
    case "run":
    case "kubelet":
      return await run(command, io);
    case "validate": {
      // It shares the rules of the agent, and so all that the agent loads.
      const { validate } = await import("./validate.ts");
      return await validate(command, io) ? EXIT_OK : EXIT_FAILURE;
    }
    case "install": {
      const faults = await install(command, io);
      if (faults.length === 0) return EXIT_OK;
      await refuse(faults, { topic: "install", io });
      return EXIT_USAGE;
    }
    default: {
      const found = await findControlSocket(command.location, io);
      if (found.kind === "refused") {
        await refuse(found.faults, { topic: undefined, io });
        return EXIT_USAGE;
      }
      const agent = { socketPath: found.path, clock: io.clock };
      const { manifestPath } = found;
      return await askAgent(command, { io, agent, manifestPath });
    }
  }
}

/** Runs the agent until it is asked to stop; returns its exit code. */
async function run(
  { kind, args }: Extract<Command, { readonly kind: "run" | "kubelet" }>,
  io: CliIo,
): Promise<number> {
  const parse = kind === "run" ? parseRunArguments : parseKubeletArguments;
  // Before all that takes time: without a listener the signal ends the process.
  using reloads = io.reloadRequests();
  const parsed = await parse(args, io);
  if (parsed.kind === "refused") {
    await refuse(parsed.faults, { topic: kind, io });
    return EXIT_USAGE;
  }
  // Only the agent needs the runtime's client, which is slow to load.
  const { runAgent } = await import("../app/mod.ts");
  using stop = io.stopRequests();
  const { config, warnings } = parsed;
  return await runAgent(config, {
    signal: stop.signal,
    warnings,
    reload: {
      requested: (signal) => reloads.next(signal),
      read: () => parse(args, io),
    },
  });
}

type LocatedCommand = Extract<
  Command,
  { readonly location: readonly string[] }
>;

async function askAgent(
  command: LocatedCommand,
  context: ClientContext & { readonly manifestPath: string },
): Promise<number> {
  switch (command.kind) {
    // Those that change manifests read and check them, which is slow to load.
    case "apply":
    case "diff": {
      const { applyManifests } = await import("./change_manifests.ts");
      const hasChanged = await applyManifests(command, context);
      return command.kind === "diff" && hasChanged ? EXIT_FAILURE : EXIT_OK;
    }
    case "delete": {
      const { deleteManifests } = await import("./change_manifests.ts");
      await deleteManifests(command, context);
      return EXIT_OK;
    }
    case "change": {
      const { changeManifests } = await import("./change_manifests.ts");
      await changeManifests(command, context);
      return EXIT_OK;
    }
    case "rollout_status":
    case "rollout_history":
    case "rollout_undo": {
      const { rollOut } = await import("./roll_out.ts");
      await rollOut(command, context);
      return EXIT_OK;
    }
    default:
      await show(command, context);
      return EXIT_OK;
  }
}

/** Commands that only read. */
async function show(
  command: Exclude<
    LocatedCommand,
    ApplyCommand | DeleteCommand | ChangeCommand | RolloutCommand
  >,
  context: ClientContext,
): Promise<void> {
  switch (command.kind) {
    case "get_pods":
      return await getPods(command, context);
    case "get_objects":
      return await getObjects(command, context);
    case "get_events":
      return await getEvents(command, context);
    case "get_sources":
      return await getSources(command, context);
    case "images":
      return await listImages(command, context);
    case "top":
      return await showUse(command, context);
    case "df":
      return await showDisk(command, context);
    case "describe_pod":
      return await showDescription(command, context);
    case "describe_objects":
      return await describeObjects(command, context);
    case "explain_service":
      return await showServiceExplanation(command, context);
    case "explain_pod":
      return await showExplanation(command, context);
    case "logs":
      return await showLog(command, context);
    case "metrics":
      return await context.io.out(
        await readText(await ask(context.agent, "/metrics")),
      );
  }
}

function exitCodeOf(error: unknown): number {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Deno.errors.NotCapable) return EXIT_USAGE;
  }
  return EXIT_FAILURE;
}

/** Writes every fault on a line of its own, and where help is. */
export async function refuse(
  faults: readonly string[],
  context: {
    readonly topic: CommandName | undefined;
    readonly io: Pick<CliIo, "err">;
  },
): Promise<void> {
  const { topic, io } = context;
  for (const fault of faults) await io.err(`skerry: ${fault}`);
  const command = topic === undefined ? "skerry" : `skerry ${topic}`;
  await io.err(`Run "${command} --help" for help.`);
}
