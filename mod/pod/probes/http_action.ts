/**
 * The HTTP request of a probe or a lifecycle hook: where it goes and what it carries.
 *
 * @module
 */

import type { ContainerPort, LifecycleHandler } from "../../api/types/mod.ts";

/** What an action of kind `httpGet` says. */
export type HttpAction = NonNullable<LifecycleHandler["httpGet"]>;

/** Where an action goes that does not say it all itself. */
export interface HttpActionPlace {
  /** What is not possible if the action makes no sense, such as `run the hook`. */
  readonly purpose: string;
  /** The pod's own address; `undefined` when it has none. */
  readonly podIp: string | undefined;
  /** Of the container that the action belongs to. */
  readonly ports: readonly ContainerPort[];
}

/**
 * The URL that an action asks, by its scheme unless another is given.
 *
 * Upstream: pkg/probe/http/request.go NewRequestForHTTPGetAction.
 *
 * @throws {Error} When the action names no host and the pod has no address, or its
 * port is none of the container's.
 */
export function httpActionUrl(
  action: HttpAction,
  place: HttpActionPlace,
  scheme: "http" | "https" = schemeOf(action),
): URL {
  const host = actionHost(action.host, place);
  const port = actionPort(action.port, place);
  const bare = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  const path = action.path ?? "/";
  // Joined as text: as a relative URL a path like "//x" would name another host.
  const text = `${scheme}://${bare}:${port}${
    path.startsWith("/") ? "" : "/"
  }${path}`;
  if (URL.canParse(text)) return new URL(text);
  throw new Error(`Cannot ${place.purpose}: found "${text}", wanted a URL`);
}

/**
 * The headers that an action sends: its own, and those of the kubelet that it leaves
 * out. Every value of a name is sent; an empty one is the way to say that a header is
 * not wanted.
 */
export function httpActionHeaders(
  action: HttpAction,
  userAgent: string,
): Readonly<Record<string, readonly string[]>> {
  const headers = new Map<string, { name: string; values: string[] }>();
  for (const { name, value } of action.httpHeaders ?? []) {
    const key = name.toLowerCase();
    const known = headers.get(key) ?? { name, values: [] };
    // There is one host only, and the last word counts.
    if (key === "host") known.values.length = 0;
    known.values.push(value);
    headers.set(key, known);
  }
  const defaults = [["User-Agent", userAgent], ["Accept", "*/*"]] as const;
  for (const [name, value] of defaults) {
    const key = name.toLowerCase();
    const given = headers.get(key);
    if (given === undefined) headers.set(key, { name, values: [value] });
    else if (given.values.every((text) => text === "")) headers.delete(key);
  }
  return Object.fromEntries(
    Array.from(headers.values(), ({ name, values }) => [name, values]),
  );
}

/**
 * The host that an action names, or the pod's own address.
 *
 * @throws {Error} When there is neither.
 */
export function actionHost(
  host: string | undefined,
  place: Pick<HttpActionPlace, "purpose" | "podIp">,
): string {
  const named = host || place.podIp;
  if (named) return named;
  throw new Error(
    `Cannot ${place.purpose}: the pod has no address, wanted one or a host in the manifest`,
  );
}

/**
 * The number of a port that is given by number, by its digits or by its name.
 *
 * Upstream: pkg/probe/util.go ResolveContainerPort.
 *
 * @throws {Error} When it is none of the container's, or no port at all.
 */
export function actionPort(
  port: HttpAction["port"],
  place: Pick<HttpActionPlace, "purpose" | "ports">,
): number {
  const text = String(port);
  // Typed as a number or a name, yet the client's type for it is looser than that.
  const number = /^\d{1,5}$/.test(text)
    ? Number(text)
    : place.ports.find(({ name }) => name === text)?.containerPort;
  if (number !== undefined && number > 0 && number < 65_536) return number;
  throw new Error(
    `Cannot ${place.purpose}: found port "${text}", wanted a number or the name of a port of the container`,
  );
}

function schemeOf(action: HttpAction): "http" | "https" {
  return action.scheme?.toLowerCase() === "https" ? "https" : "http";
}
