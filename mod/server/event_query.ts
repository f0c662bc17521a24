/**
 * The query of a request for events.
 *
 * @module
 */

import type { WireEvent } from "../api/types/mod.ts";
import { readSwitch, type RefusedQuery, refuseValue } from "./query.ts";

/** Which events are wanted, and whether those to come are too. */
export interface EventQuery {
  readonly watch: boolean;
  /** Where a watch goes on; absent for a watch of all there is. */
  readonly resourceVersion?: string;
  readonly matches: (event: WireEvent) => boolean;
}

/** The query, or why it cannot be answered. */
export type EventQueryResult =
  | { readonly kind: "ok"; readonly query: EventQuery }
  | RefusedQuery;

/** What can be selected by; upstream's list in pkg/apis/core/v1/conversion.go. */
const FIELDS: Readonly<Record<string, (event: WireEvent) => string>> = {
  "involvedObject.kind": ({ involvedObject }) => involvedObject.kind,
  "involvedObject.namespace": ({ involvedObject }) => involvedObject.namespace,
  "involvedObject.name": ({ involvedObject }) => involvedObject.name,
  "involvedObject.uid": ({ involvedObject }) => involvedObject.uid ?? "",
  "involvedObject.apiVersion": ({ involvedObject }) =>
    involvedObject.apiVersion,
  // The version of the pod; pods have none here.
  "involvedObject.resourceVersion": () => "",
  "involvedObject.fieldPath": ({ involvedObject }) =>
    involvedObject.fieldPath ?? "",
  "metadata.name": ({ metadata }) => metadata.name,
  "metadata.namespace": ({ metadata }) => metadata.namespace,
  reason: ({ reason }) => reason,
  reportingComponent: ({ reportingComponent }) => reportingComponent,
  source: ({ source }) => source.component,
  type: ({ type }) => type,
};

/**
 * Reads the query as the API server does: parameters that it does not know do nothing.
 *
 * @param namespace The one in the path; all of them when absent or empty.
 */
export function parseEventQuery(
  parameters: URLSearchParams,
  namespace: string | undefined,
): EventQueryResult {
  const given = parameters.get("watch") ?? "false";
  const watch = readSwitch(given);
  if (watch === undefined) return refuseValue("watch", given, "true or false");
  const resourceVersion = parameters.get("resourceVersion") ?? "";
  if (!/^\d{0,15}$/.test(resourceVersion)) {
    return refuseValue("resourceVersion", resourceVersion, "one of a list");
  }
  const selector = parseFieldSelector(parameters.get("fieldSelector") ?? "");
  if (selector.kind === "refused") return selector;
  const inNamespace = namespace ?? parameters.get("namespace") ?? "";
  return {
    kind: "ok",
    query: {
      watch,
      // As upstream has it, 0 is any version.
      ...(resourceVersion !== "" && resourceVersion !== "0" &&
        { resourceVersion }),
      matches: (event) =>
        (inNamespace === "" || event.metadata.namespace === inNamespace) &&
        selector.matches(event),
    },
  };
}

/** There are fewer fields; each term is held against every event. */
const MAX_TERMS = 32;

function parseFieldSelector(
  text: string,
):
  | { readonly kind: "ok"; readonly matches: (event: WireEvent) => boolean }
  | RefusedQuery {
  const terms = text.split(",").filter((term) => term !== "");
  if (terms.length > MAX_TERMS) {
    const message =
      `Cannot use fieldSelector: found ${terms.length} terms, wanted at most ${MAX_TERMS}`;
    return { kind: "refused", message };
  }
  const tests: ((event: WireEvent) => boolean)[] = [];
  for (const term of terms) {
    const [, field = "", operator, wanted = ""] =
      /^([^=!]*)(==?|!=)(.*)$/s.exec(term) ?? [];
    const read = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
    if (operator === undefined) {
      return refuseValue(
        "fieldSelector",
        term,
        "a field, = or !=, and a value",
      );
    }
    if (read === undefined) {
      const known = Object.keys(FIELDS).join(", ");
      return refuseValue("fieldSelector", field, `one of ${known}`);
    }
    const isWanted = operator !== "!=";
    tests.push((event) => (read(event) === wanted) === isWanted);
  }
  return {
    kind: "ok",
    matches: (event) => tests.every((test) => test(event)),
  };
}
