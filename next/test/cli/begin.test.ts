import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { agent, pipeline, Project, type RunView } from './support.ts';

/** `design` runs by a command, `code` works by itself and changes files, `test` runs after it. */
const DEFINITION = pipeline({
  design: { run: agent({ steps: 2 }), inputs: ['spec.md'] },
  code: { needs: 'design', inputs: ['spec.md'], files: ['out.txt'], output: { score: '/score' } },
  test: { needs: 'code', run: agent(), inputs: [] },
});
const create = () => new Project({ 'spec.md': 'A', 'gateline.yml': DEFINITION });

interface Begun {
  readonly token: string;
  readonly reason: string;
  readonly choice: string;
  readonly env: Record<string, string>;
}

/** What the shell makes of the lines that `begin` prints. */
async function evaluate(project: Project, ...words: string[]): Promise<Record<string, string>> {
  const { exit, out } = await project.gateline('begin', ...words);
  expect(exit).toBe(0);
  return Object.fromEntries(
    out
      .trim()
      .split('\n')
      .map(
        (line) =>
          /^export (\w+)=(.*)$/
            .exec(line)!
            .slice(1)
            .map((word) => word.replace(/^'(.*)'$/, '$1')) as [string, string],
      ),
  );
}

describe('an agent that works by itself', () => {
  it('begins, completes, and hands its work on', async () => {
    const project = create();
    const early = await project.gateline('begin', 'code');
    expect(early).toMatchObject({
      exit: 1,
      out: '',
      err: expect.stringContaining('design must be done before code: it has no output yet') as string,
    });
    const { exit, out } = await project.gateline('run');
    expect({ exit, ran: project.ran() }).toEqual({ exit: 1, ran: 'design' });
    expect(out).toContain('Next: Begin the work of code: `gateline begin code`');

    const { GATELINE_TOKEN, GATELINE_OUTPUT, GATELINE_REQUEST } = await evaluate(project, 'code');
    expect(JSON.parse(project.read(`../../../${GATELINE_REQUEST}`)!)).toMatchObject({
      needs: { design: { output: { steps: 2 } } },
    });
    expect(await project.gateline('status')).toMatchObject({
      out: expect.stringContaining('`gateline complete`') as string,
    });
    const busy = await project.gateline('run');
    expect(busy).toMatchObject({
      exit: 75,
      err: expect.stringMatching(
        /an agent works on code since .*, between begin and complete\nhint  .*gateline close/,
      ) as string,
    });
    project.write('out.txt', 'made');
    writeFileSync(GATELINE_OUTPUT!, '{"score": 92}');
    const completed = await project.gateline('complete', GATELINE_TOKEN!);
    expect(completed).toMatchObject({ exit: 0, out: expect.stringMatching(/^code, attempt 1: passed\n/) as string });
    expect(await project.unit('code')).toMatchObject({ how: 'ran', files: ['out.txt'] });
    expect(await project.gateline('complete', GATELINE_TOKEN!)).toMatchObject({
      exit: 2,
      err: expect.stringContaining('the attempt of code is not open') as string,
    });
    expect(await evaluate(project, 'code')).toEqual({
      GATELINE_DONE: expect.stringContaining('nothing that it reads has changed') as string,
    });
    expect(await project.run()).toBe('0: test');
    project.write('spec.md', 'B');
    expect(await project.run()).toBe('1: design');
  });

  it('fails with its own error text, an exit code, or without an output', async () => {
    const project = create();
    await project.gateline('run');
    const begun = await project.json<Begun>('begin', 'code');
    writeFileSync(
      begun.env['GATELINE_OUTPUT']!,
      '{"type": "result", "is_error": true, "result": "Credit balance is too low"}',
    );
    project.environment['GATELINE_TOKEN'] = begun.token;
    const failed = await project.gateline('complete', '--exit-code', '1');
    expect(failed).toMatchObject({ exit: 1, out: expect.stringContaining('agent-error') as string });
    expect((await project.unit('code')).verdict!.issues.map(({ message }) => message)).toEqual([
      'Credit balance is too low',
      'the agent ended with exit code 1',
    ]);
    project.environment['GATELINE_TOKEN'] = (await project.json<Begun>('begin', 'code')).token;
    expect(await project.gateline('complete')).toMatchObject({
      exit: 1,
      out: expect.stringContaining('the agent wrote no output') as string,
    });
    delete project.environment['GATELINE_TOKEN'];
    expect(await project.gateline('complete')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('there is no token') as string,
    });
    expect(await project.gateline('complete', 'abc')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('not a token') as string,
    });
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
    expect(await project.gateline(...line.split(' '))).toMatchObject({ exit: 0 });
    expect(await project.gateline('complete', token)).toMatchObject({ exit: 2 });
    const { units } = await project.json<RunView>('status');
    expect(units[1]).toMatchObject({ key: 'code', status });
    // What it left is its own: not an edit of the user.
    expect(units[1]!.attempts[0]).toMatchObject({ how: 'lost' });
    expect(project.read('out.txt')).toBe('half');
  });
});

