/**
 * A gRPC server with a health service, or with another one only.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import {
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
} from "@grpc/grpc-js";

/** What was asked. */
export interface HealthCall {
  /** The message as it came. */
  readonly request: Uint8Array;
  readonly userAgent: string;
}

/** Answers with a message, or fails with a status. */
export type HealthReply = Uint8Array | {
  readonly code: number;
  readonly details: string;
};

/** Listens as long as its block lives. */
export interface HealthServer extends AsyncDisposable {
  readonly port: number;
  readonly calls: readonly HealthCall[];
}

/** Serves `service`/Check; a reply of `undefined` never comes. */
export async function serveHealth(
  reply: (call: HealthCall) => HealthReply | undefined,
  service: string = "grpc.health.v1.Health",
  { hostname = "127.0.0.1" }: { readonly hostname?: string } = {},
): Promise<HealthServer> {
  const calls: HealthCall[] = [];
  const server = new Server();
  const asIs = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
  const check = (
    call: ServerUnaryCall<Uint8Array, Uint8Array>,
    callback: sendUnaryData<Uint8Array>,
  ): void => {
    const userAgent = String(call.metadata.get("user-agent")[0]);
    const one = { request: Uint8Array.from(call.request), userAgent };
    calls.push(one);
    const answer = reply(one);
    if (answer === undefined) return;
    if (answer instanceof Uint8Array) callback(null, answer);
    else callback(answer);
  };
  server.addService({
    Check: {
      path: `/${service}/Check`,
      requestStream: false,
      responseStream: false,
      requestSerialize: asIs,
      requestDeserialize: (bytes: Uint8Array) => bytes,
      responseSerialize: asIs,
      responseDeserialize: (bytes: Uint8Array) => bytes,
    },
  }, { Check: check });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(
      `${hostname}:0`,
      ServerCredentials.createInsecure(),
      (error, bound) => error === null ? resolve(bound) : reject(error),
    )
  );
  return {
    port,
    calls,
    [Symbol.asyncDispose]() {
      server.forceShutdown();
      return Promise.resolve();
    },
  };
}
