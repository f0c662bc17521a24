/**
 * The manifest URL in flags and files, and what it lets the agent touch.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type {
  AgentConfig,
  ManifestUrlConfig,
} from "../../../mod/config/agent_config.ts";
import { deriveGrants } from "../../../mod/config/grants.ts";
import { grantsToFlags } from "../../../scripts/lib/launch_flags.ts";
import { parseRunArguments } from "../../../mod/config/run_arguments.ts";
import {
  fakeIo,
  kubeletFile,
  skerryFile,
} from "../../support/config/config_io.ts";

const CA = "--manifest-url-ca-file=/pki/ca.pem";

async function configOf(
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<{ config: AgentConfig; warnings: readonly string[] }> {
  const parsed = await parseRunArguments(args, fakeIo(files));
  if (parsed.kind === "refused") throw new Error(parsed.faults.join("\n"));
  return parsed;
}

async function urlOf(
  args: readonly string[],
  files?: Readonly<Record<string, string>>,
): Promise<ManifestUrlConfig> {
  const { config } = await configOf(args, files);
  ok(config.source.manifestUrl);
  return config.source.manifestUrl;
}

Deno.test("parseRunArguments() has no manifest URL by default", async () => {
  const { config } = await configOf([]);
  strictEqual(config.source.manifestUrl, undefined);
});

Deno.test("parseRunArguments() reads every flag of the manifest URL", async () => {
  const url = await urlOf([
    "--manifest-url=https://Host.example/a.yaml?x=1#y",
    CA,
    "--manifest-url-cert-file=cert.pem",
    "--manifest-url-key-file=/pki/key.pem",
    "--manifest-url-public-key=/pki/one.pem",
    "--manifest-url-public-key=/pki/two.pem",
    "--manifest-url-header=X-Token:  a b ",
    "--manifest-url-header=x-token: c",
    "--manifest-url-header=X-From: http://host:1/",
    "--http-check-frequency=5s",
  ]);
  const { url: address, headers, ...rest } = url;
  strictEqual(address.reveal(), "https://host.example/a.yaml?x=1");
  deepStrictEqual(headers.reveal(), {
    "x-token": ["a b", "c"],
    "x-from": ["http://host:1/"],
  });
  deepStrictEqual(rest, {
    host: "host.example:443",
    isTls: true,
    caFile: "/pki/ca.pem",
    certFile: "/here/cert.pem",
    keyFile: "/pki/key.pem",
    publicKeyFiles: ["/pki/one.pem", "/pki/two.pem"],
    checkFrequencyMs: 5_000,
  });
});

Deno.test("parseRunArguments() reads the manifest URL from the file", async () => {
  const file = kubeletFile(
    "staticPodURL: http://127.0.0.1:8080/m",
    "staticPodURLHeader: {X-Token: [a, b]}",
    "httpCheckFrequency: 1m",
  ) + skerryFile(
    "staticPodURLCAFile: ca.pem",
    "staticPodURLCertFile: cert.pem",
    "staticPodURLKeyFile: key.pem",
    "staticPodURLPublicKeys: [one.pem]",
  );
  const url = await urlOf(["--config=/etc/c.yaml"], { "/etc/c.yaml": file });
  strictEqual(url.url.reveal(), "http://127.0.0.1:8080/m");
  deepStrictEqual(url.headers.reveal(), { "x-token": ["a", "b"] });
  deepStrictEqual(
    [url.caFile, url.certFile, url.keyFile, url.publicKeyFiles],
    ["/etc/ca.pem", "/etc/cert.pem", "/etc/key.pem", ["/etc/one.pem"]],
  );
  deepStrictEqual([url.host, url.checkFrequencyMs], ["127.0.0.1:8080", 60_000]);
});

Deno.test("parseRunArguments() takes headers up to their longest", async () => {
  const [name, value] = ["a".repeat(256), "x".repeat(8192)];
  const { headers } = await urlOf([
    "--manifest-url=http://[::1]/",
    `--manifest-url-header=${name}: ${value}`,
  ]);
  deepStrictEqual(headers.reveal(), { [name]: [value] });
});

for (const header of ["{X: [1]}", "{'a b': [c]}", "{Host: [x]}", "[X]"]) {
  Deno.test(`parseRunArguments() refuses staticPodURLHeader: ${header}`, async () => {
    const io = fakeIo({ "/c": kubeletFile(`staticPodURLHeader: ${header}`) });
    const parsed = await parseRunArguments(["--config=/c"], io);
    deepStrictEqual(parsed.kind === "refused" && parsed.faults, [
      "/c:3: Cannot use staticPodURLHeader: found (not shown), wanted a map of headers to lists of values, without those that the agent sets itself",
    ]);
  });
}

Deno.test("parseRunArguments() takes headers without values for none", async () => {
  for (const headers of ["{}", "{X-Token: []}"]) {
    const file = kubeletFile(`staticPodURLHeader: ${headers}`);
    const { config } = await configOf(["--config=/etc/c.yaml"], {
      "/etc/c.yaml": file,
    });
    strictEqual(config.source.manifestUrl, undefined);
  }
});

Deno.test("parseRunArguments() makes a header of the URL's user and password", async () => {
  const plain = await urlOf(["--manifest-url=http://u%40h:p%20w@[::1]/"]);
  strictEqual(plain.url.reveal(), "http://[::1]/");
  strictEqual(plain.host, "[::1]:80");
  deepStrictEqual(plain.headers.reveal(), {
    authorization: [`Basic ${btoa("u@h:p w")}`],
  });
  const given = await urlOf([
    "--manifest-url=http://u:p@127.0.0.1/",
    "--manifest-url-header=Authorization: Bearer x",
  ]);
  deepStrictEqual(given.headers.reveal(), { authorization: ["Bearer x"] });
  for (const half of ["u:", ":p"]) {
    const { headers } = await urlOf([`--manifest-url=http://${half}@[::1]/`]);
    deepStrictEqual(headers.reveal(), {
      authorization: [`Basic ${btoa(half)}`],
    });
  }
});

Deno.test("SE-10 parseRunArguments() hides headers, password and query wherever they are written out", async () => {
  const { config } = await configOf([
    "--manifest-url=https://u:hunter2@h/?token=hunter3",
    "--manifest-url-header=X: hunter4",
    CA,
  ]);
  const written = [
    JSON.stringify(config),
    Deno.inspect(config, { depth: 20 }),
    String(config.source.manifestUrl?.headers),
  ].join();
  ok(!written.includes("hunter"), written);
  ok(written.includes("(not shown)"));
});

Deno.test("SE-10 parseRunArguments() refuses a header without showing it", async () => {
  for (
    const argument of [
      "--manifest-url-header=hunter2",
      "--manifest-url=ftp://u:hunter2@h/",
    ]
  ) {
    const parsed = await parseRunArguments([argument], fakeIo());
    ok(parsed.kind === "refused");
    ok(!parsed.faults.join().includes("hunter2"), parsed.faults.join());
  }
});

Deno.test("parseRunArguments() wants both parts of a client's certificate", async () => {
  for (const [part, other] of [["cert", "key"], ["key", "cert"]]) {
    const parsed = await parseRunArguments([
      "--manifest-url=https://h/",
      CA,
      `--manifest-url-${part}-file=/x.pem`,
    ], fakeIo());
    ok(parsed.kind === "refused");
    deepStrictEqual(parsed.faults, [
      `Cannot use --manifest-url-${part}-file: found no --manifest-url-${other}-file, wanted both`,
    ]);
  }
});

for (
  const [what, args, warnings] of [
    ["https", ["--manifest-url=https://h/", CA], 0],
    ["http on the loopback", ["--manifest-url=http://localhost:1/"], 0],
    ["http", ["--manifest-url=http://h/"], 1],
    ["signed http", [
      "--manifest-url=http://h/",
      "--manifest-url-public-key=/k.pem",
    ], 0],
    ["signed http with a password", [
      "--manifest-url=http://u:p@h/",
      "--manifest-url-public-key=/k.pem",
    ], 1],
  ] as const
) {
  Deno.test(`parseRunArguments() gives ${warnings} warnings of ${what}`, async () => {
    const network = "--pod-network=10.88.0.0/16";
    const given = await configOf([network, ...args]);
    strictEqual(given.warnings.length, warnings);
  });
}

Deno.test("deriveGrants() opens the URL's host and its files, for reading", async () => {
  const none = deriveGrants((await configOf([])).config, []);
  const { config } = await configOf([
    "--manifest-url=https://u:p@h.example/x",
    CA,
    "--manifest-url-cert-file=/pki/cert.pem",
    "--manifest-url-key-file=/pki/key.pem",
    "--manifest-url-public-key=/keys/one.pem",
  ]);
  const grants = deriveGrants(config, []);
  const added = (kind: keyof typeof grants): string[] =>
    grants[kind].map(({ target }) => target)
      .filter((target) => !none[kind].some((each) => each.target === target));
  deepStrictEqual(added("net"), ["h.example:443"]);
  deepStrictEqual(added("read"), [
    "/pki/ca.pem",
    "/pki/cert.pem",
    "/pki/key.pem",
    "/keys/one.pem",
  ]);
  deepStrictEqual([added("write"), added("sys")], [[], []]);
  ok(!grantsToFlags(grants).join().includes("u:p"));
});

for (
  const [argument, wanted] of [
    ["--manifest-url=ftp://x/", "of scheme http or https"],
    ["--manifest-url=file:///etc/x", "of scheme http or https"],
    ["--manifest-url=data:,x", "of scheme http or https"],
    ["--manifest-url=x/y", "of scheme http or https"],
    ["--manifest-url=", "of scheme http or https"],
    ["--manifest-url=http://a,b/", "of scheme http or https"],
    ["--manifest-url=http://*.example.com/", "of scheme http or https"],
    ["--manifest-url=http://%zz:x@h/", "of scheme http or https"],
    ["--manifest-url=https://x/", "without --manifest-url-ca-file"],
    ["--manifest-url-header=X: y", "found no --manifest-url"],
    ["--manifest-url-ca-file=/ca.pem", "found no --manifest-url"],
    ["--manifest-url-public-key=/k.pem", "found no --manifest-url"],
    ["--manifest-url-header=nothing", "one header such as"],
    ["--manifest-url-header=a b: c", "one header such as"],
    ["--manifest-url-header=a: b\r\nc: d", "one header such as"],
    ["--manifest-url-header=a: b, c: d", "several by several flags"],
    [`--manifest-url-header=a: ${"x".repeat(8193)}`, "one header such as"],
    [`--manifest-url-header=${"a".repeat(257)}: b`, "one header such as"],
    ["--manifest-url-header=Host: x", "not one that the agent sets"],
    ["--manifest-url-header=accept-encoding: gzip", "not one that the agent"],
    ["--http-check-frequency=20", "wanted a duration"],
  ] as const
) {
  Deno.test(`parseRunArguments() refuses ${JSON.stringify(argument.slice(0, 60))}`, async () => {
    const parsed = await parseRunArguments([argument], fakeIo());
    ok(parsed.kind === "refused");
    strictEqual(parsed.faults.length, 1, parsed.faults.join("\n"));
    ok(parsed.faults[0]?.includes(wanted), String(parsed.faults[0]));
  });
}
