/**
 * All that an API server has for this node.
 *
 * @module
 */

import { sameObject } from "../../api/objects/mod.ts";
import type { WithheldObject } from "../../pod/inputs/mod.ts";
import { deepEqual, type SourceContent } from "../merge/mod.ts";
import { NO_CONTENT } from "../mod.ts";

/** What there is, and what the server refuses to say of it. */
export interface ApiContent extends SourceContent {
  readonly withheld: readonly WithheldObject[];
}

/** Not a thing. */
export const NOTHING: ApiContent = { ...NO_CONTENT, withheld: [] };

/** Whether two say the same; pods do that are the very same. */
export function isSameContent(before: ApiContent, after: ApiContent): boolean {
  return before.pods.length === after.pods.length &&
    before.objects.length === after.objects.length &&
    after.pods.every((pod, at) => pod === before.pods[at]) &&
    after.objects.every((object, at) => {
      const held = before.objects[at];
      return held !== undefined && sameObject(held, object);
    }) && deepEqual(before.withheld, after.withheld);
}
