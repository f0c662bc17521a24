/**
 * Names for versions.
 *
 * @module
 */

import { fnv1a64Hex } from "../../api/objects/mod.ts";

/**
 * Ten characters of upstream's safe alphabet that stand for a text. Upstream hashes what
 * Go prints of a template, which nothing else can; nobody relies on the value.
 *
 * @param collisionCount how often the name was taken already
 */
export function safeHash(text: string, collisionCount: number = 0): string {
  const salt = collisionCount === 0 ? "" : `${collisionCount}`;
  let number = BigInt(`0x${fnv1a64Hex(text + salt)}`);
  let hash = "";
  for (let at = 0; at < 10; at++) {
    hash += SAFE[Number(number % BigInt(SAFE.length))];
    number /= BigInt(SAFE.length);
  }
  return hash;
}

// Without vowels, so that no word comes out.
const SAFE = "bcdfghjklmnpqrstvwxz2456789";
