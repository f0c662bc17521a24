/**
 * What the kubelet 1.36 made of 44 manifests, imported so that reading it takes no
 * permission.
 *
 * @module
 */

import activeDeadline from "../../testdata/golden/active-deadline.json" with {
  type: "json",
};
import commandArgs from "../../testdata/golden/command-args.json" with {
  type: "json",
};
import commandMissing from "../../testdata/golden/command-missing.json" with {
  type: "json",
};
import dnsDefault from "../../testdata/golden/dns-default.json" with {
  type: "json",
};
import dnsNone from "../../testdata/golden/dns-none.json" with { type: "json" };
import downwardVolume from "../../testdata/golden/downward-volume.json" with {
  type: "json",
};
import emptydir from "../../testdata/golden/emptydir.json" with {
  type: "json",
};
import envFieldref from "../../testdata/golden/env-fieldref.json" with {
  type: "json",
};
import envOrder from "../../testdata/golden/env-order.json" with {
  type: "json",
};
import envResource from "../../testdata/golden/env-resource.json" with {
  type: "json",
};
import hostAliases from "../../testdata/golden/host-aliases.json" with {
  type: "json",
};
import hostNamespaces from "../../testdata/golden/host-namespaces.json" with {
  type: "json",
};
import hostPort from "../../testdata/golden/host-port.json" with {
  type: "json",
};
import hostname from "../../testdata/golden/hostname.json" with {
  type: "json",
};
import hostpath from "../../testdata/golden/hostpath.json" with {
  type: "json",
};
import hostpathMissing from "../../testdata/golden/hostpath-missing.json" with {
  type: "json",
};
import imageMissingNever from "../../testdata/golden/image-missing-never.json" with {
  type: "json",
};
import imageNoTagDefaultPolicy from "../../testdata/golden/image-no-tag-default-policy.json" with {
  type: "json",
};
import initFailsNever from "../../testdata/golden/init-fails-never.json" with {
  type: "json",
};
import initOrder from "../../testdata/golden/init-order.json" with {
  type: "json",
};
import labelsAnnotations from "../../testdata/golden/labels-annotations.json" with {
  type: "json",
};
import neverFail from "../../testdata/golden/never-fail.json" with {
  type: "json",
};
import neverOk from "../../testdata/golden/never-ok.json" with { type: "json" };
import nodeSelectorMismatch from "../../testdata/golden/node-selector-mismatch.json" with {
  type: "json",
};
import plain from "../../testdata/golden/plain.json" with { type: "json" };
import priorityCritical from "../../testdata/golden/priority-critical.json" with {
  type: "json",
};
import probes from "../../testdata/golden/probes.json" with { type: "json" };
import resourcesBurstable from "../../testdata/golden/resources-burstable.json" with {
  type: "json",
};
import resourcesGuaranteed from "../../testdata/golden/resources-guaranteed.json" with {
  type: "json",
};
import resourcesTinyCpu from "../../testdata/golden/resources-tiny-cpu.json" with {
  type: "json",
};
import runtimeclassMissing from "../../testdata/golden/runtimeclass-missing.json" with {
  type: "json",
};
import securityCaps from "../../testdata/golden/security-caps.json" with {
  type: "json",
};
import securityNonrootRefused from "../../testdata/golden/security-nonroot-refused.json" with {
  type: "json",
};
import securityPrivileged from "../../testdata/golden/security-privileged.json" with {
  type: "json",
};
import securitySeccomp from "../../testdata/golden/security-seccomp.json" with {
  type: "json",
};
import securityUser from "../../testdata/golden/security-user.json" with {
  type: "json",
};
import shareProcessNs from "../../testdata/golden/share-process-ns.json" with {
  type: "json",
};
import sidecar from "../../testdata/golden/sidecar.json" with { type: "json" };
import stdinOnce from "../../testdata/golden/stdin-once.json" with {
  type: "json",
};
import sysctlUnsafe from "../../testdata/golden/sysctl-unsafe.json" with {
  type: "json",
};
import sysctls from "../../testdata/golden/sysctls.json" with { type: "json" };
import terminationMessage from "../../testdata/golden/termination-message.json" with {
  type: "json",
};
import tooMuchMemory from "../../testdata/golden/too-much-memory.json" with {
  type: "json",
};
import twoContainers from "../../testdata/golden/two-containers.json" with {
  type: "json",
};

/** One recorded manifest; its parts are as loose as JSON is. */
export interface Golden {
  readonly manifest: unknown;
  readonly metadata: unknown;
  readonly status: unknown;
  readonly cri: readonly { readonly call: string; readonly request: unknown }[];
}

/** All of them, by file name. */
export const GOLDEN: ReadonlyMap<string, Golden> = new Map<string, Golden>([
  ["active-deadline", activeDeadline],
  ["command-args", commandArgs],
  ["command-missing", commandMissing],
  ["dns-default", dnsDefault],
  ["dns-none", dnsNone],
  ["downward-volume", downwardVolume],
  ["emptydir", emptydir],
  ["env-fieldref", envFieldref],
  ["env-order", envOrder],
  ["env-resource", envResource],
  ["host-aliases", hostAliases],
  ["host-namespaces", hostNamespaces],
  ["host-port", hostPort],
  ["hostname", hostname],
  ["hostpath", hostpath],
  ["hostpath-missing", hostpathMissing],
  ["image-missing-never", imageMissingNever],
  ["image-no-tag-default-policy", imageNoTagDefaultPolicy],
  ["init-fails-never", initFailsNever],
  ["init-order", initOrder],
  ["labels-annotations", labelsAnnotations],
  ["never-fail", neverFail],
  ["never-ok", neverOk],
  ["node-selector-mismatch", nodeSelectorMismatch],
  ["plain", plain],
  ["priority-critical", priorityCritical],
  ["probes", probes],
  ["resources-burstable", resourcesBurstable],
  ["resources-guaranteed", resourcesGuaranteed],
  ["resources-tiny-cpu", resourcesTinyCpu],
  ["runtimeclass-missing", runtimeclassMissing],
  ["security-caps", securityCaps],
  ["security-nonroot-refused", securityNonrootRefused],
  ["security-privileged", securityPrivileged],
  ["security-seccomp", securitySeccomp],
  ["security-user", securityUser],
  ["share-process-ns", shareProcessNs],
  ["sidecar", sidecar],
  ["stdin-once", stdinOnce],
  ["sysctl-unsafe", sysctlUnsafe],
  ["sysctls", sysctls],
  ["termination-message", terminationMessage],
  ["too-much-memory", tooMuchMemory],
  ["two-containers", twoContainers],
]);
