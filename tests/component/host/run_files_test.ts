/**
 * Files of the run directory, where somebody else has put something.
 *
 * @module
 */

import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { FileError } from "../../../mod/host/paths/mod.ts";
import { runFiles } from "../../../mod/host/files/mod.ts";

/** A directory on a real disk. */
class Place implements Disposable {
  readonly path: string = Deno.makeTempDirSync({ prefix: "run_files_" });

  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}

const modeOf = (path: string): number =>
  (Deno.lstatSync(path).mode ?? 0) & 0o777;

Deno.test("runFiles.replace() does not write through a link that lies where its draft would", () => {
  for (const target of ["victim", "missing"]) {
    using place = new Place();
    const { path } = place;
    Deno.writeTextFileSync(`${path}/victim`, "precious", { mode: 0o644 });
    Deno.symlinkSync(`${path}/${target}`, `${path}/.a.json.tmp`);
    runFiles.replace(`${path}/a.json`, "new");
    strictEqual(Deno.readTextFileSync(`${path}/victim`), "precious");
    strictEqual(modeOf(`${path}/victim`), 0o644);
    strictEqual(Deno.lstatSync(`${path}/a.json`).isFile, true);
    strictEqual(Deno.readTextFileSync(`${path}/a.json`), "new");
    strictEqual(modeOf(`${path}/a.json`), 0o600);
    const names = [...Deno.readDirSync(path)].map(({ name }) => name);
    deepStrictEqual(names.sort(), ["a.json", "victim"]);
  }
});

Deno.test("runFiles.replace() makes its draft anew when a crash has left one, and for its owner alone", () => {
  using place = new Place();
  const path = `${place.path}/a.json`;
  const draft = `${place.path}/.a.json.tmp`;
  Deno.writeTextFileSync(draft, "half of what was longer");
  Deno.chmodSync(draft, 0o644);
  using reader = Deno.openSync(draft);
  runFiles.replace(path, "new");
  strictEqual(Deno.readTextFileSync(path), "new");
  strictEqual(modeOf(path), 0o600);
  // Who had it open sees nothing of the new one.
  const bytes = new Uint8Array(64);
  const count = reader.readSync(bytes) ?? 0;
  const seen = new TextDecoder().decode(bytes.subarray(0, count));
  strictEqual(seen, "half of what was longer");
});

Deno.test("runFiles.replace() says that a directory is in its way, and leaves it", () => {
  using place = new Place();
  const path = `${place.path}/a.json`;
  Deno.mkdirSync(`${place.path}/.a.json.tmp/full`, { recursive: true });
  throws(() => runFiles.replace(path, "new"), FileError);
  strictEqual(
    Deno.statSync(`${place.path}/.a.json.tmp/full`).isDirectory,
    true,
  );
});

Deno.test("runFiles.replace() makes the directory that is missing, for its owner alone", () => {
  using place = new Place();
  const path = `${place.path}/run/skerry/a.json`;
  runFiles.replace(path, "new");
  strictEqual(Deno.readTextFileSync(path), "new");
  strictEqual(modeOf(`${place.path}/run/skerry`), 0o700);
});

Deno.test("runFiles.replace() leaves no draft where it cannot put the file", () => {
  using place = new Place();
  const path = `${place.path}/a.json`;
  Deno.mkdirSync(`${path}/full`, { recursive: true });
  throws(() => runFiles.replace(path, "new"), FileError);
  const names = [...Deno.readDirSync(place.path)].map(({ name }) => name);
  deepStrictEqual(names, ["a.json"]);
});

Deno.test("runFiles.remove() takes what is missing for removed, and says what it cannot remove", () => {
  using place = new Place();
  const path = `${place.path}/a.json`;
  runFiles.replace(path, "new");
  runFiles.remove(path);
  runFiles.remove(path);
  deepStrictEqual([...Deno.readDirSync(place.path)], []);
  Deno.mkdirSync(`${path}/full`, { recursive: true });
  throws(() => runFiles.remove(path), FileError);
});
