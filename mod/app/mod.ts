/**
 * Puts the rooms together, and owns the process: its lock, its servers, its end.
 *
 * A core holds every part of an agent and nothing that must not be lost: all it knows is on
 * the disk and in the runtime. When a core fails, a new one goes on where it stopped; when
 * the agent ends, containers run on.
 *
 * @example What an agent would say of a valid pod
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { judgePod } from "./mod.ts";
 *
 * const readinessProbe = { tcpSocket: { host: "192.0.2.1", port: 80 } };
 * const spec = { containers: [{ name: "web", readinessProbe }] };
 * const { faults } = judgePod({ spec }, { podNetworks: ["10.88.0.0/16"] });
 * deepStrictEqual(
 *   faults.map(({ field }) => field),
 *   ["spec.containers[0].readinessProbe.tcpSocket.host"],
 * );
 * ```
 *
 * @module
 */

export { buildCore, type Core } from "./core.ts";
export { CoreLife, type LivingAgent } from "./core_life.ts";
export { MachineShutdown } from "./machine_shutdown.ts";
export { judgePod } from "./manifest_check.ts";
export { nodeFacts, readHostFacts } from "./gather_node_facts.ts";
export { runAgent } from "./serve_agent.ts";
