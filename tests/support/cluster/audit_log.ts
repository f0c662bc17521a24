/**
 * What nodes ask of an API server, by its own audit log.
 *
 * @module
 */

import { isRecord } from "../../../mod/base/mod.ts";

/** One call that was answered. */
export interface AuditedCall {
  /** As `system:node:edge1`. */
  readonly user: string;
  readonly userAgent: string;
  /** As in rights: `get`, `list`, `watch`, `patch`, … */
  readonly verb: string;
  /** With its group and subresource: `pods/status`, `leases.coordination.k8s.io`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** With its query. */
  readonly uri: string;
  readonly code: number;
  /** When it came. */
  readonly atMs: number;
}

/** What an API server is to write down: each call of a node, or of one who wants to be one. */
export const AUDIT_POLICY: Readonly<Record<string, unknown>> = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    {
      level: "Metadata",
      userGroups: ["system:nodes", "system:bootstrappers"],
    },
    { level: "None" },
  ],
};

/** Reads an audit log; a watch counts when it opens, all else when it is answered. */
export function parseAuditLog(text: string): readonly AuditedCall[] {
  return text.split("\n").filter((line) => line !== "").flatMap((line) => {
    const event = fieldsOf(JSON.parse(line));
    const verb = String(event["verb"]);
    const wanted = verb === "watch" ? "ResponseStarted" : "ResponseComplete";
    return event["stage"] === wanted ? [readCall(event, verb)] : [];
  });
}

/** How often each thing was asked, as `update leases.coordination.k8s.io`. */
export function countAudited(
  calls: readonly AuditedCall[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { verb, resource } of calls) {
    const key = `${verb} ${resource}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return new Map([...counts].sort(([a], [b]) => a < b ? -1 : 1));
}

function readCall(event: Fields, verb: string): AuditedCall {
  const object = fieldsOf(event["objectRef"]);
  const group = object["apiGroup"] ? `.${object["apiGroup"]}` : "";
  const part = object["subresource"] ? `/${object["subresource"]}` : "";
  const uri = textOf(event["requestURI"]);
  return {
    user: textOf(fieldsOf(event["user"])["username"]),
    userAgent: textOf(event["userAgent"]),
    verb,
    // What is no object, such as the version, has a path only.
    resource: object["resource"]
      ? `${object["resource"]}${part}${group}`
      : uri.replace(/\?.*/, ""),
    namespace: textOf(object["namespace"]),
    name: textOf(object["name"]),
    uri,
    code: Number(fieldsOf(event["responseStatus"])["code"]),
    atMs: Date.parse(textOf(event["requestReceivedTimestamp"])),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
