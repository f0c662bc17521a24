/**
 * As much of a runtime as looking at pods needs.
 *
 * @module
 */

import {
  type Container,
  CriError,
  type RuntimeContainerStatus,
  type Sandbox,
  type SandboxStatus,
} from "../../../mod/cri/model/mod.ts";
import type { ObserveDeps } from "../../../mod/runtime/observe/observe.ts";
import { NO_FILES } from "../no_ops.ts";
import { containerDetails, sandboxDetails } from "../runtime_rows.ts";

interface CallMore {
  readonly signal?: AbortSignal;
}

/** A runtime that lists rows and notes what it is asked. */
export class SmallRuntime {
  readonly calls: string[] = [];
  sandboxes: readonly Sandbox[] = [];
  containers: readonly Container[] = [];
  details: Partial<RuntimeContainerStatus> = {};
  /** The signals that came with calls. */
  readonly signals: unknown[] = [];
  sandbox: Partial<SandboxStatus> = {};
  gone: readonly string[] = [];
  failing = false;

  listPodSandbox(_: unknown, more?: CallMore): Promise<readonly Sandbox[]> {
    this.signals.push(more?.signal);
    this.calls.push("list sandboxes");
    return Promise.resolve(this.sandboxes);
  }

  listContainers(_: unknown, more?: CallMore): Promise<readonly Container[]> {
    this.signals.push(more?.signal);
    this.calls.push("list containers");
    return Promise.resolve(this.containers);
  }

  podSandboxStatus(id: string, more?: CallMore): Promise<SandboxStatus> {
    this.signals.push(more?.signal);
    this.calls.push(`status ${id}`);
    const row = this.sandboxes.find((each) => each.id === id);
    if (row === undefined || this.gone.includes(id)) return this.#refuse();
    return Promise.resolve(sandboxDetails(row, this.sandbox));
  }

  containerStatus(
    id: string,
    more?: CallMore,
  ): Promise<RuntimeContainerStatus> {
    this.signals.push(more?.signal);
    this.calls.push(`status ${id}`);
    const row = this.containers.find((each) => each.id === id);
    if (row === undefined || this.gone.includes(id) || this.failing) {
      return this.#refuse();
    }
    return Promise.resolve(containerDetails(row, this.details));
  }

  #refuse(): Promise<never> {
    const kind = this.failing ? "failed" : "not_found";
    return Promise.reject(
      new CriError({ kind, method: "ContainerStatus", detail: "no" }),
    );
  }
}

/** What looking at pods needs. */
export function depsOf(runtime: SmallRuntime): ObserveDeps {
  return { runtime, files: NO_FILES };
}
