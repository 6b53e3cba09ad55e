import { describe, expect, it } from 'vitest';
import { agent, pipeline, Project } from './support.ts';

describe('what a new user does', () => {
  it('takes the work of a gate back twice: its files go both times', async () => {
    const one = { run: `echo 1 > one.txt; ${agent({})}`, files: ['one.txt'] };
    const project = new Project({ 'gateline.yml': pipeline({ one }) });
    for (const command of ['run', 'resume']) {
      await project.expect(command, 0);
      await project.expect('rollback --all', 0, 'Took back the work of one.\nremoved: one.txt\n');
      expect(project.read('one.txt')).toBeUndefined();
    }
  });

  it('is told the outcome of a decision and a command that works', async () => {
    const gates = { one: { approval: 'required' }, two: { run: 'exit 3', needs: 'one' } };
    const project = new Project({ 'gateline.yml': pipeline(gates) });
    await project.expect('run', 1, '`gateline approve one --reason WHY`');
    await project.expect('approve one --reason WHY', 0, 'one: passed: dev@example.com approved it: WHY\nNext: Run two');
    await project.expect('run', 1, 'Next: Fix two (see `gateline logs two`), then run again: `gateline run`');
    await project.expect('show one', 0, '  now: passed: dev@example.com approved it: WHY\n');
    await project.expect(
      'skip two -r later',
      0,
      'two: pending: dev@example.com skips it: later\nNext: Go on without two',
    );
    project.write('value.json', '{}');
    const supplied = 'Next: Go on with the output supplied for two: `gateline run`\n';
    await project.expect('adopt two -r x -o value.json', 0, supplied);
    await project.expect('reject one -r no', 0, 'Next: Run one again: its output was rejected: `gateline run`');
  });
});
