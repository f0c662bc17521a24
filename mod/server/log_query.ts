/**
 * The query of a log request.
 *
 * @module
 */

import type { ReadLogOptions } from "./log_reader.ts";
import type { LogRequest } from "./ports.ts";
import { badValue, QueryError, quoted, readSwitch } from "./answer/mod.ts";

/** How a log is to be shown. */
export type LogQuery =
  & Pick<
    ReadLogOptions,
    "follow" | "timestamps" | "tailLines" | "sinceMs" | "limitBytes"
  >
  & Pick<LogRequest, "previous">;

const SWITCHES = ["follow", "previous", "timestamps"] as const;

/** Parameters with values, and how each is read. */
const VALUES: Readonly<
  Record<string, (value: string, nowMs: number) => Partial<LogQuery>>
> = {
  tailLines: (value) => ({ tailLines: wholeNumber("tailLines", value, 0) }),
  limitBytes: (value) => ({ limitBytes: wholeNumber("limitBytes", value, 1) }),
  sinceSeconds: (value, nowMs) => ({
    sinceMs: nowMs - 1000 * wholeNumber("sinceSeconds", value, 1),
  }),
  sinceTime: (value) => ({ sinceMs: timePoint("sinceTime", value) }),
};

/**
 * Reads the query, with the names of upstream's PodLogOptions.
 *
 * @param nowMs the wall clock, from which seconds are counted back
 * @throws {QueryError} Also for a parameter that has no meaning.
 */
export function parseLogQuery(
  parameters: URLSearchParams,
  nowMs: number,
): LogQuery {
  const switches = { follow: false, previous: false, timestamps: false };
  let values: Partial<LogQuery> = {};
  for (const [name, value] of parameters) {
    const known = SWITCHES.find((each) => each === name);
    const read = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
    if (known !== undefined) switches[known] = readSwitch(name, value);
    else if (read === undefined) {
      const all = [...SWITCHES, ...Object.keys(VALUES)].join(", ");
      throw new QueryError(
        `Cannot use the parameter ${quoted(name)}: wanted one of ${all}`,
      );
    } else values = { ...values, ...read(value, nowMs) };
  }
  if (parameters.has("sinceSeconds") && parameters.has("sinceTime")) {
    throw new QueryError(
      "Cannot use sinceSeconds: found it beside sinceTime, wanted one of them",
    );
  }
  return { ...switches, ...values };
}

function wholeNumber(name: string, value: string, least: number): number {
  if (/^\d{1,15}$/.test(value) && Number(value) >= least) return Number(value);
  throw badValue(name, value, `a whole number of at least ${least}`);
}

function timePoint(name: string, value: string): number {
  const isTime = /^\d{4}-\d\d-\d\dT[\d:]{8}(?:\.\d{1,9})?(?:Z|[-+]\d\d:\d\d)$/
    .test(value);
  const ms = isTime ? Date.parse(value) : NaN;
  if (Number.isFinite(ms)) return ms;
  throw badValue(name, value, "a time such as 2006-01-02T15:04:05Z");
}
