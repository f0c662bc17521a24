import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import {
  type KeyPair,
  nodeDraft,
  readKeyPair,
} from "../../../../mod/kube/certificates/mod.ts";
import { pemIn } from "../../../support/kube/fake_signer.ts";
import { KeeperRig, PAIR_PATH } from "../../../support/kube/keeper_rig.ts";
import { readSigningRequest } from "../../../support/kube/signing_request_parts.ts";

const MINUTE_MS = 60_000;

function fileOf(
  { cert, key }: { readonly cert: string; readonly key: string },
): string {
  return `${cert}${key}`;
}

function counts(rig: KeeperRig): readonly string[] {
  return rig.metrics.render().split("\n").filter((line) =>
    line.startsWith("skerry_certificate_requests_total{")
  ).map((line) => line.slice(line.indexOf("result=")));
}

Deno.test("CertificateKeeper gets the first certificate, and another one when 80 % of its life are over", async () => {
  // Two minutes before: a random half between 70 and 90 %.
  const lifeMs = Date.UTC(2030, 0, 1) - Date.UTC(2020, 0, 1);
  const dueMs = Date.UTC(2020, 0, 1) + .8 * lifeMs;
  await using rig = await KeeperRig.create(dueMs - 2 * MINUTE_MS);
  rig.start();
  await rig.until(() => rig.signer.kept.size === 1);
  const { spec, name } = rig.signer.last;
  match(name, /^node-csr-[0-9a-f]{64}$/);
  strictEqual(
    spec["signerName"],
    "kubernetes.io/kube-apiserver-client-kubelet",
  );
  deepStrictEqual(spec["usages"], ["digital signature", "client auth"]);
  strictEqual("expirationSeconds" in spec, false);
  deepStrictEqual(readSigningRequest(pemIn(spec)).subject, [
    "O=system:nodes",
    "CN=system:node:n1",
  ]);
  strictEqual(rig.files.size, 0);
  await rig.signer.approve(rig.signer.last);
  await rig.clock.advance(1_000);
  await rig.until(() => rig.renewed.length === 1);
  const text = rig.files.get(PAIR_PATH) ?? "";
  const pair = readKeyPair(text, text);
  strictEqual(pair.cert, rig.renewed[0]?.cert);
  strictEqual(pair.key.reveal(), rig.renewed[0]?.key.reveal());
  deepStrictEqual(rig.tried, rig.renewed);
  deepStrictEqual(rig.askedWith, [undefined]);
  strictEqual(JSON.parse(rig.log[0] ?? "").until, "2030-01-01T00:00:00.000Z");

  rig.signer.endYear = 2040;
  rig.signer.approves = true;
  await rig.clock.advance(MINUTE_MS);
  strictEqual(rig.signer.kept.size, 1);
  await rig.clock.advance(MINUTE_MS);
  await rig.until(() => rig.renewed.length === 2);
  strictEqual(rig.renewed[1]?.endsMs, Date.UTC(2040, 0, 1));
  ok(Date.parse(JSON.parse(rig.log[1] ?? "").time) >= dueMs);
  strictEqual(
    rig.askedWith[1],
    rig.renewed[0],
    "it asks with the one that it has",
  );
  strictEqual(rig.signer.kept.size, 2, "with another key");
  deepStrictEqual(rig.messages, ["certificate_renewed", "certificate_renewed"]);
  deepStrictEqual(counts(rig), ['result="issued"} 2']);
  await rig.clock.advance(10 * MINUTE_MS);
  strictEqual(rig.signer.kept.size, 2);
});

Deno.test("CertificateKeeper takes what is in the file", async () => {
  await using rig = await KeeperRig.create();
  const own = await rig.signer.authority.issue({ name: "n1", endYear: 2030 });
  rig.files.set(PAIR_PATH, fileOf(own));
  rig.start();
  await rig.until(() => rig.renewed.length === 1);
  strictEqual(rig.renewed[0]?.cert, own.cert.trim());
  strictEqual(rig.reads, 1);
  await rig.clock.advance(10 * MINUTE_MS);
  strictEqual(rig.signer.kept.size, 0);
  strictEqual(rig.clock.pendingTimers, 1);
  strictEqual(rig.reads, 1, "what is well is not looked at");
});

