/**
 * What containerd is writing of images at present.
 *
 * @module
 */

import {
  ListStatusesRequest,
  ListStatusesResponse,
  type Status,
} from "../../../proto/gen/containerd/services/content/v1/content.ts";
import { CriError, type Ingest } from "../model/mod.ts";
import type { Method, Rpc } from "../rpc/mod.ts";
import { CRI_NAMESPACE, isRefusal } from "./container_exit.ts";

// It is asked again soon; a pull does not wait for it.
const DEADLINE_MS = 5_000;

const LIST: Method<undefined, readonly Ingest[]> = {
  name: "ListStatuses",
  path: "/containerd.services.content.v1.Content/ListStatuses",
  metadata: { "containerd-namespace": CRI_NAMESPACE },
  requestType: {
    encode: (_, writer) => ListStatusesRequest.encode({ filters: [] }, writer),
  },
  responseType: {
    decode: (bytes) =>
      ListStatusesResponse.decode(bytes).statuses.map(toIngest),
  },
};

/**
 * Asks containerd's content service, since the CRI reports no progress of a pull. A runtime
 * that does not have it is asked once.
 */
export class IngestSource {
  readonly #rpc: Pick<Rpc, "call">;
  #isRefused = false;

  constructor(deps: { readonly rpc: Pick<Rpc, "call"> }) {
    this.#rpc = deps.rpc;
  }

  /** The runtime may be another one now: it is asked again. */
  reset(): void {
    this.#isRefused = false;
  }

  /**
   * All of them, whoever writes them; `undefined` when that is not known.
   *
   * @throws {CriError} Of kind `cancelled` when `signal` aborts.
   */
  async list(signal?: AbortSignal): Promise<readonly Ingest[] | undefined> {
    if (this.#isRefused) return undefined;
    try {
      return await this.#rpc.call(LIST, undefined, {
        deadlineMs: DEADLINE_MS,
        signal,
      });
    } catch (error) {
      if (isRefusal(error)) this.#isRefused = true;
      if (error instanceof CriError && error.kind === "cancelled") throw error;
      return undefined;
    }
  }
}

function toIngest({ ref, offset, total, startedAt }: Status): Ingest {
  const { seconds = 0n, nanos = 0 } = startedAt ?? {};
  return {
    ref,
    bytes: Number(offset),
    totalBytes: Number(total),
    begunMs: Number(seconds) * 1_000 + nanos / 1e6,
  };
}
