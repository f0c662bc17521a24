/**
 * What hooks and probes by HTTP send.
 *
 * @module
 */

import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import {
  type HttpAction,
  httpActionHeaders,
  httpActionUrl,
} from "../../../../mod/pod/probes/http_action.ts";

const headersOf = (...headers: readonly (readonly [string, string])[]) =>
  httpActionHeaders({
    port: 80,
    httpHeaders: headers.map(([name, value]) => ({ name, value })),
  }, "agent/1");

Deno.test("httpActionHeaders() adds the headers that an action leaves out, and drops empty ones", () => {
  const defaults = { "User-Agent": ["agent/1"], Accept: ["*/*"] };
  deepStrictEqual(headersOf(), defaults);
  deepStrictEqual(headersOf(["user-agent", "mine"], ["ACCEPT", ""]), {
    "user-agent": ["mine"],
  });
  deepStrictEqual(
    headersOf(["X", "1"], ["x", ""], ["Host", "a"], ["host", "b"]),
    {
      X: ["1", ""],
      Host: ["b"],
      ...defaults,
    },
  );
});

const PLACE = {
  purpose: "run the hook",
  podIp: "10.88.0.5",
  ports: [{ name: "web", containerPort: 8080 }],
};

const URLS: readonly (readonly [HttpAction, string])[] = [
  [{ port: 80 }, "http://10.88.0.5:80/"],
  [{ port: "web" }, "http://10.88.0.5:8080/"],
  [{ port: "81", path: "a?b=c" }, "http://10.88.0.5:81/a?b=c"],
  [{ port: 65_535, path: "//x" }, "http://10.88.0.5:65535//x"],
  [{ port: 80, scheme: "HTTPS" }, "https://10.88.0.5:80/"],
  [{ port: 80, host: "example.org" }, "http://example.org:80/"],
  [{ port: 80, host: "fd00::5" }, "http://[fd00::5]:80/"],
  [{ port: 80, host: "[fd00::5]" }, "http://[fd00::5]:80/"],
];
for (const [action, url] of URLS) {
  Deno.test(`httpActionUrl() of ${JSON.stringify(action)} is ${url}`, () => {
    strictEqual(`${httpActionUrl(action, PLACE)}`, `${new URL(url)}`);
  });
}

Deno.test("httpActionUrl() goes by another scheme if one is given", () => {
  const { protocol } = httpActionUrl({ port: 80 }, PLACE, "https");
  strictEqual(protocol, "https:");
});

for (const port of ["other", 0, 65_536]) {
  Deno.test(`httpActionUrl() refuses port ${port}`, () => {
    throws(() => httpActionUrl({ port }, PLACE), {
      message:
        `Cannot run the hook: found port "${port}", wanted a number or the name of a port of the container`,
    });
  });
}

Deno.test("httpActionUrl() refuses what names no host, or none that can be", () => {
  const nowhere = { ...PLACE, podIp: undefined };
  throws(() => httpActionUrl({ port: 80 }, nowhere), {
    message:
      "Cannot run the hook: the pod has no address, wanted one or a host in the manifest",
  });
  throws(() => httpActionUrl({ port: 80, host: "a b" }, PLACE), {
    message: 'Cannot run the hook: found "http://a b:80/", wanted a URL',
  });
});
