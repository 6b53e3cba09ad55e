import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { externalIdOf, titleOf, type CheckedDecision } from '../../../src/action/decisions/check-run.ts';
import { digestOf } from '../../../src/json/digest.ts';
import type { EndedRecord } from '../../../src/run/records/record.ts';
import { blocksOf, isWorkflow, readPage } from '../../docs/page.ts';
import { REPOSITORY as ROOT } from '../../support/command-line.ts';
import type { StoredCheckRun } from '../../support/github/model.ts';
import { addRun } from '../../support/github/workflow-runs.ts';
import { headOf } from '../../support/runner/repository.ts';
import { parseWorkflow } from '../../support/runner/workflow-file.ts';
import type { RunReport, WorkflowRun } from '../../support/runner/workflow-run.ts';
import { IS_FULL } from '../../support/test-size.ts';
import { ActionWorld, errorsOf, messagesOf, outputsOf, WORKFLOW, type WorldRunOptions } from './action-world.ts';
import { ACTION, agent, CHECKOUT, job, workflowOf, type Keys } from './workflow-text.ts';

// The workflow that docs/recipes/github/approve-on-github.md shows, with agents that take note of their starts.

const PULL = 7;
const REPOSITORY = { full_name: 'octo/gates', default_branch: 'main' };

function recipe(): string {
  const { text } = blocksOf(readPage('docs/recipes/github/approve-on-github.md')).find(isWorkflow)!;
  return text.replaceAll('printf', 'echo "$GATELINE_GATE 1 $$" >> "$START_LOG"; printf');
}

let world: ActionWorld;
beforeEach(async () => {
  world = await ActionWorld.create({ [WORKFLOW]: recipe() });
  world.service.world.collaborators.set('maria', 'write').set('paul', 'admin').set('rita', 'read');
});
afterEach(() => world[Symbol.asyncDispose]());

async function pullRequest(more: WorldRunOptions = {}): Promise<WorkflowRun> {
  const head = await headOf(world.repository.root);
  const side = (ref: string): object => ({ sha: head, ref, repo: { full_name: 'octo/gates' } });
  return world.run({
    about: { event: 'pull_request', headBranch: 'feature', headSha: head, pullRequests: [PULL] },
    payload: {
      repository: REPOSITORY,
      pull_request: { number: PULL, user: { login: 'ada' }, head: side('feature'), base: side('main') },
    },
    ...more,
  });
}

type Inputs = Readonly<Record<string, string>>;
type WorkflowJobs = Readonly<{ jobs: Readonly<Record<string, Keys>> }>;

function dispatched(inputs: Inputs, by = 'maria', more: WorldRunOptions = {}): Promise<WorkflowRun> {
  const sender = { login: by, type: by.endsWith('[bot]') ? 'Bot' : 'User' };
  return world.run({
    about: { event: 'workflow_dispatch', actor: by },
    inputs,
    payload: { inputs, sender, repository: REPOSITORY },
    ...more,
  });
}

function lastEnd(gate: string): EndedRecord {
  const ended = world.records().filter((one): one is EndedRecord => one.kind === 'ended' && one.gate === gate);
  return ended.at(-1)!;
}

/** The inputs that the summary of the gate shows. */
function approval(more: Inputs = {}): Inputs {
  const { by, value } = lastEnd('translate');
  return {
    resume: by.runId!,
    decision: 'approve',
    gate: 'translate',
    digest: value!.digest,
    reason: 'read it',
    ...more,
  };
}

const statusOf = (report: RunReport): unknown[] => [
  report.conclusion,
  ...['translate', 'publish', 'report'].map((name) => report.job(name).conclusion),
];
const RED = ['failure', 'failure', 'skipped', 'failure'];
const GREEN = ['success', 'success', 'success', 'success'];

/** A pull request's run that waits for an approval. */
async function waiting(more: WorldRunOptions = {}): Promise<WorkflowRun> {
  const run = await pullRequest(more);
  const report = await run.start().ended;
  expect(statusOf(report)).toEqual(RED);
  expect(errorsOf(report.job('translate'))).toEqual([expect.stringMatching(/^Waiting for approval: .*score 72/)]);
  expect(await world.startedGates()).toEqual(['translate']);
  const commands = (name: string): string[] => report.job(name).summary.match(/^gh workflow run .*$/gm) ?? [];
  expect(commands('translate')).toHaveLength(1);
  const commit = (await headOf(world.repository.root)).slice(0, 7);
  expect(report.job('translate').summary).toContain(`For commit \`${commit}\`.`);
  expect(commands('report')).toEqual(commands('translate'));
  return run;
}

