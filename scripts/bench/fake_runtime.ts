/**
 * A fake runtime with many pods in a process of its own, so that its work is not
 * counted as the agent's. Prints "ready" and serves until its input closes.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- tells its parent that it is ready

import { MetricsRegistry, silentLogger } from "../../mod/base/telemetry/mod.ts";
import { systemClock } from "../../mod/base/mod.ts";
import { connectCri } from "../../mod/cri/mod.ts";
import { FakeCri } from "../../tests/support/fake_cri/fake_cri.ts";

const [socketPath = "", count = "0"] = Deno.args;
await using fake = await FakeCri.start({ socketPath });
fake.addImage({ ref: "localhost/busybox:1.35" });
await fill(Number(count));
console.log("ready");
for await (const _ of Deno.stdin.readable);

/** Makes pods as the agent would, so that the lists have their real size. */
async function fill(pods: number): Promise<void> {
  await using connection = connectCri({ endpoint: socketPath }, {
    clock: systemClock,
    log: silentLogger,
    metrics: new MetricsRegistry(),
  });
  const { runtime } = connection;
  for (let at = 0; at < pods; at++) {
    const uid = crypto.randomUUID();
    const name = `pod${at}-edge1`;
    const labels = {
      "io.kubernetes.pod.name": name,
      "io.kubernetes.pod.namespace": "default",
      "io.kubernetes.pod.uid": uid,
    };
    const config = {
      metadata: { name, namespace: "default", uid, attempt: 0 },
      labels,
      annotations: {
        "kubernetes.io/config.hash": uid,
        "kubernetes.io/config.source": "file",
        "kubernetes.io/config.seen": "2026-01-01T00:00:00.000000000Z",
      },
    };
    const sandboxId = await runtime.runPodSandbox(config);
    await runtime.startContainer(
      await runtime.createContainer({
        sandboxId,
        sandboxConfig: config,
        config: {
          metadata: { name: "main", attempt: 0 },
          image: { image: "localhost/busybox:1.35" },
          labels: { ...labels, "io.kubernetes.container.name": "main" },
          annotations: {
            "io.kubernetes.container.hash": "abc",
            "io.kubernetes.container.restartCount": "0",
          },
        },
      }),
    );
  }
}