for (
  const [name, fileYear, initialYear, wanted] of [
    ["the file when it is good for longer", 2040, 2030, 2040],
    ["the file when both are good as long", 2030, 2030, 2030],
    ["the kubeconfig's when that is good for longer", 2030, 2040, 2040],
    ["the kubeconfig's when there is no file", undefined, 2040, 2040],
  ] as const
) {
  Deno.test(`CertificateKeeper begins with ${name}`, async () => {
    await using rig = await KeeperRig.create();
    const { authority } = rig.signer;
    const first = await authority.issue({ name: "a", endYear: initialYear });
    const initial = readKeyPair(first.cert, first.key);
    if (fileYear !== undefined) {
      rig.files.set(
        PAIR_PATH,
        fileOf(await authority.issue({ name: "b", endYear: fileYear })),
      );
    }
    rig.start({ initial: () => Promise.resolve(initial) });
    await rig.until(() => rig.renewed.length === 1);
    strictEqual(rig.renewed[0]?.endsMs, Date.UTC(wanted, 0, 1));
    strictEqual(rig.renewed[0] === initial, name.startsWith("the kube"));
  });
}

Deno.test("CertificateKeeper gets another one when the file cannot be read", async () => {
  await using rig = await KeeperRig.create();
  rig.files.set(PAIR_PATH, "S3CR3T");
  rig.signer.approves = true;
  rig.start();
  await rig.until(() => rig.renewed.length === 1);
  deepStrictEqual(rig.messages, [
    "certificate_unreadable",
    "certificate_renewed",
  ]);
  ok(!rig.log.join().includes("S3CR3T"));
});

Deno.test("CertificateKeeper asks as one without a certificate when its own has ended", async () => {
  await using rig = await KeeperRig.create();
  const own = await rig.signer.authority.issue({ name: "n1", endYear: 2025 });
  rig.files.set(PAIR_PATH, fileOf(own));
  rig.signer.approves = true;
  rig.start();
  await rig.until(() => rig.renewed.length === 2);
  deepStrictEqual(rig.askedWith, [undefined]);
});

Deno.test("CertificateKeeper asks when it is time, also within the minute", async () => {
  const lifeMs = Date.UTC(2030, 0, 1) - Date.UTC(2020, 0, 1);
  await using rig = await KeeperRig.create(
    Date.UTC(2020, 0, 1) + .8 * lifeMs - 10_000,
  );
  const own = await rig.signer.authority.issue({ name: "n1", endYear: 2030 });
  rig.files.set(PAIR_PATH, fileOf(own));
  rig.signer.approves = true;
  rig.start();
  await rig.until(() => rig.renewed.length === 1);
  await rig.clock.advance(9_999);
  strictEqual(rig.askedWith.length, 0);
  await rig.clock.advance(1);
  await rig.until(() => rig.askedWith.length === 1);
});

Deno.test("CertificateKeeper uses what there is before it is known what to ask for", async () => {
  await using rig = await KeeperRig.create();
  rig.draft = undefined;
  const own = await rig.signer.authority.issue({ name: "n1", endYear: 2030 });
  rig.files.set(PAIR_PATH, fileOf(own));
  rig.start();
  await rig.until(() => rig.renewed.length === 1);
});

Deno.test("CertificateKeeper waits until it is known what to ask for", async () => {
  await using rig = await KeeperRig.create();
  rig.draft = undefined;
  rig.signer.approves = true;
  rig.start();
  await rig.clock.advance(10 * MINUTE_MS);
  strictEqual(rig.signer.kept.size, 0);
  rig.draft = nodeDraft("n1");
  await rig.clock.advance(MINUTE_MS);
  await rig.until(() => rig.renewed.length === 1);
});

for (
  const [name, more] of [
    ["a name", { dnsNames: ["n1"] }],
    ["an address", { ipAddresses: ["10.0.0.1"] }],
  ] as const
) {
  Deno.test(`CertificateKeeper asks again when ${name} is new, and not on and on when it is left out`, async () => {
    await using rig = await KeeperRig.create();
    rig.signer.approves = true;
    rig.start();
    await rig.until(() => rig.renewed.length === 1);
    rig.draft = { ...nodeDraft("n1"), ...more };
    await rig.clock.advance(MINUTE_MS);
    await rig.until(() => rig.renewed.length === 2);
    // The fake signer has left it out.
    await rig.clock.advance(2_199);
    strictEqual(rig.signer.kept.size, 2);
    await rig.clock.advance(1);
    await rig.until(() => rig.renewed.length === 3);
    await rig.clock.advance(4_399);
    strictEqual(rig.signer.kept.size, 3);
    await rig.clock.advance(1);
    await rig.until(() => rig.renewed.length === 4);
  });
}

