import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agent, pipeline, Project, type Begun, type RunView } from './support.ts';

/** `design` runs by a command, `code` works by itself and changes files, `test` runs after it. */
const DEFINITION = pipeline({
  design: { run: agent({ steps: 2 }), inputs: ['spec.md'] },
  code: { needs: 'design', run: undefined, inputs: ['spec.md'], files: ['out.txt'], output: { score: '/score' } },
  test: { needs: 'code' },
});
const create = () => new Project({ 'spec.md': 'A', 'gateline.yml': DEFINITION });

/** The variables that a shell has after it evaluated what `begin` prints. */
async function evaluate(project: Project, unit: string): Promise<Record<string, string>> {
  const { out } = await project.gateline('begin', unit);
  const lines = execFileSync('sh', ['-c', `${out}\nenv | grep ^GATELINE_`], { encoding: 'utf8', env: {} }).trim();
  return Object.fromEntries(lines.split('\n').map((line) => line.split(/=(.*)/) as [string, string]));
}

describe('an agent that works by itself', () => {
  it('is judged by the contract that it began with, whatever it makes of the definition', async () => {
    const project = create();
    await project.run();
    const { env } = await project.json<Begun>('begin', 'code');
    writeFileSync(env['GATELINE_OUTPUT']!, '{"score": 40}');
    project.write('gateline.yml', DEFINITION.replace('"score": "/score"', '"score": "/score", "threshold": 30'));
    await project.expect('complete code', 1, 'the score is 40, below the threshold of 80');
  });

  it('does not begin once the run has cost as much as `max-cost`', async () => {
    const metrics = `echo '{"costUsd": 2}' > $GATELINE_METRICS; ${agent()}`;
    const gates = { one: { run: metrics }, two: { needs: 'one', run: undefined } };
    const project = new Project({ 'gateline.yml': pipeline(gates, { 'max-cost': 1 }) });
    const reason = 'the run has cost $2.00, and `max-cost` is $1';
    await project.expect('run', 1, `note: two does not start: ${reason}`);
    await project.expect('begin two', 1, `error: two does not begin: ${reason}\nhint: raise it`);
    await project.expect('plan', 0, reason);
    await project.expect('status', 0, reason, 'Next: Raise `max-cost` and run again');
    project.edit('gateline.yml', '"max-cost": 1', '"max-cost": 5');
    await project.expect('begin two', 0, 'GATELINE_TOKEN');
  });

  it('begins, completes, and hands its work on', async () => {
    const project = create();
    await project.expect('begin code', 1, /^error: design must be done before code: it has no output yet\n/);
    await project.expect('run', 1, 'Next: Begin the work of code: `gateline begin code`');
    expect(project.ran()).toBe('design');
    const { GATELINE_TOKEN, GATELINE_OUTPUT, GATELINE_REQUEST } = await evaluate(project, 'code');
    expect(project.readJson(GATELINE_REQUEST!)).toMatchObject({
      needs: { design: { output: { steps: 2 } } },
    });
    await project.expect(
      'status',
      0,
      `When the output of code is in ${relative(project.root, GATELINE_OUTPUT!)}, end its attempt: \`gateline complete code\``,
    );
    await project.expect(
      'run',
      75,
      /an agent works on code since .*, between begin and complete\nhint: .*gateline reject code -r WHY/,
    );
    project.write('out.txt', 'made');
    writeFileSync(GATELINE_OUTPUT!, '{"score": 92}');
    await project.expect(
      ['complete', GATELINE_TOKEN!],
      0,
      /^code, attempt 1: passed\n[^]*\nNext: Run test: `gateline run`\n$/,
    );
    expect(await project.unit('code')).toMatchObject({ how: 'ran', files: ['out.txt'] });
    await project.expect(['complete', GATELINE_TOKEN!], 2, 'the attempt of code is not open');
    expect(await evaluate(project, 'code')).toEqual({
      GATELINE_DONE: 'nothing that it reads has changed since attempt 1',
    });
    expect(await project.run()).toBe('0: test');
    project.write('spec.md', 'B');
    expect(await project.run()).toBe('1: design');
  });

  it('completes the run with the last gate', async () => {
    const project = new Project({ 'gateline.yml': pipeline({ one: {}, two: { needs: 'one', run: undefined } }) });
    await project.run();
    const { env } = await project.json<Begun>('begin', 'two');
    writeFileSync(env['GATELINE_OUTPUT']!, '{}');
    await project.expect('complete two', 0, 'Next: All gates are done\n');
    await project.expect('status', 0, 'Run 1 of p for main: completed, 2 of 2 gates done');
    await project.expect('run', 0, 'Everything is done');
  });

  it('answers what it was given when it began, whatever was decided about that since', async () => {
    const project = create();
    project.edit('gateline.yml', '"spec.md"\n   ],\n   "needs"', '"*.txt"\n   ],\n   "needs"');
    await project.gateline('run');
    project.ran();
    const { token, env } = await project.json<Begun>('begin', 'code');
    await project.gateline('reject', 'design', '-r', 'x');
    project.write('out.txt', 'made');
    writeFileSync(env['GATELINE_OUTPUT']!, '{"score": 92}');
    await project.expect(['complete', token], 0);
    expect(await project.run()).toBe('0: design test');
  });

  it('reads the files that its needs handed on when it began', async () => {
    const design = { run: `echo plan > doc.md; ${agent()}`, inputs: ['spec.md'], files: ['doc.md'] };
    const code = { needs: 'design', run: undefined, inputs: ['*.txt'], files: ['out.txt'] };
    const project = new Project({ 'spec.md': 'A', 'a.txt': 'A', 'gateline.yml': pipeline({ design, code }) });
    const work = async (path: string, text: string) => {
      await project.gateline('run');
      const { env } = await project.json<Begun>('begin', 'code');
      project.write(path, text);
      writeFileSync(env['GATELINE_OUTPUT']!, '{}');
      await project.expect('complete code', 0);
    };
    // Its own change of what it reads outdates nothing, and what others change meanwhile, its output.
    await work('out.txt', 'made');
    expect(await project.choices()).toBe('design use, code use');
    project.write('a.txt', 'B');
    await work('doc.md', 'disturbed');
    project.write('doc.md', 'plan\n');
    expect(await project.choices()).toBe('design use, code run');
  });

  it('is asked for first, if no command can begin', async () => {
    const project = new Project({ 'gateline.yml': pipeline({ one: { run: undefined } }) });
    await project.expect(
      'run',
      1,
      'one does not start: its agent works by itself',
      'Next: Begin the work of one: `gateline begin one`',
    );
  });

  it('fails with its own error text, an exit code, or without an output', async () => {
    const project = create();
    await project.gateline('run');
    const begun = await project.json<Begun>('begin', 'code');
    writeFileSync(begun.env['GATELINE_OUTPUT']!, '{"is_error": true, "result": "Credit balance is too low"}');
    project.environment['GATELINE_TOKEN'] = begun.token;
    const issues = /agent-error[^]*- error: Credit balance is too low\n  - error: the agent ended with exit code 1\n/;
    await project.expect('complete --exit-code 1', 1, issues);
    await project.gateline('begin', 'code');
    // In another terminal there is no token.
    delete project.environment['GATELINE_TOKEN'];
    await project.expect('complete code', 1, 'the agent wrote no output');
    await project.expect('complete code', 2, 'the attempt of code is not open');
    await project.expect('complete', 2, 'there is no token');
    await project.expect('complete abc', 2, 'not a token');
  });

  it.each([
    ['begin code', 'running'],
    ['reject code -r x', 'lost'],
    ['close -r x', 'lost'],
  ])('may be given up: %s', async (line, status) => {
    const project = create();
    await project.gateline('run');
    const { token } = await project.json<Begun>('begin', 'code');
    project.write('out.txt', 'half');
    await project.expect(line, 0);
    await project.expect(['complete', token], 2);
    const { units } = await project.json<RunView>('status');
    expect(units[1]).toMatchObject({ key: 'code', status });
    // What it left is its own: not an edit of the user.
    const why = line.includes('-r x') ? { actor: expect.any(String) as string, reason: 'x' } : {};
    expect(units[1]!.attempts[0]).toMatchObject({ how: 'lost', ...why });
    expect(project.read('out.txt')).toBe('half');
  });
});

