/**
 * Returns the strongly connected components with more than one node (Tarjan 1972): each is a set of nodes that reach
 * each other.
 */
export type Graph = Map<string, Set<string>>;

export function findCircles(graph: Graph): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const circles: string[][] = [];

  function visit(node: string): void {
    const at = order.size;
    order.set(node, at);
    lowest.set(node, at);
    stack.push(node);
    onStack.add(node);
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue;
      if (!order.has(next)) {
        visit(next);
        lowest.set(node, Math.min(lowest.get(node)!, lowest.get(next)!));
      } else if (onStack.has(next)) {
        lowest.set(node, Math.min(lowest.get(node)!, order.get(next)!));
      }
    }
    if (lowest.get(node) !== at) return;
    const circle = stack.splice(stack.indexOf(node));
    for (const member of circle) onStack.delete(member);
    if (circle.length > 1) circles.push(circle.toSorted());
  }

  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return circles;
}
