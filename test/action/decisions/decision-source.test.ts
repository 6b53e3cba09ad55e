import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  externalIdOf,
  titleOf,
  type CheckedDecision,
  type CheckedFrom,
} from '../../../src/action/decisions/check-run.ts';
import { decisionSource } from '../../../src/action/decisions/decision-source.ts';
import type { Dispatch } from '../../../src/action/event/dispatch.ts';
import type { ActionInvocation } from '../../../src/action/invocation.ts';
import type { ApiRun } from '../../../src/action/records/earlier-runs.ts';
import type { DecisionSource } from '../../../src/engine/ports.ts';
import { digestOf } from '../../../src/json/digest.ts';
import { unitsOf } from '../../../src/run/records/unit.ts';
import { REPOSITORY_NAME, startResultsService, type ResultsService } from '../../support/github/results-service.ts';
import type { StoredCheckRun } from '../../support/github/model.ts';
import { restClient } from '../../support/github/rest-client.ts';
import type { RunOptions } from '../../support/github/workflow-runs.ts';
import { pipelineOf } from '../../support/pipelines.ts';
import { ended, listing } from '../../support/records.ts';

const HEAD = '1'.repeat(40);
const FILE = '.github/workflows/gates.yml';
const ABOUT = 5;
const DECIDING = 9;
const graph = unitsOf(pipelineOf({ draft: {}, code: { needs: ['draft'] }, last: { needs: ['code'] } }));
const draft = graph.get('draft')!;
const OUTPUT = digestOf('an output');
const FINGERPRINT = digestOf('a request');

let service: ResultsService;
let warnings: string[] = [];
let summary: string[] = [];
beforeEach(async () => {
  service = await startResultsService();
  warnings = [];
  summary = [];
  service.world.collaborators.set('maria', 'write').set('paul', 'admin').set('rita', 'read');
  service.world.collaborators.set('helper[bot]', 'write');
  service.addRun({ id: ABOUT, number: 3, headSha: HEAD });
});
afterEach(() => service[Symbol.asyncDispose]());

interface SourceFacts {
  readonly token?: string;
  readonly runAttempt?: number;
  readonly isByProgram?: boolean;
  /** Default: a gate's job, with a file that defines all gates. */
  readonly command?: string;
  readonly isWhole?: boolean;
}

function source(dispatch?: Partial<Dispatch>, more: SourceFacts = {}): DecisionSource {
  const permissions = { actions: 'read', checks: 'read' } as const;
  const { token = service.issueToken({ repository: REPOSITORY_NAME, permissions }) } = more;
  const { runAttempt = 1, isByProgram = false, command = 'run', isWhole = true } = more;
  const event = {
    repository: REPOSITORY_NAME,
    sha: HEAD,
    startedFile: FILE,
    runNumber: 4,
    runAttempt,
    isByProgram,
    pullRequest: undefined,
    dispatch: dispatch && { sender: { login: 'maria', isBot: false }, resume: String(ABOUT), ...dispatch },
  };
  const runner = {
    annotate: (_: string, message: string) => void warnings.push(message),
    appendSummary: async (text: string) => summary.push(text) > 0,
  };
  const world = { runner, now: () => new Date('2026-01-02T03:04:05.678Z') };
  const resumed = { runNumber: 3, headSha: HEAD } as ApiRun;
  const me = { host: 'github', boot: '6.1', pid: 1, pidStart: '' };
  const inputs = { command, summary: true };
  return decisionSource({ world, event, inputs } as unknown as ActionInvocation, {
    rest: restClient(service, { token }),
    resumed,
    pipeline: 'p',
    isWhole,
    me,
  });
}

const REAL: CheckedDecision = {
  decision: 'approve',
  decidingRun: DECIDING,
  aboutRun: ABOUT,
  position: { runNumber: 3, runAttempt: 2, n: 0 },
  fingerprint: FINGERPRINT,
  output: OUTPUT,
};

interface Forgery {
  readonly check?: Partial<StoredCheckRun>;
  readonly run?: Partial<RunOptions>;
  readonly checked?: Partial<CheckedDecision>;
}

/** A check run as `command: decide` writes it, and the run that it names, but for some of it. */
function forge({ check, run, checked }: Forgery = {}): void {
  service.addRun({
    id: DECIDING,
    event: 'workflow_dispatch',
    actor: 'maria',
    path: FILE,
    displayTitle: titleOf({ ...REAL, decision: checked?.decision ?? 'approve' }, 'draft'),
    ...run,
  });
  service.world.checkRuns.push({
    id: 70,
    repository: REPOSITORY_NAME,
    name: 'gateline decision: p/draft',
    headSha: HEAD,
    externalId: externalIdOf({ ...REAL, ...checked }),
    conclusion: 'success',
    output: { title: 'approve', summary: 'read it' },
    app: 'github-actions',
    ...check,
  });
}

const find = (run?: string, from = source()) => from.find(draft, { pipeline: 'p', subject: 'main' }, run);

