/**
 * Names of entries of a directory.
 *
 * @module
 */

/** Whether a name is that of one entry, so that it does not lead out of its directory. */
export function isPlainName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !name.includes("/");
}
