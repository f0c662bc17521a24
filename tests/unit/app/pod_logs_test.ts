/**
 * Which logs are kept small.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { isKnownPod, runningLogs } from "../../../mod/app/pod_logs.ts";
import type { ObservedContainer } from "../../../mod/pod/observed/mod.ts";
import { ended, observed, seen } from "../../support/observed_pods.ts";

const POD = { uid: "u1", name: "web", namespace: "shop" };

function logsOf(
  containers: readonly ObservedContainer[],
  names: Partial<typeof POD> = {},
) {
  const pod = { ...observed(containers), ...POD, ...names };
  return [
    ...runningLogs(
      ["unseen", pod.uid],
      (uid) => uid === pod.uid ? pod : undefined,
    ),
  ];
}

Deno.test("runningLogs() has the log of each container that runs", () => {
  deepStrictEqual(
    logsOf([
      ended("a", 1, { logPath: "a/0.log" }),
      seen("b", { state: "created", logPath: "b/0.log" }),
      seen("c", { id: "c7", logPath: "c/7.log" }),
    ]),
    [{
      pod: POD,
      container: "c",
      containerId: "c7",
      podDirectory: "shop_web_u1",
      directory: "c",
      file: "7.log",
    }],
  );
});

for (
  const logPath of [
    "",
    "0.log",
    "/0.log",
    "c/",
    "c/d/0.log",
    "c/0.log/",
    "../0.log",
    "c/..",
    "./0.log",
  ]
) {
  Deno.test(`runningLogs() leaves a log alone that is at "${logPath}"`, () => {
    deepStrictEqual(logsOf([seen("c", { logPath })]), []);
  });
}

Deno.test("runningLogs() leaves the logs of a pod alone whose names lead elsewhere", () => {
  const containers = [seen("c", { logPath: "c/0.log" })];
  deepStrictEqual(logsOf(containers, { name: "../x" }), []);
});

for (
  const [what, isOwn, listing, expected] of [
    ["the agent's own, and listed", true, ["u1"], true],
    ["the agent's own, and not listed", true, [], true],
    ["the agent's own, before there is a list", true, undefined, true],
    ["another's, and listed", false, ["u1"], true],
    ["another's, and not listed", false, ["u2"], false],
    ["another's, before there is a list", false, undefined, undefined],
  ] as const
) {
  Deno.test(`isKnownPod() says ${expected} of a pod that is ${what}`, () => {
    const pods = new Set<string>(listing);
    strictEqual(
      isKnownPod("u1", {
        owned: { has: () => isOwn },
        picture: { listing: listing && { pods } },
      }),
      expected,
    );
  });
}
