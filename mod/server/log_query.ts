/**
 * The query of a log request.
 *
 * @module
 */

import type { ReadLogOptions } from "./log_reader.ts";
import type { LogRequest } from "./ports.ts";
import { badValue, QueryError, quoted, readSwitch } from "./query.ts";

/** How a log is to be shown. */
export type LogQuery =
  & Pick<ReadLogOptions, "follow" | "timestamps" | "tailLines">
  & Pick<LogRequest, "previous">;

const SWITCHES = ["follow", "previous", "timestamps"] as const;

/**
 * Reads the query.
 *
 * @throws {QueryError} Also for a parameter that has no meaning.
 */
export function parseLogQuery(parameters: URLSearchParams): LogQuery {
  const switches = { follow: false, previous: false, timestamps: false };
  let tailLines: number | undefined;
  for (const [name, value] of parameters) {
    const known = SWITCHES.find((each) => each === name);
    if (known !== undefined) switches[known] = readSwitch(name, value);
    else if (name !== "tailLines") {
      const all = [...SWITCHES, "tailLines"].join(", ");
      throw new QueryError(
        `Cannot use the parameter ${quoted(name)}: wanted one of ${all}`,
      );
    } else if (/^\d{1,15}$/.test(value)) tailLines = Number(value);
    else throw badValue(name, value, "a whole number of at least 0");
  }
  return { ...switches, ...tailLines !== undefined && { tailLines } };
}