describe('a check run', () => {
  it('is a decision of the person who started the run that it names', async () => {
    forge();
    const decided = {
      decision: 'approve',
      gate: 'draft',
      actor: 'maria',
      reason: 'read it',
      fingerprint: FINGERPRINT,
      output: OUTPUT,
      commit: HEAD,
      ...REAL.position,
    };
    expect(await find()).toMatchObject({ decided: [decided] });
    expect(await find(String(ABOUT))).toMatchObject({ decided: [decided] });
    expect(warnings).toEqual([]);
  });

  it.each([
    ['of another app', { check: { app: 'codecov' } }, /another app/],
    ['with another external id', { check: { externalId: '9' } }, /external id/],
    ['of a run that is not there', { checked: { decidingRun: 8 } }, /run 8 cannot be found/],
    ['of a run of another workflow', { run: { path: '.github/workflows/other.yml' } }, /another workflow/],
    ['of a run that nobody dispatched', { run: { event: 'pull_request' } }, /not started by a person/],
    ['of a run with another name', { run: { displayTitle: 'gateline approve code' } }, /the name of run 9/],
    ['about another output', { checked: { output: digestOf('other') } }, /the name of run 9/],
    ['about another run', { checked: { aboutRun: 6 } }, /the name of run 9/],
    ['by a person without write access', { run: { actor: 'rita' } }, /rita may not decide/],
    ['by a stranger', { run: { actor: 'eve' } }, /eve may not decide/],
    ['by a program', { run: { actor: 'helper[bot]' } }, /helper\[bot\] may not decide/],
  ] as const)('%s is ignored, and named', async (_, forgery, why) => {
    forge(forgery);
    expect(await find()).toEqual({ decided: [] });
    expect(warnings).toEqual([expect.stringMatching(why)]);
  });

  it('of another commit or gate is not found', async () => {
    forge({ check: { headSha: '2'.repeat(40) } });
    forge({ check: { name: 'gateline decision: p/code' } });
    expect([await find(), warnings]).toEqual([{ decided: [] }, []]);
  });

  it('that rejects counts although its run was deleted', async () => {
    forge({ checked: { decision: 'reject', decidingRun: 8 } });
    expect(await find()).toMatchObject({ decided: [{ decision: 'reject', actor: 'unknown' }] });
  });

  it('that cannot be read is not taken for none', async () => {
    const token = service.issueToken({ repository: REPOSITORY_NAME, permissions: { actions: 'read' } });
    expect(await find(undefined, source(undefined, { token }))).toMatchObject({ unread: expect.any(String) as string });
    forge();
    const noRuns = service.issueToken({ repository: REPOSITORY_NAME, permissions: { checks: 'read' } });
    expect(await find(undefined, source(undefined, { token: noRuns }))).toMatchObject({
      unread: expect.any(String) as string,
    });
  });
});

const recorded = listing([
  ended({ gate: 'draft', run: 3, fingerprint: FINGERPRINT, value: { digest: OUTPUT, bytes: 1 } }),
]);
const given = async (dispatch: Partial<Dispatch>, more: SourceFacts = {}): Promise<unknown[]> =>
  (await source(dispatch, more).given(graph, recorded, 'main')).map(
    ({ decision, gate, runNumber, runAttempt, n }) => `${decision} ${gate} ${runNumber}.${runAttempt}.${n}`,
  );

