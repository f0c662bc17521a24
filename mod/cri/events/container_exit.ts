/**
 * How a container ended, from containerd itself.
 *
 * @module
 */

import {
  GetRequest,
  GetResponse,
} from "../../../proto/gen/containerd/services/tasks/v1/tasks.ts";
import {
  type Process,
  Status,
} from "../../../proto/gen/containerd/types/task/task.ts";
import { ChannelFailure, type Method, type Rpc } from "../rpc/mod.ts";
import { CriError } from "../model/mod.ts";

/** How the first process of a container or sandbox ended. */
export interface ContainerExit {
  /** 128 and the signal's number for one that a signal ended. */
  readonly exitCode: number;
  /** Nanoseconds since the epoch. */
  readonly finishedAt: bigint;
}

/** What asking needs. */
export interface ContainerExitDeps {
  readonly rpc: Pick<Rpc, "call">;
  /** Whether the runtime is a containerd, as far as is known now. */
  readonly isContainerd: () => boolean;
}

/** The namespace of all that containerd's CRI makes; there is no setting for it. */
export const CRI_NAMESPACE = "k8s.io";

// A container waits for this answer before it restarts; the CRI shows the end, too.
const DEADLINE_MS = 1_000;

const EXIT_CODES = 256;

const GET_TASK: Method<string, ContainerExit | undefined> = {
  name: "GetTask",
  path: "/containerd.services.tasks.v1.Tasks/Get",
  metadata: { "containerd-namespace": CRI_NAMESPACE },
  requestType: {
    encode: (containerId, writer) =>
      GetRequest.encode({ containerId, execId: "" }, writer),
  },
  responseType: { decode: readTask },
};

// Numbers as in https://grpc.io/docs/guides/status-codes/.
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;

/**
 * Asks containerd's task service, which knows of an end as soon as its event comes. The CRI
 * of the same containerd shows it some 50 ms later, after it has cleaned up the process.
 */
export class ExitSource {
  readonly #deps: ContainerExitDeps;
  #isRefused = false;

  constructor(deps: ContainerExitDeps) {
    this.#deps = deps;
  }

  /** The runtime may be another one now: it is asked again. */
  reset(): void {
    this.#isRefused = false;
  }

  /**
   * How a container or sandbox ended; `undefined` when it runs, when nothing is left
   * of its process, or when its end is not known.
   *
   * @throws {CriError} Of kind `cancelled` when `signal` aborts.
   */
  async ask(
    containerId: string,
    signal?: AbortSignal,
  ): Promise<ContainerExit | undefined> {
    const { rpc, isContainerd } = this.#deps;
    if (this.#isRefused || !isContainerd()) return undefined;
    try {
      return await rpc.call(GET_TASK, containerId, {
        deadlineMs: DEADLINE_MS,
        signal,
      });
    } catch (error) {
      if (isRefusal(error)) this.#isRefused = true;
      if (error instanceof CriError && error.kind === "cancelled") throw error;
      // This answer only saves time; the CRI reports the end a little later.
      return undefined;
    }
  }
}

/**
 * Reads the answer: only a process that has ended, with all that an end has, is one.
 *
 * @throws {Error} When the message is none.
 */
function readTask(bytes: Uint8Array): ContainerExit | undefined {
  const { process } = GetResponse.decode(bytes);
  return process?.status === Status.STOPPED ? readExit(process) : undefined;
}

/** An end as containerd's messages have it; `undefined` when it cannot be one. */
export function readExit(
  { exitStatus: exitCode, exitedAt }: Pick<Process, "exitStatus" | "exitedAt">,
): ContainerExit | undefined {
  if (exitedAt === undefined || exitCode >= EXIT_CODES) return undefined;
  const { seconds, nanos } = exitedAt;
  if (seconds <= 0n || nanos < 0 || nanos >= 1_000_000_000) return undefined;
  return { exitCode, finishedAt: seconds * 1_000_000_000n + BigInt(nanos) };
}

/** Whether the runtime does not have a service of containerd's own, or not for us. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof CriError)) return false;
  if (error.kind === "unimplemented") return true;
  const { cause } = error;
  return cause instanceof ChannelFailure &&
    (cause.code === PERMISSION_DENIED || cause.code === UNAUTHENTICATED);
}
