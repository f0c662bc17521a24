/**
 * Deployments: one version of a template gives way to the next, in the steps that the
 * strategy allows, and to the last good one if the next is not there in time.
 *
 * @example What a rollout may miss
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { rolloutBudget } from "./mod.ts";
 *
 * const deployment = {
 *   apiVersion: "apps/v1",
 *   kind: "Deployment",
 *   metadata: { name: "web", namespace: "shop", uid: "u1" },
 *   spec: {
 *     replicas: 3,
 *     revisionHistoryLimit: 10,
 *     progressDeadlineSeconds: 600,
 *     strategy: { type: "RollingUpdate" },
 *     selector: { matchLabels: { app: "web" } },
 *     template: { spec: { containers: [] } },
 *   },
 * } as const;
 * deepStrictEqual(rolloutBudget(deployment), { maxSurge: 1, maxUnavailable: 0 });
 * ```
 *
 * @module
 */

export { deploymentController } from "./deployment_controller.ts";
export type { SeenDeployment } from "./deployment_step.ts";
export { type RolloutBudget, rolloutBudget } from "./rollout_budget.ts";
