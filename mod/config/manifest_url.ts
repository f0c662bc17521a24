/**
 * Settings of the manifest URL: what may be given, and what follows from it.
 *
 * @module
 */

import { encodeBase64 } from "../base/text/mod.ts";
import type { ManifestUrlConfig } from "./agent_config.ts";
import { type Decoder, isRecord } from "./decoders.ts";
import { Hidden } from "./hidden.ts";
import type { Settings } from "./settings.ts";

/** Values by the name of the header. */
export type Headers = Readonly<Record<string, readonly string[]>>;

/** The URL of manifests; it may hold a user and a password. */
export const manifestUrl: Decoder<string> = {
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
    return url.href;
  },
};

/** The same, but not empty. */
export const givenManifestUrl: Decoder<string> = {
  ...manifestUrl,
  decode: (value, baseDir) => manifestUrl.decode(value, baseDir) || undefined,
};

/** One header as an argument has it, `Key: value`. */
export const headerLine: Decoder<readonly [string, string]> = {
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
    return isHeader(name, text) ? [name, text] : undefined;
  },
};

/** Headers as a file has them, a list of values for each. */
export const headerMap: Decoder<Headers> = {
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
    return headersOf(lines);
  },
};

/** Puts header lines together; names differ by more than their case. */
export function headersOf(
  lines: readonly (readonly [string, string])[],
): Headers {
  const headers = new Map<string, string[]>();
  for (const [name, value] of lines) {
    const known = headers.get(name.toLowerCase());
    if (known === undefined) headers.set(name.toLowerCase(), [value]);
    else known.push(value);
  }
  return Object.fromEntries(headers);
}

/** Completes the settings of the manifest URL; `undefined` when there is none. */
export function manifestUrlOf(
  settings: Settings,
): ManifestUrlConfig | undefined {
  if (settings.manifestUrl === undefined) return undefined;
  const url = new URL(settings.manifestUrl.reveal());
  const credentials = credentialsOf(url) ?? "";
  url.username = "";
  url.password = "";
  const { protocol, hostname, port } = url;
  return {
    url: new Hidden(url.href),
    host: `${hostname}:${port || DEFAULT_PORTS[protocol]}`,
    isTls: protocol === "https:",
    headers: new Hidden({
      ...(credentials !== "" && {
        authorization: [`Basic ${encodeBase64(UTF8.encode(credentials))}`],
      }),
      ...settings.manifestUrlHeaders?.reveal(),
    }),
    caFile: settings.manifestUrlCaFile,
    certFile: settings.manifestUrlCertFile,
    keyFile: settings.manifestUrlKeyFile,
    publicKeyFiles: settings.manifestUrlPublicKeyFiles ?? [],
    checkFrequencyMs: settings.httpCheckFrequencyMs ?? HTTP_CHECK_FREQUENCY_MS,
  };
}

/** The files that the agent reads to ask the URL, and the options that name them. */
export function manifestUrlFiles(
  config: ManifestUrlConfig | undefined,
): readonly { readonly option: string; readonly path: string }[] {
  if (config === undefined) return [];
  const { caFile, certFile, keyFile, publicKeyFiles } = config;
  const named: readonly (readonly [string, string | undefined])[] = [
    ["--manifest-url-ca-file", caFile],
    ["--manifest-url-cert-file", certFile],
    ["--manifest-url-key-file", keyFile],
    ...publicKeyFiles.map((path) =>
      ["--manifest-url-public-key", path] as const
    ),
  ];
  return named.flatMap(([option, path]) =>
    path === undefined ? [] : [{ option, path }]
  );
}

/** What is wrong with the settings of the manifest URL taken together. */
export function manifestUrlFaults(
  settings: Settings,
  config: ManifestUrlConfig | undefined,
): string[] {
  if (config === undefined) {
    return companions(settings).map((option) =>
      `Cannot use ${option}: found no --manifest-url, wanted one beside it`
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

// The kubelet's default of httpCheckFrequency.
const HTTP_CHECK_FREQUENCY_MS = 20_000;

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  "http:": 80,
  "https:": 443,
};

function companions(settings: Settings): string[] {
  const given: readonly (readonly [string, unknown])[] = [
    ["--manifest-url-header", settings.manifestUrlHeaders],
    ["--manifest-url-ca-file", settings.manifestUrlCaFile],
    ["--manifest-url-cert-file", settings.manifestUrlCertFile],
    ["--manifest-url-key-file", settings.manifestUrlKeyFile],
    ["--manifest-url-public-key", settings.manifestUrlPublicKeyFiles],
  ];
  return given.filter(([, value]) => value !== undefined)
    .map(([option]) => option);
}

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
