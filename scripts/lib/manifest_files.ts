/**
 * Puts manifests into a directory that an agent watches.
 *
 * @module
 */

/** Puts a manifest there as an editor should: written beside, then renamed in. */
export async function applyManifest(
  path: string,
  { manifest, draft }: {
    readonly manifest: string | object;
    /** Where it is written first; not in a watched directory. */
    readonly draft: string;
  },
): Promise<void> {
  const text = typeof manifest === "string"
    ? manifest
    : JSON.stringify(manifest);
  await Deno.writeTextFile(draft, text);
  await Deno.rename(draft, path);
}

/** Sets the time of change to a minute ago. */
export async function makeOld(path: string): Promise<void> {
  const longAgo = new Date(Date.now() - 60_000);
  await Deno.utime(path, longAgo, longAgo);
}
