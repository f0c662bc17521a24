/**
 * The agent's own client of an API server, with a kubeconfig of the tests.
 *
 * @module
 */

import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import type { ApiObject } from "../../../mod/api/workload/mod.ts";
import { SharedInformer } from "../../../mod/informer/shared/mod.ts";
import { KubeconfigFile } from "../../../mod/kube/config/mod.ts";
import { KubeKind, kubeResource } from "../../../mod/kube/objects/mod.ts";
import { KubeTransport } from "../../../mod/kube/transport/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { seededRandom } from "../seeded_random.ts";

/** An object with all that it has. */
export interface WholeObject extends ApiObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

/** A client on a clock that stands still; it ends with its block. */
export class NodeClient implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly transport: KubeTransport;
  readonly nodes: KubeKind<WholeObject>;
  readonly pods: KubeKind<WholeObject>;
  readonly leases: KubeKind<WholeObject>;
  readonly stop: AbortController = new AbortController();

  constructor(kubeconfigPath: string) {
    this.transport = new KubeTransport({
      source: new KubeconfigFile(kubeconfigPath, Deno.readTextFile),
      clock: this.clock,
      random: seededRandom(1),
      log: silentLogger,
      metrics: new MetricsRegistry(),
    }, { userAgent: "skerry/test" });
    this.nodes = this.#kind("v1", "Node");
    this.pods = this.#kind("v1", "Pod");
    this.leases = this.#kind("coordination.k8s.io/v1", "Lease");
  }

  /** Ends with the client. */
  get signal(): AbortSignal {
    return this.stop.signal;
  }

  /** An informer of the pods of a node, that does not run yet. */
  podInformer(nodeName: string): SharedInformer<WholeObject> {
    return new SharedInformer({
      source: this.pods,
      clock: this.clock,
      random: seededRandom(1),
      log: silentLogger,
      metrics: new MetricsRegistry(),
      freezes: true,
    }, {
      apiVersion: "v1",
      kind: "Pod",
      selection: { fieldSelector: `spec.nodeName=${nodeName}` },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort();
    await this.transport[Symbol.asyncDispose]();
  }

  #kind(apiVersion: string, kind: string): KubeKind<WholeObject> {
    return new KubeKind(this.transport, kubeResource({ apiVersion, kind }));
  }
}
