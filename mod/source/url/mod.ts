/**
 * The URL source: a manifest fetched from a server, with validators, signatures and
 * credentials, and a checkpoint for when the server is away. Only an answer that was read
 * as a whole, and whose signature fits if one is wanted, changes anything.
 *
 * @example An answer that names no pod removes none
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { silentLogger } from "../../base/telemetry/mod.ts";
 * import { readUrlContent } from "./mod.ts";
 *
 * const url = "https://manifests.example/web.yaml";
 * const { kind } = readUrlContent(new TextEncoder().encode("{}"), {
 *   pods: [],
 *   objects: [],
 *   workloads: [],
 * }, {
 *   nodeName: "node-1",
 *   url,
 *   shownUrl: url,
 *   unknownFields: "refuse",
 *   log: silentLogger,
 *   check: () => [],
 * });
 * strictEqual(kind, "refused");
 * ```
 *
 * @module
 */

export { readUrlContent } from "./url_content.ts";
export {
  UrlSource,
  type UrlSourceDeps,
  type UrlSourceOptions,
} from "./url_source.ts";
