/**
 * One method of the CRI: where to call it, what goes there and what comes back.
 *
 * @module
 */

import type { MessageFns } from "../../../proto/gen/runtime/v1/api.ts";

/** A method with the messages that it takes and gives. */
export interface Method<Request, Answer> {
  /** As the CRI spells it: for errors, metrics and logs. */
  readonly name: string;
  readonly path: string;
  /** Headers of the call, by lower-case names; the CRI needs none. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly request: Pick<MessageFns<Request>, "encode">;
  readonly answer: { decode(bytes: Uint8Array): Answer };
}

/**
 * A method of the runtime service.
 *
 * Each client names only the methods that it calls, so that a bundle leaves out
 * the messages of all others.
 */
export function runtimeMethod<Request, Answer>(
  name: string,
  request: Method<Request, Answer>["request"],
  answer: Method<Request, Answer>["answer"],
): Method<Request, Answer> {
  return { name, path: `/runtime.v1.RuntimeService/${name}`, request, answer };
}

/** A method of the image service. */
export function imageMethod<Request, Answer>(
  name: string,
  request: Method<Request, Answer>["request"],
  answer: Method<Request, Answer>["answer"],
): Method<Request, Answer> {
  return { name, path: `/runtime.v1.ImageService/${name}`, request, answer };
}
