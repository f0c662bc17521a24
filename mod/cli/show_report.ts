/**
 * `skerry describe pod` and `skerry explain`.
 *
 * @module
 */

import type { ClientContext } from "./control_client.ts";
import { describeReport } from "./describe/mod.ts";
import { EXIT_OK } from "./exit_code.ts";
import { fetchReport } from "./fetch_report.ts";
import type { DescribePodCommand, ExplainPodCommand } from "./parse/mod.ts";
import { cleanLine, dataText } from "./text/mod.ts";

/**
 * Writes all that is known of a pod, as kubectl would lay it out.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When no pod has the name.
 */
export async function showDescription(
  command: DescribePodCommand,
  { io, agent }: ClientContext,
): Promise<number> {
  const report = await fetchReport(agent, command);
  const zone = new Date(io.clock.now()).getTimezoneOffset();
  await io.out(describeReport(report, { utcOffsetMs: -zone * 60_000 }));
  return EXIT_OK;
}

/**
 * Writes why a pod is as it is, one sentence a line, or all that is known of it.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When no pod has the name.
 */
export async function showExplanation(
  command: ExplainPodCommand,
  { io, agent }: ClientContext,
): Promise<number> {
  const report = await fetchReport(agent, command);
  const lines = report.explanation.map((line) => `${cleanLine(line)}\n`);
  await io.out(
    command.output === undefined
      ? lines.join("")
      : dataText(report, command.output),
  );
  return EXIT_OK;
}
