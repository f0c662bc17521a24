/**
 * The sources as clients see them.
 *
 * @module
 */

import { podKey } from "../api/objects/mod.ts";
import { formatTime } from "../pod/status/mod.ts";
import type { SourceState } from "../server/mod.ts";
import type { SourceName } from "../source/merge/mod.ts";
import type { ViewedSource } from "./ports.ts";

/** What is known of a source beside that. */
export interface SourceFacts {
  readonly name: SourceName;
  /** Whether it has spoken for itself since the agent's start. */
  readonly isReady: boolean;
  /** How many pods it wants. */
  readonly pods: number;
}

/** Shows a source with all that is wrong with it. */
export function viewSource(
  source: ViewedSource,
  { name, isReady, pods }: SourceFacts,
): SourceState {
  return {
    name,
    location: source.location,
    ready: isReady,
    pods,
    conditions: source.conditions().map(({ sinceMs, ...condition }) => ({
      ...condition,
      lastTransitionTime: formatTime(sinceMs),
    })),
    lastGood: source.report().flatMap((report) =>
      report.kind === "last_good"
        ? [{
          manifest: report.file,
          pods: report.pods.map(({ metadata }) => podKey(metadata)),
        }]
        : []
    ),
  };
}
