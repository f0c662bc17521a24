/**
 * What becomes of a certificate and of the key of a request when the disk refuses, and when
 * the agent is killed; how often a fault is told.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import { newKey, readKeyPair } from "../../../../mod/kube/certificates/mod.ts";
import { readNewKey } from "../../../../mod/kube/certificates/certificate_request.ts";
import { RequestKey } from "../../../../mod/kube/certificates/request_key.ts";
import { KeeperRig, PAIR_PATH } from "../../../support/kube/keeper_rig.ts";
import { linesTo } from "../../../support/log_lines.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const MINUTE_MS = 60_000;
const KEY_PATH = "/pki/kubelet-client.key.tmp";

Deno.test("readNewKey() reads the key that newKey() has made", async () => {
  const key = await newKey();
  const read = await readNewKey(key.pem.reveal());
  strictEqual(read?.pem.reveal(), key.pem.reveal());
  const spki = (pair: CryptoKeyPair) =>
    crypto.subtle.exportKey("spki", pair.publicKey);
  deepStrictEqual(await spki(read.pair), await spki(key.pair));
});

for (
  const text of [
    "",
    "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n§\n-----END PRIVATE KEY-----",
  ]
) {
  Deno.test(`readNewKey() takes ${JSON.stringify(text)} for no key`, async () => {
    strictEqual(await readNewKey(text), undefined);
  });
}

Deno.test("RequestKey does without a disk that refuses, and says so", async () => {
  const log: string[] = [];
  const refuse = () => Promise.reject(new Error("The disk is broken"));
  const files = { read: refuse, replace: refuse, remove: refuse };
  const deps = { files, log: linesTo(log, { clock: new FakeClock() }) };
  const key = new RequestKey(deps, KEY_PATH);
  const first = await key.current();
  strictEqual(await key.current(), first);
  await key.drop();
  ok(await key.current() !== first);
  strictEqual(log.length, 4);
  match(
    log[0] ?? "",
    /request_key_not_kept.*kubelet-client\.key\.tmp.*The disk is broken/,
  );
});

Deno.test("RequestKey touches no disk without a path", async () => {
  const refuse = () => Promise.reject(new Error("The disk is broken"));
  const log: string[] = [];
  const key = new RequestKey({
    files: { read: refuse, replace: refuse, remove: refuse },
    log: linesTo(log, { clock: new FakeClock() }),
  }, undefined);
  const first = await key.current();
  await key.drop();
  ok(await key.current() !== first);
  deepStrictEqual(log, []);
});

Deno.test("CertificateKeeper that is killed between key and certificate goes on with the same request", async () => {
  const rig = await KeeperRig.create();
  rig.start({ keyPath: KEY_PATH });
  await rig.until(() => rig.signer.kept.size === 1);
  const key = rig.files.get(KEY_PATH) ?? "";
  match(key, /^-----BEGIN PRIVATE KEY-----\n/);
  await rig[Symbol.asyncDispose]();
  await using next = await KeeperRig.create();
  const signer = rig.signer;
  next.signer = signer;
  next.files.set(KEY_PATH, key);
  await signer.approve(signer.last);
  next.start({ keyPath: KEY_PATH });
  await next.until(() => next.renewed.length === 1);
  strictEqual(signer.kept.size, 1);
  strictEqual(next.renewed[0]?.key.reveal().trim(), key.trim());
  await next.until(() => next.files.get(KEY_PATH) === undefined);
  ok(next.files.has(PAIR_PATH));
});

Deno.test("CertificateKeeper makes another key where that of the agent before is none", async () => {
  await using rig = await KeeperRig.create();
  rig.files.set(KEY_PATH, "S3CR3T");
  rig.signer.approves = true;
  rig.start({ keyPath: KEY_PATH });
  await rig.until(() => rig.renewed.length === 1);
  ok(!rig.log.join().includes("S3CR3T"));
});

Deno.test("CertificateKeeper keeps the key on the disk as long as the certificate is not there", async () => {
  // Two minutes before 80 % of its life are over.
  const lifeMs = Date.UTC(2030, 0, 1) - Date.UTC(2020, 0, 1);
  await using rig = await KeeperRig.create(
    Date.UTC(2020, 0, 1) + .8 * lifeMs - 2 * MINUTE_MS,
  );
  rig.signer.approves = true;
  rig.start({ keyPath: KEY_PATH, path: "/full/pair.pem" });
  await rig.until(() => rig.renewed.length === 1);
  ok(rig.files.has(KEY_PATH));
  rig.signer.endYear = 2040;
  await rig.clock.advance(2 * MINUTE_MS);
  await rig.until(() => rig.renewed.length === 2);
  strictEqual(rig.signer.kept.size, 2, "and no key is used twice");
});

Deno.test("CertificateKeeper uses the new one though the disk refuses, says so once and writes it later", async () => {
  await using rig = await KeeperRig.create();
  rig.isFull = true;
  rig.signer.approves = true;
  rig.start();
  await rig.until(() => rig.renewed.length === 1);
  await rig.clock.advance(10 * MINUTE_MS);
  deepStrictEqual(rig.messages, [
    "certificate_not_written",
    "certificate_renewed",
  ]);
  match(rig.log[0] ?? "", /The disk is full/);
  strictEqual(rig.signer.kept.size, 1, "no other is asked for");
  strictEqual(rig.files.size, 0);
  rig.isFull = false;
  await rig.clock.advance(MINUTE_MS);
  await rig.until(() => rig.files.size === 1);
  const text = rig.files.get(PAIR_PATH) ?? "";
  strictEqual(readKeyPair(text, text).cert, rig.renewed[0]?.cert);
});

Deno.test("CertificateKeeper says the same fault once", async () => {
  await using rig = await KeeperRig.create();
  rig.signer.failsAlways = new ApiFailure("Forbidden", "Cannot create");
  rig.start();
  for (let tries = 1; tries <= 4; tries++) {
    await rig.until(() => rig.signer.calls.length === tries);
    await rig.until(() => rig.log.length === 1);
    await rig.clock.advance(300_000 * 1.2);
  }
  rig.signer.failsAlways = new ApiFailure("Forbidden", "Cannot create it");
  await rig.until(() => rig.signer.calls.length === 5);
  await rig.clock.advance(300_000 * 1.2);
  await rig.until(() => rig.log.length === 2);
});

Deno.test("CertificateKeeper says a fault again that came back after a renewal", async () => {
  // Two minutes before 80 % of its life are over.
  const lifeMs = Date.UTC(2030, 0, 1) - Date.UTC(2020, 0, 1);
  await using rig = await KeeperRig.create(
    Date.UTC(2020, 0, 1) + .8 * lifeMs - 2 * MINUTE_MS,
  );
  rig.signer.approves = true;
  const fault = new ApiFailure("Forbidden", "Cannot create");
  rig.signer.failure = fault;
  rig.start();
  await rig.until(() => rig.log.length === 1);
  await rig.clock.advance(2_200);
  await rig.until(() => rig.renewed.length === 1);
  rig.signer.failure = fault;
  await rig.clock.advance(2 * MINUTE_MS);
  await rig.until(() => rig.log.length === 3);
  deepStrictEqual(rig.messages, [
    "certificate_not_renewed",
    "certificate_renewed",
    "certificate_not_renewed",
  ]);
});
