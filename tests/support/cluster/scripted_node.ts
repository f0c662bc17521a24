/**
 * A whole agent that is a node of a scripted API server, with a fake runtime, all of it on
 * one clock that moves only when a test waits for something.
 *
 * @module
 */

import type { Pod } from "../../../mod/api/types/mod.ts";
import { isRecord, systemClock } from "../../../mod/base/mod.ts";
import { NODE } from "../agent/core_config.ts";
import { CoreRig, type CoreRigOptions } from "../agent/core_rig.ts";
import { FakeClock } from "../fake_clock.ts";
import type { FakeContainer } from "../fake_cri/model.ts";
import { IMAGE } from "../pods.ts";
import { TempDir } from "../temp_dir.ts";
import { type ApiPath, parseApiPath } from "./api_path.ts";
import type { KeptObject } from "./memory_objects.ts";
import { ScriptedApi } from "./scripted_api.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Where the pods of tests are. */
export const SHOP = "shop";

/** An agent, its runtime and its API server; disposing ends them, and what I1 forbids fails. */
export class ScriptedNode implements AsyncDisposable {
  readonly api: ScriptedApi;
  readonly clock: FakeClock;
  readonly rig: CoreRig;
  /** All servers of its world. */
  readonly servers: ScriptedApi[];
  readonly #stack: AsyncDisposableStack;

  private constructor(
    parts: Pick<ScriptedNode, "api" | "clock" | "rig" | "servers">,
    stack: AsyncDisposableStack,
  ) {
    this.api = parts.api;
    this.clock = parts.clock;
    this.rig = parts.rig;
    this.servers = parts.servers;
    this.#stack = stack;
  }

  /**
   * Starts a server, unless one is given, and an agent that joins it.
   *
   * @param options.prepare is called before the agent starts
   */
  static async start(
    { beside, prepare, ...options }:
      & Omit<CoreRigOptions, "api" | "prepare">
      & {
        /** Another agent, whose clock it has; and its objects, by another way to them. */
        readonly beside?: ScriptedNode;
        readonly prepare?: (core: ScriptedNode) => Promise<void> | void;
      } = {},
  ): Promise<ScriptedNode> {
    await using stack = new AsyncDisposableStack();
    const clock = beside?.clock ??
      new FakeClock(Math.floor(systemClock.now()));
    // Its clock goes right, wherever a test sets that of the agent.
    const beganMs = clock.now() - clock.monotonic();
    const now = (): number => beganMs + clock.monotonic();
    const { authority, objects } = beside?.api ?? {};
    const api = stack.use(
      await ScriptedApi.start({
        now,
        ...authority && { authority },
        ...objects && { objects },
      }),
    );
    const servers = beside?.servers ?? [];
    servers.push(api);
    const holding = {
      // One that says nothing may be asked for ever.
      get held(): number | undefined {
        return servers.reduce<number | undefined>(
          (all, { held }) =>
            all === undefined || held === undefined ? undefined : all + held,
          0,
        );
      },
    };
    const directory = stack.use(await TempDir.make());
    const kubeconfig = `${directory.path}/node.kubeconfig`;
    await Deno.writeTextFile(kubeconfig, await api.nodeKubeconfig(NODE));
    let core: ScriptedNode | undefined;
    const rig = await CoreRig.start({
      ...options,
      flags: [`--kubeconfig=${kubeconfig}`, ...options.flags ?? []],
      ...{ api: holding, clock },
      prepare: async (rig) => {
        core = new ScriptedNode({ api, clock, rig, servers }, stack.move());
        core.#stack.use(rig);
        await prepare?.(core);
      },
    });
    if (core?.rig !== rig) throw new Error("Wanted an agent that was prepared");
    return core;
  }

  /** Makes a pod of one container on the node, or what `spec` says, and gives its UID. */
  make(name: string, spec: Fields = {}): string {
    const body = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: SHOP },
      spec: {
        nodeName: NODE,
        terminationGracePeriodSeconds: 10,
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        containers: [joinedContainerOf(name)],
        ...spec,
      },
    };
    return this.api.objects.create(pathOf("pods"), body).metadata.uid;
  }

  /** Has a pod deleted, as a user does it. */
  delete(name: string, gracePeriodSeconds: number = 10): void {
    this.api.objects.delete(pathOf("pods", name), { gracePeriodSeconds });
  }

  /** Makes a ConfigMap, or changes its data. */
  config(name: string, data: Readonly<Record<string, string>>): void {
    const { objects } = this.api;
    const path = pathOf("configmaps");
    if (objects.list(path).every(({ metadata }) => metadata.name !== name)) {
      objects.create(path, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name, namespace: SHOP },
        data,
      });
      return;
    }
    objects.patch(pathOf("configmaps", name), (object) => ({
      ...isRecord(object) && object,
      data,
    }));
  }

  /** The pods that were made for the node, by name: mirrors are elsewhere. */
  pods(): ReadonlyMap<string, KeptObject> {
    return new Map(
      this.api.objects.list(pathOf("pods")).map((each) =>
        [each.metadata.name, each] as const
      ),
    );
  }

  /** What the server has as the status of a pod. */
  shown(name: string): Fields & Partial<NonNullable<Pod["status"]>> {
    const status = this.pods().get(name)?.["status"];
    return isRecord(status) ? status : {};
  }

  /** Waits until the server has pods in a phase. */
  async untilPhase(phase: string, ...names: readonly string[]): Promise<void> {
    await this.rig.until(
      () => names.every((name) => this.shown(name).phase === phase),
      `${names} to be ${phase}`,
    );
  }

  /** The containers that run, by the UID of their pod and their name. */
  running(): ReadonlyMap<string, FakeContainer> {
    const { fake } = this.rig;
    return new Map(
      [...fake.containers.values()].filter((each) => fake.isRunning(each))
        .map((each) => {
          const sandbox = fake.sandboxes.get(each.sandboxId);
          return [`${sandbox?.config.metadata?.uid}/${each.name}`, each];
        }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** The path of a kind in the namespace of tests, or in another one. */
export function pathOf(
  resource: string,
  name?: string,
  namespace: string = SHOP,
): ApiPath {
  const text = `/api/v1/namespaces/${namespace}/${resource}`;
  const path = parseApiPath(name === undefined ? text : `${text}/${name}`);
  if (path === undefined) throw new Error(`Wanted a path, not ${text}`);
  return path;
}

/** Where the mirrors of manifests are. */
export function mirrorPath(name?: string): ApiPath {
  return pathOf("pods", name, "default");
}

/** A container of the image that every fake runtime has. */
export function joinedContainerOf(name: string, rest: Fields = {}): Fields {
  return { name, image: IMAGE, imagePullPolicy: "IfNotPresent", ...rest };
}
