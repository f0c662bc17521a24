/**
 * Tokens of service accounts, asked for and renewed in time.
 *
 * The rules are those of the kubelet's pkg/kubelet/token.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import { type Clock, jitter, nextDelay, type Random } from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import type { PodToken } from "../../pod/inputs/mod.ts";
import type { TokenKeeper } from "./referenced_objects.ts";
import { type Answers, livingRefusal } from "./refusal.ts";

/** A token as it was given. */
export interface GivenToken {
  readonly token: Uint8Array;
  /** For how long: the clock of a node that has just started may show 1970. */
  readonly lifeMs: number;
}

/** What keeping tokens works with. */
export interface ServiceTokensDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** @throws {ApiFailure} When the server refuses, or is away. */
  readonly request: (
    wish: PodToken & { readonly pod: Pod },
    signal: AbortSignal,
  ) => Promise<GivenToken>;
}

/** A token is renewed when a fifth of its life is left, and after a day. */
const RENEW_FRACTION = 0.8;
const LONGEST_MS = 24 * 3_600_000;
/** So that not all are renewed at once; upstream's maxJitter is 10 s. */
const JITTER_MS = 10_000;
/** A server that gives tokens which end at once is not asked without end. */
const LEAST_MS = 10_000;

const RETRY = { baseMs: 1_000, maxMs: 60_000 };

/** When a token is to be renewed, in milliseconds from now. */
export function renewAfterMs(
  { lifeMs }: Pick<GivenToken, "lifeMs">,
  random: Random,
): number {
  const dueMs = Math.min(lifeMs * RENEW_FRACTION, LONGEST_MS);
  const earlierMs = random.next() * JITTER_MS;
  return Math.max(LEAST_MS, dueMs - earlierMs);
}

/** Keeps tokens valid; while none can be had the old one stays. */
export class ServiceTokens implements TokenKeeper {
  readonly #deps: ServiceTokensDeps;

  constructor(deps: ServiceTokensDeps) {
    this.#deps = { ...deps, log: deps.log.named("tokens") };
  }

  async keep(
    wish: PodToken & { readonly pod: Pod },
    { took, refused }: Answers<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, random, request, log } = this.#deps;
    const { namespace, name } = wish.pod.metadata;
    let retryMs: number | undefined;
    while (!signal.aborted) {
      let waitMs: number;
      try {
        const given = await request(wish, signal);
        took(given.token);
        waitMs = renewAfterMs(given, random);
        retryMs = undefined;
      } catch (error) {
        if (signal.aborted) return;
        const why = livingRefusal(error);
        if (why !== undefined) refused(why);
        if (retryMs === undefined) {
          const reason = describeError(error);
          log.warn("token_not_given", { pod: `${namespace}/${name}`, reason });
        }
        retryMs = nextDelay(retryMs, RETRY);
        waitMs = jitter(random, retryMs, 0.2);
      }
      await clock.sleep(waitMs, signal).catch(() => {});
    }
  }
}
