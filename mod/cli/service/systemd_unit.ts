/**
 * The systemd unit of an agent, made from its configuration.
 *
 * @module
 */

import { dirname } from "node:path";
import type { AgentConfig } from "../../config/mod.ts";

/** What the unit starts. */
export interface UnitProgram {
  /** Absolute path of the executable. */
  readonly path: string;
  /** The flags of `run`, as they are given. */
  readonly args: readonly string[];
}

/** Longer than any start on a slow disk; then systemd tries again. */
const START_SECONDS = 120;

/** The agent itself ends in a second; runtimes and disks may be slow to answer. */
const STOP_SECONDS = 30;

/** What systemctl says of a machine that goes down. */
const GOING_DOWN = "stopping";

/**
 * Writes the unit.
 *
 * systemd's own sandbox lies around that of Deno: what the one opens to the agent is
 * made from the same configuration as what the other does.
 *
 * @throws {RangeError} When a path or a flag has a control character.
 */
export function systemdUnit(config: AgentConfig, program: UnitProgram): string {
  const { notifySocket, watchdogMs } = config.service;
  const tellsReadiness = notifySocket !== undefined;
  return sections({
    Unit: [
      ["Description", "skerry, which runs Pod manifests on this machine"],
      ["Documentation", "man:skerry(1)"],
      // It is stopped before them, and needs none of them to start.
      ["After", "containerd.service crio.service network.target"],
      ["StartLimitIntervalSec", "0"],
    ],
    Service: [
      // Without its socket, systemd knows only that the program was started.
      ["Type", tellsReadiness ? "notify" : "exec"],
      ["ExecStart", commandLine([program.path, "run", ...program.args])],
      ["ExecReload", "/bin/kill -HUP $MAINPID"],
      ...shutdown(config.shutdown),
      ["Restart", "always"],
      ["RestartSec", "2"],
      ["TimeoutStartSec", `${START_SECONDS}`],
      ...(tellsReadiness
        ? [["WatchdogSec", `${Math.ceil(watchdogMs / 1_000)}`] as const]
        : []),
      // As upstream's kubelet; pods are not in the cgroup of this unit.
      ["OOMScoreAdjust", "-999"],
      ["MemoryMax", "512M"],
      ["TasksMax", "256"],
      ...directories(config),
      ...sandbox(config),
    ],
    Install: [["WantedBy", "multi-user.target"]],
  });
}

/**
 * Tells the agent that the machine goes down, which its own signal does not: a stop or an
 * upgrade of the agent leaves all pods running. What pods get then may be configured later.
 */
function shutdown({ groups, markerPath }: AgentConfig["shutdown"]): Lines {
  let seconds = STOP_SECONDS;
  for (const { graceSeconds } of groups) seconds += graceSeconds;
  const script =
    `[ "$(systemctl is-system-running)" != ${GOING_DOWN} ] || : >"$1"`;
  const command = ["/bin/sh", "-c", script, "sh", markerPath];
  return [
    ["ExecStop", commandLine(command)],
    ["TimeoutStopSec", `${seconds}`],
  ];
}

type Lines = readonly (readonly [key: string, value: string])[];

function sections(all: Readonly<Record<string, Lines>>): string {
  return Object.entries(all).map(([name, lines]) =>
    [`[${name}]`, ...lines.map((line) => line.join("="))].join("\n")
  ).join("\n\n") + "\n";
}

/** Where systemd makes a directory by its name, and the setting that says so. */
const MADE_BELOW = [
  { parent: "/var/lib/", setting: "StateDirectory" },
  { parent: "/run/", setting: "RuntimeDirectory" },
  { parent: "/var/log/", setting: "LogsDirectory" },
];

/** The directories that the agent writes to; those at usual places are made if need be. */
function directories(config: AgentConfig): Lines {
  const { paths, runtime, node } = config;
  const all = outermost([
    paths.rootDir,
    paths.runDir,
    dirname(paths.controlSocket),
    runtime.podLogsDir,
    ...node.hostPathRoots,
    ...(node.hostView === undefined ? [] : [node.hostView]),
  ]);
  const lines: (readonly [string, string])[] = [];
  for (const path of all) {
    // Behind a colon systemd would expect the name of a link.
    const place = path.includes(":")
      ? undefined
      : MADE_BELOW.find(({ parent }) => path.startsWith(parent));
    if (place === undefined) lines.push(["ReadWritePaths", word(path)]);
    else lines.push([place.setting, word(path.slice(place.parent.length))]);
  }
  return [
    ...lines,
    ["StateDirectoryMode", "0750"],
    ["RuntimeDirectoryMode", "0700"],
    // Running containers mount volumes that lie there.
    ["RuntimeDirectoryPreserve", "yes"],
    ...hostView(node.hostView),
  ];
}

