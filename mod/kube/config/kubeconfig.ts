/**
 * What a kubeconfig says about the way to an API server.
 *
 * @module
 */

import { posix } from "node:path";
import { isRecord } from "../../base/mod.ts";
import { decodeBase64, Hidden, trimEndOf } from "../../base/text/mod.ts";
import {
  FaultList,
  formatFault,
  type Place,
  rootPlace,
} from "../../api/fault/mod.ts";
import { parseYaml, type SourceDocument } from "../../api/text/mod.ts";
import { KubeconfigEntries, type NamedEntry } from "./kubeconfig_entries.ts";
import { isCertificatePem, isKeyPem, isToken } from "./credential_text.ts";

/** Where something secret or public is to be had. */
export type CredentialPlace =
  | { readonly kind: "data"; readonly text: Hidden<string> }
  | {
    readonly kind: "file";
    /** Absolute. */
    readonly path: string;
    /** The field that names the file. */
    readonly field: string;
  };

/** The way to an API server, as a kubeconfig has it; files are not read yet. */
export interface KubeAccess {
  readonly context: string;
  /** `https://host:port` and what may stand behind it, without a slash at its end. */
  readonly server: string;
  /** Absent: the authorities that the platform knows. */
  readonly ca?: CredentialPlace;
  readonly client?: {
    readonly cert: CredentialPlace;
    readonly key: CredentialPlace;
  };
  readonly token?: CredentialPlace;
  /** It may have a password in it. */
  readonly proxyUrl?: Hidden<string>;
  readonly namespace: string;
}

/** What came of reading a kubeconfig. */
export type KubeconfigReading =
  | { readonly kind: "read"; readonly access: KubeAccess }
  /** Each fault names the file, the context and the field. */
  | { readonly kind: "refused"; readonly faults: readonly string[] };

/**
 * Reads the current context of a kubeconfig. No fault shows a value that may be secret.
 *
 * Programs are never run: `exec` and `auth-provider` are refused, and so is what would
 * weaken the check of the server.
 *
 * @param options.path absolute; paths in the file begin beside it
 */
export function readKubeconfig(
  text: string,
  { path }: { readonly path: string },
): KubeconfigReading {
  const result = parseYaml(text);
  if (result.kind === "refused") {
    const { fault, unquoted } = result;
    const shown = { ...fault, message: unquoted ?? fault.message };
    return refused(`${path}: ${formatFault(shown)}`);
  }
  const documents = result.documents.filter(({ value }) => value !== null);
  const [document] = documents;
  if (document === undefined || documents.length > 1) {
    const wanted = "wanted one document of kind Config";
    return refused(
      `${path}: Cannot use it: found ${documents.length}, ${wanted}`,
    );
  }
  if (!isRecord(document.value)) {
    return refused(`${path}: Cannot use it: wanted a document of kind Config`);
  }
  const faults = new FaultList();
  const entries = new KubeconfigEntries(document.value, rootPlace(faults));
  const access = accessOf(entries, { path, faults });
  if (access !== undefined && faults.isEmpty) return { kind: "read", access };
  return {
    kind: "refused",
    faults: describe(faults, document, { path, context: entries.context }),
  };
}

function refused(...faults: readonly string[]): KubeconfigReading {
  return { kind: "refused", faults };
}

function describe(
  faults: FaultList,
  document: SourceDocument,
  { path, context }: { readonly path: string; readonly context: string },
): readonly string[] {
  const fields = new Set(faults.faults.map(({ field }) => field));
  const lines = document.locate(fields);
  const named = context === "" ? "" : `context "${context}": `;
  return faults.faults.map(({ field, message }) => {
    const line = lines.get(field);
    const place = line === undefined ? path : `${path}:${line}`;
    return `${place}: ${named}${formatFault({ field, message })}`;
  });
}

function accessOf(
  entries: KubeconfigEntries,
  { path, faults }: { readonly path: string; readonly faults: FaultList },
): KubeAccess | undefined {
  const context = entries.current();
  if (context === undefined) return undefined;
  const cluster = entries.named("clusters", context, "cluster");
  const user = entries.named("users", context, "user");
  if (cluster === undefined || user === undefined) return undefined;
  const directory = posix.dirname(path);
  const way = wayTo(cluster, directory);
  const credentials = credentialsOf(user, directory);
  if (way === undefined) return undefined;
  const isAnonymous = credentials.client === undefined &&
    credentials.token === undefined;
  if (isAnonymous && faults.isEmpty && way.server.startsWith("https:")) {
    user.place.required("a client certificate, a token or a tokenFile");
  }
  return {
    context: entries.context,
    ...way,
    ...credentials,
    namespace: context.text("namespace") ?? "default",
  };
}

type ServerWay = Pick<KubeAccess, "server" | "ca" | "proxyUrl">;

function wayTo(cluster: NamedEntry, directory: string): ServerWay | undefined {
  const server = serverOf(cluster);
  if (cluster.value["insecure-skip-tls-verify"] === true) {
    cluster.place.child("insecure-skip-tls-verify").forbidden(
      "the agent checks every server; give it the certificate-authority",
    );
  }
  const ca = credential(cluster, "certificate-authority", {
    directory,
    isFit: isCertificatePem,
    wanted: "must be a certificate in PEM",
  });
  const proxyUrl = proxyOf(cluster);
  if (server === undefined) return undefined;
  return {
    server,
    ...ca !== undefined && { ca },
    ...proxyUrl !== undefined && { proxyUrl },
  };
}

