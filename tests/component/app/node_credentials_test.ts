/**
 * How a node gets, keeps and renews its certificate, over TLS and on disk.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readKeyPair } from "../../../mod/kube/certificates/mod.ts";
import {
  BOOT_TOKEN,
  CredentialsRig,
  NODE_USER,
} from "../../support/app/credentials_rig.ts";

const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 24 * 60 * MINUTE_MS;
const NOW_MS = Date.UTC(2026, 10, 1);
const PAIR = "pki/kubelet-client-current.pem";
const KEY = "pki/kubelet-client.key.tmp";

/** When 80 % of the life of a certificate of 2020 to 2030 are over. */
const DUE_MS = Date.UTC(2020, 0, 1) +
  .8 * (Date.UTC(2030, 0, 1) - Date.UTC(2020, 0, 1));

Deno.test("NodeCredentials makes a node of one that has a bootstrap kubeconfig; what is asked meanwhile waits", async () => {
  await using rig = await CredentialsRig.create(NOW_MS);
  await rig.bootstrap();
  rig.start();
  deepStrictEqual(await Promise.all([rig.ask(), rig.watch()]), ["ok", "{}"]);
  deepStrictEqual(rig.asked, [
    `${BOOT_TOKEN} POST certificatesigningrequests`,
    // The new certificate is tried, and then used for both.
    `${NODE_USER} GET version`,
    `${NODE_USER} GET version`,
    `${NODE_USER} GET version`,
  ]);
  await rig.until(async () => await rig.file("kubeconfig") !== "");
  const { users, clusters } = JSON.parse(await rig.file("kubeconfig"));
  deepStrictEqual(users[0].user, {
    "client-certificate": rig.path(PAIR),
    "client-key": rig.path(PAIR),
  });
  strictEqual(clusters[0].cluster.server, rig.server.url);
  ok(!(await rig.file("kubeconfig")).includes(BOOT_TOKEN));
  for (const name of ["kubeconfig", PAIR]) {
    const { mode } = await Deno.stat(rig.path(name));
    strictEqual((mode ?? 0) & 0o777, 0o600, name);
  }
  strictEqual(((await Deno.stat(rig.path("pki"))).mode ?? 0) & 0o777, 0o700);
  strictEqual(await rig.file(KEY), "");
  strictEqual(await rig.file("kubeconfig.new"), "");
  deepStrictEqual(rig.messages, [
    "kubeconfig_unusable",
    "certificate_renewed",
    "kubeconfig_written",
  ]);
  deepStrictEqual(rig.log.filter((line) => line.includes('"warn"')), []);
});

Deno.test("NodeCredentials needs the bootstrap kubeconfig once", async () => {
  await using rig = await CredentialsRig.create(NOW_MS);
  await rig.bootstrap();
  rig.start();
  await rig.until(() => rig.messages.includes("kubeconfig_written"));
  await rig.stop();
  await Deno.remove(rig.path("bootstrap"));
  rig.log.length = 0;
  rig.start();
  strictEqual(await rig.ask(), "ok");
  strictEqual(rig.signer.kept.size, 1);
  deepStrictEqual(rig.log, []);
});

Deno.test("NodeCredentials waits for a person that approves, and says so once", async () => {
  await using rig = await CredentialsRig.create(NOW_MS);
  rig.signer.approves = false;
  await rig.bootstrap();
  rig.start();
  const answer = rig.ask();
  await rig.until(() => rig.signer.kept.size === 1);
  ok((await rig.file(KEY)).includes("PRIVATE KEY"));
  // In small steps, so that no call times out while its answer is on its way.
  await rig.until(async () => {
    await rig.clock.advance(100);
    return rig.messages.includes("certificate_not_approved");
  });
  const { length } = rig.asked;
  await rig.until(async () => {
    await rig.clock.advance(100);
    return rig.asked.length > length + 1;
  });
  deepStrictEqual(rig.messages, [
    "kubeconfig_unusable",
    "certificate_not_approved",
  ]);
  strictEqual(rig.credentials?.awaitsCertificate, true);
  match(rig.log[1] ?? "", /"request":"node-csr-[0-9a-f]{64}"/);
  await rig.signer.approve(rig.signer.last);
  await rig.until(async () => {
    await rig.clock.advance(100);
    return rig.messages.includes("certificate_renewed");
  });
  strictEqual(await answer, "ok");
  strictEqual(rig.credentials.awaitsCertificate, false);
  strictEqual(rig.credentials.server, rig.server.url);
  strictEqual(rig.signer.kept.size, 1);
});

