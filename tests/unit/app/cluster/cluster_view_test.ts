/**
 * The cluster as somebody at the node is shown it.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  ClusterView,
  type ClusterViewDeps,
  keptContent,
} from "../../../../mod/app/cluster/mod.ts";
import { momentOf } from "../../../../mod/base/mod.ts";
import type { ApiReachState } from "../../../../mod/kube/transport/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

/** A view whose agent began at 1 s and that is looked at at 61 s of the wall clock. */
async function viewOf(
  state: (at: (ms: number) => ReturnType<typeof momentOf>) => Partial<
    ApiReachState
  >,
  rest: Partial<ClusterViewDeps> = {},
): Promise<{ readonly view: ClusterView; readonly clock: FakeClock }> {
  const clock = new FakeClock(1_000);
  const start = momentOf(clock);
  const at = (ms: number) => ({ wallMs: 1_000 + ms, monotonicMs: ms });
  const view = new ClusterView({
    kubeconfig: "/etc/kubeconfig",
    keepSecrets: "memory",
  }, {
    clock,
    reach: {
      state: {
        refused: [],
        answersSince: start,
        allowsSince: start,
        ...state(at),
      },
    },
    credentials: { server: "https://a:6443", awaitsCertificate: false },
    node: { isContended: false },
    checkpointFailure: () => undefined,
    ...rest,
  });
  await clock.advance(60_000);
  return { view, clock };
}

const shown = (view: ClusterView) =>
  view.conditions().map(({ type, status, reason, message, sinceMs }) =>
    `${type}=${status} ${reason} ${sinceMs}${message && `: ${message}`}`
  );

Deno.test("ClusterView says nothing before the server has answered, or has not", async () => {
  const { view } = await viewOf(() => ({}), {
    credentials: { server: undefined, awaitsCertificate: false },
  });
  deepStrictEqual(view.conditions(), []);
  strictEqual(view.location, "/etc/kubeconfig");
  deepStrictEqual(view.report(), []);
  deepStrictEqual(view.server.silence, undefined);
  deepStrictEqual(view.server.answeredMs, undefined);
});

Deno.test("ClusterView says that a certificate is waited for", async () => {
  const { view } = await viewOf(() => ({}), {
    credentials: { server: undefined, awaitsCertificate: true },
  });
  deepStrictEqual(shown(view), [
    "Reachable=False NoCertificate 1000: the node waits until somebody approves its certificate",
  ]);
});

Deno.test("ClusterView says that all is well, and since when", async () => {
  const { view } = await viewOf((at) => ({
    answered: at(50_000),
    answersSince: at(20_000),
    allowsSince: at(30_000),
  }));
  deepStrictEqual(shown(view), [
    "Reachable=True Answers 21000",
    "Allowed=True Allowed 31000",
    "IsTheNode=True Alone 1000",
    "Checkpointed=True Kept 1000",
  ]);
  strictEqual(view.location, "https://a:6443");
  deepStrictEqual(view.server, {
    silence: undefined,
    answeredMs: 51_000,
    kept: {
      lasting: [
        "pods",
        "ConfigMaps",
        "RuntimeClasses",
        "node labels and taints",
      ],
      untilReboot: ["Secrets", "tokens"],
    },
  });
});

Deno.test("what is kept for a reboot is what the operator chose", () => {
  const kept = (["memory", "encrypted", "plain"] as const).map(
    (keepSecrets) => {
      const { lasting, untilReboot } = keptContent({ keepSecrets });
      return `${keepSecrets}: ${lasting.slice(-2)}; ${untilReboot}`;
    },
  );
  deepStrictEqual(kept, [
    "memory: RuntimeClasses,node labels and taints; Secrets,tokens",
    "encrypted: Secrets,tokens; ",
    "plain: Secrets,tokens; ",
  ]);
});

Deno.test("ClusterView says all that is wrong, and since when by the clock as it goes now", async () => {
  const node = { isContended: false };
  const { view, clock } = await viewOf((at) => ({
    answered: at(5_000),
    silent: { reason: "Unreachable", message: "refused", since: at(5_000) },
    refused: [
      { reason: "Forbidden", message: "no pods", since: at(2_000) },
      { reason: "InternalError", message: "no lease", since: at(1_000) },
    ],
  }), {
    node,
    checkpointFailure: () => ({ message: "the disk is full", sinceMs: 7_000 }),
  });
  view.ownershipChanged();
  node.isContended = true;
  view.ownershipChanged();
  await clock.advance(1_000);
  view.ownershipChanged();
  deepStrictEqual(shown(view), [
    "Reachable=False Unreachable 6000: refused",
    "Allowed=False Forbidden 3000: no pods; no lease",
    "IsTheNode=False NotTheNode 61000: another agent has this node's name: no pods are taken until it is silent",
    "Checkpointed=False FailedCheckpoint 7000: the disk is full",
  ]);
  deepStrictEqual(view.server.silence, { sinceMs: 6_000, message: "refused" });
  node.isContended = false;
  view.ownershipChanged();
  strictEqual(shown(view)[2], "IsTheNode=True Alone 62000");
});

Deno.test("ClusterView knows a silence before the first answer", async () => {
  const { view } = await viewOf((at) => ({
    silent: { reason: "Timeout", message: "late", since: at(0) },
  }));
  strictEqual(shown(view)[0], "Reachable=False Timeout 1000: late");
});
