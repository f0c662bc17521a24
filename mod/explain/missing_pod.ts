/**
 * Why there is no pod of a name, in one sentence.
 *
 * @module
 */

import { podKey } from "../api/objects/mod.ts";
import { suggest } from "../base/text/mod.ts";
import { cutFaults } from "./innermost.ts";

/** The name that was asked for. */
export interface MissingPod {
  readonly namespace: string;
  readonly name: string;
}

/** What there is instead. */
export interface KnownPods {
  /** Those of all namespaces, by the names of their manifests. */
  readonly pods: readonly MissingPod[];
  /** None while the agent starts. */
  readonly sources: readonly {
    readonly location: string;
    readonly isReady: boolean;
    /** What is wrong with its manifests; empty when nothing is. */
    readonly faults: string;
  }[];
}

/** Says that no manifest wants a pod, and what else may be the matter. */
export function explainMissingPod(
  wanted: MissingPod,
  known: KnownPods,
): string {
  const { namespace, name } = wanted;
  const silent = known.sources.filter(({ isReady }) => !isReady);
  const faulty = known.sources.filter(({ faults }) => faults !== "");
  const isStarting = known.sources.length === 0;
  return [
    `Cannot find pod "${name}": it is wanted by no manifest in namespace "${namespace}"${
      didYouMean(wanted, known)
    }`,
    ...isStarting ? ["the agent is starting and has asked no source yet"] : [],
    ...silent.map(({ location }) =>
      `the source "${location}" has not answered yet`
    ),
    ...faulty.map(({ location, faults }) =>
      `the source "${location}" has manifests that are not valid: ${
        cutFaults(faults)
      }`
    ),
  ].join("; ");
}

function didYouMean(
  { namespace, name }: MissingPod,
  { pods }: KnownPods,
): string {
  const elsewhere = pods.filter((pod) => pod.name === name);
  if (elsewhere.length > 0) {
    const places = elsewhere.map((pod) => `"${podKey(pod)}"`);
    return `, found ${places.join(" and ")}`;
  }
  const here = pods.filter((pod) => pod.namespace === namespace);
  const near = suggest(name, here.map((pod) => pod.name));
  return near === undefined ? "" : `, did you mean "${near}"`;
}
