import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../support/command-line.ts';

const seed = (name: string): string => readFileSync(join(REPOSITORY, 'test/fixtures/seeds', name), 'utf8');

const METADATA = { domain: 'demoqa_com', feature: 'student_registration', url: 'https://demoqa.com/x' };
const SLUG = 'demoqa_com-student_registration';
const guideGate = (gate: number): string => {
  const validation = { score: 95, issues: [], passed: true };
  return JSON.stringify(
    { gate, agent: 'A', status: 'SUCCESS', metadata: METADATA, output: { gate }, validation },
    null,
    2,
  );
};

/** A workflow of nexus in which two of three phases are completed. */
export const NEXUS_STATE = {
  id: 'workflow-20251029-123456',
  workflowName: 'feature-full',
  workflowFile: 'feature-full.yml',
  userTask: 'implement checkout',
  status: 'EXECUTING',
  currentPhase: 'build',
  currentPhaseStartTime: 1_761_741_396_000,
  startTime: 1_761_741_296_000,
  endTime: null,
  pausedAt: null,
  resumedAt: null,
  completedPhases: ['plan', 'design'],
  skippedPhases: [],
  failedPhases: [],
  results: { plan: { steps: 5 }, design: 'done' },
  error: null,
  retries: {},
  metadata: { nexusVersion: '2.0.0', pluginsUsed: [], mcpsUsed: [], totalPhases: 3, estimatedDuration: 30 },
  checkpoints: [],
  rollbackAvailable: false,
};

/** A workflow of dev-loop with a task and changes. */
export const LOOP_STATE = {
  threadId: 'prd-1',
  task: { id: 'REQ-1.1', title: 'Implement user authentication', status: 'in-progress' },
  context: null,
  changes: { files: [{ path: 'src/login.ts', patch: '+1' }] },
  testResults: null,
  status: 'in-progress',
  error: null,
  retryCount: 1,
  handoffContext: {},
};

/** Sound files of each format, by their names. */
export const SOUND: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nexus: {
    '.current-workflow.json': JSON.stringify(NEXUS_STATE, null, 2),
    'executions.jsonl': seed('nexus-executions.jsonl'),
    'defaults.yml': seed('nexus-defaults.yml'),
  },
  'agent-flow': {
    'team-orchestration.local.md': seed('team-orchestration.local.md'),
    'deep-dive.local.md': seed('deep-dive.local.md'),
  },
  'dev-loop': {
    'workflow-state.json': JSON.stringify(LOOP_STATE, null, 2),
    'retry-counts.json': '{"REQ-1.1": 2}',
    'learned-patterns.md': seed('learned-patterns.md'),
  },
  'state-guide': {
    [`${SLUG}-pipeline.json`]: JSON.stringify(
      {
        status: 'IN_PROGRESS',
        currentGate: 2,
        completedGates: [0, 1],
        metadata: { ...METADATA, userStory: 'As a student', acceptanceCriteria: ['A name'] },
      },
      null,
      2,
    ),
    [`${SLUG}-gate0-output.json`]: guideGate(0),
    [`${SLUG}-gate1-output.json`]: guideGate(1),
  },
};

const NASTY = [
  '../../../etc/passwd',
  '__proto__',
  'constructor',
  '\u0000',
  '\u202e',
  '${{ secrets.X }}',
  '<!-- x -->',
  '$(touch hacked)',
  '---\n',
  '&a *a',
  '!!js/function ',
  '<<: ',
  '1e999',
  '-0',
  'null',
  '[]',
  '{}',
  '"x"',
  '9007199254740993',
  'x'.repeat(5_000),
  '\ud800',
];

/** Damages a text at one to three places. @param next numbers from 0 to below 1 */
export function damaged(text: string, next: () => number): Buffer {
  const pick = (most: number): number => Math.floor(next() * most);
  let bytes = Buffer.from(text);
  for (let times = 1 + pick(3); times > 0; times -= 1) {
    const at = pick(bytes.length + 1);
    const some = Math.min(bytes.length, at + 1 + pick(40));
    const piece = Buffer.from(NASTY[pick(NASTY.length)]!);
    const deep = Buffer.from('['.repeat(60 + pick(2_000)));
    const value = /(?<=: )[^\n]+?(?=,?$)/gm;
    const values = [...bytes.toString('latin1').matchAll(value)];
    const replaced = values[pick(Math.max(1, values.length))];
    const from = replaced?.index ?? 0;
    const to = from + (replaced?.[0].length ?? 0);
    const ways = [
      () => bytes.subarray(0, at),
      () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(some)]),
      () => Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]),
      () => Buffer.concat([bytes.subarray(0, some), bytes.subarray(at)]),
      () => Buffer.concat([bytes.subarray(0, at), deep, bytes.subarray(at)]),
      () => Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xfe, pick(256)]), bytes.subarray(at)]),
      () => Buffer.concat([bytes.subarray(0, from), piece, bytes.subarray(to)]),
      () =>
        Buffer.concat([
          bytes.subarray(0, from),
          Buffer.from(JSON.stringify(NASTY[pick(NASTY.length)])),
          bytes.subarray(to),
        ]),
    ];
    bytes = Buffer.from(ways[pick(ways.length)]!());
  }
  return bytes;
}
