/**
 * The query of a request for events.
 *
 * @module
 */

import type { WireEvent } from "../api/types/mod.ts";
import { badValue, QueryError, readSwitch } from "./answer/mod.ts";

/** Which events are wanted, and whether those to come are too. */
export interface EventQuery {
  readonly watch: boolean;
  /** Where a watch goes on; absent for a watch of all there is. */
  readonly resourceVersion?: string;
  readonly matches: (event: WireEvent) => boolean;
}

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
 * @throws {QueryError} When it cannot be answered.
 */
export function parseEventQuery(
  parameters: URLSearchParams,
  namespace: string | undefined,
): EventQuery {
  const watch = readSwitch("watch", parameters.get("watch") ?? "false");
  const resourceVersion = parameters.get("resourceVersion") ?? "";
  if (!/^\d{0,15}$/.test(resourceVersion)) {
    throw badValue("resourceVersion", resourceVersion, "one of a list");
  }
  const isSelected = parseFieldSelector(parameters.get("fieldSelector") ?? "");
  const inNamespace = namespace ?? parameters.get("namespace") ?? "";
  return {
    watch,
    // As upstream has it, 0 is any version.
    ...(resourceVersion !== "" && resourceVersion !== "0" &&
      { resourceVersion }),
    matches: (event) =>
      (inNamespace === "" || event.metadata.namespace === inNamespace) &&
      isSelected(event),
  };
}

/** There are fewer fields; each term is held against every event. */
const MAX_TERMS = 32;

function parseFieldSelector(text: string): EventQuery["matches"] {
  const terms = text.split(",").filter((term) => term !== "");
  if (terms.length > MAX_TERMS) {
    throw new QueryError(
      `Cannot use fieldSelector: found ${terms.length} terms, wanted at most ${MAX_TERMS}`,
    );
  }
  const tests = terms.map(parseTerm);
  return (event) => tests.every((test) => test(event));
}

function parseTerm(term: string): EventQuery["matches"] {
  const [, field = "", operator, wanted = ""] =
    /^([^=!]*)(==?|!=)(.*)$/s.exec(term) ?? [];
  const read = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
  if (operator === undefined) {
    throw badValue("fieldSelector", term, "a field, = or !=, and a value");
  }
  if (read === undefined) {
    const known = Object.keys(FIELDS).join(", ");
    throw badValue("fieldSelector", field, `one of ${known}`);
  }
  const isWanted = operator !== "!=";
  return (event) => (read(event) === wanted) === isWanted;
}
