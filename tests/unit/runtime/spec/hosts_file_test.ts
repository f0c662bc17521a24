/**
 * Tests of the managed hosts file.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import {
  hostsFileContent,
  wantsHostsFile,
} from "../../../../mod/runtime/spec/hosts_file.ts";
import { container, pod } from "../../../support/pods.ts";

const HEAD = "# Kubernetes-managed hosts file.\n" +
  "127.0.0.1\tlocalhost\n" +
  "::1\tlocalhost ip6-localhost ip6-loopback\n" +
  "fe00::0\tip6-localnet\n" +
  "fe00::0\tip6-mcastprefix\n" +
  "fe00::1\tip6-allnodes\n" +
  "fe00::2\tip6-allrouters\n";

const ALIASES = [
  { ip: "10.1.2.3", hostnames: ["foo.local", "bar.local"] },
  { ip: "10.1.2.4", hostnames: ["baz"] },
];
const ALIAS_LINES =
  "\n# Entries added by HostAliases.\n10.1.2.3\tfoo.local\tbar.local\n10.1.2.4\tbaz\n";

const COMMON = {
  podIps: ["10.88.0.7", "fd00::7"],
  hostname: "web",
  domain: "",
  nodeHostsFile: "127.0.0.1 localhost\n",
};

Deno.test("hostsFileContent() lists each address with the pod's name", () => {
  strictEqual(
    hostsFileContent({ ...COMMON, pod: pod() }),
    `${HEAD}10.88.0.7\tweb\nfd00::7\tweb\n`,
  );
});

Deno.test("hostsFileContent() puts the full name before the short one", () => {
  strictEqual(
    hostsFileContent({ ...COMMON, domain: "sub.shop.svc.x", pod: pod() }),
    `${HEAD}10.88.0.7\tweb.sub.shop.svc.x\tweb\nfd00::7\tweb.sub.shop.svc.x\tweb\n`,
  );
});

Deno.test("hostsFileContent() appends aliases behind a blank line", () => {
  strictEqual(
    hostsFileContent({ ...COMMON, pod: pod({ hostAliases: ALIASES }) }),
    `${HEAD}10.88.0.7\tweb\nfd00::7\tweb\n${ALIAS_LINES}`,
  );
});

Deno.test("hostsFileContent() shows the node's file and aliases on the node's network", () => {
  strictEqual(
    hostsFileContent({
      ...COMMON,
      pod: pod({ hostNetwork: true, hostAliases: ALIASES }),
    }),
    `# Kubernetes-managed hosts file (host network).\n127.0.0.1 localhost\n${ALIAS_LINES}`,
  );
});

const SERVICE_LINE = "10.88.0.9\tweb.shop\tweb";
const SERVICE_TEXT =
  `\n# Entries of Services.\n${SERVICE_LINE}\n10.88.0.4\tdb\n`;
const serviceLines = [SERVICE_LINE, "10.88.0.4\tdb"];

Deno.test("hostsFileContent() appends Services behind the aliases, which count first", () => {
  strictEqual(
    hostsFileContent({
      ...COMMON,
      serviceLines,
      pod: pod({ hostAliases: ALIASES }),
    }),
    `${HEAD}10.88.0.7\tweb\nfd00::7\tweb\n${ALIAS_LINES}${SERVICE_TEXT}`,
  );
});

Deno.test("hostsFileContent() appends Services on the node's network", () => {
  strictEqual(
    hostsFileContent({
      ...COMMON,
      serviceLines,
      pod: pod({ hostNetwork: true }),
    }),
    `# Kubernetes-managed hosts file (host network).\n127.0.0.1 localhost\n${SERVICE_TEXT}`,
  );
});

const OWN_MOUNT = container("c", {
  volumeMounts: [{ name: "h", mountPath: "/etc/hosts" }],
});
const WANTS = [
  { title: "a pod with an address", ips: ["10.88.0.7"], expected: true },
  { title: "a pod without an address", ips: [], expected: false },
  {
    title: "a pod on the node's network",
    ips: [],
    spec: { hostNetwork: true },
    expected: true,
  },
  {
    title: "a container with its own",
    ips: ["10.88.0.7"],
    own: true,
    expected: false,
  },
] as const;

for (const { title, ips, expected, ...row } of WANTS) {
  Deno.test(`wantsHostsFile() is ${expected} for ${title}`, () => {
    const of = pod("spec" in row ? row.spec : {});
    const wanting = "own" in row ? OWN_MOUNT : container();
    strictEqual(wantsHostsFile(of, wanting, ips), expected);
  });
}
