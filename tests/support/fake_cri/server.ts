/**
 * A gRPC server on a unix socket whose connections can be broken at will.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { rm } from "node:fs/promises";
import { setImmediate } from "node:timers";
import {
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { EventsDefinition } from "../../../proto/gen/containerd/services/events/v1/events.ts";
import { ContentDefinition } from "../../../proto/gen/containerd/services/content/v1/content.ts";
import { TasksDefinition } from "../../../proto/gen/containerd/services/tasks/v1/tasks.ts";
import {
  ImageServiceDefinition,
  RuntimeServiceDefinition,
} from "../../../proto/gen/runtime/v1/api.ts";
import { ConnectionRelay } from "./connection_relay.ts";
import { CODE, StatusError } from "./status_error.ts";

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

const SERVICES = [
  RuntimeServiceDefinition,
  ImageServiceDefinition,
  EventsDefinition,
  TasksDefinition,
  ContentDefinition,
] as const;

/** What the server does with calls; methods are named as the CRI spells them. */
export interface CallHandler {
  /** Resolves to the answer; `signal` aborts when the caller has gone. */
  unary(
    method: string,
    request: unknown,
    signal: AbortSignal,
  ): Promise<unknown>;
  /** Yields answers until it ends or the caller has gone. */
  stream(
    method: string,
    request: unknown,
    signal: AbortSignal,
  ): AsyncIterable<unknown>;
}

/** Listens on one socket; starts and stops any number of times. */
export class CriServer implements AsyncDisposable {
  readonly #socketPath: string;
  readonly #handler: CallHandler;
  /** Ends each call under way that has one answer. */
  readonly #calls = new Set<() => void>();
  /** Ends each stream under way. */
  readonly #streams = new Set<() => void>();
  #running:
    | { readonly grpc: Server; readonly relay: ConnectionRelay }
    | undefined;

  constructor(socketPath: string, handler: CallHandler) {
    this.#socketPath = socketPath;
    this.#handler = handler;
  }

  /** Listens; a socket file that a killed server left is replaced. */
  async start(): Promise<void> {
    if (this.#running !== undefined) return;
    const grpc = new Server({
      "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
      "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
      "grpc.enable_channelz": 0,
    });
    for (const definition of SERVICES) {
      grpc.addService(...this.#service(definition));
    }
    // grpc-js gives no hold on the connections of a socket that it owns.
    const injector = grpc.createConnectionInjector(
      ServerCredentials.createInsecure(),
    );
    const relay = await ConnectionRelay.open(
      this.#socketPath,
      (socket) => injector.injectConnection(socket),
    );
    this.#running = { grpc, relay };
  }

  /** Breaks every connection and no longer listens, as if killed. */
  async stop(): Promise<void> {
    if (this.#running === undefined) return;
    const { grpc, relay } = this.#running;
    this.#running = undefined;
    await this.#failAll();
    await relay[Symbol.asyncDispose]();
    grpc.forceShutdown();
    await rm(this.#socketPath, { force: true });
  }

  /** Breaks every connection; new ones are welcome. */
  async cut(): Promise<void> {
    await this.#failAll();
    await this.#running?.relay.cut();
  }

  /** How many calls are under way. */
  get unanswered(): { readonly unary: number; readonly streams: number } {
    return { unary: this.#calls.size, streams: this.#streams.size };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Calls under way fail as unavailable before their connection breaks. */
  async #failAll(): Promise<void> {
    for (const fail of [...this.#calls, ...this.#streams]) fail();
    await new Promise((settled) => setImmediate(settled));
  }

  #service(
    service: typeof SERVICES[number],
  ): [ServiceDefinition, UntypedServiceImplementation] {
    const definition: Record<string, ServiceDefinition[string]> = {};
    const implementation: UntypedServiceImplementation = {};
    for (const method of Object.values(service.methods) as Method[]) {
      const { name, requestType, responseType, responseStream } = method;
      definition[name] = {
        path: `/${service.fullName}/${name}`,
        requestStream: false,
        responseStream,
        requestSerialize: (message) => toBuffer(requestType, message),
        requestDeserialize: (bytes) => requestType.decode(bytes),
        responseSerialize: (message) => toBuffer(responseType, message),
        responseDeserialize: (bytes) => responseType.decode(bytes),
      };
      implementation[name] = responseStream
        ? (call: ServerWritableStream<unknown, unknown>) =>
          this.#serveStream(name, call)
        : (
          call: ServerUnaryCall<unknown, unknown>,
          reply: sendUnaryData<unknown>,
        ) => this.#serveUnary(name, call, reply);
    }
    return [definition, implementation];
  }

  async #serveUnary(
    name: string,
    call: ServerUnaryCall<unknown, unknown>,
    reply: sendUnaryData<unknown>,
  ): Promise<void> {
    const gone = new AbortController();
    const fail = (): void => {
      this.#calls.delete(fail);
      reply(CUT);
      gone.abort();
    };
    // grpc-js says it of calls that were answered, too.
    call.on("cancelled", () => {
      if (this.#calls.has(fail)) gone.abort();
    });
    this.#calls.add(fail);
    try {
      const answer = await this.#handler.unary(
        name,
        call.request,
        gone.signal,
      );
      if (this.#calls.delete(fail)) reply(null, answer);
    } catch (error) {
      if (this.#calls.delete(fail)) reply(toStatus(error));
    }
  }

  async #serveStream(
    name: string,
    call: ServerWritableStream<unknown, unknown>,
  ): Promise<void> {
    const gone = new AbortController();
    call.on("cancelled", () => gone.abort());
    call.on("error", () => gone.abort());
    const fail = (): void => {
      this.#streams.delete(fail);
      call.emit("error", CUT);
      gone.abort();
    };
    this.#streams.add(fail);
    try {
      const answers = this.#handler.stream(name, call.request, gone.signal);
      for await (const answer of answers) call.write(answer);
      call.end();
    } catch (error) {
      if (!gone.signal.aborted) call.emit("error", toStatus(error));
    } finally {
      this.#streams.delete(fail);
    }
  }
}

/** What a call gets whose connection is broken. */
const CUT = new StatusError(CODE.unavailable, "Connection dropped");

/** What the generated table says of every method. */
interface Method {
  readonly name: string;
  readonly requestType: Codec;
  readonly responseType: Codec;
  readonly responseStream: boolean;
}

interface Codec {
  // The table is read as a whole, so the types of single messages are lost here.
  encode(message: unknown): { finish(): Uint8Array };
  decode(bytes: Uint8Array): unknown;
}

function toBuffer(codec: Codec, message: unknown): Buffer {
  // What a test wants to have on the wire as it is, broken or not.
  if (message instanceof Uint8Array) return Buffer.from(message);
  return Buffer.from(codec.encode(message).finish());
}

function toStatus(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  // A bug of the fake itself: loud, so that no test takes it for a scenario.
  return new StatusError(CODE.internal, `The fake runtime failed: ${error}`);
}
