/**
 * Names of images as settings give them.
 *
 * @module
 */

import type { Decoder } from "./decoders.ts";

const HOST =
  /^(?:[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+|localhost|[A-Za-z0-9.-]+(?=:))(?::\d+)?$/;
const PART = /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*$/;

/**
 * A repository with its registry and without tag, or the beginning of some with `/*` behind
 * it. (Upstream: pullmanager getAllowlistImagePattern.)
 */
export const imagePattern: Decoder<string> = {
  wanted:
    'a repository such as "registry.example/team/app", without tag, or all of some as "registry.example/team/*"',
  decode: (value) => {
    if (typeof value !== "string") return undefined;
    const isWhole = !value.endsWith("/*");
    const [host = "", ...parts] = (isWhole ? value : value.slice(0, -2))
      .split("/");
    const isGood = HOST.test(host) && parts.every((part) => PART.test(part));
    return isGood && (parts.length > 0 || !isWhole) ? value : undefined;
  },
};
