import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agent, pipeline, Project } from './support.ts';

const one = (gate: object, more: object = {}) => new Project({ 'gateline.yml': pipeline({ one: { ...gate } }, more) });
/** An agent that writes a text instead of JSON: the text is a file outside of the folder. */
const say = (project: Project, text: string) => writeFileSync(join(project.outside, 'say'), text);
const SAY = 'echo one >> "$RUNS"; cp "$HOME/say" "$GATELINE_OUTPUT"';

describe('secrets', () => {
  it('under 8 characters are redacted only in printed text, as whole words', async () => {
    const output = { score: 100, devices: ['dev', 'a device'], note: 'stage dev, 100 %' };
    const project = one({
      run: `echo "developers on dev: 100"; ${agent(output)}`,
      secrets: ['STAGE', 'LIMIT'],
      output: { score: '/score' },
    });
    Object.assign(project.environment, { STAGE: 'dev', LIMIT: '100' });
    const { exit, err } = await project.gateline('run', '--verbose');
    expect(exit).toBe(0);
    expect(await project.json('show', 'one', 'output')).toEqual(output);
    expect(err).toContain('one | developers on ***: ***\n');
    expect(err).toContain('one: passed: score 100');
    expect(err).toContain('note: a value under 8 characters is too short to be redacted in outputs: STAGE, LIMIT\n');
    expect((await project.gateline('logs', 'one')).out).toBe('developers on ***: ***\n');
  });

  it('and variables of the caller that are not set are named before an agent costs something', async () => {
    const project = one({ secrets: ['KEY'], env: { REGION: null, EMPTY: null }, strategy: { matrix: { n: [1, 2] } } });
    Object.assign(project.environment, { KEY: '', EMPTY: '' });
    const notes =
      'note: secret KEY is not set: gates that name it run without it, and nothing is redacted for it (set it, or remove it from `secrets`)\n' +
      'note: variable REGION is not set, and `env` takes it from the caller\n';
    expect((await project.gateline('plan')).err).toBe(notes);
    const { err } = await project.gateline('run');
    expect(err.match(/^note: .*\n/gm)!.join('')).toBe(notes);
    expect((await project.gateline('plan')).err).toBe('');
  });

  it('are redacted in outputs, logs and state, and named', async () => {
    const project = one({
      run: `echo "with $TOKEN_VALUE"; agent "{\\"key\\": \\"$TOKEN_VALUE\\"}"; echo '{"model": "m"}' > "$GATELINE_METRICS"`,
      secrets: 'TOKEN_VALUE',
    });
    project.environment['TOKEN_VALUE'] = 'xK9-very-long-secret';
    expect(await project.run('--verbose')).toBe('0: one');
    expect(await project.json('show', 'one', 'output')).toEqual({ key: '***' });
    expect((await project.gateline('logs', 'one')).out).toBe('with ***\n');
    const words = ['-s', '-t'].flatMap((option) => [option, 'on xK9-very-long-secret']);
    const named = await project.gateline('run', ...words, '-m', 'key=xK9-very-long-secret', '--verbose', '--isolated');
    expect(named.out + named.err).toContain('Run 1 of p for on ***: completed');
    expect(named.out + named.err).not.toContain('xK9');
    expect(named.err).not.toContain('note: ');
    const { out: history } = await project.gateline('history', '-s', words[1]!);
    expect(history).toContain(' on *** ');
    expect(() => execFileSync('grep', ['-rl', 'xK9-very-long-secret', '.state'], { cwd: project.root })).toThrow();
    const { out } = await project.gateline('show', 'one');
    expect(out).toContain('TOKEN_VALUE');
  });

  it('in the name of a file are in no line of the log, and not shown', async () => {
    const secret = 'xK9-very-long-secret';
    const run = `echo a > "$KEY.txt"; ${agent()}`;
    const project = one({ run, inputs: ['cache/**'], files: ['*.txt'], secrets: 'KEY' });
    project.environment['KEY'] = secret;
    project.write('.gitignore', 'cache\n');
    project.write(`cache/${secret}.bin`, 'a');
    const shown = ['run --isolated', 'apply --dry-run', 'apply', 'run', 'status', 'show one', 'rollback --all -n'];
    const answers: string[] = [];
    for (const line of shown) {
      const { out, err } = await project.gateline(...line.split(' '));
      answers.push(out + err);
    }
    expect(answers.join('')).not.toContain('xK9');
    expect(answers[0]).toContain('one: failed: files: the name of ***.txt holds a secret');
    expect(answers[1]).toContain('would write: ***.txt');
    project.ran();
    project.edit('gateline.yml', run.slice(0, run.indexOf(';')).replaceAll('"', '\\"'), ':');
    expect(await project.run()).toBe('0: one');
    expect(await project.run()).toBe('0: ');
    project.write(`cache/${secret}.bin`, 'b');
    expect(await project.why('one')).toBe('run: cache/***.bin changed since its last attempt');
    // What git has of the folder and its clone is as it is in them.
    const places = ['--exclude-dir=git', '--exclude-dir=clones'];
    expect(() => execFileSync('grep', ['-rl', ...places, secret, '.state'], { cwd: project.root })).toThrow();
  });

  it.each(['postgres://user:password@localhost', 'Authorization: Bearer YOUR_TOKEN', 'AKIAIOSFODNN7EXAMPLE'])(
    'are no placeholders and documented examples: %s',
    async (text) => {
      const project = one({ run: `echo '${text}' > README.md; ${agent({ text })}`, files: ['README.md'] });
      expect(await project.run()).toBe('0: one');
      expect(await project.json('show', 'one', 'output')).toEqual({ text });
    },
  );

  it('in a file are refused with path and line, unless they were there before or the path is allowed', async () => {
    const key = ['ghp', 'aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1cD3eF5'].join('_');
    const run = `printf 'a\\n%s\\n' "$KEY" >> conf.ini; ${agent()}`;
    const project = one({ run, files: ['conf.ini'] });
    project.environment['KEY'] = key;
    const { exit, out } = await project.gateline('run');
    expect(exit).toBe(1);
    expect(out).toMatch(/one failed: files: conf\.ini.*2.*GitHub token/);
    expect(out + (await project.gateline('show', 'one')).out).not.toContain(key);
    expect((await project.gateline('show', 'one')).out).toContain(
      '`allow-secrets` in the definition lets a path through',
    );
    project.edit('gateline.yml', '"gates"', '"allow-secrets": ["conf.ini"], "gates"');
    await project.expect('run', 0);
    const yours = one({ run, files: ['conf.ini'] });
    yours.environment['KEY'] = key;
    yours.write('conf.ini', `${key}\n`);
    await yours.expect('run', 0);
  });
});

