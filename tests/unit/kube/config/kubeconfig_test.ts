import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { inspect } from "node:util";
import {
  type KubeAccess,
  readKubeconfig,
} from "../../../../mod/kube/config/mod.ts";
import {
  CERT_PEM,
  KEY_PEM,
  type KubeconfigDraft,
  kubeconfigText,
} from "../../../support/kube/kubeconfigs.ts";
import { KUBECONFIG_FAULTS } from "../../../support/kube/kubeconfig_faults.ts";

const PATH = "/etc/kubernetes/kubelet.conf";

function read(draft: KubeconfigDraft): KubeAccess {
  const reading = readKubeconfig(kubeconfigText(draft), { path: PATH });
  if (reading.kind === "read") return reading.access;
  throw new Error(`Wanted a kubeconfig: ${reading.faults.join("; ")}`);
}

function faultsOf(text: string): readonly string[] {
  const reading = readKubeconfig(text, { path: PATH });
  return reading.kind === "refused" ? reading.faults : [];
}

Deno.test("readKubeconfig() gives the way of the current context", () => {
  const access = read({ context: { namespace: "edge-ns" } });
  strictEqual(access.context, "main");
  strictEqual(access.server, "https://api.example:6443");
  strictEqual(access.namespace, "edge-ns");
  strictEqual(access.ca, undefined);
  strictEqual(access.client, undefined);
  strictEqual(access.proxyUrl, undefined);
  strictEqual(
    access.token?.kind === "data" && access.token.text.reveal(),
    "abc",
  );
});

Deno.test("readKubeconfig() takes the namespace default when none is given", () => {
  strictEqual(read({}).namespace, "default");
  strictEqual(read({ context: { namespace: "" } }).namespace, "default");
});

for (
  const [server, wanted] of [
    ["https://api.example:6443/", "https://api.example:6443"],
    ["https://rancher/k8s/c-1/", "https://rancher/k8s/c-1"],
    ["https://[::1]:6443", "https://[::1]:6443"],
    ["http://127.0.0.1:8001", "http://127.0.0.1:8001"],
    ["http://[::1]:8001", "http://[::1]:8001"],
    ["http://localhost:8001", "http://localhost:8001"],
  ] as const
) {
  Deno.test(`readKubeconfig() takes the server ${server}`, () => {
    strictEqual(read({ cluster: { server } }).server, wanted);
  });
}

Deno.test("readKubeconfig() wants no credentials for a server of this machine without TLS", () => {
  const cluster = { server: "http://localhost:8001" };
  strictEqual(read({ cluster, user: { token: "" } }).token, undefined);
});

Deno.test("readKubeconfig() resolves paths beside the file and names their fields", () => {
  const { ca, client, token } = read({
    cluster: { "certificate-authority": "pki/ca.crt" },
    user: {
      "client-certificate": "../node.pem",
      "client-key": "/keys/node.pem",
      tokenFile: "token",
    },
  });
  deepStrictEqual(ca, {
    kind: "file",
    path: "/etc/kubernetes/pki/ca.crt",
    field: "clusters[0].cluster.certificate-authority",
  });
  deepStrictEqual(client, {
    cert: {
      kind: "file",
      path: "/etc/node.pem",
      field: "users[0].user.client-certificate",
    },
    key: {
      kind: "file",
      path: "/keys/node.pem",
      field: "users[0].user.client-key",
    },
  });
  deepStrictEqual(token, {
    kind: "file",
    path: "/etc/kubernetes/token",
    field: "users[0].user.tokenFile",
  });
});

Deno.test("readKubeconfig() prefers the file of a token to a token", () => {
  const { token } = read({ user: { token: "old", tokenFile: "/token" } });
  strictEqual(token?.kind, "file");
});

Deno.test("readKubeconfig() decodes what is given as data", () => {
  const { ca, client } = read({
    cluster: { "certificate-authority-data": btoa(CERT_PEM) },
    user: {
      "client-certificate-data": btoa(CERT_PEM),
      "client-key-data": btoa(KEY_PEM),
    },
  });
  const textOf = (place: KubeAccess["ca"]) =>
    place?.kind === "data" ? place.text.reveal() : undefined;
  strictEqual(textOf(ca), CERT_PEM);
  strictEqual(textOf(client?.cert), CERT_PEM);
  strictEqual(textOf(client?.key), KEY_PEM);
});

for (const scheme of ["http", "https", "socks5"]) {
  Deno.test(`readKubeconfig() takes a proxy of scheme ${scheme}`, () => {
    const proxy = `${scheme}://me:pw@proxy:3128`;
    const { proxyUrl } = read({ cluster: { "proxy-url": proxy } });
    strictEqual(proxyUrl?.reveal(), proxy);
  });
}

