/**
 * What makes pods, from files.
 *
 * @module
 */

import { deepStrictEqual, match, ok } from "node:assert/strict";
import { workloadId } from "../../../mod/api/workload/mod.ts";
import { formatObjectId } from "../../../mod/api/objects/mod.ts";
import {
  manifestYaml,
  type SourceRig,
  startSourceRig,
} from "../../support/source/source_rig.ts";

function deploymentYaml(name: string, image: string): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: main, image: "${image}" }] }
`;
}

/** What the last set has, with the images. */
function workloadsOf(rig: SourceRig): readonly string[] {
  return (rig.last?.workloads ?? []).map((workload) => {
    ok(workload.kind === "Deployment");
    const [container] = workload.spec.template.spec.containers;
    return `${formatObjectId(workloadId(workload))} ${container?.image}`;
  });
}

async function untilWorkloads(
  rig: SourceRig,
  ...wanted: readonly string[]
): Promise<void> {
  await rig.until(
    () => workloadsOf(rig).join() === wanted.join(),
    `${wanted} for ${workloadsOf(rig)}`,
  );
}

Deno.test("FileSource delivers workloads beside pods, and removes them with their file", async () => {
  await using rig = await startSourceRig();
  await rig.put(
    "a.yaml",
    `${deploymentYaml("web", "i:1")}---\n${manifestYaml("pod")}`,
  );
  await untilWorkloads(rig, "Deployment default/web i:1");
  deepStrictEqual(rig.names, ["pod"]);
  await rig.put("a.yaml", deploymentYaml("web", "i:2"));
  await untilWorkloads(rig, "Deployment default/web i:2");
  deepStrictEqual(rig.names, []);
  await Deno.remove(rig.path("a.yaml"));
  await untilWorkloads(rig);
});

Deno.test("FileSource keeps the last good workload of an invalid edit, across a restart as well", async () => {
  const rig = await startSourceRig();
  await rig.put("a.yaml", deploymentYaml("web", "i:1"));
  await untilWorkloads(rig, "Deployment default/web i:1");
  await rig.put("a.yaml", deploymentYaml("web", "i:2").replace("app:", "ap:"));
  await rig.until(() => rig.report().length === 1, "a report");
  const [report] = rig.report();
  ok(report?.kind === "last_good");
  match(report.faults[0]?.message ?? "", /does not match/);
  deepStrictEqual(
    rig.events.map(({ pod, reason }) => [pod, reason]),
    [[
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        namespace: "default",
        name: "web",
        uid: "",
      },
      "FailedValidation",
    ]],
  );
  await untilWorkloads(rig, "Deployment default/web i:1");
  await rig.stop();
  const { root } = rig;
  await using again = await startSourceRig({ root });
  await untilWorkloads(again, "Deployment default/web i:1");
});

Deno.test("FileSource gives the name of a workload to the file that had it first", async () => {
  await using rig = await startSourceRig();
  await rig.put("b.yaml", deploymentYaml("web", "i:1"));
  await untilWorkloads(rig, "Deployment default/web i:1");
  await rig.put("a.yaml", deploymentYaml("web", "i:2"));
  await rig.until(() => rig.report().length === 1, "a report");
  const [report] = rig.report();
  ok(report?.kind === "duplicate_object");
  deepStrictEqual([report.file, report.of, report.object], [
    rig.path("a.yaml"),
    rig.path("b.yaml"),
    { kind: "Deployment", namespace: "default", name: "web" },
  ]);
  await untilWorkloads(rig, "Deployment default/web i:1");
});
