/**
 * The query of a request for objects, and the path that says which.
 *
 * @module
 */

import {
  type ListOptions,
  type Resource,
  RESOURCES,
  type WatchOptions,
} from "../../api/access/mod.ts";
import { badValue, readSwitch } from "../answer/mod.ts";

/** Which objects a path means. */
export interface ObjectPath {
  readonly resource: Resource;
  /** Absent: all of them, or the kind has none. */
  readonly namespace?: string;
  /** Of one object. */
  readonly name?: string;
}

/**
 * Reads the names of a path such as `/apis/apps/v1/namespaces/shop/deployments/web`.
 *
 * @returns `undefined` when it is the path of no kind
 */
export function parseObjectPath(
  parts: readonly string[],
): ObjectPath | undefined {
  const [root, ...rest] = parts;
  const versionParts = root === "api" ? 1 : root === "apis" ? 2 : 0;
  if (versionParts === 0) return undefined;
  const apiVersion = rest.slice(0, versionParts).join("/");
  const [first = "", second = "", ...others] = rest.slice(versionParts);
  const find = (word: string, isNamespaced: boolean): Resource | undefined =>
    RESOURCES.find((each) =>
      each.apiVersion === apiVersion && each.resource === word &&
      (isNamespaced ? each.isNamespaced : true)
    );
  if (first === "namespaces" && second !== "") {
    const [word = "", name, ...more] = others;
    const resource = find(word, true);
    if (resource === undefined || more.length > 0) return undefined;
    const place = { resource, namespace: second };
    return name === undefined ? place : { ...place, name };
  }
  const resource = find(first, false);
  if (resource === undefined || others.length > 0) return undefined;
  if (second === "") {
    return rest.length > versionParts + 1 ? undefined : { resource };
  }
  // An object of a namespace is found in it only.
  return resource.isNamespaced ? undefined : { resource, name: second };
}

/** What is wanted of the objects of a kind. */
export type ObjectQuery =
  | { readonly watch: false; readonly options: ListOptions }
  | { readonly watch: true; readonly options: WatchOptions };

/**
 * Reads the parameters of a list or a watch; what is not known is left alone.
 *
 * @throws {QueryError} When one of them cannot be what it is.
 */
export function parseObjectQuery(
  query: URLSearchParams,
  path: ObjectPath,
): ObjectQuery {
  const namespace = path.namespace ?? "";
  const text = (name: string): Readonly<Record<string, string>> => {
    const value = query.get(name) ?? "";
    return value === "" ? {} : { [name]: value };
  };
  const common = {
    ...(namespace !== "" && { namespace }),
    ...text("labelSelector"),
    ...text("fieldSelector"),
    ...text("resourceVersion"),
  };
  if (!readSwitch("watch", query.get("watch") ?? "false")) {
    const limit = wholeNumber(query, "limit");
    const options = { ...common, ...text("continue"), ...limit };
    return { watch: false, options };
  }
  const initial = query.get("sendInitialEvents");
  const options = {
    ...common,
    ...wholeNumber(query, "timeoutSeconds"),
    allowWatchBookmarks: readSwitch(
      "allowWatchBookmarks",
      query.get("allowWatchBookmarks") ?? "false",
    ),
    ...(initial !== null &&
      { sendInitialEvents: readSwitch("sendInitialEvents", initial) }),
  };
  return { watch: true, options };
}

/** Nothing, as zero, stands for no bound. */
function wholeNumber(
  query: URLSearchParams,
  name: string,
): Readonly<Record<string, number>> {
  const text = query.get(name) ?? "";
  if (!/^\d{0,9}$/.test(text)) throw badValue(name, text, "a whole number");
  return Number(text) === 0 ? {} : { [name]: Number(text) };
}
