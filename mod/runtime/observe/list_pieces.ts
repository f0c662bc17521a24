/**
 * Listing a runtime that holds more than fits into one answer.
 *
 * @module
 */

import { LABEL_POD_UID } from "../../api/vocabulary/mod.ts";
import { type Clock, Semaphore } from "../../base/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import {
  type CallOptions,
  type Container,
  CriError,
  type RuntimeContainerState,
  type Sandbox,
  type SandboxState,
} from "../../cri/model/mod.ts";
import {
  groupByPod,
  type ListService,
  type RuntimeListing,
} from "./list_pods.ts";

interface PodListerDeps {
  readonly runtime: ListService;
  readonly clock: Clock;
  readonly log: Logger;
  /** The pods that are asked for one by one when nothing else helps. */
  readonly uids: () => Iterable<string>;
}

/** How the rows of one kind are asked for. */
interface ListOf<Row, State> {
  readonly list: (
    filter?: {
      readonly state?: State;
      readonly labels?: Readonly<Record<string, string>>;
    },
  ) => Promise<readonly Row[]>;
  readonly living: readonly State[];
  readonly ended: State;
}

/**
 * Lists all sandboxes and containers, grouped by pod, however many there are.
 *
 * A gRPC answer holds 16 MiB at most, which some ten thousand dead containers fill;
 * then a runtime refuses to list anything, and an agent that gave up there would never
 * again remove one. So what is too large as a whole is asked for by state, and the dead
 * that are still too many pod by pod. Then the dead of unknown pods are not seen, nor
 * those of a pod whose own list is too large.
 */
export class PodLister {
  readonly #deps: PodListerDeps;
  /** When each list that was too large may be asked for as a whole again. */
  readonly #wholeAtMs = new Map<string, number>();

  constructor(deps: PodListerDeps) {
    this.#deps = deps;
  }

  /**
   * Lists everything once.
   *
   * @throws {CriError} when a list fails, other than by its size
   */
  async list(options: CallOptions = {}): Promise<RuntimeListing> {
    const { runtime } = this.#deps;
    const [sandboxes, containers] = await Promise.all([
      this.#rows<Sandbox, SandboxState>("sandboxes", {
        list: (filter) => runtime.listPodSandbox(filter, options),
        living: ["ready"],
        ended: "not_ready",
      }),
      this.#rows<Container, RuntimeContainerState>("containers", {
        list: (filter) => runtime.listContainers(filter, options),
        living: ["running", "created", "unknown"],
        ended: "exited",
      }),
    ]);
    return groupByPod(sandboxes, containers);
  }

  async #rows<Row, State>(
    name: "sandboxes" | "containers",
    { list, living, ended }: ListOf<Row, State>,
  ): Promise<readonly Row[]> {
    return await this.#whole(name, () => list(), async () => {
      const pieces = await Promise.all([
        ...living.map((state) => list({ state })),
        this.#whole(
          `ended ${name}`,
          () => list({ state: ended }),
          () => this.#byPod((labels) => list({ state: ended, labels })),
        ),
      ]);
      return pieces.flat();
    });
  }

  /** Asks for the whole, unless that was too large a while ago; else for its pieces. */
  async #whole<T>(
    name: string,
    whole: () => Promise<T>,
    pieces: () => Promise<T>,
  ): Promise<T> {
    const { clock, log } = this.#deps;
    if (clock.monotonic() >= (this.#wholeAtMs.get(name) ?? -Infinity)) {
      try {
        const list = await whole();
        this.#wholeAtMs.delete(name);
        return list;
      } catch (error) {
        if (!isTooLarge(error)) throw error;
        if (!this.#wholeAtMs.has(name)) {
          log.warn("list_too_large", { list: name, error });
        }
        this.#wholeAtMs.set(name, clock.monotonic() + WHOLE_AGAIN_MS);
      }
    }
    return await pieces();
  }

  async #byPod<Row>(
    list: (labels: Readonly<Record<string, string>>) => Promise<readonly Row[]>,
  ): Promise<readonly Row[]> {
    const places = new Semaphore(PARALLEL_LISTS);
    const lists = await Promise.all(
      [...new Set(this.#deps.uids())].map(async (uid) => {
        using _place = await places.acquire();
        try {
          return await list({ [LABEL_POD_UID]: uid });
        } catch (error) {
          // One pod must not hide the others; its dead that are known are asked for by id.
          if (isTooLarge(error)) return [];
          throw error;
        }
      }),
    );
    return lists.flat();
  }
}

/** A runtime writes megabytes before it finds that they are too many. */
const WHOLE_AGAIN_MS = 60_000;

const PARALLEL_LISTS = 4;

function isTooLarge(error: unknown): boolean {
  return error instanceof CriError && error.kind === "resource_exhausted";
}
