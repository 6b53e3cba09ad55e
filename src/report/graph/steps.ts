/** A gate and the gates that it needs, all of the same list. */
interface Node {
  readonly id: string;
  readonly needs: readonly string[];
}

/**
 * The gates in steps: those that need nothing first, then those whose needs are all in earlier steps. Gates of one step
 * do not depend on each other. In each step they are in the order of the list.
 *
 * @param gates without circles; a gate in one is left out
 */
export function stepsOf<T extends Node>(gates: readonly T[]): readonly (readonly T[])[] {
  const steps: T[][] = [];
  const placed = new Set<string>();
  for (let left = gates; left.length > 0;) {
    const step = left.filter(({ needs }) => needs.every((need) => placed.has(need)));
    if (step.length === 0) break;
    for (const { id } of step) placed.add(id);
    steps.push(step);
    left = left.filter(({ id }) => !placed.has(id));
  }
  return steps;
}
