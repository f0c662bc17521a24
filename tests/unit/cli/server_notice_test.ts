/**
 * What is said beside pods of their API server.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { serverNotice } from "../../../mod/cli/text/mod.ts";
import type { SourceState } from "../../../mod/server/mod.ts";

const NOW_MS = Date.parse("2026-01-02T03:16:05Z");

const KEPT = {
  lasting: ["pods", "ConfigMaps"],
  untilReboot: ["Secrets", "tokens"],
};

const WELL = {
  type: "Reachable",
  status: "True",
  reason: "Answers",
  message: "",
  lastTransitionTime: "2026-01-02T03:04:05Z",
} as const;

const api = (
  server: Partial<NonNullable<SourceState["server"]>>,
  rest: Partial<SourceState> = {},
): SourceState => ({
  name: "api",
  location: "https://a:6443",
  ready: true,
  pods: 7,
  conditions: [WELL],
  lastGood: [],
  server: { reachable: true, kept: KEPT, ...server },
  ...rest,
});

const AWAY = {
  reachable: false,
  silentSince: "2026-01-02T03:04:05Z",
  lastAnswerTime: "2026-01-02T03:04:05Z",
  error: "refused",
};

/** As an agent told it that knew of no servers. */
function older({ server: _server, ...rest }: SourceState): SourceState {
  return rest;
}

const rows: Readonly<
  Record<string, readonly [SourceState, string | undefined]>
> = {
  "one that answers": [api({}), undefined],
  "a source of manifests": [
    { ...api(AWAY), name: "http" },
    undefined,
  ],
  "an older agent, which says nothing of it": [
    older(api(AWAY)),
    undefined,
  ],
  "one that is away": [
    api(AWAY),
    "The API server https://a:6443 has not answered for 12m (since 2026-01-02T03:04:05Z): 7 pods run on from what it had; kept: pods, ConfigMaps; until a reboot: Secrets, tokens",
  ],
  "one that is away, of which all is kept": [
    api({ ...AWAY, kept: { lasting: ["pods"], untilReboot: [] } }, { pods: 1 }),
    "The API server https://a:6443 has not answered for 12m (since 2026-01-02T03:04:05Z): 1 pod runs on from what it had; kept: pods",
  ],
  "one that never answered": [
    api({ reachable: false, silentSince: "2026-01-02T03:04:05Z" }, { pods: 0 }),
    "The API server https://a:6443 has not answered since the agent started 12m ago (2026-01-02T03:04:05Z): 0 pods run on from what it had; kept: pods, ConfigMaps; until a reboot: Secrets, tokens",
  ],
  "one that refuses, in words that would steer the terminal": [
    api({}, {
      conditions: [WELL, {
        ...WELL,
        type: "Allowed",
        status: "False",
        reason: "Forbidden",
        message: "no\u001b[2Jpods\nhere",
      }],
    }),
    "The API server https://a:6443: Forbidden: no [2Jpods here",
  ],
};
for (const [name, [source, expected]] of Object.entries(rows)) {
  Deno.test(`serverNotice(): ${name}`, () => {
    strictEqual(serverNotice([source], NOW_MS), expected);
  });
}
