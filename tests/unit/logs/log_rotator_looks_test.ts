/**
 * When logs are looked at, and what is done at a look besides rotating.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
  coded,
  DIRECTORY,
  LOG,
  MemoryLogs,
} from "../../support/logs/memory_logs.ts";
import { LogsRig } from "../../support/logs/logs_rig.ts";

const OTHER = { ...LOG, containerId: "id-other", file: "1.log" };

/** The text of a log of so many bytes. */
function lines(bytes: number): string[] {
  return Array(bytes / 10).fill("line");
}

/** Notes at which second each log is looked at. */
function looksOf(rig: LogsRig): string[] {
  const looks: string[] = [];
  rig.logs.isIdle = true;
  rig.logs.whenLooked = () => {
    const what = rig.logs.steps.at(-1)?.replace("look ", "");
    looks.push(`${what} ${rig.clock.monotonic() / 1_000}`);
  };
  return looks;
}

Deno.test("LogRotator looks at an empty log once an interval", async () => {
  await using rig = new LogsRig();
  const looks = looksOf(rig);
  await rig.interval(3);
  deepStrictEqual(looks, ["0.log 10", "0.log 20", "0.log 30"]);
});

Deno.test("LogRotator looks at a log with lines soon again, and then at its pace", async () => {
  await using rig = new LogsRig();
  const looks = looksOf(rig);
  rig.logs.write(1);
  await rig.clock.advance(10_500);
  rig.logs.write(3);
  await rig.clock.advance(25_000);
  // 30 bytes in a second, and 60 are left; then it stands still.
  deepStrictEqual(
    looks,
    ["0.log 10", "0.log 11", "0.log 13", "0.log 23"].concat(
      "0.log 33",
    ),
  );
});

Deno.test("LogRotator counts from nothing after a rotation", async () => {
  await using rig = new LogsRig();
  const looks = looksOf(rig);
  await rig.interval();
  rig.logs.write(20);
  await rig.clock.advance(10_500);
  rig.logs.write(5);
  await rig.clock.advance(14_000);
  // 200 bytes in 10 s, then 50 in 5 s, and 50 are left.
  deepStrictEqual(looks, ["0.log 10", "0.log 20", "0.log 25", "0.log 30"]);
});

for (
  const [what, pauseMs, lookedAt] of [
    ["half a second later", 5_500, 16],
    ["later than that", 5_510, 17],
  ] as const
) {
  Deno.test(`LogRotator looks at a log that is due ${what} at ${lookedAt} s`, async () => {
    await using rig = new LogsRig({ maxSizeBytes: 10_000 });
    rig.running = [LOG, OTHER];
    const looks = looksOf(rig);
    const room = 10_000 - pauseMs;
    rig.logs.put("0.log", lines(4_000));
    rig.logs.put("1.log", lines(room - 1_000));
    await rig.clock.advance(10_500);
    // Each grows by 1000 bytes in a second; the first one is full 5 s later.
    rig.logs.put("0.log", lines(5_000));
    rig.logs.put("1.log", lines(room));
    await rig.clock.advance(6_700);
    deepStrictEqual(looks.slice(4), ["0.log 16", `1.log ${lookedAt}`]);
  });
}

Deno.test("LogRotator looks at as many logs at once as it may", async () => {
  let [now, most] = [0, 0];
  const logs = new MemoryLogs();
  const gate = Promise.withResolvers<void>();
  Object.assign(logs, {
    look: async () => {
      most = Math.max(most, ++now);
      await gate.promise;
      now--;
      return { kind: "file", bytes: 0, inode: 1, names: 1 };
    },
  });
  await using rig = new LogsRig({ logs, maxWorkers: 2 });
  rig.running = ["a", "b", "c", "d", "e"].map((containerId) => ({
    ...LOG,
    containerId,
  }));
  await rig.interval();
  strictEqual(now, 2);
  gate.resolve();
  await rig.clock.advance(0);
  strictEqual(most, 2);
});

Deno.test("LogRotator takes a failure between two successes for the first one", async () => {
  await using rig = new LogsRig();
  const looks = looksOf(rig);
  const fails = async (isFailing: boolean) => {
    if (isFailing) rig.logs.faults.set("look", coded("EIO"));
    else rig.logs.faults.clear();
    await rig.interval();
  };
  for (let round = 0; round < 3; round++) {
    await fails(true);
    await fails(false);
  }
  strictEqual(rig.metric("skerry_log_rotation_failures_total"), 3);
  deepStrictEqual(rig.events, []);
  deepStrictEqual(rig.warnings, []);
  // The failed ones are not seen here: they are tried again after one interval.
  deepStrictEqual(looks, ["0.log 20", "0.log 40", "0.log 60"]);
});

