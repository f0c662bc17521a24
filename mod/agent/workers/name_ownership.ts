/**
 * Which of the pods of one name may run.
 *
 * @module
 */

/**
 * Whether a pod may run under its name.
 *
 * - `has` no other pod has it
 * - `waits` another pod has it, or may have it
 * - `lost` another pod has it for good: whatever runs of this one has to stop
 */
export type NameOwnership = "has" | "waits" | "lost";

/** One pod that is to run under a name, or ends under it. */
export interface NameClaim {
  readonly uid: string;
  /** It may have acted under the name. */
  readonly ownsName: boolean;
  readonly isEnding: boolean;
}

/** The pods that may want or have a name. */
export interface NameClaims {
  /** In the order in which they came. */
  readonly claims: readonly NameClaim[];
  /**
   * The pods of the name that the runtime shows alive, by UID, and since when;
   * `undefined` when it is not known.
   */
  readonly alive: ReadonlyMap<string, bigint> | undefined;
}

/**
 * Judges the right of one claimant. Pure.
 *
 * The pod that has the name keeps it. A free name goes to the pod that has been
 * alive for longest, whichever came first: at most one pod of a name runs (I1), and
 * a restart of the agent changes no pod (I2). Only then comes the order of coming. A
 * managed pod that is alive and claims nothing may be wanted yet, so one that began after
 * it waits.
 */
export function nameOwnership(uid: string, names: NameClaims): NameOwnership {
  const { claims, alive } = names;
  // Before the first list it is not known which are alive.
  if (alive === undefined) return "waits";
  const claimants = new Set(claims.map((claim) => claim.uid));
  const isOlder = (sinceNs: bigint): boolean => {
    const own = alive.get(uid);
    return own === undefined || sinceNs <= own;
  };
  for (const [other, sinceNs] of alive) {
    if (!claimants.has(other) && isOlder(sinceNs)) return "waits";
  }
  const holder = claims.find(({ ownsName }) => ownsName) ??
    claims.find(({ isEnding }) => isEnding) ??
    oldestAlive(claims, alive) ?? claims[0];
  if (holder === undefined || holder.uid === uid) return "has";
  return holder.ownsName && !holder.isEnding ? "lost" : "waits";
}

function oldestAlive(
  claims: readonly NameClaim[],
  alive: ReadonlyMap<string, bigint>,
): NameClaim | undefined {
  const [oldest] = claims.flatMap((claim) => {
    const sinceNs = alive.get(claim.uid);
    return sinceNs === undefined ? [] : [{ claim, sinceNs }];
  }).sort((a, b) => Number(a.sinceNs - b.sinceNs));
  return oldest?.claim;
}
