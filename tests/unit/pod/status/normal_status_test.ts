/**
 * The one form of a status.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import type {
  ContainerState,
  PodStatus,
} from "../../../../mod/api/types/mod.ts";
import { normalizeStatus } from "../../../../mod/pod/status/normal_status.ts";
import { container, pod, podOfThree } from "../../../support/pods.ts";
import { runs } from "../../../support/explain/rows.ts";

const FINE = "2026-01-02T03:04:05.678901234Z";
const WHOLE = "2026-01-02T03:04:05Z";

const subject = podOfThree({
  initContainers: [container("i2"), container("i1")],
});

function ended(at: string): ContainerState {
  return { terminated: { exitCode: 1, startedAt: at, finishedAt: at } };
}

Deno.test("normalizeStatus() cuts every time to whole seconds and orders every list", () => {
  const given: PodStatus = {
    startTime: FINE,
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: FINE }],
    containerStatuses: [
      runs("b", { state: ended(FINE), lastState: ended(FINE) }),
      runs("a", { state: { running: { startedAt: FINE } } }),
    ],
    ephemeralContainerStatuses: [
      runs("d", { state: ended(FINE) }),
      runs("c", { state: ended(FINE) }),
    ],
    initContainerStatuses: [
      runs("gone", { state: ended(FINE) }),
      runs("i1", { state: ended(FINE) }),
      runs("i2", { state: ended(FINE) }),
    ],
  };
  deepStrictEqual(normalizeStatus(subject, given), {
    startTime: WHOLE,
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: WHOLE }],
    containerStatuses: [
      runs("a", { state: { running: { startedAt: WHOLE } } }),
      runs("b", { state: ended(WHOLE), lastState: ended(WHOLE) }),
    ],
    ephemeralContainerStatuses: [
      runs("c", { state: ended(WHOLE) }),
      runs("d", { state: ended(WHOLE) }),
    ],
    initContainerStatuses: [
      runs("i2", { state: ended(WHOLE) }),
      runs("i1", { state: ended(WHOLE) }),
      runs("gone", { state: ended(WHOLE) }),
    ],
  });
});

Deno.test("normalizeStatus() adds nothing, and leaves out what is no time", () => {
  deepStrictEqual(normalizeStatus(subject, {}), {});
  const waiting = { waiting: { reason: "ErrImagePull" } };
  const { state: _state, ...bare } = runs("a");
  const given: PodStatus = {
    startTime: "yesterday",
    conditions: [{ type: "Ready", status: "True" }],
    containerStatuses: [bare, runs("b", { state: waiting })],
  };
  const { startTime: _time, ...wanted } = given;
  deepStrictEqual(normalizeStatus(subject, given), wanted);
});

Deno.test("normalizeStatus() shares the room for last words among all containers of the pod", () => {
  const crowded = pod({
    containers: [container("a")],
    initContainers: [container("i1"), container("i2")],
    ephemeralContainers: [container("e")],
  });
  const says = (message: string): ContainerState => ({
    terminated: { exitCode: 1, message },
  });
  const messages = [
    ["short", "short"],
    ["x".repeat(12_288), "x".repeat(3_072)],
    ["ä".repeat(5_000), "ä".repeat(1_536)],
    // A character that does not fit whole is left out.
    [`x${"ä".repeat(5_000)}`, `x${"ä".repeat(1_535)}`],
  ] as const;
  for (const [message, expected] of messages) {
    const given = { state: says(message), lastState: says(message) };
    const [shown] = normalizeStatus(crowded, {
      containerStatuses: [runs("a", given)],
    }).containerStatuses ?? [];
    deepStrictEqual(shown?.state, says(expected));
    deepStrictEqual(shown?.lastState, says(expected));
  }
});