Deno.test("LogRotator says of which container a log cannot be rotated", async () => {
  await using rig = new LogsRig();
  rig.logs.faults.set("look", coded("EIO"));
  await rig.interval(2);
  deepStrictEqual(rig.warnings, ["log_not_rotated"]);
  await rig.interval(2);
  deepStrictEqual(rig.messages("debug"), Array(2).fill("log_not_rotated"));
  deepStrictEqual(rig.events, [{
    type: "Warning",
    reason: "LogRotationFailed",
    message: "Cannot rotate the log of container c: EIO",
  }]);
  const { namespace, name, uid, container, error } = JSON.parse(
    rig.log[1] ?? "",
  );
  deepStrictEqual([namespace, name, uid, container, error], [
    "shop",
    "web",
    "u",
    "c",
    "EIO",
  ]);
});

Deno.test("LogRotator takes it for no failure that it is ended in the middle", async () => {
  const logs = new MemoryLogs();
  logs.isIdle = true;
  Object.assign(logs, {
    reopenContainerLog: (
      _id: string,
      { signal }: { readonly signal: AbortSignal },
    ) => {
      const { promise, reject } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => reject(signal.reason));
      return promise;
    },
  });
  const rig = new LogsRig({ logs });
  logs.write(10);
  await rig.interval();
  deepStrictEqual(logs.names, ["0.log.20260101-000010"]);
  await rig[Symbol.asyncDispose]();
  deepStrictEqual(logs.names, ["0.log"]);
  strictEqual(rig.metric("skerry_log_rotation_failures_total"), 0);
});

Deno.test("LogRotator asks for a missing log once its directory is there", async () => {
  await using rig = new LogsRig();
  rig.logs.isIdle = true;
  rig.logs.take(LOG.file);
  await rig.interval();
  const steps = ["look 0.log", "makeDirectory", "reopen", "look 0.log"];
  deepStrictEqual(rig.logs.steps, steps);
  // It is empty, and looked at after an interval.
  await rig.clock.advance(9_999);
  deepStrictEqual(rig.logs.steps, steps);
});

for (
  const [what, prepare] of [
    ["full", (logs: MemoryLogs) => logs.write(10)],
    ["small", (logs: MemoryLogs) => logs.write(1)],
    ["missing", (logs: MemoryLogs) => logs.take("0.log")],
  ] as const
) {
  Deno.test(`LogRotator changes nothing behind a link where a log is ${what}`, async () => {
    await using rig = new LogsRig();
    rig.logs.isIdle = true;
    rig.logs.fault = "it is a link";
    rig.logs.put("0.log.20260102-030405", ["a"]);
    rig.logs.put("0.log.20260102-030405.gz", ["torn"]);
    rig.logs.put("0.log.20260102-030406", ["b"]);
    prepare(rig.logs);
    const { names } = rig.logs;
    await rig.interval(2);
    deepStrictEqual(rig.logs.steps, ["look 0.log", "look 0.log"]);
    deepStrictEqual(rig.logs.names, names);
    match(rig.events[0]?.message ?? "", /it is a link/);
  });
}

Deno.test("LogRotator removes what a compression has left that did not end", async () => {
  await using rig = new LogsRig();
  rig.logs.isIdle = true;
  for (const end of ["", ".gz", ".tmp"]) {
    rig.logs.put(`0.log.20260102-030405${end}`, ["a"]);
  }
  await rig.interval();
  deepStrictEqual(rig.logs.names, ["0.log", "0.log.20260102-030405"]);
});

Deno.test("LogRotator looks no more often for a container that has ended", async () => {
  await using rig = new LogsRig();
  rig.logs.write(1);
  await rig.interval();
  let asked = 0;
  Object.defineProperty(rig, "running", {
    get: () => {
      asked++;
      return [];
    },
  });
  // The last look wanted one a second later.
  await rig.clock.advance(51_000);
  strictEqual(asked, 6);
});

