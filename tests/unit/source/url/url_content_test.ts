/**
 * What the parts of an answer amount to.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { silentLogger } from "../../../../mod/base/telemetry/mod.ts";
import { NO_CHECK } from "../../../support/no_ops.ts";
import type { SourceContent } from "../../../../mod/source/merge/source_set.ts";
import {
  readUrlContent,
  type UrlContent,
} from "../../../../mod/source/url/url_content.ts";

const NOTHING: SourceContent = { pods: [], objects: [], workloads: [] };

function read(
  items: readonly object[],
  held: SourceContent = NOTHING,
): UrlContent {
  const list = { apiVersion: "v1", kind: "List", items };
  const bytes = new TextEncoder().encode(JSON.stringify(list));
  return readUrlContent(bytes, held, {
    nodeName: "N",
    url: "http://host/pods",
    shownUrl: "http://host/pods",
    unknownFields: "refuse",
    log: silentLogger,
    check: NO_CHECK,
  });
}

function accepted(
  ...items: readonly object[]
): UrlContent & { readonly kind: "accepted" } {
  const content = read(items);
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
  deepStrictEqual(reports, [{
    kind: "refused",
    file: "http://host/pods#ConfigMap/default/settings",
    faults: [{
      field: "metadata.name",
      message:
        'Duplicate value: "ConfigMap default/settings": another one comes first',
    }],
    // It has no pod that an event could be about.
    named: [],
  }]);
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
  strictEqual(reportsOn(101).length, 101);
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

const NAMELESS = { apiVersion: "v1", kind: "Pod", spec: {} };

Deno.test("readUrlContent() keeps all while one of the parts that are not valid does not say its name", () => {
  const held = accepted(pod("a"), pod("b"), configMap("one")).content;
  const next = read([pod("b"), pod("c", {}), NAMELESS], held);
  ok(next.kind === "accepted");
  const names = next.content.pods.map(({ metadata }) => metadata.name);
  deepStrictEqual(names, ["b-n", "a-n"]);
  deepStrictEqual(next.content.objects, held.objects);
  deepStrictEqual(
    next.reports.map(({ kind, file }) => `${kind} ${file}`),
    [
      "refused http://host/pods#default/c",
      "refused http://host/pods#part-2",
    ],
  );
});

Deno.test("readUrlContent() keeps of what it had what a part that is not valid can be the next version of", () => {
  const held = accepted(pod("a"), pod("b"), pod("settings"), configMap("one"));
  const next = read([pod("c"), pod("a", {}), configMap(7)], held.content);
  ok(next.kind === "accepted");
  const names = next.content.pods.map(({ metadata }) => metadata.name);
  deepStrictEqual(names, ["c-n", "a-n"]);
  deepStrictEqual(next.content.objects, held.content.objects);
  deepStrictEqual(
    next.reports.map(({ kind, file }) => `${kind} ${file}`),
    [
      "last_good http://host/pods#default/a",
      "last_good http://host/pods#ConfigMap/default/settings",
    ],
  );
});

Deno.test("readUrlContent() takes an answer for one about pods if a pod that is not valid says its name, and for none otherwise", () => {
  const kinds = [
    [pod("a", {})],
    [pod("a", {}), NAMELESS],
    [NAMELESS],
    [configMap(7)],
    [configMap("good")],
  ].map((items) => read(items).kind);
  deepStrictEqual(
    kinds,
    ["accepted", "accepted", "refused", "refused", "refused"],
  );
  const refused = read([configMap("good")]);
  ok(refused.kind === "refused");
  match(refused.reason, /^it has no pod, wanted one, or an empty PodList/);
});
