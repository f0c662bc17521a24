/**
 * Whether an API server answers, seen from what is asked of it anyway.
 *
 * @module
 */

import { ApiFailure, type FailureReason } from "../../api/access/mod.ts";
import { type Clock, type Moment, momentOf } from "../../base/mod.ts";
import type {
  Gauge,
  Logger,
  MetricsRegistry,
} from "../../base/telemetry/mod.ts";
import type { ApiCaller, ApiRequest } from "./kube_transport.ts";

/** What somebody at the node is told of its API server. */
export interface ApiReachState {
  /** The last answer; absent before the first. */
  readonly answered?: Moment | undefined;
  /** Since when it answers, and since when it refuses nothing; counted while it does. */
  readonly answersSince: Moment;
  readonly allowsSince: Moment;
  /** Absent while it answers, and before the first call has failed. */
  readonly silent?: ApiTrouble | undefined;
  /** What it answers, and refuses; the pods of the node first. */
  readonly refused: readonly ApiTrouble[];
}

/** Something that does not work. */
export interface ApiTrouble {
  readonly reason: FailureReason;
  /** Partly in the words of the server. */
  readonly message: string;
  /** Of silence: the last answer, or when this agent began to ask. */
  readonly since: Moment;
}

/** What a node cannot do without; the first one is what its pods are known by. */
const PURPOSES: readonly {
  readonly name: string;
  readonly path: string;
  readonly methods: readonly ApiRequest["method"][];
}[] = [
  { name: "pods", path: "/api/v1/pods", methods: ["GET"] },
  {
    name: "lease",
    path: "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases",
    methods: ["GET", "POST", "PUT"],
  },
  {
    name: "node",
    path: "/api/v1/nodes",
    methods: ["GET", "POST", "PATCH"],
  },
];

/** By these the server does not answer, or somebody before it does in its place. */
const SILENT: ReadonlySet<FailureReason> = new Set([
  "Unreachable",
  "Timeout",
  "ServiceUnavailable",
]);

/** These are answers as good as any. */
const USUAL: ReadonlySet<FailureReason> = new Set([
  "AlreadyExists",
  "Conflict",
  "Expired",
  "NotFound",
  "ResourceVersionTooLarge",
  "TooManyRequests",
]);

/** What it is built on. */
export interface ApiReachDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
}

/**
 * Takes note of how calls and streams end. The server is silent when a call got no answer
 * and nothing was heard since it began: one that is slow, or a stream that breaks, means
 * nothing by itself. Any answer ends that. Nothing is asked because of it.
 */
export class ApiReach {
  readonly #deps: ApiReachDeps;
  readonly #start: Moment;
  readonly #reachable: Gauge;
  readonly #answeredAt: Gauge;
  #answered: Moment | undefined;
  #answersSince: Moment;
  #allowsSince: Moment;
  #silent: ApiTrouble | undefined;
  /** By purpose and method, so there are a few at most. */
  readonly #refused = new Map<string, ApiTrouble>();

  constructor(deps: ApiReachDeps) {
    this.#deps = { ...deps, log: deps.log.named("kube") };
    this.#start = momentOf(deps.clock);
    this.#answersSince = this.#start;
    this.#allowsSince = this.#start;
    this.#reachable = deps.metrics.gauge(
      "skerry_api_server_reachable",
      "Whether the API server answers (1) or is silent (0)",
    );
    this.#answeredAt = deps.metrics.gauge(
      "skerry_api_server_last_answer_timestamp_seconds",
      "When the API server answered last, in seconds since the epoch; 0 if never",
    );
  }

  /** How it is now. */
  get state(): ApiReachState {
    const order = [...this.#refused].sort(([a], [b]) => rankOf(a) - rankOf(b));
    return {
      answered: this.#answered,
      answersSince: this.#answersSince,
      allowsSince: this.#allowsSince,
      silent: this.#silent,
      refused: order.map(([_key, trouble]) => trouble),
    };
  }

  /** The same caller, whose calls and streams are taken note of. */
  watched(caller: ApiCaller): ApiCaller {
    return {
      call: (request, signal) =>
        this.#note(() => caller.call(request, signal), request, signal),
      stream: async (request, signal) =>
        this.#listen(
          await this.#note(
            () => caller.stream(request, signal),
            request,
            signal,
          ),
        ),
    };
  }

  async #note<Answer>(
    ask: () => Promise<Answer>,
    request: ApiRequest,
    signal: AbortSignal,
  ): Promise<Answer> {
    const beganMs = this.#deps.clock.monotonic();
    const key = keyOf(request);
    try {
      const answer = await ask();
      this.#heard();
      this.#allowed(key);
      return answer;
    } catch (error) {
      if (!signal.aborted) this.#failed(error, { key, beganMs });
      throw error;
    }
  }

  async *#listen(
    pieces: AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.#heard();
      yield piece;
    }
  }

  #allowed(key: string | undefined): void {
    const wasRefused = key !== undefined && this.#refused.delete(key);
    if (wasRefused) this.#allowsSince = momentOf(this.#deps.clock);
  }

  #heard(): void {
    const { clock, log } = this.#deps;
    const isFirst = this.#answered === undefined;
    this.#answered = momentOf(clock);
    if (isFirst || this.#silent !== undefined) {
      this.#answersSince = this.#answered;
    }
    this.#reachable.set(1);
    this.#answeredAt.set(Math.floor(this.#answered.wallMs / 1_000));
    if (this.#silent === undefined) return;
    const silentMs = clock.monotonic() - this.#silent.since.monotonicMs;
    log.info("api_server_back", { silentMs });
    this.#silent = undefined;
  }

  #failed(
    error: unknown,
    { key, beganMs }: {
      readonly key: string | undefined;
      readonly beganMs: number;
    },
  ): void {
    if (!(error instanceof ApiFailure)) return;
    const { reason, message } = error;
    if (SILENT.has(reason)) {
      // What others than a node need may be slow, or away, behind a server that is well.
      const isOfNode = key !== undefined || reason === "Unreachable";
      const wasHeard = (this.#answered?.monotonicMs ?? -Infinity) > beganMs;
      if (isOfNode && !wasHeard) this.#fallSilent(reason, message);
      return;
    }
    // This one is also thrown where there are no credentials to ask with.
    if (reason !== "Unauthorized") this.#heard();
    if (key === undefined) return;
    if (USUAL.has(reason)) this.#allowed(key);
    else {
      const since = this.#refused.get(key)?.since ?? momentOf(this.#deps.clock);
      this.#refused.set(key, { reason, message, since });
    }
  }

  #fallSilent(reason: FailureReason, message: string): void {
    const before = this.#silent;
    const since = before?.since ?? this.#answered ?? this.#start;
    this.#silent = { reason, message, since };
    this.#reachable.set(0);
    if (before !== undefined) return;
    this.#deps.log.warn("api_server_away", {
      reason,
      error: message,
      note: "what it had last runs on",
    });
  }
}

/** What of a node's needs a request is for; absent for others. */
function keyOf({ path, method }: ApiRequest): string | undefined {
  const found = PURPOSES.find((each) =>
    each.methods.includes(method) &&
    (path === each.path || path.startsWith(`${each.path}/`))
  );
  return found && `${found.name} ${method}`;
}

function rankOf(key: string): number {
  return PURPOSES.findIndex(({ name }) => key.startsWith(`${name} `));
}
