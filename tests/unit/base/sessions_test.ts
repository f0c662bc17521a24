import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { Sessions } from "../../../mod/base/mod.ts";

Deno.test("Sessions.delete() takes the key out of every map, and of no other key", () => {
  const sessions = new Sessions();
  const [ages, names] = [sessions.map<number>(), sessions.map<string>()];
  ages.set("a", 1).set("b", 2);
  names.set("a", "x");
  deepStrictEqual([...sessions.keys()], ["a", "b"]);
  sessions.delete("a");
  strictEqual(ages.get("b"), 2);
  deepStrictEqual([...sessions.keys()], ["b"]);
});

Deno.test("Sessions.delete() disposes of what is disposable, once", () => {
  const sessions = new Sessions();
  let disposed = 0;
  sessions.map<Disposable>().set("a", { [Symbol.dispose]: () => disposed++ });
  sessions.delete("a");
  sessions.delete("a");
  strictEqual(disposed, 1);
});

Deno.test("Sessions.onEnd() hears of the key when its maps are empty", () => {
  const sessions = new Sessions();
  const map = sessions.map<number>().set("a", 1);
  const heard: unknown[] = [];
  sessions.onEnd((key) => heard.push([key, map.size]));
  sessions.delete("a");
  deepStrictEqual(heard, [["a", 0]]);
});
