/**
 * The header by which a server asks to be left alone for a while.
 *
 * @module
 */

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3): seconds or a date.
 *
 * @param nowMs wall time
 * @returns `undefined` when there is none, or none that can be read
 */
export function retryAfterOf(
  header: string | null,
  nowMs: number,
): number | undefined {
  const text = header?.trim() ?? "";
  if (text === "") return undefined;
  const isNumber = [...text].every((char) => char >= "0" && char <= "9");
  const ms = isNumber ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return ms >= 0 ? Math.min(ms, LONGEST_MS) : undefined;
}

/** More is no wish but a mistake. */
const LONGEST_MS = 24 * 3_600_000;
