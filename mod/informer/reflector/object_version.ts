/**
 * Comparing versions of objects.
 *
 * @module
 */

/**
 * Whether one version is certainly before the other. Versions are numbers in decimal; of
 * those that are not, nothing is certain.
 */
export function isOlderVersion(version: string, than: string): boolean {
  if (!isNumber(version) || !isNumber(than)) return false;
  return version.length === than.length
    ? version < than
    : version.length < than.length;
}

/** Empty and `0` ask for any version and are none themselves. */
function isNumber(version: string): boolean {
  return /^[1-9][0-9]*$/.test(version);
}
