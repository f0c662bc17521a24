/**
 * What happened to the pods of this node.
 *
 * @module
 */

export * from "./recorder.ts";
