/**
 * An API server that answers each call with what a test has laid down.
 *
 * @module
 */

import type { ApiCaller, ApiRequest } from "../../../mod/kube/transport/mod.ts";

/** Remembers what was asked. */
export class RecordingApi implements ApiCaller {
  readonly requests: ApiRequest[] = [];
  answer: unknown = {};
  /** The lines of streams. */
  lines: readonly unknown[] = [];

  call(request: ApiRequest): Promise<unknown> {
    this.requests.push(request);
    return Promise.resolve(this.answer);
  }

  stream(request: ApiRequest): Promise<AsyncIterable<Uint8Array>> {
    this.requests.push(request);
    const text = this.lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    return Promise.resolve(new Blob([text]).stream());
  }

  /** The last request. */
  get last(): ApiRequest {
    const last = this.requests.at(-1);
    if (last === undefined) throw new Error("Nothing was asked");
    return last;
  }
}

/** A pod as an API server answers it. */
export function wirePod(
  name: string = "web",
  metadata: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> & {
  readonly metadata: Readonly<Record<string, unknown>>;
} {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace: "shop",
      name,
      uid: `uid-${name}`,
      resourceVersion: "7",
      ...metadata,
    },
    spec: { containers: [] },
  };
}
