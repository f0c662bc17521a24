/**
 * The query of a log request.
 *
 * @module
 */

import { quoted, readSwitch, type RefusedQuery, refuseValue } from "./query.ts";

/** How a log is to be shown. */
export interface LogQuery {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
}

/** The query, or why it cannot be answered. */
export type LogQueryResult =
  | { readonly kind: "ok"; readonly query: LogQuery }
  | RefusedQuery;

const SWITCHES = ["follow", "previous", "timestamps"] as const;

/** Reads the query; a parameter that has no meaning is refused, not skipped. */
export function parseLogQuery(parameters: URLSearchParams): LogQueryResult {
  const switches = { follow: false, previous: false, timestamps: false };
  let tailLines: number | undefined;
  for (const [name, value] of parameters) {
    const known = SWITCHES.find((each) => each === name);
    if (known !== undefined) {
      const isOn = readSwitch(value);
      if (isOn === undefined) return refuseValue(name, value, "true or false");
      switches[known] = isOn;
    } else if (name === "tailLines" && /^\d{1,15}$/.test(value)) {
      tailLines = Number(value);
    } else if (name === "tailLines") {
      return refuseValue(name, value, "a whole number of at least 0");
    } else {
      return {
        kind: "refused",
        message: `Cannot use the parameter ${quoted(name)}: wanted one of ${
          [...SWITCHES, "tailLines"].join(", ")
        }`,
      };
    }
  }
  return {
    kind: "ok",
    query: { ...switches, ...(tailLines === undefined ? {} : { tailLines }) },
  };
}
