/**
 * What the explanation of one pod says of its manifest and its source.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ANNOTATION_CONFIG_SOURCE } from "../../../mod/api/vocabulary/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { NOW_MS } from "../../support/observed_pods.ts";
import { containerStatus, pod } from "../../support/pods.ts";
import { explain } from "../../support/views/explain.ts";
import { recorderOn, viewedSource } from "../../support/views/viewed_core.ts";

const READY = pod({
  status: {
    phase: "Running",
    conditions: [{ type: "Ready", status: "True" }],
    containerStatuses: [containerStatus("c", { state: { running: {} } })],
  },
});
const RUNS = 'It runs: container "c" is ready';
const OTHER = pod({ uid: "u-2" });
const FAULT = { field: "spec", message: "Required value" };
const FILE = "/m/web.yaml";

/** When a manifest was found broken, by what is known. */
const SINCE: readonly {
  readonly what: string;
  readonly eventSecondsAgo?: number;
  readonly conditionSecondsAgo?: number;
  readonly since: string;
}[] = [
  { what: "nothing", since: "is not valid" },
  {
    what: "the event alone",
    eventSecondsAgo: 30,
    since: "has not been valid since 03:03:35 (30 s)",
  },
  {
    what: "the source alone",
    conditionSecondsAgo: 20,
    since: "has not been valid since 03:03:45 (20 s)",
  },
  {
    what: "both, the event of an earlier time",
    eventSecondsAgo: 30,
    conditionSecondsAgo: 20,
    since: "has not been valid since 03:03:45 (20 s)",
  },
  {
    what: "both, the source that had another broken one",
    eventSecondsAgo: 20,
    conditionSecondsAgo: 30,
    since: "has not been valid since 03:03:45 (20 s)",
  },
];
for (const row of SINCE) {
  Deno.test(`reportPod() says since when a manifest is broken by ${row.what}`, async () => {
    const { eventSecondsAgo, conditionSecondsAgo } = row;
    const clock = new FakeClock(NOW_MS - (eventSecondsAgo ?? 1) * 1_000);
    const events = recorderOn(clock);
    const record = (uid: string, file: string) =>
      events.record({ name: "web", namespace: "shop", uid }, {
        type: "Warning",
        reason: "InvalidManifest",
        message: file,
        facts: { kind: "broken_manifest", file },
      });
    if (eventSecondsAgo !== undefined) {
      record("u-1", FILE);
      await clock.advance((eventSecondsAgo - 1) * 1_000);
    }
    record("u-1", "/m/other.yaml");
    record("u-2", FILE);
    await clock.advance(1_000);
    const shown = { reason: "r", message: "m", sinceMs: NOW_MS - 1_000 };
    const good = { ...shown, type: "Reachable", status: "False" } as const;
    const valid = { ...shown, type: "ManifestsValid" } as const;
    const broken = viewedSource({
      report: () => [
        { kind: "refused", file: FILE, faults: [], named: [] },
        { kind: "last_good", file: "/m/x.yaml", faults: [], pods: [OTHER] },
        {
          kind: "last_good",
          file: FILE,
          faults: [FAULT, FAULT],
          pods: [OTHER, READY],
        },
      ],
      conditions: () => [
        good,
        conditionSecondsAgo === undefined ? { ...valid, status: "True" } : {
          ...valid,
          status: "False",
          sinceMs: NOW_MS - conditionSecondsAgo * 1_000,
        },
      ],
    });
    const sources = new Map([
      ["http" as const, viewedSource()],
      ["file" as const, broken],
    ]);
    deepStrictEqual(await explain(READY, { sources, events }), [
      RUNS,
      `The manifest ${FILE} ${row.since}: spec: Required value; spec: Required value; its last good version goes on running`,
    ]);
  });
}

for (
  const [source, silent, expected] of [
    ["file", "file", "/m"],
    ["http", "http", "http://x/"],
    ["api", "api", "api"],
    ["file", "http", undefined],
    ["elsewhere", "file", undefined],
  ] as const
) {
  Deno.test(`reportPod() says of a pod of ${source} whether its source is silent when ${silent} is`, async () => {
    const annotations = { [ANNOTATION_CONFIG_SOURCE]: source };
    const subject = { ...READY, metadata: { ...READY.metadata, annotations } };
    const sources = new Map([
      ["file" as const, viewedSource()],
      ["http" as const, viewedSource({ location: "http://x/" })],
    ]);
    const isReady = (each: string) => each !== silent;
    const texts = await explain(subject, {
      sources,
      sourcesReady: { isReady },
    });
    strictEqual(
      texts[1],
      expected &&
        `The source ${expected} has not answered since the agent started: the pod is as that source last wanted it`,
    );
  });
}
