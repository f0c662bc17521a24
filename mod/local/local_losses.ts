/**
 * What is known to be missing of what was kept.
 *
 * @module
 */

import type { OwnerReference } from "../api/workload/mod.ts";
import type { JournalDamage } from "./journal.ts";
import { kindFacts, objectKey } from "./kept_kinds.ts";
import type { ObjectChanged } from "./object_state.ts";

/** Knows which objects may be there though they are not found. */
export class LocalLosses {
  #damage: JournalDamage | undefined;
  #lost: ReadonlySet<string> = new Set();
  /** The UIDs of what has gone since; only as long as others may be missing. */
  readonly #gone = new Set<string>();

  /** What is missing; `undefined` for nothing. */
  get damage(): JournalDamage | undefined {
    return this.#damage;
  }

  restore(damage: JournalDamage | undefined): void {
    this.#damage = damage;
    const prefix = "object\n";
    this.#lost = new Set(
      damage?.lost.filter((key) => key.startsWith(prefix))
        .map((key) => key.slice(prefix.length)),
    );
  }

  /** Hears of a change. */
  followed({ before, after }: ObjectChanged): void {
    if (this.#damage?.isAll !== true) return;
    if (before === undefined || after !== undefined) return;
    this.#gone.add(before.object.metadata.uid);
  }

  /** The file in which the object of a key is, if it cannot be read. */
  lostIn(key: string): string | undefined {
    return this.#lost.has(key) ? this.#damage?.file : undefined;
  }

  /** Whether an owner that is not found is not there. */
  isCertain(owner: OwnerReference, namespace: string): boolean {
    if (this.#damage === undefined) return true;
    const isNamespaced = kindFacts(owner)?.isNamespaced ?? true;
    const { kind, name, uid } = owner;
    const ref = { kind, name, namespace: isNamespaced ? namespace : "" };
    if (this.#lost.has(objectKey(ref))) return false;
    return !this.#damage.isAll || this.#gone.has(uid);
  }
}
