/**
 * Two contents of one source.
 *
 * @module
 */

import {
  formatObjectId,
  type LocalObject,
  objectId,
  podKey,
} from "../../api/objects/mod.ts";
import type { SourceContent } from "../merge/mod.ts";

/** Two contents; of what both have, the first. */
export function uniteContents(
  first: SourceContent,
  second: SourceContent,
): SourceContent {
  const pods = new Set(first.pods.map(({ metadata }) => podKey(metadata)));
  const names = new Set(first.objects.map(nameOf));
  return {
    pods: [
      ...first.pods,
      ...second.pods.filter(({ metadata }) => !pods.has(podKey(metadata))),
    ],
    objects: [
      ...first.objects,
      ...second.objects.filter((object) => !names.has(nameOf(object))),
    ],
  };
}

function nameOf(object: LocalObject): string {
  return formatObjectId(objectId(object));
}