describe('an output', () => {
  const FENCE = 'Sure! Here it is:\n```json\n{"a": 1}\n```\nAnything else?\n';
  it.each([
    ['a fence with prose around it', FENCE, { a: 1 }],
    ['prose', 'The answer is {"a": [1]}.', { a: [1] }],
    ['two values', '{"a": 1} or {"a": 2}', 'malformed: '],
    ['none', 'I am sorry.', 'malformed: '],
  ])('with `extract: json` is the one JSON value in %s', async (_what, text, expected) => {
    const project = one({ run: SAY, output: { extract: 'json' } });
    say(project, text);
    const isGood = typeof expected === 'object';
    expect(await project.run()).toBe(`${isGood ? 0 : 1}: one`);
    const { out } = await project.gateline('show', 'one');
    if (isGood) expect(await project.json('show', 'one', 'output')).toEqual(expected);
    else expect((await project.unit('one')).reason).toContain(expected);
    if (isGood) expect(out).toMatch(/- notice: .*(fence|prose|text)/);
  });

  it.each([
    ['text around the JSON', {}, FENCE, /malformed: .*\(line 1, column 1\)/, 'set `extract: json`'],
    ['no JSON', {}, '{"a": 1,}', /malformed: .*line 1/, ''],
    ['a schema', { schema: { type: 'object', required: ['a'] } }, '{}', /schema: .*a/, ''],
    ['a check', { checks: 'output.a == 2' }, '{"a": 1}', /check: .*output\.a == 2/, ''],
    ['a score', { score: '/s' }, '{"s": "90"}', /score: .*number/, ''],
    ['a threshold', { score: '/s' }, '{"s": 79}', /79.*80/, ''],
    ['a label', { result: { pointer: '/r', pass: ['APPROVED'] } }, '{"r": "REJECTED"}', /REJECTED/, ''],
  ])('that does not meet %s fails with its place and what to do', async (_what, output, text, reason, advice) => {
    const project = one({ run: SAY, output });
    say(project, text);
    const { exit, out } = await project.gateline('run');
    expect(exit).toBe(1);
    expect(out).toMatch(reason);
    expect((await project.gateline('show', 'one')).out).toContain(advice);
    // What is not good enough is asked for again, and says so.
    expect((await project.plan())['one']!.reason).not.toBe('it has no output yet');
  });

  it.each([
    ['{"type": "result", "is_error": true, "result": "Credit balance is too low"}', '', 'Credit balance is too low'],
    ['{"error": {"message": "quota exceeded"}}', '', 'quota exceeded'],
    ['', 'a\nb\nno API key\n', 'a\nb\nno API key'],
  ])('that is missing: the own error of the agent is the first issue (%s%s)', async (stdout, stderr, message) => {
    const project = one({ run: 'cat "$HOME/say"; cat "$HOME/err" >&2; exit 9' });
    say(project, stdout);
    writeFileSync(join(project.outside, 'err'), stderr);
    expect(await project.run()).toBe('1: ');
    const { verdict } = await project.unit('one');
    expect(verdict!.issues.map((issue) => issue.message)).toEqual([message, 'the agent ended with exit code 9']);
  });

  it('is judged again without its agent when its contract changes', async () => {
    const project = one({ run: agent({ a: 1 }) });
    await project.run();
    project.ran();
    project.edit('gateline.yml', '"inputs": []', '"inputs": [], "output": {"checks": "output.a < 5"}');
    expect(await project.run()).toBe('0: ');
    project.edit('gateline.yml', '< 5', '> 5');
    expect(await project.plan()).toMatchObject({
      one: { choice: 'run', reason: expect.stringContaining("the output does not meet today's contract: ") as string },
    });
  });
});

