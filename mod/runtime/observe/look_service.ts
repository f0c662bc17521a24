/**
 * The calls by which pods are looked at.
 *
 * @module
 */

import type {
  CallOptions,
  RuntimeContainerStatus,
  SandboxStatus,
} from "../../cri/model/mod.ts";
import type { ListService } from "./list_pods.ts";

/** The status of a container, and how far it can be relied upon. */
export interface ToldStatus extends RuntimeContainerStatus {
  /** The runtime's own status still lags behind: more will be told of the end. */
  readonly isUnconfirmed?: true;
}

/** The calls by which pods are looked at. */
export interface LookService extends ListService {
  containerStatus(
    containerId: string,
    options?: CallOptions,
  ): Promise<ToldStatus>;
  podSandboxStatus(
    sandboxId: string,
    options?: CallOptions,
  ): Promise<SandboxStatus>;
}
