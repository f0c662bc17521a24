/**
 * Checks containers: app containers, init containers and sidecars.
 *
 * @module
 */

import {
  type Check,
  checkFields,
  defaulting,
  each,
  type FieldChecks,
  fields,
  oneOf,
  required,
  shape,
  Uniques,
} from "./checks.ts";
import { labelProblem } from "./names.ts";
import type { Place } from "../fault/mod.ts";
import type { ContainerSpec, PodSpec } from "../types/mod.ts";
import { envChecks, validateEnvFrom } from "./validate_env.ts";
import { mountChecks } from "./validate_mounts.ts";
import { HostPorts, portChecks } from "./validate_network.ts";
import { lifecycleChecks, validateProbes } from "./validate_probes.ts";
import { validateContainerResources } from "./validate_resources.ts";
import { containerSecurityChecks } from "./validate_security.ts";

/** More containers than this in one pod are no use and a burden to the node. */
const MAX_CONTAINERS = 256;

/** Reports what is wrong with the containers of a pod. */
export function validateContainers(spec: PodSpec, at: Place): void {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  const names = new Uniques();
  const hostPorts = new HostPorts();
  const check = containerChecks(spec);
  if (containers.length === 0) at.child("containers").required();
  if (containers.length + initContainers.length > MAX_CONTAINERS) {
    at.child("containers").tooLong(
      `a pod may not have more than ${MAX_CONTAINERS} containers`,
    );
    return;
  }
  for (const [i, container] of containers.entries()) {
    const place = at.child("containers").index(i);
    names.check(container.name, place.child("name"));
    check(container, place, true);
    hostPorts.check(container, place);
  }
  for (const [i, container] of initContainers.entries()) {
    const place = at.child("initContainers").index(i);
    names.check(container.name, place.child("name"));
    check(container, place, false);
    // Ordinary init containers run one after the other and share no moment.
    if (container.restartPolicy === "Always") hostPorts.check(container, place);
    else new HostPorts().check(container, place);
  }
  if (ephemeralContainers.length > 0) {
    at.child("ephemeralContainers").forbidden(
      "cannot be set when a pod is created",
    );
  }
}

type ContainerCheck = (
  container: ContainerSpec,
  at: Place,
  isApp: boolean,
) => void;

/** A check of one container, for all containers of a pod. */
function containerChecks(spec: PodSpec): ContainerCheck {
  const checkMounts = mountChecks(spec);
  const before: FieldChecks<ContainerSpec> = {
    name: required(shape(labelProblem)),
    image: required(
      shape((image) =>
        image.trim() === image
          ? undefined
          : "must not have leading or trailing whitespace"
      ),
    ),
    imagePullPolicy: oneOf("Always", "IfNotPresent", "Never"),
    terminationMessagePolicy: oneOf("File", "FallbackToLogsOnError"),
    ports: portChecks(spec),
    env: envChecks(spec),
    envFrom: each(validateEnvFrom),
  };
  const after: FieldChecks<ContainerSpec> = {
    resources: validateContainerResources,
    restartPolicy: checkRestartPolicy,
    restartPolicyRules: each(fields(RULE), { max: 20, what: "rules" }),
    resizePolicy: resizeChecks(spec),
    securityContext: containerSecurityChecks(spec),
  };
  const lifecycle = lifecycleChecks(spec);
  return (container, at, isApp) => {
    checkFields(container, at, before);
    checkMounts(container, at);
    checkFields(container, at, after);
    if (isApp || container.restartPolicy === "Always") {
      validateProbes(container, at);
      lifecycle(container.lifecycle, at.child("lifecycle"), container);
    } else checkFields(container, at, ORDINARY_INIT);
  };
}

const ORDINARY_INIT: FieldChecks<ContainerSpec> = {
  lifecycle: refuseForInit,
  livenessProbe: refuseForInit,
  readinessProbe: refuseForInit,
  startupProbe: refuseForInit,
};

function refuseForInit(value: unknown, at: Place): void {
  if (value === undefined) return;
  at.forbidden(
    "may not be set for init containers without restartPolicy=Always",
  );
}

function checkRestartPolicy(
  policy: string | undefined,
  at: Place,
  { restartPolicyRules = [] }: ContainerSpec,
): void {
  RESTART_POLICY(policy, at);
  if (restartPolicyRules.length > 0 && policy === undefined) {
    at.required("must be set when there are restart rules");
  }
}

const RESTART_POLICY = oneOf("Always", "OnFailure", "Never");

type ContainerRestartRule = NonNullable<
  ContainerSpec["restartPolicyRules"]
>[number];

const RULE: FieldChecks<ContainerRestartRule> = {
  action: required(oneOf("Restart", "RestartAllContainers")),
  exitCodes: (codes, at) => {
    if (codes === undefined) return at.required();
    checkFields(codes, at, {
      operator: required(oneOf("In", "NotIn")),
      values: (values, at) => {
        if (!values?.length) at.required();
        const seen = new Uniques();
        const limit = { max: 255, what: "exit codes" };
        each<number>((code, at) => seen.check(code, at), limit)(values, at);
      },
    });
  },
};

type ResizePolicy = NonNullable<ContainerSpec["resizePolicy"]>;

function resizeChecks(spec: PodSpec): Check<ResizePolicy | undefined> {
  const resources = new Uniques();
  const check = each(fields<ResizePolicy[number]>({
    resourceName: (name, at) => {
      RESIZABLE(name, at);
      resources.check(name, at);
    },
    restartPolicy: (policy, at) => {
      RESIZE_RESTART(policy, at);
      if (policy === "RestartContainer" && spec.restartPolicy === "Never") {
        at.forbidden(
          "must be NotRequired when the pod's restartPolicy is Never",
        );
      }
    },
  }));
  return (policies, at) => {
    resources.clear();
    check(policies, at);
  };
}

const RESIZABLE = defaulting("", oneOf("cpu", "memory"));
const RESIZE_RESTART = defaulting(
  "",
  oneOf("NotRequired", "RestartContainer"),
);
