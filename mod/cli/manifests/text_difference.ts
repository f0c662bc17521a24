/**
 * What differs between two texts, line by line.
 *
 * @module
 */

const AROUND = 3;

/** The lines that go and come, with some around them; empty when nothing differs. */
export function differenceText(
  path: string,
  before: string,
  after: string,
): string {
  if (before === after) return "";
  const [old, now] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) {
    head++;
  }
  let tail = 0;
  while (
    tail < old.length - head && tail < now.length - head &&
    old.at(-1 - tail) === now.at(-1 - tail)
  ) tail++;
  const from = Math.max(0, head - AROUND);
  const gone = old.slice(head, old.length - tail);
  const come = now.slice(head, now.length - tail);
  const behind = old.slice(old.length - tail).slice(0, AROUND);
  const lead = old.slice(from, head);
  const span = (count: number) => `${count === 0 ? from : from + 1},${count}`;
  const common = lead.length + behind.length;
  return [
    `--- ${path}`,
    `+++ ${path}`,
    `@@ -${span(common + gone.length)} +${span(common + come.length)} @@`,
    ...lead.map((line) => ` ${line}`),
    ...gone.map((line) => `-${line}`),
    ...come.map((line) => `+${line}`),
    ...behind.map((line) => ` ${line}`),
  ].map((line) => `${line}\n`).join("");
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}
