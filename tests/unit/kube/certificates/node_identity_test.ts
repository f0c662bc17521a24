import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { silentLogger } from "../../../../mod/base/telemetry/mod.ts";
import { MetricsRegistry } from "../../../../mod/base/telemetry/mod.ts";
import { Hidden } from "../../../../mod/base/text/mod.ts";
import {
  NODE_SIGNERS,
  nodeDraft,
  nodeKubeconfig,
  readKeyPair,
  tryCertificate,
  withCertificate,
} from "../../../../mod/kube/certificates/mod.ts";
import {
  type KubeIdentity,
  readKubeconfig,
} from "../../../../mod/kube/config/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { CERT_PEM, kubeconfigText } from "../../../support/kube/kubeconfigs.ts";
import { silence } from "../../../support/kube/transport_rig.ts";
import { Authority } from "../../../support/peers/certificates.ts";

const IDENTITY: KubeIdentity = {
  server: "https://api:6443",
  ca: "CA",
  token: new Hidden("abc"),
};
const source = { load: () => Promise.resolve(IDENTITY) };
const issued = await (await Authority.create()).issue({ name: "n1" });
const PAIR = readKeyPair(issued.cert, issued.key);

Deno.test("nodeDraft() is what makes a node of a client", () => {
  deepStrictEqual(nodeDraft("n1"), {
    commonName: "system:node:n1",
    organizations: ["system:nodes"],
  });
});

Deno.test("NODE_SIGNERS are those of the kubelet", () => {
  deepStrictEqual(NODE_SIGNERS, {
    client: {
      signerName: "kubernetes.io/kube-apiserver-client-kubelet",
      usages: ["digital signature", "client auth"],
    },
    serving: {
      signerName: "kubernetes.io/kubelet-serving",
      usages: ["digital signature", "server auth"],
    },
  });
});

Deno.test("withCertificate() shows a certificate in the place of a token as soon as there is one", async () => {
  const pairs: (typeof PAIR)[] = [];
  const own = withCertificate(source, () => pairs[0]);
  strictEqual(await own.load(), IDENTITY);
  pairs.push(PAIR);
  deepStrictEqual(await own.load(), {
    server: "https://api:6443",
    ca: "CA",
    client: { cert: PAIR.cert, key: PAIR.key },
  });
});

for (const [status, isTaken] of [[200, true], [401, false]] as const) {
  Deno.test(`tryCertificate() asks with it alone, and hears ${status}`, async () => {
    const shown: KubeIdentity[] = [];
    const asked: string[] = [];
    let open = 0;
    const trial = tryCertificate(PAIR, {
      source,
      clock: new FakeClock(),
      random: { next: () => 0 },
      log: silentLogger,
      metrics: new MetricsRegistry(),
      userAgent: "skerry/test",
      open: (identity) => {
        shown.push(identity);
        open++;
        return {
          fetch: (url, { headers }) => {
            asked.push(`${url} ${headers["authorization"]}`);
            return Promise.resolve(new Response("{}", { status }));
          },
          [Symbol.dispose]: () => open--,
        };
      },
    }, new AbortController().signal);
    if (isTaken) await trial;
    else {
      await rejects(trial, {
        reason: "Unauthorized",
        message: "Cannot use the new certificate: the API server answered 401",
      });
    }
    deepStrictEqual(asked, ["https://api:6443/version undefined"]);
    strictEqual(shown[0]?.client?.cert, PAIR.cert);
    strictEqual(open, 0);
  });
}

Deno.test("tryCertificate() gives up after 30 s", async () => {
  const clock = new FakeClock();
  let isOver = false;
  const trial = tryCertificate(PAIR, {
    source,
    clock,
    random: { next: () => 0 },
    log: silentLogger,
    metrics: new MetricsRegistry(),
    userAgent: "skerry/test",
    open: () => ({
      fetch: (_url, request) => silence(request),
      [Symbol.dispose]: () => {},
    }),
  }, new AbortController().signal);
  trial.catch(() => isOver = true);
  await clock.advance(29_999);
  strictEqual(isOver, false);
  await clock.advance(1);
  await rejects(trial, { reason: "Timeout" });
});

for (
  const [name, cluster] of [
    ["authorities in a file", { "certificate-authority": "/pki/ca.crt" }],
    ["authorities within", { "certificate-authority-data": btoa(CERT_PEM) }],
    ["no authorities, and a proxy", { "proxy-url": "http://proxy:3128" }],
  ] as const
) {
  Deno.test(`nodeKubeconfig() has the same way, with ${name}`, () => {
    const path = "/etc/kube/bootstrap";
    const context = { namespace: "edge" };
    const first = readKubeconfig(kubeconfigText({ cluster, context }), {
      path,
    });
    if (first.kind !== "read") throw new Error(first.faults.join());
    const text = nodeKubeconfig(first.access, "/pki/node.pem");
    const second = readKubeconfig(text, { path: "/etc/kube/node" });
    if (second.kind !== "read") throw new Error(second.faults.join());
    const { ca, server, proxyUrl, namespace, client, token } = second.access;
    strictEqual(server, first.access.server);
    strictEqual(namespace, "edge");
    strictEqual(proxyUrl?.reveal(), first.access.proxyUrl?.reveal());
    strictEqual(
      ca?.kind === "file" ? ca.path : ca?.text.reveal(),
      "certificate-authority" in cluster
        ? "/pki/ca.crt"
        : "certificate-authority-data" in cluster
        ? CERT_PEM
        : undefined,
    );
    deepStrictEqual(client, {
      cert: {
        kind: "file",
        path: "/pki/node.pem",
        field: "users[0].user.client-certificate",
      },
      key: {
        kind: "file",
        path: "/pki/node.pem",
        field: "users[0].user.client-key",
      },
    });
    strictEqual(token, undefined);
  });
}
