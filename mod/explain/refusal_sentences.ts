/**
 * Why the node does not take a pod, in sentences.
 *
 * @module
 */

import { type RejectionReason, takenPorts } from "../pod/admission/mod.ts";
import type { Explanation } from "./explanation.ts";
import { cut } from "./innermost.ts";
import type { HoldFact } from "./facts.ts";
import { shortageWords } from "./shortage_words.ts";

/** Says why a pod that is wanted has no place, and whether it may get one. */
export function holdSentences(
  hold: HoldFact,
  explanation: Explanation,
): readonly string[] {
  const causes = causesOf(hold, explanation);
  switch (hold.kind) {
    case "refused":
      return causes.map((cause) => `Refused: ${cause}`);
    case "waits":
      return causes.map((cause) => `It waits for other pods to end: ${cause}`);
  }
}

function causesOf(
  hold: HoldFact,
  { facts }: Explanation,
): readonly string[] {
  if ("shortage" in hold) return [shortageWords(hold.shortage)];
  const { reason, found = hold.message } = hold;
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
  PodOSNotSupported: "it is made for another operating system",
  PodOSSelectorNodeLabelDoesNotMatch: "it wants another operating system",
  SysctlForbidden: "it sets a kernel parameter that this node does not allow",
};
