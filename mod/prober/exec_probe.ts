/**
 * A probe that runs a command in the container.
 *
 * @module
 */

import type { ContainerSpec } from "../api/types/mod.ts";
import { type Clock, deadline, unlessAborted } from "../base/mod.ts";
import { describeError } from "../base/text/mod.ts";
import {
  CriError,
  type ExecResult,
  type RuntimeService,
} from "../cri/model/mod.ts";
import { expandAll } from "../runtime/spec/mod.ts";
import { AttemptLimit } from "./attempt_limit.ts";
import type { ProbeResult, ProbeTarget } from "./ports.ts";

/** What running commands needs. */
export interface ExecProbeDeps {
  readonly runtime: Pick<RuntimeService, "execSync" | "version">;
  readonly clock: Clock;
}

/**
 * Runs the command and judges how it ended.
 *
 * The runtime is the one that ends it in time. When it does not, the verdict comes a
 * second later all the same, and `over` says when the call has come to its end; it is
 * given up a while after that. A runtime that answers nothing else either is the one
 * that hangs, which is not held against the container.
 *
 * Upstream: pkg/probe/exec/exec.go, where it is.
 *
 * @throws {unknown} The reason of the signal when it aborts.
 */
export async function execProbe(
  command: readonly string[],
  target: ProbeTarget,
  options: ExecProbeDeps & {
    readonly timeoutSeconds: number;
    readonly signal: AbortSignal;
  },
): Promise<ProbeResult> {
  const { runtime, clock, timeoutSeconds, signal } = options;
  const expanded = expandStatic(command, target.container.env ?? []);
  const verdictMs = timeoutSeconds * 1000 + VERDICT_MARGIN_MS;
  const marginMs = Math.min(
    CALL_MARGIN_MS * 2 ** target.hung,
    MAX_CALL_MARGIN_MS,
  );
  const call = deadline(clock, verdictMs + marginMs, signal);
  const late = timedOut(expanded, timeoutSeconds);
  const answer: Promise<ProbeResult> = runtime.execSync(
    target.containerId,
    expanded,
    { timeoutSeconds, signal: call.signal },
  ).then(judge, (error) => explain(error, late))
    .finally(() => call[Symbol.dispose]());
  using limit = new AttemptLimit(clock, verdictMs, signal);
  // The answer itself never rejects.
  const result = await unlessAborted(answer, limit.signal)
    .catch(() => undefined);
  signal.throwIfAborted();
  if (result !== undefined) return limit.judge(result);
  const { isStalled } = limit;
  const verdict = await judgeSilence(late, { ...options, isStalled });
  return { ...verdict, over: answer.then(() => {}) };
}

/** How much later than the runtime should have answered the agent decides itself. */
const VERDICT_MARGIN_MS = 1000;

/** A runtime that takes longer for the least question there is has trouble of its own. */
const VERSION_MS = 250;

/**
 * How long a call may then go on. What hangs may hang but once, so the next is tried soon;
 * but what a command has left in its container goes on, so it must not pile up either:
 * each that hangs as well is waited for twice as long.
 */
const CALL_MARGIN_MS = 10_000;

const MAX_CALL_MARGIN_MS = 300_000;

/** No more of a command's output is reported (upstream: maxReadLength). */
const MAX_OUTPUT_BYTES = 10 * 1024;

/** The words of the kubelet, and of runtimes that say so in a text only. */
const TIMED_OUT = "command timed out";

/**
 * A command with what the manifest itself says of its variables; those that come from
 * elsewhere are empty.
 *
 * Upstream: pkg/kubelet/container/helpers.go ExpandContainerCommandOnlyStatic.
 */
function expandStatic(
  command: readonly string[],
  env: NonNullable<ContainerSpec["env"]>,
): readonly string[] {
  const values = new Map(env.map(({ name, value = "" }) => [name, value]));
  return expandAll(command, values) ?? [];
}

function judge({ exitCode, stdout, stderr }: ExecResult): ProbeResult {
  const message = textOf(stdout, stderr);
  if (exitCode === 0) return { kind: "success", message };
  // Without output the exit code is all that there is to report.
  const found = message.trim() === ""
    ? `command terminated with exit code ${exitCode}`
    : message;
  return { kind: "failure", message: found };
}

/** Whose fault it is that no answer came in time. */
async function judgeSilence(
  message: string,
  { runtime, clock, signal, isStalled }: ExecProbeDeps & {
    readonly signal: AbortSignal;
    readonly isStalled: boolean;
  },
): Promise<ProbeResult> {
  if (isStalled) return { kind: "stalled", message };
  using limit = deadline(clock, VERSION_MS, signal);
  try {
    await runtime.version({ signal: limit.signal });
    return { kind: "failure", message };
  } catch {
    // Why does not matter: a runtime that does not answer cannot vouch for the command.
    return {
      kind: "error",
      message: `${message}, and the runtime does not answer`,
    };
  }
}

function textOf(stdout: Uint8Array, stderr: Uint8Array): string {
  const first = stdout.subarray(0, MAX_OUTPUT_BYTES);
  const second = stderr.subarray(0, MAX_OUTPUT_BYTES - first.length);
  const decoder = new TextDecoder();
  return decoder.decode(first, { stream: true }) + decoder.decode(second);
}

function explain(error: unknown, timedOut: string): ProbeResult {
  if (!(error instanceof CriError)) {
    return { kind: "error", message: describeError(error) };
  }
  const { kind, detail } = error;
  return kind === "deadline" || detail.includes(TIMED_OUT)
    ? { kind: "failure", message: timedOut }
    : { kind: "error", message: error.message };
}

/** As the kubelet says it (upstream: remote_runtime.go ErrCommandTimedOut). */
function timedOut(command: readonly string[], seconds: number): string {
  const words = JSON.stringify(command.join(" "));
  return `${TIMED_OUT}: ${words} timed out after ${seconds}s`;
}
