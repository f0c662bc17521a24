/**
 * Names of images and of who knows their credentials, as settings give them.
 *
 * @module
 */

import { type Decoder, endpoint } from "./decoders.ts";

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

/**
 * A unix socket, as its path, or a URL of scheme `http` on this machine: what is asked
 * there and answered is not encrypted.
 */
export const localEndpoint: Decoder<string> = {
  // One that is refused may have a password.
  isSecret: true,
  wanted:
    'a unix socket such as "unix:///run/x.sock", or a URL on this machine such as "http://127.0.0.1:8080/"',
  decode: (value, baseDir) => {
    if (typeof value !== "string" || !URL.canParse(value)) {
      return endpoint.decode(value, baseDir);
    }
    const { protocol, hostname, username, password, hash, href } = new URL(
      value,
    );
    if (protocol === "unix:") return endpoint.decode(value, baseDir);
    const isLoopback = hostname === "[::1]" ||
      /^127\.\d+\.\d+\.\d+$/.test(hostname);
    const isPlain = protocol === "http:" && username === "" &&
      password === "" && hash === "";
    return isLoopback && isPlain ? href : undefined;
  },
};
