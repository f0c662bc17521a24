/**
 * Circles in a graph of imports.
 *
 * @module
 */

/**
 * Lists the circles, one for each group of files that import one another, as a way
 * from a file back to itself. (Tarjan's strongly connected components.)
 */
export function findCircles(
  edges: ReadonlyMap<string, readonly string[]>,
): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const groups: ReadonlySet<string>[] = [];
  const visit = (node: string): number => {
    const number = order.size;
    order.set(node, number);
    lowest.set(node, number);
    open.push(node);
    for (const next of edges.get(node) ?? []) {
      const seen = order.get(next);
      if (seen === undefined) lower(node, visit(next));
      else if (open.includes(next)) lower(node, seen);
    }
    if (lowest.get(node) === number) {
      const group = new Set(open.splice(open.indexOf(node)));
      if (group.size > 1) groups.push(group);
    }
    return lowest.get(node) ?? number;
  };
  const lower = (node: string, to: number): void => {
    lowest.set(node, Math.min(lowest.get(node) ?? to, to));
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return groups.map((group) => wayAround(group, edges));
}

/** The shortest way from the first file of a group back to it. */
function wayAround(
  group: ReadonlySet<string>,
  edges: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const [start] = [...group].sort();
  if (start === undefined) return [];
  const ways: (readonly [string, ...string[]])[] = [[start]];
  const met = new Set<string>();
  for (const way of ways) {
    for (const next of edges.get(way[0]) ?? []) {
      if (next === start) return [...way].reverse().concat(start);
      if (!group.has(next) || met.has(next)) continue;
      met.add(next);
      ways.push([next, ...way]);
    }
  }
  return [...group];
}
