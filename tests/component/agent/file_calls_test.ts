/**
 * What the start of a pod asks of the file system, and that it waits for no fsync.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { BusyDisk } from "../../support/agent/busy_disk.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { FileCalls } from "../../support/agent/file_calls.ts";
import { busybox, WEB, web } from "../../support/agent/manifests.ts";
import { untilRunning } from "../../support/agent/phases.ts";

/** In memory, and so without a promise; the status once as it begins and once as it runs. */
const IN_MEMORY: readonly string[] = [
  "writeTextFileSync run/manifest-secrets/drafts/.KEY.json.tmp",
  "renameSync run/manifest-secrets/drafts/KEY.json",
  ...["", ""].flatMap(() => [
    "writeTextFileSync run/status/.UID.json.tmp",
    "renameSync run/status/UID.json",
  ]),
];

const ON_DISK: readonly string[] = [
  "mkdir root/pods/UID",
  "writeFile root/pods/UID/.record.json.N.tmp",
  "rename root/pods/UID/record.json",
  "mkdir logs/default_web-edge1_UID/server",
  "readDir logs/default_web-edge1_UID/server",
  "writeTextFile root/pods/UID/etc-hosts",
  "mkdir root/pods/UID/containers/server",
  "writeTextFile root/pods/UID/containers/server/00000000",
];

/** Beside each the agent opens files with `node:fs`: the directory, and each of its files. */
const VOLUMES: readonly string[] = [
  ["kubernetes.io~empty-dir", "scratch"],
  ["kubernetes.io~configmap", "config"],
].flatMap(([plugin = "", name = ""]) => {
  const parent = `root/pods/UID/volumes/${plugin}`;
  return [
    `lstat ${parent}/${name}`,
    `mkdir ${parent}`,
    `mkdir ${parent}/.${name}`,
    `rename ${parent}/${name}`,
  ];
});

/** Its last good version and how well it did: file and directory each. */
const LATER: readonly string[] = [
  "remove run/manifest-secrets/KEY.json",
  ...["manifests", "rollbacks"].flatMap((kind) => [
    ...kind === "manifests" ? [`stat root/checkpoints/${kind}/KEY.json`] : [],
    `open root/checkpoints/${kind}/.KEY.json.N.tmp`,
    `write root/checkpoints/${kind}/.KEY.json.N.tmp`,
    `chmod root/checkpoints/${kind}/.KEY.json.N.tmp`,
    `sync root/checkpoints/${kind}/.KEY.json.N.tmp`,
    `rename root/checkpoints/${kind}/KEY.json`,
    `open root/checkpoints/${kind}`,
    `sync root/checkpoints/${kind}`,
  ]),
  "removeSync run/manifest-secrets/drafts/KEY.json",
];

/** Twice in 20 s the logs are looked at, and a new one's directory at first. */
const LOG_LOOKS: readonly string[] = [
  ...Array(2).fill("lstat logs/default_first-edge1_KEY/server/0.log"),
  ...Array(2).fill("lstat logs/default_web-edge1_UID/server/0.log"),
];
const FIRST_LOG_LOOK: readonly string[] = [
  "lstat logs/default_web-edge1_UID",
  "lstat logs/default_web-edge1_UID/server",
  "readDir logs/default_web-edge1_UID/server",
];

const VOLUME_SPEC = {
  automountServiceAccountToken: false,
  volumes: [
    { name: "scratch", emptyDir: {} },
    { name: "config", configMap: { name: "settings" } },
  ],
  containers: [busybox(WEB, {
    volumeMounts: [
      { name: "scratch", mountPath: "/scratch" },
      { name: "config", mountPath: "/config" },
    ],
  })],
};

for (
  const [what, spec, volumes] of [
    ["one container", {}, []],
    ["an emptyDir and a ConfigMap", VOLUME_SPEC, VOLUMES],
  ] as const
) {
  Deno.test(`Agent starts a pod of ${what} with these file calls and no fsync, and keeps it for later bad edits afterwards`, async () => {
    await using rig = await CoreRig.start();
    // What comes first makes directories, and objects have to be there.
    await rig.apply("first", web({ name: "first" }));
    await rig.apply("settings", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "settings" },
      data: { one: "1", two: "2" },
    });
    await untilRunning(rig, "first");
    await rig.pass(20_000);
    using calls = new FileCalls(rig.directory);
    await rig.apply("web", web({ spec }));
    await untilRunning(rig, "web");
    const taken = () => named(calls.take(), rig.pod("web")?.metadata.uid);
    deepStrictEqual(taken(), [...IN_MEMORY, ...ON_DISK, ...volumes].sort());
    await rig.pass(20_000);
    const later = [...LATER, ...FIRST_LOG_LOOK, ...LOG_LOOKS];
    deepStrictEqual(taken(), later.sort());
    await rig.pass(20_000);
    deepStrictEqual(taken(), LOG_LOOKS);
  });
}

Deno.test("Agent starts ten pods, and one more, while no fsync ever ends", async () => {
  await using rig = await CoreRig.start();
  await using disk = new BusyDisk(rig);
  const running = () => rig.fake.running(WEB).length;
  for (let number = 0; number < 10; number++) {
    await rig.apply(`web-${number}`, web({ name: `web-${number}` }));
  }
  await rig.until(() => running() === 10, "ten pods");
  // None had to be begun, either.
  strictEqual(disk.asked, 0);
  await rig.pass(15_000);
  ok(disk.asked > 0);
  await rig.apply("late", web({ name: "late" }));
  await rig.until(() => running() === 11, "one more");
});

/** Those of the agent below its own directories, without what differs each time. */
function named(
  calls: readonly string[],
  uid: string = "",
): readonly string[] {
  return calls.filter((call) => !/ manifests|web\.new/.test(call))
    .map((call) =>
      call.replaceAll(uid, "UID").replace(/[0-9a-f]{32}/, "KEY")
        .replace(/\.json\.\d+-\d+\.tmp/, ".json.N.tmp")
    ).sort();
}
