/** Whatever happens to its pods and to the agent, a Job counts each of them once. */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import { isEndedPod } from "../../../../mod/controller/run/mod.ts";
import type { Job } from "../../../../mod/api/workload/mod.ts";
import type { Random } from "../../../../mod/base/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../../mod/base/telemetry/mod.ts";
import { jobController } from "../../../../mod/controller/job/mod.ts";
import { ControllerRunner } from "../../../../mod/controller/run/runner.ts";
import {
  expand,
  isHeld,
  JobNode,
} from "../../../support/controller/job_node.ts";
import { job } from "../../../support/controller/job_objects.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { below, fuzz, pick } from "../../../support/fuzz/fuzz.ts";

/** A Job, its node, and an agent that can be killed. */
class Rig {
  readonly clock = new FakeClock();
  readonly node: JobNode;
  /** After so many calls more the agent is dead. */
  #callsLeft = Infinity;
  readonly #random: Random;
  #agent: { readonly ended: AbortController; readonly done: Promise<void> };
  wake: () => void = () => {};

  constructor(spec: Partial<Job["spec"]>, random: Random) {
    this.#random = random;
    this.node = new JobNode({ clock: this.clock, random });
    const { status: _new, ...subject } = job(spec);
    this.node.put(subject);
    this.node.onChange = () => this.wake();
    this.node.refuse = () => {
      if (this.#callsLeft-- <= 0) return new ApiFailure("Unreachable", "dead");
      return this.#random.next() < this.badLuck
        ? new ApiFailure("InternalError", "bad luck")
        : undefined;
    };
    this.#agent = this.#start();
  }

  badLuck = 0;

  #start(): Rig["agent"] {
    const { node, clock } = this;
    const runner = new ControllerRunner(jobController, {
      client: node,
      cache: node.cache,
      clock,
      log: silentLogger,
      metrics: new MetricsRegistry(),
      tell: () => {},
    });
    const ended = new AbortController();
    this.wake = () => runner.wake("shop", "pi");
    this.wake();
    return { ended, done: runner.run(ended.signal) };
  }

  get agent(): {
    readonly ended: AbortController;
    readonly done: Promise<void>;
  } {
    return this.#agent;
  }

  /** The agent dies in the middle of its work, and another one begins. */
  async restart(): Promise<void> {
    this.#callsLeft = below(this.#random, 4);
    this.wake();
    await this.clock.advance(below(this.#random, 20));
    this.#agent.ended.abort();
    await this.#agent.done;
    this.#callsLeft = Infinity;
    this.node.thaw();
    if (this.#random.next() < 0.5) this.node.forget();
    this.#agent = this.#start();
  }

  async turn(options: { fails: number; deletes: boolean }): Promise<void> {
    const { node } = this;
    const luck = this.#random.next();
    if (luck < 0.05) node.freeze();
    else if (luck < 0.15) node.thaw();
    else if (luck < 0.2) await this.restart();
    else if (luck < 0.25) this.badLuck = pick(this.#random, [0, 0.3, 0.8]);
    else if (luck < 0.28) this.#suspend(true);
    else if (luck < 0.33) this.#suspend(false);
    else if (!node.isForgetful) node.happen(options);
    else if (luck < 0.5) node.remember();
    this.wake();
    // What is awaited is believed for five minutes: no cache is behind for longer.
    const longest = node.isFrozen ? 3_000 : 400_000;
    const wait = pick(this.#random, [0, 0, 100, 5_000, 30_000, 400_000]);
    await this.clock.advance(Math.min(wait, longest));
    node.look();
  }

  #suspend(suspend: boolean): void {
    const { job: subject } = this.node;
    if (subject === undefined) return;
    const changed: Job = { ...subject, spec: { ...subject.spec, suspend } };
    this.node.put(changed);
  }

  /** From now on all goes well. */
  async heal(): Promise<void> {
    const { node } = this;
    this.badLuck = 0;
    node.losesOneOf = Infinity;
    node.thaw();
    node.remember();
    this.#suspend(false);
    for (let turn = 0; turn < 60; turn++) {
      for (const pod of node.pods.filter((each) => !isEndedPod(each))) {
        node.end(pod, "Succeeded");
      }
      this.wake();
      await this.clock.advance(400_000);
      node.look();
    }
    this.#agent.ended.abort();
    await this.#agent.done;
  }
}

interface Luck {
  readonly spec: Partial<Job["spec"]>;
  readonly fails: number;
  readonly deletes: boolean;
}

function deal(random: Random): Luck {
  const isIndexed = random.next() < 0.5;
  const perIndex = isIndexed && random.next() < 0.4;
  const spec = {
    completions: 1 + below(random, 7),
    parallelism: 1 + below(random, 4),
    completionMode: isIndexed ? "Indexed" : "NonIndexed",
    backoffLimit: perIndex ? 2 ** 31 - 1 : pick(random, [0, 2, 5, 100]),
    ...(perIndex && { backoffLimitPerIndex: below(random, 3) }),
    podReplacementPolicy: random.next() < 0.5
      ? "Failed"
      : "TerminatingOrFailed",
  };
  return {
    spec,
    fails: pick(random, [0, 0.3, 0.6]),
    deletes: random.next() < 0.5,
  };
}

fuzz("a Job counts each pod once, whatever happens", {
  inputs: 300,
  run: async ({ random }) => {
    const { spec, fails, deletes } = deal(random);
    const rig = new Rig(spec, random);
    rig.node.losesOneOf = pick(random, [Infinity, 10]);
    const turns = 10 + below(random, 60);
    for (let turn = 0; turn < turns; turn++) await rig.turn({ fails, deletes });
    await rig.heal();
    const { node } = rig;
    deepStrictEqual(node.breaches, []);
    strictEqual(node.pods.filter(isHeld).length, 0, "finalizers are left");
    const { status = {} } = node.job ?? {};
    const { conditions = [], succeeded = 0, failed = 0 } = status;
    deepStrictEqual(status.uncountedTerminatedPods, {});
    deepStrictEqual(
      [status.active, status.ready, status.terminating],
      [undefined, 0, 0],
    );
    const over = conditions.find(({ type }) =>
      type === "Complete" || type === "Failed"
    );
    strictEqual(failed, node.ever.failed.size);
    const { completions = 0, backoffLimit = 0 } = spec;
    if (spec.completionMode === "Indexed") {
      const indexes = expand(status.completedIndexes);
      strictEqual(succeeded, indexes.length);
      ok(indexes.every((index) => node.doneIndexes.has(index)));
      const lost = expand(status.failedIndexes);
      ok(!lost.some((index) => indexes.includes(index)), "both ways");
    } else strictEqual(succeeded, node.ever.succeeded.size);
    if (over?.type === "Complete") {
      ok(succeeded >= completions);
      if (!deletes) strictEqual(succeeded, completions);
      ok(failed <= backoffLimit);
    } else {
      strictEqual(over?.type, "Failed");
      ok(
        over.reason === "BackoffLimitExceeded"
          ? failed > backoffLimit
          : over.reason === "FailedIndexes",
        `${over.reason}`,
      );
    }
    strictEqual(rig.clock.pendingTimers, 0);
  },
});
