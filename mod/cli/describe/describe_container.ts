/**
 * One container as `kubectl describe` writes it.
 *
 * @module
 */

import type {
  ContainerSpec,
  ContainerState,
  ContainerStatus,
  Probe,
} from "../../api/types/mod.ts";
import type { ReportedProbe } from "../../server/mod.ts";
import {
  environmentSources,
  environmentValue,
} from "./describe_environment.ts";
import { probeResultText, probeText } from "./describe_probe.ts";
import type { BlockValue, NamedValue } from "../text/mod.ts";

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
  const inside = ports.map(({ containerPort, protocol = "TCP", name = "" }) =>
    `${containerPort}/${protocol}${name === "" ? "" : ` (${name})`}`
  );
  const outside = ports.map(({ hostPort = 0, protocol = "TCP", hostIP = "" }) =>
    `${hostIP === "" ? "" : `${hostIP}:`}${hostPort}/${protocol}`
  );
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
        ...(signal === undefined || signal === 0
          ? []
          : [["Signal", String(signal)] as const]),
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

function given(name: string, value: string | undefined): readonly NamedValue[] {
  return value === undefined || value === "" ? [] : [[name, value.trimEnd()]];
}

function amountFields(
  name: string,
  amounts: Readonly<Record<string, string>> | undefined,
): readonly NamedValue[] {
  const entries = Object.entries(amounts ?? {});
  return entries.length === 0
    ? []
    : [[name, { block: entries.toSorted(([a], [b]) => a < b ? -1 : 1) }]];
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

function sourceFields(spec: ContainerSpec): readonly NamedValue[] {
  const sources = environmentSources(spec);
  return sources === undefined ? [] : [["Environment Variables from", sources]];
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
