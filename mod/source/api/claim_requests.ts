/**
 * Claims of a cluster, asked for until they are bound.
 *
 * A node may read claims and volumes one by one only: as the kubelet it asks when a pod
 * comes that names one.
 *
 * @module
 */

import type { ClaimObject, ObjectRef } from "../../api/objects/mod.ts";
import type { ClusterClaim, ClusterVolume } from "../../api/read/mod.ts";
import { type Clock, jitter, nextDelay, type Random } from "../../base/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import { hasFailed } from "../../api/access/mod.ts";
import type { LabelledNode } from "../../pod/admission/mod.ts";
import { bindingOf, claimFor, unboundReason } from "./bound_claim.ts";
import type { ClaimKeeper } from "./referenced_objects.ts";
import { type Answers, livingRefusal } from "./refusal.ts";

/** What asking for claims works with. */
export interface ClaimRequestsDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** @throws {Error} When the server refuses, is away, or gives what is no claim. */
  readonly claim: (
    ref: ObjectRef,
    signal: AbortSignal,
  ) => Promise<ClusterClaim>;
  /** @throws {Error} The same of a volume. */
  readonly volume: (
    name: string,
    signal: AbortSignal,
  ) => Promise<ClusterVolume>;
  /** The node as the cluster knows it now. */
  readonly node: () => LabelledNode;
}

/** The kubelet asks ten times a second. */
const RETRY = { baseMs: 1_000, maxMs: 10_000 };
const SPREAD = 0.2;

/** Asks for a claim and its volume, again and again until the volume can be had. */
export class ClaimRequests implements ClaimKeeper {
  readonly #deps: ClaimRequestsDeps;

  constructor(deps: ClaimRequestsDeps) {
    this.#deps = { ...deps, log: deps.log.named("claims") };
  }

  async keep(
    ref: ObjectRef,
    answers: Answers<ClaimObject | undefined>,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, random, log } = this.#deps;
    let retryMs: number | undefined;
    let said = "";
    while (!signal.aborted) {
      try {
        const claim = await this.#look(ref, signal);
        if (signal.aborted) return;
        answers.took(claim);
        // It has its volume for as long as it is there.
        if (claim !== undefined && claim.binding?.kind !== "none") return;
        said = "";
      } catch (error) {
        if (signal.aborted) return;
        const why = livingRefusal(error);
        if (why !== undefined) answers.refused(why);
        const reason = describeError(error);
        const claim = `${ref.namespace}/${ref.name}`;
        if (reason !== said) log.warn("claim_not_read", { claim, reason });
        said = reason;
      }
      retryMs = nextDelay(retryMs, RETRY);
      await clock.sleep(jitter(random, retryMs, SPREAD), signal)
        .catch(() => {});
    }
  }

  async #look(
    ref: ObjectRef,
    signal: AbortSignal,
  ): Promise<ClaimObject | undefined> {
    let claim: ClusterClaim;
    try {
      // It is taken for no other one, whatever it says that it is called.
      claim = { ...await this.#deps.claim(ref, signal), ...ref };
    } catch (error) {
      if (hasFailed(error, "NotFound")) return undefined;
      throw error;
    }
    const unbound = unboundReason(claim);
    if (unbound !== undefined) {
      return claimFor(claim, { kind: "none", why: unbound });
    }
    try {
      const volume = await this.#deps.volume(claim.volumeName, signal);
      return claimFor(claim, bindingOf(claim, volume, this.#deps.node()));
    } catch (error) {
      const refusal = livingRefusal(error);
      if (refusal === undefined) throw error;
      const why =
        `failed to fetch PV ${claim.volumeName} from API server: ${refusal}`;
      return claimFor(claim, { kind: "none", why });
    }
  }
}
