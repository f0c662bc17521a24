/**
 * The health endpoint on a real port.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { HealthzServer } from "../../../mod/server/mod.ts";

const HEALTHY = { checks: ["ping"], problems: () => [] };
const SICK = {
  checks: ["ping"],
  problems: () => [{ check: "pleg", reason: "secret" }],
};
const ANY_PORT = { address: "127.0.0.1", port: 0 };

Deno.test("HealthzServer is off with port 0", () => {
  strictEqual(HealthzServer.start(ANY_PORT, HEALTHY), undefined);
});

Deno.test("HealthzServer answers /healthz and nothing else", async () => {
  await using server = HealthzServer.listen(ANY_PORT, HEALTHY);
  const base = `http://127.0.0.1:${server.port}`;
  const good = await fetch(`${base}/healthz`);
  deepStrictEqual([good.status, await good.text()], [200, "ok"]);
  const other = await fetch(`${base}/metrics`);
  strictEqual(other.status, 404);
  await other.body?.cancel();
});

Deno.test("HealthzServer tells strangers which check failed, but not why", async () => {
  await using server = HealthzServer.listen(ANY_PORT, SICK);
  const response = await fetch(`http://127.0.0.1:${server.port}/healthz`);
  strictEqual(response.status, 500);
  const text = await response.text();
  strictEqual(text.includes("[-]pleg failed: reason withheld"), true);
  strictEqual(text.includes("secret"), false);
});
