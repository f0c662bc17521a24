/**
 * Whom the URL source believes over TLS, and as whom it comes.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import {
  drain,
  type RawConnection,
  say,
} from "../../support/peers/raw_server.ts";
import {
  Authority,
  type Certificate,
} from "../../support/peers/certificates.ts";
import {
  ManifestServer,
  RawServer,
  type ServerTls,
  statusAnswer,
  text,
} from "../../support/peers/manifest_server.ts";
import {
  podList,
  startUrlRig,
  urlPod,
  UrlRig,
  type UrlRigOptions,
} from "../../support/source/url_rig.ts";
import { HOSTS, Pki } from "../../support/peers/pki.ts";

Deno.test("UrlSource speaks TLS with an authority of its own and a client's certificate", async () => {
  await using pki = await Pki.create();
  const tls = await pki.server();
  await using server = await ManifestServer.start(text(podList(urlPod("a"))), {
    tls,
  });
  await using rig = await startUrlRig({ url: server.url, ...pki.client });
  deepStrictEqual([rig.pods, rig.reports], [["a=one"], []]);
  await using byAddress = await startUrlRig({
    url: server.url.replace("localhost", "127.0.0.1"),
    ...pki.client,
  });
  deepStrictEqual([byAddress.pods, byAddress.reports], [["a=one"], []]);
});

Deno.test("UrlSource comes with the certificate that is in the file now", async () => {
  await using pki = await Pki.create();
  await using server = await ManifestServer.start(text(podList(urlPod("a"))), {
    tls: await pki.authority.issue({ name: "server", hosts: HOSTS }),
  });
  await pki.write("ca", (await Authority.create("another")).cert);
  await using rig = await startUrlRig({ url: server.url, ...pki.client });
  strictEqual(rig.sets.length, 0);
  await pki.write("ca", pki.authority.cert);
  await rig.poll();
  deepStrictEqual([rig.pods, rig.reports], [["a=one"], []]);
});

interface BadTls {
  readonly what: string;
  readonly tls: (authority: Authority) => Promise<ServerTls>;
  /** @default the client's certificate and the authority */
  readonly options?: (pki: Pki) => Partial<UrlRigOptions>;
  readonly reason: RegExp;
}

async function byAnother(): Promise<Certificate> {
  const another = await Authority.create("another");
  return await another.issue({ name: "server", hosts: HOSTS });
}

const BAD_TLS: readonly BadTls[] = [
  {
    what: "an expired certificate",
    tls: (authority) =>
      authority.issue({ name: "server", hosts: HOSTS, endYear: 2021 }),
    reason: /not in force/,
  },
  {
    what: "a certificate for another host",
    tls: (authority) =>
      authority.issue({ name: "localhost", hosts: ["example.com"] }),
    reason: /localhost. is not in the cert's altnames/,
  },
  {
    what: "a certificate without names",
    tls: (authority) => authority.issue({ name: "localhost" }),
    reason: /names no host/,
  },
  {
    what: "a certificate of an unknown authority",
    tls: byAnother,
    reason: /of no authority that is believed/,
  },
  {
    what: "the wish for a client's certificate that there is not",
    tls: async (authority) => ({
      ...await authority.issue({ name: "server", hosts: HOSTS }),
      clientCa: authority.cert,
    }),
    options: (pki) => ({ caFile: pki.file("ca") }),
    reason: /": (?!it redirects)/,
  },
  {
    what: "a redirect to http",
    tls: (authority) => authority.issue({ name: "server", hosts: HOSTS }),
    reason: /redirects from https to "http:\/\/localhost:1\/x"/,
  },
];

