/**
 * Amounts of bytes.
 *
 * @module
 */

const UNITS = ["", "Ki", "Mi", "Gi", "Ti"];

/** Bytes as Kubernetes writes them, such as `12Mi`; with a digit behind the point below ten. */
export function amountText(bytes: number | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  let rest = bytes;
  let unit = 0;
  while (rest >= 1024 && unit < UNITS.length - 1) {
    rest /= 1024;
    unit++;
  }
  const digits = unit === 0 || rest >= 10 ? 0 : 1;
  return `${rest.toFixed(digits).replace(/\.0$/, "")}${UNITS[unit]}`;
}
