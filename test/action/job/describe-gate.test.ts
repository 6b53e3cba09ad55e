import { describe, expect, it } from 'vitest';
import { describeGate, judgeDescription, pipelineIdOf } from '../../../src/action/job/describe-gate.ts';
import { formatInputProblem, type ActionInputsError } from '../../../src/action/inputs/input-problems.ts';
import { type ActionInputs } from '../../../src/action/inputs/inputs.ts';
import { legOfJob } from '../../../src/action/job/definition.ts';
import { definePipeline } from '../../../src/local/define-pipeline.ts';
import { ID_PATTERN, type Gate } from '../../../src/pipeline/pipeline.ts';
import { inputsIn } from '../../support/runner/lent-process.ts';

/** Inputs stand in no file. */
function withoutPlace({ place: _place, ...gate }: Gate): Gate {
  return gate;
}

const EVENT = { job: 'design', matrix: undefined, startedFile: '.github/workflows/web-tests.yml' };

function inputsOf(inputs: Readonly<Record<string, string>>): ActionInputs {
  const environment = Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
  );
  const read = inputsIn(environment);
  if (!read.ok) throw new Error(read.problems.map(formatInputProblem).join('\n'));
  return read.inputs;
}

function problemsOf(inputs: Readonly<Record<string, string>>, event = EVENT): string[] {
  try {
    describeGate(inputsOf(inputs), event);
    return [];
  } catch (error) {
    return (error as ActionInputsError).problems.map(formatInputProblem);
  }
}

describe('a gate that inputs describe', () => {
  it('needs the input `subject` if its condition reads the subject', () => {
    const reads = { run: 'true', checks: "subject != 'pr-1'" };
    expect(problemsOf(reads)).toEqual([expect.stringContaining('checks: reads `subject`, and no subject is set')]);
    expect(problemsOf({ ...reads, subject: 'pr-2' })).toEqual([]);
  });

  it('is the one that a gateline.yml of the same words defines', () => {
    const described = describeGate(
      inputsOf({
        needs: 'plan, analyse',
        run: 'npm test\n',
        shell: 'sh',
        'working-directory': './app/',
        schema: './schemas/a.json',
        score: '/score',
        threshold: '90',
        partial: 'continue',
        checks: '${{ output.a > 1 }}',
        exports: '/a\n/b',
        result: '{ pointer: /decision, pass: [APPROVED, VERIFIED] }',
        message: '/summary',
        redact: '/token\n/login',
        inputs: './src/**',
        files: 'out/**',
        env: 'A=1\nB',
        secrets: 'KEY',
        tools: 'node',
        with: 'prompt: Say yes',
        'max-age': '7d',
        retries: '2',
        'timeout-minutes': '1.5',
      }),
      EVENT,
    );
    const defined = definePipeline({
      gates: {
        plan: {},
        analyse: {},
        design: {
          needs: ['plan', 'analyse'],
          run: 'npm test\n',
          shell: 'sh',
          'working-directory': './app/',
          inputs: ['./src/**'],
          files: ['out/**'],
          env: { A: '1', B: null },
          secrets: ['KEY'],
          tools: ['node'],
          with: { prompt: 'Say yes' },
          'max-age': '7d',
          retries: 2,
          'timeout-minutes': 1.5,
          output: {
            schema: './schemas/a.json',
            score: '/score',
            threshold: 90,
            partial: 'continue',
            checks: ['output.a > 1'],
            exports: ['/a', '/b'],
            result: { pointer: '/decision', pass: ['APPROVED', 'VERIFIED'] },
            message: '/summary',
            redact: ['/token', '/login'],
          },
        },
      },
    });
    expect(described).toEqual({
      pipelineId: 'web-tests',
      gate: withoutPlace(defined.gates[2]!),
      needs: ['plan', 'analyse'],
      warnings: [],
    });
  });

  it('has every default of gateline.yml', () => {
    const { gate } = describeGate(inputsOf({ run: 'x' }), EVENT);
    expect(gate).toEqual(withoutPlace(definePipeline({ gates: { design: { run: 'x' } } }).gates[0]!));
    expect(describeGate(inputsOf({ inputs: '[]', score: '/s' }), EVENT).gate).toMatchObject({
      inputs: [],
      run: undefined,
      contract: { threshold: 80, partial: 'block' },
    });
  });

  it('keeps what GitHub put into a command, a variable or a prompt, though it looks like an expression', () => {
    const text = 'echo "${{ github.event.issue.title }}" \u0085 \u{1f600}';
    const { gate } = describeGate(
      inputsOf({ run: text, env: `A=${text}`, with: JSON.stringify({ prompt: text }) }),
      EVENT,
    );
    expect(gate).toMatchObject({ run: text, env: { A: text }, with: { prompt: text } });
  });

  it('has the leg of its job, by the values of its matrix', () => {
    const legOf = (matrix: Readonly<Record<string, string | number>> | undefined) =>
      describeGate(inputsOf({ run: 'x' }), { ...EVENT, ...(matrix && { matrix }) }).gate.legs;
    expect(legOf(undefined)).toEqual([{ id: '', matrix: {} }]);
    expect(legOf({})).toEqual([{ id: '', matrix: {} }]);
    expect(legOf({ browser: 'chrome', os: 'linux' })).toEqual([
      { id: 'chrome-linux', matrix: { browser: 'chrome', os: 'linux' } },
    ]);
    expect(legOf({ browser: 'chrome-beta' })[0]!.id).toBe('chrome-beta');
    const [one, other] = [legOf({ a: 'x-y', b: 'z' }), legOf({ a: 'x', b: 'y-z' })].map((legs) => legs[0]!.id);
    expect(one).toMatch(/^x-y-z-[0-9a-f]{12}$/);
    expect(other).not.toBe(one);
    expect(legOf({ url: `https://${'x'.repeat(300)}` })[0]!.id).toMatch(/^[a-z0-9_-]{1,40}$/);
  });

  it.each([
    ['.github/workflows/ci.yml', 'ci'],
    ['.github/workflows/Web tests (2).yaml', 'web-tests-2'],
    ['.github/workflows/2.yml', '_2'],
    ['.github/workflows/é.yml', '_'],
    [`.github/workflows/${'x'.repeat(60)}.yml`, 'x'.repeat(40)],
  ])('of %s is of the pipeline %s', (file, id) => {
    expect(pipelineIdOf(file)).toBe(id);
    expect(id).toMatch(ID_PATTERN);
  });
});

