import { deepStrictEqual } from "node:assert/strict";
import { Sessions } from "../../../../mod/base/mod.ts";
import type { ObservedPod } from "../../../../mod/pod/observed/mod.ts";
import { RestartBackoffs } from "../../../../mod/runtime/start/restart_backoffs.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { ended, NOW_MS, observed } from "../../../support/observed_pods.ts";
import { container, pod } from "../../../support/pods.ts";

const SECOND = 1000;
const YEAR = 365 * 24 * 3600 * SECOND;

/** To start where it ended. */
function here(seen: ObservedPod) {
  return { observed: seen, sandboxId: "s0" };
}

function backoffsOn(clock: FakeClock): RestartBackoffs {
  const sessions = new Sessions();
  return new RestartBackoffs({ clock, sessions }, { maxMs: 300_000 });
}

/** A container that ends as soon as it starts, on a wall clock that somebody sets. */
class Crasher {
  readonly #clock = new FakeClock(NOW_MS);
  readonly #backoffs = backoffsOn(this.#clock);
  #starts = 0;

  /** Starts as soon as allowed; returns how long that took, in seconds. */
  async restart(jumpMs: number): Promise<number> {
    const finishedAt = BigInt(this.#clock.now()) * 1_000_000n;
    const id = `a-${this.#starts++}`;
    const subject = pod({ containers: [container("a")] });
    const seen = observed([ended("a", 1, { id, finishedAt })]);
    const beganMs = this.#clock.monotonic();
    this.#clock.wall = Math.max(0, this.#clock.now() + jumpMs);
    for (let asked = 0; asked < 3; asked++) {
      const wait = this.#backoffs.ask(subject, container("a"), here(seen));
      if (wait === undefined) {
        return (this.#clock.monotonic() - beganMs) / SECOND;
      }
      await this.#clock.advance(wait.retryAtMs - this.#clock.monotonic());
    }
    throw new Error("Cannot restart: found three waits, wanted one at most");
  }
}

const jumps = [
  { name: "back by 40 s", by: -40 * SECOND },
  { name: "back to 1970", by: -NOW_MS },
  { name: "ahead by 56 years", by: 56 * YEAR },
];
for (const { name, by } of jumps) {
  Deno.test(`RestartBackoffs keeps its waits when the clock is set ${name} before each is asked for (CL-02, N05)`, async () => {
    const crasher = new Crasher();
    const waits: number[] = [];
    for (let crash = 0; crash < 4; crash++) {
      waits.push(await crasher.restart(by));
    }
    deepStrictEqual(waits, [0, 10, 20, 40]);
  });

  Deno.test(`RestartBackoffs keeps a wait that has begun when the clock is set ${name} (CL-02, N05)`, () => {
    const clock = new FakeClock(NOW_MS);
    const backoffs = backoffsOn(clock);
    const subject = pod({ containers: [container("a")] });
    const finishedAt = BigInt(NOW_MS) * 1_000_000n;
    const ask = (id: string) =>
      backoffs.ask(
        subject,
        container("a"),
        here(observed([ended("a", 1, { id, finishedAt })])),
      )?.retryAtMs;
    const before = [ask("a-0"), ask("a-1")];
    clock.wall = clock.now() + by;
    deepStrictEqual([...before, ask("a-1")], [undefined, 10_000, 10_000]);
  });
}

Deno.test("RestartBackoffs lets a failed start of what ended long ago be tried at once", () => {
  const clock = new FakeClock(NOW_MS);
  const backoffs = backoffsOn(clock);
  const seen = observed([ended("a", 1, { id: "a-0" })]);
  clock.wall = NOW_MS + 3600 * SECOND;
  const subject = pod({ containers: [container("a")] });
  const waits = [0, 1].map(() =>
    backoffs.ask(subject, container("a"), here(seen))
  );
  deepStrictEqual(waits, [undefined, undefined]);
});

Deno.test("RestartBackoffs waits from the end of a container, however long it ran, and no longer than was left when it is asked", async () => {
  const clock = new FakeClock(NOW_MS);
  const backoffs = backoffsOn(clock);
  const subject = pod({ containers: [container("a")] });
  const ask = (id: string, agoMs: number) => {
    const finishedAt = BigInt(clock.now() - agoMs) * 1_000_000n;
    const seen = here(observed([ended("a", 1, { id, finishedAt })]));
    const wait = backoffs.ask(subject, container("a"), seen);
    return wait && wait.retryAtMs - clock.monotonic();
  };
  deepStrictEqual(ask("a-0", 0), undefined);
  await clock.advance(100 * SECOND);
  deepStrictEqual(ask("a-1", 4 * SECOND), 6 * SECOND);
});

Deno.test("RestartBackoffs counts no end that a container met with its sandbox", () => {
  const clock = new FakeClock(NOW_MS);
  const backoffs = backoffsOn(clock);
  const subject = pod({ containers: [container("a")] });
  const finishedAt = BigInt(NOW_MS) * 1_000_000n;
  const ask = (id: string, sandboxId: string) => {
    const seen = observed([ended("a", 1, { id, finishedAt })]);
    const where = { observed: seen, sandboxId };
    return backoffs.ask(subject, container("a"), where)?.retryAtMs;
  };
  // In s1 it starts at once, and so it does after its first crash there.
  deepStrictEqual([ask("a-0", "s1"), ask("a-1", "s1")], [undefined, undefined]);
  deepStrictEqual([ask("a-2", "s0"), ask("a-3", "s0")], [undefined, 10_000]);
  // Its own crash it waits out, wherever.
  deepStrictEqual([ask("a-3", "s1"), ask("a-4", "s1")], [10_000, undefined]);
});

Deno.test("RestartBackoffs goes by when a container was made where the runtime has lost when it ended", async () => {
  const clock = new FakeClock(NOW_MS);
  const backoffs = backoffsOn(clock);
  const subject = pod({ containers: [container("a")] });
  const ask = (id: string, agoMs: number) => {
    const createdAt = BigInt(clock.now() - agoMs) * 1_000_000n;
    const end = ended("a", 1, { id, createdAt, finishedAt: 0n });
    const wait = backoffs.ask(subject, container("a"), here(observed([end])));
    return wait && wait.retryAtMs - clock.monotonic();
  };
  deepStrictEqual(ask("a-0", 0), undefined);
  await clock.advance(100 * SECOND);
  deepStrictEqual(ask("a-1", 4 * SECOND), 6 * SECOND);
});

Deno.test("RestartBackoffs.withdraw() takes back the start that was counted last, and no other", async () => {
  const clock = new FakeClock(NOW_MS);
  const backoffs = backoffsOn(clock);
  const subject = pod({ containers: [container("a")] });
  const seen = (id: string) => {
    const finishedAt = BigInt(clock.now()) * 1_000_000n;
    return observed([ended("a", 1, { id, finishedAt })]);
  };
  /** How long to wait, from now. */
  const ask = (at: ObservedPod) => {
    const wait = backoffs.ask(subject, container("a"), here(at));
    return wait && wait.retryAtMs - clock.monotonic();
  };
  const withdraw = (at: ObservedPod) =>
    backoffs.withdraw(subject, container("a"), at);
  const first = seen("a-0");
  withdraw(first);
  for (let times = 0; times < 2; times++) {
    deepStrictEqual(ask(first), undefined);
    withdraw(first);
  }
  deepStrictEqual(ask(first), undefined);
  const second = seen("a-1");
  // The last start was of another end.
  withdraw(second);
  deepStrictEqual(ask(second), 10 * SECOND);
  await clock.advance(10 * SECOND);
  for (let times = 0; times < 2; times++) {
    deepStrictEqual(ask(second), undefined);
    withdraw(second);
  }
  deepStrictEqual(ask(second), undefined);
  deepStrictEqual(ask(seen("a-2")), 20 * SECOND);
});
