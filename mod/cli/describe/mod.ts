/**
 * A pod or another object at length, as `describe` prints it: laid out as kubectl does, with the last
 * results of probes, the explanation and the last decision beside it. Values of Secrets are
 * never in it. Pure.
 *
 * @example A pod that waits
 * ```ts
 * import { match } from "node:assert/strict";
 * import { describeReport } from "./mod.ts";
 *
 * const text = describeReport({
 *   apiVersion: "skerry.dev/v1alpha1",
 *   kind: "PodReport",
 *   time: "2026-01-02T03:04:05Z",
 *   pod: {
 *     apiVersion: "v1",
 *     kind: "Pod",
 *     metadata: { name: "web", namespace: "shop", uid: "u1" },
 *     spec: { containers: [] },
 *   },
 *   explanation: ["It waits for its image."],
 *   findings: [],
 *   activities: [],
 *   probes: [],
 *   events: [],
 * }, { utcOffsetMs: 0 });
 * match(text, /^Name: +web\n/);
 * match(text, /Explanation:\n +It waits for its image\./);
 * ```
 *
 * @module
 */

export { describeObject } from "./describe_object.ts";
export { describeReport } from "./describe_report.ts";
export { serviceSentences } from "./describe_service.ts";
export { describeTemplate } from "./describe_template.ts";
