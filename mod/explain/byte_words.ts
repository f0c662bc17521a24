/**
 * Amounts of bytes, as sentences have them.
 *
 * @module
 */

/** Rounded, in the units that manifests have. Pure. */
export function byteWords(bytes: number): string {
  const unit = BYTE_UNITS.find(([, size]) => bytes >= size);
  if (unit === undefined) return `${bytes}`;
  const [name, size] = unit;
  return `${Math.round(bytes / size * 10) / 10}${name}`;
}

const BYTE_UNITS: readonly (readonly [string, number])[] = [
  ["Ti", 2 ** 40],
  ["Gi", 2 ** 30],
  ["Mi", 2 ** 20],
  ["Ki", 2 ** 10],
];
