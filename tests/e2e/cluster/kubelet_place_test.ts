/**
 * The agent in the kubelet's place: started by that name, in its sandbox, with what kubeadm
 * and its systemd unit give a kubelet.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { agentBundle } from "../../../scripts/bundle.ts";
import {
  BUSYBOX_IMAGE,
  ContainerdRig,
} from "../../../scripts/lib/containerd_rig.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import { lockedRunFlags } from "../../../scripts/permissions.ts";
import { kubeadmConfig } from "../../support/config/kubelet_defaults.ts";
import { withCluster } from "../../support/cluster/with_cluster.ts";
import { TempDir } from "../../support/temp_dir.ts";

const NODE = "edge7";

/** As the unit of kubeadm's packages has it. */
const UNIT = 'exec "$KUBELET" $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS ' +
  "$KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS";

await withCluster("the agent in the kubelet's place", (test) => {
  test("what kubeadm leaves on a machine makes it a node", async (cluster) => {
    await using runtime = await ContainerdRig.start();
    await using machine = await TempDir.make();
    const at = (name: string): string => `${machine.path}/${name}`;
    for (const name of ["manifests", "conf.d", "root", "logs"]) {
      await Deno.mkdir(at(name));
    }
    await Deno.copyFile(
      await cluster.bootstrapKubeconfig(),
      at("bootstrap-kubelet.conf"),
    );
    await Deno.writeTextFile(at("config.yaml"), kubeadmConfig(at("manifests")));
    await Deno.writeTextFile(
      at("conf.d/10-node.conf"),
      JSON.stringify({
        apiVersion: "kubelet.config.k8s.io/v1beta1",
        kind: "KubeletConfiguration",
        healthzPort: 0,
        podLogsDir: at("logs"),
      }),
    );
    // A kubelet reads any file that does not begin with a dot.
    await Deno.writeTextFile(at("manifests/kiosk"), JSON.stringify(kiosk));
    const environment = {
      KUBELET_KUBECONFIG_ARGS: `--bootstrap-kubeconfig=${
        at("bootstrap-kubelet.conf")
      } --kubeconfig=${at("kubelet.conf")}`,
      KUBELET_CONFIG_ARGS: `--config=${at("config.yaml")}`,
      KUBELET_KUBEADM_ARGS:
        `--container-runtime-endpoint=unix://${runtime.socketPath} --pod-infra-container-image=registry.k8s.io/pause:3.10 --hostname-override=${NODE}`,
      KUBELET_EXTRA_ARGS: `--root-dir ${at("root")} --config-dir=${
        at("conf.d")
      } --node-labels=site=a --fail-swap-on=false -v=4 --pod-network=${runtime.podNetwork}`,
    };
    const words = Object.values(environment).join(" ").split(" ");
    const kubelet = at("kubelet");
    await Deno.writeTextFile(
      kubelet,
      `#!/bin/bash\nexec -a kubelet ${
        [
          Deno.execPath(),
          "run",
          ...await lockedRunFlags(["kubelet", ...words]),
          await agentBundle(),
        ].map((word) => `'${word}'`).join(" ")
      } "$@"\n`,
      { mode: 0o755 },
    );
    const version = await new Deno.Command(kubelet, { args: ["--version"] })
      .output();
    const told = new TextDecoder().decode(version.stdout);
    // kubeadm's preflight reads it so.
    match(told, /^Kubernetes v1\.36\.\d+[-\w.+]*\n$/);

    const unit = new Deno.Command("/bin/sh", {
      args: ["-c", `exec >>"$LOG" 2>&1; ${UNIT}`],
      env: { ...environment, KUBELET: kubelet, LOG: at("log") },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    const until = async (
      what: string,
      args: readonly string[],
      holds: (text: string) => boolean,
    ): Promise<string> => {
      let seen = "";
      await waitUntil(what, async () => {
        seen = (await cluster.kubectl(args)).text;
        return holds(seen);
      }, { saw: () => `${seen}\n${Deno.readTextFileSync(at("log"))}` });
      return seen;
    };
    try {
      const node = await until(
        "a node that is ready",
        [...["get", "nodes", NODE, "--no-headers", "-L", "site"]],
        (text) => /^\S+\s+Ready\s/.test(text),
      );
      ok(node.includes(told.replace("Kubernetes ", "").trim()), node);
      match(node, /\sa\s*$/);
      await until(
        "the mirror of a manifest that runs",
        ["get", "pod", `kiosk-${NODE}`, "--no-headers"],
        (text) => /1\/1\s+Running/.test(text),
      );
      match(
        await Deno.readTextFile(at("kubelet.conf")),
        /root\/pki\/kubelet-client-current\.pem/,
      );
      const log = await Deno.readTextFile(at("log"));
      const lines = log.split("\n").filter((line) =>
        line.includes("in the kubelet's place")
      );
      strictEqual(lines.length, 1, log);
      for (const name of ["authorization.mode", "pod-infra-container-image"]) {
        ok(lines[0]?.includes(name), name);
      }
      await Deno.remove(at("manifests/kiosk"));
      await until(
        "no mirror",
        ["get", "pods", "-o", "name"],
        (text) => !text.includes("kiosk"),
      );
    } finally {
      unit.kill("SIGTERM");
    }
    deepStrictEqual((await unit.status).code, 0);
    await runtime.removeAllPods();
  });
}, { hasControllers: true });

const kiosk = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "kiosk" },
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [{
      name: "main",
      image: BUSYBOX_IMAGE,
      command: ["sh", "-c", "sleep 3600"],
    }],
  },
};
