import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INPUT_USES } from '../../../src/action/inputs/input-uses.ts';
import { COMMAND_NAMES } from '../../../src/action/inputs/command-names.ts';
import { type ActionInputs } from '../../../src/action/inputs/inputs.ts';
import { checkDefinition } from '../../../src/action/inputs/check-definition.ts';
import { INPUT_NAMES, MAX_OUTPUT_INPUT_BYTES } from '../../../src/action/inputs/inputs-schema.ts';
import { formatInputProblem, type ActionInputsError } from '../../../src/action/inputs/input-problems.ts';
import { inputsIn } from '../../support/runner/lent-process.ts';

/** The environment as the runner makes it of `with:`. */
function environmentOf(inputs: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(inputs).map(([name, value]) => [
    `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`,
    value,
  ]);
  return { PATH: '/bin', GITHUB_JOB: 'design', ...Object.fromEntries(entries) };
}

function inputsOf(inputs: Readonly<Record<string, string>>): ActionInputs {
  const read = inputsIn(environmentOf(inputs));
  if (!read.ok) throw new Error(read.problems.map(formatInputProblem).join('\n'));
  return read.inputs;
}

function noticesOf(inputs: Readonly<Record<string, string>>): readonly string[] {
  const read = inputsIn(environmentOf(inputs));
  return read.ok ? read.inputs.notices : [];
}

function problemsOf(inputs: Readonly<Record<string, string>>): string[] {
  const read = inputsIn(environmentOf(inputs));
  return read.ok ? [] : read.problems.map(formatInputProblem);
}

describe('the inputs of a step', () => {
  it('have every default where the runner gives blanks', () => {
    const blank = Object.fromEntries(INPUT_NAMES.map((name) => [name, '']));
    const inputs = inputsOf(blank);
    expect(inputs).toMatchObject({
      command: 'run',
      gate: undefined,
      description: {},
      metadata: {},
      exposeOutput: false,
      maxArtifacts: 1000,
      cache: 'auto',
      comment: 'auto',
      statuses: 'auto',
      summary: true,
      history: 20,
      notices: [],
    });
    expect(inputs.given.size).toBe(0);
    expect(inputsOf({})).toEqual(inputs);
  });

  it('are read by their kinds', () => {
    const inputs = inputsOf({
      command: 'begin',
      gate: ' design ',
      needs: 'analyse, plan',
      schema: 'schemas/design.json',
      threshold: '72.5',
      checks: 'output.a > 1\n\n  output.b == 2  \n',
      exports: '["", "/a"]',
      inputs: 'src/**\n!src/x',
      files: 'changed',
      env: 'MODE=full text\nLANG\nEMPTY=',
      secrets: 'API_KEY, OTHER',
      tools: 'node\npython',
      with: 'prompt: |\n  Say: yes\nmodel: large',
      metadata: '{"domain": "shop", "n": 2}',
      input: '[1, 2]',
      'expose-output': 'True',
      matrix: '{\n  "os": "linux"\n}',
      'github-token': 'ghs_secret',
      'retention-days': '7',
    });
    expect(inputs.needs).toEqual({ gates: ['analyse', 'plan'], results: undefined });
    expect(inputs.description).toEqual({
      schema: 'schemas/design.json',
      threshold: 72.5,
      checks: ['output.a > 1', 'output.b == 2'],
      exports: ['', '/a'],
      inputs: ['src/**', '!src/x'],
      files: 'changed',
      env: { MODE: 'full text', LANG: null, EMPTY: '' },
      secrets: ['API_KEY', 'OTHER'],
      tools: ['node', 'python'],
      with: { prompt: 'Say: yes\n', model: 'large' },
    });
    expect(inputs).toMatchObject({
      command: 'begin',
      gate: 'design',
      metadata: { domain: 'shop', n: 2 },
      input: [1, 2],
      exposeOutput: true,
      matrix: { os: 'linux' },
      githubToken: 'ghs_secret',
      retentionDays: 7,
    });
  });

  it.each([
    ['[]', []],
    ['["a"]', ['a']],
    ['[ab]*.ts', ['[ab]*.ts']],
    ['[1]', ['[1]']],
    ['a b.ts\nc,d.ts', ['a b.ts', 'c,d.ts']],
    ['a\r\nb', ['a', 'b']],
  ])('take the globs %j for what they are', (text, expected) => {
    expect(inputsOf({ inputs: text }).description.inputs).toEqual(expected);
  });

  it('take a schema for a path or for itself', () => {
    expect(inputsOf({ schema: 's.json' }).description.schema).toBe('s.json');
    expect(inputsOf({ schema: '{"type": "object"}' }).description.schema).toEqual({ type: 'object' });
    expect(inputsOf({ schema: 'type: object\nrequired: [a]' }).description.schema).toEqual({
      type: 'object',
      required: ['a'],
    });
  });

  it('know no matrix where the runner says null', () => {
    expect(inputsOf({ matrix: 'null' }).matrix).toBeUndefined();
    expect(inputsOf({ matrix: '{}' }).matrix).toEqual({});
  });
});

