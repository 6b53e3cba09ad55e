import { describe, expect, it } from 'vitest';
import { widePermissions } from '../../../src/action/step/wide-permissions.ts';

const workflow = (all: unknown, own?: unknown): string =>
  JSON.stringify({ permissions: all, jobs: { one: { permissions: own, steps: [] }, two: {} } });

describe('permissions that a gate should not have', () => {
  it.each([
    [{ checks: 'write', contents: 'write' }, undefined, ['checks']],
    [{ contents: 'read' }, { actions: 'write', statuses: 'write' }, ['actions', 'statuses']],
    ['write-all', undefined, ['actions', 'checks', 'statuses']],
    // What a job says takes the place of what the workflow says.
    ['write-all', { contents: 'read' }, []],
    ['read-all', undefined, []],
    [undefined, undefined, []],
  ])('are those that the workflow asks for: %j, %j', async (all, own, wide) => {
    expect(await widePermissions(workflow(all, own), 'one')).toEqual(wide);
  });

  it('are unknown in a file that is no workflow', async () => {
    for (const text of ['', '[', 'jobs: 7', 'jobs: { one: [] }', 'a: &a [*a]'])
      expect(await widePermissions(text, 'one'), text).toEqual([]);
  });
});
