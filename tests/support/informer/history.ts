/**
 * Whether what a handler was told makes sense.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import { isOlderVersion } from "../../../mod/informer/reflector/mod.ts";
import type { Notice } from "../../../mod/informer/shared/mod.ts";
import { keyInStore } from "../../../mod/informer/store/mod.ts";
import type { Item } from "./object_server.ts";

/** Follows the notices of a handler, and keeps the first that does not fit. */
export class History {
  /** What the handler believes to be there. */
  readonly believed: Map<string, Item> = new Map();
  /** What did not fit. An informer goes on after a handler that throws. */
  failed: unknown;

  /** @throws {AssertionError} When the notice does not follow from those before. */
  follow(notice: Notice<Item>): void {
    try {
      this.#follow(notice);
    } catch (error) {
      this.failed ??= error;
      throw error;
    }
  }

  #follow(notice: Notice<Item>): void {
    const { kind, object } = notice;
    const key = keyInStore(object);
    const known = this.believed.get(key);
    switch (kind) {
      case "added":
        strictEqual(known, undefined, `${key} is added twice`);
        this.believed.set(key, object);
        break;
      case "updated":
        strictEqual(notice.before, known, `${key} was not as it is said`);
        strictEqual(object.metadata.uid, known?.metadata.uid, key);
        ok(!isOlder(object, known), `${key} goes back in time`);
        this.believed.set(key, object);
        break;
      default:
        ok(known !== undefined, `${key} is removed and was not there`);
        strictEqual(object.metadata.uid, known.metadata.uid, key);
        ok(!isOlder(object, known), `${key} goes back in time at its end`);
        this.believed.delete(key);
    }
  }
}

function isOlder(object: Item, than: Item | undefined): boolean {
  return isOlderVersion(
    object.metadata.resourceVersion ?? "",
    than?.metadata.resourceVersion ?? "",
  );
}
