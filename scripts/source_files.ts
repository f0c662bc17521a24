/**
 * The TypeScript that is ours: what the checks look at.
 *
 * @module
 */

const ROOTS = ["main.ts", "mod", "proto", "scripts", "tests"] as const;

/**
 * Lists the `.ts` files of the project, sorted, relative to `root`, with slashes.
 *
 * Test data is left out: it need not be code of ours.
 */
export async function listSourceFiles(root: URL): Promise<string[]> {
  const files: string[] = [];
  for (const name of ROOTS) {
    const found = await statOrUndefined(new URL(name, root));
    if (found?.isFile) files.push(name);
    if (found?.isDirectory) await collect(root, name, files);
  }
  return files.sort();
}

/** Lists the pages of the project: the `.md` files at the top and in `docs/`. */
export async function listPages(root: URL): Promise<string[]> {
  const pages: string[] = [];
  for (const folder of ["", "docs/"]) {
    for await (const { name } of Deno.readDir(new URL(folder, root))) {
      if (name.endsWith(".md")) pages.push(folder + name);
    }
  }
  return pages.sort();
}

async function collect(
  root: URL,
  folder: string,
  files: string[],
): Promise<void> {
  if (folder === "tests/testdata") return;
  for await (const entry of Deno.readDir(new URL(folder, root))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) await collect(root, path, files);
    if (entry.isFile && path.endsWith(".ts")) files.push(path);
  }
}

async function statOrUndefined(url: URL): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.stat(url);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
