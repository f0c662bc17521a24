/**
 * Builds the prober.
 *
 * @module
 */

import type { EventSink } from "../api/types/mod.ts";
import type { Clock, Random, Sessions } from "../base/mod.ts";
import type { Logger, MetricsRegistry } from "../base/telemetry/mod.ts";
import type { CriConnection } from "../cri/mod.ts";
import { ProbeManager, type ProbeMemory, TargetProber } from "../prober/mod.ts";
import type { NodeFacts } from "../runtime/spec/mod.ts";
import type { RuntimePicture } from "../picture/mod.ts";

/** What asking works with. */
export interface ProberDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
  readonly connection: CriConnection;
  readonly picture: RuntimePicture;
  readonly node: NodeFacts;
  /** What an earlier agent knew. */
  readonly records: ProbeMemory;
  readonly sessions: Sessions;
}

/** Builds the prober; nothing is asked yet. */
export function buildProber(deps: ProberDeps): ProbeManager {
  const { connection, picture, node, records, ...common } = deps;
  return new ProbeManager({
    ...common,
    pods: {
      observed: (uid) => picture.get(uid),
      podIps: ({ spec }, { ips }) => spec.hostNetwork === true ? node.ips : ips,
    },
    memory: records,
    runner: new TargetProber({
      runtime: connection.runtime,
      clock: common.clock,
    }),
  });
}
