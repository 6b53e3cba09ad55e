import { describe, expect, it } from 'vitest';
import { unitKey } from '../../../src/pipeline/pipeline.ts';
import { isValidAt } from '../../../src/run/entity/entity-state.ts';
import { foldEntities } from '../../../src/run/entity/fold-entities.ts';
import { legOfCommands } from '../../../src/run/entity/job-commands.ts';
import type { GatelineRecord } from '../../../src/run/records/record.ts';
import { ended, FAILED, listing, NOW, started } from '../../support/records.ts';

const SESSION = {
  name: 'session',
  format: undefined,
  properties: [],
  dependsOn: [],
  lifetime: undefined,
  margin: 0,
};
const named = { entity: 'session', instance: '' };
const RANK = new Map([
  ['logout', 0],
  ['work', 1],
  ['login/work', 1],
  ['drop/work', 1],
]);

function isValid(records: readonly GatelineRecord[]): boolean {
  const states = foldEntities([SESSION], listing(records), { values: new Map(), rank: RANK });
  return isValidAt(states.get('session'), Date.parse(NOW));
}

/** A command that the job of `work` ran before its attempt `n`. */
function ran(gate: string, { n, order }: { n: number; order: number }, what: 'creates' | 'invalidates') {
  const at = { gate, leg: 'work', n, command: true } as const;
  const isNew = what === 'creates';
  const entities = { order, requires: [], creates: isNew ? ['session'] : [], invalidates: isNew ? [] : [named] };
  return [started({ ...at, entities }), ended({ ...at, effects: { creates: isNew ? [named] : [], invalidates: [] } })];
}

function usesUp(gate: string, n: number): GatelineRecord {
  return started({ gate, n, entities: { requires: [], creates: [], invalidates: [named] } });
}

describe('a command that a job ran for its gate', () => {
  it('comes after the gates that its gate needs', () => {
    expect(isValid([usesUp('logout', 1), ...ran('login', { n: 1, order: 1 }, 'creates')])).toBe(true);
  });

  it('comes before the attempt that it was run for, and after the one before that', () => {
    const first = [usesUp('work', 1), ended({ gate: 'work', n: 1, verdict: FAILED })];
    expect(isValid([...ran('login', { n: 1, order: 1 }, 'creates'), ...first])).toBe(false);
    expect(isValid([...first, ...ran('login', { n: 2, order: 1 }, 'creates')])).toBe(true);
  });

  it('comes after those that the job ran before it', () => {
    const [drop, login] = [ran('drop', { n: 1, order: 1 }, 'invalidates'), ran('login', { n: 1, order: 2 }, 'creates')];
    expect(isValid([...login, ...drop])).toBe(true);
  });
});

describe('the leg under which a job records commands', () => {
  it('is one of its unit alone, and one that a record can name', () => {
    const long = 'g'.repeat(40);
    const units = [
      unitKey('work', ''),
      unitKey('work', 'chrome'),
      unitKey('work', 'chrome.1'),
      unitKey(long, `${'l'.repeat(79)}a`),
      unitKey(long, `${'l'.repeat(79)}b`),
    ];
    const legs = units.map(legOfCommands);
    expect(new Set(legs).size).toBe(units.length);
    for (const leg of legs) expect(leg).toMatch(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,79}$/);
  });
});
