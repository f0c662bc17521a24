/**
 * Reads the file given with `--config` into settings.
 *
 * @module
 */

import { posix } from "node:path";
import { formatFault } from "../api/fault/mod.ts";
import { parseYaml, type SourceDocument } from "../api/text/mod.ts";
import { isRecord } from "../base/mod.ts";
import { describeError } from "../base/text/mod.ts";
import type { ConfigIo } from "./agent_config.ts";
import { type GivenValues, ROWS } from "./complete_settings.ts";
import { INERT_KUBELET_FIELDS } from "./kubelet_fields.ts";
import { DocumentReading, show } from "./read_document.ts";
import type { Field } from "./setting.ts";

/** What a configuration file says, and what is wrong with it. */
export interface ConfigFileReading extends Omit<GivenValues, "flags"> {
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
  /** What is listed instead of refused or warned of. */
  readonly unhonoured: readonly string[];
}

/** How a file is read. */
export interface ConfigFileOptions {
  /** Whether what cannot be honoured is listed: a kubelet's file is to start the agent. */
  readonly lists?: boolean;
}

const KUBELET = "kubelet.config.k8s.io/v1beta1 KubeletConfiguration";
const SKERRY = "skerry.dev/v1alpha1 SkerryConfiguration";

type Kind = typeof KUBELET | typeof SKERRY;

/** The whole of each document, leaf by leaf. */
export const FIELDS: Readonly<Record<Kind, readonly Field[]>> = {
  [KUBELET]: [
    ...ROWS.flatMap(({ setting }) => setting.kubelet ?? []),
    ...INERT_KUBELET_FIELDS,
  ],
  [SKERRY]: ROWS.flatMap(({ setting }) => setting.skerry ?? []),
};

/** The fields of the kubelet's document. */
export const KUBELET_FIELDS: readonly Field[] = FIELDS[KUBELET];

/** Reads the file at `path`, which is absolute. */
export async function readConfigFile(
  path: string,
  io: Pick<ConfigIo, "readTextFile">,
  options: ConfigFileOptions = {},
): Promise<ConfigFileReading> {
  let text: string;
  try {
    text = await io.readTextFile(path);
  } catch (error) {
    return nothingRead(
      `--config: Cannot read "${path}": ${describeError(error)}`,
    );
  }
  return readConfigText(text, path, options);
}

/** Reads the text of the file at `path`; relative paths start beside it. */
export function readConfigText(
  text: string,
  path: string,
  options: ConfigFileOptions = {},
): ConfigFileReading {
  const result = parseYaml(text);
  if (result.kind === "refused") {
    return nothingRead(`${path}: ${formatFault(result.fault)}`);
  }
  const documents = result.documents.filter(({ value }) => value !== null);
  if (documents.length === 0) {
    return nothingRead(
      `${path}: Cannot use an empty file: wanted a document of kind ${KUBELET}`,
    );
  }
  const file = new ConfigFile(path, options);
  for (const document of documents) file.read(document);
  return file.reading();
}

class ConfigFile {
  readonly #path: string;
  readonly #faults: string[] = [];
  readonly #ignored: string[] = [];
  readonly #listed: string[] = [];
  readonly #lists: boolean;
  readonly #values = new Map<Kind, ReadonlyMap<string, unknown>>();

  constructor(path: string, { lists = false }: ConfigFileOptions) {
    this.#path = path;
    this.#lists = lists;
  }

  read(document: SourceDocument): void {
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
    const other = type === KUBELET ? SKERRY : KUBELET;
    const reading = new DocumentReading(document.value, {
      fields: FIELDS[type],
      baseDir: posix.dirname(this.#path),
      elsewhere: (name) =>
        FIELDS[other].some(({ path }) => path === name)
          ? `in a document of kind ${other}`
          : undefined,
      // What is said in words of the agent's own has to be right.
      unhonoured: this.#lists && type === KUBELET ? "listed" : "refused",
    });
    this.#values.set(type, reading.values);
    this.#ignored.push(...reading.ignored);
    this.#listed.push(...reading.listed);
    const { faults } = reading;
    if (faults.length === 0) return;
    // Locating reads the text again, once for all faults.
    const lines = document.locate(new Set(faults.map(({ field }) => field)));
    for (const { field, message } of faults) {
      this.#fault(message, lines.get(field));
    }
  }

  reading(): ConfigFileReading {
    return {
      kubelet: this.#values.get(KUBELET) ?? new Map(),
      skerry: this.#values.get(SKERRY) ?? new Map(),
      faults: this.#faults,
      unhonoured: this.#lists ? [...this.#ignored, ...this.#listed] : [],
      warnings: this.#ignored.length === 0 || this.#lists ? [] : [
        `${this.#path}: these fields have no effect here and are ignored: ${
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

/** The reading of no file, or of one that says nothing. */
export function nothingRead(...faults: readonly string[]): ConfigFileReading {
  const nothing = { kubelet: new Map(), skerry: new Map() };
  return { ...nothing, faults, warnings: [], unhonoured: [] };
}
