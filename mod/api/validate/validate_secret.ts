/**
 * Checks that a Secret holds what its type promises.
 *
 * @module
 */

import type { Place } from "../fault/mod.ts";

/** The parts of a Secret that its type is about. */
export interface TypedSecret {
  readonly type: string;
  readonly entries: ReadonlyMap<string, Uint8Array>;
  readonly annotations: Readonly<Record<string, string>> | undefined;
}

/**
 * Reports what a Secret of this type lacks, by the rules of upstream's
 * ValidateSecret. A type that Kubernetes does not know promises nothing.
 */
export function validateSecretType(secret: TypedSecret, at: Place): void {
  const { type, entries } = secret;
  const forType = `for a Secret of type "${type}"`;
  const dataAt = at.child("data").concealed();
  switch (type) {
    case "kubernetes.io/service-account-token":
      if (!secret.annotations?.[SERVICE_ACCOUNT]) {
        at.child("metadata").child("annotations").key(SERVICE_ACCOUNT)
          .required(forType);
      }
      return;
    case "kubernetes.io/dockercfg":
      return requireJson(".dockercfg", secret, dataAt);
    case "kubernetes.io/dockerconfigjson":
      return requireJson(".dockerconfigjson", secret, dataAt);
    case "kubernetes.io/basic-auth":
      if (entries.has("username") || entries.has("password")) return;
      return dataAt.required(`"username" or "password" ${forType}`);
    case "kubernetes.io/ssh-auth":
      if (entries.get("ssh-privatekey")?.length) return;
      return dataAt.key("ssh-privatekey").required(forType);
    case "kubernetes.io/tls":
      for (const key of ["tls.crt", "tls.key"]) {
        if (!entries.has(key)) dataAt.key(key).required(forType);
      }
  }
}

const SERVICE_ACCOUNT = "kubernetes.io/service-account.name";

function requireJson(
  key: string,
  { entries, type }: TypedSecret,
  at: Place,
): void {
  const bytes = entries.get(key);
  if (bytes === undefined) {
    at.key(key).required(`for a Secret of type "${type}"`);
  } else if (!isJsonObject(bytes)) {
    at.key(key).invalid(undefined, "wanted a JSON object");
  }
}

function isJsonObject(bytes: Uint8Array): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    // Upstream decodes into a map, which takes null as well.
    return typeof value === "object" && !Array.isArray(value);
  } catch (error) {
    // The parser's words would show what it could not read.
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
