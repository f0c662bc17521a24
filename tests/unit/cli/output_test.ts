/**
 * What clients make of the agent's answers.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { load } from "js-yaml";
import type { OutputFormat } from "../../../mod/cli/parse/command.ts";
import { refusalOf } from "../../../mod/cli/control_client.ts";
import { renderList } from "../../../mod/cli/listing.ts";
import { helpText } from "../../../mod/cli/parse/help.ts";
import { requirePod } from "../../../mod/cli/pod_list.ts";
import { PODS as POD_LISTING } from "../../../mod/cli/pod_row.ts";
import { chooseContainer, logPath } from "../../../mod/cli/show_log.ts";
import { fitColumns, renderTable } from "../../../mod/cli/text/table.ts";
import { RUN_FLAGS } from "../../../mod/config/mod.ts";
import { containers } from "../../support/pods.ts";
import { shownPod } from "../../support/cli/shown_pods.ts";

function rendered(
  output: OutputFormat,
  options: { readonly body?: unknown; readonly all?: boolean } = {},
): string {
  const namespace = options.all === true ? undefined : "default";
  const { body } = options;
  const list = { items: [shownPod("web-n1")], body };
  return renderList(POD_LISTING, list, {
    shown: { namespace, output },
    nowMs: 0,
  });
}

Deno.test("renderList() writes the table, with namespaces for all of them", () => {
  strictEqual(
    rendered("table"),
    "NAME     READY   STATUS    RESTARTS   AGE\nweb-n1   0/1     Unknown   0          <unknown>\n",
  );
  ok(rendered("table", { all: true }).startsWith("NAMESPACE   NAME"));
  ok(rendered("wide").split("\n")[0]?.endsWith("AGE         IP       NODE"));
});

Deno.test("renderList() writes names, or the body for programs", () => {
  const body = shownPod("web-n1");
  deepStrictEqual(JSON.parse(rendered("json", { body })), json(body));
  deepStrictEqual(load(rendered("yaml", { body })), json(body));
  strictEqual(rendered("name"), "pod/web-n1\n");
});

function json(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

Deno.test("renderTable() pads all but the last column", () => {
  strictEqual(renderTable([["a", "bb"], ["ccc", "d"]]), "a     bb\nccc   d\n");
  strictEqual(
    renderTable([["long", "x"]], fitColumns([["a", "b"]])),
    "long   x\n",
  );
  strictEqual(renderTable([]), "");
});

Deno.test("renderTable() lets no cell move the cursor, break the line or turn it round", () => {
  strictEqual(
    renderTable([["\u001b[2J\r\nbad\u0000\u009bname\u202e", "x"], ["a", "y"]]),
    " [2J bad name    x\na                y\n",
  );
});

Deno.test("renderTable() keeps columns in line beside signs that take two places or none", () => {
  strictEqual(
    renderTable([["日本", "x"], ["e\u0301a", "y"], ["éäü😀", "z"]]),
    "日本    x\ne\u0301a      y\néäü😀   z\n",
  );
});

const PODS = [shownPod("web-n1"), shownPod("web-n1-n1"), shownPod("db-n1")];

Deno.test("requirePod() takes the manifest's name and the full name", () => {
  deepStrictEqual(requirePod(PODS, "db"), PODS[2]);
  deepStrictEqual(requirePod(PODS, "db-n1"), PODS[2]);
  deepStrictEqual(requirePod(PODS, "web"), PODS[0]);
  throws(() => requirePod(PODS, "d"), /no pod and no manifest/);
});

Deno.test("requirePod() means the pod that takes the place of one that ends", () => {
  const deletionTimestamp = "2024-01-01T00:00:00Z";
  const ending = shownPod("web-n1", {
    metadata: { uid: "old", deletionTimestamp },
  });
  const next = shownPod("web-n1", { metadata: { uid: "new" } });
  for (const pods of [[ending, next], [next, ending]]) {
    deepStrictEqual(requirePod(pods, "web"), next);
  }
  deepStrictEqual(requirePod([ending], "web"), ending);
});

Deno.test("requirePod() lists both pods that a name may stand for", () => {
  throws(() => requirePod(PODS, "web-n1"), {
    message:
      'Cannot tell which pod "web-n1" is: found "web-n1" and "web-n1-n1", wanted one',
  });
  throws(() => requirePod(PODS, "x"), {
    message: 'Cannot find pod "x": no pod and no manifest has that name',
  });
});

Deno.test("chooseContainer() takes the named, the annotated, then the first", () => {
  const two = shownPod("p", {
    containers: containers("a", "b"),
    initContainers: containers("i"),
  });
  deepStrictEqual(chooseContainer(two, "b"), { name: "b", others: [] });
  deepStrictEqual(chooseContainer(two, "i"), { name: "i", others: [] });
  deepStrictEqual(chooseContainer(two, undefined), {
    name: "a",
    others: ["b", "i (init)"],
  });
  const annotations = { "kubectl.kubernetes.io/default-container": "b" };
  deepStrictEqual(
    chooseContainer(
      { ...two, metadata: { ...two.metadata, annotations } },
      undefined,
    ),
    { name: "b", others: [] },
  );
  throws(() => chooseContainer(two, "x"), {
    message: 'Cannot find container "x" in pod "p": found "a", "b", "i"',
  });
  throws(() => chooseContainer(shownPod("p", { containers: [] }), undefined));
});

Deno.test("logPath() escapes names and sends what was asked for", () => {
  const command = {
    kind: "logs",
    location: [],
    pod: "p",
    namespace: "default",
    container: undefined,
    follow: true,
    previous: false,
    timestamps: true,
    tailLines: 0,
    sinceTime: "2026-01-02T03:04:05+01:00",
    limitBytes: 9,
  } as const;
  strictEqual(
    logPath(shownPod("a/b"), "c", command),
    "/containerLogs/default/a%2Fb/c?follow=true&timestamps=true&tailLines=0" +
      "&sinceTime=2026-01-02T03%3A04%3A05%2B01%3A00&limitBytes=9",
  );
});

Deno.test("refusalOf() takes the message of a Status, or the text", () => {
  strictEqual(refusalOf(404, '{"message":"gone"}').message, "gone");
  strictEqual(refusalOf(404, "plain\n").message, "plain");
  ok(refusalOf(503, "").message.includes("503"));
});

Deno.test("helpText() names every flag of run", () => {
  for (const { flag: { name } } of RUN_FLAGS) {
    if (name === "manifest-url-header") continue;
    ok(helpText("run").includes(`--${name} `), name);
  }
});
