import { describe, expect, it } from 'vitest';
import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import { gateOf, pipelineOf, problemsOf } from './support.ts';

const WHOLE = `
version: 1
pipeline: web-tests
subject: demoqa_com-student_registration
task: Cover the form
metadata: {domain: demoqa_com, nested: {n: [1, null, true]}}
max-parallel: 4
max-cost: 2.50
env: {REGION: , LEVEL: 3, SHARED: pipeline}
defaults: {run: {shell: sh, working-directory: ./tests/}}
groups: {checks: [review, e2e], rest: {gates: [data], mode: sequential}}
ignore: .cache/**
allow-secrets: [./test/fixtures/key.pem]
mirror: state-guide
checkpoints: true
snapshots: {database: {save: ./save.sh, restore: ./restore.sh}}
retention: {days: 30, runs: 10}
setup: npm ci
entities: {browser: , session: {format: 's_{id}', properties: [id], depends-on: browser, expires-at: /expires_at}}
commands:
  open: {syntax: agent-browser open, creates: browser}
  login: {syntax: agent-browser login <user>, requires: browser, creates: session, on-invalid: recover, returns: session, setup: false, timeout-minutes: 1}
on: {push: {branches: [main]}, workflow_dispatch: }
job: {runs-on: ubuntu-24.04}
gates:
  data: {}
  design:
    number: 7
    agent: TestCaseDesigner
    run: node agents/design.mjs
    shell: bash
    working-directory: sub//x/../y
    needs: data
    if: \${{ metadata.domain == 'demoqa_com' && needs.data.status == 'passed' }}
    inputs: ["./stories/*.md", "!./stories/old/**"]
    files: changed
    memory: handoff
    env: {A: "1", N: 5, B: true, INHERIT: , EMPTY: '', SHARED: gate}
    with: {prompt: Design., model: {name: m, temperature: 0}}
    tools: [node, python3]
    secrets: [API_KEY, GITHUB_TOKEN]
    output:
      schema: ./schemas/x.json
      score: /validationResult/score
      threshold: 72.5
      partial: pause
      checks: ["output.failed == 0", "\${{ has(output, '/x') && length(output.list) > 2 }}"]
      exports: [/a, /b/c]
      result: {pointer: /decision, pass: APPROVED}
      message: /summary
      redact: /token
      extract: json
    retries: 2
    timeout-minutes: 0.5
    on-fail: {goto: data}
    approval: required
    max-age: 2w
    stand-in: true
    strategy: {matrix: {browser: [chrome, firefox]}, max-parallel: 1, fail-fast: false}
    requires: session
    job: {permissions: {id-token: write}}
  e2e: {number: 8, uses: owner/name@v1, with: {mode: fast}}
  review:
    needs: [e2e, data]
    uses: {action: ./local, with: {a: 1}, output: "\${{ steps.agent.outputs.result }}", local: ./local.sh}
    tools: {go: go version}
    inputs: []
    files: []
    output: {schema: false, score: /s}
`;

