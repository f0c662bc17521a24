/**
 * Which images may go, in which order, and when a disk is too full.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ImageNames } from "../../../mod/reclaim/image_names.ts";
import {
  holdOf,
  type ImagePurpose,
  type ImageUses,
  judgeDisk,
  removableImages,
  type SeenImage,
} from "../../../mod/reclaim/plan_images.ts";

const NOW_MS = 1_000_000;
const SPACE = { kind: "space" } as const;

function image(id: string, rest: Partial<SeenImage> = {}): SeenImage {
  return {
    id,
    names: [`r.local/${id}:1`],
    size: 1n,
    pinned: false,
    firstSeenMs: 0,
    lastUsedMs: 0,
    ...rest,
  };
}

function uses(rest: Partial<Record<keyof ImageUses, string[]>> = {}) {
  return {
    containers: new ImageNames(rest.containers ?? []),
    active: new ImageNames(rest.active ?? []),
    known: new ImageNames(rest.known ?? []),
  };
}

function removable(
  images: readonly SeenImage[],
  purpose: ImagePurpose,
  options: { uses?: ImageUses; minimumAgeMs?: number } = {},
): string[] {
  const { uses: needed = uses(), minimumAgeMs = 0 } = options;
  const given = { uses: needed, purpose, nowMs: NOW_MS, minimumAgeMs };
  return removableImages(images, given).map(({ id }) => id);
}

for (
  const [what, subject, needs, hold] of [
    ["nothing needs", image("a"), {}, undefined],
    ["the runtime pins", image("a", { pinned: true }), {}, "runtime"],
    [
      "sandboxes are made of",
      image("a", { names: ["x/pause:3"] }),
      {},
      "runtime",
    ],
    ["has no id", image(""), {}, "runtime"],
    ["a container has, by id", image("a"), { containers: ["a"] }, "container"],
    ["a container has, by name", image("a"), {
      containers: ["r.local/a:1"],
      known: ["r.local/a:1"],
    }, "container"],
    ["a pod is to run", image("a"), {
      active: ["r.local/a:1"],
      known: ["r.local/a:1"],
    }, "active"],
    ["another manifest names", image("a"), { known: ["a:1"] }, "known"],
  ] as const
) {
  Deno.test(`holdOf() of an image that ${what} is ${hold}`, () => {
    strictEqual(holdOf(subject, uses(needs as Record<string, string[]>)), hold);
  });
}

Deno.test("removableImages() begins with the least recently used, then the one seen first", () => {
  const images = [
    image("late", { lastUsedMs: 30 }),
    image("second", { lastUsedMs: 10, firstSeenMs: 9 }),
    image("first", { lastUsedMs: 10, firstSeenMs: -Infinity }),
    image("b", { lastUsedMs: 20 }),
    image("a", { lastUsedMs: 20 }),
  ];
  const order = ["first", "second", "a", "b", "late"];
  deepStrictEqual(removable(images, SPACE), order);
  deepStrictEqual(removable(images.toReversed(), SPACE), order);
});

Deno.test("removableImages() takes what a manifest names under hard pressure only, and last", () => {
  const images = [
    image("known", { lastUsedMs: 1 }),
    image("active"),
    image("free", { lastUsedMs: 2 }),
  ];
  const needed = uses({ known: ["known:1"], active: ["active:1"] });
  const given = { uses: needed };
  deepStrictEqual(removable(images, SPACE, given), ["free"]);
  const age = { kind: "age", maximumAgeMs: 5 } as const;
  deepStrictEqual(removable(images, age, given), ["free"]);
  const soft = { kind: "pressure", takesKnown: false } as const;
  deepStrictEqual(removable(images, soft, given), ["free"]);
  const hard = { kind: "pressure", takesKnown: true } as const;
  deepStrictEqual(removable(images, hard, given), ["free", "known"]);
});

Deno.test("removableImages() leaves the young ones, for whatever purpose", () => {
  const images = [
    image("young", { firstSeenMs: NOW_MS - 119 }),
    image("old", { firstSeenMs: NOW_MS - 120 }),
  ];
  for (
    const purpose of [
      SPACE,
      { kind: "age", maximumAgeMs: 1 },
      { kind: "pressure", takesKnown: true },
    ] as const
  ) {
    deepStrictEqual(removable(images, purpose, { minimumAgeMs: 120 }), ["old"]);
  }
});

Deno.test("removableImages() for age takes what was not used for longer than that", () => {
  const images = [
    image("at", { lastUsedMs: NOW_MS - 100 }),
    image("over", { lastUsedMs: NOW_MS - 101 }),
  ];
  deepStrictEqual(removable(images, { kind: "age", maximumAgeMs: 100 }), [
    "over",
  ]);
});

for (
  const [capacityBytes, availableBytes, verdict] of [
    [1000, 500, { usedPercent: 50, excessBytes: 0 }],
    [1000, 160, { usedPercent: 84, excessBytes: 0 }],
    // A part of a percent counts as one.
    [1000, 159, { usedPercent: 85, excessBytes: 41 }],
    [1000, 150, { usedPercent: 85, excessBytes: 50 }],
    [1000, 0, { usedPercent: 100, excessBytes: 200 }],
    [1000, 2000, { usedPercent: 0, excessBytes: 0 }],
    [0, 0, undefined],
    [-1, 0, undefined],
    [1000, -1, undefined],
    [NaN, 1, undefined],
    [1, NaN, undefined],
  ] as const
) {
  Deno.test(`judgeDisk() of ${availableBytes} in ${capacityBytes} bytes is ${JSON.stringify(verdict)}`, () => {
    const thresholds = { highThresholdPercent: 85, lowThresholdPercent: 80 };
    deepStrictEqual(
      judgeDisk({ capacityBytes, availableBytes }, thresholds),
      verdict,
    );
  });
}

Deno.test("judgeDisk() wants nothing more at the threshold to which a disk is emptied", () => {
  const low = { highThresholdPercent: 80, lowThresholdPercent: 80 };
  deepStrictEqual(
    judgeDisk({ capacityBytes: 1000, availableBytes: 200 }, low),
    {
      usedPercent: 80,
      excessBytes: 0,
    },
  );
});