describe('a run of a pull request that waits', () => {
  it('turns green when a person decided so, in the same run, and starts no agent again', async () => {
    const run = await waiting();
    const decided = await (await dispatched(approval())).start().ended;
    expect([decided.conclusion, decided.started]).toEqual(['success', ['decide']]);
    const { runId } = lastEnd('translate').by;
    expect(world.service.world.reruns).toEqual([{ run: Number(runId), which: 'failed' }]);
    expect(world.service.world.checkRuns).toMatchObject([
      {
        name: 'gateline decision: gates/translate',
        conclusion: 'success',
        headSha: await headOf(world.repository.root),
      },
    ]);
    const again = await run.rerunFailed().ended;
    expect(statusOf(again)).toEqual(GREEN);
    expect(await world.startedGates()).toEqual(['publish']);
    expect(again.job('translate').log.join('\n')).toContain('approved by maria');
    // Another attempt finds it, too.
    expect(statusOf(await run.rerunAll().ended)).toEqual(GREEN);
    expect(await world.startedGates()).toEqual([]);
  });

  it('turns green by the packaged decide.yml, too', async () => {
    const packaged = await readFile(join(ROOT, '.github/workflows/decide.yml'), 'utf8');
    const { jobs } = parse(packaged.replaceAll(/uses: \$\/$/gm, `uses: ${ACTION}`)) as WorkflowJobs;
    const caller = parse(recipe()) as WorkflowJobs;
    const decide = { ...caller.jobs['decide'], steps: jobs['decide']!['steps'] };
    await world.repository.write(WORKFLOW, stringify({ ...caller, jobs: { ...caller.jobs, decide } }));
    await world.repository.commitAll('call decide.yml');
    const run = await waiting();
    const decided = await (await dispatched(approval())).start().ended;
    expect([decided.conclusion, decided.started]).toEqual(['success', ['decide']]);
    expect(statusOf(await run.rerunFailed().ended)).toEqual(GREEN);
    expect(await world.startedGates()).toEqual(['publish']);
  });

  it.runIf(IS_FULL)('holds in the next run, which reuses the output', async () => {
    await waiting();
    await (await dispatched(approval())).start().ended;
    await world.repository.write('other.txt', 'x');
    await world.repository.commitAll('a change that no gate sees');
    const next = await (await pullRequest()).start().ended;
    expect(statusOf(next)).toEqual(GREEN);
    expect(await world.startedGates()).toEqual(['publish']);
  });

  it('opens the gate in later runs of the same commit, where its check run is found twice', async () => {
    await waiting();
    await (await dispatched(approval())).start().ended;
    const next = await (await pullRequest()).start().ended;
    expect(statusOf(next)).toEqual(GREEN);
    expect(next.job('report').summary).not.toContain('CONFLICTING_RECORDS');
    expect(await world.startedGates()).toEqual(['publish']);
  });

  it.runIf(IS_FULL)('runs the gate again when a person rejected its output', async () => {
    const run = await waiting();
    await (await dispatched(approval({ decision: 'reject' }))).start().ended;
    expect(statusOf(await run.rerunFailed().ended)).toEqual(RED);
    expect(await world.startedGates()).toEqual(['translate']);
  });

  it('does not reuse in a third run what was rejected in the second one, which reused it', async () => {
    await waiting();
    await (await dispatched(approval())).start().ended;
    for (const rejected of [true, false]) {
      await world.repository.write('other.txt', `${rejected}`);
      await world.repository.commitAll('a change that no gate sees');
      const next = await (await pullRequest()).start().ended;
      expect(statusOf(next)).toEqual(rejected ? GREEN : RED);
      expect(await world.startedGates()).toEqual(rejected ? ['publish'] : ['translate']);
      if (!rejected) continue;
      const reruns = world.service.world.reruns.length;
      const decided = (await (await dispatched(approval({ decision: 'reject' }))).start().ended).job('decide');
      expect(decided.summary).toMatch(
        /Run \d+ has no failed jobs, so none runs again\. The decision applies to the next run/,
      );
      expect(messagesOf(decided, 'warning')).toEqual([]);
      expect(world.service.world.reruns).toHaveLength(reruns);
    }
    const rejects = world.service.world.checkRuns.filter(({ externalId }) => externalId?.includes(' reject '));
    expect(new Set(rejects.map(({ headSha }) => headSha)).size).toBe(2);
  });

  it.runIf(IS_FULL)('does not open for one person if another one rejected it', async () => {
    const run = await waiting();
    await (await dispatched(approval({ decision: 'reject' }), 'paul')).start().ended;
    await (await dispatched(approval(), 'maria')).start().ended;
    expect(statusOf(await run.rerunFailed().ended)).toEqual(RED);
  });

  it.runIf(IS_FULL)('shows the command that approves it, and once more in each attempt', async () => {
    const run = await pullRequest();
    const { digest, resume } = await run.start().ended.then(() => approval());
    const command = `gh workflow run gates.yml --repo=octo/gates --ref=main -f resume=${resume} -f decision=approve -f gate=translate -f digest=${digest} -f reason=WHY`;
    const again = await run.rerunFailed().ended;
    expect(again.job('translate').summary).toContain(command);
  });

  it('waits, and starts nothing, if check runs cannot be read', async () => {
    const run = await waiting();
    await (await dispatched(approval())).start().ended;
    world.service.faults.add({ operation: 'checks/list-for-ref', fault: { kind: 'status', status: 403 }, times: 9 });
    const again = await run.rerunFailed().ended;
    expect(statusOf(again)).toEqual(RED);
    expect(errorsOf(again.job('translate'))).toEqual([expect.stringContaining('DECISIONS_UNREADABLE')]);
    expect(await world.startedGates()).toEqual([]);
  });
});

