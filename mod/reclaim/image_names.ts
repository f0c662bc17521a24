/**
 * Whether an image is one of those that are named.
 *
 * @module
 */

import type { ListedImage } from "../cri/model/mod.ts";

/** What of an image says which one it is. */
export type ImageIdentity = Pick<ListedImage, "id" | "names">;

/** Docker Hub's, which a name may leave out. */
const DEFAULT_HOST = /^(?:index\.)?docker\.io\//;

/**
 * A set of names of images, in any form in which a manifest or a runtime has them: short
 * or with a registry, with a tag, a digest, both or neither, or the id itself.
 *
 * A short name stands for that name in every registry, since the runtime decides which
 * one is meant. So an image may be held that is not the one, and none is lost that is.
 *
 * @example A short name, and how the runtime lists the image
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { ImageNames } from "./image_names.ts";
 *
 * const image = { id: "sha256:1f", names: ["docker.io/library/busybox:latest"] };
 * strictEqual(new ImageNames(["busybox"]).has(image), true);
 * strictEqual(new ImageNames(["busybox:1.35"]).has(image), false);
 * ```
 */
export class ImageNames {
  readonly #keys: Set<string>;

  constructor(names: Iterable<string>) {
    this.#keys = new Set([...names].map(nameKey));
  }

  /** Whether one of the names may mean the image. */
  has(image: ImageIdentity): boolean {
    return identityKeys(image).some((key) => this.#keys.has(key));
  }
}

/** One form of a name: without Docker Hub's host, and with the tag or the digest that counts. */
export function nameKey(name: string): string {
  const bare = name.replace(DEFAULT_HOST, "");
  const at = bare.indexOf("@");
  if (at >= 0) return `${untagged(bare.slice(0, at))}${bare.slice(at)}`;
  // The id of an image has a colon, too.
  return untagged(bare) === bare ? `${bare}:latest` : bare;
}

/** All forms of an image that a name may have. */
export function identityKeys({ id, names }: ImageIdentity): string[] {
  const keys = [nameKey(id)];
  for (const name of names) {
    let key = nameKey(name);
    keys.push(key);
    for (let slash; (slash = key.indexOf("/")) >= 0;) {
      key = key.slice(slash + 1);
      keys.push(key);
    }
  }
  return keys;
}

/** A colon before the last slash belongs to a port. */
function untagged(name: string): string {
  const colon = name.indexOf(":", name.lastIndexOf("/") + 1);
  return colon < 0 ? name : name.slice(0, colon);
}

/**
 * Whether an image is that of sandboxes, by its name. Runtimes since CRI 1.28 pin theirs
 * themselves.
 */
export function isSandboxImage({ names }: ImageIdentity): boolean {
  return names.some((name) =>
    /^pause(?:-[a-z0-9]+)?$/.test(
      untagged(name.slice(name.lastIndexOf("/") + 1).split("@")[0] ?? ""),
    )
  );
}
