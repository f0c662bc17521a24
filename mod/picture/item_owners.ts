/**
 * Which pod a container or sandbox belongs to.
 *
 * @module
 */

import type { RuntimeListing } from "../runtime/observe/mod.ts";
import type { PodPicture } from "./pod_picture.ts";

/**
 * The UIDs of pods by the ids of what they have.
 *
 * A change costs as much as the pod that changed has containers, and a list of all is read
 * once, so that an event of the runtime costs the same however many pods there are.
 */
export class ItemOwners {
  /** By what is known of each pod; it beats the list of all. */
  readonly #known = new Map<string, string>();
  /** By the list of all; `undefined` until it is asked for. */
  #listed: Map<string, string> | undefined;
  #listing: RuntimeListing | undefined;

  /** The pod of a container or sandbox; `undefined` for an unknown one. */
  of(itemId: string): string | undefined {
    const known = this.#known.get(itemId);
    if (known !== undefined) return known;
    this.#listed ??= ownersIn(this.#listing);
    return this.#listed.get(itemId);
  }

  /** Takes the newest list of all. */
  listed(listing: RuntimeListing): void {
    this.#listing = listing;
    this.#listed = undefined;
  }

  /** What is known of a pod has changed. */
  changed(uid: string, before: PodPicture, after: PodPicture): void {
    const isSame = before.look.pod === after.look.pod &&
      before.published?.states === after.published?.states;
    if (isSame) return;
    for (const id of idsIn(before)) {
      if (this.#known.get(id) === uid) this.#known.delete(id);
    }
    for (const id of idsIn(after)) this.#known.set(id, uid);
  }
}

function* idsIn({ look: { pod }, published }: PodPicture): Iterable<string> {
  for (const { id } of pod?.sandboxes ?? []) yield id;
  for (const { id } of pod?.containers ?? []) yield id;
  yield* published?.states.keys() ?? [];
}

function ownersIn(listing: RuntimeListing | undefined): Map<string, string> {
  const owners = new Map<string, string>();
  for (const { uid, sandboxes, containers } of listing?.pods.values() ?? []) {
    for (const { id } of sandboxes) owners.set(id, uid);
    for (const { id } of containers) owners.set(id, uid);
  }
  return owners;
}
