/**
 * What a client is told of a refusal, by Kubernetes' reasons.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import {
  ApiFailure,
  type FailureReason,
} from "../../../../mod/api/access/mod.ts";
import { Semaphore } from "../../../../mod/base/mod.ts";
import { silentLogger } from "../../../../mod/base/telemetry/mod.ts";
import {
  answerObjects,
  parseObjectPath,
} from "../../../../mod/server/objects/mod.ts";

const { signal } = new AbortController();

async function refused(path: string, reason: FailureReason): Promise<unknown> {
  const failed = (): never => {
    throw new ApiFailure(reason, "why");
  };
  const found = parseObjectPath(path.split("/"));
  if (found === undefined) throw new Error(`No path: ${path}`);
  const response = await answerObjects(
    { path: found, query: new URLSearchParams() },
    {
      objects: { get: () => Promise.try(failed), reader: failed },
      watches: new Semaphore(1),
      log: silentLogger,
    },
    signal,
  );
  const { reason: shown, code, message, details } = await response.json();
  return { shown, code, message, ...(details && { details }) };
}

const LIST = "apis/apps/v1/namespaces/shop/deployments";
const causes = [{
  reason: "ResourceVersionTooLarge",
  message: "Too large resource version",
}];
const details = { causes, retryAfterSeconds: 1 };
for (
  const [path, reason, wanted] of [
    [LIST, "BadRequest", { shown: "BadRequest", code: 400 }],
    [LIST, "NotFound", { shown: "NotFound", code: 404 }],
    [LIST, "MethodNotAllowed", { shown: "MethodNotAllowed", code: 405 }],
    [LIST, "Expired", { shown: "Expired", code: 410 }],
    [LIST, "TooManyRequests", { shown: "TooManyRequests", code: 429 }],
    [LIST, "Timeout", { shown: "Timeout", code: 504 }],
    [LIST, "ResourceVersionTooLarge", {
      shown: "Timeout",
      code: 504,
      details,
    }],
    [LIST, "Conflict", { shown: "InternalError", code: 500 }],
    [`${LIST}/web`, "Conflict", { shown: "InternalError", code: 500 }],
    [`${LIST}/web`, "NotFound", {
      shown: "NotFound",
      code: 404,
      message: 'deployments.apps "web" not found',
      details: { name: "web", group: "apps", kind: "deployments" },
    }],
    ["api/v1/namespaces/shop/services/web", "NotFound", {
      shown: "NotFound",
      code: 404,
      message: 'services "web" not found',
      details: { name: "web", kind: "services" },
    }],
  ] as const
) {
  Deno.test(`answerObjects() of ${path} tells ${reason} as ${wanted.shown}`, async () => {
    deepStrictEqual(await refused(path, reason), { message: "why", ...wanted });
  });
}
