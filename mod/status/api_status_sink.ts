/**
 * Brings statuses to an API server.
 *
 * The rules are those of the kubelet's pkg/kubelet/status (syncPod, needsReconcile,
 * mergePodStatus).
 *
 * @module
 */

import { hasFailed, type StrategicPatch } from "../api/access/mod.ts";
import type { Pod, PodStatus } from "../api/types/mod.ts";
import { isLocalPod, isStaticPod } from "../api/vocabulary/mod.ts";
import type { Clock } from "../base/mod.ts";
import { isTerminalPhase, terminatedStatus } from "../pod/status/mod.ts";
import type {
  StatusReceipt,
  StatusSink,
  StatusUpdate,
} from "./status_delivery.ts";
import type { StoredStatus } from "./status_manager.ts";
import { mergeStatus, patchStatus } from "./status_patch.ts";

/** What the API server has of a pod, as far as it is known. */
export type ShownPod =
  /** It does not answer, or has not been asked yet. */
  | { readonly kind: "unknown" }
  | { readonly kind: "absent" }
  | { readonly kind: "present"; readonly pod: Pod };

/** What the sink writes through. */
export interface ApiStatusSinkDeps {
  readonly clock: Pick<Clock, "now">;
  /** The API server's pod of that name; of a pod that it did not give, its mirror. */
  readonly shown: (pod: Pod) => ShownPod;
  /**
   * Patches the status of that very pod.
   *
   * @throws {ApiFailure} When it is refused or does not get through.
   */
  readonly patchStatus: (
    pod: Pod,
    patch: StrategicPatch,
    signal: AbortSignal,
  ) => Promise<Pod>;
  /** Whether something of a pod may still run. */
  readonly mayRun: (uid: string) => boolean;
}

/**
 * Writes what differs, and only that: conditions that others write stay. What is written
 * is reckoned from what a watch shows, or from the last answer if that is newer, so a change
 * costs one call.
 */
export class ApiStatusSink implements StatusSink {
  readonly name = "api";
  readonly wantsEnds = true;
  readonly failsAsOne = true;
  readonly #deps: ApiStatusSinkDeps;
  /** The last answer for each pod, by the UID here. */
  readonly #answers = new Map<string, Pod>();

  constructor(deps: ApiStatusSinkDeps) {
    this.#deps = deps;
  }

  async put(
    update: StatusUpdate,
    signal: AbortSignal,
  ): Promise<StatusReceipt> {
    const { uid, pod } = update;
    // No cluster knows of it, whatever it has under the name.
    if (isLocalPod(pod)) return { kind: "taken" };
    const shown = this.#deps.shown(pod);
    if (shown.kind === "unknown") return { kind: "deferred" };
    const isStatic = isStaticPod(pod);
    if (shown.kind === "absent") {
      this.#answers.delete(uid);
      // A mirror comes, and then the status is brought again.
      return { kind: isStatic ? "deferred" : "gone" };
    }
    if (!isStatic && shown.pod.metadata.uid !== uid) {
      return { kind: "replaced" };
    }
    const remote = this.#newest(uid, shown.pod);
    if (isOver(remote, update)) return { kind: "taken" };
    const patch = this.#patch(update, remote);
    if (Object.keys(patch).length === 0) return { kind: "taken" };
    try {
      const answer = await this.#deps.patchStatus(remote, patch, signal);
      this.#answers.set(uid, answer);
      return { kind: "taken" };
    } catch (error) {
      // What the server does not take of an end that is due must not keep the pod for ever.
      const isUseless = update.finished && hasFailed(error, "Invalid") &&
        remote.metadata.deletionTimestamp !== undefined;
      if (isUseless) return { kind: "gone" };
      if (!hasFailed(error, "NotFound")) throw error;
      this.#answers.delete(uid);
      return { kind: isStatic ? "deferred" : "gone" };
    }
  }

  /** How a pod ended is known until the server has it no more, which a watch shows late. */
  remove(uid: string): Promise<void> {
    const { status } = this.#answers.get(uid) ?? {};
    if (!isTerminalPhase(status?.phase)) this.forget(uid);
    return Promise.resolve();
  }

  /** The server has the pod no more. */
  forget(uid: string): void {
    this.#answers.delete(uid);
  }

  /**
   * Says of a pod that it is over, unless the server knows. To be called when nothing of
   * it is here: its status is what the server has of it.
   *
   * @param why absent for a pod that was told to end
   * @throws {ApiFailure} When it is refused or does not get through.
   */
  async close(
    shown: Pod,
    why: Pick<PodStatus, "message" | "reason"> | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { uid, generation = 0 } = shown.metadata;
    const remote = this.#newest(uid, shown);
    const { status = {} } = remote;
    if (isTerminalPhase(status.phase)) return;
    const closed: PodStatus = {
      // What a server gives may be no pod.
      ...(why === undefined ? terminatedStatus(remote, status) : status),
      phase: "Failed",
      ...(generation > 0 && { observedGeneration: generation }),
      ...why,
    };
    const merged = mergeStatus({
      remote: status,
      managed: closed,
      mayRun: false,
      nowMs: this.#deps.clock.now(),
    });
    const patch = patchStatus(status, merged);
    this.#answers.set(
      uid,
      await this.#deps.patchStatus(remote, patch, signal),
    );
  }

  /** Whether what the API server shows of a pod is not what it was told: somebody wrote it. */
  hasDrifted(stored: StoredStatus, shown: Pod): boolean {
    const { uid } = stored.pod.metadata;
    const newest = this.#newest(uid, shown);
    return newest === shown && !isOver(shown, stored) &&
      Object.keys(this.#patch(stored, shown)).length > 0;
  }

  #patch({ pod, status }: StoredStatus, remote: Pod): StrategicPatch {
    const { uid } = pod.metadata;
    const before = remote.status ?? {};
    const merged = mergeStatus({
      remote: before,
      managed: status,
      mayRun: this.#deps.mayRun(uid),
      nowMs: this.#deps.clock.now(),
    });
    return patchStatus(before, merged);
  }

  /** An answer is often newer than what the watch shows yet. */
  #newest(uid: string, shown: Pod): Pod {
    const answer = this.#answers.get(uid);
    if (answer === undefined) return shown;
    const isOfOne = answer.metadata.uid === shown.metadata.uid;
    if (isOfOne && versionOf(answer) > versionOf(shown)) return answer;
    this.#answers.delete(uid);
    return shown;
  }
}

/** An end that was told is never taken back. */
function isOver(
  { status: remote }: Pod,
  { status }: Pick<StoredStatus, "status">,
): boolean {
  return isTerminalPhase(remote?.phase) && !isTerminalPhase(status.phase);
}

/** Versions can be compared since they are numbers (KEP-5504); others are the oldest. */
function versionOf({ metadata: { resourceVersion = "" } }: Pod): bigint {
  return /^\d{1,20}$/.test(resourceVersion) ? BigInt(resourceVersion) : 0n;
}
