/**
 * What lies in directories, so that every write to them shows.
 *
 * @module
 */

/**
 * Everything in a directory, itself included: what is written, made, renamed, removed, or
 * given another mode or owner differs from before.
 */
export async function filesBelow(
  path: string,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const look = async (path: string): Promise<void> => {
    const { ino, size, mtime, ctime, isDirectory } = await Deno.lstat(path);
    const times = [mtime, ctime].map((time) => time?.getTime()).join(" ");
    found.set(path, `${ino} ${size} ${times}`);
    if (!isDirectory) return;
    for await (const { name } of Deno.readDir(path)) {
      await look(`${path}/${name}`);
    }
  };
  await look(path);
  return found;
}

/** How many of them differ, came or went. */
export function countChanges(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): number {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path))
    .length;
}
