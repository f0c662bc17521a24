/**
 * What a configuration that is read again changes in an agent that runs.
 *
 * @module
 */

import { isRecord } from "../base/mod.ts";
import { Hidden } from "../base/text/mod.ts";
import type { AgentConfig } from "./agent_config.ts";
import { ROWS } from "./complete_settings.ts";
import { optionOf } from "./setting.ts";

/** What can change while the agent runs. */
export interface LiveConfig {
  readonly level: AgentConfig["log"]["level"];
  readonly shutdownGroups: AgentConfig["shutdown"]["groups"];
}

/** Its places in the configuration. */
const LIVE: ReadonlySet<string> = new Set(["log.level", "shutdown.groups"]);

/** What of a configuration counts at once. */
export function liveConfig({ log, shutdown }: AgentConfig): LiveConfig {
  return { level: log.level, shutdownGroups: shutdown.groups };
}

/** Names the options that have other values, and count only after a restart. */
export function changesAtRestart(
  before: AgentConfig,
  after: AgentConfig,
): string[] {
  const old = new Map(leaves(before));
  const names = leaves(after).flatMap(([place, value]) => {
    if (LIVE.has(place) || same(old.get(place), value)) return [];
    const name = NAMES.get(place);
    // What follows from a path or the URL is named by that.
    if (
      name === undefined &&
      /^(?:paths|service|shutdown|manifestUrl|cluster)\./.test(place)
    ) {
      return [];
    }
    return [name ?? place];
  });
  return [...new Set(names)];
}

const NAMES: ReadonlyMap<string, string> = new Map(
  ROWS.map(({ part, key, setting }) => [`${part}.${key}`, optionOf(setting)]),
);

/** Every value of every part, by its place. */
function leaves(config: AgentConfig): [place: string, value: unknown][] {
  const { manifestUrl, ...source } = config.source;
  const parts: Readonly<Record<string, unknown>> = {
    ...config,
    source,
    // All of it, also when it is not there any more.
    manifestUrl: { url: undefined, ...manifestUrl },
  };
  return Object.entries(parts).flatMap(([part, values]) =>
    isRecord(values)
      ? Object.entries(values).map(([key, value]): [string, unknown] => [
        `${part}.${key}`,
        value,
      ])
      : [[part, values] satisfies [string, unknown]]
  );
}

function same(a: unknown, b: unknown): boolean {
  if (a instanceof Hidden && b instanceof Hidden) {
    return same(a.reveal(), b.reveal());
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((each, at) => same(each, b[at]));
  }
  if (isRecord(a) && isRecord(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...keys].every((key) => same(a[key], b[key]));
  }
  return Object.is(a, b);
}
