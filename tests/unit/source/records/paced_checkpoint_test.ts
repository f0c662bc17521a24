/**
 * How often sets are kept that change all the time.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { SourceContent } from "../../../../mod/source/merge/mod.ts";
import {
  PacedCheckpoint,
} from "../../../../mod/source/records/paced_checkpoint.ts";
import type { SetCheckpoint } from "../../../../mod/source/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { sourcePod } from "../../../support/source/source_pods.ts";

type Change = { readonly uid?: string; readonly deleted?: string };

function setOf(image: string, ...changes: readonly Change[]): SourceContent {
  const pods = changes.map(({ uid = "u1", deleted }) => {
    const pod = sourcePod({ image });
    return {
      ...pod,
      metadata: {
        ...pod.metadata,
        uid,
        ...deleted !== undefined && { deletionTimestamp: deleted },
      },
    };
  });
  return { pods, objects: [], workloads: [] };
}

class Inner implements SetCheckpoint {
  readonly saved: SourceContent[] = [];

  load() {
    return Promise.resolve({ kind: "absent" as const });
  }

  save(content: SourceContent): void {
    this.saved.push(content);
  }

  failure() {
    return undefined;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    this.ended = this.saved.length;
  }

  ended = -1;
}

function paced() {
  const clock = new FakeClock();
  const inner = new Inner();
  return { clock, inner, checkpoint: new PacedCheckpoint(inner, { clock }) };
}

Deno.test("PacedCheckpoint keeps what changes all the time every ten seconds, and the last of it", async () => {
  const { clock, inner, checkpoint } = paced();
  for (let change = 0; change < 6_000; change++) {
    checkpoint.save(setOf(`app:${change}`, {}));
    await clock.advance(10);
  }
  strictEqual(inner.saved.length, 7);
  await clock.advance(10_000);
  deepStrictEqual(inner.saved.at(-1), setOf("app:5999", {}));
  strictEqual(inner.saved.length, 7);
});

Deno.test("PacedCheckpoint keeps at once what changes after a rest", async () => {
  const { clock, inner, checkpoint } = paced();
  checkpoint.save(setOf("app:1", {}));
  await clock.advance(10_000);
  checkpoint.save(setOf("app:2", {}));
  strictEqual(inner.saved.length, 2);
});

Deno.test("PacedCheckpoint keeps at once that pods come, are to end and go", () => {
  const { inner, checkpoint } = paced();
  const sets = [
    setOf("a", {}),
    setOf("b", {}, { uid: "u2" }),
    setOf("c", {}, { uid: "u2", deleted: "2026-01-01T00:00:00Z" }),
    setOf("d", {}),
  ];
  for (const set of sets) checkpoint.save(set);
  deepStrictEqual(inner.saved, sets);
});

Deno.test("PacedCheckpoint keeps what waits before it ends, and before it is asked for", async () => {
  const { inner, checkpoint } = paced();
  const stop = new AbortController();
  const running = checkpoint.run(stop.signal);
  checkpoint.save(setOf("a", {}));
  checkpoint.save(setOf("b", {}));
  await checkpoint.load();
  strictEqual(inner.saved.length, 2);
  checkpoint.save(setOf("c", {}));
  stop.abort();
  await running;
  strictEqual(inner.ended, 3);
});
