/**
 * The order in which pods are stopped when the machine goes down, and who waits for whom.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { shutDownNode } from "../../../mod/agent/node_shutdown.ts";
import { ANNOTATION_CONFIG_SOURCE } from "../../../mod/api/vocabulary/mod.ts";
import type { WorkerView } from "../../../mod/agent/workers/mod.ts";
import type { PodState } from "../../../mod/pod/lifecycle/mod.ts";
import { workerView } from "../../support/agent/worker_view.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { fieldsTo } from "../../support/log_lines.ts";
import { podOf } from "../../support/pods.ts";

const ENDING: PodState = {
  kind: "terminating",
  cause: "removed",
  graceSeconds: 30,
};
const ENDED: PodState = { kind: "terminated", cause: "removed", atMs: 0 };
const GROUPS = [
  { priority: 0, graceSeconds: 20 },
  { priority: 5, graceSeconds: 10 },
];

/** Stops pods that end when the test says so; times are in seconds since the start. */
function shutDown(...views: readonly WorkerView[]) {
  return shutDownTelling(() => Promise.resolve(), views);
}

function shutDownTelling(
  goingDown: (did: readonly string[]) => Promise<void>,
  views: readonly WorkerView[],
) {
  const clock = new FakeClock();
  const did: string[] = [];
  const lines: Record<string, unknown>[] = [];
  const stops = new Map<string, () => void>();
  const cut = new AbortController();
  const note = (what: string): void => {
    did.push(`${clock.monotonic() / 1000} ${what}`);
  };
  const done = shutDownNode(GROUPS, {
    deps: {
      clock,
      log: fieldsTo(lines, { clock }),
      workers: {
        list: () => views,
        interrupt: (uid) => note(`interrupt ${uid}`),
        evict: (uid, { reason }, { graceSeconds }) => {
          note(`end ${uid} ${reason} ${graceSeconds}`);
          return views.some((each) =>
            each.uid === uid && each.state.kind === "syncing"
          );
        },
      },
      goingDown: () => goingDown(did),
      parked: {
        begin: (known) => note(`begin ${[...known]}`),
        park: (uid, { graceSeconds }) => {
          note(`park ${uid} ${graceSeconds}`);
          const { promise, resolve } = Promise.withResolvers<void>();
          stops.set(uid, resolve);
          return promise;
        },
      },
    },
    signal: cut.signal,
  }).then(() => note("over"), (error) => note(error.message));
  const said = () =>
    lines.map(({ level, message, pods, graceSeconds }) =>
      [level, message, pods, graceSeconds].filter((each) => each !== undefined)
        .join(" ")
    );
  return {
    clock,
    did,
    said,
    cut,
    done,
    stop: (uid: string) => stops.get(uid)?.(),
  };
}

function runs(uid: string, priority = 0): WorkerView {
  return workerView(podOf(uid, { priority }));
}

Deno.test("shutDownNode() stops the lowest priority first, and goes on when all of it has ended", async () => {
  const { clock, did, said, stop, done } = shutDown(
    runs("high", 5),
    runs("a"),
    runs("b"),
  );
  await clock.advance(1_000);
  stop("a");
  await clock.advance(1_000);
  stop("b");
  await clock.advance(1_000);
  stop("high");
  await done;
  deepStrictEqual(did, [
    "0 begin high,a,b",
    ...["0 park a 20", "0 interrupt a", "0 park b 20", "0 interrupt b"],
    ...["2 park high 10", "2 interrupt high"],
    "3 over",
  ]);
  deepStrictEqual(said(), [
    "info shutdown_group 2 20",
    "info shutdown_group 1 10",
  ]);
});

Deno.test("shutDownNode() waits for a group as long as it has, and two seconds more for all", async () => {
  const { clock, did, said, done } = shutDown(runs("a"), runs("high", 5));
  await clock.advance(31_999);
  deepStrictEqual(did.slice(3), ["20 park high 10", "20 interrupt high"]);
  await clock.advance(1);
  await done;
  deepStrictEqual(did.at(-1), "32 over");
  deepStrictEqual(said(), [
    "info shutdown_group 1 20",
    "warn shutdown_group_late 20",
    "info shutdown_group 1 10",
    "warn shutdown_group_late 10",
  ]);
});

Deno.test("shutDownNode() ends for good what a cluster has run once, and no other pod", async () => {
  const annotations = { [ANNOTATION_CONFIG_SOURCE]: "api" };
  const once = { restartPolicy: "Never", terminationGracePeriodSeconds: 7 };
  const { did, stop, done, clock } = shutDown(
    workerView(podOf("job", { annotations, ...once })),
    workerView(podOf("web", { annotations })),
    workerView(podOf("own", once)),
    workerView(podOf("gone", { annotations, ...once }), { state: ENDING }),
  );
  for (const uid of ["job", "web", "own", "gone"]) stop(uid);
  await done;
  await clock.advance(0);
  deepStrictEqual(did.slice(1, -1), [
    ...["0 park job 7", "0 end job Terminated 7"],
    ...["0 park web 20", "0 interrupt web"],
    ...["0 park own 7", "0 interrupt own"],
    ...["0 park gone 7", "0 end gone Terminated 7"],
  ]);
});

Deno.test("shutDownNode() is over when the last one ends in the time that is left", async () => {
  const { clock, did, stop, done } = shutDown(runs("a"));
  await clock.advance(21_000);
  stop("a");
  await done;
  strictEqual(did.at(-1), "21 over");
});

Deno.test("shutDownNode() leaves pods to their end that end already, and has none begin anew that has ended", async () => {
  const { clock, did, stop, done } = shutDown(
    workerView(podOf("ends"), { state: ENDING }),
    workerView(podOf("later"), { state: ENDING, stop: { kind: "deferred" } }),
    workerView(podOf("orphan"), { state: ENDING, isOrphan: true }),
    workerView(podOf("ended"), { state: ENDED }),
    workerView(podOf("short", { terminationGracePeriodSeconds: 5 })),
  );
  await clock.advance(0);
  deepStrictEqual(did, [
    "0 begin ends,later,orphan,short",
    "0 park ends 20",
    ...["0 park later 20", "0 interrupt later"],
    "0 park orphan 20",
    ...["0 park short 5", "0 interrupt short"],
  ]);
  for (const uid of ["ends", "later", "orphan", "short"]) stop(uid);
  await done;
});

Deno.test("shutDownNode() of nothing is over at once", async () => {
  const { did, said, done } = shutDown();
  await done;
  deepStrictEqual(did, ["0 begin ", "0 over"]);
  deepStrictEqual(said(), []);
});

Deno.test("shutDownNode() goes on with no other group when it is cut short", async () => {
  const { clock, did, cut, done, said } = shutDown(runs("a"), runs("high", 5));
  await clock.advance(1_000);
  cut.abort(new Error("the agent ends"));
  await done;
  deepStrictEqual(did.slice(3), ["1 the agent ends"]);
  deepStrictEqual(said(), ["info shutdown_group 1 20"]);
});

Deno.test("shutDownNode() tells of it before the first pod is stopped, and ends no sooner than that is done", async () => {
  const told = Promise.withResolvers<void>();
  let stopped: number | undefined;
  const { clock, did, stop, done } = shutDownTelling((before) => {
    stopped = before.filter((each) => each.includes("park")).length;
    return told.promise;
  }, [runs("a")]);
  strictEqual(stopped, 0);
  stop("a");
  await clock.advance(1_000);
  strictEqual(did.at(-1), "0 interrupt a");
  told.resolve();
  await done;
  strictEqual(did.at(-1), "1 over");
});