describe('files', () => {
  it('links inside the folder are handed on and put back; those that lead outside are refused', async () => {
    const link = (target: string) => `ln -sfn ${target} CLAUDE.md; ${agent()}`;
    const project = new Project({
      'AGENTS.md': 'x',
      'gateline.yml': pipeline({
        one: { run: link('AGENTS.md'), files: ['CLAUDE.md'] },
        two: { needs: 'one' },
      }),
    });
    expect(await project.run()).toBe('0: one two');
    project.remove('CLAUDE.md');
    expect(await project.run()).toBe('0: ');
    expect(project.read('CLAUDE.md')).toBe('x');
    project.edit('gateline.yml', 'ln -sfn AGENTS.md', 'ln -sfn ../say');
    const { exit, out } = await project.gateline('run');
    expect(exit).toBe(1);
    expect(out).toMatch(/one failed: files: CLAUDE\.md .*outside/);
  });

  it('of an attempt have a place of their own in .state', async () => {
    const project = one({ run: `echo "$GATELINE_OUTPUT" >> "$HOME/paths"; ${agent()}` });
    await project.run();
    await project.run('--force', 'one');
    expect(project.read('../paths')!.trim().split('\n')).toEqual(
      [1, 2].map((run) => join(project.root, `.state/attempts/p/main/${run}/one/1/output.json`)),
    );
    // A link in the place of the output is not followed.
    project.edit('gateline.yml', 'agent ', 'ln -s /etc/hostname \\"$GATELINE_OUTPUT\\"; true ');
    expect((await project.gateline('run')).out).toContain('output.json is a symbolic link');
  });
});
