/**
 * Every way in which objects change, whoever wants it.
 *
 * @module
 */

import {
  ApiFailure,
  type DeleteOptions,
  type NewObject,
} from "../api/access/mod.ts";
import type { Clock, Random } from "../base/mod.ts";
import { parseTime } from "../pod/status/mod.ts";
import {
  deleted,
  type Deletion,
  edited,
  ended,
  hasPodEnded,
  isFinished,
  restated,
  sameJson,
} from "./changed_object.ts";
import { immutableFaults } from "./immutable.ts";
import {
  accessRef,
  type KindFacts,
  objectKey,
  objectWords,
} from "./kept_kinds.ts";
import { generatedName, newObject } from "./new_object.ts";
import type { ObjectState } from "./object_state.ts";
import type { KeptObject, Origin } from "./object_table.ts";
import { type AnyObject, finalizersOf, isDeleted } from "./parts.ts";

/** What {@linkcode ObjectEdits} are made with. */
export interface ObjectEditsDeps {
  readonly state: ObjectState;
  readonly clock: Clock;
  readonly random: Random;
  /** The node that pods are bound to when they are made. */
  readonly nodeName: string | undefined;
  /** The file in which the object of a key is, if it cannot be read. */
  readonly lostIn: (key: string) => string | undefined;
  /** So many pods may be there that have not ended. */
  readonly mostPods: number;
  /** Whether what is there takes all the room on the disk that it may. */
  readonly isFull: () => boolean;
}

/** Changes an {@linkcode ObjectState} by the rules of the API. */
export class ObjectEdits {
  readonly #deps: ObjectEditsDeps;

  constructor(deps: ObjectEditsDeps) {
    this.#deps = deps;
  }

  /** @throws {ApiFailure} When the wish is invalid, or its name is taken. */
  create(wish: NewObject, facts: KindFacts, origin: Origin): AnyObject {
    const { state, clock, random, nodeName } = this.#deps;
    const object = newObject(this.#named(wish), facts, {
      random,
      nowMs: clock.now(),
      nodeName,
    });
    const ref = accessRef(object);
    const lostIn = this.#deps.lostIn(objectKey(ref));
    if (lostIn !== undefined) {
      throw new ApiFailure(
        "ServiceUnavailable",
        `Cannot make ${
          objectWords(ref)
        }: there is one, and what was kept of it ` +
          `cannot be read; it is in "${lostIn}"`,
      );
    }
    if (state.table.get(ref) !== undefined) {
      throw new ApiFailure(
        "AlreadyExists",
        `${objectWords(ref)} is there already`,
      );
    }
    if (origin.kind === "owned") this.#makeRoom(object.kind);
    return state.put(object, origin);
  }

  /** Refuses as a quota does: a number in a manifest must not fill the node. */
  #makeRoom(kind: string): void {
    const { state: { table }, isFull } = this.#deps;
    const count = table.count(kind);
    if (isFull()) {
      throw new ApiFailure(
        "Forbidden",
        `Cannot make a ${kind}: the objects of this node take all the room that they may`,
      );
    }
    if (kind === "Pod") return this.#makeRoomForPod(count);
    if (count < MOST_OF_A_KIND) return;
    throw new ApiFailure(
      "Forbidden",
      `Cannot make a ${kind}: this node keeps at most ${MOST_OF_A_KIND}`,
    );
  }

  /** Pods that have ended go as in upstream's podgc, the oldest first. */
  #makeRoomForPod(count: number): void {
    const { state, mostPods } = this.#deps;
    if (count < Math.min(mostPods, MOST_ENDED)) return;
    const ended = [...state.table.ofKind("Pod")]
      .filter(({ object }) => hasPodEnded(object.status));
    if (count - ended.length >= mostPods) {
      throw new ApiFailure(
        "Forbidden",
        `Cannot make a Pod: this node keeps at most ${mostPods} that have not ended`,
      );
    }
    const surplus = ended.length - MOST_ENDED + 1;
    if (surplus <= 0) return;
    // Those with a finalizer wait to be counted.
    const first = ended.filter(({ object }) =>
      !isDeleted(object) && finalizersOf(object).length === 0
    ).sort((a, b) => madeMs(a) - madeMs(b) || a.revision - b.revision);
    for (const kept of first.slice(0, surplus)) this.end(kept, {});
  }

  /** A wish for a name that is free, if it is to be generated. */
  #named(wish: NewObject): NewObject {
    const { metadata } = wish;
    if (metadata.name || !metadata.generateName) return wish;
    const { state, random } = this.#deps;
    let name = "";
    for (let tries = 0; tries < NAME_TRIES; tries++) {
      name = generatedName(metadata.generateName, random);
      const ref = { kind: wish.kind, namespace: metadata.namespace, name };
      if (state.table.get(ref) === undefined) break;
    }
    return { ...wish, metadata: { ...metadata, name } };
  }

  /**
   * Replaces all but the status.
   *
   * @param origin where it comes from now, if that changes
   * @throws {ApiFailure} When the wish is stale or changes what cannot change.
   */
  edit(
    kept: KeptObject,
    wish: AnyObject,
    facts: KindFacts,
    origin: Origin = kept.origin,
  ): AnyObject {
    const after = edited(kept.object, wish, {
      facts,
      isFixed: immutableFaults,
    });
    if (isFinished(after)) {
      this.#deps.state.remove({ ...kept, object: after });
      return after;
    }
    if (after === kept.object && origin === kept.origin) return after;
    return this.#deps.state.put(after, origin);
  }

  /** @throws {ApiFailure} When the wish is stale. */
  restate(kept: KeptObject, wish: AnyObject): AnyObject {
    const after = restated(kept.object, wish);
    if (after === kept.object) return after;
    return this.#deps.state.put(after, kept.origin);
  }

  /** Deletes an object, or has it wait for what holds it. */
  end(kept: KeptObject, options: DeleteOptions): void {
    this.#apply(kept, deleted(kept.object, options, this.#deps.clock.now()));
  }

  /** Ends a Pod that was deleted; does nothing to others. */
  finish(kept: KeptObject): void {
    if (!isDeleted(kept.object)) return;
    this.#apply(kept, ended(kept.object, this.#deps.clock.now()));
  }

  #apply(kept: KeptObject, deletion: Deletion): void {
    const { state } = this.#deps;
    if (deletion.kind === "gone") state.remove(kept);
    else if (!sameJson(deletion.object, kept.object)) {
      state.put(deletion.object, kept.origin);
    }
  }
}

// More than a device has of anything.
const MOST_OF_A_KIND = 10_000;

// Upstream's terminated-pod-gc-threshold is 12,500, for all nodes together.
const MOST_ENDED = 1000;

// As upstream since 1.30: with so many tries a clash is as good as impossible.
const NAME_TRIES = 8;

function madeMs({ object: { metadata } }: KeptObject): number {
  return parseTime(metadata.creationTimestamp) ?? 0;
}
