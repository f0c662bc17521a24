/**
 * The steps of one rotation, where a container changes the way to its log between them.
 *
 * @module
 */

import { deepStrictEqual, rejects } from "node:assert/strict";
import { rotateLog } from "../../../mod/logs/rotate.ts";
import { LOG, MemoryLogs, ROOT } from "../../support/logs/memory_logs.ts";

/** A link comes into the way to the log as soon as a file of it is removed. */
class LinkedLogs extends MemoryLogs {
  override async remove(path: string): Promise<void> {
    await super.remove(path);
    this.fault = "a link is in the way";
  }
}

for (
  const [what, names] of [
    ["rotated files", [1, 2, 3].map((n) => `0.log.2026010${n}-000000`)],
    ["drafts", [1, 2, 3].map((n) => `0.log.2026010${n}-000000.tmp`)],
  ] as const
) {
  Deno.test(`rotateLog() removes no more ${what} once a link is in the way to the log`, async () => {
    const logs = new LinkedLogs();
    for (const name of names) logs.put(name, ["a"]);
    const rotating = rotateLog(
      LOG,
      { kind: "file", bytes: 10, inode: 1, names: 1 },
      {
        root: ROOT,
        files: logs,
        runtime: logs,
        compressor: { release: () => Promise.resolve() },
        maxFiles: 2,
        nowMs: 0,
        signal: new AbortController().signal,
      },
    );
    await rejects(rotating, /^Error: a link is in the way$/);
    deepStrictEqual(logs.steps, ["list", `remove ${names[0]}`]);
  });
}
