import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EndedRecord } from '../../../src/run/records/record.ts';
import type { Fault } from '../../support/github/faults.ts';
import type { RunningJob } from '../../support/runner/job.ts';
import { ACTION, GateJobs, WORKFLOW } from '../gate-jobs.ts';

export const SECRET = 'hunter2-hunter2-hunter2';

/** Writes its output, says so, and ends when it is told to. The output is long, and holds a secret and a command to the runner. */
const AGENT = `
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
appendFileSync(process.env.START_LOG, 'started\\n');
const lines = Array.from({ length: Number(process.env.LINES ?? 1) }, (_, index) => 'line ' + index + ' ::error::no');
writeFileSync(process.argv[2], JSON.stringify({ score: 95, key: process.env.API_KEY, lines }));
writeFileSync('large.bin', Buffer.from([0xff, 0, 1]));
console.log('the agent is through');
while (!existsSync(process.env.GO)) await new Promise((resolve) => setTimeout(resolve, 10));
`;

/** With `files`, contents go up in a zip by GitHub's own client too. */
function jobs(files: boolean): string {
  const gate = {
    inputs: '[]',
    score: '/score',
    secrets: 'API_KEY',
    'outage-minutes': '${{ vars.MINUTES }}',
    ...(files && { files: 'large.bin' }),
  };
  const minutes = { 'outage-minutes': '${{ vars.MINUTES }}' };
  const checkout = { uses: 'actions/checkout@v7' };
  const env = { API_KEY: SECRET };
  const token = '${{ steps.gate.outputs.token }}';
  const output = '${{ steps.gate.outputs.output-file }}';
  const isToRun = "steps.gate.outputs.decision == 'run'";
  return JSON.stringify({
    on: 'push',
    jobs: {
      run: {
        'runs-on': 'ubuntu-latest',
        steps: [
          checkout,
          { id: 'gate', uses: ACTION, env, with: { run: 'node agent.mjs "$GATELINE_OUTPUT"', ...gate } },
        ],
      },
      around: {
        'runs-on': 'ubuntu-latest',
        steps: [
          checkout,
          { id: 'gate', uses: ACTION, env, with: { command: 'begin', ...gate } },
          { id: 'agent', if: isToRun, env, run: `node agent.mjs "${output}"` },
          { id: 'done', if: isToRun, uses: ACTION, env, with: { command: 'complete', token, ...minutes } },
        ],
      },
    },
  });
}

/** The two ways in which a gate has an agent. */
export const WAYS = ['run', 'around'] as const;
export type Way = (typeof WAYS)[number];

export function outageWorld({ files = false } = {}): Promise<GateJobs> {
  return GateJobs.create({ [WORKFLOW]: jobs(files), 'agent.mjs': AGENT }, { how: 'mostly here' });
}

/** What is to befall a job. */
export interface OutageOrder {
  readonly way: Way;
  /** Every call from when the agent ends on. */
  readonly fault: Fault;
  /** Which calls; default: all. */
  readonly operation?: RegExp;
  /** `outage-minutes`, before `GATELINE_TIME_LIMITS` shortens it. Default 5. */
  readonly minutes?: number;
  /** `GATELINE_TIME_LIMITS`; default 0.1. */
  readonly share?: number;
  /** How many lines the output has. */
  readonly lines?: number;
}

/** A job in an outage. */
export interface Outage {
  readonly job: RunningJob;
  /** Lets it end, so many milliseconds after the first call that it befell. */
  readonly end: (after?: number) => Promise<void>;
}

/** Starts a job, and lets the outage begin when its agent is about to end. */
export async function startOutage(jobs: GateJobs, order: OutageOrder): Promise<Outage> {
  const { way, fault, operation, minutes = 5, share = 0.1, lines = 1 } = order;
  const go = `${jobs.startLog}.go`;
  const job = await jobs.start(way, {
    machine: { GO: go, GATELINE_TIME_LIMITS: String(share), LINES: String(lines) },
    order: { contexts: { vars: { MINUTES: String(minutes) } } },
  });
  await job.logged(/the agent is through/);
  const planned = jobs.service.faults.add({ times: Infinity, fault, ...(operation && { operation }) });
  await writeFile(go, '');
  const state = { isOver: false };
  const over = job.ended.finally(() => void (state.isOver = true));
  over.catch(() => undefined);
  const end = async (after = 0): Promise<void> => {
    while (planned.hits === 0 && !state.isOver) await sleep(10);
    await Promise.race([sleep(after), over]);
    jobs.service.faults.clear();
  };
  return { job, end };
}

/** The next attempt of the run, with everything well: how often the agent has started by then, in all. */
export async function startsAfterAgain(jobs: GateJobs, way: Way): Promise<number> {
  const go = `${jobs.startLog}.go`;
  await writeFile(go, '');
  const again = await jobs.run(way, {
    attempt: 2,
    machine: { GO: go },
    order: { contexts: { vars: { MINUTES: '5' } } },
  });
  await rm(go, { force: true });
  if (again.conclusion !== 'success') throw new Error(again.log.join('\n'));
  return (await jobs.starts()).length;
}

/** How attempts ended: `passed`, `agent-error`, … */
export function endsOf(jobs: GateJobs): string[] {
  const ends = jobs.records().filter((record): record is EndedRecord => record.kind === 'ended');
  return [...new Set(ends.map(({ runAttempt, n, verdict }) => `${runAttempt}.${n} ${verdict.kind}`))];
}