/** Those that lie in no other one. */
function outermost(paths: readonly string[]): string[] {
  const once = [...new Set(paths)];
  return once.filter((path) =>
    !once.some((other) => path !== other && path.startsWith(`${other}/`))
  );
}

/** The mounts that the agent cannot make itself; one that the machine lacks is left out. */
function hostView(path: string | undefined): Lines {
  if (path === undefined) return [];
  return [
    ["BindPaths", mount("/sys/fs/cgroup", `${path}/cgroup`)],
    [
      "BindReadOnlyPaths",
      mount("/sys/kernel/mm/hugepages", `${path}/hugepages`),
    ],
  ];
}

/** A mount that may be missing; in quotes the colon between the two would be a part of one. */
function mount(from: string, to: string): string {
  const place = word(to);
  const isOne = place.startsWith('"') || !place.includes(":");
  return `-${from}:${isOne ? place : `"${place}"`}`;
}

/** What of the machine the agent is kept from. */
function sandbox(config: AgentConfig): Lines {
  const used = usedPaths(config);
  const lies = (...parents: readonly string[]): boolean =>
    used.some((path) =>
      parents.some((parent) => `${path}/`.startsWith(`${parent}/`))
    );
  const unless = (isUsed: boolean): string => isUsed ? "no" : "yes";
  const hasView = config.node.hostView !== undefined;
  return [
    ["ProtectSystem", "strict"],
    ["ProtectHome", unless(lies("/home", "/root", "/run/user"))],
    ["PrivateTmp", unless(lies("/tmp", "/var/tmp"))],
    ["PrivateDevices", "yes"],
    ["ProtectProc", "invisible"],
    ["ProtectClock", "yes"],
    ["ProtectHostname", "yes"],
    ["ProtectKernelLogs", "yes"],
    ["ProtectKernelModules", "yes"],
    ["ProtectKernelTunables", unless(hasView)],
    ["ProtectControlGroups", unless(hasView)],
    ["LockPersonality", "yes"],
    ["NoNewPrivileges", "yes"],
    ["RemoveIPC", "yes"],
    ["RestrictNamespaces", "yes"],
    ["RestrictRealtime", "yes"],
    // Volumes with an fsGroup are directories with the set-group-id bit.
    ["RestrictSUIDSGID", "no"],
    ["RestrictAddressFamilies", "AF_UNIX AF_INET AF_INET6 AF_NETLINK"],
    ["SystemCallArchitectures", "native"],
    ["SystemCallFilter", "@system-service"],
    ["SystemCallErrorNumber", "EPERM"],
    // For the owners and modes of volumes, and for a health port below 1024.
    [
      "CapabilityBoundingSet",
      "CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_FSETID CAP_NET_BIND_SERVICE",
    ],
  ];
}

/** Every path that the agent is told. */
function usedPaths(config: AgentConfig): string[] {
  const { paths, source, runtime, node, images } = config;
  const { manifestUrl } = source;
  return [
    config.configPath,
    paths.rootDir,
    paths.runDir,
    paths.controlSocket,
    source.manifestPath,
    runtime.socketPath,
    runtime.imageSocketPath,
    runtime.podLogsDir,
    node.hostView,
    node.resolvConf,
    ...node.hostPathRoots,
    ...images.credentialFiles,
    // A URL lies nowhere.
    images.credentialEndpoint,
    manifestUrl?.caFile,
    manifestUrl?.certFile,
    manifestUrl?.keyFile,
    ...manifestUrl?.publicKeyFiles ?? [],
  ].filter((path) => path !== undefined);
}

/** A command as `ExecStart=` takes it, where a dollar begins a variable. */
function commandLine(words: readonly string[]): string {
  return words.map((each) => word(each).replaceAll("$", "$$$$")).join(" ");
}

/** One word of a value: quoted where it has to be, and without specifiers. */
function word(text: string): string {
  // A line feed would begin another setting, and not all settings know escapes for it.
  if (/\p{Cc}/u.test(text)) {
    throw new RangeError(
      `Cannot write a unit with ${
        JSON.stringify(text)
      }: found a control character, wanted none`,
    );
  }
  const plain = text.replaceAll("%", "%%");
  if (/^[\w@%+=:,./-]+$/.test(plain)) return plain;
  const escaped = plain.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return `"${escaped}"`;
}
