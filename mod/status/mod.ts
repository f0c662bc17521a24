/**
 * The status of the node's pods.
 *
 * @module
 */

export * from "./status_store.ts";
