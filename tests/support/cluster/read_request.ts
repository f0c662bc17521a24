/**
 * What comes over the wire, as an API server reads it.
 *
 * @module
 */

import { isRecord } from "../../../mod/base/mod.ts";
import type { KubeRequest } from "../kube/staged_server.ts";
import type { DeleteWish } from "./memory_objects.ts";
import type { ScriptedRequest } from "./request_fault.ts";

/** The wish in the body of a DELETE. */
export function readDeleteWish(body: unknown): DeleteWish {
  const options = isRecord(body) ? body : {};
  const { preconditions, gracePeriodSeconds } = options;
  const { uid, resourceVersion } = isRecord(preconditions) ? preconditions : {};
  return {
    ...typeof uid === "string" && { uid },
    ...typeof resourceVersion === "string" && { resourceVersion },
    ...typeof gracePeriodSeconds === "number" && { gracePeriodSeconds },
  };
}

/** A request as an API server understands it. */
export function readScripted(request: KubeRequest): ScriptedRequest {
  const { method, body, client } = request;
  const { pathname: path, searchParams: query } = new URL(
    request.path,
    "https://api",
  );
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, `${value}`]),
  );
  const token = request.authorization?.replace(/^Bearer /, "token ");
  return {
    ...{ method, path, query, headers },
    body: body === "" ? undefined : JSON.parse(body),
    user: token ?? client,
  };
}

/** Whether somebody has shown a token, and no certificate. */
export function isToken(user: string): boolean {
  return user.startsWith("token ");
}