Deno.test("CertificateKeeper is content with a certificate of more names", async () => {
  await using rig = await KeeperRig.create();
  const own = await rig.signer.authority.issue({
    name: "n1",
    hosts: ["n1", "more", "10.0.0.1", "10.0.0.2"],
  });
  rig.files.set(PAIR_PATH, fileOf(own));
  rig.draft = {
    ...nodeDraft("n1"),
    dnsNames: ["n1"],
    ipAddresses: ["10.0.0.1"],
  };
  rig.start();
  await rig.clock.advance(2 * MINUTE_MS);
  strictEqual(rig.signer.kept.size, 0);
});

Deno.test("CertificateKeeper tries again after what failed, with the same request", async () => {
  await using rig = await KeeperRig.create();
  rig.signer.failure = new ApiFailure("Forbidden", "Cannot create");
  rig.start();
  await rig.until(() => rig.log.length === 1);
  match(rig.log[0] ?? "", /certificate_not_renewed.*Cannot create/);
  strictEqual(rig.signer.kept.size, 0);
  await rig.clock.advance(2_200);
  await rig.until(() => rig.signer.kept.size === 1);
  rig.signer.failure = new ApiFailure("Unreachable", "Cannot get");
  await rig.clock.advance(1_000);
  await rig.until(() => rig.log.length === 2);
  await rig.signer.approve(rig.signer.last);
  await rig.clock.advance(4_400);
  await rig.until(() => rig.renewed.length === 1);
  strictEqual(rig.signer.kept.size, 1);
  deepStrictEqual(rig.signer.calls, [
    "create",
    "create",
    "get",
    "create",
    "get",
  ]);
  deepStrictEqual(counts(rig), ['result="failed"} 2', 'result="issued"} 1']);
});

for (const type of ["Denied", "Failed"]) {
  Deno.test(`CertificateKeeper asks with another key after ${type}, less and less often`, async () => {
    await using rig = await KeeperRig.create();
    rig.start();
    for (let asked = 1; asked <= 10; asked++) {
      await rig.until(() => rig.signer.kept.size === asked);
      const condition = { type, reason: "Policy", message: "no" };
      rig.signer.last.status = {
        conditions: [7, { type: "Approved" }, condition],
        certificate: "AAAA",
      };
      await rig.clock.advance(1_000);
      await rig.until(() => rig.log.length === asked);
      const pauseMs = Math.min(2_000 * 2 ** (asked - 1), 300_000) * 1.1;
      await rig.clock.advance(pauseMs - 1);
      strictEqual(rig.signer.kept.size, asked);
      await rig.clock.advance(1);
    }
    match(rig.log[0] ?? "", /certificate_denied.*Policy no/);
    match(rig.log[0] ?? "", new RegExp(`"answer":"${type}: Policy no"`));
    deepStrictEqual(counts(rig), ['result="denied"} 10']);
    strictEqual(rig.files.size, 0);
  });
}

for (
  const [name, fault, isKept] of [
    ["cannot be tried", new ApiFailure("Unreachable", "Cannot try"), true],
    ["is tried for too long", new ApiFailure("Timeout", "Cannot try"), true],
    ["is not taken", new ApiFailure("Unauthorized", "Cannot try"), false],
  ] as const
) {
  Deno.test(`CertificateKeeper keeps the old one while the new one ${name}`, async () => {
    await using rig = await KeeperRig.create(Date.UTC(2029, 0, 1));
    const own = await rig.signer.authority.issue({ name: "n1", endYear: 2030 });
    rig.files.set(PAIR_PATH, fileOf(own));
    rig.signer.approves = true;
    rig.signer.endYear = 2049;
    rig.fault = fault;
    rig.start();
    await rig.until(() => rig.log.length === 1);
    match(rig.log[0] ?? "", /certificate_not_renewed.*Cannot try/);
    strictEqual(rig.files.get(PAIR_PATH), fileOf(own));
    strictEqual(rig.renewed.length, 1);
    await rig.clock.advance(2_200);
    await rig.until(() => rig.renewed.length === 2);
    strictEqual(rig.signer.kept.size, isKept ? 1 : 2);
    const text = rig.files.get(PAIR_PATH) ?? "";
    strictEqual(readKeyPair(text, text).endsMs, Date.UTC(2049, 0, 1));
  });
}