Deno.test("readKubeconfig() takes a tls-server-name that is the host of the server", () => {
  const cluster = { "tls-server-name": "api.example" };
  strictEqual(read({ cluster }).server, "https://api.example:6443");
});

Deno.test("readKubeconfig() reads YAML and JSON, and skips empty documents", () => {
  const text = `---
---
current-context: main
contexts: [{ name: other }, { name: main, context: { cluster: a, user: b } }]
clusters: [{ name: a, cluster: { server: "https://h", insecure-skip-tls-verify: false } }]
users: [{ name: b, user: { token: abc, extensions: [] } }]
preferences: {}
`;
  strictEqual(readKubeconfig(text, { path: PATH }).kind, "read");
});

for (const [name, draft, place, words] of KUBECONFIG_FAULTS) {
  Deno.test(`readKubeconfig() refuses ${name}`, () => {
    const faults = faultsOf(kubeconfigText(draft));
    strictEqual(faults.length, 1, faults.join("\n"));
    const [fault = ""] = faults;
    match(fault, place);
    match(fault, words);
    ok(!/S3CR3T|12345|UzNDUjNU/.test(fault), fault);
  });
}

Deno.test("readKubeconfig() tells of every fault", () => {
  const text = kubeconfigText({
    cluster: { server: "", "insecure-skip-tls-verify": true },
    user: { exec: {}, password: "x" },
  });
  strictEqual(faultsOf(text).length, 4);
});

Deno.test("readKubeconfig() names the line of a fault", () => {
  const lines = kubeconfigText({ user: { exec: {} } }).split("\n");
  const line = 1 + lines.findIndex((each) => each.includes('"exec"'));
  match(faultsOf(lines.join("\n"))[0] ?? "", new RegExp(`conf:${line}: `));
});

const CONTEXT =
  "contexts: [{ name: main, context: { cluster: a, user: b } }]\ncurrent-context: main\n";

for (
  const [name, text, words] of [
    [
      "an empty text",
      "",
      /kubelet.conf: Cannot use it: found 0, wanted one doc/,
    ],
    [
      "two documents",
      "a: 1\n---\nb: 2\n",
      /Cannot use it: found 2, wanted one/,
    ],
    ["a list", "[]", /Cannot use it: wanted a document of kind Config$/],
    ["no context", "{}", /kubelet.conf:1: current-context: Required value$/],
    [
      "a context that is no text",
      "current-context: 7",
      /: current-context: Invalid value/,
    ],
    [
      "no contexts",
      "current-context: main",
      /context "main": contexts: Required value: wanted a list with "main"/,
    ],
    [
      "another context",
      "current-context: main\ncontexts: [{ name: x }]",
      /contexts: Not found: "main"$/,
    ],
    [
      "an empty context",
      "current-context: main\ncontexts: [{ name: main }]",
      /contexts\[0\].context: Required value$/,
    ],
    [
      "a context of no cluster",
      "current-context: main\ncontexts: [{ name: main, context: { user: b } }]\nusers: [{ name: b, user: {} }]",
      /contexts\[0\].context.cluster: Required value$/,
    ],
    [
      "no such cluster",
      `${CONTEXT}clusters: [7]\nusers: [{ name: b, user: {} }]`,
      /clusters: Not found: "a"$/,
    ],
    [
      "no such user",
      `${CONTEXT}clusters: [{ name: a, cluster: {} }]\nusers: []`,
      /users: Not found: "b"$/,
    ],
    [
      "two of one name",
      `${CONTEXT}clusters: [{ name: a, cluster: {} }, { name: a }]\nusers: [{ name: b, user: {} }]`,
      /clusters\[1\].name: Duplicate value: "a"$/,
    ],
  ] as const
) {
  Deno.test(`readKubeconfig() refuses ${name} as a whole`, () => {
    const faults = faultsOf(text);
    strictEqual(faults.length, 1, faults.join("\n"));
    match(faults[0] ?? "", words);
  });
}

Deno.test("readKubeconfig() quotes nothing of a text that is no YAML", () => {
  const [fault = ""] = faultsOf("token: {S3CR3T\n  - S3CR3T");
  match(fault, /^\/etc\/kubernetes\/kubelet.conf: /);
  ok(!fault.includes("S3CR3T"), fault);
});

Deno.test("readKubeconfig() gives secrets that do not show", () => {
  const access = read({
    cluster: { "proxy-url": "http://me:S3CR3T@proxy" },
    user: {
      token: "S3CR3T",
      "client-certificate": "a",
      "client-key-data": btoa(KEY_PEM),
    },
  });
  const shown = `${JSON.stringify(access)} ${inspect(access, { depth: 9 })}`;
  ok(!/S3CR3T/.test(shown), shown);
});
