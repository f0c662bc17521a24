/**
 * Where a path on the disk really leads.
 *
 * @module
 */

/**
 * Follows all links of a path. It does so at once and not in the background, since
 * the builders that ask are pure otherwise, and ask only for pods that name a
 * profile of the node.
 *
 * @returns `undefined` when nothing is there; nothing but an empty text, which lies
 * in no directory, when the path cannot be followed
 */
export function realPathOf(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    // Whatever else is wrong must not pass for "nothing is there".
    return error instanceof Deno.errors.NotFound ? undefined : "";
  }
}
