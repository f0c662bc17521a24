/**
 * One container as `kubectl describe` writes it.
 *
 * @module
 */

import type {
  ContainerSpec,
  ContainerState,
  ContainerStatus,
  EnvVar,
  Probe,
} from "../../api/types/mod.ts";
import type { ReportedProbe } from "../../server/mod.ts";
import { probeResultText, probeText } from "./describe_probe.ts";
import {
  type BlockValue,
  given,
  type NamedValue,
  sortedEntries,
} from "../text/mod.ts";

/** One container and all that is known of it. */
export interface DescribedContainer {
  readonly spec: ContainerSpec;
  readonly status: ContainerStatus | undefined;
  readonly probes: readonly ReportedProbe[];
}

/** How times are written. */
export interface TimeTexts {
  /** A point in time: `Fri, 02 Jan 2026 03:04:05 +0000`. */
  readonly time: (text: string | undefined) => string;
  /** How long ago: `12s`. */
  readonly age: (text: string | undefined) => string;
}

/** The fields of one container, in kubectl's order. */
export function containerFields(
  { spec, status, probes }: DescribedContainer,
  texts: TimeTexts,
): readonly NamedValue[] {
  return [
    ["Container ID", status?.containerID ?? ""],
    ["Image", spec.image ?? ""],
    ["Image ID", status?.imageID ?? ""],
    ...portFields(spec),
    ...listFields("Command", spec.command),
    ...listFields("Args", spec.args),
    ...stateFields(status, texts),
    ...amountFields("Limits", spec.resources?.limits),
    ...amountFields("Requests", spec.resources?.requests),
    ...PROBES.flatMap(([label, kind]) =>
      probeField(label, {
        probe: spec[`${kind}Probe`],
        report: probes.find((each) => each.kind === kind),
        texts,
      })
    ),
    ...sourceFields(spec),
    ["Environment", environmentValue(spec)],
    ["Mounts", mountsValue(spec)],
  ];
}

const PROBES = [
  ["Liveness", "liveness"],
  ["Readiness", "readiness"],
  ["Startup", "startup"],
] as const;

function portFields({ ports = [] }: ContainerSpec): readonly NamedValue[] {
  if (ports.length === 0) return [["Port", "<none>"], ["Host Port", "<none>"]];
  const plural = ports.length > 1 ? "s" : "";
  const words = (
    port: string | number,
    { protocol = "TCP", name = "" }: typeof ports[number],
  ): string => `${port}/${protocol}${name === "" ? "" : ` (${name})`}`;
  const inside = ports.map((port) => words(port.containerPort, port));
  const outside = ports.map((port) => {
    const { hostIP = "", hostPort = 0 } = port;
    return words(`${hostIP === "" ? "" : `${hostIP}:`}${hostPort}`, port);
  });
  return [
    [`Port${plural}`, inside.join(", ")],
    [`Host Port${plural}`, outside.join(", ")],
  ];
}

function listFields(
  name: string,
  values: readonly string[] | undefined,
): readonly NamedValue[] {
  return values === undefined || values.length === 0
    ? []
    : [[name, { lines: values }]];
}

function stateFields(
  status: ContainerStatus | undefined,
  texts: TimeTexts,
): readonly NamedValue[] {
  if (status === undefined) return [["State", "<unknown>"]];
  const { state = {}, lastState = {}, ready, restartCount } = status;
  return [
    ["State", stateValue(state, texts)],
    ...(lastState.terminated === undefined
      ? []
      : [["Last State", stateValue(lastState, texts)] as const]),
    ["Ready", ready ? "True" : "False"],
    ["Restart Count", String(restartCount)],
  ];
}

function stateValue(state: ContainerState, texts: TimeTexts): BlockValue {
  const { running, waiting, terminated } = state;
  if (running !== undefined) {
    return {
      value: "Running",
      block: [["Started", texts.time(running.startedAt)]],
    };
  }
  if (terminated !== undefined) {
    const { reason, message, exitCode, signal } = terminated;
    return {
      value: "Terminated",
      block: [
        ...given("Reason", reason),
        ...given("Message", message),
        ["Exit Code", String(exitCode)],
        ...given("Signal", signal ? String(signal) : undefined),
        ["Started", texts.time(terminated.startedAt)],
        ["Finished", texts.time(terminated.finishedAt)],
      ],
    };
  }
  return {
    value: "Waiting",
    block: [
      ...given("Reason", waiting?.reason),
      ...given("Message", waiting?.message),
    ],
  };
}

function amountFields(
  name: string,
  amounts: Readonly<Record<string, string>> | undefined,
): readonly NamedValue[] {
  const block = sortedEntries(amounts);
  return block.length === 0 ? [] : [[name, { block }]];
}

function probeField(
  label: string,
  of: {
    readonly probe: Probe | undefined;
    readonly report: ReportedProbe | undefined;
    readonly texts: TimeTexts;
  },
): readonly NamedValue[] {
  const { probe, report, texts } = of;
  if (probe === undefined) return [];
  const result = probeResultText(report, texts.age);
  const text = probeText(probe);
  return [[label, result === undefined ? text : [text, result]]];
}

// What comes from objects is named, never shown.

function sourceFields({ envFrom = [] }: ContainerSpec): readonly NamedValue[] {
  if (envFrom.length === 0) return [];
  const block = envFrom.map(({ configMapRef, secretRef, prefix = "" }) => {
    const { name = "", optional = false } = configMapRef ?? secretRef ?? {};
    const kind = secretRef === undefined ? "ConfigMap" : "Secret";
    const withPrefix = prefix === "" ? "" : ` with prefix '${prefix}'`;
    return [name, `${kind}${withPrefix}  Optional: ${optional}`] as const;
  });
  return [["Environment Variables from", { block }]];
}

function environmentValue({ env = [] }: ContainerSpec): BlockValue {
  if (env.length === 0) return "<none>";
  return { block: env.map((each) => [each.name, variableText(each)] as const) };
}

function variableText({ value = "", valueFrom }: EnvVar): string {
  if (valueFrom === undefined) return value;
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } =
    valueFrom;
  if (fieldRef !== undefined) {
    return `(${fieldRef.apiVersion ?? "v1"}:${fieldRef.fieldPath})`;
  }
  if (resourceFieldRef !== undefined) return `(${resourceFieldRef.resource})`;
  if (secretKeyRef !== undefined) {
    const { key, name = "", optional = false } = secretKeyRef;
    return `<set to the key '${key}' in secret '${name}'>  Optional: ${optional}`;
  }
  if (configMapKeyRef !== undefined) {
    const { key, name = "", optional = false } = configMapKeyRef;
    return `<set to the key '${key}' of config map '${name}'>  Optional: ${optional}`;
  }
  const { fileKeyRef } = valueFrom;
  if (fileKeyRef === undefined) return "<unknown>";
  const { key, path, volumeName, optional = false } = fileKeyRef;
  return `<set to the key '${key}' in file '${path}' of volume '${volumeName}'>  Optional: ${optional}`;
}

function mountsValue({ volumeMounts = [] }: ContainerSpec): BlockValue {
  if (volumeMounts.length === 0) return "<none>";
  const mounts = volumeMounts.toSorted((a, b) =>
    a.mountPath < b.mountPath ? -1 : 1
  );
  return {
    lines: mounts.map((mount) => {
      const flags = [
        mount.readOnly === true ? "ro" : "rw",
        ...(mount.subPath === undefined ? [] : [`path="${mount.subPath}"`]),
      ];
      return `${mount.mountPath} from ${mount.name} (${flags.join(",")})`;
    }),
  };
}
