import { describe, expect, it } from 'vitest';
import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import { gateOf, pipelineOf } from './reading.ts';

const WHOLE = `
version: 1
pipeline: web-tests
subject: demoqa_com-student_registration
metadata: {domain: demoqa_com, nested: {n: [1, null, true]}}
max-parallel: 4
env: {REGION: , LEVEL: 3, SHARED: pipeline}
defaults: {run: {shell: sh, working-directory: ./tests/}}
groups: {checks: [review, e2e]}
gates:
  data: {}
  design:
    number: 7
    agent: TestCaseDesigner
    run: node agents/design.mjs
    shell: bash
    working-directory: sub//x/../y
    needs: data
    if: \${{ metadata.domain == 'demoqa_com' }}
    inputs: ["./stories/*.md", "!./stories/old/**"]
    env: {A: "1", N: 5, B: true, INHERIT: , EMPTY: '', SHARED: gate}
    with: {prompt: Design., model: {name: m, temperature: 0}}
    tools: [node, python3]
    secrets: [API_KEY, GITHUB_TOKEN]
    output:
      schema: ./schemas/x.json
      score: /validationResult/score
      threshold: 72.5
      partial: pause
      checks: ["output.failed == 0", "\${{ has(output, '/x') }}"]
      exports: [/a, /b/c]
    files: changed
    retries: 2
    timeout-minutes: 0.5
    reuse: never
    strategy: {matrix: {browser: [chrome, firefox]}, max-parallel: 1, fail-fast: false}
  review:
    needs: [design, data]
    tools: {go: go version}
    output: {schema: {type: object}, score: /s}
    files: [a, b/*]
    inputs: []
    max-age: 2w
    reuse: auto
  e2e: {run: x, number: 8, inputs: a, secrets: S, output: {schema: false, exports: /x, checks: output.a}}
`;

