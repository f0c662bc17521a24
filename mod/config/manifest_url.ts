/**
 * Settings of the manifest URL: what may be given, and what follows from it.
 *
 * @module
 */

import { isRecord } from "../base/mod.ts";
import { Hidden } from "../base/text/mod.ts";
import type { ManifestUrlConfig, Settings } from "./agent_config.ts";
import type { Decoder } from "./decoders.ts";

/** Values by the name of the header. */
type Headers = Readonly<Record<string, readonly string[]>>;

/** The URL of manifests; it may hold a user and a password. */
export const manifestUrl: Decoder<Hidden<string> | ""> = {
  wanted:
    'a URL such as "https://host/manifests.yaml", of scheme http or https',
  isSecret: true,
  decode: (value) => {
    if (value === "") return "";
    const url = typeof value === "string" ? URL.parse(value) : null;
    if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
    // A comma or a star in a host would open more than this host to the agent.
    if (!/^(?:[a-z0-9][-._a-z0-9]*|\[[0-9a-f:.]+\])$/.test(url.hostname)) {
      return undefined;
    }
    if (credentialsOf(url) === undefined) return undefined;
    url.hash = "";
    return new Hidden(url.href);
  },
};

/** One header as an argument has it, `Key: value`. */
export const headerLine: Decoder<Hidden<Headers>> = {
  wanted:
    'one header such as "X-Token: value", not one that the agent sets itself; several by several flags',
  isSecret: true,
  decode: (value) => {
    if (typeof value !== "string") return undefined;
    const at = value.indexOf(":");
    const name = value.slice(0, Math.max(at, 0)).trim();
    const text = value.slice(at + 1).trim();
    // To the kubelet this is two headers; taken for one it would be a surprise.
    if (/,\s*[-!#$%&'*+.^_`|~\w]+\s*:(?!\/\/)/.test(text)) return undefined;
    return isHeader(name, text) ? hide([[name, text]]) : undefined;
  },
};

/** Headers as a file has them, a list of values for each. */
export const headerMap: Decoder<Hidden<Headers> | ""> = {
  wanted:
    "a map of headers to lists of values, without those that the agent sets itself",
  isSecret: true,
  decode: (value) => {
    if (!isRecord(value)) return undefined;
    const lines: (readonly [string, string])[] = [];
    for (const [name, values] of Object.entries(value)) {
      if (!Array.isArray(values)) return undefined;
      for (const text of values) {
        if (typeof text !== "string" || !isHeader(name, text)) return undefined;
        lines.push([name, text]);
      }
    }
    return lines.length === 0 ? "" : hide(lines);
  },
};

/** Adds the headers of another flag. */
export function joinHeaders(
  before: Hidden<Headers>,
  after: Hidden<Headers>,
): Hidden<Headers> {
  return hide(
    [before, after].flatMap((headers) =>
      Object.entries(headers.reveal()).flatMap(([name, values]) =>
        values.map((value) => [name, value] as const)
      )
    ),
  );
}

/** Puts header lines together; names differ by more than their case. */
function hide(lines: readonly (readonly [string, string])[]): Hidden<Headers> {
  const headers = new Map<string, readonly string[]>();
  for (const [name, value] of lines) {
    const key = name.toLowerCase();
    headers.set(key, [...headers.get(key) ?? [], value]);
  }
  return new Hidden(Object.fromEntries(headers));
}

/** Completes the settings of the manifest URL; `undefined` when there is none. */
export function manifestUrlOf(
  given: Settings["manifestUrl"],
): ManifestUrlConfig | undefined {
  if (given.url === undefined) return undefined;
  const url = new URL(given.url.reveal());
  const credentials = credentialsOf(url) ?? "";
  url.username = "";
  url.password = "";
  const { protocol, hostname, port } = url;
  return {
    ...given,
    url: new Hidden(url.href),
    host: `${hostname}:${port || DEFAULT_PORTS[protocol]}`,
    isTls: protocol === "https:",
    headers: new Hidden({
      ...(credentials !== "" && {
        authorization: [`Basic ${UTF8.encode(credentials).toBase64()}`],
      }),
      ...given.headers?.reveal(),
    }),
    publicKeyFiles: given.publicKeyFiles ?? [],
  };
}

/** What is wrong with the settings of the manifest URL taken together. */
export function manifestUrlFaults(
  given: Settings["manifestUrl"],
  config: ManifestUrlConfig | undefined,
): string[] {
  if (config === undefined) {
    const { headers, caFile, certFile, keyFile, publicKeyFiles } = given;
    const companions = {
      "header": headers,
      "ca-file": caFile,
      "cert-file": certFile,
      "key-file": keyFile,
      "public-key": publicKeyFiles,
    };
    return Object.entries(companions)
      .filter(([, value]) => value !== undefined)
      .map(([name]) =>
        `Cannot use --manifest-url-${name}: found no --manifest-url, wanted one beside it`
      );
  }
  const { isTls, caFile, certFile, keyFile } = config;
  const faults: string[] = [];
  if (isTls && caFile === undefined) {
    // What Deno has of its own cannot be read without every permission of its kind.
    faults.push(
      "Cannot use --manifest-url: found https without --manifest-url-ca-file, wanted a file of the authorities to believe, such as /etc/ssl/certs/ca-certificates.crt",
    );
  }
  if ((certFile === undefined) !== (keyFile === undefined)) {
    const [found, wanted] = keyFile === undefined
      ? ["--manifest-url-cert-file", "--manifest-url-key-file"]
      : ["--manifest-url-key-file", "--manifest-url-cert-file"];
    faults.push(`Cannot use ${found}: found no ${wanted}, wanted both`);
  }
  return faults;
}

/** What is allowed and dangerous. */
export function manifestUrlWarnings(
  config: ManifestUrlConfig | undefined,
): string[] {
  if (config === undefined || config.isTls) return [];
  if (/^(?:localhost|127\.[\d.]+|\[::1\]):/.test(config.host)) return [];
  const isSigned = config.publicKeyFiles.length > 0;
  const isSecret = Object.keys(config.headers.reveal()).length > 0;
  return [
    ...(isSigned ? [] : [
      "--manifest-url: over http anybody on the way can change what runs on this node; use https or --manifest-url-public-key",
    ]),
    ...(isSecret
      ? [
        "--manifest-url-header: over http anybody on the way can read the headers; use https",
      ]
      : []),
  ];
}

const UTF8 = new TextEncoder();

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  "http:": 80,
  "https:": 443,
};

/** `user:password`, or nothing; `undefined` when it cannot be read. */
function credentialsOf(url: URL): string | undefined {
  const { username, password } = url;
  if (username === "" && password === "") return "";
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    // A percent sign that stands for nothing.
    return undefined;
  }
}

/** What frames the message or says how it is to be answered. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "keep-alive",
  "range",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function isHeader(name: string, value: string): boolean {
  return /^[-!#$%&'*+.^_`|~0-9A-Za-z]{1,256}$/.test(name) &&
    !OWN_HEADERS.has(name.toLowerCase()) &&
    value.length <= 8192 && /^[\t\x20-\x7e]*$/.test(value);
}
