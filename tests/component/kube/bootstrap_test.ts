import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { systemRandom } from "../../../mod/base/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import {
  CertificateKeeper,
  NODE_SIGNERS,
  nodeDraft,
  nodeKubeconfig,
  tryCertificate,
} from "../../../mod/kube/certificates/mod.ts";
import { KubeconfigFile } from "../../../mod/kube/config/mod.ts";
import { KubeTransport } from "../../../mod/kube/transport/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { FakeSigner } from "../../support/kube/fake_signer.ts";
import { answering, StagedServer } from "../../support/kube/staged_server.ts";
import { GET_VERSION } from "../../support/kube/transport_rig.ts";
import { Authority } from "../../support/peers/certificates.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

Deno.test("CertificateKeeper makes a node of one that has a bootstrap token, over TLS and on disk", async () => {
  await using directory = await TempDir.make();
  const authority = await Authority.create();
  await using server = await StagedServer.start({ authority });
  const signer = new FakeSigner(authority);
  signer.approves = true;
  const { signal } = new AbortController();
  server.answer = ({ method, path, body, authorization, client }, response) => {
    const isKnown = client === "system:node:n1" ||
      authorization === "Bearer boot";
    if (!isKnown) {
      return answering({}, { status: 401 })(
        server.requests[0] ?? never(),
        response,
      );
    }
    if (path === "/version") return void response.end("{}");
    const request = {
      ...GET_VERSION,
      method: method === "POST" ? "POST" : "GET",
      path,
      body: body === "" ? undefined : JSON.parse(body),
    } as const;
    void signer.call(request, signal).then((answer) =>
      response.end(JSON.stringify(answer))
    );
  };
  const at = (name: string): string => `${directory.path}/${name}`;
  await Deno.writeTextFile(
    at("bootstrap"),
    JSON.stringify({
      "current-context": "boot",
      contexts: [{ name: "boot", context: { cluster: "edge", user: "boot" } }],
      clusters: [{
        name: "edge",
        cluster: {
          server: server.url,
          "certificate-authority-data": btoa(authority.cert),
        },
      }],
      users: [{ name: "boot", user: { token: "boot" } }],
    }),
  );
  const bootstrap = new KubeconfigFile(at("bootstrap"), Deno.readTextFile);
  await Deno.writeTextFile(
    at("kubeconfig"),
    nodeKubeconfig(await bootstrap.access(), at("node.pem")),
  );
  const source = new KubeconfigFile(at("kubeconfig"), Deno.readTextFile);
  const clock = new FakeClock();
  const deps = {
    clock,
    random: systemRandom,
    log: silentLogger,
    metrics: new MetricsRegistry(),
  };
  const userAgent = "skerry/test";
  await using first = new KubeTransport({ ...deps, source: bootstrap }, {
    userAgent,
  });
  await using own = new KubeTransport({
    ...deps,
    metrics: new MetricsRegistry(),
    source,
  }, { userAgent });
  const early = await own.call(GET_VERSION, signal).catch((error) =>
    `${error}`
  );
  ok(
    /Cannot speak to the API server: .*client-certificate: /.test(`${early}`),
    `${early}`,
  );
  const stop = new AbortController();
  const keeper = new CertificateKeeper({
    ...deps,
    files: {
      read: (path) => Deno.readTextFile(path).catch(() => undefined),
      replace: (path, text) => Deno.writeTextFile(path, text),
      remove: (path) => Deno.remove(path),
    },
    api: (pair) => pair === undefined ? first : own,
    tryOut: (pair, signal) =>
      tryCertificate(pair, {
        ...deps,
        metrics: new MetricsRegistry(),
        source: bootstrap,
        userAgent,
      }, signal),
    whenRenewed: () => void own.refresh(signal),
  }, {
    ...NODE_SIGNERS.client,
    path: at("node.pem"),
    draft: () => nodeDraft("n1"),
  });
  const running = keeper.run(stop.signal);
  await until(async () => {
    const answer = await own.call(GET_VERSION, signal).catch(() => undefined);
    return answer !== undefined;
  });
  const shown = server.requests.at(-1);
  strictEqual(shown?.client, "system:node:n1");
  strictEqual(shown.authorization, undefined);
  deepStrictEqual(signer.calls, ["create"]);
  stop.abort();
  await running;
});

function never(): never {
  throw new Error("Wanted a request");
}
