/**
 * Tokens of service accounts: when they are renewed.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import {
  type GivenToken,
  ServiceTokens,
} from "../../../../mod/source/api/mod.ts";
import { renewAfterMs } from "../../../../mod/source/api/service_tokens.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { messagesTo } from "../../../support/log_lines.ts";
import { pod } from "../../../support/pods.ts";

const HOUR = 3_600_000;

for (
  const [life, chance, expected] of [
    [HOUR, 0, 0.8 * HOUR],
    [HOUR, 0.5, 0.8 * HOUR - 5_000],
    [HOUR, 1, 0.8 * HOUR - 10_000],
    [100 * HOUR, 0, 24 * HOUR],
    [1_000, 0, 10_000],
  ] as const
) {
  Deno.test(`a token of ${life} ms is renewed after ${expected} ms (chance ${chance})`, () => {
    const random = { next: () => chance };
    strictEqual(renewAfterMs({ lifeMs: life }, random), expected);
  });
}

class Rig implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly taken: string[] = [];
  /** The messages of the log. */
  readonly said: string[] = [];
  readonly refusals: string[] = [];
  asked = 0;
  failing: boolean | Error = false;
  chance = 0;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor() {
    const tokens = new ServiceTokens({
      clock: this.clock,
      random: { next: () => this.chance },
      log: messagesTo(this.said),
      request: (): Promise<GivenToken> => {
        this.asked++;
        if (this.failing instanceof Error) return Promise.reject(this.failing);
        if (this.failing) return Promise.reject(new Error("no"));
        return Promise.resolve({
          token: new TextEncoder().encode(`t${this.asked}`),
          lifeMs: HOUR,
        });
      },
    });
    const wish = {
      object: "token/u/3600/",
      serviceAccount: "default",
      audience: "",
      expirationSeconds: 3600,
      pod: pod({}),
    };
    this.#running = tokens.keep(
      wish,
      {
        took: (token) => void this.taken.push(new TextDecoder().decode(token)),
        refused: (why) => void this.refusals.push(why),
      },
      this.#stop.signal,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    strictEqual(this.clock.pendingTimers, 0);
  }
}

Deno.test("a token is renewed when a fifth of its life is left", async () => {
  await using rig = new Rig();
  await rig.clock.advance(0.8 * HOUR - 1);
  deepStrictEqual(rig.taken, ["t1"]);
  await rig.clock.advance(1);
  deepStrictEqual(rig.taken, ["t1", "t2"]);
  await rig.clock.advance(0.8 * HOUR);
  deepStrictEqual(rig.taken, ["t1", "t2", "t3"]);
});

for (const to of [0, Date.UTC(2100, 0, 1)]) {
  Deno.test(`a token is renewed in time on a clock that is set to ${to} (CL-02)`, async () => {
    await using rig = new Rig();
    await rig.clock.advance(0);
    rig.clock.wall = to;
    for (const times of [2, 3, 4]) {
      await rig.clock.advance(0.8 * HOUR - 1);
      strictEqual(rig.taken.length, times - 1);
      await rig.clock.advance(1);
      strictEqual(rig.taken.length, times);
    }
  });
}

Deno.test("a server that gives none is asked at 1 s, 2 s, and a minute at most", async () => {
  await using rig = new Rig();
  await rig.clock.advance(0);
  rig.failing = true;
  await rig.clock.advance(0.8 * HOUR);
  strictEqual(rig.asked, 2);
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    const { asked } = rig;
    await rig.clock.advance(seconds * 1_000 - 1);
    strictEqual(rig.asked, asked);
    await rig.clock.advance(1);
    strictEqual(rig.asked, asked + 1);
  }
  deepStrictEqual(rig.said, ["token_not_given"]);
  deepStrictEqual(rig.taken, ["t1"]);
  rig.failing = false;
  await rig.clock.advance(60_000);
  strictEqual(rig.taken.length, 2);
});

Deno.test("(IN-11) a refusal of a server that lives is told, and silence is not", async () => {
  await using rig = new Rig();
  await rig.clock.advance(0);
  rig.failing = new ApiFailure("NotFound", "no such account");
  await rig.clock.advance(0.8 * HOUR);
  deepStrictEqual(rig.refusals, ["no such account"]);
  rig.failing = new ApiFailure("ServiceUnavailable", "not now");
  await rig.clock.advance(60_000);
  deepStrictEqual(rig.refusals, ["no such account"]);
  deepStrictEqual(rig.taken, ["t1"]);
});

Deno.test("the tokens of many pods are not asked for at one moment", async () => {
  await using rig = new Rig();
  await rig.clock.advance(0);
  rig.failing = true;
  rig.chance = 1;
  await rig.clock.advance(0.8 * HOUR);
  strictEqual(rig.asked, 2);
  await rig.clock.advance(1_199);
  strictEqual(rig.asked, 2);
  await rig.clock.advance(1);
  strictEqual(rig.asked, 3);
});
