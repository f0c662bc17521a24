/**
 * Docker configurations on the node.
 *
 * @module
 */

import { describeError } from "../../base/text/mod.ts";
import type { BoundedRead } from "../../host/files/mod.ts";
import {
  type DockerConfig,
  readDockerConfig,
  type RegistryLogin,
} from "./docker_config.ts";
import type { NodeLogins } from "./image_credentials.ts";

/** Reads a regular file of at most so many bytes. */
type ReadLoginFile = (path: string, maxBytes: number) => Promise<BoundedRead>;

interface LoginFile {
  readonly path: string;
  /** Nothing is wrong when it is not there. */
  readonly isOptional: boolean;
}

const MAX_BYTES = 1 << 20;

/**
 * Reads the files that settings name, then `config.json` and `.dockercfg` of the root
 * directory if they are there. They are read for each pull, so an edit counts at once.
 */
export class NodeConfigFiles implements NodeLogins {
  readonly #files: readonly LoginFile[];
  readonly #readFile: ReadLoginFile;

  constructor(
    options: { readonly paths: readonly string[]; readonly rootDir: string },
    deps: { readonly readFile: ReadLoginFile },
  ) {
    const { paths, rootDir } = options;
    this.#files = [
      ...paths.map((path) => ({ path, isOptional: false })),
      ...["config.json", ".dockercfg"].map((name) => ({
        path: `${rootDir}/${name}`,
        isOptional: true,
      })),
    ];
    this.#readFile = deps.readFile;
  }

  async read(): ReturnType<NodeLogins["read"]> {
    const logins: RegistryLogin[] = [];
    const problems: string[] = [];
    for (const file of this.#files) {
      const read = await this.#readOne(file);
      logins.push(...read.logins);
      problems.push(
        ...read.problems.map((problem) =>
          `The image credentials in "${file.path}" cannot be used: ${problem}`
        ),
      );
    }
    return { logins, problems };
  }

  async #readOne(
    { path, isOptional }: LoginFile,
  ): Promise<DockerConfig> {
    let read: BoundedRead;
    try {
      read = await this.#readFile(path, MAX_BYTES);
    } catch (error) {
      return without(describeError(error));
    }
    switch (read.kind) {
      case "read": {
        const form = path.endsWith(".dockercfg") ? "dockercfg" : "config.json";
        return readDockerConfig(read.bytes, form);
      }
      case "missing":
        return without(...isOptional ? [] : ["there is no such file"]);
      case "not_regular":
        return without(`wanted a file, found a ${read.what}`);
      case "too_large":
        return without(`it has more than ${MAX_BYTES} bytes`);
    }
  }
}

function without(...problems: readonly string[]): DockerConfig {
  return { logins: [], problems };
}