describe('the event of a run', () => {
  it('decides at the beginning of its first attempt', async () => {
    expect(await given({ decision: 'approve', gate: 'draft' })).toEqual(['approve draft 4.1.0']);
    expect(await given({ from: 'code' })).toEqual(['force code 4.1.0', 'force last 4.1.0']);
    expect(await given({ decision: 'skip', gate: 'code' })).toEqual(['skip code 4.1.0']);
    const [approve] = await source({ decision: 'approve', gate: 'draft' }).given(graph, recorded, 'main');
    expect(approve).toMatchObject({ actor: 'maria', fingerprint: FINGERPRINT, output: OUTPUT, commit: HEAD });
  });

  it('decides about what the resumed run recorded, and about nothing else', async () => {
    expect(await given({ decision: 'approve', gate: 'draft', digest: digestOf('other') })).toEqual([]);
    expect(await given({ decision: 'approve', gate: 'code' })).toEqual([]);
    await expect(given({ decision: 'approve', gate: 'nope' })).rejects.toMatchObject({ code: 'GATE_UNKNOWN' });
  });

  it('says in the log and the summary when it decides nothing', async () => {
    const none = /has no effect: there is nothing to approve: run 5 recorded no output of gate draft/;
    expect(await given({ decision: 'approve', gate: 'draft', digest: digestOf('other') })).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(none)]);
    expect(summary).toEqual([expect.stringMatching(/^> \[!WARNING\]\n> The decision .* has no effect/)]);
    // The records of another gate are not listed in a gate's job.
    expect(await given({ decision: 'approve', gate: 'code' })).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect(await given({ decision: 'approve', gate: 'code' }, { command: 'report' })).toEqual([]);
    expect(warnings).toHaveLength(2);
  });

  it('is about a gate that the report does not know: without a file, no job may call it a mistake', async () => {
    const orders = [
      { decision: 'skip', gate: 'nope' },
      { decision: 'approve', gate: 'nope' },
      { from: 'nope' },
    ] as const;
    for (const order of orders) {
      warnings = [];
      expect(await given(order, { isWhole: false })).toEqual([]);
      expect(warnings).toEqual([]);
      expect(await given(order, { isWhole: false, command: 'report' })).toEqual([]);
      expect(warnings).toEqual([expect.stringMatching(/has no effect: no job of this run is of a gate nope/)]);
    }
  });

  it('decides nothing if no person with write access sent it', async () => {
    for (const sender of [
      undefined,
      { login: 'github-actions[bot]', isBot: true },
      { login: 'helper[bot]', isBot: false },
      { login: 'rita', isBot: false },
      { login: 'eve', isBot: false },
    ])
      for (const order of [{ decision: 'approve', gate: 'draft' }, { from: 'code' }] as const)
        expect(await given({ ...order, sender }), sender?.login).toEqual([]);
    expect(warnings).toHaveLength(10);
    expect(summary).toHaveLength(10);
  });

  it('is an error if it cannot be known who may decide', async () => {
    const operation = 'repos/get-collaborator-permission-level';
    service.faults.add({ operation, fault: { kind: 'status', status: 403 } });
    await expect(given({ decision: 'approve', gate: 'draft' })).rejects.toMatchObject({ code: 'REST_DENIED' });
  });
});

describe('a check run that says from which gate a run starts again', () => {
  const REAL_FROM: CheckedFrom = {
    decision: 'from',
    decidingRun: DECIDING,
    aboutRun: ABOUT,
    position: { runNumber: 4, runAttempt: 2, n: 0 },
    gate: 'code',
  };

  function write(more: Partial<CheckedFrom> = {}, run: Partial<RunOptions> = {}): void {
    const displayTitle = titleOf(REAL_FROM, 'code');
    service.addRun({ id: DECIDING, event: 'workflow_dispatch', actor: 'maria', path: FILE, displayTitle, ...run });
    service.world.checkRuns.push({
      id: 71,
      repository: REPOSITORY_NAME,
      name: 'gateline from: p',
      headSha: HEAD,
      externalId: externalIdOf({ ...REAL_FROM, ...more }),
      conclusion: 'neutral',
      output: { title: 'from', summary: 'again' },
      app: 'github-actions',
    });
  }

  const given = async (more: SourceFacts): Promise<string[]> =>
    (await source(undefined, more).given(graph, listing([]), 'main')).map(
      ({ decision, gate, actor, runNumber, runAttempt, n }) =>
        `${decision} ${gate} by ${actor} ${runNumber}.${runAttempt}.${n}`,
    );

  it('is a new attempt of that gate and all gates after it, from that attempt of the run on', async () => {
    write();
    const forced = ['force code by maria 4.2.0', 'force last by maria 4.2.0'];
    expect(await given({ runAttempt: 1 })).toEqual([]);
    expect(await given({ runAttempt: 2 })).toEqual(forced);
    expect(await given({ runAttempt: 3 })).toEqual(forced);
    expect(warnings).toEqual([]);
  });

  it.each<[string, Partial<CheckedFrom>, Partial<RunOptions>, number]>([
    ['another run', { position: { runNumber: 3, runAttempt: 2, n: 0 } }, {}, 0],
    ['another gate than the person named', { gate: 'draft' }, {}, 1],
    ['a person who may not write', {}, { actor: 'rita' }, 1],
    ['a run that a push started', {}, { event: 'push' }, 1],
  ])('is ignored if it is of %s', async (_, more, run, named) => {
    write(more, run);
    expect(await given({ runAttempt: 2 })).toEqual([]);
    expect(warnings).toHaveLength(named);
  });

  it('must be readable in an attempt that a program started, and is named in one of a person', async () => {
    const fault = { kind: 'status', status: 500 } as const;
    service.faults.add({ operation: 'checks/list-for-ref', fault, times: 99 });
    const unreadable = { code: 'DECISIONS_UNREADABLE' };
    await expect(given({ runAttempt: 2, isByProgram: true })).rejects.toMatchObject(unreadable);
    expect(await given({ runAttempt: 2 })).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('it cannot be read from which gate this run starts again')]);
  });

  it('is not looked for by a token that may not read it', async () => {
    write();
    const token = service.issueToken({ repository: REPOSITORY_NAME, permissions: { actions: 'read' } });
    expect(await given({ runAttempt: 2, token })).toEqual([]);
    expect(warnings).toEqual([]);
    expect(await given({ runAttempt: 2, token, isByProgram: true })).toEqual([]);
    expect(warnings).toHaveLength(1);
  });
});
