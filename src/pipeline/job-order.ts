import type { Gate, Pipeline } from './pipeline.ts';

/** Minutes for everything but the agents: checkout, records, and an outage of GitHub. */
const OVERHEAD_MINUTES = 15;
/** The longest that GitHub lets a job run: five days, on runners of one's own. */
const MAX_JOB_MINUTES = 7_200;
/** Where jobs run whose gate does not say it. */
export const DEFAULT_RUNNER = 'ubuntu-latest';

/** When the job of a gate begins. */
export interface JobOrder {
  /** Jobs that come first: the gates that it needs and, in a sequential group, the one before it. In file order. */
  readonly needs: readonly string[];
  /**
   * `passed`: when all needs have passed, as GitHub does by itself. `ended`: when they have ended. `named`: when those
   * in the gate's own `needs` have passed, whether or not other jobs before them have failed.
   */
  readonly begins: 'passed' | 'ended' | 'named';
}

/** When each job begins, by gate. Members of a sequential group are put in an order that no need contradicts. */
export function jobOrders({ gates, groups }: Pick<Pipeline, 'gates' | 'groups'>): ReadonlyMap<string, JobOrder> {
  const own = new Map(gates.map(({ id, needs }) => [id, new Set(needs)]));
  const lists = new Map(gates.map(({ id, legsFrom }) => [id, legsFrom === undefined ? [] : [legsFrom.gate]]));
  // Who needs all legs must know how many there are from where no other job can write.
  const after = new Map(
    gates.map(({ id, needs }) => [id, new Set([...needs, ...needs.flatMap((n) => lists.get(n)!)])]),
  );
  const followers = new Set<string>();
  for (const { mode, gates: members } of groups) {
    if (mode !== 'sequential') continue;
    const inOrder = ordered(
      gates.filter(({ id }) => members.includes(id)).map(({ id }) => id),
      after,
    );
    inOrder.slice(1).forEach((id, index) => {
      after.get(id)!.add(inOrder[index]!);
      followers.add(id);
    });
  }
  return new Map(
    gates.map(({ id }): [string, JobOrder] => {
      const needs = gates.flatMap((gate) => (after.get(id)!.has(gate.id) ? [gate.id] : []));
      const isPlain = [...ancestorsOf(id, after)].every((one) => ancestorsOf(id, own).has(one));
      return [id, { needs, begins: followers.has(id) ? 'ended' : isPlain ? 'passed' : 'named' }];
    }),
  );
}

/** Members so that none comes before one that it needs; otherwise in file order. */
function ordered(members: readonly string[], edges: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const left = new Set(members);
  const done: string[] = [];
  while (left.size > 0) {
    const next = [...left].find((id) => !overlaps(ancestorsOf(id, edges), left))!;
    left.delete(next);
    done.push(next);
  }
  return done;
}

function overlaps(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return [...others].some((id) => some.has(id));
}

/** All gates before one, directly or through others. */
export function ancestorsOf(id: Gate['id'], edges: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const found = new Set<string>();
  const waiting = [...(edges.get(id) ?? [])];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (found.has(one)) continue;
    found.add(one);
    waiting.push(...(edges.get(one) ?? []));
  }
  return found;
}

/** Minutes for a job: all attempts together, so that the step can record how the last one ended. */
export function jobMinutes({ timeoutMinutes, retries, uses }: Gate): number {
  const attempts = uses === undefined ? retries + 1 : 1;
  return Math.min(MAX_JOB_MINUTES, Math.ceil(timeoutMinutes * attempts) + OVERHEAD_MINUTES);
}
