/**
 * Finds cycles of a graph: for each strongly connected component, the shortest cycle through its first vertex.
 *
 * @param graph The successors of each vertex.
 * @returns Cycles as paths that end with their first vertex: `["a", "b", "a"]`.
 */
export function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const known = new Set<string>();
  for (const start of graph.keys()) {
    if (known.has(start)) continue;
    const cycle = shortestCycle(graph, start);
    if (cycle === undefined) continue;
    cycles.push(cycle);
    const above = reachable(reverse(graph), start);
    for (const vertex of reachable(graph, start)) if (above.has(vertex)) known.add(vertex);
  }
  return cycles;
}

function shortestCycle(graph: ReadonlyMap<string, readonly string[]>, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>();
  // The loop also visits the elements that are pushed to the queue inside it.
  const queue = [start];
  for (const vertex of queue) {
    for (const next of graph.get(vertex) ?? []) {
      if (next === start) return [...pathTo(vertex, cameFrom), start];
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, vertex);
      queue.push(next);
    }
  }
  return undefined;
}

function pathTo(end: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const path = [end];
  for (let at = cameFrom.get(end); at !== undefined; at = cameFrom.get(at)) path.unshift(at);
  return path;
}

function reachable(graph: ReadonlyMap<string, readonly string[]>, start: string): Set<string> {
  // The loop also visits the elements that are added to the set inside it.
  const reached = new Set([start]);
  for (const vertex of reached) for (const next of graph.get(vertex) ?? []) reached.add(next);
  return reached;
}

function reverse(graph: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const reversed = new Map<string, string[]>();
  for (const [from, tos] of graph) for (const to of tos) reversed.set(to, [...(reversed.get(to) ?? []), from]);
  return reversed;
}
