import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { describeError } from "../../../../mod/base/text/mod.ts";
import {
  KubeconfigError,
  KubeconfigFile,
} from "../../../../mod/kube/config/mod.ts";
import {
  CERT_PEM,
  KEY_PEM,
  kubeconfigText,
} from "../../../support/kube/kubeconfigs.ts";

const PATH = "/etc/kube/config";

function fileOf(files: Readonly<Record<string, string>>): KubeconfigFile {
  return new KubeconfigFile(PATH, (path) => {
    const text = files[path];
    return text === undefined
      ? Promise.reject(new Error(`Cannot read "${path}": no such file`))
      : Promise.resolve(text);
  });
}

const IN_FILES = kubeconfigText({
  cluster: {
    "certificate-authority": "ca.crt",
    "proxy-url": "http://proxy:3128",
  },
  user: {
    "client-certificate": "node.crt",
    "client-key": "node.key",
    tokenFile: "token",
  },
});

const FILES = {
  [PATH]: IN_FILES,
  "/etc/kube/ca.crt": `${CERT_PEM}\n`,
  "/etc/kube/node.crt": CERT_PEM,
  "/etc/kube/node.key": KEY_PEM,
  "/etc/kube/token": " abc\n",
};

Deno.test("KubeconfigFile reads what its files hold", async () => {
  const file = fileOf(FILES);
  const { server, ca, client, token, proxyUrl } = await file.load();
  strictEqual(file.path, PATH);
  strictEqual(server, "https://api.example:6443");
  strictEqual(ca, CERT_PEM);
  strictEqual(client?.cert, CERT_PEM);
  strictEqual(client?.key.reveal(), KEY_PEM);
  strictEqual(token?.reveal(), "abc");
  strictEqual(proxyUrl?.reveal(), "http://proxy:3128");
});

Deno.test("KubeconfigFile gives no more than there is", async () => {
  const { token, ...rest } = await fileOf({ [PATH]: kubeconfigText() }).load();
  strictEqual(token?.reveal(), "abc");
  deepStrictEqual(rest, { server: "https://api.example:6443" });
});

Deno.test("KubeconfigFile reads anew each time", async () => {
  const files: Record<string, string> = { ...FILES };
  const file = fileOf(files);
  await file.load();
  files["/etc/kube/token"] = "other";
  strictEqual((await file.load()).token?.reveal(), "other");
});

Deno.test("KubeconfigFile names file, context and field of all that it cannot use", async () => {
  const file = fileOf({
    [PATH]: IN_FILES,
    "/etc/kube/ca.crt": "nothing",
    "/etc/kube/node.key": "-----BEGIN ENCRYPTED PRIVATE KEY-----",
    "/etc/kube/token": "S3CR3T\nS3CR3T",
  });
  await rejects(file.load(), (error) => {
    ok(error instanceof KubeconfigError);
    const at = '/etc/kube/config: context "main": ';
    deepStrictEqual(error.faults, [
      `${at}clusters[0].cluster.certificate-authority: Cannot use "/etc/kube/ca.crt": wanted a certificate in PEM`,
      `${at}users[0].user.client-certificate: Cannot read "/etc/kube/node.crt": no such file`,
      `${at}users[0].user.client-key: Cannot use "/etc/kube/node.key": wanted a private key in PEM`,
      `${at}users[0].user.tokenFile: Cannot use "/etc/kube/token": wanted a token and no more`,
    ]);
    strictEqual(
      error.message,
      `Cannot use the kubeconfig: ${error.faults.join("; ")}`,
    );
    return true;
  });
});

for (const path of Object.keys(FILES).filter((each) => each !== PATH)) {
  Deno.test(`KubeconfigFile gives nothing when ${path} alone cannot be read`, async () => {
    const { [path]: _gone, ...files }: Record<string, string> = FILES;
    await rejects(fileOf(files).load(), (error) => {
      ok(error instanceof KubeconfigError);
      strictEqual(error.faults.length, 1);
      return error.message.includes(`Cannot read "${path}": no such file`);
    });
  });
}

Deno.test("KubeconfigFile says that it cannot be read, or not be used", async () => {
  await rejects(fileOf({}).access(), {
    name: "KubeconfigError",
    faults: ['/etc/kube/config: Cannot read "/etc/kube/config": no such file'],
  });
  const empty = fileOf({ [PATH]: "" }).load();
  const error = await empty.then(() => undefined, describeError);
  strictEqual(
    error,
    "Cannot use the kubeconfig: /etc/kube/config: Cannot use it: found 0, wanted one document of kind Config",
  );
});

Deno.test("KubeconfigFile.access() does not read the files that are named", async () => {
  const access = await fileOf({ [PATH]: IN_FILES }).access();
  strictEqual(access.token?.kind, "file");
});
