/**
 * Compares what a process may touch with what its settings need.
 *
 * @module
 */

import type { Grant, Grants } from "./grants.ts";

/** Asks for the state of one permission; `Deno.permissions.query` does. */
export type PermissionQuery = (
  descriptor: Deno.PermissionDescriptor,
) => Promise<{ readonly state: Deno.PermissionState }>;

/**
 * Names every needed grant that the process does not have, and its option.
 *
 * Without this check a denial would look like a runtime that is not up yet,
 * since the gRPC library reports both alike.
 */
export async function checkGrants(
  grants: Grants,
  query: PermissionQuery,
): Promise<string[]> {
  const faults: string[] = [];
  for (const { kind, grant, descriptor } of demands(grants)) {
    const { state } = await query(descriptor);
    if (state === "granted") continue;
    faults.push(
      `Cannot use "${grant.target}" of ${grant.option}: found no ${kind} grant for it, wanted one: start through "deno task skerry", or give ${grant.option} to "deno task compile" too`,
    );
  }
  return faults;
}

interface Demand {
  readonly kind: keyof Grants;
  readonly grant: Grant;
  readonly descriptor: Deno.PermissionDescriptor;
}

function demands({ read, write, net, sys }: Grants): Demand[] {
  const each = (
    kind: keyof Grants,
    grants: readonly Grant[],
    describe: (target: string) => Deno.PermissionDescriptor,
  ): Demand[] =>
    grants.map((grant) => ({
      kind,
      grant,
      descriptor: describe(grant.target),
    }));
  return [
    ...each("read", read, (path) => ({ name: "read", path })),
    ...each("write", write, (path) => ({ name: "write", path })),
    ...each("net", net, (target) => ({
      name: "net",
      host: askableHost(target),
    })),
    ...each("sys", sys, (name) => ({ name: "sys", kind: sysKind(name) })),
  ];
}

/** Deno answers for an address in a network, not for the network itself. */
function askableHost(target: string): string {
  const [address = ""] = target.split("/", 1);
  return target.startsWith("unix:") ? target : address;
}

function sysKind(
  name: string,
): NonNullable<Deno.SysPermissionDescriptor["kind"]> {
  // The names come from a list in grants.ts that Deno's own type does not know.
  return name as NonNullable<Deno.SysPermissionDescriptor["kind"]>;
}
