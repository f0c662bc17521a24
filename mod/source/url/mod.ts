/**
 * The URL source: a manifest fetched from a server, with validators, signatures and
 * credentials, and a checkpoint for when the server is away. Only an answer that was read
 * as a whole, and whose signature fits if one is wanted, changes anything.
 *
 * @module
 */

export { readUrlContent } from "./url_content.ts";
export {
  UrlSource,
  type UrlSourceDeps,
  type UrlSourceOptions,
} from "./url_source.ts";
