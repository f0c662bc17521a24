/**
 * How an agent gets and keeps its certificate, as its settings have it.
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

function kubeconfig(server: string, user: string): string {
  return `
apiVersion: v1
kind: Config
current-context: edge
contexts: [{name: edge, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "${server}", certificate-authority: /pki/ca.crt}}]
users: [{name: u, user: {${user}}}]
`;
}

const OWN = kubeconfig(
  "https://192.0.2.1:6443",
  "client-certificate: /pki/n.pem, client-key: /pki/n.pem",
);
const FIRST = kubeconfig("https://192.0.2.2:6443", "tokenFile: /boot/token");
const FLAGS = [
  "--kubeconfig=/etc/kubelet.conf",
  "--bootstrap-kubeconfig=boot.conf",
];

function parse(
  files: Readonly<Record<string, string>>,
  ...more: readonly string[]
): Promise<RunArguments> {
  return parseRunArguments([...FLAGS, ...more], fakeIo(files));
}

async function grantsOf(
  files: Readonly<Record<string, string>>,
  ...more: readonly string[]
) {
  const read = await parse(files, ...more);
  ok(read.kind === "ok", read.kind === "refused" ? read.faults.join() : "");
  const grants = deriveGrants(read.config, []);
  const of = (kind: "read" | "write" | "net") =>
    grants[kind].filter(({ option }) =>
      ["--kubeconfig", "--bootstrap-kubeconfig", "--cert-dir"].includes(option)
    ).map(({ target }) => target);
  return { read: of("read"), write: of("write"), net: of("net") };
}

Deno.test("--bootstrap-kubeconfig is enough before the node has a kubeconfig", async () => {
  deepStrictEqual(await grantsOf({ "/here/boot.conf": FIRST }), {
    read: [
      "/etc/kubelet.conf",
      "/etc/kubelet.conf.new",
      "/here/boot.conf",
      "/pki/ca.crt",
      "/boot/token",
    ],
    // The directory of certificates lies in the root directory.
    write: ["/etc/kubelet.conf", "/etc/kubelet.conf.new"],
    net: ["192.0.2.2:6443"],
  });
});

Deno.test("the kubeconfig is enough when that for bootstrapping has been removed", async () => {
  const grants = await grantsOf({ "/etc/kubelet.conf": OWN });
  deepStrictEqual(grants.net, ["192.0.2.1:6443"]);
  const read = await parse({ "/etc/kubelet.conf": OWN });
  ok(read.kind === "ok");
  strictEqual(read.config.cluster?.bootstrapKubeconfig, "/here/boot.conf");
});

Deno.test("the agent may speak to the servers of both", async () => {
  const files = { "/etc/kubelet.conf": OWN, "/here/boot.conf": FIRST };
  const grants = await grantsOf(files, "--cert-dir=/var/certs");
  deepStrictEqual(grants.net, ["192.0.2.1:6443", "192.0.2.2:6443"]);
  deepStrictEqual(grants.write, [
    "/var/certs",
    "/etc/kubelet.conf",
    "/etc/kubelet.conf.new",
  ]);
  ok(grants.read.includes("/pki/n.pem"));
  const same = { ...files, "/here/boot.conf": OWN };
  const { net, read } = await grantsOf(same);
  deepStrictEqual(net, ["192.0.2.1:6443"]);
  strictEqual(read.filter((path) => path === "/pki/ca.crt").length, 1);
});

Deno.test("without a bootstrap kubeconfig the agent may write no kubeconfig", async () => {
  const read = await parseRunArguments(
    ["--kubeconfig=/etc/kubelet.conf"],
    fakeIo({ "/etc/kubelet.conf": OWN }),
  );
  ok(read.kind === "ok");
  ok(
    deriveGrants(read.config, []).write.every(({ target }) =>
      !target.startsWith("/etc/kubelet.conf")
    ),
  );
});

Deno.test("an agent that stands alone may touch no certificates", async () => {
  const read = await parseRunArguments(["--cert-dir=/var/certs"], fakeIo());
  ok(read.kind === "ok");
  ok(
    deriveGrants(read.config, []).write.every(({ target }) =>
      target !== "/var/certs"
    ),
  );
});

Deno.test("neither kubeconfig can be read: both are named", async () => {
  const read = await parse({});
  ok(read.kind === "refused");
  strictEqual(read.faults.length, 2);
  match(read.faults[0] ?? "", /^Cannot use --kubeconfig: \/etc\/kubelet\.conf/);
  match(
    read.faults[1] ?? "",
    /^Cannot use --bootstrap-kubeconfig: \/here\/boot\.conf/,
  );
});

Deno.test("--bootstrap-kubeconfig without --kubeconfig is refused", async () => {
  const read = await parseRunArguments(
    ["--bootstrap-kubeconfig=boot.conf"],
    fakeIo({ "/here/boot.conf": FIRST }),
  );
  ok(read.kind === "refused");
  deepStrictEqual(read.faults, [
    "Cannot use --bootstrap-kubeconfig: found no --kubeconfig, wanted the path where the node's own is to be written",
  ]);
});

for (
  const [lines, certDir] of [
    [[], "/var/lib/skerry/pki"],
    [["--root-dir=/data"], "/data/pki"],
    [["--cert-dir=certs"], "/here/certs"],
  ] as const
) {
  Deno.test(`certificates lie in ${certDir} with ${lines.join() || "no flag"}`, async () => {
    const read = await parse({ "/here/boot.conf": FIRST }, ...lines);
    ok(read.kind === "ok");
    strictEqual(read.config.cluster?.certDir, certDir);
  });
}

for (
  const [line, qps, warned] of [
    ["kubeAPIQPS: 0", 50, 0],
    ["kubeAPIQPS: -1", -1, 0],
    ["serverTLSBootstrap: true", 50, 1],
    ["serverTLSBootstrap: false", 50, 0],
  ] as const
) {
  Deno.test(`${line} means ${qps} calls a second and ${warned} warnings`, async () => {
    const files = {
      "/here/boot.conf": FIRST,
      "/here/c.yaml": kubeletFile(line),
    };
    const read = await parse(files, "--config=c.yaml");
    ok(read.kind === "ok");
    strictEqual(read.config.cluster?.apiQps, qps);
    strictEqual(
      read.warnings.filter((each) => each.startsWith("serverTLSBootstrap: "))
        .length,
      warned,
    );
  });
}
