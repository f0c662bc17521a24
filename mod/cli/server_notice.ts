/**
 * What is said beside pods of the API server that they come from.
 *
 * @module
 */

import type { SourceState } from "../server/mod.ts";
import type { AgentAddress } from "./control_client.ts";
import { fetchSources } from "./get_sources.ts";
import type { CliIo } from "./io.ts";
import { ageText, cleanLine } from "./text/mod.ts";

/**
 * A line about an API server that is away, or that does not let the node do its work;
 * `undefined` when there is none, or all is well. Pure.
 */
export function serverNotice(
  sources: readonly SourceState[],
  nowMs: number,
): string | undefined {
  const api = sources.find(({ name }) => name === "api");
  if (api?.server === undefined) return undefined;
  const server = `The API server ${cleanLine(api.location)}`;
  const { silentSince } = api.server;
  if (silentSince !== undefined) {
    return `${server} ${silenceOf(api.server, nowMs)}: ${podsOf(api.pods)}; ${
      keptOf(api.server.kept)
    }`;
  }
  const bad = api.conditions.find(({ status }) => status === "False");
  return bad && `${server}: ${cleanLine(`${bad.reason}: ${bad.message}`)}`;
}

type Server = NonNullable<SourceState["server"]>;

function silenceOf(
  { silentSince, lastAnswerTime }: Server,
  nowMs: number,
): string {
  const age = ageText(silentSince, nowMs);
  return lastAnswerTime === undefined
    ? `has not answered since the agent started ${age} ago (${silentSince})`
    : `has not answered for ${age} (since ${silentSince})`;
}

function podsOf(count: number): string {
  const pods = count === 1 ? "1 pod runs" : `${count} pods run`;
  return `${pods} on from what it had`;
}

function keptOf({ lasting, untilReboot }: Server["kept"]): string {
  const until = untilReboot.length === 0
    ? ""
    : `; until a reboot: ${untilReboot.join(", ")}`;
  return `kept: ${lasting.join(", ")}${until}`;
}

/** Writes the line to standard error when it says something else than the last time. */
export class ServerNotices {
  readonly #deps: { readonly io: CliIo; readonly agent: AgentAddress };
  /** What was said last, without what changes with time. */
  #told: string | undefined;

  constructor(deps: { readonly io: CliIo; readonly agent: AgentAddress }) {
    this.#deps = deps;
  }

  /**
   * Asks the agent, and says what is new.
   *
   * @throws {AgentUnreachableError} When no agent answers.
   * @throws {AgentAnswerError} When the answer is no list.
   */
  async look(): Promise<void> {
    const { io, agent } = this.#deps;
    const { items } = await fetchSources(agent);
    // At one moment it is the same as long as nothing but time has changed.
    const lasting = serverNotice(items, 0);
    const before = this.#told;
    this.#told = lasting;
    if (lasting === before) return;
    await io.err(
      serverNotice(items, io.clock.now()) ?? "The API server answers again",
    );
  }
}
