/**
 * What an administrator makes so that nodes may join by a token, as kubeadm does.
 *
 * @module
 */

/** An object, and where it is made. */
export interface PlacedObject {
  readonly path: string;
  readonly object: unknown;
}

const TOKEN_GROUP = "system:bootstrappers:kubeadm:default-node-token";

/** Who has a token may ask for a certificate; one of a node is approved by itself. */
export function joinObjects(): readonly PlacedObject[] {
  const approve = "system:certificates.k8s.io:certificatesigningrequests";
  const rights = {
    "test:ask": ["system:node-bootstrapper", TOKEN_GROUP],
    "test:approve-first": [`${approve}:nodeclient`, TOKEN_GROUP],
    "test:approve-next": [`${approve}:selfnodeclient`, "system:nodes"],
  };
  return Object.entries(rights).map(([name, [role, group]]) => ({
    path: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    object: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: {
        apiGroup: "rbac.authorization.k8s.io",
        kind: "ClusterRole",
        name: role,
      },
      subjects: [{
        apiGroup: "rbac.authorization.k8s.io",
        kind: "Group",
        name: group,
      }],
    },
  }));
}

/** A token, and the Secret by which the API server knows it. */
export function newBootstrapToken(): {
  readonly token: string;
  readonly secret: unknown;
} {
  const id = randomHex(6);
  const word = randomHex(16);
  const stringData = {
    "token-id": id,
    "token-secret": word,
    "usage-bootstrap-authentication": "true",
    "usage-bootstrap-signing": "true",
    "auth-extra-groups": TOKEN_GROUP,
  };
  return {
    token: `${id}.${word}`,
    secret: {
      apiVersion: "v1",
      kind: "Secret",
      type: "bootstrap.kubernetes.io/token",
      metadata: { name: `bootstrap-token-${id}`, namespace: "kube-system" },
      stringData,
    },
  };
}

function randomHex(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length / 2));
  return bytes.toHex();
}
