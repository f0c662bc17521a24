/**
 * The requests that the agent sends for a pod, without the agent.
 *
 * @module
 */

import { decodeManifest } from "../../mod/api/read/mod.ts";
import { logDirectoryName } from "../../mod/api/vocabulary/mod.ts";
import { NO_OBJECTS } from "../../tests/support/no_objects.ts";
import type {
  ContainerConfig,
  SandboxConfig,
} from "../../mod/cri/config/mod.ts";
import { SpecBuilder } from "../../mod/runtime/spec/mod.ts";
import { identifyPod } from "../../mod/source/file/mod.ts";
import { podManifest } from "../lib/pod_manifest.ts";
import { BUSYBOX_IMAGE } from "../lib/containerd_rig.ts";
import { bareNode } from "../lib/bare_node.ts";

/** What is sent to start one pod of one container. */
export interface BareRequest {
  readonly sandbox: SandboxConfig;
  readonly container: ContainerConfig;
}

/** Makes one request after the other, each for a pod of its own. */
export class BareRequests {
  readonly #directory: string;
  readonly #specs: SpecBuilder;
  #serial = 0;

  constructor(directory: string) {
    this.#directory = directory;
    this.#specs = new SpecBuilder({
      node: bareNode({ name: "bare" }),
      objects: NO_OBJECTS,
      podLogsDir: `${directory}/logs`,
      hostDns: () => undefined,
      clusterDns: [],
      clusterDomain: "",
      nodeHostsFile: () => "",
    });
  }

  /** The next pod's requests; the files that they mount are there. */
  async next(): Promise<BareRequest> {
    const name = `bare${this.#serial++}`;
    const decoded = decodeManifest(JSON.stringify(podManifest(name, {
      containers: [{ name: "main", command: ["sleep", "100000"] }],
    })));
    const [body] = decoded.kind === "ok" ? decoded.pods : [];
    const identified = body && identifyPod(body, {
      nodeName: "bare",
      origin: { kind: "file", path: `/bare/${name}` },
    });
    if (identified?.kind !== "ok") {
      throw new Error("Cannot make a bare pod: its manifest is refused");
    }
    const { pod } = identified;
    const files = `${this.#directory}/files/${name}`;
    await Deno.mkdir(files, { recursive: true });
    await Deno.mkdir(`${this.#directory}/logs/${logDirectoryName(pod)}/main`, {
      recursive: true,
    });
    await Deno.writeTextFile(`${files}/hosts`, "");
    await Deno.writeTextFile(`${files}/termination`, "");
    const sandbox = this.#specs.sandbox({ pod, attempt: 0 });
    const [spec] = pod.spec.containers;
    if (sandbox.kind !== "ok" || spec === undefined) {
      throw new Error("Cannot make a bare pod: no sandbox for it");
    }
    const container = this.#specs.container({
      pod,
      container: spec,
      kind: "app",
      restartCount: 0,
      sandboxId: "",
      podIps: ["10.0.0.1"],
      imageRef: BUSYBOX_IMAGE,
      imageUser: { uid: undefined, username: "" },
      volumes: new Map(),
      hostsFile: `${files}/hosts`,
      terminationLog: `${files}/termination`,
    });
    if (container.kind !== "ok") {
      throw new Error(`Cannot make a bare pod: ${container.message}`);
    }
    return { sandbox: sandbox.config, container: container.config };
  }
}
