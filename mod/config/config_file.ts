/**
 * Reads the file given with `--config` into settings.
 *
 * @module
 */

import { posix } from "node:path";
import { describeError } from "../base/text/mod.ts";
import type { ConfigIo } from "./agent_config.ts";
import {
  type ConfigDocument,
  readConfigDocuments,
} from "./config_documents.ts";
import { isRecord } from "./decoders.ts";
import { Hidden } from "./hidden.ts";
import { KUBELET_FIELDS } from "./kubelet_fields.ts";
import { FieldValues, readDocument, show } from "./read_document.ts";
import { layer, type Settings } from "./settings.ts";
import { SKERRY_FIELDS } from "./skerry_fields.ts";

/** What a configuration file says, and what is wrong with it. */
export interface ConfigFileReading {
  readonly settings: Settings;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

const KUBELET = "kubelet.config.k8s.io/v1beta1 KubeletConfiguration";
const SKERRY = "skerry.dev/v1alpha1 SkerryConfiguration";
// From this verbosity on, upstream's own logs tell of every sync.
const DEBUG_VERBOSITY = 4;

/** Reads the file at `path`, which is absolute. */
export async function readConfigFile(
  path: string,
  io: Pick<ConfigIo, "readTextFile">,
): Promise<ConfigFileReading> {
  let text: string;
  try {
    text = await io.readTextFile(path);
  } catch (error) {
    return failed(
      `--config: Cannot read "${path}": ${describeError(error)}`,
    );
  }
  return readConfigText(text, path);
}

/** Reads the text of the file at `path`; relative paths start beside it. */
export function readConfigText(text: string, path: string): ConfigFileReading {
  const result = readConfigDocuments(text);
  if (result.kind === "refused") return failed(`${path}: ${result.fault}`);
  if (result.documents.length === 0) {
    return failed(
      `${path}: Cannot use an empty file: wanted a document of kind ${KUBELET}`,
    );
  }
  const file = new ConfigFile(path);
  for (const document of result.documents) file.read(document);
  return file.reading();
}

class ConfigFile {
  readonly #path: string;
  readonly #faults: string[] = [];
  readonly #ignored: string[] = [];
  readonly #values = new Map<string, FieldValues>();

  constructor(path: string) {
    this.#path = path;
  }

  read(document: ConfigDocument): void {
    if (!isRecord(document.value)) {
      this.#fault(
        `Cannot use ${show(document.value)} as a document: wanted ${KUBELET}`,
      );
      return;
    }
    const type = `${document.value["apiVersion"] ?? ""} ${
      document.value["kind"] ?? ""
    }`.trim();
    if (type !== KUBELET && type !== SKERRY) {
      this.#fault(
        `Cannot use a document of kind "${type}": wanted ${KUBELET} or ${SKERRY}`,
      );
      return;
    }
    if (this.#values.has(type)) {
      this.#fault(`Cannot use a second document of kind ${type}`);
      return;
    }
    const reading = readDocument(document.value, {
      fields: type === KUBELET ? KUBELET_FIELDS : SKERRY_FIELDS,
      baseDir: posix.dirname(this.#path),
      elsewhere: (name) => elsewhere(name, type),
    });
    this.#values.set(type, reading.values);
    this.#ignored.push(...reading.ignored);
    for (const { field, message } of reading.faults) {
      this.#fault(message, document.lineOf(field));
    }
  }

  reading(): ConfigFileReading {
    const kubelet = this.#values.get(KUBELET) ?? new FieldValues();
    const skerry = this.#values.get(SKERRY) ?? new FieldValues();
    return {
      settings: layer(skerrySettings(skerry), kubeletSettings(kubelet)),
      faults: this.#faults,
      warnings: this.#ignored.length === 0 ? [] : [
        `${this.#path}: these fields have no meaning without an API server and are ignored: ${
          this.#ignored.join(", ")
        }`,
      ],
    };
  }

  #fault(message: string, line?: number): void {
    const place = line === undefined ? this.#path : `${this.#path}:${line}`;
    this.#faults.push(`${place}: ${message}`);
  }
}

