/**
 * Workloads for tests: whatever a test does not say is plain.
 *
 * @module
 */

import {
  applyWorkloadDefaults,
  type WrittenWorkload,
} from "../../../mod/api/defaults/mod.ts";
import type { WorkloadManifest } from "../../../mod/api/workload/mod.ts";

/** What a test says of a Deployment. */
interface DeploymentDraft {
  readonly name?: string;
  readonly namespace?: string;
  readonly image?: string;
  readonly replicas?: number;
}

/** A Deployment as a manifest gives it. */
export function manifestDeployment(
  draft: DeploymentDraft = {},
): WorkloadManifest {
  const { name = "web", namespace = "default", image = "web:1" } = draft;
  const labels = { app: name };
  const written: WrittenWorkload = {
    kind: "Deployment",
    metadata: { name, namespace },
    spec: {
      replicas: draft.replicas ?? 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "main", image }] },
      },
    },
  };
  return applyWorkloadDefaults(written);
}