describe('a run of a branch that waits', () => {
  it('turns green when a person decided so, if a person had started it: runs that only decide are no newer ones', async () => {
    const run = await dispatched({});
    expect(statusOf(await run.start().ended)).toEqual(RED);
    expect(await world.startedGates()).toEqual(['translate']);
    const about = Number(lastEnd('translate').by.runId);
    await (await dispatched(approval({ decision: 'reject' }), 'paul')).start().ended;
    expect(world.service.world.reruns).toEqual([{ run: about, which: 'failed' }]);
    expect(statusOf(await run.rerunFailed().ended)).toEqual(RED);
    expect(await world.startedGates()).toEqual(['translate']);
    const decided = await (await dispatched(approval(), 'paul')).start().ended;
    expect(messagesOf(decided.job('decide'), 'warning')).toEqual([]);
    expect(world.service.world.reruns).toEqual([1, 2].map(() => ({ run: about, which: 'failed' })));
    expect(statusOf(await run.rerunFailed().ended)).toEqual(GREEN);
    expect(await world.startedGates()).toEqual(['publish']);
  });
});

/** The agent of `publish` fails while there is such a file. */
const FAILS_IF_RED = '[ ! -e "$START_LOG.red" ] || exit 3; printf \'{"published"';

describe('`from` for a run of a pull request', () => {
  it('runs all its jobs again: the gate and those after it start their agents, once in all later attempts', async () => {
    const run = await waiting();
    await (await dispatched(approval())).start().ended;
    expect(statusOf(await run.rerunFailed().ended)).toEqual(GREEN);
    expect(await world.startedGates()).toEqual(['publish']);
    const { runId } = lastEnd('publish').by;
    const decided = await (await dispatched({ resume: runId!, from: 'publish', reason: 'again' })).start().ended;
    expect([decided.conclusion, decided.started]).toEqual(['success', ['decide']]);
    expect(world.service.world.reruns.at(-1)).toEqual({ run: Number(runId), which: 'all' });
    const again = await run.rerunAll().ended;
    expect(statusOf(again)).toEqual(GREEN);
    expect(again.job('publish').log.join('\n')).toContain('maria asked for a new attempt: again');
    expect(await world.startedGates()).toEqual(['publish']);
    expect(statusOf(await run.rerunAll().ended)).toEqual(GREEN);
    expect(await world.startedGates()).toEqual([]);
    await (await dispatched({ resume: runId!, from: 'translate', reason: 'all of it' })).start().ended;
    expect(statusOf(await run.rerunAll().ended)).toEqual(RED);
    expect(await world.startedGates()).toEqual(['translate']);
  });

  it.runIf(IS_FULL)(
    'holds when the gate fails without an output: a re-run does not use the one from before',
    async () => {
      await world.repository.edit(WORKFLOW, `printf '{"published"`, FAILS_IF_RED);
      await world.repository.edit(WORKFLOW, '"score": 72', '"score": 92');
      await world.repository.commitAll('a job that may fail');
      const run = await pullRequest();
      expect(statusOf(await run.start().ended)).toEqual(GREEN);
      await world.startedGates();
      await (await dispatched({ resume: lastEnd('publish').by.runId!, from: 'publish' })).start().ended;
      const red = `${world.repository.startLog}.red`;
      await writeFile(red, '');
      expect(statusOf(await run.rerunAll().ended)).toEqual(['failure', 'success', 'failure', 'failure']);
      await rm(red);
      expect(statusOf(await run.rerunFailed().ended)).toEqual(GREEN);
      expect(await world.startedGates()).toEqual(['publish', 'publish']);
    },
  );

  it('is refused for a gate without an attempt, with a decision, and to somebody who may not decide', async () => {
    await waiting();
    const { resume } = approval();
    const cases = [
      ['maria', { from: 'publish' }, 'DECISION_WITHOUT_ATTEMPT'],
      ['maria', { ...approval(), from: 'translate' }, 'DISPATCH_INVALID'],
      ['rita', { from: 'translate' }, 'DECIDER_REFUSED'],
    ] as const;
    for (const [by, more, code] of cases) {
      const decided = await (await dispatched({ ...more, resume: resume! }, by)).start().ended;
      expect(errorsOf(decided.job('decide')), by).toEqual([expect.stringContaining(code)]);
    }
    expect([world.service.world.checkRuns, world.service.world.reruns]).toEqual([[], []]);
  });

  it.runIf(IS_FULL)(
    'that somebody forged starts nothing and is named; one that cannot be read lets nothing pass',
    async () => {
      const run = await waiting({ machine: { GITHUB_TRIGGERING_ACTOR: 'github-actions[bot]' } });
      await (await dispatched({ resume: approval().resume!, from: 'translate', reason: 'x' }, 'paul')).start().ended;
      world.service.world.collaborators.set('paul', 'read');
      const again = await run.rerunAll().ended;
      expect(await world.startedGates()).toEqual([]);
      expect(messagesOf(again.job('translate'), 'warning')).toEqual([expect.stringMatching(/paul may not decide/)]);
      world.service.faults.add({ operation: 'checks/list-for-ref', fault: { kind: 'status', status: 500 }, times: 99 });
      const unread = await run.rerunAll().ended;
      expect(errorsOf(unread.job('translate'))).toEqual([expect.stringContaining('DECISIONS_UNREADABLE')]);
      expect(await world.startedGates()).toEqual([]);
    },
  );
});