describe('--isolated', () => {
  const definition = (more: object = {}) =>
    pipeline(
      {
        make: {
          run: `cat spec.md packages.txt > out.txt; pwd >> "$HOME/places"; ${agent()}`,
          files: ['out.txt', 'gone.txt'],
        },
      },
      { setup: 'echo set up > packages.txt', ignore: ['packages.txt'], ...more },
    );

  it('works in a clone at one path, which `setup` prepares, and `apply` brings its files back', async () => {
    const project = new Project({ 'spec.md': 'A\n', 'gateline.yml': definition() });
    expect(await project.gateline('apply')).toMatchObject({
      exit: 2,
      err: 'error main has no isolated run to apply\nhint  `gateline run --isolated` makes one\n',
    });
    project.write('spec.md', 'uncommitted\n');
    expect(await project.run('--isolated')).toBe('0: make');
    expect(project.read('out.txt')).toBeUndefined();
    expect(await project.gateline('apply', '--dry-run')).toMatchObject({ exit: 0, out: 'would write: out.txt\n' });
    expect(project.read('out.txt')).toBeUndefined();
    expect(await project.gateline('apply')).toMatchObject({ exit: 0, out: 'wrote: out.txt\n' });
    expect(project.read('out.txt')).toBe('uncommitted\nset up\n');
    expect(await project.gateline('apply')).toMatchObject({ out: 'Nothing to apply.\n' });
    expect(await project.run()).toBe('0: ');

    project.write('spec.md', 'B\n');
    expect(await project.run('--isolated')).toBe('0: make');
    project.write('out.txt', 'mine');
    expect(await project.gateline('apply')).toMatchObject({ exit: 1, out: 'your version stays: out.txt\n' });
    expect(project.read('out.txt')).toBe('mine');
    expect(new Set(project.read('../places')!.trim().split('\n')).size).toBe(1);
  });

  it('fails if `setup` does, and makes the clone again', async () => {
    const project = new Project({
      'spec.md': 'A\n',
      'gateline.yml': definition({ setup: 'echo no network >&2; exit 1' }),
    });
    const { exit, err } = await project.gateline('run', '--isolated');
    expect({ exit, err }).toEqual({
      exit: 1,
      err: 'error `setup` failed in the clone: no network\nhint  Correct the command; the clone is made again.\n',
    });
    project.write('gateline.yml', definition());
    expect(await project.run('--isolated')).toBe('0: make');
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
    const project = new Project({
      'spec.md': 'A',
      'gateline.yml': pipeline(gates, { snapshots: { database: DATABASE } }),
    });
    project.write('../db', 'zero\n');
    return project;
  };

  it('takes back the files and the database of later gates, and pauses the run', async () => {
    const project = migrate();
    expect(await project.run()).toBe('0: one two three');
    project.write('three.txt', 'mine');
    const log = project.read('.state/log.jsonl');
    const dry = await project.gateline('rollback', '--to', 'one', '-n');
    expect(dry.out).toBe(
      'Would take back the work of two, three.\nwould restore: two.txt\nyour version stays: three.txt\nThe database would be restored.\n',
    );
    expect([project.read('../db'), project.read('two.txt')]).toEqual(['zero\none\ntwo\nthree\n', 'two\n']);
    expect(project.read('.state/log.jsonl')).toBe(log);
    const { exit, out } = await project.gateline('rollback', '--to', 'one', '-r', 'wrong way');
    expect({ exit, out }).toEqual({
      exit: 0,
      out: 'Took back the work of two, three.\nrestored: two.txt\nyour version stays: three.txt\nThe database was restored.\nThe run is paused: `gateline resume` continues it.\n',
    });
    expect([project.read('../db'), project.read('one.txt'), project.read('two.txt')]).toEqual([
      'zero\none\n',
      'one\n',
      undefined,
    ]);
    expect(await project.json('status')).toMatchObject({ status: 'rollback' });
    project.ran();
    expect(await project.run()).toBe('1: ');
    expect((await project.gateline('resume')).exit).toBe(0);
    expect(project.ran()).toBe('two three');
    expect(project.read('../db')).toBe('zero\none\ntwo\nthree\n');
  });

  it('--all restores what the first gate found, also after a gate that failed', async () => {
    const project = migrate();
    project.edit('gateline.yml', 'echo three > three.txt;', 'exit 3;');
    expect(await project.run()).toBe('1: one two');
    expect(project.read('../db')).toBe('zero\none\ntwo\nthree\n');
    const { out } = await project.gateline('rollback', '--all');
    expect(out).toMatch(
      /^Took back the work of one, two, three\.\nrestored: one\.txt\nrestored: two\.txt\nThe database was restored\./,
    );
    expect([project.read('../db'), project.read('one.txt')]).toEqual(['zero\n', undefined]);
    expect(await project.gateline('rollback', '--to', 'three')).toMatchObject({ out: 'No gate worked after that.\n' });
  });

  it('says what to do if the database cannot be saved', async () => {
    const project = migrate();
    project.edit('gateline.yml', 'cp \\"$HOME/db\\" \\"$GATELINE_DATABASE\\"', 'echo locked >&2; exit 1');
    const { exit, err } = await project.gateline('run');
    expect({ exit, ran: project.ran() }).toEqual({ exit: 1, ran: '' });
    expect(err).toContain(
      'error the database could not be saved: locked\nhint  Correct `snapshots.database.save`, and run again. The command gets the file in GATELINE_DATABASE.\n',
    );
  });
});
