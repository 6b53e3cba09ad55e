import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { plainEnvironment } from '../support/command-line.ts';
import { filesBelow, ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, type Answer, gatelineIn as here } from './in-process.ts';

/** An agent that copies out everything it can see of its run: its request, its variables, and the state files. */
const LOOKS = [
  'mkdir -p "$OUT"',
  'cp "$GATELINE_REQUEST" "$OUT/request.json"',
  'env | grep ^GATELINE_ > "$OUT/variables.txt" || true',
  '[ ! -d .state ] || cp -r .state "$OUT/state"',
  `printf '%s' '{}' > "$GATELINE_OUTPUT"`,
].join('\n');

function definition(keys: object = {}): string {
  const look = { run: LOOKS, inputs: ['page.txt'], env: { OUT: null } };
  const gates = {
    first: { run: `printf '%s' '{}' > "$GATELINE_OUTPUT"`, inputs: [] },
    look: { ...look, needs: 'first' },
  };
  return JSON.stringify({ pipeline: 'p', defaults: { run: { shell: 'sh' } }, ...keys, gates }, null, 2);
}

/** What the agent of `look` saw, as one text with the names of the files. */
async function seen(keys: object, ...args: string[]): Promise<{ text: string; request: Record<string, unknown> }> {
  await using workspace = await ScratchWorkspace.create({ 'gateline.yml': definition(keys), 'page.txt': 'page\n' });
  await workspace.git('checkout', '-q', '-b', 'feature-x');
  const out = workspace.beside('seen');
  const { code, err } = await gateline(workspace.root, ['run', '-q', ...args], {
    environment: plainEnvironment(workspace.variables({ OUT: out })),
  });
  expect(code, err).toBe(0);
  const files = await filesBelow(out, []);
  const texts = files.map((file) => `${file}\n${readFileSync(`${out}/${file}`, 'utf8')}`);
  return { text: texts.join('\n'), request: JSON.parse(readFileSync(`${out}/request.json`, 'utf8')) as never };
}

describe('the subject that an agent sees', () => {
  it('is none if nobody gave one: not in its request, its variables, or its state files', async () => {
    const { text, request } = await seen({});
    expect(request).not.toHaveProperty('subject');
    expect(text).toContain('state/default-gate0-output.json');
    expect(text).toContain('GATELINE_REQUEST=');
    expect(text).not.toContain('feature-x');
  });

  it('is the one of the file', async () => {
    const { text, request } = await seen({ subject: 'story-7' });
    expect(request).toMatchObject({ subject: 'story-7' });
    expect(text).toContain('state/story-7-gate0-output.json');
  });

  it('is the one of the option', async () => {
    const { request } = await seen({ subject: 'story-7' }, '--subject', 'story-8');
    expect(request).toMatchObject({ subject: 'story-8' });
  });

  it('is none of another branch either, whose output a needed gate reuses', async () => {
    const files = { 'gateline.yml': definition(), 'page.txt': 'page\n' };
    await using workspace = await ScratchWorkspace.create(files);
    const out = workspace.beside('seen');
    const environment = plainEnvironment(workspace.variables({ OUT: out }));
    for (const branch of ['trunk-y', 'feature-x']) {
      await workspace.git('checkout', '-q', '-b', branch);
      await workspace.write('page.txt', branch);
      expect((await gateline(workspace.root, ['run', '-q'], { environment })).code).toBe(0);
    }
    const seenFiles = await filesBelow(`${out}/state`, []);
    const texts = seenFiles.map((file) => `${file}\n${readFileSync(`${out}/state/${file}`, 'utf8')}`).join('\n');
    expect(texts).toContain('reused from run 1');
    expect(texts).not.toMatch(/trunk-y|feature-x/);
  });

  it('is none if it is made of the metadata, which names the state files', async () => {
    const { text, request } = await seen({ metadata: { domain: 'demoqa_com', feature: 'login' } });
    expect(request).not.toHaveProperty('subject');
    expect(text).toContain('state/demoqa_com-login-gate0-output.json');
    expect(text).not.toContain('feature-x');
  });
});

