/**
 * Listing a directory into which a container may have put any number of entries.
 *
 * @module
 */

/** More than any directory of the agent has; they take some 25 MB. */
const MOST_ENTRIES = 50_000;

/**
 * The entries of a directory, or those of them that are wanted. The others take no memory.
 *
 * @throws {Error} When there are too many to be held, and when the disk refuses.
 */
export async function listEntries(
  path: string,
  options: {
    /** @default all */
    readonly wants?: (entry: Deno.DirEntry) => boolean;
    /** @default 50000 */
    readonly most?: number;
  } = {},
): Promise<readonly Deno.DirEntry[]> {
  const { wants = () => true, most = MOST_ENTRIES } = options;
  const found: Deno.DirEntry[] = [];
  for await (const entry of Deno.readDir(path)) {
    if (!wants(entry)) continue;
    if (found.length === most) {
      throw new Error(
        `Cannot list "${path}": found more than ${most} entries, wanted fewer`,
      );
    }
    found.push(entry);
  }
  return found;
}
