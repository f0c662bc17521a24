/**
 * The images of the node, and whose they are.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import type { Pod } from "../../../mod/api/types/mod.ts";
import {
  LABEL_POD_NAME,
  LABEL_POD_NAMESPACE,
} from "../../../mod/api/vocabulary/mod.ts";
import type { Container, ListedImage } from "../../../mod/cri/model/mod.ts";
import type { ImageHold } from "../../../mod/runtime/images/mod.ts";
import type { ImageState } from "../../../mod/server/mod.ts";
import { viewImages } from "../../../mod/views/view_images.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { ago, NOW_MS } from "../../support/observed_pods.ts";
import { pod } from "../../support/pods.ts";
import { viewedCore } from "../../support/views/viewed_core.ts";

const APP = "docker.io/library/app:1";

function image(
  id: string,
  names: readonly string[],
  rest: Partial<ListedImage> = {},
): ListedImage {
  return { id, names, size: 0n, pinned: false, ...rest };
}

function containerOf(
  id: string,
  imageRef: string,
  rest: Partial<Container> = {},
): Container {
  return {
    id,
    sandboxId: "s",
    metadata: { name: "c", attempt: 0 },
    state: "running",
    createdAt: ago(60),
    labels: { [LABEL_POD_NAME]: "web", [LABEL_POD_NAMESPACE]: "shop" },
    annotations: {},
    imageRef,
    ...rest,
  };
}

async function view(what: {
  readonly images?: readonly ListedImage[];
  readonly containers?: readonly Container[];
  readonly pods?: readonly Pod[];
  readonly holds?: readonly ImageHold[];
  readonly elapsedMs?: number;
}): Promise<readonly ImageState[]> {
  const { images = [image("sha256:1", [APP])], elapsedMs = 0 } = what;
  const clock = new FakeClock(NOW_MS - elapsedMs);
  await clock.advance(elapsedMs);
  const core = viewedCore({
    images: { listImages: () => Promise.resolve(images) },
    runtime: { listContainers: () => Promise.resolve(what.containers ?? []) },
    executor: { imageHolds: () => what.holds ?? [] },
  });
  return await viewImages(core, { pods: () => what.pods ?? [], clock });
}

async function users(
  what: Parameters<typeof view>[0],
): Promise<ImageState["users"] | undefined> {
  return (await view(what))[0]?.users;
}

Deno.test("viewImages() lists images by their first name, or their id without one", async () => {
  const images = [
    image("sha256:9", ["docker.io/library/c:1", "docker.io/library/a:1"]),
    image("f", [], { size: 12n }),
    image("sha256:3", ["docker.io/library/b:1"], { pinned: true }),
    image("a", []),
  ];
  const listed = await view({ images });
  deepStrictEqual(listed.map(({ id }) => id), [
    ...["a", "sha256:3", "sha256:9", "f"],
  ]);
  deepStrictEqual(listed.map(({ size }) => size), [0, 0, 0, 12]);
  deepStrictEqual(listed.map(({ pinned }) => pinned), [
    ...[false, true, false, false],
  ]);
  deepStrictEqual(listed[2]?.names, images[0]?.names);
});

Deno.test("viewImages() knows the image of a container by its id and by each of its names", async () => {
  const digest = "docker.io/library/app@sha256:d";
  deepStrictEqual(
    await users({
      images: [image("sha256:1", [APP, digest])],
      containers: [
        containerOf("a", "sha256:1", { createdAt: ago(30) }),
        containerOf("b", digest, { createdAt: ago(20), state: "exited" }),
        containerOf("c", "sha256:2"),
      ],
    }),
    [
      { name: "shop/web", state: "running", since: "2026-01-02T03:03:35Z" },
      { name: "shop/web", state: "exited", since: "2026-01-02T03:03:45Z" },
    ],
  );
});

for (const label of [LABEL_POD_NAME, LABEL_POD_NAMESPACE]) {
  Deno.test(`viewImages() names a container by its id that has no more than the label ${label}`, async () => {
    const labels = { [label]: "x" };
    const containers = [containerOf("id", APP, { labels })];
    const [user] = await users({ containers }) ?? [];
    deepStrictEqual(user?.name, "id");
  });
}

/** A pod with a volume of the image, and one of nothing. */
function mounting(status: Pod["status"], reference: string = "app:1"): Pod {
  const volumes = [
    { name: "other", emptyDir: {} },
    { name: "none", image: {} },
    { name: "v", image: { reference } },
  ];
  return pod({ volumes, ...status && { status } });
}

const STARTED = { phase: "Running", startTime: "2026-01-02T03:00:00Z" };
for (
  const [what, status, since] of [
    ["runs", STARTED, "2026-01-02T03:00:00Z"],
    ["has not begun", { phase: "Pending" }, undefined],
    ["has no status", undefined, undefined],
    ["has ended well", { ...STARTED, phase: "Succeeded" }, undefined],
    ["has failed", { ...STARTED, phase: "Failed" }, undefined],
    [
      "began nobody knows when",
      { ...STARTED, startTime: "yesterday" },
      "1970-01-01T00:00:00Z",
    ],
  ] as const
) {
  Deno.test(`viewImages() shows ${since ? "a" : "no"} volume of a pod that ${what}`, async () => {
    const name = "shop/web";
    deepStrictEqual(
      await users({ pods: [mounting(status)] }),
      since === undefined ? [] : [{ name, state: "mounted", since }],
    );
  });
}

Deno.test("viewImages() shows no user of an image to a pod without volumes, or with another's", async () => {
  const status = STARTED;
  const pods = [pod({ status }), mounting(status, "app:2")];
  deepStrictEqual(await users({ pods }), []);
});

Deno.test("viewImages() shows who is about to use an image, by the runtime's name for it or the container's", async () => {
  const hold = {
    pod: { name: "web", namespace: "shop", uid: "u-1" },
    container: "c",
    image: "app:1",
    ref: undefined,
    sinceMs: 1_000,
  };
  const user = { name: "shop/web", state: "starting" };
  deepStrictEqual(
    await users({
      holds: [
        hold,
        { ...hold, image: "x:1", ref: "sha256:1", sinceMs: 4_000 },
        { ...hold, ref: "sha256:2" },
      ],
      elapsedMs: 10_000,
    }),
    [
      { ...user, since: "2026-01-02T03:03:56Z" },
      { ...user, since: "2026-01-02T03:03:59Z" },
    ],
  );
});

Deno.test("viewImages() puts the one first that has used the image longest", async () => {
  const pods = [mounting({ ...STARTED, startTime: "2026-01-02T03:04:00Z" })];
  const containers = [
    containerOf("late", APP, { createdAt: ago(1), state: "created" }),
    containerOf("early", APP, { createdAt: ago(90) }),
  ];
  deepStrictEqual(
    (await users({ pods, containers }))?.map(({ state }) => state),
    ["running", "mounted", "created"],
  );
});