Deno.test("NodeCredentials asks again, with another key, after a request was denied (IN-13)", async () => {
  await using rig = await CredentialsRig.create(NOW_MS);
  rig.signer.approves = false;
  await rig.bootstrap();
  rig.start();
  const answer = rig.ask();
  await rig.until(() => rig.signer.kept.size === 1);
  rig.signer.last.status = { conditions: [{ type: "Denied", reason: "No" }] };
  rig.signer.approves = true;
  await rig.until(async () => {
    await rig.clock.advance(100);
    return rig.messages.includes("certificate_renewed");
  });
  strictEqual(await answer, "ok");
  ok(rig.messages.includes("certificate_denied"));
  strictEqual(rig.signer.kept.size, 2);
});

Deno.test("NodeCredentials writes the kubeconfig that an agent before was killed before writing", async () => {
  await using rig = await CredentialsRig.create(NOW_MS);
  await rig.bootstrap();
  await rig.keep(await rig.issue(2030));
  await Deno.writeTextFile(rig.path("kubeconfig.new"), "half of i");
  rig.start();
  strictEqual(await rig.ask(), "ok");
  await rig.until(() => rig.messages.includes("kubeconfig_written"));
  strictEqual(rig.signer.kept.size, 0);
});

Deno.test("NodeCredentials takes the certificate that a kubelet has left behind a link, and puts the next one in its place", async () => {
  await using rig = await CredentialsRig.create(DUE_MS - MINUTE_MS);
  await rig.kubeconfig("kubeconfig", await rig.issue(2027));
  await rig.keep(await rig.issue(2030));
  const left = rig.path("pki/kubelet-client-2026-01-01-00-00-00.pem");
  await Deno.rename(rig.path(PAIR), left);
  await Deno.symlink(left, rig.path(PAIR));
  const before = await Deno.readTextFile(left);
  rig.signer.endYear = 2040;
  rig.start({ hasBootstrap: false });
  strictEqual(await rig.ask(), "ok");
  strictEqual(rig.signer.kept.size, 0);
  await rig.clock.advance(MINUTE_MS);
  await rig.until(() => rig.messages.includes("certificate_renewed"));
  strictEqual((await Deno.lstat(rig.path(PAIR))).isFile, true);
  strictEqual(await Deno.readTextFile(left), before);
});

Deno.test("NodeCredentials asks no more often than it may", async () => {
  await using rig = await CredentialsRig.create(NOW_MS);
  await rig.kubeconfig("kubeconfig", { token: "t1" });
  rig.start({ hasBootstrap: false, rotates: false });
  const calls = Array.from({ length: 101 }, () => rig.ask());
  strictEqual(
    (await Promise.all(calls.slice(0, 100))).every((each) => each === "ok"),
    true,
  );
  strictEqual(rig.asked.length, 100);
  await rig.clock.advance(20);
  strictEqual(await calls[100], "ok");
});

Deno.test("NodeCredentials with a bootstrap kubeconfig gets another certificate when that of the kubeconfig has ended", async () => {
  await using rig = await CredentialsRig.create(NOW_MS);
  await rig.bootstrap();
  await rig.kubeconfig("kubeconfig", await rig.issue(2025));
  rig.start({ rotates: false });
  await rig.until(() => rig.messages.includes("kubeconfig_written"));
  strictEqual(await rig.ask(), "ok");
  deepStrictEqual(rig.asked.slice(0, 1), [
    `${BOOT_TOKEN} POST certificatesigningrequests`,
  ]);
  match(await rig.file("kubeconfig"), /kubelet-client-current\.pem/);
});

Deno.test("NodeCredentials without one says that the certificate has ended, and takes what is put in its place (IN-13)", async () => {
  await using rig = await CredentialsRig.create(NOW_MS);
  await rig.kubeconfig("kubeconfig", await rig.issue(2025));
  rig.start({ hasBootstrap: false });
  await rig.until(() => rig.messages.length === 1);
  match(rig.log[0] ?? "", /certificate_not_renewed.* 401/);
  match(await rig.ask(), /401/);
  const { length } = rig.asked;
  await rig.until(async () => {
    await rig.clock.advance(100);
    return rig.asked.length > length + 3;
  });
  await rig.kubeconfig("kubeconfig", await rig.issue(2035));
  await rig.until(async () => {
    await rig.clock.advance(100);
    return await rig.ask() === "ok";
  });
  deepStrictEqual(
    rig.log.filter((each) => each.includes("certificate_not_renewed")),
    rig.log.slice(0, 1),
  );
});

