/**
 * The ids of the node that pods with a user namespace of their own are given.
 *
 * Each such pod has a range of its own, so that a process that breaks out of its pod has
 * the IDs of no user on the node or in other pods. The pod's record keeps the range, so
 * an agent that starts again knows the range of each pod.
 *
 * Upstream: pkg/kubelet/userns, of which the form is; there a range can be
 * configured, here it begins at 65536.
 *
 * @module
 */

import { isRecord, type Sessions } from "../../base/mod.ts";
import type { IdMapping } from "../../cri/config/mod.ts";
import type { PodRecords, RecordSection } from "../../host/files/mod.ts";

/** Ids of a pod: as many as a 16-bit uid can name, as upstream has it. */
const IDS_PER_POD = 65_536;
/** Ids are 32-bit numbers, and the first range is the node's own. */
const MAX_RANGES = 65_535;

/** Where the ranges are kept. */
export interface UserNamespaceDeps {
  readonly records: Pick<PodRecords, "section">;
  /** A range is free again when its pod's session ends. */
  readonly sessions: Sessions;
}

/** Gives out ranges of ids. One caller at a time for a pod. */
export class UserNamespaces {
  readonly #records: RecordSection;
  /** The number of the range by pod UID; the first is 1. */
  readonly #ranges: Map<string, number | "unknown">;

  private constructor({ records, sessions }: UserNamespaceDeps) {
    // After a power cut nothing runs with the ids.
    this.#records = records.section("userns", () => false);
    this.#ranges = sessions.map();
  }

  /** Reads which pod of an earlier agent has which range; the records were read before. */
  static async load(
    deps: UserNamespaceDeps,
    { uids, lost }: {
      readonly uids: Iterable<string>;
      /** Those of which it is not known what their record said. */
      readonly lost: ReadonlySet<string>;
    },
  ): Promise<UserNamespaces> {
    const users = new UserNamespaces(deps);
    for (const uid of uids) {
      const range = lost.has(uid)
        ? "unknown"
        : readRange(await users.#records.read(uid));
      if (range !== undefined) users.#ranges.set(uid, range);
    }
    return users;
  }

  /** The ids of a pod that has some. */
  mappingOf(podUid: string): IdMapping | undefined {
    const range = this.#ranges.get(podUid);
    return typeof range === "number" ? mapping(range) : undefined;
  }

  /**
   * Gives a pod ids, unless it has some already, and writes down which.
   *
   * @throws {RangeError} when all are taken
   * @throws {Error} when they cannot be written down, or those of another pod are not known
   */
  async reserve(podUid: string): Promise<void> {
    const known = this.#ranges.get(podUid);
    const range = typeof known === "number" ? known : this.#freeRange(podUid);
    // Before anything is awaited, so that no other pod takes it. It stays taken whatever
    // the disk says, since it may be written down later.
    this.#ranges.set(podUid, range);
    const mappings = [mapping(range)];
    await this.#records.write(podUid, {
      uidMappings: mappings,
      gidMappings: mappings,
    });
  }

  #freeRange(podUid: string): number {
    const taken = new Set<number>();
    for (const [uid, range] of this.#ranges) {
      if (typeof range === "number") taken.add(range);
      else if (uid !== podUid) {
        throw new Error(
          `Cannot give a pod ids of its own: those of pod "${uid}" are not known, since its record cannot be read`,
        );
      }
    }
    for (let range = 1; range <= MAX_RANGES; range++) {
      if (!taken.has(range)) return range;
    }
    throw new RangeError(
      `Cannot give a pod ids of its own: all ${MAX_RANGES} ranges are taken`,
    );
  }
}

function mapping(range: number): IdMapping {
  const hostId = range * IDS_PER_POD;
  return { hostId, containerId: 0, length: IDS_PER_POD };
}

/** What a record says, if it was written here. */
function readRange(value: unknown): number | undefined {
  const mappings = isRecord(value) ? value["uidMappings"] : undefined;
  const first: unknown = Array.isArray(mappings) ? mappings[0] : undefined;
  const range = isRecord(first) ? Number(first["hostId"]) / IDS_PER_POD : 0;
  return Number.isInteger(range) && range >= 1 && range <= MAX_RANGES
    ? range
    : undefined;
}
