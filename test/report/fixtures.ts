import { DEFAULT_SNAPSHOTS, DEFAULT_WORKSPACE, type Gate, type Pipeline } from '../../src/pipeline/pipeline.ts';
import { digestOf, type Digest } from '../../src/json/digest.ts';
import { foldRun } from '../../src/run/state/fold.ts';
import type { ReadProblem } from '../../src/run/records/reading.ts';
import {
  RECORD_FORMAT,
  type DecidedRecord,
  type EndedRecord,
  type GatelineRecord,
  type StartedRecord,
} from '../../src/run/records/record.ts';
import type { RunState, ExternalFacts } from '../../src/run/state/run-state.ts';
import { unitsOf, type UnitGraph } from '../../src/run/records/unit.ts';

export const NOW = '2026-01-02T04:00:00.000Z';

/** A gate as `gateline.yml` would give it, with what a test says about it. */
export function gate(id: string, number: number, over: Partial<Gate> = {}): Gate {
  return {
    id,
    number,
    agent: id,
    run: `agent ${id}`,
    shell: 'bash',
    workingDirectory: '.',
    workspace: 'tree',
    needs: [],
    if: undefined,
    inputs: undefined,
    memory: [],
    env: {},
    with: {},
    tools: {},
    secrets: [],
    contract: { schema: undefined, score: '/score', threshold: 80, partial: 'block', checks: [] },
    exports: [''],
    files: [],
    retries: 0,
    timeoutMinutes: 60,
    onFail: undefined,
    approval: undefined,
    reuse: 'auto',
    maxAge: undefined,
    legs: [{ id: '', matrix: {} }],
    legsMaxParallel: undefined,
    failFast: true,
    ...over,
  };
}

export function pipelineOf(gates: readonly Gate[], over: Partial<Pipeline> = {}): Pipeline {
  return {
    id: 'web_tests',
    subject: undefined,
    metadata: {},
    maxParallel: 2,
    gates,
    groups: [],
    maxReworks: undefined,
    learning: 'propose',
    workspace: DEFAULT_WORKSPACE,
    snapshots: DEFAULT_SNAPSHOTS,
    ...over,
  };
}

/** The pipeline of the state guide: data, design, dom, pom, execute, learn, each after the one before. */
export const webTests: Pipeline = pipelineOf(
  [
    gate('data', 0, { agent: 'TestCaseDesigner' }),
    gate('design', 1, { agent: 'TestCaseDesigner', needs: ['data'] }),
    gate('dom', 2, { agent: 'DOMAgent', needs: ['design'] }),
    gate('pom', 3, { agent: 'POMAgent', needs: ['dom'] }),
    gate('execute', 4, { agent: 'ExecutionEngine', needs: ['pom'] }),
    gate('learn', 5, { needs: ['execute'] }),
  ],
  {
    metadata: {
      url: 'https://demoqa.com/automation-practice-form',
      userStory: 'As a student I want to register',
      acceptanceCriteria: ['the form is sent', 'the name is shown'],
    },
  },
);

/** A pipeline with a matrix gate and groups. */
export const reviewed: Pipeline = pipelineOf(
  [
    gate('build', 0),
    gate('e2e', 1, {
      needs: ['build'],
      legs: [
        { id: 'chrome-linux', matrix: { browser: 'chrome', os: 'linux' } },
        { id: 'firefox-linux', matrix: { browser: 'firefox', os: 'linux' } },
      ],
    }),
    gate('style', 2, { needs: ['build'] }),
    gate('security', 3, { needs: ['build'] }),
    gate('publish', 4, { needs: ['e2e', 'style', 'security'] }),
  ],
  { id: 'reviewed', groups: [{ id: 'review', gates: ['style', 'security'], mode: 'parallel', onFail: undefined }] },
);

const writer = { host: 'host', boot: 'boot', pid: 7, pidStart: '1' };
const SUBJECT = 'demoqa_com-student_registration';

/** Digests that every record of a gate agrees on, so that the fold finds one story. */
export const fingerprintOf = (gate: string): Digest => digestOf(`fingerprint of ${gate}`);
export const exportsOf = (gate: string): { digest: Digest; bytes: number } => ({
  digest: digestOf(`exports of ${gate}`),
  bytes: 20,
});

interface Where {
  readonly pipeline?: Pipeline;
  readonly subject?: string;
  readonly leg?: string;
  readonly run?: number;
  readonly call?: number;
  readonly n?: number;
  readonly minute?: number;
}

function identityOf(
  gate: string,
  { pipeline = webTests, subject = SUBJECT, leg = '', run = 1, call = 1, n = 1, minute = 0 }: Where,
  seconds: string,
) {
  const at = `2026-01-02T03:${String(minute).padStart(2, '0')}:${seconds}Z`;
  return {
    format: RECORD_FORMAT,
    pipeline: pipeline.id,
    subject,
    gate,
    leg,
    runNumber: run,
    runAttempt: call,
    n,
    at,
    by: writer,
  } as const;
}

