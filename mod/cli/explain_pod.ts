/**
 * `skerry explain`.
 *
 * @module
 */

import type { ExplainPodCommand } from "./parse/mod.ts";
import type { AgentAddress } from "./control_client.ts";
import { cleanLine, dataText } from "./text/mod.ts";
import { EXIT_OK } from "./exit_code.ts";
import { fetchReport } from "./fetch_report.ts";
import type { CliIo } from "./io.ts";

/**
 * Writes why a pod is as it is, one sentence a line, or all that is known of it.
 *
 * @throws {AgentUnreachableError} When nobody answers.
 * @throws {AgentAnswerError} When no pod has the name.
 */
export async function explainPodCommand(
  command: ExplainPodCommand,
  context: { readonly io: CliIo; readonly agent: AgentAddress },
): Promise<number> {
  const { io, agent } = context;
  const report = await fetchReport(agent, command);
  if (command.output !== undefined) {
    await io.out(dataText(report, command.output));
    return EXIT_OK;
  }
  const lines = report.explanation.map((line) => `${cleanLine(line)}\n`);
  await io.out(lines.join(""));
  return EXIT_OK;
}