describe('what is wrong with inputs', () => {
  it('is told at once, each by its name', () => {
    expect(
      problemsOf({
        command: 'begin',
        gate: 'Design',
        cache: 'on',
        history: '-1',
        treshold: 'x',
        run: 'npm test',
        'expose-output': 'yes',
      }),
    ).toEqual([
      'gate: expected an id of 1 to 40 characters: a-z, 0-9, `_` and `-`, not beginning with a digit or `-`, found the text "Design"',
      'expose-output: expected `true` or `false`, found the text "yes"',
      'cache: expected `auto` or `off`, found the text "on"',
      'history: expected a whole number from 0 to 200, found the text "-1"',
      'treshold: there is no such input; did you mean `threshold`?',
      'run: does nothing with `command: begin`; it is an input of `run`, `plan`',
    ]);
  });

  it('has a suggestion for a slip, and for names with underscores', () => {
    expect(problemsOf({ treshold: '1' })).toEqual(['treshold: there is no such input; did you mean `threshold`?']);
    expect(problemsOf({ timeout_minutes: '1' })).toEqual([
      'timeout_minutes: there is no such input; did you mean `timeout-minutes`?',
    ]);
  });

  it('is no input that does not exist, and is ignored with one notice', () => {
    const foreign = { prompt: 'secret text', date: '2026', 'Some Thing': 'x', output_path: 'x' };
    const notice =
      'Unknown inputs, ignored: `prompt`, `date`,' +
      ' `some_thing`, `output_path`. They are under `with:` of the step, or variables `INPUT_…` of the job.';
    for (const command of ['run', 'begin', 'plan', 'report'])
      expect(noticesOf({ command, ...foreign })).toEqual([notice]);
    expect(noticesOf({ command: 'complete', token: 'abc', ...foreign })).toEqual([]);
  });

  it('is a slip only before an agent starts, and only of a name that is long enough', () => {
    for (const command of ['plan', 'report'])
      expect(noticesOf({ command, treshold: '1' })).toEqual([expect.stringContaining('did you mean `threshold`?')]);
    expect(problemsOf({ command: 'complete', token: 'abc', treshold: '1' })).toEqual([]);
    expect(problemsOf({ command: 'begin', treshold: '1' })).toHaveLength(1);
    expect(problemsOf({ fil: '1', gat: '1', tokens: '1', thrshld: '1' })).toEqual([
      'thrshld: there is no such input; did you mean `threshold`?',
    ]);
    expect(problemsOf({ thrshl: '1' })).toEqual([]);
  });

  it('is at most so many names long where nothing of them exists', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`quux-${at}`, 'x']));
    expect(noticesOf(many)).toEqual([expect.stringMatching(/`quux-19` and 480 more\./)]);
  });

  it('never holds the value of an input that may be secret', () => {
    const secret = 'sk-live-0123456789';
    const silent = INPUT_NAMES.filter((name) => INPUT_USES[name].silent === true);
    expect(silent).toEqual(
      expect.arrayContaining(['github-token', 'token', 'env', 'secrets', 'with', 'input', 'output']),
    );
    for (const name of silent) {
      for (const value of [secret, `${secret}\n${secret}`, `"${secret}`, secret.repeat(10_000)]) {
        for (const command of COMMAND_NAMES)
          expect(problemsOf({ command, [name]: value }).join('\n')).not.toContain('0123456789');
      }
    }
    expect(noticesOf({ 'not-known': secret }).join('\n')).not.toContain(secret);
  });

  it('names a wrong secret by its place only', () => {
    expect(problemsOf({ secrets: 'A sk-live-1' })).toEqual([
      'secrets: expected names of variables, but entry 2 is not one: write `secrets: API_KEY`, and set `API_KEY` under `env:` of the step',
    ]);
  });

  it('includes an output that is too long, in bytes, and says where to put it', () => {
    const value = JSON.stringify('é'.repeat((MAX_OUTPUT_INPUT_BYTES - 2) / 2));
    const complete = { command: 'complete', token: 'abc' };
    expect(Buffer.byteLength(value)).toBe(MAX_OUTPUT_INPUT_BYTES);
    expect(inputsOf({ ...complete, output: value }).output).toBe(value);
    expect(problemsOf({ ...complete, output: `${value} ` })).toEqual([
      'output: expected at most 102400 bytes: write the value to a file and pass its path as `output-file`',
    ]);
  });

  it('includes what contradicts, and a complete without its token', () => {
    expect(problemsOf({ command: 'complete', output: '1', 'output-file': 'o.json' })).toEqual([
      'output: is set together with `output-file`; remove one of them',
      expect.stringMatching(/^token: expected the token from `command: begin`, found nothing; /),
    ]);
    expect(problemsOf({ input: '1', 'input-file': 'i.json' })).toEqual([
      'input: is set together with `input-file`; remove one of them',
    ]);
  });

  it('is a notice where an input of another command does no harm', () => {
    expect(inputsOf({ command: 'begin', shell: 'bash', history: '3' }).notices).toEqual([
      'shell: does nothing with `command: begin`',
      'history: does nothing with `command: begin`',
    ]);
  });

  it('is found for each input with each command it does not belong to', () => {
    const values: Readonly<Record<string, string>> = {
      needs: 'a',
      cache: 'off',
      comment: 'auto',
      statuses: 'gates',
      metadata: 'a: 1',
      'expose-output': 'true',
      'html-report': 'true',
      mirror: 'none',
      'secret-values': 'A=1',
      gates: 'a',
      deliver: 'patch',
      workflow: 'a.yml',
    };
    for (const command of COMMAND_NAMES) {
      const given: Record<string, string> = {
        command,
        ...(command === 'complete' && { token: 'abc' }),
        ...(command === 'apply' && { gates: 'a' }),
        ...(command === 'set' && { set: 'a.json' }),
        ...(command === 'comment' && { workflow: 'a.yml' }),
      };
      for (const input of INPUT_NAMES.filter((name) => !INPUT_USES[name].commands.includes(command))) {
        const read = inputsIn(environmentOf({ ...given, [input]: values[input] ?? '1' }));
        const told = read.ok ? read.inputs.notices : read.problems.map(formatInputProblem);
        expect(told, `${input} with ${command}`).toContainEqual(expect.stringContaining(`${input}: does nothing with`));
        if (INPUT_USES[input].elsewhere === 'notice') expect(read.ok, `${input} with ${command}`).toBe(true);
        else expect(read.ok, `${input} with ${command}`).toBe(false);
      }
    }
  });

  it('never makes the reader throw', () => {
    const name = fc.oneof(fc.constantFrom(...INPUT_NAMES, '__proto__', 'constructor'), fc.string());
    fc.assert(
      fc.property(fc.dictionary(name, fc.string()), (inputs) => {
        const read = inputsIn(environmentOf(inputs));
        expect(read.ok || read.problems.length > 0).toBe(true);
      }),
    );
  });
});

