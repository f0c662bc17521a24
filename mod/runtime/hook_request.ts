/**
 * The HTTP request of a lifecycle hook: where it goes and what it carries. Pure.
 *
 * @module
 */

import type { ContainerPort, LifecycleHandler } from "../api/mod.ts";

/** What a hook of kind `httpGet` says. */
export type HttpHook = NonNullable<LifecycleHandler["httpGet"]>;

/** Where a hook goes that does not say it all itself. */
export interface HookPlace {
  /** The pod's own address; `undefined` when it has none. */
  readonly podIp: string | undefined;
  /** Of the container that the hook belongs to. */
  readonly ports: readonly ContainerPort[];
}

/**
 * The URL that a hook asks, by its scheme unless another is given.
 *
 * Upstream: pkg/probe/http/request.go NewRequestForHTTPGetAction.
 *
 * @throws {Error} When the hook names no host and the pod has no address, or its port
 * is none of the container's.
 */
export function hookUrl(
  hook: HttpHook,
  place: HookPlace,
  scheme: "http" | "https" = schemeOf(hook),
): URL {
  const host = hook.host || place.podIp;
  if (host === undefined || host === "") {
    throw new Error(
      "Cannot run the hook: the pod has no address, wanted one or a host in the hook",
    );
  }
  const port = portNumber(hook.port, place.ports);
  const bare = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  const path = hook.path ?? "/";
  // Joined as text: as a relative URL a path like "//x" would name another host.
  const text = `${scheme}://${bare}:${port}${
    path.startsWith("/") ? "" : "/"
  }${path}`;
  if (URL.canParse(text)) return new URL(text);
  throw new Error(`Cannot run the hook: found "${text}", wanted a URL`);
}

/** The headers that a hook sends: its own, and those of the kubelet that it leaves out. */
export function hookHeaders(
  hook: HttpHook,
): Readonly<Record<string, readonly string[]>> {
  const headers = new Map<string, { name: string; values: string[] }>();
  for (const { name, value } of hook.httpHeaders ?? []) {
    const key = name.toLowerCase();
    const known = headers.get(key) ?? { name, values: [] };
    // There is one host only, and the last word counts.
    if (key === "host") known.values.length = 0;
    known.values.push(value);
    headers.set(key, known);
  }
  for (const [name, value] of Object.entries(DEFAULT_HEADERS)) {
    const key = name.toLowerCase();
    const given = headers.get(key);
    if (given === undefined) headers.set(key, { name, values: [value] });
    // An empty one is the way to say that it is not wanted.
    else if (given.values.every((text) => text === "")) headers.delete(key);
  }
  return Object.fromEntries(
    Array.from(headers.values(), ({ name, values }) => [name, values]),
  );
}

/** The kubelet that hooks take the agent for (upstream: UserAgent of lifecycle hooks). */
const DEFAULT_HEADERS: Readonly<Record<string, string>> = {
  "User-Agent": "kube-lifecycle/1.36",
  Accept: "*/*",
};

function schemeOf(hook: HttpHook): "http" | "https" {
  return hook.scheme?.toLowerCase() === "https" ? "https" : "http";
}

function portNumber(
  port: HttpHook["port"],
  ports: readonly ContainerPort[],
): number {
  const text = String(port);
  // Typed as a number or a name, yet the client's type for it is looser than that.
  const number = /^\d{1,5}$/.test(text)
    ? Number(text)
    : ports.find(({ name }) => name === text)?.containerPort;
  if (number !== undefined && number > 0 && number < 65_536) return number;
  throw new Error(
    `Cannot run the hook: found port "${text}", wanted a number or the name of a port of the container`,
  );
}
