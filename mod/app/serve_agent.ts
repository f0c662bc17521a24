/**
 * The life of the agent's process: locks, servers, the core, and its end.
 *
 * @module
 */

import { systemClock, systemRandom, TaskGroup } from "../base/mod.ts";
import {
  createLogger,
  type Logger,
  LogWriter,
  MetricsRegistry,
} from "../base/telemetry/mod.ts";
import { describeError } from "../base/text/mod.ts";
import {
  type AgentConfig,
  checkGrants,
  deriveGrants,
  VERSION,
} from "../config/mod.ts";
import { connectCri } from "../cri/mod.ts";
import { EventRecorder } from "../events/mod.ts";
import { NotifySocket } from "../host/clients/mod.ts";
import { ensureDirectory, lockRootDirectory } from "../host/files/mod.ts";
import { fileErrorKind } from "../host/paths/mod.ts";
import { ControlServer, HealthzServer } from "../server/mod.ts";
import { limitMachine } from "../usage/mod.ts";
import { AgentViews } from "../views/mod.ts";
import { ConfigReloader, type ReloadSource } from "./config_reloader.ts";
import type { ProcessDeps } from "./core_deps.ts";
import { CoreLife } from "./core_life.ts";
import { MachineShutdown } from "./machine_shutdown.ts";
import { thisMachine } from "./build_pressure.ts";
import { RootDisk } from "./root_disk.ts";
import { ServiceManager } from "./service_manager.ts";

/** Exit codes; 64 as sysexits has it for usage. */
const EXIT_OK = 0;
const EXIT_FAILURE = 1;
const EXIT_USAGE = 64;

interface ServeDeps {
  readonly process: ProcessDeps;
  readonly signal: AbortSignal;
  readonly reload: ReloadSource;
  readonly setLevel: (level: AgentConfig["log"]["level"]) => void;
}

/** How long the log may take at the end; supervisors wait about twice as long. */
const FLUSH_MS = 500;

/** Runs an agent until `deps.signal` aborts; returns the exit code. */
export async function runAgent(
  config: AgentConfig,
  deps: {
    /** Aborts when the agent is to stop; containers stay. */
    readonly signal: AbortSignal;
    /** What reading the settings found worth a warning. */
    readonly warnings: readonly string[];
    /** Says when the settings are to be read again, and reads them. */
    readonly reload: ReloadSource;
  },
): Promise<number> {
  const clock = systemClock;
  const writer = new LogWriter(Deno.stderr, { ...config.log, clock });
  const write = (line: string): void => writer.write(line);
  const logging = { ...config.log, clock, write };
  const log = createLogger(logging);
  const metrics = new MetricsRegistry();
  for (const warning of deps.warnings) log.warn("config_warning", { warning });
  try {
    return await start(config, {
      process: { clock, random: systemRandom, log, metrics },
      signal: deps.signal,
      reload: deps.reload,
      setLevel: (level) => logging.level = level,
    });
  } catch (error) {
    log.error("agent_failed", { error });
    return EXIT_FAILURE;
  } finally {
    await Promise.race([
      writer.flush(),
      clock.sleep(FLUSH_MS, new AbortController().signal),
    ]);
  }
}

async function start(
  config: AgentConfig,
  deps: ServeDeps,
): Promise<number> {
  const { log } = deps.process;
  // Addresses that were found and not configured may differ from those at the start
  // of the launcher: what lacks them is refused later, pod by pod.
  const faults = await checkGrants(
    deriveGrants(config, []),
    (descriptor) => Deno.permissions.query(descriptor),
  );
  for (const fault of faults) log.error("grant_missing", { fault });
  if (faults.length > 0) return EXIT_USAGE;
  const { paths } = config;
  await ensureDirectory(paths.rootDir, 0o750);
  await ensureRunDirectory(paths.runDir, log);
  const lock = await lockRootDirectory(paths.rootDir);
  if (lock.kind === "held") {
    log.error("root_directory_locked", {
      fault:
        `Cannot run on "${paths.rootDir}": another agent, process ${lock.pid}, has it; give this one another --root-dir`,
    });
    return EXIT_FAILURE;
  }
  using _lock = lock;
  await writePidFile(paths.pidFile, log);
  using _faults = reportStrayFaults(log);
  const disk = new RootDisk(lock, deps.process);
  await disk.look();
  await using tasks = new TaskGroup(deps.signal);
  tasks.start((signal) => disk.run(signal));
  await serve(config, { ...deps, disk });
  log.info("agent_stopped", { note: "what runs is left as it is" });
  return EXIT_OK;
}