describe('a whole gateline.yml', () => {
  const pipeline = pipelineOf(WHOLE);
  const [data, design, e2e, review] = pipeline.gates;

  it('sets every key of the pipeline', () => {
    const { gates, ...rest } = pipeline;
    expect(gates.map(({ id }) => id)).toEqual(['data', 'design', 'e2e', 'review']);
    expect(rest).toEqual({
      id: 'web-tests',
      subject: 'demoqa_com-student_registration',
      task: 'Cover the form',
      metadata: { domain: 'demoqa_com', nested: { n: [1, null, true] } },
      maxParallel: 4,
      maxCost: 2.5,
      groups: [
        { id: 'checks', gates: ['review', 'e2e'], mode: 'parallel' },
        { id: 'rest', gates: ['data'], mode: 'sequential' },
      ],
      ignore: ['.cache/**'],
      allowSecrets: ['test/fixtures/key.pem'],
      mirror: ['state-guide'],
      checkpoints: true,
      snapshots: { database: { save: './save.sh', restore: './restore.sh' } },
      retention: { days: 30, runs: 10 },
      setup: 'npm ci',
      entities: {
        browser: { format: undefined, properties: [], dependsOn: [], expiresAt: undefined },
        session: { format: 's_{id}', properties: ['id'], dependsOn: ['browser'], expiresAt: '/expires_at' },
      },
      commands: {
        open: {
          syntax: 'agent-browser open',
          requires: [],
          creates: ['browser'],
          invalidates: [],
          onInvalid: 'fail',
          returns: undefined,
          setup: true,
          timeoutMinutes: 60,
        },
        login: {
          syntax: 'agent-browser login <user>',
          requires: ['browser'],
          creates: ['session'],
          invalidates: [],
          onInvalid: 'recover',
          returns: 'session',
          setup: false,
          timeoutMinutes: 1,
        },
      },
      on: { push: { branches: ['main'] }, workflow_dispatch: null },
      job: { 'runs-on': 'ubuntu-24.04' },
    });
  });

  it('sets every key of a gate', () => {
    expect(design).toEqual({
      id: 'design',
      number: 7,
      agent: 'TestCaseDesigner',
      run: 'node agents/design.mjs',
      uses: undefined,
      shell: 'bash',
      workingDirectory: 'sub/y',
      needs: ['data'],
      if: "metadata.domain == 'demoqa_com' && needs.data.status == 'passed'",
      inputs: ['stories/*.md', '!stories/old/**'],
      files: 'changed',
      memory: ['handoff'],
      env: { REGION: null, LEVEL: '3', SHARED: 'gate', A: '1', N: '5', B: 'true', INHERIT: null, EMPTY: '' },
      with: { prompt: 'Design.', model: { name: 'm', temperature: 0 } },
      tools: { node: 'node --version', python3: 'python3 --version' },
      secrets: ['API_KEY', 'GITHUB_TOKEN'],
      contract: {
        schema: { path: 'schemas/x.json' },
        score: '/validationResult/score',
        threshold: 72.5,
        partial: 'pause',
        checks: ['output.failed == 0', "has(output, '/x') && length(output.list) > 2"],
        result: { pointer: '/decision', pass: ['APPROVED'] },
        message: '/summary',
        redact: ['/token'],
      },
      exports: ['/a', '/b/c'],
      extract: 'json',
      retries: 2,
      timeoutMinutes: 0.5,
      onFail: { goto: 'data', maxIterations: 3 },
      approval: 'required',
      maxAge: 14 * 86_400_000,
      standIn: true,
      matrix: {
        maxParallel: 1,
        failFast: false,
        legs: [
          { id: 'chrome', matrix: { browser: 'chrome' } },
          { id: 'firefox', matrix: { browser: 'firefox' } },
        ],
      },
      entities: { requires: ['session'], creates: [], invalidates: [], onInvalid: 'fail' },
      job: { permissions: { 'id-token': 'write' } },
      place: { file: 'gateline.yml', line: 27, column: 3, pointer: '/gates/design' },
      schemaPlace: { file: 'gateline.yml', line: 43, column: 7, pointer: '/gates/design/output/schema' },
    });
  });

  it('fills in every default', () => {
    const env = { REGION: null, LEVEL: '3', SHARED: 'pipeline' };
    expect(data).toMatchObject({ id: 'data', number: 0, agent: 'data', shell: 'sh', workingDirectory: 'tests', env });
    expect(data).toMatchObject({ needs: [], memory: [], secrets: [], tools: {}, with: {}, exports: [''], retries: 0 });
    expect(data).toMatchObject({ timeoutMinutes: 60, standIn: false, inputs: undefined, files: undefined });
    expect(data!.contract).toMatchObject({ schema: undefined, threshold: 0, partial: 'block', checks: [], redact: [] });
    const empty = pipelineOf('gates: {a: {}}');
    expect(empty).toMatchObject({ id: 'pipeline', maxParallel: 2, metadata: {}, groups: [], checkpoints: false });
    expect(empty.gates[0]).toMatchObject({ shell: 'bash', workingDirectory: '.', env: {} });
  });

  it('takes the inputs of an action from `with`, as in a step, or from `uses`', () => {
    expect(e2e!.uses).toEqual({ action: 'owner/name@v1', with: { mode: 'fast' }, output: undefined, local: undefined });
    const output = 'steps.agent.outputs.result';
    expect(review!.uses).toEqual({ action: './local', with: { a: 1 }, output, local: './local.sh' });
  });

  it('sorts needs by file order, and distinguishes no inputs from no `inputs` key', () => {
    expect(review).toMatchObject({ needs: ['data', 'e2e'], inputs: [], files: undefined, tools: { go: 'go version' } });
    expect(review!.contract).toMatchObject({ schema: { inline: false }, threshold: 80 });
  });
});

it.each([
  [
    'legs from a list in an output',
    "needs: b, strategy: {matrix: '${{ needs.b.output.list }}'}",
    { gate: 'b', pointer: '/list', variable: '' },
  ],
  [
    'with a name for each value',
    "needs: b, strategy: {matrix: {shard: '${{ needs.b.output.a[0] }}'}}",
    { gate: 'b', pointer: '/a/0', variable: 'shard' },
  ],
  [
    'that is the whole output',
    "needs: b, strategy: {matrix: '${{needs.b.output}}'}",
    { gate: 'b', pointer: '', variable: '' },
  ],
  [
    'under keys of any form',
    `needs: b, strategy: {matrix: "\${{ needs.b.output['a/b'].c }}"}`,
    { gate: 'b', pointer: '/a~1b/c', variable: '' },
  ],
])('a matrix can have %s', (_title, keys, from) => {
  expect(gateOf(keys).matrix).toEqual({ maxParallel: undefined, failFast: true, from });
});

