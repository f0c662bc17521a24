/**
 * What is said of images that are removed, and of those that are not.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { nodeRef } from "../../../mod/api/objects/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import type { ListedImage } from "../../../mod/cri/model/mod.ts";
import { ImageReports } from "../../../mod/reclaim/image_reports.ts";
import { EventList } from "../../support/event_list.ts";
import { fieldsTo } from "../../support/log_lines.ts";

const SPACE = { kind: "space" } as const;

function image(name: string, size = 10n): ListedImage {
  return { id: `id-${name}`, names: [name], size, pinned: false };
}

/** Reports, and what comes of them. */
function rig() {
  const events = new EventList();
  const lines: Record<string, unknown>[] = [];
  const metrics = new MetricsRegistry();
  const reports = new ImageReports({
    events,
    metrics,
    log: fieldsTo(lines),
    node: nodeRef("edge1"),
  });
  const messages = () => lines.map(({ message }) => message);
  return { events, lines, messages, metrics, reports };
}

Deno.test("ImageReports.removed() names an image, its size and the reason", () => {
  const { reports, lines, metrics } = rig();
  reports.removed({ kind: "age", maximumAgeMs: 1 }, image("r.local/a:1"));
  reports.removed(SPACE, { ...image("b"), names: [] });
  deepStrictEqual(
    lines.map(({ level, message, image, bytes, reason }) => [
      level,
      message,
      image,
      bytes,
      reason,
    ]),
    [
      ["info", "image_removed", "r.local/a:1", 10, "age"],
      ["info", "image_removed", "id-b", 10, "space"],
    ],
  );
  match(metrics.render(), /_collected_total\{reason="age"\} 1$/m);
});

for (
  const [what, names, text] of [
    ["one", ["a"], "Removed 1 image of 10 bytes, …: a"],
    ["two", ["a", "b"], "Removed 2 images of 20 bytes, …: a, b"],
    ["five", [..."abcde"], "Removed 5 images of 50 bytes, …: a, b, c, d, e"],
    [
      "six",
      [..."abcdef"],
      "Removed 6 images of 60 bytes, …: a, b, c, d, e and 1 more",
    ],
    [
      "a long name",
      ["x".repeat(101)],
      `Removed 1 image of 10 bytes, …: ${"x".repeat(100)}`,
    ],
    ["none", [], undefined],
  ] as const
) {
  Deno.test(`ImageReports.swept() says in one sentence that there went ${what}`, () => {
    const { reports, events } = rig();
    const why = "unused, since the node lacks room";
    const purpose = { kind: "pressure", takesKnown: false } as const;
    reports.swept(purpose, names.map((name) => image(name)));
    deepStrictEqual(
      events.texts,
      text === undefined
        ? []
        : [`Normal ImagesRemoved: ${text.replace("…", why)}`],
    );
  });
}

Deno.test("ImageReports.swept() gives the id of an image without a name", () => {
  const { reports, events } = rig();
  reports.swept(SPACE, [{ ...image("a", 3n), names: [] }]);
  match(events.texts[0] ?? "", /Removed 1 image of 3 bytes, .*: id-a$/);
});

Deno.test("ImageReports.seen() warns when the disk is not seen any more", () => {
  const { reports, messages } = rig();
  for (const isSeen of [true, false, false, true, true, false]) {
    reports.seen(isSeen);
  }
  deepStrictEqual(messages(), ["image_disk_not_seen", "image_disk_not_seen"]);
});

Deno.test("ImageReports.tried() says three failures of many, once, and at the node from the second look on", () => {
  const { reports, lines, events } = rig();
  const failures = ["a", "b", "c", "d"].map((why) => new Error(why));
  reports.tried(failures);
  deepStrictEqual(events.texts, []);
  reports.tried(failures);
  reports.tried(failures);
  deepStrictEqual(lines.map(({ message, error }) => [message, error]), [
    ["images_not_collected", "a; b; c"],
  ]);
  deepStrictEqual(
    events.texts,
    Array(2).fill("Warning ImageGCFailed: a; b; c"),
  );
});

Deno.test("ImageReports.tried() begins to count anew after a look that did not fail", () => {
  const { reports, messages, events } = rig();
  const failures = [new Error("a")];
  reports.tried(failures);
  reports.tried([]);
  reports.tried(failures);
  deepStrictEqual(events.texts, []);
  strictEqual(messages().length, 2);
  // Another reason is said at once; it counts as the next failure all the same.
  reports.tried([new Error("b")]);
  strictEqual(messages().length, 3);
  deepStrictEqual(events.texts, ["Warning ImageGCFailed: b"]);
});