/** With a root directory of its own the agent keeps the run directory in it. */
async function ensureRunDirectory(path: string, log: Logger): Promise<void> {
  try {
    await ensureDirectory(path, 0o700);
  } catch (error) {
    if (fileErrorKind(error) !== "read_only") throw error;
    log.error("run_directory_missing", { error });
  }
}

async function writePidFile(path: string, log: Logger): Promise<void> {
  try {
    await Deno.writeTextFile(path, `${Deno.pid}\n`, { mode: 0o644 });
  } catch (error) {
    // Only a supervisor's script reads it.
    log.warn("pid_file_missing", { error });
  }
}

async function serve(
  config: AgentConfig,
  deps: ServeDeps & { readonly disk: RootDisk },
): Promise<void> {
  const { clock, log, metrics } = deps.process;
  await using connection = connectCri({
    endpoint: config.runtime.socketPath,
    imageEndpoint: config.runtime.imageSocketPath,
    requestTimeoutMs: config.runtime.requestTimeoutMs,
  }, { clock, log: log.named("cri"), metrics });
  const events = new EventRecorder({ clock, log, metrics });
  const { disk } = deps;
  const views = new AgentViews(config, { clock, metrics, events, disk });
  await using _control = await ControlServer.start({
    path: config.paths.controlSocket,
    stagingPath: config.paths.controlSocketStaging,
  }, { view: views, version: { version: VERSION }, clock, log });
  await using _healthz = HealthzServer.start({
    address: config.server.healthzAddress,
    port: config.server.healthzPort,
  }, { health: views, clock, log });
  logStart(config, log);
  using socket = openNotifySocket(config, log);
  const manager = socket && new ServiceManager({
    clock,
    log,
    health: views,
    send: (lines) => socket.send(lines),
  }, config.service);
  const shutdown = new MachineShutdown(config, { ...deps.process, events });
  await shutdown.open();
  const machine = limitMachine(thisMachine, clock);
  const given = { ...deps.process, connection, events, machine };
  const life = new CoreLife(given, {
    config,
    views,
    beforeEnd: async (agent) => {
      const seconds = await shutdown.dueSeconds();
      if (seconds === undefined) return;
      void manager?.goingDown(seconds);
      await shutdown.run(agent);
    },
  });
  const end = life.endAfter(deps.signal);
  const reloader = new ConfigReloader({
    log,
    source: deps.reload,
    apply: ({ level, shutdownGroups }) => {
      deps.setLevel(level);
      shutdown.use(shutdownGroups);
    },
  }, config);
  await using tasks = new TaskGroup(end);
  tasks.start((signal) => reloader.run(signal));
  if (manager !== undefined) tasks.start((signal) => manager.run(signal));
  await life.run(end);
}

function logStart(config: AgentConfig, log: Logger): void {
  log.info("agent_started", {
    version: VERSION,
    node: config.node.name,
    manifests: config.source.manifestPath,
    root: config.paths.rootDir,
    runtime: config.runtime.socketPath,
  });
}

/** Without it the agent runs on, and the service manager takes it for one that hangs. */
function openNotifySocket(
  config: AgentConfig,
  log: Logger,
): NotifySocket | undefined {
  const { notifySocket: socket, ownSocket: own } = config.service;
  if (socket === undefined) return undefined;
  try {
    return NotifySocket.open({ socket, own });
  } catch (error) {
    log.error("service_manager_not_told", { error });
    return undefined;
  }
}

/** Logs a failure that no code awaited, which is a bug; the agent goes on. */
function reportStrayFaults(log: Logger): Disposable {
  const report = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    log.error("unhandled_rejection", {
      error: describeError(event.reason),
      stack: event.reason instanceof Error ? event.reason.stack : undefined,
    });
  };
  globalThis.addEventListener("unhandledrejection", report);
  return {
    [Symbol.dispose]: () =>
      globalThis.removeEventListener("unhandledrejection", report),
  };
}
