import type { Pipeline } from '../../pipeline/pipeline.ts';

/** Whether the snapshots of a gate are kept: `every: 2` means the second gate of the file, the fourth and so on. */
export function keepsSnapshot({ gates, snapshots }: Pick<Pipeline, 'gates' | 'snapshots'>, gate: string): boolean {
  const number = gates.findIndex(({ id }) => id === gate) + 1;
  return number % snapshots.every === 0;
}
