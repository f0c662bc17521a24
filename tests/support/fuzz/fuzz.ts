/**
 * Many inputs from one seed, and what each of them may cost.
 *
 * @module
 */

import type { Random } from "../../../mod/base/mod.ts";
import { seededRandom } from "../seeded_random.ts";
import { StepCounter } from "../step_counter.ts";

/** Always the same inputs, unless a run is given others: `deno test … -- --seed=17`. */
const SEED = 20_260_711;

/** What is done with one input. */
export interface FuzzRun {
  readonly random: Random;
  /** Counts the work of this input. */
  readonly meter: StepCounter;
}

/** One test of many inputs. */
export interface FuzzOptions {
  readonly inputs: number;
  /** Makes one input, gives it to what is tested, and asserts what it may cost. */
  readonly run: (run: FuzzRun) => void | Promise<void>;
}

/** Registers the test; its name tells the seed, and a failure the number of the input. */
export function fuzz(name: string, { inputs, run }: FuzzOptions): void {
  register(name, inputs, async (each) => await each(run));
}

/** One test of many inputs that are given to the same thing, one after the other. */
export interface SharedFuzzOptions<T extends AsyncDisposable> {
  readonly inputs: number;
  /** Makes what all inputs share. */
  readonly start: () => Promise<T>;
  readonly run: (run: FuzzRun, shared: T) => Promise<void>;
}

/** Like {@linkcode fuzz}, of something that lives as long as the test. */
export function fuzzShared<T extends AsyncDisposable>(
  name: string,
  { inputs, start, run }: SharedFuzzOptions<T>,
): void {
  register(name, inputs, async (each) => {
    await using shared = await start();
    await each((one) => run(one, shared));
  });
}

type Run = FuzzOptions["run"];

function register(
  name: string,
  inputs: number,
  test: (each: (run: Run) => Promise<void>) => Promise<void>,
): void {
  const seed = seedOf(Deno.args);
  Deno.test(
    `${name} (${inputs} inputs from seed ${seed})`,
    () => test((run) => runEach(run, { inputs, seed })),
  );
}

async function runEach(
  run: Run,
  { inputs, seed }: { readonly inputs: number; readonly seed: number },
): Promise<void> {
  for (let input = 0; input < inputs; input++) {
    // Each input has a seed of its own, so that one alone can be made again.
    const random = seededRandom(seed + Math.imul(input, 0x9e3779b1));
    try {
      await run({ random, meter: new StepCounter() });
    } catch (cause) {
      const message = `Input ${input} of seed ${seed} failed: ${
        cause instanceof Error ? cause.message.slice(0, 500) : String(cause)
      }`;
      throw new Error(message, { cause });
    }
  }
}

function seedOf(args: readonly string[]): number {
  const given = args.find((arg) => arg.startsWith("--seed="));
  return given === undefined ? SEED : Number(given.slice("--seed=".length));
}

/** A whole number from 0 up to, not including, `end`. */
export function below(random: Random, end: number): number {
  return Math.floor(random.next() * end);
}

/** One of several. */
export function pick<T>(random: Random, choices: readonly [T, ...T[]]): T {
  return choices[below(random, choices.length)] ?? choices[0];
}

/** As many as `count` things, made one after the other. */
export function many<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}
