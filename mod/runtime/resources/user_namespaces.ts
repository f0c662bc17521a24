/**
 * The ids of the node that pods with a user namespace of their own are given.
 *
 * Each such pod has a range of its own, so that what breaks out of one pod is
 * nobody on the node and nobody in other pods. The range is kept in the pod's
 * directory and goes with it: an agent that starts again knows who has which.
 *
 * Upstream: pkg/kubelet/userns, of which the file is; there a range can be
 * configured, here it begins at 65536.
 *
 * @module
 */

import type { Sessions } from "../../base/mod.ts";
import { isPodUid } from "../../api/objects/mod.ts";
import type { IdMapping } from "../../cri/config/mod.ts";
import type { RuntimeFiles } from "../spec/mod.ts";

/** Ids of a pod: as many as a 16-bit uid can name, as upstream has it. */
const IDS_PER_POD = 65_536;
/** Ids are 32-bit numbers, and the first range is the node's own. */
const MAX_RANGES = 65_535;
const FILE_NAME = "userns";
/** A file is some 160 bytes long. */
const MAX_FILE_BYTES = 4_096;

/** Where the ranges are kept. */
export interface UserNamespaceDeps {
  readonly files: Pick<
    RuntimeFiles,
    "list" | "readTail" | "makeDirectory" | "write"
  >;
  /** A range is free again when its pod's session ends. */
  readonly sessions: Sessions;
  /** Each pod has a directory here, named by its UID. */
  readonly podsDir: string;
}

/** Gives out ranges of ids. One caller at a time for a pod. */
export class UserNamespaces {
  readonly #deps: UserNamespaceDeps;
  /** The number of the range by pod UID; the first is 1. */
  readonly #ranges: Map<string, number>;

  private constructor(deps: UserNamespaceDeps) {
    this.#deps = deps;
    this.#ranges = deps.sessions.map();
  }

  /** Reads which pod has which range. */
  static async load(deps: UserNamespaceDeps): Promise<UserNamespaces> {
    const { files, podsDir } = deps;
    const users = new UserNamespaces(deps);
    for (const uid of await files.list(podsDir)) {
      // What waits to be removed is no pod's any more.
      if (!isPodUid(uid)) continue;
      const path = `${podsDir}/${uid}/${FILE_NAME}`;
      const bytes = await files.readTail(path, MAX_FILE_BYTES);
      const range = bytes && readRange(new TextDecoder().decode(bytes));
      if (range !== undefined) users.#ranges.set(uid, range);
    }
    return users;
  }

  /** The ids of a pod that has some. */
  mappingOf(podUid: string): IdMapping | undefined {
    const range = this.#ranges.get(podUid);
    return range === undefined ? undefined : mapping(range);
  }

  /**
   * Gives a pod ids, unless it has some already.
   *
   * @throws {RangeError} when all are taken
   * @throws {Deno.errors.PermissionDenied | Error} when they cannot be written down
   */
  async reserve(podUid: string): Promise<void> {
    if (this.#ranges.has(podUid)) return;
    const range = this.#freeRange();
    // Before anything is awaited, so that no other pod takes it.
    this.#ranges.set(podUid, range);
    const { files, podsDir } = this.#deps;
    try {
      const directory = `${podsDir}/${podUid}`;
      await files.makeDirectory(directory, 0o750);
      await files.write(`${directory}/${FILE_NAME}`, text(range), 0o600);
    } catch (error) {
      this.#ranges.delete(podUid);
      throw error;
    }
  }

  #freeRange(): number {
    const taken = new Set(this.#ranges.values());
    for (let range = 1; range <= MAX_RANGES; range++) {
      if (!taken.has(range)) return range;
    }
    throw new RangeError(
      `Cannot give a pod ids of its own: all ${MAX_RANGES} ranges are taken`,
    );
  }
}

function mapping(range: number): IdMapping {
  return {
    hostId: range * IDS_PER_POD,
    containerId: 0,
    length: IDS_PER_POD,
  };
}

function text(range: number): string {
  const mappings = [mapping(range)];
  return JSON.stringify({ uidMappings: mappings, gidMappings: mappings });
}

/** What a file says, or `undefined` when the agent was ended while it wrote it. */
function readRange(text: string): number | undefined {
  const [, hostId = "0"] = /"hostId":(\d{5,10})\b/.exec(text) ?? [];
  const range = Number(hostId) / IDS_PER_POD;
  return Number.isInteger(range) && range >= 1 && range <= MAX_RANGES
    ? range
    : undefined;
}
