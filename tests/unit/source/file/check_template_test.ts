import { deepStrictEqual } from "node:assert/strict";
import { applyWorkloadDefaults } from "../../../../mod/api/defaults/mod.ts";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import { checkTemplate } from "../../../../mod/source/file/mod.ts";
import { manifestDeployment } from "../../../support/api/workload_drafts.ts";

Deno.test("checkTemplate() asks for a pod of the workload's name that has no UID", () => {
  const asked: Pod[] = [];
  const faults = checkTemplate(manifestDeployment(), (pod, warnings) => {
    deepStrictEqual(warnings, []);
    asked.push(pod);
    return [{ field: "spec.hostname", message: "m" }];
  });
  deepStrictEqual(asked.map(({ metadata }) => metadata), [{
    labels: { app: "web" },
    name: "web",
    namespace: "default",
    uid: "",
  }]);
  deepStrictEqual(faults, [
    { field: "spec.template.spec.hostname", message: "m" },
  ]);
});

Deno.test("checkTemplate() names the fields of a CronJob's template by their path", () => {
  const cron = applyWorkloadDefaults({
    kind: "CronJob",
    metadata: { name: "nightly" },
    spec: { jobTemplate: { spec: { template: { spec: { containers: [] } } } } },
  });
  deepStrictEqual(
    checkTemplate(cron, () => [{ field: "spec", message: "m" }]),
    [{ field: "spec.jobTemplate.spec.template.spec", message: "m" }],
  );
});
