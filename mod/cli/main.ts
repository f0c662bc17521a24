/**
 * From arguments to an exit code.
 *
 * @module
 */

import { describeError } from "../base/text/mod.ts";
import { findControlSocket, VERSION } from "../config/mod.ts";
import { type Command, helpText, parseCommand } from "./parse/mod.ts";
import {
  type AgentAddress,
  AgentAnswerError,
  AgentUnreachableError,
  ask,
  readText,
  refusalOf,
} from "./control_client.ts";
import { describePod } from "./describe_pod.ts";
import { EXIT_FAILURE, EXIT_OK, EXIT_USAGE } from "./exit_code.ts";
import { explainPodCommand } from "./explain_pod.ts";
import { getEvents } from "./get_events.ts";
import { getPods } from "./get_pods.ts";
import { getSources } from "./get_sources.ts";
import { type CliIo, OutputClosedError } from "./io.ts";
import { refuse } from "./refuse.ts";
import { runCommand } from "./run_command.ts";
import { showLog } from "./show_log.ts";
import { cleanLine } from "./text/mod.ts";
import { validate } from "./validate.ts";

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
    // Whoever closed the pipe has seen what they wanted to see.
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
    case "run":
      return await runCommand(command.args, io);
    case "validate":
      return await validate(command, io);
    case "get_pods":
      return await withAgent(
        command.location,
        io,
        (agent) => getPods(command, { io, agent }),
      );
    case "get_events":
      return await withAgent(
        command.location,
        io,
        (agent) => getEvents(command, { io, agent }),
      );
    case "describe_pod":
      return await withAgent(
        command.location,
        io,
        (agent) => describePod(command, { io, agent }),
      );
    case "explain_pod":
      return await withAgent(
        command.location,
        io,
        (agent) => explainPodCommand(command, { io, agent }),
      );
    case "get_sources":
      return await withAgent(
        command.location,
        io,
        (agent) => getSources(command, { io, agent }),
      );
    case "logs":
      return await withAgent(
        command.location,
        io,
        (agent) => showLog(command, { io, agent }),
      );
    case "metrics":
      return await withAgent(
        command.location,
        io,
        (agent) => showMetrics(agent, io),
      );
  }
}

async function withAgent(
  location: readonly string[],
  io: CliIo,
  command: (agent: AgentAddress) => Promise<number>,
): Promise<number> {
  const found = await findControlSocket(location, io);
  if (found.kind === "ok") {
    return await command({ socketPath: found.path, clock: io.clock });
  }
  await refuse(found.faults, { topic: undefined, io });
  return EXIT_USAGE;
}

async function showMetrics(agent: AgentAddress, io: CliIo): Promise<number> {
  const answer = await ask(agent, "/metrics");
  const text = await readText(answer);
  if (answer.status !== 200) throw refusalOf(answer.status, text);
  await io.out(text);
  return EXIT_OK;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof AgentAnswerError) return EXIT_FAILURE;
  const isDenied = error instanceof Deno.errors.NotCapable ||
    (error instanceof AgentUnreachableError &&
      error.cause instanceof Deno.errors.NotCapable);
  return isDenied ? EXIT_USAGE : EXIT_FAILURE;
}