for (const { what, tls, options, reason } of BAD_TLS) {
  Deno.test(`SE-11 H06 UrlSource refuses ${what} and keeps what it has`, async () => {
    await using pki = await Pki.create();
    const good = await ManifestServer.start(text(podList(urlPod("a"))), {
      tls: await pki.authority.issue({ name: "server", hosts: HOSTS }),
    });
    const { url, port } = good;
    await using rig = await startUrlRig({
      url,
      ...(options?.(pki) ?? pki.client),
    });
    deepStrictEqual(rig.pods, ["a=one"]);
    await good[Symbol.asyncDispose]();
    await using _bad = await ManifestServer.start(
      statusAnswer(302, { location: "http://localhost:1/x" }),
      { port, tls: await tls(pki.authority) },
    );
    await rig.poll();
    strictEqual(rig.sets.length, 1);
    match(rig.reports[0] ?? "", reason);
  });
}

for (
  const [what, act, reason, stalls] of [
    [
      "plain HTTP",
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
      /does not speak TLS/,
      false,
    ],
    ["garbage", new Uint8Array(500).fill(0x16), /./, false],
    ["an end", "", /./, false],
    [
      "a reset",
      (connection: RawConnection) => connection.reset(),
      /./,
      false,
    ],
    ["silence", drain, /no whole answer within 10 s/, true],
    [
      "half a handshake",
      async (connection: RawConnection) => {
        const half = [0x16, 3, 3, 0x40, 0, 2, 0, 0x3f, 0xfc];
        await say(connection, new Uint8Array(half));
        await drain(connection);
      },
      /no whole answer within 10 s/,
      true,
    ],
    [
      "an alert",
      new Uint8Array([0x15, 3, 3, 0, 2, 2, 40]),
      /./,
      false,
    ],
  ] as const
) {
  Deno.test(`H06 UrlSource tells of ${what} instead of a TLS handshake`, async () => {
    await using pki = await Pki.create();
    await using server = await RawServer.start(act);
    const url = `https://localhost:${server.port}/m`;
    await using rig = new UrlRig({ url, ...pki.client });
    if (stalls) {
      await rig.until(() => server.asked > 0, "a question");
      await rig.clock.advance(10_000);
    }
    await rig.untilPolls(1);
    strictEqual(rig.sets.length, 0);
    match(rig.reports[0] ?? "", reason);
    match(rig.reports[0] ?? "", /"https:\/\/localhost:\d+\/m"/);
  });
}

for (
  const [what, pem, reason] of [
    ["is missing", undefined, /ca\.pem": it does not exist/],
    ["is empty", "", /./],
    [
      "is garbage",
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
      /./,
    ],
  ] as const
) {
  Deno.test(`UrlSource believes nobody while the file of authorities ${what}`, async () => {
    await using pki = await Pki.create();
    await using server = await ManifestServer.start(
      text(podList(urlPod("a"))),
      {
        tls: await pki.authority.issue({ name: "server", hosts: HOSTS }),
      },
    );
    if (pem === undefined) await Deno.remove(pki.file("ca"));
    else await pki.write("ca", pem);
    await using rig = await startUrlRig({ url: server.url, ...pki.client });
    strictEqual(rig.sets.length, 0);
    match(rig.reports[0] ?? "", reason);
    strictEqual(server.requests.length, 0);
  });
}

Deno.test("SE-11 UrlSource shows its certificate to no other host", async () => {
  await using pki = await Pki.create();
  const certificate = await pki.authority.issue({ name: "s", hosts: HOSTS });
  await using other = await ManifestServer.start(text(podList(urlPod("far"))), {
    tls: { ...certificate, clientCa: pki.authority.cert },
  });
  await using server = await ManifestServer.start(
    statusAnswer(307, { location: other.url }),
    { tls: { ...certificate, clientCa: pki.authority.cert } },
  );
  await using rig = await startUrlRig({ url: server.url, ...pki.client });
  strictEqual(rig.sets.length, 0);
  strictEqual(server.requests.length, 1);
  strictEqual(other.requests.length, 0);
  match(rig.reports[0] ?? "", /redirects to "https:\/\/localhost/);
});
