/**
 * The sync loop and the pod workers.
 *
 * @module
 */

export { Agent } from "./agent.ts";