Deno.test("NodeCredentials renews the certificate of a kubeconfig, which stays as it is", async () => {
  await using rig = await CredentialsRig.create(DUE_MS - MINUTE_MS);
  const own = await rig.issue(2030);
  await rig.kubeconfig("kubeconfig", own);
  const text = await rig.file("kubeconfig");
  rig.signer.endYear = 2040;
  rig.start({ hasBootstrap: false });
  strictEqual(await rig.ask(), "ok");
  strictEqual(rig.signer.kept.size, 0);
  // Somebody has taken the right away, and gives it back.
  rig.refused.add(NODE_USER);
  await rig.clock.advance(MINUTE_MS);
  await rig.until(() => rig.messages.includes("certificate_not_renewed"));
  strictEqual(await rig.file(PAIR), "");
  rig.refused.clear();
  await rig.until(async () => {
    await rig.clock.advance(100);
    return rig.messages.includes("certificate_renewed");
  });
  strictEqual(await rig.file("kubeconfig"), text);
  const kept = await rig.file(PAIR);
  strictEqual(readKeyPair(kept, kept).endsMs, Date.UTC(2040, 0, 1));
  // The one before is not shown any more.
  await rig.until(() => rig.messages.includes("credentials_renewed"));
  strictEqual(await rig.ask(), "ok");
  await rig.stop();
  rig.start({ hasBootstrap: false });
  strictEqual(await rig.ask(), "ok");
  strictEqual(rig.signer.kept.size, 1);
});

Deno.test("NodeCredentials asks for nothing unless it is to rotate", async () => {
  await using rig = await CredentialsRig.create(DUE_MS + YEAR_MS);
  await rig.kubeconfig("kubeconfig", await rig.issue(2030));
  rig.start({ hasBootstrap: false, rotates: false });
  strictEqual(await rig.ask(), "ok");
  await rig.clock.advance(10 * MINUTE_MS);
  deepStrictEqual(rig.asked, [`${NODE_USER} GET version`]);
  strictEqual(rig.clock.pendingTimers, 0);
  strictEqual(await rig.file(PAIR), "");
});

Deno.test("NodeCredentials shows the token of a kubeconfig until there is a certificate", async () => {
  await using rig = await CredentialsRig.create(NOW_MS);
  await rig.kubeconfig("kubeconfig", { token: "t1" });
  rig.signer.approves = false;
  rig.start({ hasBootstrap: false });
  strictEqual(await rig.ask(), "ok");
  await rig.until(() => rig.signer.kept.size === 1);
  await rig.signer.approve(rig.signer.last);
  await rig.until(async () => {
    await rig.clock.advance(100);
    return rig.messages.includes("certificate_renewed");
  });
  await rig.until(() => rig.messages.includes("credentials_renewed"));
  strictEqual(await rig.ask(), "ok");
  deepStrictEqual(
    [...new Set(rig.asked)].sort(),
    [
      `${NODE_USER} GET version`,
      "t1 GET certificatesigningrequests",
      "t1 GET version",
      "t1 POST certificatesigningrequests",
    ],
  );
});

Deno.test("NodeCredentials makes a node of one whose disk takes nothing", async () => {
  await using rig = await CredentialsRig.create(NOW_MS);
  await rig.bootstrap();
  await Deno.writeTextFile(rig.path("file"), "");
  rig.start({ certDir: "file/pki", kubeconfig: "none/kubeconfig" });
  strictEqual(await rig.ask(), "ok");
  await rig.until(() => rig.messages.includes("kubeconfig_not_written"));
  ok(rig.messages.includes("certificate_not_written"));
  ok(!rig.log.join().includes("PRIVATE KEY"));
});

Deno.test("NodeCredentials ends while it waits for its first certificate", async () => {
  await using rig = await CredentialsRig.create(NOW_MS);
  rig.signer.approves = false;
  await rig.bootstrap();
  rig.start();
  const answer = rig.ask();
  await rig.until(() => rig.signer.kept.size === 1);
  await rig.stop();
  match(await answer, /Abort/);
});