it('reads JSON, comments, anchors and odd line ends', () => {
  expect(pipelineOf('{"pipeline": "p", "gates": {"a": {"run": "x"}}}').gates[0]!.run).toBe('x');
  const text = '\uFEFFgates: # all\r\n  a: {with: &w {x: [1]}, env: {Y: yes}}\r\n  b: {with: *w, needs: a}\r\n';
  const [a, b] = pipelineOf(text).gates;
  expect([a!.env, b!.with, b!.place.line]).toEqual([{ Y: 'yes' }, { x: [1] }, 3]);
});

it('accepts a pipeline with only commands, and one with a thousand gates', () => {
  expect(pipelineOf('commands: {go: {syntax: run}}').gates).toEqual([]);
  const gates = Array.from({ length: 1_001 }, (_, index) => `g${index}: {${index ? `needs: g${index - 1}` : ''}}`);
  expect(pipelineOf(`gates: {${gates.slice(0, 1_000).join(', ')}}`).gates).toHaveLength(1_000);
  expect(problemsOf(`gates: {${gates.join(', ')}}`)).toEqual(['1:8 gates: 1001 gates are more than 1000']);
});

it('warns of likely mistakes, and still gives a pipeline', () => {
  const text = `
env: {VERSION: 1.10, RATE: 0.5}
max-cost: 5.00
metadata: {release: 1.10, id: 0123}
entities: {page: {}}
gates:
  a:
    env: {DEPLOY_TOKEN: x, DB_PASSWORD: y}
    secrets: DB_PASSWORD
    with: {prompt: 'Look at \${{ github.sha }}'}
    strategy: {matrix: {node: [18, 20.0]}}
task: 'Do \${{ inputs.it }}'
`;
  expect(problemsOf(text)).toEqual([
    '2:16 warning env.VERSION: `1.10` is a number and loses its form; put it in quotes if you mean text',
    '4:21 warning metadata.release: `1.10` is a number and loses its form; put it in quotes if you mean text',
    '4:31 warning metadata.id: `0123` is a number and loses its form; put it in quotes if you mean text',
    '5:18 warning entities.page: no gate and no command creates it',
    '8:25 warning gates.a.env.DEPLOY_TOKEN: it looks like a secret, and values of `env` are stored; write `secrets: [DEPLOY_TOKEN]` at the gates that need it',
    '9:14 warning gates.a.secrets: `DB_PASSWORD` is in `env` too, whose values are stored; remove it from `env`',
    '10:20 warning gates.a.with.prompt: `${{ }}` is not evaluated here: the agent gets it as it is written',
    '11:36 warning gates.a.strategy.matrix.node: `20.0` is a number and loses its form; put it in quotes if you mean text',
    '12:7 warning task: `${{ }}` is not evaluated here: the agent gets it as it is written',
  ]);
  expect(parsePipeline(text, 'f').ok).toBe(true);
});

describe('a glob that `ignore` covers', () => {
  const ignore = "['tmp/**', out.txt, './cache/', '*.log', dist, '!dist/keep.txt']";
  it.each(['out.txt', 'tmp/x', 'tmp', './tmp/a/b', 'tmp/*.txt', 'tmp/**', 'cache/', 'cache/**', 'a.log', 'dist/a'])(
    '%s',
    (glob) => {
      const name = glob.replace('./', '');
      const rest = `\`ignore\` covers \`${name}\`, so it has no effect here; remove it here or from \`ignore\``;
      expect(problemsOf(`gates: {a: {files: [src/**, '${glob}']}}\nignore: ${ignore}`)).toEqual([
        `1:29 warning gates.a.files: ${rest}`,
      ]);
      expect(problemsOf(`gates: {a: {inputs: '${glob}'}}\nignore: ${ignore}`)).toEqual([
        `1:21 warning gates.a.inputs: ${rest}`,
      ]);
    },
  );

  it.each(['**', 'tmpx', 'out.txt.bak', 'src/*.log', '*.log', 'a/b.log', 'dist/keep.txt', 'dist/**', '**/tmp/**'])(
    'is not %s',
    (glob) => expect(problemsOf(`gates: {a: {inputs: ['${glob}', '!tmp/x']}}\nignore: ${ignore}`)).toEqual([]),
  );
});

it.each([
  ['`${{` in a text of a condition', `needs: b, if: "metadata.needs.c == 'x \${{ y }}' && needs['b'].score > 1"`],
  ['expressions in the inputs of an action', 'uses: o/n@v1, with: {sha: "${{ github.sha }}"}'],
  ['a script with braces and brackets', 'run: "echo ${X} $(( 1 + 2 )) [[ {"'],
])('has nothing against %s', (_title, keys) => {
  expect(problemsOf(`gates:\n  b: {}\n  a: {${keys}}`)).toEqual([]);
});
