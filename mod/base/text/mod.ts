/**
 * Text for people and for the wire: durations, errors in words, JSON escapes, Base64, IP
 * addresses, values that are not shown, names of directory entries, and the name that a misspelt
 * one was meant to be. All of it is pure.
 *
 * @example A flag that was misspelt, and a duration
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { parseDuration, suggest } from "./mod.ts";
 *
 * strictEqual(suggest("root-dri", ["root-dir", "run-dir"]), "root-dir");
 * strictEqual(parseDuration("1m30s"), 90_000);
 * ```
 *
 * @module
 */

export { decodeBase64 } from "./base64.ts";
export { describeError } from "./describe_error.ts";
export { formatAge, formatDuration, parseDuration } from "./duration.ts";
export { escapeJson } from "./escape_json.ts";
export { Hidden, NOT_SHOWN } from "./hidden.ts";
export {
  cidrContains,
  hostText,
  isIp,
  joinHostPort,
  parseCidr,
  parseIp,
} from "./ip.ts";
export { isPlainName } from "./plain_name.ts";
export { suggest } from "./suggest.ts";
export { trimEndOf } from "./trim_end.ts";
