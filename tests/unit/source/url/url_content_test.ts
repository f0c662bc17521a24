/**
 * What the parts of an answer amount to.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { silentLogger } from "../../../../mod/base/telemetry/mod.ts";
import { NO_CHECK } from "../../../support/no_ops.ts";
import {
  readUrlContent,
  type UrlContent,
} from "../../../../mod/source/url/url_content.ts";

function accepted(
  ...items: readonly object[]
): UrlContent & { readonly kind: "accepted" } {
  const list = { apiVersion: "v1", kind: "List", items };
  const bytes = new TextEncoder().encode(JSON.stringify(list));
  const content = readUrlContent(bytes, { pods: [], objects: [] }, {
    nodeName: "N",
    url: "http://host/pods",
    shownUrl: "http://host/pods",
    unknownFields: "refuse",
    log: silentLogger,
    check: NO_CHECK,
  });
  ok(content.kind === "accepted");
  return content;
}

function pod(name: string, spec: object = { containers: [CONTAINER] }): object {
  return { apiVersion: "v1", kind: "Pod", metadata: { name }, spec };
}

const CONTAINER = { name: "c", image: "one" };

function configMap(k: string | number): object {
  const metadata = { name: "settings" };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { k } };
}

Deno.test("readUrlContent() takes the first of two objects of one name, and reports on the second", () => {
  const { content, reports } = accepted(
    pod("a"),
    configMap("first"),
    configMap("second"),
  );
  strictEqual(content.objects.length, 1);
  const [object] = content.objects;
  ok(object?.kind === "ConfigMap");
  strictEqual(new TextDecoder().decode(object.entries.get("k")), "first");
  deepStrictEqual(reports.map(({ kind, file }) => [kind, file]), [
    ["refused", "http://host/pods#ConfigMap/default/settings"],
  ]);
});

Deno.test("readUrlContent() reports on a hundred parts that are not valid, and on the rest together", () => {
  const reportsOn = (count: number): readonly string[] => {
    const faulty = Array.from({ length: count }, (_, at) => pod(`p${at}`, {}));
    return accepted(pod("a"), ...faulty).reports.map((report) =>
      report.kind === "refused" && report.file.endsWith("#more")
        ? `${report.file} ${report.faults[0]?.message}`
        : report.kind
    );
  };
  deepStrictEqual(reportsOn(100), Array(100).fill("refused"));
  deepStrictEqual(reportsOn(102), [
    ...Array(100).fill("refused"),
    "http://host/pods#more 2 more parts are not valid",
  ]);
});

for (
  const [what, second, fault] of [
    ["a name", { name: "a", namespace: "shop" }, {
      field: "metadata.name",
      message: 'Duplicate value: "shop/a-n": another pod comes first',
    }],
    ["a UID", { name: "b", namespace: "shop", uid: "u" }, {
      field: "metadata.uid",
      message: 'Duplicate value: "u": another pod comes first',
    }],
  ] as const
) {
  Deno.test(`readUrlContent() takes the first of two pods of ${what}, and says whose the second is`, () => {
    const spec = { containers: [CONTAINER] };
    const first = { name: "a", namespace: "shop", uid: "u" };
    const { content, reports } = accepted(
      { ...pod("a"), metadata: first, spec },
      { ...pod("a"), metadata: second, spec },
    );
    deepStrictEqual(content.pods.map(({ metadata }) => metadata.uid), ["u"]);
    const { name, namespace } = second;
    deepStrictEqual(reports, [{
      kind: "refused",
      file: `http://host/pods#shop/${name}`,
      faults: [fault],
      named: [{ name, namespace }],
    }]);
  });
}
