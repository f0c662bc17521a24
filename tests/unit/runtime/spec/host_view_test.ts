/**
 * What requests differ in without a host view: exactly what is listed.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { containerResources } from "../../../../mod/runtime/spec/resource_spec.ts";
import type { NodeCgroups } from "../../../../mod/runtime/spec/spec_input.ts";
import { HOST_VIEW_FIELDS } from "../../../testdata/golden_deviations.ts";
import { container, pod } from "../../../support/pods.ts";
import { SPEC_NODE } from "../../../support/runtime/spec_inputs.ts";

const WITHOUT: NodeCgroups = {
  ...SPEC_NODE.cgroups,
  version: 1,
  hugePageSizes: [],
};

function resourcesIn(cgroups: NodeCgroups): Readonly<Record<string, unknown>> {
  const limits = { cpu: "1", memory: "1Gi", "hugepages-2Mi": "2Mi" };
  const only = container("c", { resources: { limits } });
  return {
    ...containerResources({
      pod: pod({ containers: [only] }),
      container: only,
      node: { ...SPEC_NODE, cgroups },
    }),
  };
}

for (const version of [1, 2] as const) {
  Deno.test(`containerResources() without a host view differs only as listed, version ${version}`, () => {
    const seen = resourcesIn({ ...SPEC_NODE.cgroups, version });
    const blind = resourcesIn(WITHOUT);
    const fields = new Set([...Object.keys(seen), ...Object.keys(blind)]);
    const differing = [...fields].filter((field) =>
      text(seen[field]) !== text(blind[field])
    );
    const listed = HOST_VIEW_FIELDS.filter((entry) => entry.version === version)
      .map(({ what }) => what);
    deepStrictEqual(differing.toSorted(), listed.toSorted());
  });
}

function text(value: unknown): string | undefined {
  return JSON.stringify(
    value,
    (_, each: unknown) => typeof each === "bigint" ? `${each}` : each,
  );
}
