/**
 * What a start leaves behind that was cut off in the runtime.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { MetricsRegistry, silentLogger } from "../../mod/base/telemetry/mod.ts";
import { systemClock } from "../../mod/base/mod.ts";
import { connectCri } from "../../mod/cri/mod.ts";
import { BUSYBOX_IMAGE } from "../../scripts/lib/containerd_rig.ts";
import { waitUntil } from "../../scripts/lib/wait_until.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

withRuntime("a task that the CRI does not know", (test) => {
  test("a removed pod takes along a container that runs although the CRI did not start it", async ({ rig }) => {
    await using connection = connectCri({ endpoint: rig.socketPath }, {
      clock: systemClock,
      log: silentLogger,
      metrics: new MetricsRegistry(),
    });
    const { runtime } = connection;
    // A process identifier namespace of its own: else it would end with the sandbox.
    const linux = {
      securityContext: { namespaceOptions: { pid: "container" } },
    } as const;
    const sandboxConfig = {
      metadata: { name: "p", uid: "u", namespace: "default", attempt: 0 },
      labels: {},
      annotations: {},
      linux,
    };
    const sandboxId = await runtime.runPodSandbox(sandboxConfig);
    const id = await runtime.createContainer({
      sandboxId,
      config: {
        metadata: { name: "main", attempt: 0 },
        image: { image: BUSYBOX_IMAGE },
        command: ["sleep", "100000"],
        labels: {},
        annotations: {},
        linux,
      },
      sandboxConfig,
    });
    const start = ["tasks", "start", "--detach", "--null-io", id];
    strictEqual((await rig.tools.ctr(start)).ok, true);
    await runtime.stopContainer(id, 0);
    strictEqual((await runtime.containerStatus(id)).state, "created");
    await runtime.stopPodSandbox(sandboxId);
    strictEqual((await rig.tools.tasks()).has(id), true);
    let last = "";
    await waitUntil("the pod removed", async () => {
      const failure = await runtime.removePodSandbox(sandboxId).catch(String);
      last = failure ?? "";
      return failure === undefined;
    }, { saw: () => last });
    deepStrictEqual([...await runtime.listPodSandbox()], []);
    deepStrictEqual([...await rig.tools.tasks()], []);
  });
});
