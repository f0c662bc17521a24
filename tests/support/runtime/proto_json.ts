/**
 * Writes the agent's own configurations as the JSON that the golden files hold:
 * names of the proto, defaults left out, 64-bit numbers as strings.
 *
 * @module
 */

import type {
  ContainerConfig,
  ContainerSecurityContext,
  LinuxResources,
  Mount,
  NamespaceMode,
  NamespaceOptions,
  SandboxConfig,
  SandboxSecurityContext,
  SecurityProfile,
} from "../../../mod/cri/config/mod.ts";

/** JSON as it comes out of a golden file. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** A field of a message; what is at its default disappears. */
type Field =
  | string
  | number
  | bigint
  | boolean
  | undefined
  | readonly (string | bigint | Json)[]
  | { readonly [key: string]: Json };

/** Builds a message. A message that is present stays, even when it is empty. */
function message(fields: Readonly<Record<string, Field>>): Json {
  const written: Record<string, Json> = {};
  for (const [name, value] of Object.entries(fields)) {
    const json = field(value);
    if (json !== undefined) written[name] = json;
  }
  return written;
}

function field(value: Field): Json | undefined {
  switch (typeof value) {
    case "bigint":
      return value === 0n ? undefined : String(value);
    case "string":
      return value === "" ? undefined : value;
    case "number":
      return value === 0 ? undefined : value;
    case "boolean":
      return value ? true : undefined;
    case "undefined":
      return undefined;
    default:
      return composite(value);
  }
}

function composite(value: object): Json | undefined {
  if (!Array.isArray(value)) return value as Json;
  if (value.length === 0) return undefined;
  return value.map((item: bigint | Json) =>
    typeof item === "bigint" ? String(item) : item
  );
}

/** A map of texts; an empty one disappears. */
function texts(
  map: Readonly<Record<string, string>> | undefined,
): { readonly [key: string]: Json } | undefined {
  return map === undefined || Object.keys(map).length === 0
    ? undefined
    : { ...map };
}

/** A sandbox configuration as `PodSandboxConfig`. */
export function sandboxJson(config: SandboxConfig): Json {
  const { linux, dnsConfig } = config;
  return message({
    metadata: message({ ...config.metadata }) as Field,
    hostname: config.hostname,
    log_directory: config.logDirectory,
    dns_config: dnsConfig && message({ ...dnsConfig }) as Field,
    port_mappings: config.portMappings?.map((mapping) =>
      message({
        protocol: mapping.protocol === "TCP" ? undefined : mapping.protocol,
        container_port: mapping.containerPort,
        host_port: mapping.hostPort,
        host_ip: mapping.hostIp,
      })
    ),
    labels: texts(config.labels),
    annotations: texts(config.annotations),
    linux: linux && message({
      cgroup_parent: linux.cgroupParent,
      security_context: linux.securityContext &&
        message(sandboxSecurity(linux.securityContext)) as Field,
      sysctls: texts(linux.sysctls),
      overhead: resources(linux.overhead),
      resources: resources(linux.resources),
    }) as Field,
  });
}

/** A container configuration as `ContainerConfig`. */
export function containerJson(config: ContainerConfig): Json {
  const { linux } = config;
  return message({
    metadata: message({ ...config.metadata }) as Field,
    image: message({
      image: config.image.image,
      user_specified_image: config.image.userSpecifiedImage,
    }) as Field,
    command: config.command,
    args: config.args,
    working_dir: config.workingDir,
    envs: config.envs?.map((env) => message({ ...env })),
    mounts: config.mounts?.map(mount),
    labels: texts(config.labels),
    annotations: texts(config.annotations),
    log_path: config.logPath,
    stdin: config.stdin,
    stdin_once: config.stdinOnce,
    tty: config.tty,
    linux: linux && message({
      resources: resources(linux.resources),
      security_context: linux.securityContext &&
        message(containerSecurity(linux.securityContext)) as Field,
    }) as Field,
  });
}

function mount(mount: Mount): Json {
  return message({
    container_path: mount.containerPath,
    host_path: mount.hostPath,
    readonly: mount.readonly,
    recursive_read_only: mount.recursiveReadOnly,
    propagation: {
      private: undefined,
      host_to_container: "PROPAGATION_HOST_TO_CONTAINER",
      bidirectional: "PROPAGATION_BIDIRECTIONAL",
    }[mount.propagation ?? "private"],
  });
}

function resources(resources: LinuxResources | undefined): Field {
  if (resources === undefined) return undefined;
  return message({
    cpu_period: resources.cpuPeriod,
    cpu_quota: resources.cpuQuota,
    cpu_shares: resources.cpuShares,
    memory_limit_in_bytes: resources.memoryLimitInBytes,
    memory_swap_limit_in_bytes: resources.memorySwapLimitInBytes,
    oom_score_adj: resources.oomScoreAdj,
    cpuset_cpus: resources.cpusetCpus,
    cpuset_mems: resources.cpusetMems,
    hugepage_limits: resources.hugepageLimits?.map(({ pageSize, limit }) =>
      message({ page_size: pageSize, limit })
    ),
    unified: texts(resources.unified),
  }) as Field;
}

function sandboxSecurity(
  context: SandboxSecurityContext,
): Record<string, Field> {
  const { namespaceOptions, seLinuxOptions } = context;
  return {
    namespace_options: namespaceOptions && namespaces(namespaceOptions),
    selinux_options: seLinuxOptions && message({ ...seLinuxOptions }) as Field,
    run_as_user: wrapped(context.runAsUser),
    run_as_group: wrapped(context.runAsGroup),
    readonly_rootfs: context.readonlyRootfs,
    supplemental_groups: context.supplementalGroups,
    supplemental_groups_policy: context.supplementalGroupsPolicy === "strict"
      ? "Strict"
      : undefined,
    privileged: context.privileged,
    seccomp: profile(context.seccomp),
    apparmor: profile(context.appArmor),
  };
}

function containerSecurity(
  context: ContainerSecurityContext,
): Record<string, Field> {
  const { capabilities } = context;
  return {
    ...sandboxSecurity(context),
    capabilities: capabilities && message({
      add_capabilities: capabilities.add,
      drop_capabilities: capabilities.drop,
    }) as Field,
    run_as_username: context.runAsUsername,
    no_new_privs: context.noNewPrivs,
    masked_paths: context.maskedPaths,
    readonly_paths: context.readonlyPaths,
  };
}

/** An `Int64Value`: present even when it wraps zero. */
function wrapped(value: bigint | undefined): Field {
  return value === undefined ? undefined : message({ value }) as Field;
}

function namespaces(options: NamespaceOptions): Field {
  return message({
    network: namespace(options.network),
    pid: namespace(options.pid),
    ipc: namespace(options.ipc),
    target_id: options.targetId,
    userns_options: options.userns &&
      message({ mode: namespace(options.userns.mode) }) as Field,
  }) as Field;
}

function namespace(mode: NamespaceMode | undefined): string | undefined {
  // POD is the enum's zero.
  return mode === undefined || mode === "pod" ? undefined : mode.toUpperCase();
}

function profile(profile: SecurityProfile | undefined): Field {
  if (profile === undefined) return undefined;
  return message({
    profile_type: {
      runtime_default: undefined,
      unconfined: "Unconfined",
      localhost: "Localhost",
    }[profile.kind],
    localhost_ref: profile.kind === "localhost"
      ? profile.localhostRef
      : undefined,
  }) as Field;
}
