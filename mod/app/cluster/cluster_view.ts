/**
 * What somebody at the node is shown of its cluster.
 *
 * @module
 */

import {
  type Clock,
  type Moment,
  momentOf,
  wallTimeOf,
} from "../../base/mod.ts";
import type { ClusterConfig } from "../../config/mod.ts";
import type { ApiReachState } from "../../kube/transport/mod.ts";
import type { ViewedServer } from "../../views/mod.ts";
import type { CheckpointFailure } from "../../source/mod.ts";

/** What a view reads. */
export interface ClusterViewDeps {
  readonly clock: Clock;
  readonly reach: { readonly state: ApiReachState };
  readonly credentials: {
    readonly server: string | undefined;
    readonly awaitsCertificate: boolean;
  };
  readonly node: { readonly isContended: boolean };
  /** Why what the server had is not kept; absent when it is. */
  readonly checkpointFailure: () => CheckpointFailure | undefined;
}

/** One thing that is well with a cluster, or not; `sinceMs` is wall time. */
interface ClusterCondition {
  readonly type: "Reachable" | "Allowed" | "IsTheNode" | "Checkpointed";
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
  readonly sinceMs: number;
}

/** The cluster as one of the sources of pods. */
export class ClusterView {
  readonly #deps: ClusterViewDeps;
  readonly #cluster: Pick<ClusterConfig, "keepSecrets" | "kubeconfig">;
  readonly #start: Moment;
  /** Since when it is what it is whether another agent has the node's name. */
  #contention: { readonly is: boolean; readonly since: Moment };

  constructor(
    cluster: Pick<ClusterConfig, "keepSecrets" | "kubeconfig">,
    deps: ClusterViewDeps,
  ) {
    this.#cluster = cluster;
    this.#deps = deps;
    this.#start = momentOf(deps.clock);
    this.#contention = { is: false, since: this.#start };
  }

  /** The URL of the API server, or the kubeconfig that is to say it. */
  get location(): string {
    return this.#deps.credentials.server ?? this.#cluster.kubeconfig;
  }

  /** It has no manifests. */
  report(): readonly never[] {
    return [];
  }

  /** Takes note of whose the node is. */
  ownershipChanged(): void {
    const is = this.#deps.node.isContended;
    if (is === this.#contention.is) return;
    this.#contention = { is, since: momentOf(this.#deps.clock) };
  }

  /** Nothing before the server has answered, or has not. */
  conditions(): readonly ClusterCondition[] {
    const { credentials, reach: { state }, clock } = this.#deps;
    const now = momentOf(clock);
    const at = (moment: Moment): number => wallTimeOf(moment, now);
    if (credentials.awaitsCertificate) {
      const message = "the node waits until somebody approves its certificate";
      return [
        failing("Reachable", "NoCertificate", message, at(this.#start)),
      ];
    }
    const { silent, answered, refused: [first, ...more] } = state;
    if (silent === undefined && answered === undefined) return [];
    const { is, since } = this.#contention;
    const unkept = this.#deps.checkpointFailure();
    return [
      silent === undefined
        ? fine("Reachable", "Answers", at(state.answersSince))
        : failing("Reachable", silent.reason, silent.message, at(silent.since)),
      first === undefined
        ? fine("Allowed", "Allowed", at(state.allowsSince))
        : failing(
          "Allowed",
          first.reason,
          [first, ...more].map(({ message }) => message).join("; "),
          at(first.since),
        ),
      is
        ? failing("IsTheNode", "NotTheNode", CONTENDED, at(since))
        : fine("IsTheNode", "Alone", at(since)),
      unkept === undefined
        ? fine("Checkpointed", "Kept", at(this.#start))
        : failing(
          "Checkpointed",
          "FailedCheckpoint",
          unkept.message,
          unkept.sinceMs,
        ),
    ];
  }

  /** The server itself, for those who ask whether it is there. */
  get server(): ViewedServer {
    const { reach: { state: { answered, silent } }, clock } = this.#deps;
    const now = momentOf(clock);
    return {
      silence: silent && {
        sinceMs: wallTimeOf(silent.since, now),
        message: silent.message,
      },
      answeredMs: answered && wallTimeOf(answered, now),
      kept: keptContent(this.#cluster),
    };
  }
}

const CONTENDED =
  "another agent has this node's name: no pods are taken until it is silent";

/** What is kept for times without the API server. */
export function keptContent(
  { keepSecrets }: Pick<ClusterConfig, "keepSecrets">,
): ViewedServer["kept"] {
  const always = [
    "pods",
    "ConfigMaps",
    "RuntimeClasses",
    "node labels and taints",
  ];
  const secrets = ["Secrets", "tokens"];
  return keepSecrets === "memory"
    ? { lasting: always, untilReboot: secrets }
    : { lasting: [...always, ...secrets], untilReboot: [] };
}

function fine(
  type: ClusterCondition["type"],
  reason: string,
  sinceMs: number,
): ClusterCondition {
  return { type, status: "True", reason, message: "", sinceMs };
}

function failing(
  type: ClusterCondition["type"],
  ...[reason, message, sinceMs]: readonly [string, string, number]
): ClusterCondition {
  return { type, status: "False", reason, message, sinceMs };
}
