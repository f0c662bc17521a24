/**
 * The kubelet's flags that stand for a field of its configuration.
 *
 * Upstream's names are in `AddKubeletConfigFlags` of cmd/kubelet/app/options, those of the log
 * in component-base.
 *
 * @module
 */

import type { FlagForm, KubeletFlag } from "./kubelet_flag.ts";

/** By form: the flag, and the field if it is not the flag in one word. */
const BY_FORM: Readonly<Record<FlagForm, readonly string[]>> = {
  text: [
    "address",
    "authentication-token-webhook-cache-ttl authentication.webhook.cacheTTL",
    "authorization-mode authorization.mode",
    "authorization-webhook-cache-authorized-ttl authorization.webhook.cacheAuthorizedTTL",
    "authorization-webhook-cache-unauthorized-ttl authorization.webhook.cacheUnauthorizedTTL",
    "cgroup-driver",
    "cgroup-root",
    "client-ca-file authentication.x509.clientCAFile",
    "cluster-domain",
    "container-log-max-size",
    "container-runtime-endpoint",
    "cpu-cfs-quota-period cpuCFSQuotaPeriod",
    "cpu-manager-policy",
    "cpu-manager-reconcile-period",
    "eviction-pressure-transition-period",
    "file-check-frequency",
    "hairpin-mode",
    "healthz-bind-address",
    "http-check-frequency",
    "image-service-endpoint",
    "kube-api-content-type contentType",
    "kube-reserved-cgroup",
    "kubelet-cgroups",
    "log-flush-frequency logging.flushFrequency",
    "log-json-info-buffer-size logging.options.json.infoBufferSize",
    "log-text-info-buffer-size logging.options.text.infoBufferSize",
    "logging-format logging.format",
    "manifest-url staticPodURL",
    "memory-manager-policy",
    "minimum-image-ttl-duration imageMinimumGCAge",
    "node-status-update-frequency",
    "pod-cidr podCIDR",
    "pod-manifest-path staticPodPath",
    "provider-id providerID",
    "reserved-cpus reservedSystemCPUs",
    "resolv-conf",
    "runtime-request-timeout",
    "streaming-connection-idle-timeout",
    "sync-frequency",
    "system-cgroups",
    "system-reserved-cgroup",
    "tls-cert-file",
    "tls-min-version",
    "tls-private-key-file",
    "topology-manager-policy",
    "topology-manager-scope",
    "volume-plugin-dir",
    "volume-stats-agg-period",
  ],
  number: [
    "container-log-max-files",
    "event-burst",
    "event-qps eventRecordQPS",
    "eviction-max-pod-grace-period",
    "healthz-port",
    "image-gc-high-threshold imageGCHighThresholdPercent",
    "image-gc-low-threshold imageGCLowThresholdPercent",
    "kube-api-burst kubeAPIBurst",
    "kube-api-qps kubeAPIQPS",
    "max-open-files",
    "max-pods",
    "node-status-max-images",
    "oom-score-adj",
    "pod-max-pids podPidsLimit",
    "pods-per-core",
    "port",
    "read-only-port",
    "registry-burst",
    "registry-qps registryPullQPS",
    "v logging.verbosity",
  ],
  switch: [
    "anonymous-auth authentication.anonymous.enabled",
    "authentication-token-webhook authentication.webhook.enabled",
    "cgroups-per-qos cgroupsPerQOS",
    "contention-profiling enableContentionProfiling",
    "cpu-cfs-quota cpuCFSQuota",
    "enable-controller-attach-detach",
    "enable-debugging-handlers",
    "enable-server",
    "fail-cgroupv1 failCgroupV1",
    "fail-swap-on",
    "kernel-memcg-notification",
    "local-storage-capacity-isolation",
    "log-json-split-stream logging.options.json.splitStream",
    "log-text-split-stream logging.options.text.splitStream",
    "make-iptables-util-chains makeIPTablesUtilChains",
    "protect-kernel-defaults",
    "register-node",
    "rotate-certificates",
    "rotate-server-certificates serverTLSBootstrap",
    "runonce runOnce",
    "seccomp-default",
    "serialize-image-pulls",
  ],
  list: [
    "allowed-unsafe-sysctls",
    "cluster-dns clusterDNS",
    "enforce-node-allocatable",
    "tls-cipher-suites",
  ],
  map: [
    "cpu-manager-policy-options",
    "eviction-minimum-reclaim",
    "eviction-soft-grace-period",
    "kube-reserved",
    "qos-reserved",
    "system-reserved",
    "topology-manager-policy-options",
  ],
  limits: ["eviction-hard", "eviction-soft"],
  switches: ["feature-gates"],
  headers: ["manifest-url-header staticPodURLHeader"],
  taints: ["register-with-taints"],
  reserved: ["reserved-memory"],
};

/** All of them. */
export const FIELD_FLAGS: readonly KubeletFlag[] = Object.entries(BY_FORM)
  .flatMap(([form, rows]) => rows.map((row) => ({ form, row })))
  .map(({ form, row }) => {
    const [name = "", path = camelCase(name)] = row.split(" ");
    return {
      name,
      // The keys of the table are its forms.
      form: form as FlagForm,
      meaning: { kind: "field", path },
    };
  });

function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
