/**
 * What an API server does to a request, by the wish of a test.
 *
 * @module
 */

/** A request as it came. */
export interface ScriptedRequest {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** As JSON reads it; `undefined` without a body. */
  readonly body: unknown;
  /** Who asks: the name in its certificate, or its token. */
  readonly user: string | undefined;
}

/** What becomes of a request. */
export type RequestFault =
  /** Nothing is done; a Status says why. */
  | {
    readonly kind: "refuse";
    readonly code: number;
    readonly reason: string;
    readonly message?: string;
    readonly retryAfterSeconds?: number;
  }
  /** Nothing is done, and this is said. */
  | {
    readonly kind: "say";
    readonly text: string;
    /** @default 200 */
    readonly code?: number;
    readonly headers?: Readonly<Record<string, string>>;
  }
  /** Nothing is done: the connection ends, or nothing is ever said. */
  | { readonly kind: "cut" | "stall" }
  /** It is done when this has come to pass, or when it has from when the request came. */
  | {
    readonly kind: "hold";
    readonly until: Promise<unknown> | (() => Promise<unknown>);
  }
  /** It is done, but of the answer no more than this is said. */
  | {
    readonly kind: "break";
    /** @default 0, not even the status */
    readonly afterBytes?: number;
    readonly by: "cut" | "stall";
  }
  /** A watch says each event twice, or of two the second first. */
  | { readonly kind: "repeat_events" | "swap_events" };

/** Which requests a fault is for. */
export interface RequestMatch {
  readonly method?: string;
  /** A path as a whole, or a part of one with its query. */
  readonly path?: string | RegExp;
  /** Whether it is a watch. */
  readonly isWatch?: boolean;
  /** How many of them. @default 1 */
  readonly times?: number;
}

/** Faults that wait for their requests. */
export class FaultScript {
  readonly #waiting: {
    readonly match: RequestMatch;
    readonly fault: RequestFault;
    left: number;
  }[] = [];

  /** The first requests that match have this fault; those of earlier calls come first. */
  add(match: RequestMatch, fault: RequestFault): void {
    this.#waiting.push({ match, fault, left: match.times ?? 1 });
  }

  /** From now on all goes well. */
  clear(): void {
    this.#waiting.length = 0;
  }

  /** Takes the fault of a request, if it has one. */
  take(request: ScriptedRequest): RequestFault | undefined {
    const found = this.#waiting.find(({ left, match }) =>
      left > 0 && matches(request, match)
    );
    if (found !== undefined) found.left--;
    return found?.fault;
  }
}

/** Whether a request is a watch. */
export function isWatch({ method, query }: ScriptedRequest): boolean {
  return method === "GET" && ["1", "true"].includes(query.get("watch") ?? "");
}

function matches(request: ScriptedRequest, match: RequestMatch): boolean {
  const { path } = match;
  const url = `${request.path}?${request.query}`;
  return (match.method === undefined || match.method === request.method) &&
    (match.isWatch === undefined || match.isWatch === isWatch(request)) &&
    (path === undefined ||
      (typeof path === "string" ? path === request.path : path.test(url)));
}