describe('the default subject', () => {
  it.each([
    [{ domain: 'demoqa_com', feature: 'login' }, 'demoqa_com-login'],
    [{ domain: 'demoqa_com' }, 'main'],
    [{ domain: 'demoqa_com', feature: '' }, 'main'],
    [{ domain: 1, feature: 2 }, 'main'],
  ])('with the metadata %j is %s', async (metadata, subject) => {
    const files = { 'gateline.yml': definition({ metadata }), 'page.txt': '' };
    await using workspace = await ScratchWorkspace.create(files);
    const { out } = await here(workspace, 'plan', '--json');
    expect(JSON.parse(out)).toMatchObject({ subject });
  });
});

describe('a condition that reads `subject`', () => {
  const READS = [
    'gates:',
    '  make:',
    "    if: startsWith(subject, 'pr-')",
    '    run: echo made >> "$START_LOG"; echo 1 > "$GATELINE_OUTPUT"',
    '    inputs: []',
    '    output:',
    "      checks: subject != 'pr-0'",
    '',
  ].join('\n');

  it('asks for one before anything starts, with its place', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': READS });
    const validated = await here(workspace, 'validate');
    expect(validated.code).toBe(2);
    expect(validated.err).toContain('gateline.yml:3:20 SUBJECT_NOT_GIVEN if: reads `subject`, and no subject is set');
    expect(validated.err).toContain('gateline.yml:7:15 SUBJECT_NOT_GIVEN output.checks: reads `subject`');
    expect(validated.err).toContain('set `subject:` at the top of gateline.yml, pass `--subject`');
    for (const command of ['run', 'plan']) {
      const { code, err } = await here(workspace, command);
      expect(code).toBe(2);
      expect(err).toContain('gateline.yml:3:20 SUBJECT_NOT_GIVEN: if: reads `subject`, and no subject is set');
      expect(err).toContain('1 more');
    }
    expect((await here(workspace, 'begin', 'make')).err).toContain('SUBJECT_NOT_GIVEN');
    expect(await workspace.starts()).toEqual([]);
    expect((await here(workspace, 'status')).code).not.toBe(2);
  });

  it('is reported together with all other problems', async () => {
    const wrong = READS.replace('inputs: []', 'inputs: 7').replace("'pr-0'", "'pr-0' && )");
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': wrong });
    const codes = async (...args: string[]): Promise<unknown> => {
      const { out } = await here(workspace, 'validate', '--json', ...args);
      return (JSON.parse(out) as { problems: { code: string; place: { line: number } }[] }).problems.map(
        ({ code, place }) => `${place.line} ${code}`,
      );
    };
    const others = [expect.stringMatching(/^5 /), expect.stringMatching(/^7 /)];
    expect(await codes()).toEqual(['3 SUBJECT_NOT_GIVEN', ...others]);
    expect(await codes('--subject', 'pr-1')).toEqual(others);
    await workspace.write('gateline.yml', `subject: here\n${wrong}`);
    expect(await codes()).toHaveLength(2);
  });

  it('is content with an option, and with a subject in the file', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': READS });
    expect(await here(workspace, 'validate', '--subject', 'pr-1')).toMatchObject({ code: 0, err: '' });
    expect((await here(workspace, 'run', '-q', '--subject', 'pr-1')).code).toBe(0);
    expect((await here(workspace, 'run', '-q', '--subject', 'pr-0')).out).toContain("subject != 'pr-0'");
    await workspace.edit('gateline.yml', 'gates:', 'subject: pr-2\ngates:');
    expect(await here(workspace, 'validate')).toMatchObject({ code: 0, err: '' });
    expect((await here(workspace, 'run', '-q')).code).toBe(0);
  });
});

