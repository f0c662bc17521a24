/**
 * A whole agent over a fake runtime that is a node of a scripted API server.
 *
 * @module
 */

import { ok } from "node:assert/strict";
import { isRecord } from "../../../mod/base/mod.ts";
import { NODE } from "../agent/core_config.ts";
import { CoreRig, type CoreRigOptions } from "../agent/core_rig.ts";
import { busybox } from "../agent/manifests.ts";
import { TempDir } from "../temp_dir.ts";
import { until } from "../until.ts";
import { type ApiPath, parseApiPath } from "./api_path.ts";
import type { KeptObject } from "./memory_objects.ts";
import { ScriptedApi } from "./scripted_api.ts";

/** An agent and its API server; disposing ends both. */
export class JoinedCore implements AsyncDisposable {
  readonly api: ScriptedApi;
  readonly core: CoreRig;
  readonly #stack: AsyncDisposableStack;

  private constructor(
    parts: Pick<JoinedCore, "api" | "core">,
    stack: AsyncDisposableStack,
  ) {
    this.api = parts.api;
    this.core = parts.core;
    this.#stack = stack;
  }

  /** Starts a server and, after `prepare`, an agent that has joined it. */
  static async start(
    options: Omit<CoreRigOptions, "prepare"> & {
      readonly prepare?: (api: ScriptedApi) => void;
    } = {},
  ): Promise<JoinedCore> {
    const { prepare, ...rest } = options;
    await using stack = new AsyncDisposableStack();
    const api = stack.use(await ScriptedApi.start());
    prepare?.(api);
    const directory = stack.use(await TempDir.make());
    const kubeconfig = `${directory.path}/node.kubeconfig`;
    await Deno.writeTextFile(kubeconfig, await api.nodeKubeconfig(NODE));
    const flags = [...rest.flags ?? [], `--kubeconfig=${kubeconfig}`];
    const core = stack.use(await CoreRig.start({ ...rest, flags }));
    return new JoinedCore({ api, core }, stack.move());
  }

  /** Binds a pod to the node, and gives its UID. */
  bind(name: string, spec: object = {}): string {
    return this.make("pods", "Pod", {
      metadata: { name },
      spec: {
        nodeName: NODE,
        terminationGracePeriodSeconds: 5,
        containers: [busybox("server")],
        ...spec,
      },
    }).metadata.uid;
  }

  /** Makes an object in the namespace `default`. */
  make(
    plural: string,
    kind: string,
    rest: {
      readonly metadata: {
        readonly name: string;
        readonly [field: string]: unknown;
      };
      readonly [field: string]: unknown;
    },
  ): KeptObject {
    const { metadata } = rest;
    return this.api.objects.create(pathOf(plural), {
      apiVersion: "v1",
      kind,
      ...rest,
      metadata: { namespace: "default", ...metadata },
    });
  }

  /** Deletes a pod at the server. */
  delete(name: string, gracePeriodSeconds: number): void {
    this.api.objects.delete(pathOf(`pods/${name}`), { gracePeriodSeconds });
  }

  /** What the server has of a pod; absent when it has none. */
  shown(name: string): KeptObject | undefined {
    return this.api.objects.list(pathOf("pods"))
      .find(({ metadata }) => metadata.name === name);
  }

  /** The phase that the server shows. */
  phase(name: string): unknown {
    const status = this.shown(name)?.["status"];
    return isRecord(status) ? status["phase"] : undefined;
  }

  /** Renames a manifest into the folder. */
  async apply(name: string, manifest: unknown): Promise<void> {
    const path = `${this.core.directory}/${name}.new`;
    await Deno.writeTextFile(path, JSON.stringify(manifest));
    await Deno.rename(path, this.core.manifestPath(name));
  }

  /** Removes a manifest. */
  async remove(name: string): Promise<void> {
    await Deno.remove(this.core.manifestPath(name));
  }

  /** Lets time pass, slowly enough for what is on the wire. */
  async pass(ms: number): Promise<void> {
    const { clock } = this.core;
    const endMs = clock.monotonic() + ms;
    await this.until(() => clock.monotonic() >= endMs, `${ms} ms`);
  }

  /**
   * Waits on the wire, with a clock that goes: it is never at rest, as sockets are.
   */
  async until(holds: () => boolean, what: string): Promise<void> {
    await until(
      async () => {
        if (holds()) return true;
        await this.core.clock.advance(STEP_MS);
        return holds();
      },
      what,
      () =>
        [
          ...this.api.lines.slice(-15),
          ...this.core.log.slice(-15),
        ].join("\n"),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** No deadline is met by it while what it is for takes its few milliseconds. */
const STEP_MS = 25;

function pathOf(plural: string): ApiPath {
  const path = parseApiPath(`/api/v1/namespaces/default/${plural}`);
  ok(path !== undefined);
  return path;
}
