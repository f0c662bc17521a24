/**
 * Pods of this node and of a cluster that have one name.
 *
 * @module
 */

import { podKey, podRef } from "../api/objects/mod.ts";
import type { EventSink, Pod } from "../api/types/mod.ts";
import { podFullName } from "../api/vocabulary/mod.ts";
import { Bell } from "../base/mod.ts";
import type { Gauge, Logger, MetricsRegistry } from "../base/telemetry/mod.ts";
import { isMirrorPod } from "./mirror_plan.ts";

/** Two pods that want one name. */
export interface NameClash {
  /** Of a manifest, or of a controller of this node. */
  readonly own: Pod;
  /** The cluster's, bound to this node. */
  readonly foreign: Pod;
}

/**
 * Finds pods of the cluster that have the name of one of the node's own and are not its
 * mirror. Pure.
 */
export function nameClashes(
  own: readonly Pod[],
  shown: readonly Pod[],
): readonly NameClash[] {
  const byName = new Map(own.map((pod) => [podFullName(pod), pod]));
  return shown.flatMap((foreign) => {
    const found = isMirrorPod(foreign)
      ? undefined
      : byName.get(podFullName(foreign));
    return found === undefined ? [] : [{ own: found, foreign }];
  });
}

/** What telling of clashes works with. */
export interface NameClashesDeps {
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
  /** The pods that do not come from the cluster. */
  readonly own: () => readonly Pod[];
  /** The pods that the cluster has for this node; absent until it has been asked. */
  readonly shown: () => readonly Pod[] | undefined;
}

/**
 * Tells once of each clash of names, at both pods, and when it is over. It decides nothing:
 * the workers of pods see to it that the one that has a name keeps it.
 */
export class NameClashes {
  readonly #deps: NameClashesDeps;
  readonly #bell = new Bell();
  readonly #gauge: Gauge;
  /** What was told, by the UIDs of both. */
  #told: ReadonlyMap<string, NameClash> = new Map();

  constructor(deps: NameClashesDeps) {
    this.#deps = { ...deps, log: deps.log.named("cluster") };
    this.#gauge = deps.metrics.gauge(
      "skerry_pod_name_clashes",
      "Pods of the cluster whose name a pod of this node's own has as well",
    );
  }

  /** Looks again: there may be other pods. */
  wake(): void {
    this.#bell.ring();
  }

  /** Works until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#look();
      await this.#bell.wait(signal);
    }
  }

  #look(): void {
    const { log, own, shown } = this.#deps;
    const pods = shown();
    if (pods === undefined) return;
    const before = this.#told;
    this.#told = new Map(
      nameClashes(own(), pods).map((each) => [keyOf(each), each]),
    );
    this.#gauge.set(this.#told.size);
    for (const [key, clash] of this.#told) {
      if (!before.has(key)) this.#tell(clash);
    }
    for (const [key, { own }] of before) {
      if (this.#told.has(key)) continue;
      log.info("pod_name_clash_over", { pod: podKey(own.metadata) });
    }
  }

  #tell({ own, foreign }: NameClash): void {
    const { log, events } = this.#deps;
    const pod = podKey(own.metadata);
    const note =
      "the one that runs keeps the name, and the other one waits until it is gone";
    log.warn("pod_name_clash", {
      pod,
      uid: own.metadata.uid,
      clusterUid: foreign.metadata.uid,
      note,
    });
    const of = (
      whose: string,
      { metadata: { uid } }: Pod,
    ): string => `${whose} has a pod of the same name "${pod}" (UID ${uid})`;
    const warning = { type: "Warning", reason: "NameClash" } as const;
    events.record(podRef(own), {
      ...warning,
      message: `${
        of("The cluster", foreign)
      } on this node: ${note}. The cluster does not show this pod meanwhile`,
    });
    events.record(podRef(foreign), {
      ...warning,
      message: `${of("The node itself", own)}: ${note}`,
    });
  }
}

function keyOf({ own, foreign }: NameClash): string {
  return `${own.metadata.uid} ${foreign.metadata.uid}`;
}
