/**
 * What a provider of credentials answers, as the kubelet's plugins do.
 *
 * @module
 */

import { isRecord } from "../../base/mod.ts";
import { Hidden, parseDuration } from "../../base/text/mod.ts";
import type { RegistryLogin } from "./docker_config.ts";
import { parseRegistryPattern } from "./registry_pattern.ts";

/** The version that is asked for, and that an answer must be of. */
export const PROVIDER_API = "credentialprovider.kubelet.k8s.io/v1";

/** For which other images an answer holds, too. */
export type ProviderCacheKey = "Image" | "Registry" | "Global";

/** What a provider answered, or why that is no answer. */
export type ProviderAnswer =
  | {
    readonly kind: "read";
    readonly logins: readonly RegistryLogin[];
    readonly cacheKey: ProviderCacheKey;
    /** How long it holds; 0 for this image and this once. */
    readonly cacheMs: number;
  }
  | { readonly kind: "refused"; readonly problem: string };

/** The question about an image. */
export function providerRequest(repository: string): string {
  return JSON.stringify({
    kind: "CredentialProviderRequest",
    apiVersion: PROVIDER_API,
    image: repository,
  });
}

/** Reads a CredentialProviderResponse; nothing that it says of logins is shown. Pure. */
export function readProviderResponse(bytes: Uint8Array): ProviderAnswer {
  const answer = parseJson(bytes);
  if (!isRecord(answer)) return refused("it is not a JSON object");
  const { kind, apiVersion, cacheKeyType, auth } = answer;
  if (kind !== "CredentialProviderResponse" || apiVersion !== PROVIDER_API) {
    return refused(`wanted a CredentialProviderResponse of ${PROVIDER_API}`);
  }
  const cacheKey = CACHE_KEYS.find((each) => each === cacheKeyType);
  if (cacheKey === undefined) {
    return refused(`wanted a cacheKeyType of ${CACHE_KEYS.join(", ")}`);
  }
  const cacheMs = durationOf(answer["cacheDuration"]);
  if (cacheMs === undefined) {
    return refused('wanted a cacheDuration such as "5m"');
  }
  const logins = loginsOf(auth ?? {});
  return typeof logins === "string"
    ? refused(logins)
    : { kind: "read", logins, cacheKey, cacheMs };
}

/** Far more than anyone has; they are kept as long as the answer says. */
const MAX_LOGINS = 1_000;

const CACHE_KEYS: readonly ProviderCacheKey[] = ["Image", "Registry", "Global"];

function refused(problem: string): ProviderAnswer {
  return { kind: "refused", problem };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    // The parser's words would show what it could not read.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Nothing is kept where nothing is said. */
function durationOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return 0;
  if (typeof value !== "string") return undefined;
  try {
    const ms = parseDuration(value);
    return ms >= 0 ? ms : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) {
      return undefined;
    }
    throw error;
  }
}

/** The logins, or what is wrong with them. */
function loginsOf(auth: unknown): readonly RegistryLogin[] | string {
  if (!isRecord(auth)) return 'wanted an object as "auth"';
  const entries = Object.entries(auth);
  if (entries.length > MAX_LOGINS) {
    return `wanted at most ${MAX_LOGINS} logins, found ${entries.length}`;
  }
  const logins: RegistryLogin[] = [];
  for (const [location, entry] of entries) {
    const pattern = parseRegistryPattern(location);
    const { username, password } = isRecord(entry)
      ? entry
      : { username: undefined, password: undefined };
    if (
      pattern === undefined || typeof username !== "string" ||
      typeof password !== "string"
    ) {
      return 'wanted registries with "username" and "password" as "auth"';
    }
    logins.push({ pattern, username, password: new Hidden(password) });
  }
  return logins;
}