function workOf(gate: string, pipeline: Pipeline, leg: string) {
  const key = leg === '' ? gate : `${gate}/${leg}`;
  const needs = unitsOf(pipeline).get(key)?.needs ?? [];
  const given = Object.fromEntries(needs.map((need) => [need, exportsOf(need).digest]));
  return { fingerprint: fingerprintOf(key), contract: digestOf(`contract of ${gate}`), needs: given };
}

export function started(gate: string, where: Where = {}, over: Partial<StartedRecord> = {}): StartedRecord {
  const work = workOf(gate, where.pipeline ?? webTests, where.leg ?? '');
  return {
    kind: 'started',
    ...identityOf(gate, where, '00.000'),
    ...work,
    request: digestOf('request'),
    holder: 'process',
    ...over,
  };
}

/** Ends well with a score of 95 after 12.5 seconds, unless told otherwise. */
export function ended(gate: string, where: Where = {}, over: Partial<EndedRecord> = {}): EndedRecord {
  const identity = identityOf(gate, where, '12.500');
  const key = identity.leg === '' ? gate : `${gate}/${identity.leg}`;
  return {
    kind: 'ended',
    ...identity,
    ...workOf(gate, where.pipeline ?? webTests, identity.leg),
    how: 'ran',
    verdict: { status: 'passed', kind: 'passed', score: 95, issues: [], advice: '' },
    startedAt: identityOf(gate, where, '00.000').at,
    value: { digest: digestOf(`value of ${key}`), bytes: 30 },
    exports: exportsOf(key),
    files: [],
    touched: [],
    logs: {},
    ...over,
  };
}

export function decided(gate: string, where: Where = {}, over: Partial<DecidedRecord> = {}): DecidedRecord {
  const identity = identityOf(gate, { n: 0, ...where }, '30.000');
  return {
    kind: 'decided',
    ...identity,
    decision: 'skip',
    actor: 'octocat',
    reason: 'not today',
    fingerprint: null,
    ...over,
  };
}

/** A claim and what it came to. */
export function ran(gate: string, where: Where = {}, over: Partial<EndedRecord> = {}): GatelineRecord[] {
  return [started(gate, where), ended(gate, where, over)];
}

export function stateOf(
  records: readonly GatelineRecord[],
  {
    pipeline = webTests,
    subject = SUBJECT,
    problems = [],
    ...told
  }: Partial<ExternalFacts> & { pipeline?: Pipeline; subject?: string; problems?: ReadProblem[] } = {},
): { state: RunState; graph: UnitGraph } {
  const graph = unitsOf(pipeline);
  const state = foldRun(graph, { records, problems }, { pipeline: pipeline.id, subject }, { now: NOW, ...told });
  return { state, graph };
}

export const FAILED_CHECK = {
  status: 'failed',
  kind: 'check',
  score: 60,
  issues: [
    {
      severity: 'error',
      message: '`output.finalStatus.passRate >= 90` is false: passRate is 60',
      pointer: '/finalStatus/passRate',
      rule: 'output.finalStatus.passRate >= 90',
    },
    { severity: 'warning', message: '2 tests are slow' },
  ],
  advice: 'Make the spec pass: 2 of 5 tests fail.',
} as const satisfies EndedRecord['verdict'] extends infer V ? { readonly [K in keyof V]: unknown } : never;

/** Run 3, second call: data and design reused, dom and pom ran, execute failed a check, learn waits. */
export function failedRun(): { state: RunState; graph: UnitGraph } {
  const at = { run: 3, call: 2 };
  const source = { runNumber: 2, runAttempt: 1, n: 1 };
  return stateOf([
    ended('data', { ...at, minute: 1 }, { how: 'reused', source }),
    ended('design', { ...at, minute: 1 }, { how: 'reused', source }),
    ...ran(
      'dom',
      { ...at, minute: 2 },
      {
        verdict: {
          status: 'passed',
          kind: 'passed',
          score: 87,
          issues: [{ severity: 'warning', message: '2 elements have confidence < 80%', pointer: '/elementMappings' }],
          advice: '',
        },
        metrics: {
          model: 'm-1',
          inputTokens: 1200,
          outputTokens: 340,
          costUsd: 0.012,
          tools: ['read_file'],
          mcps: ['playwright', 'memory'],
        },
      },
    ),
    ...ran(
      'pom',
      { ...at, minute: 3 },
      {
        files: [
          {
            path: 'tests/pages/registration.ts',
            before: null,
            after: { blob: 'b1', mode: '100644', content: { digest: digestOf('page'), bytes: 4 } },
          },
          { path: 'tests/old.ts', before: { blob: 'b0', mode: '100644' }, after: null },
        ],
        touched: [
          { path: 'package.json', before: { blob: 'p0', mode: '100644' }, after: { blob: 'p1', mode: '100644' } },
        ],
      },
    ),
    ...ran(
      'execute',
      { ...at, minute: 5 },
      { verdict: structuredClone(FAILED_CHECK) as unknown as EndedRecord['verdict'], exitCode: 0 },
    ),
  ]);
}
