/**
 * Asking containers, in the four ways there are.
 *
 * @module
 */

import type { Probe } from "../api/types/mod.ts";
import { describeError } from "../base/text/mod.ts";
import { actionHost, actionPort } from "../pod/probes/mod.ts";
import { AttemptLimit } from "./attempt_limit.ts";
import { execProbe, type ExecProbeDeps } from "./exec_probe.ts";
import { grpcProbe } from "./grpc_probe.ts";
import { httpProbe } from "./http_probe.ts";
import type { ProbeResult, ProbeRunner, ProbeTarget } from "./ports.ts";
import { tcpProbe } from "./tcp_probe.ts";

/** Makes attempts. Upstream: pkg/kubelet/prober/prober.go runProbe. */
export class TargetProber implements ProbeRunner {
  readonly #deps: ExecProbeDeps;

  constructor(deps: ExecProbeDeps) {
    this.#deps = deps;
  }

  async run(
    probe: Probe,
    target: ProbeTarget,
    signal: AbortSignal,
  ): Promise<ProbeResult> {
    signal.throwIfAborted();
    try {
      const result = await this.#ask(probe, target, signal);
      signal.throwIfAborted();
      return result;
    } catch (error) {
      signal.throwIfAborted();
      return { kind: "error", message: describeError(error) };
    }
  }

  async #ask(
    probe: Probe,
    target: ProbeTarget,
    signal: AbortSignal,
  ): Promise<ProbeResult> {
    const { exec } = probe;
    // A manifest that was read has one; zero is not a time.
    const timeoutSeconds = probe.timeoutSeconds || 1;
    if (exec !== undefined) {
      const options = { ...this.#deps, timeoutSeconds, signal };
      return await execProbe(exec.command ?? [], target, options);
    }
    const { clock } = this.#deps;
    using limit = new AttemptLimit(clock, timeoutSeconds * 1000, signal);
    return limit.judge(await this.#connect(probe, target, limit));
  }

  async #connect(
    probe: Probe,
    target: ProbeTarget,
    limit: AttemptLimit,
  ): Promise<ProbeResult> {
    const { httpGet: action, tcpSocket, grpc } = probe;
    const place = {
      purpose: "probe",
      podIp: target.podIps[0],
      ports: target.container.ports ?? [],
    };
    if (action !== undefined) {
      return await httpProbe(action, place, { userAgent: USER_AGENT, limit });
    }
    if (tcpSocket !== undefined) {
      const host = actionHost(tcpSocket.host, place);
      const port = actionPort(tcpSocket.port, place);
      return await tcpProbe({ host, port }, limit);
    }
    if (grpc !== undefined) {
      const host = actionHost(undefined, place);
      const address = { host, port: actionPort(grpc.port, place) };
      const question = { address, service: grpc.service ?? "" };
      return await grpcProbe(question, { userAgent: USER_AGENT, limit });
    }
    const { pod, container } = target;
    throw new Error(
      `Cannot probe container "${container.name}" of pod "${pod.metadata.name}": found no handler, wanted exec, httpGet, tcpSocket or grpc`,
    );
  }
}

/** The kubelet that servers take the agent for. */
const USER_AGENT = "kube-probe/1.36";
