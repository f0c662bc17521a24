/**
 * Connections whose runtime answers otherwise than the fake would.
 *
 * @module
 */

import type { CriConnection } from "../../../mod/cri/mod.ts";
import type { RuntimeService } from "../../../mod/cri/model/mod.ts";
import type { CoreRigOptions } from "./core_rig.ts";

/** A connection whose runtime answers some calls in another way. */
export function withOtherRuntime(
  connection: CriConnection,
  other: Partial<RuntimeService>,
): CriConnection {
  const table: Readonly<Record<string | symbol, unknown>> = { ...other };
  const runtime = new Proxy(connection.runtime, {
    get(target, key) {
      const value = table[key] ?? Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return {
    runtime,
    images: connection.images,
    ready: (signal) => connection.ready(signal),
    features: () => connection.features(),
    events: (signal) => connection.events(signal),
    containerExit: (id, options) => connection.containerExit(id, options),
    ingests: (options) => connection.ingests(options),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

/** A runtime whose sandboxes with a network of their own all have this address. */
function withAddress(
  connection: CriConnection,
  address: string,
): CriConnection {
  return withOtherRuntime(connection, {
    podSandboxStatus: async (id, options) => {
      const status = await connection.runtime.podSandboxStatus(id, options);
      return status.ip === "" ? status : { ...status, ip: address };
    },
  });
}

/** A whole agent whose pods all are where the test listens. */
export const ON_LOOPBACK: CoreRigOptions = {
  wrap: (connection) => withAddress(connection, "127.0.0.1"),
};
