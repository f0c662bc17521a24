/**
 * The port to whatever carries calls to a runtime: bytes there, bytes back.
 *
 * @module
 */

/** What goes with one message. */
export interface UnaryOptions {
  readonly signal?: AbortSignal | undefined;
  /** Headers, by lower-case names. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** A connection that makes itself again whenever it breaks. */
export interface ByteChannel extends AsyncDisposable {
  /**
   * Sends one message and resolves to the one that answers it.
   *
   * @throws {ChannelFailure} Also when its signal aborts.
   */
  unary(
    path: string,
    request: Uint8Array,
    options?: UnaryOptions,
  ): Promise<Uint8Array>;
  /**
   * Sends one message and yields those that answer it.
   *
   * The call ends when its reader stops, or `signal` aborts.
   *
   * @throws {ChannelFailure} Also when `signal` aborts.
   */
  stream(
    path: string,
    request: Uint8Array,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>;
}

/** A call that ended with another status than OK, as gRPC numbers them. */
export class ChannelFailure extends Error {
  override readonly name = "ChannelFailure";
  /** gRPC's number, 1 to 16. */
  readonly code: number;

  constructor(code: number, detail: string) {
    super(detail);
    this.code = code;
  }
}
