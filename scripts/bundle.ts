/**
 * The agent as one file, as it is shipped.
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

/**
 * Bundles main.ts into one file; the same source gives the same bytes.
 *
 * @throws {Error} with what the bundler said
 */
export async function bundleAgent(output: string): Promise<void> {
  const project = fileURLToPath(new URL("../", import.meta.url));
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      "--quiet",
      "--minify",
      "--platform=deno",
      `--config=${project}deno.json`,
      `--output=${output}`,
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
  await Deno.writeTextFile(output, PRELUDE + await Deno.readTextFile(output));
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
  const path = `${directory}/skerry.mjs`;
  await bundleAgent(path);
  return path;
}
