/**
 * Amounts of what can run short, as people read them.
 *
 * @module
 */

import { formatQuantity } from "../api/objects/mod.ts";
import type { StarvedResource } from "./signals.ts";

/** Bytes as a quantity, anything else as a number. */
export function starvedAmount(
  amount: number,
  resource: StarvedResource,
): string {
  if (resource === "inodes" || resource === "pids") {
    return String(Math.round(amount));
  }
  const nano = BigInt(Math.round(amount)) * 1_000_000_000n;
  return formatQuantity({ nano, format: "BinarySI" });
}
