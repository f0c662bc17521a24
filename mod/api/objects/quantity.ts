/**
 * Kubernetes quantities (`100m`, `1.5Gi`, `2e3`), computed exactly.
 *
 * @module
 */

/** How a quantity was written, and so how it is written back. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** An amount, exact to a billionth. */
export interface Quantity {
  /** The amount times 10^9. */
  readonly nano: bigint;
  readonly format: QuantityFormat;
}

/** Nothing at all. */
export const ZERO_QUANTITY: Quantity = { nano: 0n, format: "DecimalSI" };

/**
 * Reads a quantity.
 *
 * More digits than nine behind the point are rounded away from zero, as upstream
 * does. Unlike upstream, an amount of 2^63 or more is refused and not capped.
 *
 * @throws {SyntaxError} When the text is no quantity.
 * @throws {RangeError} When the amount is 2^63 or more.
 */
export function parseQuantity(text: string | number): Quantity {
  const written = String(text);
  const match = written.length > MAX_LENGTH ? null : SHAPE.exec(written);
  if (match === null) {
    throw new SyntaxError(
      `Cannot read quantity "${clip(written)}": wanted a number with one of ` +
        "the suffixes n u m k M G T P E Ki Mi Gi Ti Pi Ei or an exponent",
    );
  }
  const [, sign, whole = "", fraction = "", suffix = ""] = match;
  const scale = scaleOf(suffix);
  if (scale.power > MAX_POWER) throw tooLarge(written);
  const digits = BigInt(whole + fraction);
  const magnitude = scaled(digits, fraction.length, scale);
  if (magnitude > MAX_NANO) throw tooLarge(written);
  return { nano: sign === "-" ? -magnitude : magnitude, format: scale.format };
}

/** The amount in thousandths, rounded up: CPU in millicores. */
export function toMilli(quantity: Quantity): bigint {
  return divideUp(quantity.nano, 1_000_000n);
}

/** The amount in whole units, rounded up: memory in bytes. */
export function toBytes(quantity: Quantity): bigint {
  return divideUp(quantity.nano, NANO);
}

/** Negative, 0 or positive, as `a` is less than, equal to or more than `b`. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return a.nano < b.nano ? -1 : a.nano > b.nano ? 1 : 0;
}

/** The sum of two quantities, in the format of the first one unless that is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nano: a.nano + b.nano, format: a.nano === 0n ? b.format : a.format };
}

/** True when the amount has no fraction. */
export function isWhole(quantity: Quantity): boolean {
  return quantity.nano % NANO === 0n;
}

/** Writes a quantity in the shortest form that upstream calls canonical. */
export function formatQuantity(quantity: Quantity): string {
  const { nano, format } = quantity;
  if (nano === 0n) return "0";
  if (format === "BinarySI" && nano % NANO === 0n) {
    return formatBinary(nano / NANO);
  }
  let digits = nano;
  let power = -9;
  while (power < 18 && digits % 1000n === 0n) {
    digits /= 1000n;
    power += 3;
  }
  if (format === "DecimalExponent") {
    return power === 0 ? `${digits}` : `${digits}e${power}`;
  }
  return `${digits}${DECIMAL_SUFFIXES[power / 3 + 3]}`;
}

const SHAPE =
  /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d{1,18})?$/;
/** No amount below 2^63 needs more; longer digits only cost time. */
const MAX_LENGTH = 64;
const NANO = 1_000_000_000n;
const MAX_NANO = (2n ** 63n - 1n) * NANO;
/** A non-zero digit times ten to this is too large for any digits the sizes allow. */
const MAX_POWER = 10_000;
const DECIMAL_SUFFIXES = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const BINARY_SUFFIXES = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

interface Scale {
  /** Power of ten. */
  readonly power: number;
  /** Power of 1024. */
  readonly binary: number;
  readonly format: QuantityFormat;
}

function scaleOf(suffix: string): Scale {
  const binary = BINARY_SUFFIXES.indexOf(suffix);
  if (binary > 0) return { power: 0, binary, format: "BinarySI" };
  const decimal = DECIMAL_SUFFIXES.indexOf(suffix);
  if (decimal >= 0) {
    return { power: decimal * 3 - 9, binary: 0, format: "DecimalSI" };
  }
  const power = Number(suffix.slice(1));
  return { power, binary: 0, format: "DecimalExponent" };
}

function scaled(digits: bigint, decimals: number, scale: Scale): bigint {
  if (digits === 0n) return 0n;
  const power = scale.power - decimals + 9;
  const amount = digits * 1024n ** BigInt(scale.binary);
  if (power >= 0) return amount * 10n ** BigInt(power);
  // Whatever is asked for, the least of it is a billionth.
  if (-power > MAX_POWER) return 1n;
  return divideUp(amount, 10n ** BigInt(-power));
}

function formatBinary(whole: bigint): string {
  let rest = whole;
  let power = 0;
  while (power < 6 && rest % 1024n === 0n) {
    rest /= 1024n;
    power++;
  }
  return `${rest}${BINARY_SUFFIXES[power]}`;
}

/** Rounds towards positive infinity, which is what upstream's Value() does. */
function divideUp(amount: bigint, divisor: bigint): bigint {
  const quotient = amount / divisor;
  return amount % divisor > 0n ? quotient + 1n : quotient;
}

function tooLarge(text: string): RangeError {
  return new RangeError(
    `Cannot read quantity "${clip(text)}": it is 2^63 or more`,
  );
}

function clip(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