describe('inputs and a gateline.yml', () => {
  const problems = (inputs: Readonly<Record<string, string>>, hasDefinition: boolean): string[] => {
    try {
      checkDefinition(inputsOf(inputs), hasDefinition);
      return [];
    } catch (error) {
      return (error as ActionInputsError).problems.map(({ input }) => input);
    }
  };

  it('say together what there is to report on: a skipped gate left no record', () => {
    expect(problems({ command: 'report' }, false)).toEqual(['needs']);
    // That of a job which needs none.
    expect(problems({ command: 'report', needs: '{}' }, false)).toEqual(['needs']);
    expect(problems({ command: 'report', needs: '{"a":{"result":"skipped","outputs":{}}}' }, false)).toEqual([]);
    expect(problems({ command: 'report', needs: 'a, b' }, false)).toEqual([]);
    expect(problems({ command: 'report' }, true)).toEqual([]);
    expect(problems({ command: 'plan' }, false)).toEqual([]);
  });

  it('may not both describe the gate', () => {
    expect(problems({ schema: 's.json', threshold: '3', run: 'x', needs: 'a', pipeline: 'p' }, true)).toEqual([
      'pipeline',
      'run',
      'schema',
      'threshold',
      'needs',
    ]);
    expect(problems({ gate: 'a', subject: 's', metadata: 'a: 1', summary: 'false' }, true)).toEqual([]);
  });

  it('go together where the needs are what GitHub says of other jobs', () => {
    expect(problems({ needs: '{"a": {"result": "success", "outputs": {}}}' }, true)).toEqual([]);
  });

  it('leave run without a command where there is neither', () => {
    expect(problems({}, false)).toEqual(['run']);
    expect(problems({ run: 'x' }, false)).toEqual([]);
    expect(problems({ command: 'begin' }, false)).toEqual([]);
  });
});
