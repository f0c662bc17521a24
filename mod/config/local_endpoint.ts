/**
 * Where the agent asks for credentials of images.
 *
 * @module
 */

import { type Decoder, endpoint } from "./decoders.ts";

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
