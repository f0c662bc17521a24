/**
 * The settings of one agent, complete and frozen, in one slice a part.
 *
 * @module
 */

/** What the manifest sources need. */
export interface SourceConfig {
  /** Absolute path of a manifest file or a directory of them. */
  readonly manifestPath: string;
  readonly fileCheckFrequencyMs: number;
}

/** What talking to the runtime and starting containers needs. */
export interface RuntimeConfig {
  /** Absolute path of the runtime's unix socket. */
  readonly socketPath: string;
  /** Absolute path of the image service's unix socket; often the same. */
  readonly imageSocketPath: string;
  readonly requestTimeoutMs: number;
  /** Absolute path under which the runtime writes container logs. */
  readonly podLogsDir: string;
  /** Longest wait between two restarts of a crashing container. */
  readonly maxRestartPeriodMs: number;
  /** How many images may be pulled at a time; `undefined` sets no bound. */
  readonly parallelPulls: number | undefined;
  /** How many sandboxes may be in creation at a time. */
  readonly maxParallelSandboxStarts: number;
}

/** How a cgroup is named to the runtime. */
export type CgroupDriver = "cgroupfs" | "systemd";

/** What the agent knows of the machine it runs on. */
export interface NodeConfig {
  /** Lower-case; the hostname unless overridden. */
  readonly name: string;
  /** Addresses given by the operator; empty means that they are found out. */
  readonly ips: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** CIDRs in which pod addresses lie. */
  readonly podNetworks: readonly string[];
  readonly maxPods: number;
  /** Absolute path of the resolver file; `undefined` stands for none. */
  readonly resolvConf: string | undefined;
  readonly clusterDns: readonly string[];
  readonly clusterDomain: string;
  readonly cgroupDriver: CgroupDriver;
  /** Empty stands for the runtime's default. */
  readonly cgroupRoot: string;
}

/** How often the agent looks again. */
export interface SyncConfig {
  readonly syncFrequencyMs: number;
  readonly relistPeriodMs: number;
}

/** Where the agent keeps its own files; all absolute. */
export interface PathsConfig {
  readonly rootDir: string;
  readonly runDir: string;
  readonly controlSocket: string;
  /** The name under which the control socket is made before it is shown. */
  readonly controlSocketStaging: string;
  readonly pidFile: string;
}

/** What the health endpoint needs. */
export interface ServerConfig {
  /** 0 turns the endpoint off. */
  readonly healthzPort: number;
  readonly healthzAddress: string;
}

/** How the agent logs. */
export interface LogConfig {
  readonly format: "json" | "text";
  readonly level: "debug" | "info" | "warn" | "error";
}

/** Every setting of one agent; parts get their slice, never the whole. */
export interface AgentConfig {
  /** The file given with `--config`, absolute. */
  readonly configPath: string | undefined;
  readonly source: SourceConfig;
  readonly runtime: RuntimeConfig;
  readonly node: NodeConfig;
  readonly sync: SyncConfig;
  readonly paths: PathsConfig;
  readonly server: ServerConfig;
  readonly log: LogConfig;
}

/** What reading the settings needs of the world. */
export interface ConfigIo {
  /** The directory against which relative paths in arguments are resolved. */
  cwd(): string;
  hostname(): string;
  readTextFile(path: string): Promise<string>;
}
