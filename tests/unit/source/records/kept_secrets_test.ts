/**
 * Secrets that outlive a reboot, and what becomes of them when they cannot be read.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { sealRecord } from "../../../../mod/host/files/mod.ts";
import type { SourceContent } from "../../../../mod/source/merge/mod.ts";
import { TOKENS_LAST_MS } from "../../../../mod/source/records/kept_secrets.ts";
import { SecretLock } from "../../../../mod/source/records/secret_lock.ts";
import {
  GIVEN_KEY,
  type Keeping,
  KeptSecretsRig,
  KEY_A,
  MADE_KEY,
  password,
  podToken,
  secretSet,
} from "../../../support/source/kept_secrets_rig.ts";
import { soundOf } from "../../../support/sound_of.ts";

const MEMORY: Keeping = { how: "memory" };
const PLAIN: Keeping = { how: "plain" };
const ENCRYPTED: Keeping = { how: "encrypted" };
const GIVEN: Keeping = { how: "encrypted", keyFile: GIVEN_KEY };
const SET: SourceContent = secretSet([password("hunter2")]);

async function kept(keeping: Keeping, set = SET): Promise<KeptSecretsRig> {
  const rig = new KeptSecretsRig();
  if (keeping === GIVEN) rig.disk.files.set(GIVEN_KEY, KEY_A);
  await rig.save(keeping, set);
  return rig;
}

for (
  const [keeping, survives, isLegible] of [
    [MEMORY, false, false],
    [PLAIN, true, true],
    [ENCRYPTED, true, false],
    [GIVEN, true, false],
  ] as const
) {
  const { how, keyFile = "a key of its own" } = keeping;
  Deno.test(`Secrets kept in the way "${how}" with ${keyFile} after a reboot`, async () => {
    const rig = await kept(keeping);
    // However they are kept, they outlive the agent.
    deepStrictEqual(await rig.secrets(keeping), { login: "hunter2" });
    rig.reboot();
    const found = await rig.load(keeping);
    ok(found.kind === "present");
    deepStrictEqual(
      found.content,
      survives ? SET : secretSet([]),
    );
    strictEqual(
      found.lack?.words,
      survives
        ? undefined
        : "Secrets are not kept over a reboot (--keep-secrets=encrypted would)",
    );
    // In vain is only what was never kept.
    strictEqual(found.lack?.isLasting, survives ? undefined : true);
    strictEqual(rig.onDisk().includes(btoa("hunter2")), isLegible);
    strictEqual(rig.onDisk().includes("login"), isLegible);
    deepStrictEqual(rig.messages(), []);
  });
}

Deno.test("the key that an agent makes is made once, whole and before anything needs it", async () => {
  const rig = await kept(ENCRYPTED);
  const key = rig.disk.files.get(MADE_KEY) ?? "";
  match(key, /^[A-Za-z0-9+/]{43}=\n$/);
  await rig.save(ENCRYPTED, secretSet([password("other")]));
  strictEqual(rig.disk.files.get(MADE_KEY), key);
  const writes = rig.disk.calls.filter((call) =>
    call.startsWith("write /state")
  );
  strictEqual(writes[0], `write ${MADE_KEY}`);
  strictEqual(writes.filter((call) => call.endsWith(MADE_KEY)).length, 1);
});

Deno.test("a set without Secrets needs no key, and makes none", async () => {
  const rig = await kept(ENCRYPTED, secretSet([]));
  strictEqual(rig.disk.files.has(MADE_KEY), false);
  deepStrictEqual(soundOf(await rig.load(ENCRYPTED)), secretSet([]));
});

Deno.test("nothing is written when nothing has changed, although each encryption is another one", async () => {
  for (const keeping of [PLAIN, ENCRYPTED]) {
    const rig = await kept(keeping);
    const writes = rig.writes();
    for (let round = 0; round < 3; round++) await rig.save(keeping, SET);
    await rig.save(keeping, {
      ...SET,
      objects: SET.objects.toReversed(),
    });
    strictEqual(rig.writes() - writes <= 1, true);
    await rig.load(keeping);
    strictEqual(rig.writes() - writes <= 1, true);
    await rig.save(keeping, secretSet([password("changed")]));
    rig.reboot();
    deepStrictEqual(await rig.secrets(keeping), { login: "changed" });
  }
});

Deno.test("equal text is never encrypted alike", async () => {
  const rig = await kept(ENCRYPTED);
  const before = rig.onDisk();
  await rig.save(ENCRYPTED, secretSet([password("hunter2")], "b"));
  const sealed = (text: string) => JSON.parse(text).record.sealed;
  ok(sealed(before).iv !== sealed(rig.onDisk()).iv);
  ok(sealed(before).text !== sealed(rig.onDisk()).text);
});

for (const keeping of [PLAIN, ENCRYPTED]) {
  const { how } = keeping;
  Deno.test(`tokens that are renewed are written once a day (${how})`, async () => {
    const set = (round: number, image = "a") =>
      secretSet([password("p"), podToken(`token-${round}`)], image);
    const rig = await kept(keeping, set(0));
    const writes = rig.writes();
    const after = async () => {
      const copy = new KeptSecretsRig();
      for (const [path, text] of rig.disk.files) {
        copy.disk.files.set(path, text);
      }
      copy.reboot();
      return (await copy.secrets(keeping))["token/uid-web/3600/"];
    };
    // Every 48 minutes, as the kubelet.
    for (let round = 1; round < 30; round++) {
      await rig.clock.advance(48 * 60_000);
      await rig.save(keeping, set(round));
    }
    strictEqual(rig.writes(), writes);
    strictEqual(await after(), "token-0");
    // The agent itself begins with the newest one.
    strictEqual(
      (await rig.secrets(keeping))["token/uid-web/3600/"],
      "token-29",
    );
    await rig.clock.advance(48 * 60_000);
    strictEqual(30 * 48 * 60_000, TOKENS_LAST_MS);
    await rig.save(keeping, set(30));
    strictEqual(rig.writes(), writes + 1);
    strictEqual(await after(), "token-30");
    // Whatever else is written takes the newest along.
    await rig.save(keeping, set(31, "b"));
    strictEqual(await after(), "token-31");
    await rig.save(keeping, set(32, "b"));
    strictEqual(await after(), "token-31");
    // A clock that went back says nothing of an age.
    rig.clock.wall = 0;
    await rig.save(keeping, set(33, "b"));
    strictEqual(await after(), "token-33");
  });
}

for (
  const [from, to, isLegible] of [
    [PLAIN, ENCRYPTED, false],
    [ENCRYPTED, PLAIN, true],
    [PLAIN, MEMORY, false],
    [ENCRYPTED, MEMORY, false],
    [MEMORY, ENCRYPTED, false],
    [MEMORY, PLAIN, true],
  ] as const
) {
  Deno.test(`another choice counts at once, and loses nothing: ${from.how}, then ${to.how}`, async () => {
    const rig = await kept(from);
    if (from !== MEMORY) rig.reboot();
    // The server is silent: nothing is saved but what was found.
    deepStrictEqual(await rig.secrets(to), { login: "hunter2" });
    if (from !== MEMORY) {
      strictEqual(rig.onDisk().includes(btoa("hunter2")), isLegible);
      deepStrictEqual(await rig.secrets(to), { login: "hunter2" });
    }
    strictEqual(
      /sealed/.test(rig.onDisk()),
      to === ENCRYPTED && from !== MEMORY,
    );
    await rig.save(to, SET);
    rig.reboot();
    deepStrictEqual(
      await rig.secrets(to),
      to === MEMORY ? {} : { login: "hunter2" },
    );
  });
}

Deno.test("encrypted Secrets of another record are not taken", async () => {
  const rig = await kept(GIVEN);
  const [name = ""] = rig.disk.namesIn("/state/api");
  const text = rig.disk.files.get(`/state/api/${name}`) ?? "";
  const { record } = JSON.parse(text);
  const lock = new SecretLock({ path: GIVEN_KEY, isMade: false }, rig.disk);
  ok((await lock.open(record.path, record.sealed)).includes("login"));
  let words = "";
  await lock.open("another", record.sealed).catch(({ message }) =>
    words = message
  );
  match(words, /is not the key/);
});

for (const text of ["7", "{}", '["x"]', "null", "", '[{"kind":7}]']) {
  Deno.test(`encrypted ${text} gives no Secret, and costs no pod`, async () => {
    const rig = await kept(GIVEN);
    rig.reboot();
    const [name = ""] = rig.disk.namesIn("/state/api");
    const path = `/state/api/${name}`;
    const { record } = JSON.parse(rig.disk.files.get(path) ?? "");
    const lock = new SecretLock({ path: GIVEN_KEY, isMade: false }, rig.disk);
    const sealed = await lock.seal(record.path, text);
    rig.disk.files.set(path, sealRecord({ ...record, sealed }).text);
    deepStrictEqual(soundOf(await rig.load(GIVEN)), secretSet([]));
  });
}

Deno.test("a record of which any byte is another one gives no Secret (N02)", async () => {
  const rig = await kept(GIVEN);
  rig.reboot();
  const [name = ""] = rig.disk.namesIn("/state/api");
  const path = `/state/api/${name}`;
  const text = rig.disk.files.get(path) ?? "";
  for (let at = 0; at < text.length - 1; at += 13) {
    const other = text[at] === "7" ? "8" : "7";
    for (
      const spoiled of [
        text.slice(0, at),
        text.slice(0, at) + other + text.slice(at + 1),
      ]
    ) {
      rig.disk.files.set(path, spoiled);
      strictEqual((await rig.load(GIVEN)).kind, "absent", `at ${at}`);
    }
  }
  ok(rig.messages().every((each) => each === "checkpoint_corrupt"));
});

Deno.test("an agent that is killed between any two steps leaves pods and Secrets of one time (N06)", async () => {
  const first = secretSet([password("one"), podToken("t1")], "one");
  const second = secretSet([password("two", "other"), podToken("t2")], "two");
  for (const keeping of [PLAIN, ENCRYPTED, GIVEN]) {
    for (const before of [undefined, first]) {
      const found = new Set<string>();
      for (let step = 0;; step++) {
        const rig = new KeptSecretsRig();
        rig.disk.files.set(GIVEN_KEY, KEY_A);
        if (before !== undefined) await rig.save(keeping, before);
        rig.disk.calls.length = 0;
        rig.disk.failing = () =>
          rig.disk.calls.length > step ? "EIO" : undefined;
        await rig.save(keeping, second);
        const isOver = rig.disk.calls.length <= step;
        rig.disk.failing = () => undefined;
        rig.reboot();
        const text = JSON.stringify(await rig.secrets(keeping));
        const image = soundOf(await rig.load(keeping))?.pods[0]?.spec
          .containers[0]?.image;
        found.add(`${image} ${text}`);
        // And the next one goes on as if nothing had been.
        await rig.save(keeping, second);
        rig.reboot();
        strictEqual((await rig.secrets(keeping))["other"], "two");
        if (isOver) break;
      }
      deepStrictEqual([...found], [
        before === undefined
          ? "undefined {}"
          : 'one {"login":"one","token/uid-web/3600/":"t1"}',
        'two {"other":"two","token/uid-web/3600/":"t2"}',
      ]);
    }
  }
});
