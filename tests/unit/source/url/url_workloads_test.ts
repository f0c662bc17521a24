/**
 * What makes pods, in the answer of a URL.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { workloadId } from "../../../../mod/api/workload/mod.ts";
import { silentLogger } from "../../../../mod/base/telemetry/mod.ts";
import { formatObjectId } from "../../../../mod/api/objects/mod.ts";
import type { PodCheck } from "../../../../mod/source/mod.ts";
import type { SourceContent } from "../../../../mod/source/merge/mod.ts";
import {
  readUrlContent,
  uniteContents,
  type UrlContent,
} from "../../../../mod/source/url/url_content.ts";
import { manifestDeployment } from "../../../support/api/workload_drafts.ts";
import { NO_CHECK } from "../../../support/no_ops.ts";

const NOTHING: SourceContent = { pods: [], objects: [], workloads: [] };

function read(
  items: readonly unknown[],
  held: SourceContent = NOTHING,
  check: PodCheck = NO_CHECK,
): UrlContent & { readonly kind: "accepted" } {
  const list = { apiVersion: "v1", kind: "List", items };
  const content = readUrlContent(bytesOf(list), held, {
    nodeName: "N",
    url: "http://host/pods",
    shownUrl: "http://host/pods",
    unknownFields: "refuse",
    log: silentLogger,
    check,
  });
  ok(content.kind === "accepted", JSON.stringify(content));
  return content;
}

function bytesOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

const names = ({ workloads }: SourceContent): readonly string[] =>
  workloads.map((one) => formatObjectId(workloadId(one)));

Deno.test("readUrlContent() takes workloads without any pod", () => {
  const { content, reports } = read([manifestDeployment()]);
  deepStrictEqual(names(content), ["Deployment default/web"]);
  deepStrictEqual(reports, []);
});

Deno.test("readUrlContent() takes the first of two workloads of one name", () => {
  const { content, reports } = read([
    manifestDeployment({ image: "a:1" }),
    manifestDeployment({ image: "b:1" }),
  ]);
  const [workload] = content.workloads;
  ok(workload?.kind === "Deployment");
  strictEqual(workload.spec.template.spec.containers[0]?.image, "a:1");
  deepStrictEqual(reports, [{
    kind: "refused",
    file: "http://host/pods#Deployment/default/web",
    faults: [{
      field: "metadata.name",
      message:
        'Duplicate value: "Deployment default/web": another one comes first',
    }],
    named: [],
  }]);
});

const bad = { ...manifestDeployment(), spec: {} };

Deno.test("readUrlContent() keeps what a faulty workload was, and no other", () => {
  const held: SourceContent = {
    ...NOTHING,
    workloads: [manifestDeployment(), manifestDeployment({ name: "gone" })],
  };
  const { content, reports, isByNode } = read([bad], held);
  strictEqual(content.workloads[0], held.workloads[0]);
  deepStrictEqual(names(content), ["Deployment default/web"]);
  deepStrictEqual(reports.map(({ kind }) => kind), ["last_good"]);
  strictEqual(isByNode, false);
});

Deno.test("readUrlContent() refuses a workload whose pods the node refuses", () => {
  const fault = { field: "spec.hostname", message: "m" };
  const { content, reports, isByNode } = read(
    [manifestDeployment()],
    NOTHING,
    () => [fault],
  );
  deepStrictEqual(content, NOTHING);
  strictEqual(isByNode, true);
  const [report] = reports;
  ok(report?.kind === "refused");
  deepStrictEqual(report.faults, [
    { ...fault, field: "spec.template.spec.hostname" },
  ]);
});

Deno.test("readUrlContent() knows a workload again that says the same", () => {
  const held = read([manifestDeployment()]).content;
  strictEqual(
    read([manifestDeployment()], held).content.workloads[0],
    held.workloads[0],
  );
});

Deno.test("readUrlContent() refuses an answer whose only workload says no name", () => {
  const nameless = { ...bad, metadata: {} };
  const content = readUrlContent(bytesOf(nameless), NOTHING, {
    nodeName: "N",
    url: "http://host/pods",
    shownUrl: "http://host/pods",
    unknownFields: "refuse",
    log: silentLogger,
    check: NO_CHECK,
  });
  ok(content.kind === "refused");
  match(content.reason, /metadata\.name: Required value/);
});

Deno.test("uniteContents() takes of two workloads of one name the first", () => {
  const [first, second, other] = [
    manifestDeployment({ replicas: 1 }),
    manifestDeployment({ replicas: 2 }),
    manifestDeployment({ name: "other" }),
  ];
  const { workloads } = uniteContents(
    { ...NOTHING, workloads: [first] },
    { ...NOTHING, workloads: [second, other] },
  );
  deepStrictEqual(workloads, [first, other]);
});