describe('--isolated', () => {
  const run = `cat spec.md packages.txt > out.txt; pwd >> "$HOME/places"; ${agent()}`;
  const make = { run, inputs: undefined, files: ['out.txt'] };
  const definition = (more: object = {}) =>
    pipeline({ make }, { setup: 'echo set up > packages.txt', ignore: ['packages.txt'], ...more });

  it('works in a clone at one path, which `setup` prepares, and `apply` brings its files back', async () => {
    const project = new Project({ 'spec.md': 'A\n', 'gateline.yml': definition() });
    await project.expect('apply', 2, 'main has no isolated run to apply\nhint: `gateline run --isolated` makes one');
    project.write('spec.md', 'uncommitted\n');
    expect(await project.run('--isolated')).toBe('0: make');
    await project.expect(
      'run --isolated',
      0,
      'Next: Bring the files of the gates into this folder: `gateline apply`\n',
    );
    expect(project.read('out.txt')).toBeUndefined();
    const isolated = 'Isolated: its files are in .state/clones/p/main until `gateline apply` brings them here';
    await project.expect('status', 0, isolated, 'into this folder: `gateline apply`\n');
    await project.expect('apply --dry-run', 0, 'would write: out.txt\n');
    expect(project.read('out.txt')).toBeUndefined();
    await project.expect('apply', 0, 'wrote: out.txt\n');
    expect(project.read('out.txt')).toBe('uncommitted\nset up\n');
    await project.expect('apply', 0, 'Nothing to apply.\n');
    await project.expect('status', 0, /^(?![^]*Isolated)[^]*Next: All gates are done\n$/);
    expect(await project.run()).toBe('0: ');

    project.write('spec.md', 'B\n');
    expect(await project.run('--isolated')).toBe('0: make');
    project.write('out.txt', 'mine');
    await project.expect('apply', 1, 'your version stays: out.txt\n');
    expect(project.read('out.txt')).toBe('mine');
    expect(new Set(project.read('../places')!.trim().split('\n')).size).toBe(1);
  });

  it('says that a loop may run again, unless what it made was applied', async () => {
    const code = { run: `echo more >> code.txt; ${agent()}`, inputs: undefined, files: ['code.txt'] };
    const score = `agent "{\\"score\\": $(($(wc -l < code.txt) * 50))}"`;
    const review = { needs: 'code', run: score, inputs: ['code.txt'], output: { score: '/score' } };
    const loop = { code, review: { ...review, 'on-fail': { goto: 'code', 'max-iterations': 3 } } };
    const project = new Project({ 'gateline.yml': pipeline(loop) });
    expect(await project.run('--isolated')).toBe('0: code review code review');
    const note = 'note: the last isolated run was not applied: gates begin with the files of this folder';
    expect((await project.gateline('run', '--isolated')).err).toContain(note);
    await project.gateline('apply');
    project.ran();
    const { err } = await project.gateline('run', '--isolated');
    expect([project.ran(), err.includes(note)]).toEqual(['', false]);
  });

  it('fails if `setup` does, and makes the clone again', async () => {
    const failing = definition({ setup: 'echo no network >&2; exit 1' });
    const project = new Project({ 'spec.md': 'A\n', 'gateline.yml': failing });
    await project.expect(
      'run --isolated',
      1,
      'error: `setup` failed in the clone: no network\nhint: Correct the command',
    );
    project.write('gateline.yml', definition());
    expect(await project.run('--isolated')).toBe('0: make');
    project.edit('gateline.yml', agent(), 'exit 3');
    await project.expect('run --isolated', 1, 'See it with `gateline diff`.\n', 'run again: `gateline run --isolated`');
    await project.expect('status', 0, 'Isolated: ', '`gateline run --isolated`\n');
    await project.expect('apply --dry-run', 0, 'would write: out.txt\nnote: make failed: it changed out.txt\n');
  });
});