/** `first` reads a.txt, `second` needs it and reads b.txt; each says when it starts. */
const CHAIN = JSON.stringify({
  pipeline: 'p',
  defaults: { run: { shell: 'sh' } },
  gates: {
    first: { run: 'echo first 1 1 >> "$START_LOG"; echo "{\\"a\\": 1}" > "$GATELINE_OUTPUT"', inputs: 'a.txt' },
    second: {
      needs: 'first',
      run: 'echo second 1 1 >> "$START_LOG"; echo made > out.txt; echo 2 > "$GATELINE_OUTPUT"',
      inputs: 'b.txt',
      files: ['out.txt'],
    },
  },
});

async function chain(): Promise<ScratchWorkspace> {
  const files = { 'gateline.yml': CHAIN, 'a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': '.state/\n' };
  const workspace = await ScratchWorkspace.create(files);
  expect(await here(workspace, 'run', '-q')).toMatchObject({ code: 0, err: '' });
  expect(await workspace.startedGates()).toEqual(['first', 'second']);
  await workspace.forgetStarts();
  await workspace.git('checkout', '-q', '-b', 'feature');
  return workspace;
}

/** The reason of each gate in the plan. */
async function reasons(workspace: ScratchWorkspace, ...args: string[]): Promise<Record<string, string>> {
  const { out, err } = await here(workspace, 'plan', '--json', ...args);
  const plan = JSON.parse(out) as { gates?: { gate: string; choice: string; reason: string }[] };
  expect(plan.gates, err).toBeDefined();
  return Object.fromEntries(plan.gates!.map(({ gate, choice, reason }) => [gate, `${choice}: ${reason}`]));
}

describe('outputs of another branch', () => {
  it('are reused: no agent starts, and each output and file is there', async () => {
    await using workspace = await chain();
    expect(await reasons(workspace)).toEqual({
      first: 'reuse: inputs unchanged; reused from run 1 of main',
      second: 'reuse: inputs unchanged; reused from run 1 of main',
    });
    expect((await here(workspace, 'run', '-q')).code).toBe(0);
    expect(await workspace.starts()).toEqual([]);
    const status = JSON.parse((await here(workspace, 'status', '--json')).out) as { gates: object[] };
    expect(status).toMatchObject({
      subject: 'feature',
      status: 'completed',
      gates: [
        { reason: 'reused from run 1 of main', source: { run: 1, call: 1, attempt: 1, subject: 'main' } },
        { files: [{ path: 'out.txt' }] },
      ],
    });
    expect((await here(workspace, 'apply')).code).toBe(0);
    expect(await workspace.read('out.txt')).toBe('made\n');
    const ended = (await workspace.records()).filter(({ subject }) => subject === 'feature');
    expect(ended).toMatchObject([
      { kind: 'ended', how: 'reused', source: { runNumber: 1, subject: 'main', at: expect.any(String) } },
      { kind: 'ended', how: 'reused' },
    ]);
    expect((await here(workspace, 'show', 'first')).out).toContain('output reused from run 1 of main');
    expect(await reasons(workspace)).toMatchObject({ first: 'reuse: inputs unchanged; reused from run 1 of main' });
  });

  it('are not reused with another input, and then only what depends on it runs', async () => {
    await using workspace = await chain();
    await workspace.write('b.txt', 'other\n');
    expect(await reasons(workspace)).toMatchObject({
      first: 'reuse: inputs unchanged; reused from run 1 of main',
      second: 'run: it has not run for this subject',
    });
    expect((await here(workspace, 'run', '-q')).code).toBe(0);
    expect(await workspace.startedGates()).toEqual(['second']);
    await workspace.git('checkout', '-q', 'main');
    expect(await reasons(workspace)).toMatchObject({
      second: 'reuse: inputs unchanged; reused from run 1 of feature',
    });
  });

  it('are not reused if a subject is given, which is part of the request', async () => {
    await using workspace = await chain();
    expect((await here(workspace, 'run', '-q', '--subject', 'story')).code).toBe(0);
    expect(await workspace.startedGates()).toEqual(['first', 'second']);
  });

  it('are not reused once they were rejected there, even if they were reused before', async () => {
    await using workspace = await chain();
    expect((await here(workspace, 'run', '-q')).code).toBe(0);
    await here(workspace, 'decide', 'reject', 'first', '--subject', 'main', '--reason', 'wrong', '--actor', 'maria');
    // A subject that is named is a given one: the decision is about main's run all the same.
    expect(await reasons(workspace)).toMatchObject({
      first: 'run: attempt 1 (run 1 of main) was rejected by maria: wrong',
    });
    expect((await here(workspace, 'run', '-q')).code).toBe(0);
    expect(await workspace.startedGates()).toEqual(['first']);
  });

  it('do not stand in for an attempt that was asked for here', async () => {
    await using workspace = await chain();
    const forced = ['run', '-q', '--force', 'first', '--reason', 'again'];
    expect((await here(workspace, ...forced)).code).toBe(0);
    expect(await workspace.startedGates()).toEqual(['first']);
  });

  it('are not reused where a gate reuses nothing', async () => {
    await using workspace = await chain();
    await workspace.edit('gateline.yml', '"inputs":"a.txt"', '"inputs":"a.txt","reuse":"never"');
    expect((await here(workspace, 'run', '-q')).code).toBe(0);
    expect(await workspace.startedGates()).toEqual(['first']);
  });
});

