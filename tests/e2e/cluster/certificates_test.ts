/**
 * A node's certificates from a real cluster: asked for with a token, approved and signed by
 * its controllers, and good for what a node may do.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects } from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import {
  type CertificateDraft,
  type KeyPair,
  newKey,
  NODE_SIGNERS,
  nodeDraft,
  readKeyPair,
  requestCertificate,
  tryCertificate,
  withCertificate,
} from "../../../mod/kube/certificates/mod.ts";
import { KubeconfigFile } from "../../../mod/kube/config/mod.ts";
import { systemClock, systemRandom } from "../../../mod/base/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import type { Cluster } from "../../support/cluster/cluster.ts";
import { NodeClient } from "../../support/cluster/node_client.ts";
import { withCluster } from "../../support/cluster/with_cluster.ts";

await withCluster("certificates of a node", (test) => {
  test("a token brings one, it brings the next, and both make the node", async (cluster) => {
    const path = await cluster.bootstrapKubeconfig();
    await using stranger = new NodeClient(path);
    const node = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { namespace: "", name: "edge1" },
    };
    await rejects(stranger.nodes.create(node, stranger.signal), {
      reason: "Forbidden",
    });
    const first = await issue(stranger, "client", nodeDraft("edge1"));
    await tryCertificate(first, { ...deps(path), userAgent: "test" }, signal());
    await using client = new NodeClient(
      await cluster.kubeconfigOf({ cert: first.cert, key: first.key.reveal() }),
    );
    await client.nodes.create(node, client.signal);
    const second = await issue(client, "client", nodeDraft("edge1"));
    ok(serial(second) !== serial(first));
    const identity = await withCertificate(deps(path).source, () => second)
      .load();
    deepStrictEqual([identity.token, identity.client?.cert], [
      undefined,
      second.cert,
    ]);
  });

  test("a node cannot ask for another's", async (cluster) => {
    await using client = new NodeClient(await cluster.nodeKubeconfig("edge1"));
    await rejects(issue(client, "client", nodeDraft("edge2")), {
      reason: "Forbidden",
    });
  });

  test("one to serve with is decided on by a person", async (cluster) => {
    await using client = new NodeClient(await cluster.nodeKubeconfig("edge1"));
    const ask = async (verdict: string): Promise<KeyPair> => {
      const asked = issue(client, "serving", {
        ...nodeDraft("edge1"),
        dnsNames: ["edge1"],
        ipAddresses: ["127.0.0.1"],
      });
      asked.catch(() => {});
      const name = await untilPending(cluster);
      await cluster.kubectl(["certificate", verdict, name]);
      return await asked;
    };
    await rejects(ask("deny"), /^Error: Denied: KubectlDeny /);
    const { cert } = await ask("approve");
    const { subjectAltName = "" } = new X509Certificate(cert);
    deepStrictEqual(subjectAltName.split(", ").sort(), [
      "DNS:edge1",
      "IP Address:127.0.0.1",
    ]);
  });
}, { hasControllers: true });

/** Asks for a certificate with a new key; fails when it is denied. */
async function issue(
  client: NodeClient,
  signer: keyof typeof NODE_SIGNERS,
  draft: CertificateDraft,
): Promise<KeyPair> {
  const key = await newKey();
  const signing = await requestCertificate(client.transport, {
    ...NODE_SIGNERS[signer],
    draft,
    key,
    clock: systemClock,
  }, client.signal);
  if (signing.kind === "denied") throw new Error(signing.message);
  return readKeyPair(signing.cert, key.pem.reveal());
}

function serial({ cert }: KeyPair): string {
  return new X509Certificate(cert).serialNumber;
}

function deps(path: string) {
  return {
    source: new KubeconfigFile(path, Deno.readTextFile),
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    metrics: new MetricsRegistry(),
  };
}

function signal(): AbortSignal {
  return new AbortController().signal;
}

/** The name of the one request that nobody has decided on. */
async function untilPending(cluster: Cluster): Promise<string> {
  let text = "";
  const names = () =>
    text.split("\n").filter((line) => line.trimEnd().endsWith(" Pending"))
      .map((line) => line.split(" ")[0] ?? "");
  await waitUntil("one undecided request", async () => {
    text = (await cluster.kubectl(["get", "csr", "--no-headers"])).text;
    return names().length === 1;
  }, { saw: () => text });
  return names()[0] ?? "";
}