describe('what is wrong with a described gate', () => {
  it('is told by the names of the inputs, all of it, in the order of the inputs', () => {
    expect(
      problemsOf({
        run: 'x',
        threshold: 'high',
        partial: 'maybe',
        checks: 'output.a >',
        files: '../x',
        'max-age': 'long',
        retries: '11',
        score: 'a.b',
      }),
    ).toEqual([
      'score: expected a JSON pointer such as `/validationResult/score`, found the text "a.b"; write `/a/b`',
      'threshold: expected a number from 0 to 100, found the text "high"',
      expect.stringMatching(/^partial: expected `block`, `continue` or `pause`, found the text "maybe"/),
      expect.stringMatching(/^checks: /),
      'files: `../x` leaves the workspace with `..`; write it relative to the workspace',
      'max-age: expected a time such as `30m`, `12h`, `7d` or `2w`, found the text "long"',
      'retries: expected a whole number from 0 to 10, found the number 11',
    ]);
  });

  it('is the id of the job where that is none of a gate', () => {
    expect(problemsOf({ run: 'x' }, { ...EVENT, job: 'Design' })).toEqual([
      'gate: `Design`: expected an id of 1 to 40 characters: a-z, 0-9, `_` and `-`, not beginning with a digit or `-`',
    ]);
  });

  it('is a need that cannot be one', () => {
    expect(problemsOf({ run: 'x', needs: '{"Lint": {"result": "success", "outputs": {}}}' })).toEqual([
      expect.stringMatching(/^needs: `Lint`: expected an id/),
    ]);
    expect(problemsOf({ run: 'x', needs: 'design' })).toEqual(['needs: `design`: a gate cannot need itself']);
  });

  it('never shows what may be secret', () => {
    const secret = 'sk-live-0123456789';
    expect(problemsOf({ run: `${secret}\0` }).join()).toMatch(/^run: expected text without the character NUL$/);
    expect(problemsOf({ run: 'x', env: `GITHUB_X=${secret}` }).join()).not.toContain(secret);
  });

  it('includes warnings, which stop nothing', () => {
    const { warnings } = describeGate(inputsOf({ run: 'x', partial: 'pause', env: 'API_KEY=1' }), EVENT);
    expect(warnings).toEqual([
      'partial: there is no `score`, so no output is ever partial; write `score` with the JSON pointer to the score in the output',
      expect.stringMatching(/^env: `API_KEY` looks like a secret/),
    ]);
  });

  it('is found beside other problems of the inputs', () => {
    const read = inputsIn({ INPUT_CACHE: 'on', INPUT_THRESHOLD: 'high', INPUT_SCORE: '/s' });
    expect(read.ok ? [] : read.problems.map(({ input }) => input)).toEqual(['cache']);
    const { description } = read as Extract<typeof read, { ok: false }>;
    const judged = judgeDescription({ description, gate: undefined, needs: undefined }, EVENT);
    expect(judged.problems.map(({ input }) => input)).toEqual(['threshold']);
    expect(judged.contracts).toMatchObject([{ id: 'design', contract: { score: '/s' } }]);
  });
});

describe('the leg of a job of a defined gate', () => {
  const pipeline = definePipeline({
    gates: {
      one: { run: 'x' },
      many: { run: 'x', strategy: { matrix: { os: ['linux', 'windows'], node: [22, 24] } } },
    },
  });
  const [one, many] = pipeline.gates as [(typeof pipeline.gates)[0], (typeof pipeline.gates)[0]];

  it('is found by the values of the matrix, whatever else the job has in it', () => {
    expect(legOfJob(many, { node: 24, os: 'linux' }).id).toBe('linux-24');
    expect(legOfJob(many, { os: 'windows', node: 22, runner: 'big' }).id).toBe('windows-22');
  });

  it('is the only one where the gate has no matrix: that of the job may have chosen the gate', () => {
    expect(legOfJob(one, { gate: 'one' }).id).toBe('');
    expect(legOfJob(one, undefined).id).toBe('');
  });

  it('is refused where the job fits more than one', () => {
    const legs = { include: [{ os: 'linux' }, { os: 'linux', node: 24 }] };
    const [gate] = definePipeline({ gates: { many: { run: 'x', strategy: { matrix: legs } } } }).gates;
    expect(legOfJob(gate!, { os: 'linux' }).matrix).toEqual({ os: 'linux' });
    expect(() => legOfJob(gate!, { os: 'linux', node: 24, runner: 'big' })).toThrow(/matches 2 of its legs/);
  });

  it.each([[undefined], [{ os: 'linux' }], [{ os: 'mac', node: 24 }], [{ os: 'linux', node: '24' }]])(
    'is refused for %j',
    (matrix) => {
      expect(() => legOfJob(many, matrix)).toThrow(expect.objectContaining({ code: 'MATRIX_MISMATCH', fault: 'user' }));
    },
  );
});