function serverOf(cluster: NamedEntry): string | undefined {
  const place = cluster.place.child("server");
  const text = cluster.text("server");
  if (text === undefined) {
    // What is no text has been told of.
    if (!cluster.has("server")) place.required();
    return undefined;
  }
  const url = URL.parse(text);
  if (url === null) {
    place.concealed().invalid(text, "must be a URL such as https://host:6443");
    return undefined;
  }
  const { protocol, hostname, username, password, search, hash } = url;
  const isPlain = protocol === "http:" && LOOPBACK.has(hostname);
  if (protocol !== "https:" && !isPlain) {
    place.forbidden(
      "secrets go there: wanted https, or http to this machine itself",
    );
    return undefined;
  }
  if (`${username}${password}${search}${hash}` !== "") {
    place.forbidden("wanted a URL without user, query and fragment");
    return undefined;
  }
  const name = cluster.text("tls-server-name");
  if (name !== undefined && name !== hostname) {
    cluster.place.child("tls-server-name").forbidden(
      "the certificate of the server must be for the host that server names",
    );
  }
  return trimEndOf(url.href, "/");
}

const LOOPBACK: ReadonlySet<string> = new Set([
  "127.0.0.1",
  "[::1]",
  "localhost",
]);

function proxyOf(cluster: NamedEntry): Hidden<string> | undefined {
  const text = cluster.text("proxy-url");
  if (text === undefined) return undefined;
  const protocol = URL.parse(text)?.protocol;
  if (protocol !== undefined && PROXIES.has(protocol)) return new Hidden(text);
  cluster.place.child("proxy-url").concealed().invalid(
    text,
    "must be a URL of scheme http, https or socks5",
  );
  return undefined;
}

const PROXIES: ReadonlySet<string> = new Set(["http:", "https:", "socks5:"]);

type Credentials = Pick<KubeAccess, "client" | "token">;

function credentialsOf(user: NamedEntry, directory: string): Credentials {
  for (const [field, why] of REFUSED_FIELDS) {
    if (user.has(field)) user.place.child(field).forbidden(why);
  }
  const cert = credential(user, "client-certificate", {
    directory,
    isFit: isCertificatePem,
    wanted: "must be a certificate in PEM",
  });
  const key = credential(user, "client-key", {
    directory,
    isFit: isKeyPem,
    wanted: "must be a private key in PEM",
  });
  const lacks = (field: string, other: string): void => {
    // One that is there and unfit has a fault of its own.
    if (user.has(field) || user.has(`${field}-data`)) return;
    user.place.child(field).required(`it belongs to the ${other}`);
  };
  if (cert === undefined && key !== undefined) {
    lacks("client-certificate", "client-key");
  }
  if (key === undefined && cert !== undefined) {
    lacks("client-key", "client-certificate");
  }
  const token = tokenOf(user, directory);
  return {
    ...cert !== undefined && key !== undefined && { client: { cert, key } },
    ...token !== undefined && { token },
  };
}

const NO_PROGRAMS =
  "the agent runs no programs; wanted a client certificate, a token or a tokenFile";
const NO_IMPERSONATION = "the agent acts as nobody but itself";
const NO_PASSWORDS = "API servers take no passwords any more";

const REFUSED_FIELDS: readonly (readonly [string, string])[] = [
  ["exec", NO_PROGRAMS],
  ["auth-provider", NO_PROGRAMS],
  ["username", NO_PASSWORDS],
  ["password", NO_PASSWORDS],
  ["as", NO_IMPERSONATION],
  ["as-uid", NO_IMPERSONATION],
  ["as-groups", NO_IMPERSONATION],
  ["as-user-extra", NO_IMPERSONATION],
];

/** As in client-go, the file counts if both are given. */
function tokenOf(
  user: NamedEntry,
  directory: string,
): CredentialPlace | undefined {
  const file = user.text("tokenFile");
  if (file !== undefined) {
    const place = user.place.child("tokenFile");
    return fileAt(file, { directory, place });
  }
  const token = user.text("token");
  if (token === undefined) return undefined;
  if (isToken(token)) return { kind: "data", text: new Hidden(token) };
  user.place.child("token").concealed().invalid(
    token,
    "must be a word of ASCII characters without spaces",
  );
  return undefined;
}

/** What is given as a file by one field, or as base64 by the field with `-data` behind it. */
function credential(
  entry: NamedEntry,
  field: string,
  options: {
    readonly directory: string;
    readonly isFit: (text: string) => boolean;
    readonly wanted: string;
  },
): CredentialPlace | undefined {
  const file = entry.text(field);
  const data = entry.text(`${field}-data`);
  const place = entry.place.child(`${field}-data`).concealed();
  if (file !== undefined && data !== undefined) {
    place.forbidden(`${field} is given as well`);
    return undefined;
  }
  if (file !== undefined) {
    const { directory } = options;
    return fileAt(file, { directory, place: entry.place.child(field) });
  }
  if (data === undefined) return undefined;
  const bytes = decodeBase64(data);
  const text = bytes && new TextDecoder().decode(bytes);
  if (text === undefined || !options.isFit(text)) {
    place.invalid(data, `${options.wanted}, as base64`);
    return undefined;
  }
  return { kind: "data", text: new Hidden(text) };
}

function fileAt(
  file: string,
  { directory, place }: { readonly directory: string; readonly place: Place },
): CredentialPlace {
  const path = posix.resolve(directory, file);
  return { kind: "file", path, field: place.toString() };
}
