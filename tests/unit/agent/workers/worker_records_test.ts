/**
 * Finding the records of workers.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { orphaned } from "../../../../mod/agent/workers/worker_record.ts";
import { WorkerRecords } from "../../../../mod/agent/workers/worker_records.ts";

function record(uid: string, fullName: string) {
  return {
    uid,
    fullName,
    state: orphaned(0),
    last: { kind: "settled" },
    step: undefined,
    ownsName: true,
  } as const;
}

Deno.test("WorkerRecords.ofName() gives those of a name in their order, and visits no other of a thousand", () => {
  const records = new WorkerRecords();
  let visits = 0;
  for (let number = 0; number < 1_000; number++) {
    const counted = new Proxy(record(`u-${number}`, `pod-${number}`), {
      get: (target, key) => {
        visits++;
        return Reflect.get(target, key);
      },
    });
    records.add(counted);
  }
  const [first, second] = [record("a", "web"), record("b", "web")];
  records.add(first);
  records.add(second);
  visits = 0;
  deepStrictEqual([...records.ofName("web")], [first, second]);
  records.delete(first);
  deepStrictEqual([...records.ofName("web")], [second]);
  records.delete(second);
  deepStrictEqual([...records.ofName("web")], []);
  strictEqual(records.get("b"), undefined);
  strictEqual(visits, 0);
  strictEqual([...records.all()].length, 1_000);
});