describe('command: decide', () => {
  it('decides nothing without the right to, or about what there is not', async () => {
    await waiting();
    const cases = [
      ['rita', {}, 'DECIDER_REFUSED'],
      ['helper[bot]', {}, 'DECIDER_REFUSED'],
      ['maria', { digest: '' }, 'DISPATCH_INVALID'],
      ['maria', { digest: digestOf('other') }, 'DECISION_WITHOUT_ATTEMPT'],
      ['maria', { resume: '99' }, 'EARLIER_RUN_ABSENT'],
    ] as const;
    for (const [by, more, code] of cases) {
      const decided = await (await dispatched(approval(more), by)).start().ended;
      expect(errorsOf(decided.job('decide')), by).toEqual([expect.stringContaining(code)]);
    }
    expect([world.service.world.checkRuns, world.service.world.reruns]).toEqual([[], []]);
  });

  it('refuses what no job looks for: the recorded contract of a gate says that it waits for nobody', async () => {
    const run = await waiting();
    await (await dispatched(approval())).start().ended;
    expect(statusOf(await run.rerunFailed().ended)).toEqual(GREEN);
    const before = world.service.world.checkRuns.length;
    const { by, value } = lastEnd('publish');
    const about = { resume: by.runId!, decision: 'reject', gate: 'publish', digest: value!.digest, reason: 'wrong' };
    const decided = await (await dispatched(about)).start().ended;
    expect(errorsOf(decided.job('decide'))).toEqual([
      expect.stringMatching(/DECISION_UNHEARD: gate publish waits for nobody/),
    ]);
    expect(world.service.world.checkRuns).toHaveLength(before);
  });

  it('decides, and says that nobody may hear it, if the recorded contract cannot be read', async () => {
    const run = await waiting();
    await (await dispatched(approval())).start().ended;
    expect(statusOf(await run.rerunFailed().ended)).toEqual(GREEN);
    const { by, value, contract } = lastEnd('publish');
    world.lose(contract);
    const about = { resume: by.runId!, decision: 'reject', gate: 'publish', digest: value!.digest, reason: 'wrong' };
    const decided = (await (await dispatched(about)).start().ended).job('decide');
    expect(decided.conclusion).toBe('success');
    expect(decided.summary).toContain('It is not known whether gate publish waits for anybody, since its contract');
    expect(world.service.world.checkRuns.map(({ name }) => name)).toContain('gateline decision: gates/publish');
  });

  it.runIf(IS_FULL)('asks for a name of the run that says what is decided', async () => {
    await world.repository.edit(WORKFLOW, /^run-name.*\n.*\n.*\n/m.exec(recipe())![0], '');
    await world.repository.commitAll('without a name');
    await waiting();
    const decided = await (await dispatched(approval())).start().ended;
    expect(errorsOf(decided.job('decide'))).toEqual([expect.stringContaining('RUN_NAME_MISSING')]);
    expect(world.service.world.checkRuns).toEqual([]);
  });
});