describe('work that was sent back on another branch', () => {
  it('is reused as its loop ended: the last iteration, and no agent starts', async () => {
    const make = [
      'echo make 1 1 >> "$START_LOG"',
      `grep -q '"rework":' "$GATELINE_REQUEST" && v=2 || v=1`,
      'echo "$v" > made.txt',
      'echo "$v" > "$GATELINE_OUTPUT"',
    ].join('; ');
    const review = 'echo review 1 1 >> "$START_LOG"; echo "{\\"v\\": $(cat made.txt)}" > "$GATELINE_OUTPUT"';
    const gates = {
      make: { run: make, inputs: ['a.txt'], files: ['made.txt'] },
      review: {
        needs: 'make',
        run: review,
        inputs: [],
        output: { checks: 'output.v == 2' },
        'on-fail': { goto: 'make', 'max-iterations': 2 },
      },
    };
    const text = JSON.stringify({ pipeline: 'p', defaults: { run: { shell: 'sh' } }, gates });
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': text, 'a.txt': 'a\n' });
    const first = await here(workspace, 'run', '-q');
    expect(first.code, first.err + first.out).toBe(0);
    expect(await workspace.startedGates()).toEqual(['make', 'make', 'review', 'review']);
    await workspace.forgetStarts();
    await workspace.git('checkout', '-q', '-b', 'feature');
    expect((await here(workspace, 'run', '-q')).code).toBe(0);
    expect(await workspace.starts()).toEqual([]);
    expect((await here(workspace, 'apply')).code).toBe(0);
    expect(await workspace.read('made.txt')).toBe('2\n');
  });
});

describe('a decision about a run of another subject', () => {
  it('names the run as every command does: SUBJECT#NUMBER', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': definition(), 'page.txt': 'page\n' });
    const run = (...args: string[]): Promise<Answer> =>
      gateline(workspace.root, args, {
        environment: plainEnvironment(workspace.variables({ OUT: workspace.beside('seen') })),
      });
    await run('run', '-q', '--subject', 'story-9');
    const by = ['--actor', 'ann', '--reason', 'a release'];
    const pinned = await run('pin', '--run', 'story-9#1', ...by);
    expect([pinned.code, pinned.err]).toEqual([0, '']);
    expect(pinned.out).toMatch(/^Its snapshots are kept: pinned by \S+: .+\.$/m);
    const { out } = await run('status', '--run', 'story-9#1', '--json');
    expect(JSON.parse(out)).toMatchObject({ decisions: { pinned: { actor: 'ann', reason: 'a release' } } });
    const wrong = await run('pin', '--run', 'story-9#x', ...by);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('--run story-9#x: expected a run number')]);
  });
});
