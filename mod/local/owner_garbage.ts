/**
 * Removes what belongs to nothing any more.
 *
 * @module
 */

import { Bell } from "../base/mod.ts";
import {
  type Collection,
  isInForeground,
  judgeGarbage,
  type OwnerView,
} from "./garbage.ts";
import { keyOf, kindFacts } from "./kept_kinds.ts";
import type { ObjectEdits } from "./object_edits.ts";
import type { ObjectChanged, ObjectState } from "./object_state.ts";
import type { KeptObject } from "./object_table.ts";
import {
  type AnyObject,
  finalizersOf,
  FOREGROUND,
  isDeleted,
  ORPHAN,
  ownersOf,
  withFinalizers,
  withOwners,
} from "./parts.ts";

/** Judges objects about which something changed, one after the other. */
export class OwnerGarbage {
  readonly #deps: {
    readonly state: ObjectState;
    readonly edits: ObjectEdits;
    readonly isCertain: OwnerView["isCertain"];
  };
  /** The keys of what is to be looked at, in order; each once. */
  readonly #due = new Set<string>();
  /** Rings when there is something to do. */
  readonly bell: Bell = new Bell();

  /** @param deps.isCertain whether an owner that is not found is not there */
  constructor(deps: {
    readonly state: ObjectState;
    readonly edits: ObjectEdits;
    readonly isCertain: OwnerView["isCertain"];
  }) {
    this.#deps = deps;
  }

  /** Whether there is something to do. */
  get isDue(): boolean {
    return this.#due.size > 0;
  }

  /** Looks at everything: what happened before is not known. */
  lookAtAll(): void {
    for (const { object } of this.#deps.state.table.all()) this.#mark(object);
  }

  /** Hears of a change. */
  followed({ before, after }: ObjectChanged): void {
    const { table } = this.#deps.state;
    if (after !== undefined) this.#mark(after.object);
    const uid = (after ?? before)?.object.metadata.uid ?? "";
    const waited = before !== undefined && isInForeground(before.object);
    if (after === undefined || (isInForeground(after.object) && !waited)) {
      for (const key of table.dependents(uid)) this.#look(key);
    }
    // Whoever waits for it may go now.
    if (before === undefined) return;
    for (const owner of ownersOf(before.object)) {
      const found = table.byUid(owner.uid);
      if (found !== undefined && isDeleted(found.object)) {
        this.#mark(found.object);
      }
    }
  }

  /** Does what is due for so many objects at most. */
  collect(limit: number): void {
    let left = limit;
    // What comes due meanwhile is met as well.
    for (const key of this.#due) {
      if (left-- === 0) return;
      this.#due.delete(key);
      const kept = this.#deps.state.table.byKey(key);
      if (kept === undefined || kept.origin.kind === "shown") continue;
      this.#apply(kept, judgeGarbage(kept.object, this.#view));
    }
  }

  readonly #view: OwnerView = {
    byUid: (uid) => this.#deps.state.table.byUid(uid)?.object,
    dependents: (uid) => this.#dependents(uid).map(({ object }) => object),
    isCertain: (owner, namespace) => this.#deps.isCertain(owner, namespace),
  };

  *#dependents(uid: string): Generator<KeptObject> {
    const { table } = this.#deps.state;
    for (const key of table.dependents(uid)) {
      const kept = table.byKey(key);
      if (kept !== undefined) yield kept;
    }
  }

  #apply(kept: KeptObject, collection: Collection): void {
    const { object } = kept;
    switch (collection.kind) {
      case "nothing":
        return;
      case "disown":
        return this.#disown(kept, collection.uids);
      case "delete":
        return this.#delete(kept, collection);
      case "orphan": {
        const { uid } = object.metadata;
        // Disowned, they are dependents no more.
        for (const each of [...this.#dependents(uid)]) {
          this.#disown(each, [uid]);
        }
        return this.#finish(kept, ORPHAN);
      }
      case "free":
        return this.#finish(kept, FOREGROUND);
    }
  }

  #delete(
    kept: KeptObject,
    { propagation, unblocks }: Collection & { readonly kind: "delete" },
  ): void {
    const { edits, state } = this.#deps;
    const { object } = kept;
    if (unblocks) {
      const owners = ownersOf(object)
        .map((owner) => ({ ...owner, blockOwnerDeletion: false }));
      this.#edit(kept, withOwners(object, owners));
    }
    const now = state.table.byUid(object.metadata.uid);
    if (now === undefined) return;
    edits.end(now, propagation === undefined ? {} : { propagation });
  }

  #disown(kept: KeptObject, uids: readonly string[]): void {
    const { object } = kept;
    const owners = ownersOf(object).filter(({ uid }) => !uids.includes(uid));
    this.#edit(kept, withOwners(object, owners));
  }

  #finish(kept: KeptObject, finalizer: string): void {
    const { object } = kept;
    const left = finalizersOf(object).filter((each) => each !== finalizer);
    this.#edit(kept, withFinalizers(object, left));
  }

  #edit(kept: KeptObject, wish: AnyObject): void {
    const facts = kindFacts(kept.object);
    if (facts !== undefined) this.#deps.edits.edit(kept, wish, facts);
  }

  #mark(object: AnyObject): void {
    const isOwned = ownersOf(object).length > 0;
    if (isOwned || isDeleted(object)) this.#look(keyOf(object));
  }

  #look(key: string): void {
    this.#due.add(key);
    this.bell.ring();
  }
}
