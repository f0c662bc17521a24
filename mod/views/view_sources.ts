/**
 * The sources as clients see them.
 *
 * @module
 */

import { sourceOf } from "../agent/desired/mod.ts";
import { formatObjectId, podKey } from "../api/objects/mod.ts";
import { workloadId } from "../api/workload/mod.ts";
import { formatTime } from "../pod/status/mod.ts";
import { defined } from "../base/mod.ts";
import type { SourceState } from "../server/mod.ts";
import type { ViewedCore, ViewedServer } from "./ports.ts";

/** Shows the sources that are configured, with all that is wrong with them. */
export function viewSources(core: ViewedCore): readonly SourceState[] {
  const { sources, sourcesReady, storage } = core;
  return Array.from(sources, ([name, source]) => ({
    name,
    location: source.location,
    ready: sourcesReady.isReady(name),
    pods: storage.pods()
      .filter(({ metadata }) => sourceOf(metadata.annotations) === name)
      .length,
    conditions: source.conditions().map(({ sinceMs, ...condition }) => ({
      ...condition,
      lastTransitionTime: formatTime(sinceMs),
    })),
    lastGood: source.report().flatMap((report) =>
      report.kind === "last_good"
        ? [{
          manifest: report.file,
          pods: report.pods.map(({ metadata }) => podKey(metadata)),
          ...(report.workloads !== undefined && {
            workloads: report.workloads.map((one) =>
              formatObjectId(workloadId(one))
            ),
          }),
        }]
        : []
    ),
    ...source.server !== undefined && { server: serverState(source.server) },
  }));
}

function serverState(
  { silence, answeredMs, kept }: ViewedServer,
): NonNullable<SourceState["server"]> {
  return {
    reachable: answeredMs !== undefined && silence === undefined,
    ...defined({
      silentSince: silence && formatTime(silence.sinceMs),
      lastAnswerTime: answeredMs === undefined
        ? undefined
        : formatTime(answeredMs),
      error: silence?.message,
    }),
    kept,
  };
}