/** A workflow of one gate whose output needs an approval, and of a job that decides. */
async function withApproval(approvedBy: unknown): Promise<void> {
  const translate = { run: agent({ text: 'Guten Tag' }), inputs: [], approval: approvedBy };
  const step = (command: string): Keys => ({ id: 'gate', uses: ACTION, with: { command } });
  const { 'run-name': name } = parseWorkflow(recipe(), WORKFLOW);
  const about = "inputs.decision == 'approve'";
  const workflow = workflowOf(
    {
      translate: job([CHECKOUT, step('run')], { if: `!(${about})` }),
      decide: job([CHECKOUT, step('decide')], { if: about, permissions: { actions: 'write', checks: 'write' } }),
    },
    { 'run-name': name! },
  );
  await world.repository.write(WORKFLOW, workflow);
  await world.repository.write('gateline.yml', JSON.stringify({ pipeline: 'gates', gates: { translate } }));
  await world.repository.commitAll('a gate that needs an approval');
}

/** The next run of the pull request, whose change no gate sees. */
async function nextRun(text: string): Promise<{ readonly run: WorkflowRun; readonly report: RunReport }> {
  await world.repository.write('other.txt', text);
  await world.repository.commitAll('a change that no gate sees');
  const run = await pullRequest();
  return { run, report: await run.start().ended };
}

it('an approval of an output that a run had reused reaches the run after it', async () => {
  await withApproval('required');
  const runs = [await (await pullRequest()).start().ended, (await nextRun('x')).report];
  expect(runs.map(({ conclusion }) => conclusion)).toEqual(['failure', 'failure']);
  expect(await world.startedGates()).toEqual(['translate']);
  await (await dispatched(approval(), 'maria')).start().ended;
  expect(world.service.world.checkRuns).toHaveLength(2);
  const { run, report } = await nextRun('y');
  expect(report.conclusion).toBe('success');
  expect((await run.rerunAll().ended).conclusion).toBe('success');
  expect(await world.startedGates()).toEqual([]);
});

it('an approval is by another person than the author, and for one commit, if the gate asks for that', async () => {
  await withApproval({ 'not-author': true, per: 'commit' });
  world.service.world.collaborators.set('ada', 'write');
  const run = await pullRequest();
  const report = await run.start().ended;
  const waits = /waiting for approval, not by the author of the change, for commit [0-9a-f]{7}\b/;
  expect(errorsOf(report.job('translate'))).toEqual([expect.stringMatching(waits)]);
  await (await dispatched(approval(), 'ada')).start().ended;
  expect((await run.rerunFailed().ended).conclusion).toBe('failure');
  await (await dispatched(approval(), 'maria')).start().ended;
  expect((await run.rerunFailed().ended).conclusion).toBe('success');
  const next = await nextRun('x');
  expect(errorsOf(next.report.job('translate'))).toEqual([expect.stringMatching(waits)]);
  await (await dispatched(approval(), 'maria')).start().ended;
  expect((await next.run.rerunFailed().ended).conclusion).toBe('success');
  // It is beside its own commit only.
  const last = world.service.world.checkRuns.at(-1)!.headSha;
  expect(world.service.world.checkRuns.filter(({ headSha }) => headSha === last)).toHaveLength(1);
  expect(errorsOf((await nextRun('y')).report.job('translate'))).toEqual([expect.stringMatching(waits)]);
  expect(await world.startedGates()).toEqual(['translate']);
});

interface Forgery {
  readonly check?: Partial<StoredCheckRun>;
  readonly run?: Partial<Parameters<typeof addRun>[1]>;
  readonly checked?: Partial<CheckedDecision>;
}

/** Each would open the gate, were it not for one thing; and how that is named. */
const FORGERIES: readonly (readonly [Forgery, RegExp | undefined])[] = [
  [{ check: { app: 'codecov' } }, /another app/],
  [{ check: { externalId: '900' } }, /external id/],
  [{ checked: { decidingRun: 899 } }, /run 899 cannot be found/],
  [{ run: { path: '.github/workflows/other.yml' } }, /another workflow/],
  [{ run: { event: 'pull_request' } }, /not started by a person/],
  [{ run: { displayTitle: 'gateline approve publish' } }, /the name of run \d+ does not say so/],
  [{ checked: { decision: 'reject' } }, /the name of run \d+ does not say so/],
  [{ checked: { output: digestOf('other') } }, /the name of run \d+ does not say so/],
  [{ run: { actor: 'rita' } }, /rita may not decide/],
  [{ run: { actor: 'eve' } }, /eve may not decide/],
  [{ run: { actor: 'helper[bot]' } }, /helper\[bot\] may not decide/],
  // Sound, but about something else.
  [{ checked: { fingerprint: digestOf('other') } }, undefined],
  [{ checked: { position: { runNumber: 1, runAttempt: 1, n: 0 } } }, undefined],
  [{ check: { headSha: '2'.repeat(40) } }, undefined],
  [{ check: { name: 'gateline decision: gates/publish' } }, undefined],
];

