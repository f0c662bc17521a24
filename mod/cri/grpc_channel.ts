/**
 * The channel over gRPC on a unix socket; the only place that knows grpc-js.
 *
 * It reads environment variables when it is loaded, and takes tens of
 * milliseconds for that, so `connectCri` loads it only when there is a runtime
 * to speak to.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import {
  Client,
  connectivityState,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import {
  type ByteChannel,
  ChannelFailure,
  type UnaryOptions,
} from "./rpc/mod.ts";

// What the kubelet's client takes too; the default of 4 MiB is too little for a
// list of a thousand containers.
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

// While grpc-js backs off, calls fail unsent, the first one after the runtime's
// return too. Here a client that could not connect is thrown away instead, and the
// next call tries anew: how often is the caller's to decide, and a socket without a
// listener costs nothing. The back-off remains for a client that loses its connection
// while there is no call.
const INITIAL_RECONNECT_BACKOFF_MS = 1;
const MAX_RECONNECT_BACKOFF_MS = 1_000;

const OPTIONS = {
  "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
  "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
  "grpc.initial_reconnect_backoff_ms": INITIAL_RECONNECT_BACKOFF_MS,
  "grpc.max_reconnect_backoff_ms": MAX_RECONNECT_BACKOFF_MS,
  // A second attempt is the caller's decision: only it knows what is idempotent.
  "grpc.enable_retries": 0,
  "grpc.enable_channelz": 0,
  "grpc.enable_http_proxy": 0,
  "grpc.service_config_disable_resolution": 1,
  // Two connections of one process must not share fates.
  "grpc.use_local_subchannel_pool": 1,
} as const;

interface Cancellable {
  cancel(): void;
}

/** A channel to the socket at a path; connects with the first call. */
export class GrpcChannel implements ByteChannel {
  readonly #target: string;
  #client: Client | undefined;
  // What is under way: each call, and the promise that it is over.
  readonly #calls = new Map<Cancellable, Promise<void>>();
  #closed = false;

  constructor(path: string) {
    this.#target = `unix:${path}`;
  }

  unary(
    path: string,
    request: Uint8Array,
    { signal, metadata = {} }: UnaryOptions = {},
  ): Promise<Uint8Array> {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    if (this.#closed || signal?.aborted) {
      reject(cancelled());
      return promise;
    }
    const over = Promise.withResolvers<void>();
    const client = this.#connected();
    const call = client.makeUnaryRequest(
      path,
      toBuffer,
      identity,
      request,
      toMetadata(metadata),
      (error: ServiceError | null, answer?: Buffer) => {
        signal?.removeEventListener("abort", cancel);
        this.#calls.delete(call);
        over.resolve();
        this.#dropIfLost(client);
        if (error !== null) reject(toFailure(error));
        else if (answer !== undefined) resolve(answer);
        else {
          const words = "The answer has no message";
          reject(new ChannelFailure(status.INTERNAL, words));
        }
      },
    );
    const cancel = (): void => call.cancel();
    signal?.addEventListener("abort", cancel, { once: true });
    this.#calls.set(call, over.promise);
    return promise;
  }

  async *stream(
    path: string,
    request: Uint8Array,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    if (this.#closed || signal.aborted) throw cancelled();
    const over = Promise.withResolvers<void>();
    const client = this.#connected();
    const call = client.makeServerStreamRequest(
      path,
      toBuffer,
      identity,
      request,
    );
    // An error event without a listener would end the process.
    call.on("error", () => {});
    const cancel = (): void => call.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    this.#calls.set(call, over.promise);
    try {
      for await (const message of call) yield message;
    } catch (error) {
      throw isServiceError(error) ? toFailure(error) : error;
    } finally {
      // Leaving the loop above does not end the call for the server.
      call.cancel();
      signal.removeEventListener("abort", cancel);
      this.#calls.delete(call);
      over.resolve();
      this.#dropIfLost(client);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const calls = [...this.#calls];
    for (const [call] of calls) call.cancel();
    await Promise.all(calls.map(([, over]) => over));
    this.#client?.close();
  }

  #connected(): Client {
    this.#client ??= new Client(
      this.#target,
      credentials.createInsecure(),
      OPTIONS,
    );
    return this.#client;
  }

  #dropIfLost(client: Client): void {
    if (client !== this.#client) return;
    const state = client.getChannel().getConnectivityState(false);
    if (state !== connectivityState.TRANSIENT_FAILURE) return;
    this.#client = undefined;
    client.close();
  }
}

function toMetadata(headers: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) {
    metadata.set(name, value);
  }
  return metadata;
}

function toFailure(error: ServiceError): ChannelFailure {
  return new ChannelFailure(error.code, error.details);
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && "details" in error;
}

function cancelled(): ChannelFailure {
  return new ChannelFailure(status.CANCELLED, "The call was cancelled");
}

// grpc-js copies with a method that only Buffer has.
function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function identity(bytes: Buffer): Buffer {
  return bytes;
}
