/**
 * The images of the fake runtime, and the registry that it pulls from.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { CODE, StatusError } from "./status_error.ts";

/** An image as a test describes it. */
export interface FakeImageOptions {
  /** A reference such as `busybox:1.35`; short forms mean Docker Hub. */
  readonly ref: string;
  /** @default 1_000_000 */
  readonly size?: number;
  /** The numeric user that it runs as. */
  readonly uid?: number;
  /** The named user that it runs as. */
  readonly username?: string;
  readonly pinned?: boolean;
}

/** An image on the fake node. */
export interface FakeImage {
  /** `sha256:` and 64 hex digits. */
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly size: bigint;
  readonly uid: bigint | undefined;
  readonly username: string;
  readonly pinned: boolean;
}

/** What the registry does when asked for a reference. */
export type RegistryEntry =
  | {
    readonly kind: "image";
    readonly image: FakeImageOptions;
    /**
     * `user:password` of those who may pull it.
     *
     * @default anyone
     */
    readonly logins?: readonly string[];
  }
  | { readonly kind: "error"; readonly code: number; readonly details: string };

/** The full form of a reference, as runtimes store it. */
export function normalizeReference(ref: string): string {
  const [first = "", ...rest] = ref.split("/");
  const hasHost = rest.length > 0 &&
    (first.includes(".") || first.includes(":") || first === "localhost");
  const library = rest.length === 0 ? "library/" : "";
  const full = hasHost ? ref : `docker.io/${library}${ref}`;
  const name = full.slice(full.lastIndexOf("/") + 1);
  return name.includes(":") || name.includes("@") ? full : `${full}:latest`;
}

/** Images by id; found by id, reference or digest. */
export class ImageStore {
  readonly #images = new Map<string, FakeImage>();
  readonly #registry = new Map<string, RegistryEntry>();

  /** Every image, by id. */
  get images(): ReadonlyMap<string, FakeImage> {
    return this.#images;
  }

  /** Puts an image on the node. */
  add(options: FakeImageOptions): FakeImage {
    const ref = normalizeReference(options.ref);
    const hex = createHash("sha256").update(ref).digest("hex");
    const repository = ref.replace(/(@sha256:[0-9a-f]+|:[^:/@]+)$/, "");
    const image: FakeImage = {
      id: `sha256:${hex}`,
      repoTags: ref.includes("@") ? [] : [ref],
      repoDigests: [`${repository}@sha256:${hex}`],
      size: BigInt(options.size ?? 1_000_000),
      uid: options.uid === undefined ? undefined : BigInt(options.uid),
      username: options.username ?? "",
      pinned: options.pinned ?? false,
    };
    this.#images.set(image.id, image);
    return image;
  }

  /** The image by id, reference or digest. */
  find(name: string): FakeImage | undefined {
    const direct = this.#images.get(name) ??
      this.#images.get(`sha256:${name}`);
    if (direct !== undefined) return direct;
    const full = normalizeReference(name);
    return [...this.#images.values()].find((image) =>
      image.repoTags.includes(full) || image.repoDigests.includes(full)
    );
  }

  /** Takes an image away; false when it was not there. */
  remove(name: string): boolean {
    const image = this.find(name);
    return image !== undefined && this.#images.delete(image.id);
  }

  /** Says what a pull of `ref` does; what was never said is not found. */
  setRegistry(ref: string, entry: RegistryEntry): void {
    this.#registry.set(normalizeReference(ref), entry);
  }

  /**
   * Fetches an image from the registry.
   *
   * @param login `user:password`, if any is shown
   * @throws {StatusError} When the registry has none, or was told to fail.
   */
  pull(name: string, login?: string): FakeImage {
    const full = normalizeReference(name);
    const entry = this.#registry.get(full);
    if (entry?.kind === "image") {
      const { image, logins } = entry;
      if (logins === undefined || logins.includes(login ?? "")) {
        return this.add(image);
      }
      throw new StatusError(
        CODE.unknown,
        `failed to pull and unpack image "${full}": failed to resolve reference "${full}": unexpected status from HEAD request: 401 Unauthorized`,
      );
    }
    if (entry?.kind === "error") {
      throw new StatusError(entry.code, entry.details);
    }
    throw new StatusError(
      CODE.notFound,
      `failed to pull and unpack image "${full}": failed to resolve reference "${full}": ${full}: not found`,
    );
  }
}
