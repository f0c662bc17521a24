/**
 * Container logs, written to harm whoever reads them.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Random } from "../../../mod/base/mod.ts";
import { CriLogParser, findTailStart } from "../../../mod/server/mod.ts";
import { below, fuzz, many, pick } from "../../support/fuzz/fuzz.ts";
import {
  hostileText,
  inPieces,
  joined,
  mutated,
} from "../../support/fuzz/hostile_bytes.ts";

/** What a byte of a log may take: read, copied, and its room made larger. */
const STEPS_A_BYTE = 8;

function hostileLog(random: Random): Uint8Array<ArrayBuffer> {
  const entries = many(below(random, 30), () => {
    const time = pick(random, [
      "2024-05-06T07:08:09.123456789Z",
      "2024-05-06T07:08:09Z",
      `2024-05-06T07:08:09.${"1".repeat(below(random, 120))}Z`,
      hostileText(random, 60),
    ]);
    const stream = pick(random, ["stdout", "stderr", hostileText(random, 9)]);
    const tags = pick(random, ["F", "P", "F:x", "P:", hostileText(random, 90)]);
    const end = pick(random, ["\n", "\n", "\n", "", "\n".repeat(500)]);
    return `${time} ${stream} ${tags} ${hostileText(random, 200)}${end}`;
  });
  const bytes = new TextEncoder().encode(entries.join(""));
  return random.next() < 0.5 ? mutated(random, bytes) : bytes;
}

fuzz(
  "CriLogParser takes so much work for each byte, and shows the same in whatever pieces a log comes",
  {
    inputs: 1000,
    run: ({ random, meter }) => {
      const bytes = hostileLog(random);
      const timestamps = random.next() < 0.5;
      const parser = new CriLogParser({ timestamps, meter });
      const pieces = inPieces(random, bytes);
      const shown = joined([
        ...pieces.map((p) => parser.push(p)),
        parser.end(),
      ]);
      ok(shown.length <= 2 * bytes.length + 128, `${shown.length} bytes shown`);
      ok(
        meter.total <= 128 + STEPS_A_BYTE * bytes.length,
        `${meter.total} steps for ${bytes.length} bytes`,
      );
      const whole = new CriLogParser({ timestamps });
      const expected = joined([whole.push(bytes), whole.end()]);
      strictEqual(Buffer.compare(shown, expected), 0);
    },
  },
);

fuzz("findTailStart() reads no byte of a log twice but those of heads", {
  inputs: 500,
  run: async ({ random }) => {
    const bytes = hostileLog(random);
    let read = 0;
    const file = {
      read(
        into: Uint8Array,
        offset: number,
        length: number,
        position: number,
      ): Promise<{ readonly bytesRead: number }> {
        const piece = bytes.subarray(position, position + length);
        into.set(piece, offset);
        read += piece.length;
        return Promise.resolve({ bytesRead: piece.length });
      },
    };
    const lines = pick(random, [0, 1, 5, 1_000_000]);
    const start = await findTailStart(file, { size: bytes.length, lines });
    ok(start >= 0 && start <= bytes.length);
    ok(read <= 1.01 * bytes.length + 128, `${read} of ${bytes.length} bytes`);
  },
});
