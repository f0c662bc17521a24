/**
 * Why the node does not take a pod, in sentences.
 *
 * @module
 */

import { type RejectionReason, takenPorts } from "../pod/admission/mod.ts";
import { byteWords } from "./byte_words.ts";
import type { Explanation } from "./explanation.ts";
import { cut } from "./innermost.ts";
import type { PendingVerdictFact } from "./facts.ts";
import type { Shortage } from "../pod/plan/mod.ts";

/** Says why a pod that is wanted has no place, and whether it may get one. */
export function pendingVerdictSentences(
  verdict: PendingVerdictFact,
  explanation: Explanation,
): readonly string[] {
  const causes = causesOf(verdict, explanation);
  switch (verdict.kind) {
    case "refused":
      return causes.map((cause) => `Refused: ${cause}`);
    case "waits":
      return causes.map((cause) => `It waits for other pods to end: ${cause}`);
  }
}

function causesOf(
  verdict: PendingVerdictFact,
  { facts }: Explanation,
): readonly string[] {
  if ("shortage" in verdict) return [shortageWords(verdict.shortage)];
  const { reason, found = verdict.message } = verdict;
  if (reason === "NodePorts") {
    const taken = takenPorts(facts.pod, facts.others);
    const causes = taken.map(({ port, protocol, holder }) => {
      const { namespace, name } = holder.metadata;
      const number = protocol === "TCP" ? `${port}` : `${port}/${protocol}`;
      return `hostPort ${number} is taken by pod ${namespace}/${name}`;
    });
    if (causes.length > 0) return causes;
  }
  if (reason === "NodeAffinity") {
    const { nodeSelector = {}, affinity } = facts.pod.spec;
    const labels = Object.entries(nodeSelector)
      .map(([name, value]) => `${name}=${value}`).join(",");
    // With both, either may be what does not fit.
    if (labels !== "" && affinity?.nodeAffinity === undefined) {
      return [`${WORDS[reason]} (nodeSelector ${cut(labels)})`];
    }
  }
  return [`${WORDS[reason]} (${cut(found)})`];
}

/** What the reasons of a refusal mean, but for a lack of resources. */
const WORDS: Readonly<Record<RejectionReason, string>> = {
  NodePorts: "a port of the node that it wants is taken",
  NodeAffinity: "it wants a node with other labels than this one has",
  NodeName: "it wants a node of another name",
  NodeShutdown: "this node is shutting down, and takes no pods any more",
  PodOSNotSupported: "it is made for another operating system",
  PodOSSelectorNodeLabelDoesNotMatch: "it wants another operating system",
  Evicted: "this node runs short, and takes no such pod until that is over",
  TaintToleration: "it does not tolerate a taint of this node",
  SysctlForbidden: "it sets a kernel parameter that this node does not allow",
};

/** Says which resource is short. */
export function shortageWords(shortage: Shortage): string {
  const { resource, requested, used, capacity } = shortage;
  if (resource === "pods") {
    return `${used} of ${capacity} pods are on this node`;
  }
  const amounts = [requested, capacity - used, capacity].map(Number);
  const [asked = "", free = "", total = ""] = amountWords(resource, amounts);
  const asks = `it asks for ${asked} of ${resource}`;
  return requested > capacity
    ? `${asks}, and this node has only ${total}`
    : `${asks}, and only ${free} of ${total} is free`;
}

/** Rounded if the first then still differs from the others, else to the last digit. */
function amountWords(
  resource: string,
  amounts: readonly number[],
): readonly string[] {
  if (resource === "cpu") return amounts.map((each) => `${each / 1000}`);
  const isBytes = /^(memory|ephemeral-storage|hugepages-.*)$/.test(resource);
  const rounded = amounts.map(byteWords);
  const differ = !rounded.slice(1).includes(rounded[0] ?? "");
  return isBytes && differ ? rounded : amounts.map(String);
}
