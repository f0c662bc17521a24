/**
 * Secrets that were kept and cannot be read: nothing that runs is harmed, nothing written over.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { SourceContent } from "../../../../mod/source/merge/mod.ts";
import {
  GIVEN_KEY,
  type Keeping,
  KeptSecretsRig,
  KEY_A,
  KEY_B,
  MADE_KEY,
  password,
  secretSet,
} from "../../../support/source/kept_secrets_rig.ts";
import { soundOf } from "../../../support/sound_of.ts";

const ENCRYPTED: Keeping = { how: "encrypted" };
const GIVEN: Keeping = { how: "encrypted", keyFile: GIVEN_KEY };
const SET: SourceContent = secretSet([password("hunter2")]);

async function kept(keeping: Keeping): Promise<KeptSecretsRig> {
  const rig = new KeptSecretsRig();
  if (keeping === GIVEN) rig.disk.files.set(GIVEN_KEY, KEY_A);
  await rig.save(keeping, SET);
  return rig;
}

interface Fault {
  readonly of: string;
  readonly make: (rig: KeptSecretsRig) => void;
  readonly words: RegExp;
}

const FAULTS: readonly Fault[] = [
  {
    of: "is missing",
    make: ({ disk }) => void disk.files.delete(GIVEN_KEY),
    words: /^Cannot find the key of kept Secrets: there is no "\/usb\/key"$/,
  },
  {
    of: "is another one",
    make: ({ disk }) => void disk.files.set(GIVEN_KEY, KEY_B),
    words:
      /^Cannot read the Secrets that were kept: "\/usb\/key" is not the key/,
  },
  {
    of: "is empty",
    make: ({ disk }) => void disk.files.set(GIVEN_KEY, ""),
    words:
      /^Cannot use "\/usb\/key" as the key of kept Secrets: found no 32 bytes/,
  },
  {
    of: "is cut short",
    make: ({ disk }) => void disk.files.set(GIVEN_KEY, KEY_A.slice(0, 40)),
    words: /wanted what "openssl rand -base64 32" prints$/,
  },
  {
    of: "is no base64",
    make: ({ disk }) => void disk.files.set(GIVEN_KEY, "?".repeat(44)),
    words: /found no 32 bytes in base64/,
  },
  {
    of: "is on a medium that does not answer",
    make: ({ disk }) => {
      disk.failing = (call) => call.endsWith(GIVEN_KEY) ? "EIO" : undefined;
    },
    words:
      /^Cannot read the key of kept Secrets "\/usb\/key": The disk says EIO/,
  },
];

for (const { of, make, words } of FAULTS) {
  Deno.test(`a key that ${of} costs no pod, is told in words once, and nothing is written over`, async () => {
    const rig = await kept(GIVEN);
    rig.reboot();
    const before = rig.onDisk();
    make(rig);
    const checkpoint = rig.open(GIVEN);
    for (let round = 0; round < 3; round++) {
      const found = await checkpoint.load();
      ok(found.kind === "present");
      deepStrictEqual(found.content, secretSet([]));
      match(found.lack?.words ?? "", words);
      // It is asked for again: the key may come.
      strictEqual(found.lack?.isLasting, false);
    }
    await checkpoint.run(AbortSignal.abort());
    strictEqual(rig.onDisk(), before);
    deepStrictEqual(rig.messages(), ["kept_secrets_locked"]);
    deepStrictEqual(
      rig.events.map(({ reason, pod }) => `${reason} ${pod.name}`),
      ["KeptSecretsLocked web"],
    );
    match(rig.metrics.render(), /skerry_kept_secrets_locked\{source="api"\} 1/);
    // The key comes back.
    rig.disk.failing = () => undefined;
    rig.disk.files.set(GIVEN_KEY, KEY_A);
    deepStrictEqual(soundOf(await checkpoint.load()), SET);
    match(rig.metrics.render(), /skerry_kept_secrets_locked\{source="api"\} 0/);
    deepStrictEqual(rig.messages().slice(1), ["kept_secrets_unlocked"]);
  });
}

for (
  const { of, make, words } of FAULTS.filter(({ of }) =>
    of !== "is another one"
  )
) {
  Deno.test(`while a key ${of} pods are kept, old Secrets stay, and it is tried again`, async () => {
    const rig = await kept(GIVEN);
    const sealed = () => JSON.parse(rig.onDisk()).record.sealed;
    const before = sealed();
    make(rig);
    const next = secretSet([password("new")], "b");
    await rig.save(GIVEN, next);
    deepStrictEqual(sealed(), before);
    deepStrictEqual(rig.messages(), ["checkpoint_write_failed"]);
    match(
      `${rig.log[0]?.["error"]}`,
      new RegExp(words.source.replace(/[$^]/g, "")),
    );
    deepStrictEqual(
      rig.events.map(({ reason }) => reason),
      ["FailedCheckpoint"],
    );
    const { files } = rig.disk;
    const writes = rig.writes();
    await rig.save(GIVEN, next);
    strictEqual(rig.writes(), writes);
    // The pods are the newest all the same, and the agent itself has its Secrets in memory.
    const now = await rig.load(GIVEN);
    deepStrictEqual(soundOf(now)?.pods, next.pods);
    rig.disk.failing = () => undefined;
    files.set(GIVEN_KEY, KEY_A);
    rig.reboot();
    deepStrictEqual(await rig.secrets(GIVEN), { login: "hunter2" });
    await rig.save(GIVEN, next);
    rig.reboot();
    deepStrictEqual(soundOf(await rig.load(GIVEN)), next);
  });
}

Deno.test("what another key has encrypted is set aside before it is kept anew", async () => {
  const rig = await kept(GIVEN);
  const before = rig.onDisk();
  rig.disk.files.set(GIVEN_KEY, KEY_B);
  const next = secretSet([password("new")]);
  await rig.save(GIVEN, next);
  deepStrictEqual(rig.messages(), ["kept_secrets_set_aside"]);
  const [name, aside] = rig.disk.namesIn("/state/api");
  strictEqual(aside, `${name}.corrupt-1`);
  strictEqual(rig.disk.files.get(`/state/api/${aside}`), before);
  rig.reboot();
  deepStrictEqual(soundOf(await rig.load(GIVEN)), next);
});

Deno.test("whenever an agent is killed while it sets Secrets aside, the pods are kept (N06)", async () => {
  const next = secretSet([password("new")], "b");
  const images = new Set<string | undefined>();
  for (let step = 0; step < 20; step++) {
    const rig = await kept(GIVEN);
    rig.disk.files.set(GIVEN_KEY, KEY_B);
    rig.disk.calls.length = 0;
    rig.disk.failing = () => rig.disk.calls.length > step ? "EIO" : undefined;
    await rig.save(GIVEN, next);
    rig.disk.failing = () => undefined;
    const { pods = [] } = soundOf(await rig.load(GIVEN)) ?? {};
    images.add(pods[0]?.spec.containers[0]?.image);
  }
  deepStrictEqual([...images], ["a", "b"]);
});

Deno.test("a key of the agent's own that is gone is made anew, and what it had encrypted set aside", async () => {
  const rig = await kept(ENCRYPTED);
  const key = rig.disk.files.get(MADE_KEY);
  rig.disk.files.delete(MADE_KEY);
  rig.reboot();
  deepStrictEqual(await rig.secrets(ENCRYPTED), {});
  // Nobody knows yet that it is gone for good.
  strictEqual(rig.disk.files.has(MADE_KEY), false);
  await rig.save(ENCRYPTED, SET);
  ok(rig.disk.files.get(MADE_KEY) !== key);
  strictEqual(rig.disk.namesIn("/state/api").length, 2);
  rig.reboot();
  deepStrictEqual(await rig.secrets(ENCRYPTED), { login: "hunter2" });
});

Deno.test("a key that cannot be written costs the Secrets alone", async () => {
  const rig = new KeptSecretsRig();
  rig.disk.failing = (call) =>
    call === `write ${MADE_KEY}` ? "EROFS" : undefined;
  await rig.save(ENCRYPTED, SET);
  rig.reboot();
  deepStrictEqual(soundOf(await rig.load(ENCRYPTED)), secretSet([]));
  match(
    `${rig.log[0]?.["error"]}`,
    /Cannot write the key of kept Secrets "\/state\/secrets.key"/,
  );
});
