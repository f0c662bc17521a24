/**
 * The connections to one API server.
 *
 * @module
 */

import {
  type Clock,
  defined,
  invariant,
  type TaskGroup,
} from "../../base/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import { ApiFailure } from "../../api/access/mod.ts";
import type { KubeIdentity } from "../config/mod.ts";
import { ApiLane } from "./api_lane.ts";
import type { OpenConnection } from "./ports.ts";
import { Vigil } from "./vigil.ts";

/**
 * How many streams share a connection. API servers take 100 of a client (apiserver's
 * secure_serving.go) and let what comes beyond them wait for ever; calls need places, too.
 */
export const MAX_STREAMS = 80;

/** The credentials are others now, and streams are to be opened anew with them. */
export const RENEWED: unknown = new DOMException(
  "The credentials have changed",
  "AbortError",
);

/** What a pool works with. */
export interface LanePoolDeps {
  readonly clock: Clock;
  readonly tasks: TaskGroup;
  readonly log: Logger;
  readonly open: OpenConnection;
}

/** Opens connections as they are needed, and leaves those that are dead. */
export class LanePool implements Disposable {
  readonly #deps: LanePoolDeps;
  #identity: KubeIdentity | undefined;
  /** Calls use the first. */
  #lanes: ApiLane[] = [];
  #isClosed = false;

  constructor(deps: LanePoolDeps) {
    this.#deps = deps;
  }

  /** The credentials in use; `undefined` before the first. */
  get identity(): KubeIdentity | undefined {
    return this.#identity;
  }

  /**
   * Uses these credentials from now on. With other certificates there are new connections,
   * and what streams over the old ones ends.
   *
   * @throws {unknown} When they do not fit together; then nothing has changed.
   */
  adopt(identity: KubeIdentity): void {
    // They were being read when the client was closed.
    if (this.#isClosed) return;
    const before = this.#identity;
    if (before === undefined || wayOf(before) !== wayOf(identity)) {
      const lane = this.#open(identity);
      this.#retireAll(RENEWED);
      this.#lanes = [lane];
    }
    this.#identity = identity;
  }

  /** The connection for a call. */
  forCall(): ApiLane {
    return this.#lanes[0] ?? this.#add();
  }

  /** A connection that has room for a stream. */
  forStream(): ApiLane {
    return this.#lanes.find(({ streams }) => streams < MAX_STREAMS) ??
      this.#add();
  }

  /** Closes a connection that is not the only one and has nothing to do. */
  leave(lane: ApiLane): void {
    if (lane === this.#lanes[0] || lane.streams > 0) return;
    this.#lanes = this.#lanes.filter((each) => each !== lane);
    lane.retire(RENEWED);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#retireAll(new DOMException("The client is closed", "AbortError"));
  }

  #retireAll(reason: unknown): void {
    for (const lane of this.#lanes) lane.retire(reason);
    this.#lanes = [];
  }

  #add(): ApiLane {
    invariant(
      this.#identity !== undefined,
      "Cannot open a connection: there are no credentials yet",
    );
    const lane = this.#open(this.#identity);
    this.#lanes.push(lane);
    return lane;
  }

  #open(identity: KubeIdentity): ApiLane {
    const { clock, tasks, open } = this.#deps;
    const connection = open(identity);
    const vigil = new Vigil({
      clock,
      tasks,
      // Everybody may read it, and it costs the server nothing.
      ask: async (signal) => {
        const request = { method: "GET", headers: {}, signal };
        const url = `${identity.server}/version`;
        const response = await connection.fetch(url, request);
        await response.body?.cancel();
      },
      whenDead: () => this.#bury(lane),
    });
    const lane = new ApiLane(connection, vigil);
    return lane;
  }

  #bury(lane: ApiLane): void {
    this.#lanes = this.#lanes.filter((each) => each !== lane);
    const { streams } = lane;
    this.#deps.log.warn("connection_is_dead", { streams });
    const message = "The API server says nothing any more on this connection";
    lane.retire(new ApiFailure("Unreachable", message));
  }
}

/** All that a connection is made of. */
function wayOf({ server, ca, client, proxyUrl }: KubeIdentity): string {
  return JSON.stringify(defined({
    server,
    ca,
    cert: client?.cert,
    key: client?.key.reveal(),
    proxyUrl: proxyUrl?.reveal(),
  }));
}
