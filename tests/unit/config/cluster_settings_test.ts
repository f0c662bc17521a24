/**
 * The cluster that an agent joins, as its settings have it.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { deriveGrants } from "../../../mod/config/grants.ts";
import {
  parseRunArguments,
  type RunArguments,
} from "../../../mod/config/run_arguments.ts";
import { fakeIo, kubeletFile } from "../../support/config/config_io.ts";

const KUBECONFIG = `
apiVersion: v1
kind: Config
current-context: edge
contexts: [{name: edge, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://192.0.2.1:6443", certificate-authority: ca.crt}}]
users: [{name: u, user: {client-certificate: /pki/c.crt, client-key: /pki/c.key}}]
`;

function parse(
  file: string = kubeletFile(),
  kubeconfig: string = KUBECONFIG,
): Promise<RunArguments> {
  const files = { "/here/kube.conf": kubeconfig, "/here/c.yaml": file };
  const args = ["--kubeconfig=kube.conf", "--config=c.yaml"];
  return parseRunArguments(args, fakeIo(files));
}

async function clusterOf(...args: Parameters<typeof parse>) {
  const read = await parse(...args);
  ok(read.kind === "ok", read.kind === "refused" ? read.faults.join() : "");
  return read.config.cluster;
}

Deno.test("an agent without a kubeconfig joins no cluster", async () => {
  const read = await parseRunArguments([], fakeIo());
  ok(read.kind === "ok");
  strictEqual(read.config.cluster, undefined);
});

Deno.test("--kubeconfig names the cluster, with upstream's defaults", async () => {
  deepStrictEqual(await clusterOf(), {
    kubeconfig: "/here/kube.conf",
    kubeconfigStaging: "/here/kube.conf.new",
    bootstrapKubeconfig: undefined,
    certDir: "/var/lib/skerry/pki",
    keepSecrets: "memory",
    keepSecretsKeyFile: undefined,
    rotateCertificates: false,
    apiQps: 50,
    apiBurst: 100,
    hosts: ["192.0.2.1:6443"],
    files: ["/here/ca.crt", "/pki/c.crt", "/pki/c.key"],
    registerNode: true,
    taints: [],
    providerId: undefined,
    statusUpdateMs: 10_000,
    statusReportMs: 300_000,
    leaseSeconds: 40,
    eventsPerSecond: 50,
    eventBurst: 100,
    maxImages: 50,
  });
});

Deno.test("the kubelet's own fields count", async () => {
  const cluster = await clusterOf(kubeletFile(
    "rotateCertificates: true",
    "kubeAPIQPS: 7",
    "kubeAPIBurst: 9",
    "registerNode: false",
    "providerID: edge://7",
    "nodeStatusUpdateFrequency: 20s",
    "nodeLeaseDurationSeconds: 60",
    "nodeStatusMaxImages: -1",
    "eventRecordQPS: 0",
    "eventBurst: 7",
    "registerWithTaints:",
    "- {key: site, effect: NoSchedule}",
    '- {key: a.b/c, value: d, effect: NoExecute, timeAdded: "2026-01-01T00:00:00Z"}',
  ));
  deepStrictEqual(
    [cluster?.rotateCertificates, cluster?.apiQps, cluster?.apiBurst],
    [true, 7, 9],
  );
  strictEqual(cluster?.registerNode, false);
  strictEqual(cluster.providerId, "edge://7");
  strictEqual(cluster.statusUpdateMs, 20_000);
  // As upstream when the other one is not given.
  strictEqual(cluster.statusReportMs, 20_000);
  strictEqual(cluster.leaseSeconds, 60);
  strictEqual(cluster.maxImages, -1);
  deepStrictEqual([cluster.eventsPerSecond, cluster.eventBurst], [0, 7]);
  deepStrictEqual(cluster.taints, [
    { key: "site", effect: "NoSchedule" },
    { key: "a.b/c", effect: "NoExecute", value: "d" },
  ]);
  const both = await clusterOf(kubeletFile(
    "nodeStatusUpdateFrequency: 20s",
    "nodeStatusReportFrequency: 1m",
  ));
  strictEqual(both?.statusReportMs, 60_000);
});

for (
  const taint of [
    "{}",
    "{key: a}",
    "{key: '', effect: NoSchedule}",
    "{key: a, effect: Never}",
    "{key: a, effect: NoSchedule, value: 5}",
    "{key: a, effect: NoSchedule, when: now}",
  ]
) {
  Deno.test(`a taint ${taint} is refused with the file and the field`, async () => {
    const read = await parse(kubeletFile(`registerWithTaints: [${taint}]`));
    ok(read.kind === "refused");
    match(read.faults.join(), /c\.yaml:3: Cannot use registerWithTaints/);
  });
}

Deno.test("what is wrong with a kubeconfig is refused with the file, the context and the field", async () => {
  const read = await parse(
    kubeletFile(),
    KUBECONFIG.replace("https", "gopher"),
  );
  ok(read.kind === "refused");
  match(read.faults.join(), /Cannot use --kubeconfig: .*kube\.conf.*server/);
});

Deno.test("a kubeconfig that is not there is refused", async () => {
  const args = ["--kubeconfig=/none"];
  const read = await parseRunArguments(args, fakeIo());
  ok(read.kind === "refused");
  match(read.faults.join(), /Cannot use --kubeconfig: .*\/none/);
});

Deno.test("the agent may speak to the API server, and read what the kubeconfig names", async () => {
  const read = await parse();
  ok(read.kind === "ok");
  const { net, read: files } = deriveGrants(read.config, []);
  deepStrictEqual(
    net.filter(({ option }) => option === "--kubeconfig")
      .map(({ target }) => target),
    ["192.0.2.1:6443"],
  );
  deepStrictEqual(
    files.filter(({ option }) => option === "--kubeconfig")
      .map(({ target }) => target),
    ["/here/kube.conf", "/here/ca.crt", "/pki/c.crt", "/pki/c.key"],
  );
});

for (
  const [server, proxy, host] of [
    ["https://api.example", "", "api.example:443"],
    [
      "https://api.example:6443",
      ", proxy-url: 'http://proxy:3128'",
      "proxy:3128",
    ],
    ["https://[2001:db8::1]:6443", "", "[2001:db8::1]:6443"],
  ] as const
) {
  Deno.test(`the agent speaks to ${host} for ${server}${proxy}`, async () => {
    const text = KUBECONFIG.replace(
      '"https://192.0.2.1:6443"',
      `"${server}"${proxy}`,
    );
    deepStrictEqual((await clusterOf(kubeletFile(), text))?.hosts, [host]);
  });
}

function parseKeeping(
  args: readonly string[],
  fields: readonly string[] = [],
): Promise<RunArguments> {
  const files = {
    "/here/kube.conf": KUBECONFIG,
    "/here/c.yaml": [
      "apiVersion: skerry.dev/v1alpha1",
      "kind: SkerryConfiguration",
      ...fields,
    ].join("\n"),
  };
  return parseRunArguments(["--config=c.yaml", ...args], fakeIo(files));
}

for (
  const [args, fields, keepSecrets, keyFile] of [
    [["--keep-secrets=plain"], [], "plain", undefined],
    [["--keep-secrets=memory"], ["keepSecrets: plain"], "memory", undefined],
    [[], ["keepSecrets: encrypted"], "encrypted", undefined],
    [
      ["--keep-secrets=encrypted", "--keep-secrets-key-file=usb.key"],
      [],
      "encrypted",
      "/here/usb.key",
    ],
    [
      [],
      ["keepSecrets: encrypted", "keepSecretsKeyFile: /run/cred/key"],
      "encrypted",
      "/run/cred/key",
    ],
  ] as const
) {
  Deno.test(`${[...args, ...fields].join(" ")} keeps Secrets ${keepSecrets}, and the key may be read`, async () => {
    const read = await parseKeeping(
      ["--kubeconfig=kube.conf", ...args],
      fields,
    );
    ok(read.kind === "ok", read.kind === "refused" ? read.faults.join() : "");
    const { cluster } = read.config;
    deepStrictEqual(
      [cluster?.keepSecrets, cluster?.keepSecretsKeyFile],
      [keepSecrets, keyFile],
    );
    const grants = deriveGrants(read.config, []);
    const granted = (kind: "read" | "write") =>
      grants[kind].filter(({ option }) => option === "--keep-secrets-key-file")
        .map(({ target }) => target);
    deepStrictEqual(granted("read"), keyFile === undefined ? [] : [keyFile]);
    // A key that is given is the operator's.
    deepStrictEqual(granted("write"), []);
  });
}

for (
  const [args, fault] of [
    [
      ["--keep-secrets=plain"],
      'Cannot use --keep-secrets: found "plain" and no --kubeconfig, wanted the cluster whose Secrets are to be kept',
    ],
    [
      ["--keep-secrets-key-file=/k"],
      "Cannot use --keep-secrets-key-file: found --keep-secrets=memory, wanted encrypted",
    ],
    [
      [
        "--kubeconfig=kube.conf",
        "--keep-secrets=plain",
        "--keep-secrets-key-file=/k",
      ],
      "Cannot use --keep-secrets-key-file: found --keep-secrets=plain, wanted encrypted",
    ],
    [
      ["--kubeconfig=none.conf", "--keep-secrets-key-file=/k"],
      "Cannot use --keep-secrets-key-file: found --keep-secrets=memory, wanted encrypted",
    ],
    [
      ["--kubeconfig=kube.conf", "--keep-secrets=yes"],
      'Cannot use --keep-secrets: found "yes", wanted one of "memory", "encrypted", "plain"',
    ],
  ] as const
) {
  Deno.test(`${args.join(" ")} is refused in words`, async () => {
    const read = await parseKeeping(args);
    ok(read.kind === "refused");
    strictEqual(read.faults.at(-1), fault);
  });
}
