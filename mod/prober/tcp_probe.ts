/**
 * A probe that connects, and nothing more.
 *
 * @module
 */

import { joinHostPort } from "../base/text/mod.ts";
import {
  connectFailure,
  connectTcp,
  isOwnFault,
  type TcpAddress,
} from "../host/clients/mod.ts";
import type { AttemptLimit } from "./attempt_limit.ts";
import type { ProbeResult } from "./ports.ts";

/**
 * Connects, and closes the connection at once.
 *
 * It is closed as clients close theirs, not reset: some servers lock out clients that do
 * that too often. The closed connection keeps its port for a minute, but only
 * for the same address and port, to which there are few connections.
 *
 * Never rejects. Upstream: pkg/probe/tcp/tcp.go DoTCPProbe.
 */
export async function tcpProbe(
  address: TcpAddress,
  limit: AttemptLimit,
): Promise<ProbeResult> {
  try {
    const connection = await connectTcp(address, limit.signal);
    connection.close();
    return { kind: "success", message: "" };
  } catch (error) {
    const place = joinHostPort(address);
    if (limit.isExpired) {
      return { kind: "failure", message: `dial tcp ${place}: i/o timeout` };
    }
    const why = connectFailure(error);
    return isOwnFault(error)
      ? { kind: "error", message: `Cannot probe ${place}: ${why}` }
      : { kind: "failure", message: why };
  }
}
