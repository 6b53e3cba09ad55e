/** Something that needs others, by id. */
export interface GraphNode {
  readonly id: string;
  readonly needs: readonly string[];
}

/** The ids of all nodes that a node needs, directly or not. Ids that no node has are left out. */
export function ancestorsOf(nodes: readonly GraphNode[], id: string): ReadonlySet<string> {
  const needs = new Map(nodes.map((node) => [node.id, node.needs]));
  const ancestors = new Set<string>();
  const visit = (node: string): void => {
    for (const need of needs.get(node) ?? []) {
      if (ancestors.has(need) || !needs.has(need)) continue;
      ancestors.add(need);
      visit(need);
    }
  };
  visit(id);
  return ancestors;
}

/** Nodes, each after those that it needs, otherwise in the order given; or a circle of ids. */
export type Sorted<Node> = { readonly order: readonly Node[] } | { readonly cycle: readonly string[] };

/** Each id of a circle needs the next one, and the last the first. A node's need of itself is left out. */
export function orderByNeeds<Node extends GraphNode>(nodes: readonly Node[]): Sorted<Node> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const order = new Set<Node>();
  const path: string[] = [];
  const visit = (node: Node): readonly string[] | undefined => {
    if (order.has(node)) return undefined;
    const start = path.indexOf(node.id);
    if (start >= 0) return path.slice(start);
    path.push(node.id);
    for (const need of node.needs) {
      const next = need === node.id ? undefined : byId.get(need);
      const cycle = next && visit(next);
      if (cycle) return cycle;
    }
    path.pop();
    order.add(node);
    return undefined;
  };
  for (const node of nodes) {
    const cycle = visit(node);
    if (cycle) return { cycle };
  }
  return { order: [...order] };
}
