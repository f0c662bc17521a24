/**
 * The sources of manifests as clients see them.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { ANNOTATION_CONFIG_SOURCE } from "../../../mod/api/vocabulary/mod.ts";
import { viewSources } from "../../../mod/views/view_sources.ts";
import { NOW_MS } from "../../support/observed_pods.ts";
import { podOf } from "../../support/pods.ts";
import { viewedCore, viewedSource } from "../../support/views/viewed_core.ts";
import { manifestDeployment } from "../../support/api/workload_drafts.ts";

Deno.test("viewSources() shows what each source wants, what is wrong with it and what runs on", () => {
  const of = (source: string) => ({
    annotations: { [ANNOTATION_CONFIG_SOURCE]: source },
  });
  const a = podOf("a", of("file"));
  const b = podOf("b", of("file"));
  const condition = {
    type: "ManifestsValid",
    status: "False",
    reason: "Broken",
    message: "one is broken",
  } as const;
  const core = viewedCore({
    storage: { pods: () => [a, podOf("c", of("http")), b, podOf("d")] },
    sourcesReady: { isReady: (name) => name !== "http" },
    sources: new Map([
      [
        "file",
        viewedSource({
          conditions: () => [{ ...condition, sinceMs: NOW_MS }],
          report: () => [
            { kind: "refused", file: "/m/x.yaml", faults: [], named: [] },
            {
              kind: "last_good",
              file: "/m/ab.yaml",
              faults: [],
              pods: [a, b],
            },
            {
              kind: "last_good",
              file: "/m/w.yaml",
              faults: [],
              pods: [],
              workloads: [manifestDeployment({ namespace: "shop" })],
            },
          ],
        }),
      ],
      ["http", viewedSource({ location: "http://x/" })],
    ]),
  });
  deepStrictEqual(viewSources(core), [{
    name: "file",
    location: "/m",
    ready: true,
    pods: 2,
    conditions: [{ ...condition, lastTransitionTime: "2026-01-02T03:04:05Z" }],
    lastGood: [
      { manifest: "/m/ab.yaml", pods: ["shop/a", "shop/b"] },
      {
        manifest: "/m/w.yaml",
        pods: [],
        workloads: ["Deployment shop/web"],
      },
    ],
  }, {
    name: "http",
    location: "http://x/",
    ready: false,
    pods: 1,
    conditions: [],
    lastGood: [],
  }]);
});

const KEPT = { lasting: ["pods"], untilReboot: ["Secrets"] };

for (
  const [name, server, expected] of [
    ["nothing is known of", {}, { reachable: false }],
    [
      "answers",
      { answeredMs: NOW_MS },
      { reachable: true, lastAnswerTime: "2026-01-02T03:04:05Z" },
    ],
    [
      "is silent",
      {
        answeredMs: NOW_MS,
        silence: { sinceMs: NOW_MS + 1_000, message: "refused" },
      },
      {
        reachable: false,
        silentSince: "2026-01-02T03:04:06Z",
        lastAnswerTime: "2026-01-02T03:04:05Z",
        error: "refused",
      },
    ],
    [
      "never answered",
      { silence: { sinceMs: NOW_MS, message: "refused" } },
      {
        reachable: false,
        silentSince: "2026-01-02T03:04:05Z",
        error: "refused",
      },
    ],
  ] as const
) {
  Deno.test(`viewSources() shows an API server that ${name}`, () => {
    const source = viewedSource({ server: { ...server, kept: KEPT } });
    const [shown] = viewSources(
      viewedCore({ sources: new Map([["api", source]]) }),
    );
    deepStrictEqual(shown?.server, { ...expected, kept: KEPT });
  });
}
