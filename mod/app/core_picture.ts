/**
 * The agent's picture of the runtime, and who keeps it up to date.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { Logger, MetricsRegistry } from "../base/telemetry/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import type { CriConnection } from "../cri/mod.ts";
import {
  AnnouncedEnds,
  ListPace,
  PodObserver,
  RuntimePicture,
  RuntimeWatch,
} from "../picture/mod.ts";
import type { DiskFiles } from "../host/files/mod.ts";
import type { ContainerNotes } from "../runtime/observe/mod.ts";
import type { PodResources } from "../runtime/resources/mod.ts";

/** What the picture is made from. */
export interface PictureDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly connection: CriConnection;
  /** The agent's own pods. */
  readonly managed: { has(uid: string): boolean };
  readonly files: DiskFiles;
  readonly resources: PodResources;
  readonly notes: ContainerNotes;
}

/** The picture, and who brings it up to date. */
export interface PictureParts {
  readonly picture: RuntimePicture;
  readonly observer: PodObserver;
  readonly watch: RuntimeWatch;
}

/** Builds them; the runtime is not asked yet. */
export function buildPicture(
  { sync }: Pick<AgentConfig, "sync">,
  deps: PictureDeps,
): PictureParts {
  const { connection } = deps;
  const pace = new ListPace(deps, sync);
  const picture = new RuntimePicture({ ...deps, pace });
  const ends = new AnnouncedEnds({
    ...deps,
    runtime: connection.runtime,
    ask: (id, options) => connection.containerExit(id, options),
  });
  const observer = new PodObserver({ ...deps, picture, ends });
  const watch = new RuntimeWatch({
    ...deps,
    pace,
    picture,
    ends,
    observer,
    events: (signal) => connection.events(signal),
  });
  return { picture, observer, watch };
}