describe('rollback', () => {
  const DATABASE = { save: 'cp "$HOME/db" "$GATELINE_DATABASE"', restore: 'cp "$GATELINE_DATABASE" "$HOME/db"' };
  const gate = (name: string, needs: string[]) => ({
    needs,
    run: `echo ${name} >> "$HOME/db"; echo ${name} > ${name}.txt; ${agent()}`,
    inputs: ['spec.md'],
    files: [`${name}.txt`],
  });
  const migrate = () => {
    const gates = { one: gate('one', []), two: gate('two', ['one']), three: gate('three', ['two']) };
    const definition = pipeline(gates, { snapshots: { database: DATABASE } });
    const project = new Project({ 'spec.md': 'A', 'gateline.yml': definition });
    project.write('../db', 'zero\n');
    return project;
  };

  it('takes back the files and the database of later gates, and pauses the run', async () => {
    const project = migrate();
    expect(await project.run()).toBe('0: one two three');
    project.write('three.txt', 'mine');
    const log = project.read('.state/log.jsonl');
    const files = 'two.txt\nyour version stays: three.txt\nThe database';
    const work = 'the work of two, three.';
    await project.expect(
      'rollback --to one -n',
      0,
      `Would take back ${work}\nwould remove: ${files} would be restored.\n`,
    );
    expect([project.read('../db'), project.read('two.txt')]).toEqual(['zero\none\ntwo\nthree\n', 'two\n']);
    expect(project.read('.state/log.jsonl')).toBe(log);
    const done = `Took back ${work}\nremoved: ${files} was restored.\nThe run is paused: \`gateline resume\` continues it.\n`;
    await project.expect('rollback --to one -r wrong', 0, done);
    expect(['../db', 'one.txt', 'two.txt'].map((path) => project.read(path))).toEqual([
      'zero\none\n',
      'one\n',
      undefined,
    ]);
    await project.expect('status', 0, ': rollback, 1 of 3 gates done', 'Rolled back by dev@example.com: wrong');
    project.ran();
    expect(await project.run()).toBe('1: ');
    await project.expect('resume', 0);
    expect(project.ran()).toBe('two three');
    expect(project.read('../db')).toBe('zero\none\ntwo\nthree\n');
  });

  it('--all restores what the first gate found, also after a gate that failed', async () => {
    const project = migrate();
    project.edit('gateline.yml', 'echo three > three.txt;', 'exit 3;');
    expect(await project.run()).toBe('1: one two');
    expect(project.read('../db')).toBe('zero\none\ntwo\nthree\n');
    const all =
      'Took back the work of one, two, three.\nremoved: one.txt\nremoved: two.txt\nThe database was restored.';
    await project.expect('rollback --all', 0, all);
    expect([project.read('../db'), project.read('one.txt')]).toEqual(['zero\n', undefined]);
    await project.expect('rollback --to three', 0, 'No gate of run 1 has worked after three: nothing to take back.\n');
  });

  it('says what to do if the database cannot be saved', async () => {
    const project = migrate();
    project.edit('gateline.yml', 'cp \\"$HOME/db\\" \\"$GATELINE_DATABASE\\"', 'echo locked >&2; exit 1');
    const hint = 'Correct `snapshots.database.save`, and run again. The command gets the file in GATELINE_DATABASE.';
    await project.expect('run', 1, `error: the database could not be saved: locked\nhint: ${hint}\n`);
    expect(project.ran()).toBe('');
  });
});
