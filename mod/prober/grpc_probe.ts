/**
 * A probe that asks a gRPC server for its health.
 *
 * @module
 */

import { joinHostPort } from "../base/text/mod.ts";
import {
  checkHealth,
  connectFailure,
  isOwnFault,
  type TcpAddress,
} from "../host/clients/mod.ts";
import type { AttemptLimit } from "./attempt_limit.ts";
import type { ProbeResult } from "./ports.ts";

/**
 * Asks once; only `SERVING` is a success.
 *
 * Never rejects. Upstream: pkg/probe/grpc/grpc.go.
 */
export async function grpcProbe(
  question: { readonly address: TcpAddress; readonly service: string },
  options: { readonly userAgent: string; readonly limit: AttemptLimit },
): Promise<ProbeResult> {
  const { address } = question;
  const { userAgent, limit } = options;
  const { timeoutMs, signal } = limit;
  const answer = await checkHealth({
    ...question,
    userAgent,
    timeoutMs,
    signal,
  });
  const place = JSON.stringify(joinHostPort(address));
  const within = `within ${timeoutMs / 1000}s`;
  switch (answer.kind) {
    case "status":
      if (answer.status === "SERVING") {
        return { kind: "success", message: "service healthy" };
      }
      return failure(`service unhealthy (responded with "${answer.status}")`);
    case "refused":
      return failure(refusal(answer, within));
    case "aborted":
      return failure(
        answer.wasConnected
          ? `timeout: health rpc did not complete ${within}`
          : `timeout: failed to connect service ${place} ${within}: context deadline exceeded`,
      );
    case "broken":
      return failure(
        `error: health rpc probe failed: rpc error: code = Unavailable desc = ${
          connectFailure(answer.cause)
        }`,
      );
    case "unconnected": {
      const { cause } = answer;
      return {
        kind: isOwnFault(cause) ? "error" : "failure",
        message: `error: failed to connect service at ${place}: ${
          connectFailure(cause)
        }`,
      };
    }
  }
}

function refusal(
  { code, detail }: { readonly code: string; readonly detail: string },
  within: string,
): string {
  if (code === "Unimplemented") {
    return "error: this server does not implement the grpc health protocol " +
      `(grpc.health.v1.Health): ${detail}`;
  }
  if (code === "DeadlineExceeded") {
    return `timeout: health rpc did not complete ${within}`;
  }
  return `error: health rpc probe failed: rpc error: code = ${code} desc = ${detail}`;
}

function failure(message: string): ProbeResult {
  return { kind: "failure", message };
}
