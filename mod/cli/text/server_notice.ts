/**
 * What is said beside pods of the API server that they come from.
 *
 * @module
 */

import type { SourceState } from "../../server/mod.ts";
import { ageText } from "./age_text.ts";
import { cleanLine } from "./terminal_text.ts";

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
