/**
 * What the containers of a pod are asked, as data that can be compared.
 *
 * @module
 */

import type { ContainerSpec, Pod, Probe } from "../../../mod/api/types/mod.ts";
import { isRestartableInit } from "../../../mod/api/vocabulary/mod.ts";
import {
  actionHost,
  actionPort,
  httpActionHeaders,
  httpActionUrl,
  probeNumbers,
} from "../../../mod/pod/probes/mod.ts";
import { TargetProber } from "../../../mod/prober/mod.ts";
import { FakeClock } from "../fake_clock.ts";

const KINDS = ["startup", "readiness", "liveness"] as const;
const POD_IP = "10.88.0.7";

/** When each container is asked what, by its probes. */
export async function asked(pod: Pod): Promise<unknown> {
  const { initContainers = [], containers } = pod.spec;
  const all = [...initContainers.filter(isRestartableInit), ...containers];
  const questions = all.flatMap((container) =>
    KINDS.map(async (kind) => {
      const probe = container[`${kind}Probe`];
      if (probe === undefined) return [kind];
      const question = await questionOf(pod, container, probe);
      return [container.name, kind, probeNumbers(probe), question];
    })
  );
  return await Promise.all(questions);
}

async function questionOf(
  pod: Pod,
  container: ContainerSpec,
  probe: Probe,
): Promise<unknown> {
  const { httpGet, tcpSocket, grpc } = probe;
  const { ports = [] } = container;
  const place = { purpose: "probe", podIp: POD_IP, ports };
  if (httpGet !== undefined) {
    const headers = httpActionHeaders(httpGet, "agent");
    return [httpActionUrl(httpGet, place).href, headers];
  }
  if (tcpSocket !== undefined) {
    const { host, port } = tcpSocket;
    return ["tcp", actionHost(host, place), actionPort(port, place)];
  }
  if (grpc !== undefined) {
    return ["grpc", actionPort(grpc.port, place), grpc.service];
  }
  return await commandOf(pod, container, probe);
}

/** What the runtime is told to run. */
async function commandOf(
  pod: Pod,
  container: ContainerSpec,
  probe: Probe,
): Promise<unknown> {
  const calls: unknown[] = [];
  const prober = new TargetProber({
    clock: new FakeClock(),
    runtime: {
      execSync: (id, command, options = {}) => {
        calls.push([id, command, options.timeoutSeconds]);
        const nothing = new Uint8Array();
        return Promise.resolve({
          stdout: nothing,
          stderr: nothing,
          exitCode: 0,
        });
      },
      version: () => Promise.reject(new Error("No runtime is asked here")),
    },
  });
  const podIps = [POD_IP];
  const target = { pod, container, containerId: "c-0", podIps, hung: 0 };
  await prober.run(probe, target, new AbortController().signal);
  return calls;
}