describe('a whole gateline.yml', () => {
  const pipeline = pipelineOf(WHOLE);
  const [data, design, review, e2e] = pipeline.gates;

  it('gives the pipeline what its file says', () => {
    const { id, subject, metadata, maxParallel, groups } = pipeline;
    expect({ id, subject, metadata, maxParallel, groups }).toEqual({
      id: 'web-tests',
      subject: 'demoqa_com-student_registration',
      metadata: { domain: 'demoqa_com', nested: { n: [1, null, true] } },
      maxParallel: 4,
      groups: [{ id: 'checks', gates: ['review', 'e2e'], mode: 'auto', onFail: undefined }],
    });
  });

  it('gives a gate everything it says, made regular', () => {
    expect(design).toEqual({
      id: 'design',
      number: 7,
      agent: 'TestCaseDesigner',
      run: 'node agents/design.mjs',
      shell: 'bash',
      workingDirectory: 'sub/y',
      workspace: 'tree',
      needs: ['data'],
      if: "metadata.domain == 'demoqa_com'",
      inputs: ['stories/*.md', '!stories/old/**'],
      memory: [],
      env: { REGION: null, LEVEL: '3', SHARED: 'gate', A: '1', N: '5', B: 'true', INHERIT: null, EMPTY: '' },
      with: { prompt: 'Design.', model: { name: 'm', temperature: 0 } },
      tools: { node: 'node --version', python3: 'python3 --version' },
      secrets: ['API_KEY', 'GITHUB_TOKEN'],
      contract: {
        schema: { path: 'schemas/x.json' },
        score: '/validationResult/score',
        threshold: 72.5,
        partial: 'pause',
        checks: ['output.failed == 0', "has(output, '/x')"],
      },
      exports: ['/a', '/b/c'],
      files: 'changed',
      retries: 2,
      timeoutMinutes: 0.5,
      reuse: 'never',
      maxAge: undefined,
      legs: [
        { id: 'chrome', matrix: { browser: 'chrome' } },
        { id: 'firefox', matrix: { browser: 'firefox' } },
      ],
      legsMaxParallel: 1,
      failFast: false,
      job: { matrix: { browser: ['chrome', 'firefox'] } },
      place: { file: 'gateline.yml', line: 25, column: 5, pointer: '/gates/design/output' },
    });
  });

  it('fills every default in', () => {
    expect(data).toEqual({
      id: 'data',
      number: 0,
      agent: 'data',
      run: undefined,
      shell: 'sh',
      workingDirectory: 'tests',
      workspace: 'tree',
      needs: [],
      if: undefined,
      inputs: undefined,
      memory: [],
      env: { REGION: null, LEVEL: '3', SHARED: 'pipeline' },
      with: {},
      tools: {},
      secrets: [],
      contract: { schema: undefined, score: undefined, threshold: 0, partial: 'block', checks: [] },
      exports: [''],
      files: [],
      retries: 0,
      timeoutMinutes: 60,
      reuse: 'auto',
      maxAge: undefined,
      legs: [{ id: '', matrix: {} }],
      legsMaxParallel: undefined,
      failFast: true,
      place: { file: 'gateline.yml', line: 11, column: 3, pointer: '/gates/data/output' },
    });
    expect(pipelineOf('gates: {a: {}}')).toMatchObject({
      id: 'pipeline',
      subject: undefined,
      maxParallel: 2,
      groups: [],
      maxReworks: undefined,
    });
    expect(gateOf('gates: {a: {}}')).toMatchObject({
      shell: 'bash',
      workingDirectory: '.',
      workspace: 'tree',
    });
  });

  it('puts needs in the order of the file, and counts places for numbers', () => {
    expect(review).toMatchObject({ needs: ['data', 'design'], number: 2, tools: { go: 'go version' }, inputs: [] });
    expect(review).toMatchObject({ files: ['a', 'b/*'], maxAge: 14 * 86_400_000 });
    expect(review!.contract).toMatchObject({ schema: { inline: { type: 'object' } }, score: '/s', threshold: 80 });
  });

  it('takes one text where a list may stand', () => {
    expect(e2e).toMatchObject({ inputs: ['a'], secrets: ['S'], exports: ['/x'] });
    expect(e2e!.contract).toMatchObject({ checks: ['output.a'], schema: { inline: false } });
  });

  it.each([
    ['30m', 1_800_000],
    ['12h', 43_200_000],
    ['7d', 604_800_000],
  ])('reads max-age %s as milliseconds', (age, milliseconds) => {
    expect(gateOf(`gates: {a: {max-age: ${age}}}`).maxAge).toBe(milliseconds);
  });

  it('takes a boolean as a condition', () => {
    expect(gateOf('gates: {a: {if: false}}').if).toBe('false');
  });

  it('keeps names that every object has as what they are', () => {
    const pipeline = pipelineOf('gates: {constructor: {}, tostring: {needs: constructor, env: {constructor: x}}}');
    expect(pipeline.gates.map(({ id }) => id)).toEqual(['constructor', 'tostring']);
    expect(Object.entries(pipeline.gates[1]!.env)).toEqual([['constructor', 'x']]);
    expect(parsePipeline('gates: {a: {needs: constructor}}', 'f').ok).toBe(false);
  });
});

describe('a large file', () => {
  it('may have 1,000 gates, in one chain', () => {
    const gates = Array.from({ length: 1_000 }, (_, i) => `  g${i}: {run: x${i === 0 ? '' : `, needs: g${i - 1}`}}`);
    expect(pipelineOf(`gates:\n${gates.join('\n')}`).gates).toHaveLength(1_000);
  });

  it('tells at most 500 problems, and how many there are more', () => {
    const result = parsePipeline(`gates: {a: {needs: [${'x, '.repeat(600).slice(0, -2)}]}}`, 'f');
    const problems = result.ok ? [] : result.problems;
    expect(problems).toHaveLength(501);
    expect(problems.at(-1)!.message).toBe('100 more problems are not listed');
  });
});
