/**
 * What is remembered of pulls, on a disk that takes it or does not.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import {
  credentialOf,
  failPull,
  loadPulled,
  mayUseAs,
  MINE,
  NODES,
  pullAs,
  PULLED_ID,
  PULLED_NAME,
  RecordMemory,
  saidByCri,
  THEIRS,
} from "../../../support/runtime/pulled_images_rig.ts";

const OTHER_TAG = "r.example/team/app:2";
const OTHER_NAME = "r.example/other/app:1";

Deno.test("PulledImages gives what nobody pulled to everybody, and writes nothing", async () => {
  const disk = new RecordMemory();
  const images = await loadPulled(disk);
  strictEqual(await mayUseAs(images), true);
  deepStrictEqual(disk.steps, []);
});

Deno.test("PulledImages keeps an image for the Secret that it was pulled with (IM-07)", async () => {
  const disk = new RecordMemory();
  const images = await loadPulled(disk);
  await pullAs(images, MINE);
  deepStrictEqual(disk.steps, [
    "write /d/pulling/X durably",
    "write /d/pulled/X durably",
    "remove /d/pulling/X",
  ]);
  for (const known of [images, await loadPulled(disk)]) {
    strictEqual(await mayUseAs(known), false);
    strictEqual(await mayUseAs(known, [THEIRS]), false);
    strictEqual(await mayUseAs(known, [NODES]), false);
    strictEqual(await mayUseAs(known, [MINE]), true);
    strictEqual(await mayUseAs(known, [THEIRS, MINE]), true);
    strictEqual(await mayUseAs(known, [MINE], { image: OTHER_TAG }), true);
    strictEqual(await mayUseAs(known, [MINE], { image: OTHER_NAME }), false);
    // Another image of that name was there before.
    strictEqual(await mayUseAs(known, [], { imageId: "sha256:2" }), true);
  }
  const [written = ""] = disk.files.values();
  ok(written.includes(MINE.fingerprint) && !written.includes("hunter2"));
});

for (
  const [what, shown] of [["anyone", undefined], ["the node", NODES]] as const
) {
  Deno.test(`PulledImages opens an image for all that was pulled as ${what}, and writes that once`, async () => {
    const disk = new RecordMemory();
    const images = await loadPulled(disk);
    await pullAs(images, shown);
    await pullAs(images, shown);
    deepStrictEqual(disk.steps, ["write /d/pulled/X durably"]);
    strictEqual(await mayUseAs(images), true);
    disk.cutPower();
    strictEqual(await mayUseAs(await loadPulled(disk)), true);
    // What is open stays so.
    await pullAs(images, MINE);
    strictEqual(await mayUseAs(images), true);
    strictEqual(await mayUseAs(await loadPulled(disk, "AlwaysVerify")), true);
  });
}

Deno.test("PulledImages opens an image that somebody got as anyone after it was one's own", async () => {
  const disk = new RecordMemory();
  const images = await loadPulled(disk);
  await pullAs(images, MINE);
  strictEqual(await mayUseAs(images), false);
  await pullAs(images, undefined);
  strictEqual(await mayUseAs(images), true);
});

Deno.test("PulledImages asks a registry as its policy says", async () => {
  for (
    const [policy, pulled, preloaded] of [
      ["NeverVerify", true, true],
      ["AlwaysVerify", false, false],
      ["NeverVerifyAllowlistedImages", false, false],
    ] as const
  ) {
    const images = await loadPulled(new RecordMemory(), policy);
    await pullAs(images, MINE);
    strictEqual(await mayUseAs(images), pulled, policy);
    const other = { image: OTHER_NAME, imageId: "sha256:2" };
    strictEqual(await mayUseAs(images, [], other), preloaded, policy);
  }
});

Deno.test("PulledImages knows a Secret by its name when its login changes, and a login in another Secret, and remembers both", async () => {
  const disk = new RecordMemory();
  const images = await loadPulled(disk);
  await pullAs(images, MINE);
  disk.steps.length = 0;
  strictEqual(await mayUseAs(images, [credentialOf("new", "one")]), true);
  strictEqual(await mayUseAs(images, [credentialOf("new", "three")]), true);
  deepStrictEqual(disk.steps, [
    "write /d/pulled/X durably",
    "write /d/pulled/X durably",
  ]);
  strictEqual(
    await mayUseAs(await loadPulled(disk), [credentialOf("x", "three")]),
    true,
  );
  disk.steps.length = 0;
  strictEqual(await mayUseAs(images, [credentialOf("new", "three")]), true);
  deepStrictEqual(disk.steps, []);
});

Deno.test("PulledImages takes no image for one that was always there when the agent is killed at any step of its pull", async () => {
  const whole = new RecordMemory();
  await pullAs(await loadPulled(whole), MINE);
  const [intent, record] = whole.steps;
  ok(intent?.startsWith("write /d/pulling") && record?.startsWith("write"));
  for (const killedAt of ["write /d/pulled", "remove /d/pulling"]) {
    const disk = new RecordMemory();
    disk.refused = killedAt;
    await pullAs(await loadPulled(disk), MINE);
    disk.refused = undefined;
    const next = await loadPulled(disk);
    strictEqual(await mayUseAs(next), false, killedAt);
    strictEqual(await mayUseAs(next, [MINE]), killedAt.startsWith("remove"));
    // The next pull makes up for it.
    await pullAs(next, MINE);
    strictEqual(await mayUseAs(await loadPulled(disk), [MINE]), true, killedAt);
    strictEqual(disk.files.size, 1, killedAt);
  }
});

Deno.test("PulledImages pulls nothing with a Secret when the intent cannot be written, and heals", async () => {
  const disk = new RecordMemory();
  const images = await loadPulled(disk);
  disk.refused = "write /d/pulling";
  let isPulled = false;
  await rejects(
    images.around({ image: PULLED_NAME, credentials: [MINE] }, () => {
      isPulled = true;
      return Promise.resolve({ imageId: PULLED_ID, credential: MINE });
    }),
    /No space left/,
  );
  strictEqual(isPulled, false);
  // Without a Secret there is nothing to be kept from others.
  await pullAs(images, undefined, { image: OTHER_NAME, imageId: "sha256:2" });
  disk.refused = undefined;
  await pullAs(images, MINE);
  strictEqual(await mayUseAs(await loadPulled(disk), [MINE]), true);
});

Deno.test("PulledImages goes on with a record that the disk did not take, and writes it later", async () => {
  const disk = new RecordMemory();
  const images = await loadPulled(disk);
  disk.refused = "write /d/pulled";
  await pullAs(images, MINE);
  strictEqual(await mayUseAs(images, [MINE]), true);
  strictEqual(await mayUseAs(images), false);
  disk.refused = undefined;
  disk.steps.length = 0;
  await pullAs(images, MINE);
  ok(disk.steps.includes("write /d/pulled/X durably"));
  strictEqual(await mayUseAs(await loadPulled(disk), [MINE]), true);
});

for (
  const [what, error, isKept] of [
    ["that the registry refused", saidByCri("failed"), false],
    [
      "that each login was refused for",
      new AggregateError([saidByCri("failed"), saidByCri("not_found")]),
      false,
    ],
    ["that the runtime may go on with", saidByCri("cancelled"), true],
    ["whose runtime is away", saidByCri("unavailable"), true],
    ["that took too long", new Error("an hour is over"), true],
    [
      "one of whose tries is unclear",
      new AggregateError([saidByCri("failed"), saidByCri("deadline")]),
      true,
    ],
    [
      "whose image could not be described",
      saidByCri("failed", "ImageStatus"),
      true,
    ],
  ] as const
) {
  Deno.test(`PulledImages ${isKept ? "keeps" : "removes"} the intent of a pull ${what}`, async () => {
    const disk = new RecordMemory();
    const images = await loadPulled(disk);
    strictEqual(await failPull(images, error), error);
    strictEqual(disk.files.size, isKept ? 1 : 0);
    for (const known of [images, await loadPulled(disk)]) {
      strictEqual(await mayUseAs(known), !isKept);
    }
    // A later refusal says nothing of the earlier pull.
    await failPull(images, saidByCri("failed"));
    strictEqual(disk.files.size, isKept ? 1 : 0);
    await pullAs(images, MINE);
    strictEqual(disk.files.size, 1);
    strictEqual(await mayUseAs(images, [MINE]), true);
  });
}

Deno.test("PulledImages keeps the intent of two pulls of one image until the second is over", async () => {
  const disk = new RecordMemory();
  const images = await loadPulled(disk);
  const { promise, reject } = Promise.withResolvers<never>();
  const slow = images.around(
    { image: PULLED_NAME, credentials: [THEIRS] },
    () => promise,
  );
  slow.catch(() => {});
  await failPull(images, saidByCri("failed"));
  deepStrictEqual(disk.steps, ["write /d/pulling/X durably"]);
  reject(saidByCri("failed"));
  await rejects(slow);
  deepStrictEqual(disk.steps.slice(1), ["remove /d/pulling/X"]);
});

Deno.test("PulledImages gives an image to nobody whose record is damaged or cannot be read, and the others as before", async () => {
  const disk = new RecordMemory();
  await pullAs(await loadPulled(disk), MINE);
  const [[path = "", text = ""] = []] = disk.files;
  const damaged = [
    "",
    "{}",
    text.slice(0, -9),
    text.replace("isOpen", "isOpem"),
    "[".repeat(10_000),
  ];
  for (const bad of damaged) {
    disk.files.set(path, bad);
    const images = await loadPulled(disk);
    strictEqual(await mayUseAs(images, [MINE]), false, bad.slice(0, 40));
    strictEqual(await mayUseAs(images, [], { imageId: "sha256:2" }), true);
  }
  disk.refused = "read /d/pulled";
  strictEqual(await mayUseAs(await loadPulled(disk), [MINE]), false);
});

Deno.test("PulledImages logs which record is damaged, and none that is whole", async () => {
  const disk = new RecordMemory();
  await pullAs(await loadPulled(disk), MINE);
  await loadPulled(disk);
  deepStrictEqual(disk.log.of("image_record_corrupt"), []);
  const [path = ""] = disk.files.keys();
  disk.files.set(path, "{}");
  await loadPulled(disk);
  deepStrictEqual(disk.log.of("image_record_corrupt"), [{ path }]);
});

Deno.test("PulledImages takes every image for pulled when its directory cannot be read", async () => {
  for (const directory of ["/d/pulled", "/d/pulling"]) {
    const disk = new RecordMemory();
    disk.refused = `list ${directory}`;
    const images = await loadPulled(disk);
    strictEqual(await mayUseAs(images), false, directory);
  }
});

Deno.test("PulledImages ignores files of others, and removes drafts of its own", async () => {
  const disk = new RecordMemory();
  const digits = "0".repeat(64);
  disk.files.set(`/d/pulled/.sha256-${digits}.12-3.tmp`, "half");
  disk.files.set("/d/pulled/notes.txt", "x");
  disk.files.set(`/d/pulled/sha256-${digits}x`, "x");
  await loadPulled(disk);
  deepStrictEqual([...disk.files.keys()], [
    "/d/pulled/notes.txt",
    `/d/pulled/sha256-${digits}x`,
  ]);
});

Deno.test("PulledImages.forgetGone() drops records and intents of images that are gone, and no other", async () => {
  const disk = new RecordMemory();
  const first = await loadPulled(disk);
  await pullAs(first, MINE);
  await pullAs(first, MINE, { image: OTHER_NAME, imageId: "sha256:2" });
  await failPull(first, saidByCri("unavailable"));
  await first.around(
    { image: "gone:1", credentials: [MINE] },
    () => Promise.reject(saidByCri("cancelled")),
  ).catch(() => {});
  const images = await loadPulled(disk);
  strictEqual(disk.files.size, 4);
  const listed = [
    { id: PULLED_ID, names: [PULLED_NAME], size: 1n, pinned: false },
    { id: "sha256:9", names: [], size: 1n, pinned: false },
  ];
  await images.forgetGone(async () => {
    // What comes meanwhile is not in the list.
    await pullAs(images, MINE, { image: "new:1", imageId: "sha256:3" });
    return listed;
  });
  // Two of them came to be known.
  strictEqual(disk.files.size, 2);
  strictEqual(await mayUseAs(images), false);
  strictEqual(
    await mayUseAs(images, [], { image: "new:1", imageId: "sha256:3" }),
    false,
  );
  // It was imported since.
  const imported = { image: OTHER_NAME, imageId: "sha256:2" };
  strictEqual(await mayUseAs(images, [], imported), true);
});

Deno.test("PulledImages.forgetGone() keeps an image from all, by whatever name, of whose pull the end was not seen", async () => {
  const disk = new RecordMemory();
  await failPull(await loadPulled(disk), saidByCri("cancelled"));
  const images = await loadPulled(disk);
  const byDigest = { image: `r.example/team/app@sha256:${"0".repeat(64)}` };
  // Until the runtime has been asked, nobody knows that it is the same.
  strictEqual(await mayUseAs(images, [MINE], byDigest), true);
  const listed = [{
    id: PULLED_ID,
    names: [PULLED_NAME],
    size: 1n,
    pinned: false,
  }];
  disk.refused = "write /d/pulled";
  await images.forgetGone(() => Promise.resolve(listed));
  strictEqual(await mayUseAs(images), false);
  disk.refused = undefined;
  await images.forgetGone(() => Promise.resolve(listed));
  for (const known of [images, await loadPulled(disk)]) {
    strictEqual(await mayUseAs(known), false);
    strictEqual(await mayUseAs(known, [MINE], byDigest), false);
  }
  deepStrictEqual(disk.files.size, 1);
});

Deno.test("PulledImages.forgetGone() keeps an image from others whose next pull ends while the list is on its way (IM-07)", async () => {
  const disk = new RecordMemory();
  const images = await loadPulled(disk);
  await pullAs(images, MINE);
  await images.forgetGone(async () => {
    // Somebody had removed it; the same Secret brings it back.
    await pullAs(images, MINE);
    return [];
  });
  for (const known of [images, await loadPulled(disk)]) {
    strictEqual(await mayUseAs(known), false);
    strictEqual(await mayUseAs(known, [MINE]), true);
  }
});

Deno.test("PulledImages.forgetGone() keeps the intent of a pull of which the end is lost while the list is on its way (IM-07)", async () => {
  const disk = new RecordMemory();
  const images = await loadPulled(disk);
  const { promise, reject } = Promise.withResolvers<never>();
  const slow = images.around(
    { image: PULLED_NAME, credentials: [MINE] },
    () => promise,
  );
  slow.catch(() => {});
  await failPull(images, saidByCri("failed"));
  await images.forgetGone(async () => {
    reject(saidByCri("deadline"));
    await rejects(slow);
    return [];
  });
  for (const known of [images, await loadPulled(disk)]) {
    strictEqual(await mayUseAs(known), false);
  }
});

Deno.test("PulledImages.forgetGone() asks for no list when nothing is remembered", async () => {
  const images = await loadPulled(new RecordMemory());
  await images.forgetGone(() => Promise.reject(new Error("asked")));
});
