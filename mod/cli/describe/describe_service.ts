/**
 * A Service as `kubectl describe` writes it, with the pod that it leads to.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import { explainService } from "../../explain/mod.ts";
import {
  type DeclaredService,
  serviceTarget,
  type ServingPod,
} from "../../pod/inputs/mod.ts";
import {
  findCondition,
  isTerminalPhase,
  parseTime,
} from "../../pod/status/mod.ts";
import {
  fieldAt,
  listAt,
  mapAt,
  type ShownObject,
  textAt,
} from "../kinds/mod.ts";
import type { NamedValue } from "../text/mod.ts";

/** Says where a Service leads, or why nowhere. */
export function serviceSentences(
  object: ShownObject,
  pods: readonly Pod[],
): readonly string[] {
  return explainService(declared(object), pods.flatMap(serving));
}

/** The fields of a Service; of the ports, where programs find them. */
export function serviceFields(
  object: ShownObject,
  pods: readonly Pod[],
): readonly NamedValue[] {
  const service = declared(object);
  const found = serviceTarget(service, pods.flatMap(serving));
  const ports = service.ports.flatMap((each): readonly NamedValue[] => {
    const at = found?.ports.find(({ name }) => name === each.name);
    return [
      ["Port", `${each.name || "<unset>"}  ${each.port}/${each.protocol}`],
      ["TargetPort", `${each.targetPort}/${each.protocol}`],
      [
        "Endpoints",
        found === undefined || at === undefined
          ? "<none>"
          : `${hostOf(found.address)}:${at.target}`,
      ],
    ];
  });
  return [
    ["Type", textAt(object, "spec.type") ?? "ClusterIP"],
    ["IP", textAt(object, "spec.clusterIP") ?? "<none>"],
    ...ports,
    ["Explanation", { lines: serviceSentences(object, pods) }],
  ];
}

function hostOf(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

/** As the manifest has it, read back from what an agent of the same version shows. */
function declared(object: ShownObject): DeclaredService {
  const { name, namespace } = object.metadata;
  const ports = listAt(object, "spec.ports").map((each) => ({
    name: textAt(each, "name") ?? "",
    port: Number(textAt(each, "port")),
    protocol: protocolOf(textAt(each, "protocol")),
    targetPort: targetOf(fieldAt(each, "targetPort")),
  }));
  return {
    kind: "Service",
    name,
    namespace,
    selector: Object.fromEntries(mapAt(object, "spec.selector")),
    ports,
    isHeadless: textAt(object, "spec.clusterIP") === "None",
    publishNotReadyAddresses:
      fieldAt(object, "spec.publishNotReadyAddresses") === true,
  };
}

function protocolOf(
  text: string | undefined,
): DeclaredService["ports"][number]["protocol"] {
  return text === "UDP" || text === "SCTP" ? text : "TCP";
}

function targetOf(value: unknown): number | string {
  return typeof value === "number" ? value : String(value);
}

/** A pod that is made to run, as its agent sees it; nothing of one that ends. */
function serving(pod: Pod): readonly ServingPod[] {
  const { metadata, status = {} } = pod;
  const isOver = isTerminalPhase(status.phase) ||
    metadata.deletionTimestamp !== undefined;
  if (isOver) return [];
  return [{
    pod,
    address: status.podIP,
    isReady: findCondition(status.conditions, "Ready")?.status === "True",
    // As with the agent, what is not known is the youngest.
    startedMs: parseTime(status.startTime) ?? Infinity,
  }];
}
