/**
 * `skerry describe pod`.
 *
 * @module
 */

import type { DescribePodCommand } from "./parse/mod.ts";
import type { AgentAddress } from "./control_client.ts";
import { describeReport } from "./describe/mod.ts";
import { EXIT_OK } from "./exit_code.ts";
import { fetchReport } from "./fetch_report.ts";
import type { CliIo } from "./io.ts";

/**
 * Writes all that is known of a pod, as kubectl would lay it out.
 *
 * @throws {AgentUnreachableError} When nobody answers.
 * @throws {AgentAnswerError} When no pod has the name.
 */
export async function describePod(
  command: DescribePodCommand,
  context: { readonly io: CliIo; readonly agent: AgentAddress },
): Promise<number> {
  const { io, agent } = context;
  const report = await fetchReport(agent, command);
  const zone = new Date(io.clock.now()).getTimezoneOffset();
  await io.out(describeReport(report, { utcOffsetMs: -zone * 60_000 }));
  return EXIT_OK;
}
