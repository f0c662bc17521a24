import { strictEqual } from "node:assert/strict";
import { TimeWords } from "../../../mod/explain/time_words.ts";
import { NOW_MS } from "../pod/builders.ts";

Deno.test("TimeWords tells nothing of a time that another clock told", () => {
  const sane = new TimeWords({ nowMs: NOW_MS, utcOffsetMs: 0 });
  strictEqual(sane.at(NOW_MS - 1_000), "at 03:04:04");
  strictEqual(sane.at(600_000), "");
  strictEqual(sane.since(600_000), "");
  strictEqual(sane.at(undefined), "");
  const early = new TimeWords({ nowMs: 700_000, utcOffsetMs: 0 });
  strictEqual(early.at(600_000), "1 min 40 s ago");
  strictEqual(early.at(NOW_MS), "");
});