function kubeletSettings(values: FieldValues): Settings {
  const verbosity = values.number("logging.verbosity") ?? 0;
  return {
    manifestPath: values.text("staticPodPath"),
    podLogsDir: values.text("podLogsDir"),
    syncFrequencyMs: values.number("syncFrequency"),
    fileCheckFrequencyMs: values.number("fileCheckFrequency"),
    manifestUrl: hidden(values.text("staticPodURL")),
    manifestUrlHeaders: hidden(values.textLists("staticPodURLHeader")),
    httpCheckFrequencyMs: values.number("httpCheckFrequency"),
    healthzPort: values.number("healthzPort"),
    healthzAddress: values.text("healthzBindAddress"),
    clusterDomain: values.text("clusterDomain"),
    clusterDns: values.texts("clusterDNS"),
    cgroupRoot: values.text("cgroupRoot"),
    cgroupDriver: values.word("cgroupDriver", ["cgroupfs", "systemd"]),
    cgroupsPerQos: values.boolean("cgroupsPerQOS"),
    cpuCfsQuota: values.boolean("cpuCFSQuota"),
    cpuCfsPeriodMs: values.number("cpuCFSQuotaPeriod"),
    podPidsLimit: values.number("podPidsLimit"),
    singleProcessOomKill: values.boolean("singleProcessOOMKill"),
    enforceNodeAllocatable: values.texts("enforceNodeAllocatable"),
    systemReserved: values.textMap("systemReserved"),
    kubeReserved: values.textMap("kubeReserved"),
    allowedUnsafeSysctls: values.texts("allowedUnsafeSysctls"),
    seccompDefault: values.boolean("seccompDefault"),
    requestTimeoutMs: values.number("runtimeRequestTimeout"),
    maxPods: values.number("maxPods"),
    podCidrs: values.texts("podCIDR"),
    resolvConf: values.has("resolvConf")
      ? values.text("resolvConf") ?? ""
      : undefined,
    serializeImagePulls: values.boolean("serializeImagePulls"),
    maxParallelImagePulls: values.number("maxParallelImagePulls"),
    maxRestartPeriodMs: values.number(
      "crashLoopBackOff.maxContainerRestartPeriod",
    ),
    socketPath: values.text("containerRuntimeEndpoint"),
    imageSocketPath: values.text("imageServiceEndpoint"),
    logFormat: values.word("logging.format", ["text", "json"]),
    logLevel: verbosity >= DEBUG_VERBOSITY ? "debug" : undefined,
  };
}

function skerrySettings(values: FieldValues): Settings {
  return {
    rootDir: values.text("rootDir"),
    runDir: values.text("runDir"),
    controlSocket: values.text("controlSocket"),
    nodeName: values.text("hostnameOverride"),
    nodeIps: values.texts("nodeIP"),
    nodeLabels: values.textMap("nodeLabels"),
    podNetworks: values.texts("podNetworks"),
    relistPeriodMs: values.number("relistPeriod"),
    maxParallelSandboxStarts: values.number("maxParallelSandboxStarts"),
    hostPathRoots: values.texts("hostPathRoots"),
    hostView: values.text("hostView"),
    hugePageSizes: values.texts("hugePageSizes"),
    manifestUrlCaFile: values.text("staticPodURLCAFile"),
    manifestUrlCertFile: values.text("staticPodURLCertFile"),
    manifestUrlKeyFile: values.text("staticPodURLKeyFile"),
    manifestUrlPublicKeyFiles: values.texts("staticPodURLPublicKeys"),
    manifestFiles: values.word("manifestFiles", ["yaml", "kubelet"]),
    unknownFields: values.word("unknownFields", ["refuse", "warn"]),
    logFormat: values.word("logFormat", ["text", "json"]),
    logLevel: values.word("logLevel", ["debug", "info", "warn", "error"]),
  };
}

function hidden<Value>(value: Value | undefined): Hidden<Value> | undefined {
  return value === undefined ? undefined : new Hidden(value);
}

/** Where a field belongs that stands in the wrong one of the two documents. */
function elsewhere(name: string, type: string): string | undefined {
  const others = type === KUBELET ? SKERRY_FIELDS : KUBELET_FIELDS;
  if (!others.some((field) => field.path === name)) return undefined;
  return `in a document of kind ${type === KUBELET ? SKERRY : KUBELET}`;
}

function failed(fault: string): ConfigFileReading {
  return { settings: {}, faults: [fault], warnings: [] };
}