Deno.test("CertificateKeeper asks with another key when the answer is garbage", async () => {
  await using rig = await KeeperRig.create();
  rig.start();
  for (const [at, certificate] of [btoa("garbage"), "§"].entries()) {
    await rig.until(() => rig.signer.kept.size === 1 + at);
    rig.signer.last.status = { certificate };
    await rig.clock.advance(1_000);
    await rig.until(() => rig.log.length === 1 + at);
    await rig.clock.advance(10_000);
  }
  match(rig.log[0] ?? "", /certificate_not_renewed.*Cannot use a certificate/);
  match(rig.log[1] ?? "", /certificate_not_renewed.*is no base64/);
  strictEqual(rig.files.get(PAIR_PATH), undefined);
});

for (
  const [name, isWritten] of [["in the file", true], [
    "in the kubeconfig",
    false,
  ]] as const
) {
  Deno.test(`CertificateKeeper takes another one that somebody has put ${name} while it cannot get one`, async () => {
    await using rig = await KeeperRig.create();
    const { authority } = rig.signer;
    const ended = await authority.issue({ name: "n1", endYear: 2025 });
    rig.files.set(PAIR_PATH, fileOf(ended));
    let initial: KeyPair | undefined;
    rig.signer.failure = new ApiFailure("Unauthorized", "Cannot create");
    rig.start({ initial: () => Promise.resolve(initial) });
    await rig.until(() => rig.log.length === 1);
    const other = await authority.issue({ name: "n1", endYear: 2035 });
    if (isWritten) rig.files.set(PAIR_PATH, fileOf(other));
    else initial = readKeyPair(other.cert, other.key);
    await rig.clock.advance(2_200);
    await rig.until(() => rig.renewed.length === 2);
    strictEqual(rig.renewed[1]?.endsMs, Date.UTC(2035, 0, 1));
    await rig.clock.advance(10 * MINUTE_MS);
    strictEqual(rig.signer.kept.size, 0);
  });
}

Deno.test("CertificateKeeper that does not rotate asks when the old one has ended, and not before", async () => {
  const endMs = Date.UTC(2030, 0, 1);
  await using rig = await KeeperRig.create(endMs - MINUTE_MS);
  const own = await rig.signer.authority.issue({ name: "n1", endYear: 2030 });
  rig.files.set(PAIR_PATH, fileOf(own));
  rig.signer.approves = true;
  rig.signer.endYear = 2040;
  rig.start({ rotates: false });
  await rig.until(() => rig.renewed.length === 1);
  await rig.clock.advance(MINUTE_MS - 1);
  strictEqual(rig.signer.kept.size, 0);
  await rig.clock.advance(1);
  await rig.until(() => rig.renewed.length === 2);
});

Deno.test("CertificateKeeper gives up a request that nobody decides on after 15 minutes, and waits for it on", async () => {
  await using rig = await KeeperRig.create();
  rig.start();
  await rig.until(() => rig.signer.kept.size === 1);
  await rig.clock.advance(15 * MINUTE_MS - 1);
  match(
    rig.log.join(),
    /^\S*certificate_not_approved[^,]*,[^,]*,[^,]*"request":"node-csr-[0-9a-f]{64}"[^,]*$/,
  );
  // 1, 2, 4, 8 and then 15 s apart.
  strictEqual(rig.signer.calls.length, 1 + 4 + 58);
  await rig.clock.advance(1);
  await rig.until(() => rig.log.length === 2);
  match(
    rig.log[1] ?? "",
    /nobody has approved the request \\"node-csr-[0-9a-f]{64}\\" within 15 minutes/,
  );
  await rig.signer.approve(rig.signer.last);
  await rig.clock.advance(2_200);
  await rig.until(() => rig.renewed.length === 1);
  strictEqual(rig.signer.kept.size, 1);
});

Deno.test("CertificateKeeper stops when it is stopped, whatever it waits for", async () => {
  for (const approves of [true, false]) {
    const rig = await KeeperRig.create();
    rig.signer.approves = approves;
    rig.start();
    await rig.until(() => rig.signer.calls.length > 0);
    await rig[Symbol.asyncDispose]();
    strictEqual(rig.clock.pendingTimers, 0);
    ok(!rig.messages.includes("certificate_not_renewed"));
  }
});