/** A check run as `command: decide` writes it, and the run that it names, but for some of it. */
async function forge(decidingRun: number, { check, run, checked }: Forgery = {}): Promise<void> {
  const { fingerprint, value, by, runNumber } = lastEnd('translate');
  const output = value!.digest;
  const position = { runNumber, runAttempt: 2, n: 0 };
  const aboutRun = Number(by.runId);
  const real: CheckedDecision = { decision: 'approve', decidingRun, aboutRun, position, fingerprint, output };
  addRun(world.service.world, {
    id: decidingRun,
    event: 'workflow_dispatch',
    actor: 'maria',
    path: WORKFLOW,
    status: 'completed',
    conclusion: 'success',
    displayTitle: titleOf(real, 'translate'),
    ...run,
  });
  world.service.world.checkRuns.push({
    id: decidingRun,
    repository: 'octo/gates',
    name: 'gateline decision: gates/translate',
    headSha: await headOf(world.repository.root),
    externalId: externalIdOf({ ...real, ...checked }),
    conclusion: 'success',
    output: { title: 'approve', summary: 'forged' },
    app: 'github-actions',
    ...check,
  });
}

it('a forged check run opens nothing, and is named', async () => {
  const run = await waiting();
  for (const [index, [forgery]] of FORGERIES.entries()) await forge(900 + index, forgery);
  const again = await run.rerunFailed().ended;
  expect(statusOf(again)).toEqual(RED);
  const named = messagesOf(again.job('translate'), 'warning').toReversed();
  const whys = FORGERIES.flatMap(([, why]) => (why === undefined ? [] : [expect.stringMatching(why) as string]));
  expect(named).toEqual(whys);
  expect(await world.startedGates()).toEqual([]);
  await forge(950);
  expect(statusOf(await run.rerunFailed().ended)).toEqual(GREEN);
});

/** The same workflow without its job `decide`: decisions are in the event of the run that goes on. */
async function withoutDecide(files: Readonly<Record<string, string>> = {}): Promise<WorkflowRun> {
  const { text } = { text: recipe() };
  const workflow = text
    .slice(0, text.indexOf('  decide:\n'))
    .replaceAll(/ *if: .*inputs\.decision != 'approve'.*\n/g, (line) =>
      line.includes('always') ? '    if: always()\n' : '',
    );
  await world.repository.write(WORKFLOW, workflow);
  for (const [path, content] of Object.entries(files)) await world.repository.write(path, content);
  await world.repository.commitAll('without decide');
  return world.run({ payload: { repository: REPOSITORY } });
}

