/**
 * Failures that are the agent's own.
 *
 * @module
 */

import { ConnectError } from "../host/clients/mod.ts";

/**
 * Whether a failed connection proves nothing of the container: the agent may not
 * connect there, or its node has run out of ports, descriptors or memory. The kubelet
 * restarts containers for the latter.
 */
export function isInconclusive(error: unknown): boolean {
  return error instanceof Deno.errors.NotCapable ||
    (error instanceof ConnectError && error.kind === "own");
}
