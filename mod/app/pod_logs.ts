/**
 * The logs of the agent's own pods.
 *
 * @module
 */

import { isPlainName } from "../base/text/mod.ts";
import { logDirectoryName } from "../api/vocabulary/mod.ts";
import type { GarbageCollector } from "../collect/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import { LogKeeper, type RunningLog } from "../logs/mod.ts";
import type { RuntimePicture } from "../picture/mod.ts";
import type { ObservedPod } from "../pod/observed/mod.ts";
import type { CoreDeps } from "./core_deps.ts";
import type { OwnedPods } from "./owned_pods.ts";

/** Builds what keeps the logs small. */
export function buildPodLogs(
  config: AgentConfig,
  deps: CoreDeps & {
    readonly collector: GarbageCollector;
    readonly owned: OwnedPods;
    readonly picture: Pick<RuntimePicture, "get" | "listing">;
  },
): LogKeeper {
  const { connection: { runtime }, owned, picture } = deps;
  const owns = (uid: string) => owned.has(uid);
  return new LogKeeper({
    ...deps,
    runtime,
    running: () => runningLogs(owned.uids, (uid) => picture.get(uid)),
    owns,
    isKnown: (uid) => isKnownPod(uid, { owned, picture }),
  }, { ...config.podLogs, podLogsDir: config.runtime.podLogsDir });
}

/**
 * Whether a pod is the agent's own, or the runtime lists anything of it; `undefined` while
 * that is not known.
 */
export function isKnownPod(
  uid: string,
  { owned, picture }: {
    readonly owned: Pick<OwnedPods, "has">;
    readonly picture: {
      readonly listing:
        | { readonly pods: Pick<ReadonlyMap<string, unknown>, "has"> }
        | undefined;
    };
  },
): boolean | undefined {
  return owned.has(uid) || picture.listing?.pods.has(uid);
}

/** Lists the logs that the agent's own pods write at the moment. */
export function* runningLogs(
  uids: Iterable<string>,
  observed: (uid: string) => ObservedPod | undefined,
): Iterable<RunningLog> {
  for (const uid of uids) {
    const seen = observed(uid);
    if (seen === undefined) continue;
    const { name, namespace } = seen;
    const pod = { name, namespace, uid };
    const podDirectory = logDirectoryName({ metadata: pod });
    for (const { id, name: container, state, logPath } of seen.containers) {
      if (state !== "running") continue;
      const [directory = "", file = "", ...more] = logPath.split("/");
      // The texts come from a runtime: they may not lead out of the directory of logs.
      const isPlain = more.length === 0 &&
        [podDirectory, directory, file].every(isPlainName);
      if (!isPlain) continue;
      yield { pod, container, containerId: id, podDirectory, directory, file };
    }
  }
}
