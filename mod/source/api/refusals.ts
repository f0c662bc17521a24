/**
 * Which pods of an API server the agent cannot run, and what was told of them.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import { isTerminalPhase } from "../../pod/status/mod.ts";
import type { PodRefusal, ReadPod } from "./pod_reader.ts";

/** Pods by UID. */
export type PodsByUid = ReadonlyMap<string, Pod>;

/** A version of a pod, and what it is to the agent. */
export interface ReadVersion {
  readonly pod: Pod;
  readonly read: ReadPod;
}

/** A pod that the agent cannot run, and of which it has no version that it could. */
export interface RefusedPod {
  readonly pod: Pod;
  readonly refusal: PodRefusal;
}

/** Is told of a pod that is refused, and whether an earlier version runs on. */
export type TellRefused = (
  refused: RefusedPod,
  options: { readonly runsOn: boolean },
) => void;

/** Tells of each once, as long as it is for the same reason. */
export class Refusals {
  readonly #tell: TellRefused;
  /** Of which it was told, by UID, and what. */
  #told: ReadonlyMap<string, string> = new Map();
  #list: readonly RefusedPod[] = [];

  constructor(tell: TellRefused) {
    this.#tell = tell;
  }

  /** Those that cannot be run, as they are there now. */
  get list(): readonly RefusedPod[] {
    return this.#list;
  }

  /**
   * Takes what there is now.
   *
   * @param known what the agent has of them that it can run
   */
  take(shown: readonly ReadVersion[], known: PodsByUid): void {
    const list: RefusedPod[] = [];
    const told = new Map<string, string>();
    for (const { pod, read } of shown) {
      if (read.kind !== "refused") continue;
      const { uid } = pod.metadata;
      const { message } = read.refusal;
      const runsOn = known.has(uid);
      const each = { pod, refusal: read.refusal };
      if (!runsOn) list.push(each);
      const isSaid = this.#told.get(uid) === message ||
        !runsOn && isTerminalPhase(pod.status?.phase);
      if (!isSaid) this.#tell(each, { runsOn });
      told.set(uid, message);
    }
    this.#list = list;
    this.#told = told;
  }
}