describe('a decision in the event of a run', () => {
  async function waitingOnBranch(): Promise<WorkflowRun> {
    const run = await withoutDecide();
    expect(statusOf(await run.start().ended)).toEqual(RED);
    expect(await world.startedGates()).toEqual(['translate']);
    return run;
  }

  it('opens the gate in that run and in all its attempts, and in no other run', async () => {
    const first = await waitingOnBranch();
    const run = await dispatched(approval());
    const report = await run.start().ended;
    expect(statusOf(report)).toEqual(GREEN);
    expect(report.job('translate').steps.find(({ id }) => id === 'gate')!.outputs['resumed-from']).toBe('502');
    expect(await world.startedGates()).toEqual(['publish']);
    expect(statusOf(await run.rerunAll().ended)).toEqual(GREEN);
    expect(statusOf(await first.rerunFailed().ended)).toEqual(RED);
    expect(await world.startedGates()).toEqual([]);
  });

  it('opens nothing if a program or a person without write access sent it, or if it is under `with:`', async () => {
    await waitingOnBranch();
    for (const by of ['github-actions[bot]', 'rita', 'eve']) {
      const report = await (await dispatched(approval(), by)).start().ended;
      expect([by, statusOf(report)]).toEqual([by, RED]);
      expect(messagesOf(report.job('translate'), 'warning')).toContainEqual(expect.stringMatching(/is ignored: /));
    }
    for (const [more, why] of [
      [{ gate: 'nope' }, /no job of this run is of a gate nope/],
      [{ digest: digestOf('other') }, /recorded no output of gate translate, or its last one is not sha256:/],
    ] as const) {
      const report = await (await dispatched(approval(more))).start().ended;
      expect(statusOf(report)).toEqual(RED);
      expect(messagesOf(report.job('report'), 'warning')).toContainEqual(expect.stringMatching(why));
      expect(report.job('report').summary).toMatch(why);
    }
    // Inputs that stand under `with:`, and not in the event.
    const { resume, ...decision } = approval();
    await world.repository.edit(
      WORKFLOW,
      '          score: /score',
      `          resume: '${resume}'\n          decision: approve\n          score: /score`,
    );
    await world.repository.edit(WORKFLOW, 'checks: read', 'checks: write');
    await world.repository.commitAll('a decision under with');
    const report = await (await world.run({ inputs: decision, payload: { repository: REPOSITORY } })).start().ended;
    expect(report.job('translate').conclusion).toBe('failure');
    expect(messagesOf(report.job('translate'), 'warning')).toContainEqual(expect.stringMatching(/^Wide permissions: /));
    expect(report.job('publish').conclusion).toBe('skipped');
  });

  it('that is missing leaves the gate waiting: a run with `resume` alone does not start its agent again', async () => {
    await waitingOnBranch();
    const { resume } = approval();
    const again = await dispatched({ resume: resume! });
    const report = await again.start().ended;
    expect(statusOf(report)).toEqual(RED);
    expect(errorsOf(report.job('translate'))).toEqual([expect.stringMatching(/^Waiting for approval: .*score 72/)]);
    expect(await world.startedGates()).toEqual([]);
    // The run that waits now can be approved, too.
    const { by } = lastEnd('translate');
    expect(by.runId).not.toBe(resume);
    expect(statusOf(await (await dispatched(approval())).start().ended)).toEqual(GREEN);
    expect(await world.startedGates()).toEqual(['publish']);
    // A changed request needs another output.
    await world.repository.edit(WORKFLOW, 'Guten Tag', 'Moin');
    await world.repository.commitAll('another translation');
    expect(statusOf(await (await dispatched({ resume: resume! })).start().ended)).toEqual(RED);
    expect(await world.startedGates()).toEqual(['translate']);
  });

  it.runIf(IS_FULL)('is about the output that the resumed run recorded, and that the digest names', async () => {
    await waitingOnBranch();
    expect(statusOf(await (await dispatched(approval({ digest: digestOf('other') }))).start().ended)).toEqual(RED);
    expect(statusOf(await (await dispatched(approval({ digest: '' }))).start().ended)).toEqual(GREEN);
  });

  it.runIf(IS_FULL)('stops the run if it cannot be known whether the sender may decide', async () => {
    await waitingOnBranch();
    const operation = 'repos/get-collaborator-permission-level';
    world.service.faults.add({ operation, fault: { kind: 'status', status: 403 }, times: 9 });
    expect(statusOf(await (await dispatched(approval())).start().ended)).toEqual(RED);
  });

  it.runIf(IS_FULL)('`from` lets a gate and those after it run again, once in all attempts', async () => {
    const run = await waitingOnBranch();
    const approved = await dispatched(approval());
    await approved.start().ended;
    expect(await world.startedGates()).toEqual(['publish']);
    const resume = lastEnd('publish').by.runId!;
    const again = await dispatched({ resume, from: 'publish', decision: 'approve', gate: 'translate', reason: 'r' });
    expect(statusOf(await again.start().ended)).toEqual(GREEN);
    expect(await world.startedGates()).toEqual(['publish']);
    expect(statusOf(await again.rerunAll().ended)).toEqual(GREEN);
    expect(await world.startedGates()).toEqual([]);
    expect(statusOf(await run.rerunFailed().ended)).toEqual(RED);
  });

  it.runIf(IS_FULL)(
    'adopts an output of an earlier run although the gate would run again, by its contract, in all attempts',
    async () => {
      await withoutDecide();
      await world.repository.edit(WORKFLOW, '"score": 72', '"score": 92');
      await world.repository.commitAll('good enough');
      expect(statusOf(await (await world.run({ payload: { repository: REPOSITORY } })).start().ended)).toEqual(GREEN);
      const first = lastEnd('translate');
      await world.repository.edit(WORKFLOW, 'Guten Tag', 'Moin');
      await world.repository.commitAll('another translation');
      await world.startedGates();
      const adopt = { ...approval(), decision: 'adopt', reason: 'the better one' };
      const run = await dispatched(adopt);
      const report = await run.start().ended;
      expect(statusOf(report)).toEqual(GREEN);
      expect(outputsOf(report.job('translate'))).toMatchObject({ decision: 'adopt', digest: first.value!.digest });
      expect(report.job('report').summary).toContain('adopted by maria: the better one');
      expect(await world.startedGates()).toEqual([]);
      expect(statusOf(await run.rerunAll().ended)).toEqual(GREEN);
      expect(await world.startedGates()).toEqual([]);

      // A program decides nothing, and an output that is not there or too bad is not adopted.
      expect(statusOf(await (await dispatched(adopt, 'helper[bot]')).start().ended)).toEqual(GREEN);
      expect(await world.startedGates()).toEqual(['publish', 'translate']);
      const other = await (await dispatched({ ...adopt, digest: digestOf('other') })).start().ended;
      expect(errorsOf(other.job('translate'))).toEqual([expect.stringContaining('DECISION_WITHOUT_ATTEMPT')]);
      await world.repository.edit(WORKFLOW, 'threshold: 80', 'threshold: 95');
      await world.repository.commitAll('stricter');
      const refused = await (await dispatched(adopt)).start().ended;
      expect(errorsOf(refused.job('translate'))).toEqual([
        expect.stringMatching(/ADOPT_REFUSED.*the score is 92, below/),
      ]);
      expect(await world.startedGates()).toEqual([]);
    },
  );

  it('adopts an output of another branch by its digest, and takes nothing else from there', async () => {
    await withoutDecide();
    await world.repository.edit(WORKFLOW, '"score": 72', '"score": 92');
    await world.repository.commitAll('good enough');
    const onDev: WorldRunOptions = { about: { headBranch: 'dev' }, payload: { repository: REPOSITORY } };
    expect(statusOf(await (await world.run(onDev)).start().ended)).toEqual(GREEN);
    const made = lastEnd('translate');
    expect(made.subject).toBe('dev');
    await world.startedGates();
    await world.repository.edit(WORKFLOW, 'Guten Tag', 'Moin');
    await world.repository.commitAll('another translation');
    const adopt = { ...approval(), decision: 'adopt', reason: 'the one of dev' };
    const report = await (await dispatched(adopt)).start().ended;
    expect(statusOf(report)).toEqual(GREEN);
    expect(outputsOf(report.job('translate'))).toMatchObject({ decision: 'adopt', digest: made.value!.digest });
    expect(lastEnd('translate')).toMatchObject({ subject: 'main', how: 'adopted', source: { subject: 'dev' } });
    // The request of `publish` is that of dev, whose output is in the cache of dev only.
    expect(await world.startedGates()).toEqual(['publish']);

    // Without a person who names an output, no record of another branch is used.
    for (const more of [{ decision: 'approve' }, { decision: 'force' }, { decision: '', gate: '', digest: '' }]) {
      const refused = await (await dispatched({ ...adopt, ...more })).start().ended;
      expect(errorsOf(refused.job('translate'))).toEqual([expect.stringContaining('EARLIER_RUN_REF')]);
    }
    const byProgram = await (await dispatched(adopt, 'helper[bot]')).start().ended;
    expect(outputsOf(byProgram.job('translate'))).not.toMatchObject({ decision: 'adopt' });
    const other = await (await dispatched({ ...adopt, digest: digestOf('other') })).start().ended;
    expect(errorsOf(other.job('translate'))).toEqual([expect.stringContaining('DECISION_WITHOUT_ATTEMPT')]);
  });

  it.runIf(IS_FULL)('`from` does not start the gate again when the job after it failed and runs again', async () => {
    await withoutDecide();
    await world.repository.edit(WORKFLOW, `printf '{"published"`, FAILS_IF_RED);
    await world.repository.edit(WORKFLOW, '"score": 72', '"score": 92');
    await world.repository.commitAll('a job that may fail');
    const run = await world.run({ payload: { repository: REPOSITORY } });
    expect(statusOf(await run.start().ended)).toEqual(GREEN);
    expect(await world.startedGates()).toEqual(['publish', 'translate']);
    const red = `${world.repository.startLog}.red`;
    await writeFile(red, '');
    const again = await dispatched({ resume: lastEnd('publish').by.runId!, from: 'translate' });
    expect(statusOf(await again.start().ended)).toEqual(['failure', 'success', 'failure', 'failure']);
    expect(await world.startedGates()).toEqual(['publish', 'translate']);
    await rm(red);
    expect(statusOf(await again.rerunFailed().ended)).toEqual(GREEN);
    expect(await world.startedGates()).toEqual(['publish']);
  });

  it.runIf(IS_FULL)('skips a gate', async () => {
    await waitingOnBranch();
    const run = await dispatched({ ...approval(), decision: 'skip', digest: '', reason: 'not needed' });
    const report = await run.start().ended;
    expect(statusOf(report)).toEqual(GREEN);
    expect(report.job('translate').steps.find(({ id }) => id === 'gate')!.outputs['decision']).toBe('skip');
  });
});
