/**
 * Runs any skerry command from source, locked to what its arguments need.
 *
 * Derives the permissions from the arguments and the configuration file, starts
 * the command with them, passes signals on and returns its exit code.
 *
 * Run: `deno task skerry ARGS…`
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { describeError } from "../mod/base/text/mod.ts";
import { systemClock } from "../mod/base/mod.ts";
import { EXIT_FAILURE, EXIT_USAGE, refuse, systemIo } from "../mod/cli/mod.ts";
import {
  flagsOf,
  grantsForArguments,
  machineAddresses,
  machineIo,
} from "./permissions.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"] as const;
// How soon a command notices that the task it was started by is gone.
const PARENT_PERIOD_MS = 500;

/** What starting a command needs. */
export interface LaunchOptions {
  /** The caller's directory, where relative paths start. */
  readonly cwd: string;
  /** Whether to stop the command when the parent of this process ends. */
  readonly followParent: boolean;
}

/** Starts the command of `args` and returns its exit code when it ends. */
export async function launch(
  args: readonly string[],
  options: LaunchOptions,
): Promise<number> {
  const io = machineIo(options.cwd);
  const result = await grantsForArguments(args, io, machineAddresses);
  if (result.kind === "refused") {
    await refuse(result.faults, { topic: result.topic, io: systemIo() });
    return EXIT_USAGE;
  }
  const project = fileURLToPath(new URL("../", import.meta.url));
  const command = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      `--config=${project}deno.json`,
      ...flagsOf(result.grants),
      `${project}main.ts`,
      ...args,
    ],
    cwd: options.cwd,
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  });
  return await supervise(command, options.followParent);
}

/** Passes signals to the command until it ends. */
async function supervise(
  command: Deno.Command,
  followParent: boolean,
): Promise<number> {
  // Listened for before the start: a signal in between must not be lost.
  const early: Deno.Signal[] = [];
  let pass = (signal: Deno.Signal): void => void early.push(signal);
  const listeners = SIGNALS.map((signal) => {
    const listener = () => pass(signal);
    Deno.addSignalListener(signal, listener);
    return { signal, listener };
  });
  const ended = new AbortController();
  try {
    const child = command.spawn();
    pass = (signal) => killIfAlive(child, signal);
    early.forEach(pass);
    const watching = followParent
      ? stopWithParent(child, ended.signal)
      : undefined;
    const status = await child.status;
    ended.abort();
    await watching;
    // As a shell tells of a command that a signal ended.
    return status.code;
  } finally {
    for (const { signal, listener } of listeners) {
      Deno.removeSignalListener(signal, listener);
    }
  }
}

/** A task that is killed does not tell its commands; its end is all there is. */
async function stopWithParent(
  child: Deno.ChildProcess,
  signal: AbortSignal,
): Promise<void> {
  const parent = Deno.ppid;
  try {
    while (Deno.ppid === parent) {
      await systemClock.sleep(PARENT_PERIOD_MS, signal);
    }
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  killIfAlive(child, "SIGTERM");
}

function killIfAlive(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch (error) {
    // It has ended already, and its exit code is on its way.
    if (
      !(error instanceof TypeError || error instanceof Deno.errors.NotFound)
    ) {
      throw error;
    }
  }
}

if (import.meta.main) {
  // Set by `deno task`, whose own directory is the project's.
  const caller = Deno.env.get("INIT_CWD");
  let code = EXIT_FAILURE;
  try {
    code = await launch(Deno.args, {
      cwd: caller ?? Deno.cwd(),
      followParent: caller !== undefined,
    });
  } catch (error) {
    await systemIo().err(`skerry: ${describeError(error)}`);
  }
  Deno.exit(code);
}
