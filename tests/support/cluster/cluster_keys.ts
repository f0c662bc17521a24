/**
 * The keys and certificates of a cluster, in files.
 *
 * @module
 */

import {
  Authority,
  type Certificate,
  privateKeyPem,
  publicKeyPem,
} from "../peers/certificates.ts";

/** What signs, and where the parts of the cluster find their keys. */
export interface ClusterKeys {
  readonly authority: Authority;
  /** In no group of its own, but in `system:masters`. */
  readonly admin: Certificate;
  readonly paths: {
    readonly ca: string;
    readonly caKey: string;
    readonly serverCert: string;
    readonly serverKey: string;
    /** What signs the tokens of service accounts. */
    readonly tokenKey: string;
    readonly tokenPublicKey: string;
    /** As whom the API server speaks to nodes. */
    readonly toNodeCert: string;
    readonly toNodeKey: string;
  };
}

/** Makes all and writes them into a folder. */
export async function makeClusterKeys(folder: string): Promise<ClusterKeys> {
  const authority = await Authority.create("test cluster");
  const server = await authority.issue({
    name: "kube-apiserver",
    hosts: ["127.0.0.1", "localhost", "kubernetes.default.svc", "10.96.0.1"],
  });
  const admin = await issueAdmin(authority, "admin");
  const toNode = await issueAdmin(authority, "kube-apiserver-kubelet-client");
  // Tokens cannot be signed with the Ed25519 of the certificates.
  const tokens = await crypto.subtle.generateKey(
    { name: "ECDSA", namedCurve: "P-256" },
    true,
    ["sign", "verify"],
  );
  const write = async (name: string, text: string): Promise<string> => {
    const path = `${folder}/${name}`;
    await Deno.writeTextFile(path, text, { mode: 0o600 });
    return path;
  };
  const paths = {
    ca: await write("ca.crt", authority.cert),
    caKey: await write("ca.key", authority.key),
    serverCert: await write("server.crt", server.cert),
    serverKey: await write("server.key", server.key),
    tokenKey: await write("token.key", await privateKeyPem(tokens.privateKey)),
    tokenPublicKey: await write(
      "token.pub",
      await publicKeyPem(tokens.publicKey),
    ),
    toNodeCert: await write("to_node.crt", toNode.cert),
    toNodeKey: await write("to_node.key", toNode.key),
  };
  return { authority, admin, paths };
}

function issueAdmin(authority: Authority, name: string): Promise<Certificate> {
  return authority.issue({ name, organizations: ["system:masters"] });
}
