/**
 * Names of images, checked before a runtime is bothered with them.
 *
 * @module
 */

/** A usable image name, or why it is none. */
export type ImageReference =
  | {
    readonly kind: "ok";
    /** As the user wrote it, with `:latest` when it named neither tag nor digest. */
    readonly image: string;
  }
  | {
    readonly kind: "invalid";
    readonly message: string;
    readonly fault: string;
  };

// The grammar is that of the distribution project's reference format. A component
// is bounded by the whole length, so no expression below can run away.
const DOMAIN =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?$/;
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const ALGORITHM = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*$/;
/** Hex digits of the digests that registries know. */
const DIGEST_LENGTHS: ReadonlyMap<string, number> = new Map([
  ["sha256", 64],
  ["sha384", 96],
  ["sha512", 128],
]);
const DEFAULT_DOMAIN = "docker.io";
/** The same registry by the name that docker's configuration still has. */
const LEGACY_DOMAIN = "index.docker.io";
const MAX_NAME_LENGTH = 255;
/** A name, a tag and a digest of the longest kinds, with the marks between them. */
const MAX_LENGTH = MAX_NAME_LENGTH + 1 + 128 + 1 + 32 + 1 + 128;

/**
 * Checks an image name and completes it with `:latest`.
 *
 * A short name stays short: whether `busybox` means a registry's is for the runtime
 * to decide. (Upstream: pkg/kubelet/images applyDefaultImageTag.)
 *
 * @example A missing tag is added, a wrong name is refused
 * ```ts
 * import { parseImageReference } from "./image_reference.ts";
 * import { deepStrictEqual, strictEqual } from "node:assert/strict";
 *
 * deepStrictEqual(parseImageReference("busybox"), { kind: "ok", image: "busybox:latest" });
 * strictEqual(parseImageReference("Busybox").kind, "invalid");
 * ```
 */
export function parseImageReference(text: string): ImageReference {
  const fault = findFault(text);
  if (fault !== undefined) {
    return {
      kind: "invalid",
      fault,
      message: `couldn't parse image reference "${shown(text)}": ${fault}`,
    };
  }
  const { tag, digest } = split(text);
  const bare = tag === undefined && digest === undefined;
  return { kind: "ok", image: bare ? `${text}:latest` : text };
}

/**
 * The whole name of an image that {@linkcode parseImageReference} takes: with its registry,
 * without tag and digest. `busybox` is Docker Hub's, for that is where credentials are for.
 */
export function repositoryOf(image: string): string {
  const { name } = split(image);
  const { domain, path } = splitName(name);
  return `${domain === LEGACY_DOMAIN ? DEFAULT_DOMAIN : domain}/${path}`;
}

/**
 * The name under which a runtime lists an image that {@linkcode parseImageReference} takes:
 * the digest counts before the tag.
 */
export function listedName(image: string): string {
  const { tag, digest } = split(image);
  const end = digest === undefined ? `:${tag}` : `@${digest}`;
  return `${repositoryOf(image)}${end}`;
}

interface Parts {
  readonly name: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

function split(text: string): Parts {
  const at = text.indexOf("@");
  const digest = at < 0 ? undefined : text.slice(at + 1);
  const rest = at < 0 ? text : text.slice(0, at);
  // A colon before the last slash belongs to a port.
  const colon = rest.indexOf(":", rest.lastIndexOf("/") + 1);
  if (colon < 0) return { name: rest, tag: undefined, digest };
  return { name: rest.slice(0, colon), tag: rest.slice(colon + 1), digest };
}

function findFault(text: string): string | undefined {
  if (text === "" || text.length > MAX_LENGTH) return INVALID;
  if (/^[a-f0-9]{64}$/.test(text)) {
    return "a name of 64 hexadecimal digits looks like an image id";
  }
  const { name, tag, digest } = split(text);
  if (tag !== undefined && !TAG.test(tag)) return INVALID;
  return findNameFault(name) ??
    (digest === undefined ? undefined : findDigestFault(digest));
}

const INVALID = "invalid reference format";

function findNameFault(name: string): string | undefined {
  const { domain, path } = splitName(name);
  if (!DOMAIN.test(domain)) return INVALID;
  if (path !== path.toLowerCase()) {
    return `${INVALID}: repository name must be lowercase`;
  }
  if (!path.split("/").every((part) => COMPONENT.test(part))) return INVALID;
  if (domain.length + 1 + path.length > MAX_NAME_LENGTH) {
    return `repository name must not be more than ${MAX_NAME_LENGTH} characters`;
  }
  return undefined;
}

function splitName(
  name: string,
): { readonly domain: string; readonly path: string } {
  const slash = name.indexOf("/");
  const first = slash < 0 ? "" : name.slice(0, slash);
  // What tells a registry's host from the first part of a short name.
  if (/[.:]/.test(first) || first === "localhost") {
    return { domain: first, path: name.slice(slash + 1) };
  }
  return {
    domain: DEFAULT_DOMAIN,
    path: slash < 0 ? `library/${name}` : name,
  };
}

function findDigestFault(digest: string): string | undefined {
  const colon = digest.indexOf(":");
  const algorithm = digest.slice(0, Math.max(0, colon));
  const hex = digest.slice(colon + 1);
  if (!ALGORITHM.test(algorithm) || !/^[0-9a-fA-F]{32,}$/.test(hex)) {
    return INVALID;
  }
  const length = DIGEST_LENGTHS.get(algorithm);
  if (length === undefined) return "unsupported digest algorithm";
  if (hex.length !== length || hex !== hex.toLowerCase()) {
    return "invalid checksum digest";
  }
  return undefined;
}

function shown(text: string): string {
  return text.length <= 256 ? text : `${text.slice(0, 256)}…`;
}
