/**
 * What hooks and probes by HTTP send.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { httpActionHeaders } from "../../../../mod/pod/probes/http_action.ts";

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
