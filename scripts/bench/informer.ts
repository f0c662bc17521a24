/**
 * What an informer does in a second, and what an object takes there, beside client-go at the
 * same work, in turns.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { ratio, type Report, spread } from "./figures.ts";

const ROUNDS = 3;
/** Of one object: it is added and changed twice. */
const EVENTS = 3;

interface Took {
  readonly ms: number;
  readonly bytes: number;
}

/** Prints the figures of 10,000 and 100,000 objects; without Go only those of this agent. */
export async function measureInformer(report: Report): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "skerry-informer-" });
  try {
    const rival = await buildRival(`${directory}/rival`);
    for (const count of [10_000, 100_000]) {
      const ours: Took[] = [];
      const theirs: Took[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        if (rival !== undefined) theirs.push(await run([rival, `${count}`]));
        ours.push(await run([...OURS, `${count}`]));
      }
      for (const { what, unit, of } of FIGURES) {
        const values = ours.map((each) => of(each, count));
        const others = theirs.map((each) => of(each, count));
        const beside = others.length === 0
          ? "client-go not measured: Go is not there"
          : `client-go ${spread(others, unit)}, ${ratio(values, others)}`;
        report(
          `informer of ${count} objects, ${what}`,
          spread(values, unit),
          beside,
        );
      }
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

const FIGURES: readonly {
  readonly what: string;
  readonly unit: string;
  readonly of: (took: Took, count: number) => number;
}[] = [
  {
    what: "events a second",
    unit: "/s",
    of: ({ ms }, count) => count * EVENTS * 1000 / ms,
  },
  {
    what: "heap for each",
    unit: "bytes",
    of: ({ bytes }, count) => bytes / count,
  },
];

const OURS: readonly string[] = [
  Deno.execPath(),
  "run",
  "-A",
  "--no-check",
  "--v8-flags=--expose-gc",
  fromHere("./informer_load.ts"),
];

function fromHere(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** @returns the program; nothing where there is no Go, or no way to its modules */
async function buildRival(program: string): Promise<string | undefined> {
  try {
    const { success } = await new Deno.Command("go", {
      args: ["build", "-o", program, "."],
      cwd: fromHere("../../tests/support/informer_rival"),
    }).output();
    return success ? program : undefined;
  } catch {
    // There is no Go here.
    return undefined;
  }
}

async function run([program = "", ...args]: readonly string[]): Promise<Took> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args })
    .output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(decoder.decode(stderr));
  const took: unknown = JSON.parse(decoder.decode(stdout));
  if (!isTook(took)) throw new TypeError(`${program} printed no figures`);
  return took;
}

function isTook(value: unknown): value is Took {
  return typeof value === "object" && value !== null &&
    "ms" in value && typeof value.ms === "number" &&
    "bytes" in value && typeof value.bytes === "number";
}
