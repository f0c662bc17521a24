/**
 * Explains a pod as the views do.
 *
 * @module
 */

import type { WorkerView } from "../../../mod/agent/workers/mod.ts";
import type { Pod } from "../../../mod/api/types/mod.ts";
import { reportPod } from "../../../mod/views/report_pod.ts";
import { workerView } from "../agent/worker_view.ts";
import { FakeClock } from "../fake_clock.ts";
import { NOW_MS } from "../observed_pods.ts";
import { type CoreDraft, viewedCore } from "./viewed_core.ts";

/** Why the pod is as it is, in a core whose monotonic clock shows ten seconds. */
export async function explain(
  shown: Pod,
  draft: CoreDraft = {},
  workers: readonly WorkerView[] = [workerView(shown)],
): Promise<readonly string[]> {
  const clock = new FakeClock(NOW_MS - 10_000);
  await clock.advance(10_000);
  const agent = { pods: () => workers, ...draft.agent };
  const report = reportPod(shown.metadata, {
    core: viewedCore({ ...draft, agent }),
    pods: () => [shown],
    clock,
    nodeName: "edge1",
  });
  return report?.explanation ?? [];
}