Deno.test("LogRotator ends the compression of a log before it lists its files", async () => {
  const logs = new MemoryLogs();
  const steps: string[] = [];
  Object.assign(logs, {
    compress: (_from: string, to: string, signal: AbortSignal) => {
      const { promise, reject } = Promise.withResolvers<void>();
      logs.put(to.slice(DIRECTORY.length + 1), []);
      signal.addEventListener("abort", () => {
        steps.push(...logs.steps.splice(0));
        reject(signal.reason);
      });
      return promise;
    },
  });
  await using rig = new LogsRig({ logs, maxFiles: 100 });
  logs.isIdle = true;
  for (let round = 0; round < 2; round++) {
    logs.write(10);
    await rig.interval(2);
  }
  deepStrictEqual(logs.names.filter((name) => name.endsWith(".tmp")), [
    "0.log.20260101-000010.tmp",
  ]);
  logs.steps.length = 0;
  logs.write(10);
  await rig.interval();
  deepStrictEqual(steps, ["look 0.log"]);
  deepStrictEqual(logs.steps.slice(0, 3), [
    "remove 0.log.20260101-000010.tmp",
    "list",
    "rename 0.log",
  ]);
});

Deno.test("LogRotator looks at a log once where it has one name", async () => {
  await using rig = new LogsRig();
  rig.logs.isIdle = true;
  rig.logs.put("0.log.20260102-030405.gz", ["a"]);
  rig.logs.put("0.log.20260102-030406", ["b"]);
  await rig.interval();
  deepStrictEqual(rig.logs.steps, ["look 0.log", "list"]);
});

Deno.test("LogRotator keeps a rotated log where the log has a second name elsewhere", async () => {
  await using rig = new LogsRig();
  rig.logs.isIdle = true;
  rig.logs.put("0.log.20260102-030405", ["a"]);
  await rig.logs.link(`${DIRECTORY}/0.log`, `${DIRECTORY}/backup`);
  await rig.interval(2);
  deepStrictEqual(rig.logs.names, ["0.log", "0.log.20260102-030405", "backup"]);
});

Deno.test("LogRotator removes the second name of a log that got its name back, and compresses what is older", async () => {
  await using rig = new LogsRig();
  rig.logs.isIdle = true;
  const [oldest, older, newest] = [5, 6, 7].map((second) =>
    `0.log.20260102-03040${second}`
  );
  for (const name of [oldest, older]) rig.logs.put(`${name}`, ["a"]);
  await rig.logs.link(`${DIRECTORY}/0.log`, `${DIRECTORY}/${newest}`);
  await rig.interval(2);
  deepStrictEqual(rig.logs.names, ["0.log", `${oldest}.gz`, older]);
});

Deno.test("LogRotator compresses what it rotates no more often than it looks", async () => {
  await using rig = new LogsRig();
  const looks = looksOf(rig);
  const compressed = () =>
    rig.logs.steps.filter((step) => step.startsWith("compressed")).length;
  rig.logs.write(10);
  await rig.clock.advance(11_500);
  rig.logs.write(10);
  await rig.clock.advance(9_000);
  // The second one, after 11 s.
  strictEqual(compressed(), 0);
  await rig.clock.advance(500);
  strictEqual(compressed(), 1);
  rig.logs.write(10);
  await rig.interval();
  // The third one, after 10 s.
  strictEqual(compressed(), 2);
  deepStrictEqual(looks, ["0.log 10", "0.log 11", "0.log 21", "0.log 31"]);
  strictEqual(rig.metric("skerry_log_rotations_total"), 3);
  ok(!rig.logs.names.some((name) => name.endsWith(".tmp")));
});
Deno.test("LogRotator has a missing log begun though other containers run as well", async () => {
  await using rig = new LogsRig();
  rig.logs.take(LOG.file);
  rig.logs.put("1.log", []);
  rig.running = [LOG, { ...LOG, containerId: "id-other", file: "1.log" }];
  await rig.interval();
  ok(rig.logs.names.includes("0.log"));
});

Deno.test("LogRotator compresses what an earlier agent left plain, but for the newest", async () => {
  await using rig = new LogsRig();
  rig.logs.isIdle = true;
  rig.logs.put("0.log.20260102-030405", ["a"]);
  rig.logs.put("0.log.20260102-030406", ["b"]);
  await rig.interval();
  deepStrictEqual(rig.logs.names, [
    "0.log",
    "0.log.20260102-030405.gz",
    "0.log.20260102-030406",
  ]);
});
