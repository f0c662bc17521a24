/**
 * What the agent knows of its node, as a cluster is to see it.
 *
 * @module
 */

import { formatQuantity, type Quantity } from "../../api/objects/mod.ts";
import { type Clock, deadline, defined } from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import { KUBELET_VERSION } from "../../config/mod.ts";
import type { CriConnection } from "../../cri/mod.ts";
import type { NodePicture } from "../../node/mod.ts";
import type { NodePressure } from "../../pod/admission/mod.ts";
import type { NodeAddresses } from "./node_addresses.ts";
import type { NodeImages } from "./node_images.ts";

/** What is asked. */
export interface NodePicturesDeps {
  readonly clock: Clock;
  readonly connection: {
    readonly features: CriConnection["features"];
    readonly runtime: Pick<CriConnection["runtime"], "status">;
  };
  readonly addresses: Pick<NodeAddresses, "current">;
  readonly images: Pick<NodeImages, "known" | "refresh">;
  readonly capacity: ReadonlyMap<string, Quantity>;
  /** Of that, what a scheduler may give to pods. */
  readonly schedulable: ReadonlyMap<string, Quantity>;
  readonly swapBytes: () => number;
  readonly pressures: () => readonly NodePressure[];
  /** Why the runtime's pods have not been seen for long; `undefined` when they have. */
  readonly standstill: () => string | undefined;
  readonly isGoingDown: () => boolean;
  readonly machine: MachineIdentity;
}

/** What a machine says of itself once. */
export interface MachineIdentity {
  readonly machineID: string;
  /** Another one after each boot. */
  readonly bootID: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  /** As Go names it. */
  readonly architecture: string;
}

/** A runtime that does not answer sooner is not ready. */
const LIMIT_MS = 2_000;

/** Looks at the node; what cannot be asked of the runtime is why it is not ready. */
export async function nodePicture(
  deps: NodePicturesDeps,
  signal: AbortSignal,
): Promise<NodePicture> {
  const { connection, machine, addresses, images } = deps;
  const notReady = await whyNotReady(deps, signal);
  const features = connection.features();
  return {
    ...defined({ addresses: addresses.current, images: images.known }),
    capacity: amounts(deps.capacity),
    allocatable: amounts(deps.schedulable),
    info: {
      ...machine,
      systemUUID: machine.machineID,
      containerRuntimeVersion: features === undefined
        ? ""
        : `${features.version.runtimeName}://${features.version.runtimeVersion}`,
      kubeletVersion: KUBELET_VERSION,
      kubeProxyVersion: "",
      operatingSystem: "linux",
      ...swap(deps.swapBytes()),
    },
    runtimeHandlers: (features?.handlers ?? []).map((
      { name, ...features },
    ) => ({ name, features })),
    ...(features !== undefined && {
      features: { supplementalGroupsPolicy: features.supplementalGroupsPolicy },
    }),
    pressures: deps.pressures(),
    notReady,
  };
}

/** As upstream: a machine without it says nothing of it. */
function swap(capacity: number): Pick<NodePicture["info"], "swap"> {
  return capacity > 0 ? { swap: { capacity } } : {};
}

function amounts(
  quantities: ReadonlyMap<string, Quantity>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...quantities].map(([name, amount]) => [name, formatQuantity(amount)]),
  );
}

/** In upstream's words and order (pkg/kubelet/runtime.go, pkg/kubelet/nodestatus). */
async function whyNotReady(
  deps: NodePicturesDeps,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const standstill = deps.standstill();
  return [
    ...await askRuntime(deps, signal),
    ...(standstill === undefined ? [] : [`PLEG is not healthy: ${standstill}`]),
    ...(deps.isGoingDown() ? ["node is shutting down"] : []),
  ];
}

async function askRuntime(
  { clock, connection: { runtime }, images }: NodePicturesDeps,
  signal: AbortSignal,
): Promise<readonly string[]> {
  using limit = deadline(clock, LIMIT_MS, signal);
  try {
    const [status] = await Promise.all([
      runtime.status({ signal: limit.signal }),
      images.refresh(limit.signal),
    ]);
    return problemsOf(status.conditions);
  } catch (error) {
    signal.throwIfAborted();
    return [`container runtime is down: ${describeError(error)}`];
  }
}

const CONDITION_WORDS: Readonly<Record<string, string>> = {
  RuntimeReady: "container runtime not ready",
  NetworkReady: "container runtime network not ready",
};

function problemsOf(
  conditions: readonly {
    readonly type: string;
    readonly status: boolean;
    readonly reason: string;
    readonly message: string;
  }[],
): readonly string[] {
  return conditions.flatMap(({ type, status, reason, message }) => {
    const words = CONDITION_WORDS[type];
    return status || words === undefined
      ? []
      : [`${words}: ${type}=false reason:${reason} message:${message}`];
  });
}
