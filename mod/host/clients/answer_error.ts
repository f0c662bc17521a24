/**
 * What a workload said that is no answer.
 *
 * @module
 */

/** There is no answer, or none that can be understood. */
export class AnswerError extends Error {
  override readonly name = "AnswerError";
  /**
   * What is wrong, without our words around it; of HTTP/1 in those of Go's client,
   * which operators of the kubelet know.
   */
  readonly detail: string;

  constructor(fault: { readonly detail: string }, options?: ErrorOptions) {
    super(`Cannot read the answer: ${fault.detail}`, options);
    this.detail = fault.detail;
  }
}
