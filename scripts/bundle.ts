/**
 * The agent as it is shipped: a few files of JavaScript.
 *
 * @module
 */

import { fileURLToPath } from "node:url";

/**
 * Comes before the bundle: when the bundler happens to name its shim for `require`
 * `$`, Deno does not recognise it, and every use of it fails at run time.
 */
const PRELUDE =
  `import{createRequire as r}from"node:module";globalThis.require=r(import.meta.url);\n`;

/** Only grpc-js's service for debuggers, which the agent does not offer, would load it. */
const UNUSED = "@grpc/proto-loader";

/**
 * Bundles main.ts into files in a directory that is empty; the same source gives the
 * same bytes.
 *
 * What is imported at run time has files of its own. In one file the engine would read
 * it up to three times, which took 30 ms of a start and 6 MB.
 *
 * @returns The file to run.
 * @throws {Error} with what the bundler said
 */
export async function bundleAgent(directory: string): Promise<string> {
  const project = fileURLToPath(new URL("../", import.meta.url));
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      "--quiet",
      "--minify",
      "--platform=deno",
      "--code-splitting",
      `--external=${UNUSED}`,
      `--config=${project}deno.json`,
      `--outdir=${directory}`,
      `${project}main.ts`,
    ],
    env: { NO_COLOR: "1" },
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) {
    const text = new TextDecoder().decode(stderr).trim();
    throw new Error(`Cannot bundle the agent: ${text}`);
  }
  const entry = `${directory}/main.js`;
  await Deno.writeTextFile(`${directory}/prelude.js`, PRELUDE);
  const text = await Deno.readTextFile(entry);
  await Deno.writeTextFile(entry, `import"./prelude.js";\n${text}`);
  return entry;
}

let built: Promise<string> | undefined;

/** A bundle for tests and measurements: built once a process, in a temp directory. */
export function agentBundle(): Promise<string> {
  built ??= buildForProcess();
  return built;
}

async function buildForProcess(): Promise<string> {
  const directory = await Deno.makeTempDir({ prefix: "skerry-bundle-" });
  globalThis.addEventListener("unload", () => {
    Deno.removeSync(directory, { recursive: true });
  });
  return await bundleAgent(directory);
}
