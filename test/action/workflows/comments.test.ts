import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compiled } from '../../compile/compiled.ts';
import type { StoredComment } from '../../support/github/model.ts';
import type { RunReport, WorkflowRun } from '../../support/runner/workflow-run.ts';
import { spread } from '../../support/samples.ts';
import { ActionWorld, messagesOf, outputsOf, redJobs } from './action-world.ts';
import { COMMENTS, lastAnswer, packaged, runFor, writeComment, type CommentOptions } from './comment-world.ts';
import { pullRequest } from './pull-request.ts';
import { agent } from './workflow-text.ts';

// The packaged workflow comment.yml, and the compiled workflow of a pipeline whose gates read its decisions.

const WORKFLOW = '.github/workflows/pipeline.yml';
const DEFINITION = JSON.stringify({
  workflow: { commands: true },
  gates: {
    draft: { run: agent({ text: 'x' }), inputs: [] },
    translate: { needs: 'draft', run: agent({ text: 'y' }), inputs: [], approval: 'required' },
    publish: { needs: 'translate', run: `test -z "$BROKEN" || exit 1\n${agent({ done: true })}`, inputs: [] },
  },
});

let world: ActionWorld;
beforeEach(async () => {
  world = await worldOf(DEFINITION);
});
afterEach(() => world[Symbol.asyncDispose]());

/** A repository with a definition, its compiled workflow and the packaged one. */
async function worldOf(definition: string): Promise<ActionWorld> {
  const made = await ActionWorld.create({
    'gateline.yml': definition,
    [WORKFLOW]: compiled(definition).text,
    '.github/workflows/comment.yml': packaged('comment.yml', 'issue_comment'),
  });
  for (const [login, level] of [
    ['maria', 'write'],
    ['rita', 'read'],
  ] as const)
    made.service.world.collaborators.set(login, level);
  return made;
}

/** A run of pull request 7 that waits at `translate`. */
async function waiting(machine: Readonly<Record<string, string>> = {}): Promise<WorkflowRun> {
  const run = await world.run({ workflow: WORKFLOW, ...(await pullRequest(world)), machine });
  const report = await run.start().ended;
  expect(report.job('translate').conclusion).toBe('failure');
  expect(await world.startedGates()).toEqual(['draft', 'translate']);
  return run;
}

async function say(
  body: string,
  options: CommentOptions = {},
): Promise<{ readonly report: RunReport; readonly comment: StoredComment }> {
  const comment = writeComment(world, body, options);
  return { comment, report: await runFor(world, comment, options) };
}

const reruns = (): readonly string[] => world.service.world.reruns.map(({ which }) => which);

describe('a caller who grants less', () => {
  it.each(spread(['actions', 'checks', 'pull-requests'], 1))('is told: %s', async (permission) => {
    await waiting();
    const granted = { ...COMMENTS, [permission]: 'read' };
    await world.repository.write('.github/workflows/comment.yml', packaged('comment.yml', 'issue_comment', granted));
    await world.repository.commitAll('permissions');
    const command = permission === 'checks' ? 'approve translate' : 'resume';
    const { report } = await say(`/gateline ${command}`);
    // What cannot be answered in the thread is told by the job, which is red.
    const isSilent = permission === 'pull-requests';
    const job = report.job('comment');
    const told = isSilent ? messagesOf(job, 'warning').join() : lastAnswer(world);
    expect(job.conclusion).toBe(permission === 'actions' ? 'success' : 'failure');
    expect(told.replaceAll('&#96;', '`')).toContain(`Give the job \`${permission}: write\` under \`permissions:\``);
    expect(reruns().length).toBe(isSilent ? 1 : 0);
  });
});

describe('a command in a comment', () => {
  it('status and plan answer, resume re-runs, skip and retry decide about a gate', async () => {
    const run = await waiting({ BROKEN: '1' });
    await say('/gateline status');
    expect(lastAnswer(world)).toMatch(/\| `translate` \| .*paused/);
    await say('/gateline plan');
    expect(lastAnswer(world)).toMatch(/waiting for a decision: `translate`\n- kept: `draft`/);
    await say('/gateline approve translate');
    expect((await run.rerunFailed().ended).job('publish').conclusion).toBe('failure');
    await say('/gateline status');
    expect(lastAnswer(world)).toMatch(/\| `translate` \| .*passed[^]*\| `publish` \| .*failed/);
    await say('/gateline plan');
    expect(lastAnswer(world)).toMatch(/runs: `publish`\n- waiting for a decision: none\n- kept: `draft`, `translate`/);
    await say('/gateline resume');
    expect(lastAnswer(world)).toMatch(/^Resumed: the failed jobs of/);
    await world.startedGates();
    await say('/gateline skip publish not needed <b>today</b>');
    expect(reruns()).toEqual(['failed', 'failed', 'failed']);
    const skipped = await run.rerunFailed().ended;
    expect(skipped.job('report').conclusion).toBe('success');
    expect(outputsOf(skipped.job('publish'))['decision']).toBe('skip');
    expect(await world.startedGates()).toEqual([]);
    await say('/gateline status');
    expect(lastAnswer(world)).toMatch(/\| `publish` \| .*skipped/);
    await say('/gateline retry draft');
    expect(reruns().at(-1)).toBe('all');
    await run.rerunAll().ended;
    expect(await world.startedGates()).toEqual(['draft']);
  });

  it('status shows a run although a decision is about a gate that only the pull request has', async () => {
    const run = await waiting({ BROKEN: '1' });
    await say('/gateline approve translate');
    await run.rerunFailed().ended;
    const { publish: _, ...gates } = (JSON.parse(DEFINITION) as { gates: Record<string, unknown> }).gates;
    await world.repository.write('gateline.yml', JSON.stringify({ workflow: { commands: true }, gates }));
    await world.repository.commitAll('the default branch, without publish');
    await say('/gateline retry publish');
    expect(lastAnswer(world)).toMatch(/^Again `publish`: all jobs of/);
    await run.rerunAll().ended;
    await say('/gateline status');
    expect(lastAnswer(world)).toMatch(/\| `translate` \| .*passed/);
    expect(lastAnswer(world)).toContain('Not defined on the default branch, and not shown: `publish`');
  });

  it('status and the report show the legs that an approved output asks for', async () => {
    await world[Symbol.asyncDispose]();
    const leg = `test "$GATELINE_LEG" = leg-0 || exit 1\n${agent({ built: true })}`;
    const gates = {
      plan: { run: agent({ packages: [{ name: 'api' }, { name: 'web' }] }), inputs: [], approval: 'required' },
      build: {
        needs: 'plan',
        run: leg,
        inputs: [],
        strategy: { matrix: '${{ needs.plan.output.packages }}', 'fail-fast': false },
      },
    };
    world = await worldOf(JSON.stringify({ workflow: { commands: true }, gates }));
    const run = await world.run({ workflow: WORKFLOW, ...(await pullRequest(world)) });
    await run.start().ended;
    await say('/gateline approve plan');
    const report = await run.rerunFailed().ended;
    expect(report.job('report').summary).toMatch(/└ `leg-1` \| .*failed/);
    await say('/gateline status');
    for (const row of [/\| `plan` \| .*passed/, /`(?:build\/)?leg-0` \| .*passed/, /`(?:build\/)?leg-1` \| .*failed/])
      expect(lastAnswer(world)).toMatch(row);
    await say('/gateline reject build not this one');
    expect(lastAnswer(world)).toMatch(/gate build has 2 legs; name one of them\. Legs: build\/leg-0, build\/leg-1\.$/);
  });

  it('does nothing for a moved head or a newer run, unless the commit is named', async () => {
    await waiting();
    const before = world.service.world.runs.get(502)!.headSha;
    const comment = writeComment(world, '/gateline approve translate');
    const pull = world.service.world.pulls[0]!;
    Object.assign(pull, { head: { ...pull.head, sha: '7'.repeat(40) } });
    expect(redJobs(await runFor(world, comment))).toEqual([]);
    expect(lastAnswer(world)).toMatch(/^Nothing was done: the head of the pull request is 7777777 now/);
    expect(comment.reactions).toEqual(['confused']);
    expect(world.service.world.checkRuns).toEqual([]);
    expect(reruns()).toEqual([]);
    await say(`/gateline approve translate ${before.slice(0, 10)}`);
    expect(lastAnswer(world)).toMatch(/^Approved `translate`/);
    expect(reruns()).toEqual(['failed']);
  });

  it('that cannot be carried out is answered, with the names of the gates', async () => {
    await waiting();
    for (const [body, text] of [
      ['/gateline reject draft wrong tone', /^Nothing was done: gate draft waits for nobody/],
      ['/gateline approve publish', /^Nothing was done: there is nothing to approve/],
      [
        '/gateline approve translat',
        /^Nothing was done: there is no gate translat; did you mean .*translate.*\. Gates: draft, translate, publish\.$/,
      ],
      ['/gateline retry drafts', /there is no gate drafts; .*Gates: draft, translate, publish\.$/],
      ['/gateline resume from draft/leg', /there is no gate draft\/leg\. Gates: draft, translate, publish\.$/],
    ] as const) {
      const { report, comment } = await say(body);
      expect(redJobs(report)).toEqual([]);
      expect(comment.reactions).toEqual(['confused']);
      expect(lastAnswer(world)).toMatch(text);
    }
    expect(reruns()).toEqual([]);
    Object.assign(world.service.world.pulls[0]!, { state: 'closed' });
    for (const body of ['approve translate', 'resume', 'retry draft', 'skip publish no']) {
      await say(`/gateline ${body}`);
      expect(lastAnswer(world)).toBe('Nothing was done: pull request 7 is closed.');
    }
    expect(reruns()).toEqual([]);
    expect(world.service.world.checkRuns).toEqual([]);
    await say('/gateline status');
    expect(lastAnswer(world)).toMatch(/\| `translate` \| .*paused/);
  });
});

describe('a comment that gives no command', () => {
  const NO_GATE = /approve needs the id of a gate/;
  const SAID: [string, CommentOptions, readonly string[], RegExp?][] = [
    ['/gateline approve translate', { by: 'rita' }, ['-1']],
    ['/gateline approve translate', { by: 'eve' }, ['-1']],
    ['/gateline approve translate', { by: 'helper[bot]', type: 'Bot' }, ['-1']],
    ['/gateline approve translate', { viaApp: 'coding-agent' }, ['-1']],
    ['/gateline approve translate', { isEdited: true }, ['confused'], /the comment was edited/],
    ['/gateline approve translate', { issue: 8 }, []],
    ['/gateline approve translate', { action: 'edited' }, []],
    ['> /gateline approve translate', { eventBody: '/gateline approve translate' }, []],
    ['/gateline $(touch /tmp/x)', {}, ['confused'], /there is no such command/],
    ['/gateline skip publish', {}, ['confused'], /skip needs a reason/],
    ['/gateline approve translate; rm -rf ~', {}, ['confused'], NO_GATE],
    ['/gateline approve ../translate', {}, ['confused'], NO_GATE],
    ['/gateline approve ${{ secrets.GITHUB_TOKEN }}', {}, ['confused'], NO_GATE],
    ['/gateline approve trans\u202elate', {}, ['confused'], NO_GATE],
    ['/gateline approve tran\u200bslate', {}, ['confused'], NO_GATE],
    ['/gateline approve transl\u0430te', {}, ['confused'], NO_GATE],
    [`/gateline approve ${'a'.repeat(60_000)}`, {}, ['confused'], NO_GATE],
    ['/gateline approve translate && /gateline approve publish', {}, ['confused'], /followed by something else/],
    ['/gateline approve translate --force', {}, ['confused'], /followed by something else/],
    ['/gateline approve translate 7777777;id', {}, ['confused'], /followed by something else/],
    ['/gateline resume everything', {}, ['confused'], /followed by something else/],
    ['/gateline resume from $(id)', {}, ['confused'], /resume needs the id of a gate/],
    ['/gateline retry `id`', {}, ['confused'], /retry needs the id of a gate/],
    ['/gateline reject ${{ github.token }} x', {}, ['confused'], /reject needs the id of a gate/],
    ['/gateline approve\ttranslate', {}, ['confused'], /control character/],
    ['/gateline approve translate\u0000', {}, ['confused'], /control character/],
    ['/gateline <img src=x onerror=alert(1)>', {}, ['confused'], /there is no such command/],
    ['/gateline @octo/everyone', {}, ['confused'], /there is no such command/],
    ['/gateline __proto__ translate', {}, ['confused'], /there is no such command/],
    ['/gateline constructor', {}, ['confused'], /there is no such command/],
    ['/gateline status; approve translate', {}, ['confused'], /there is no such command/],
    [' /gateline approve translate', {}, []],
    ['please\n/gateline approve translate', {}, []],
    ['```\n/gateline approve translate\n```', {}, []],
    ['/Gateline approve translate', {}, []],
    ['/gatelineapprove translate', {}, []],
    ['/gateline\u00a0approve translate', {}, []],
    ['/gateline approve translate', { action: 'deleted' }, []],
  ];

  it('changes nothing, whoever wrote it', async () => {
    await waiting();
    for (const [body, options, reactions, text] of SAID.filter(
      (_, index) => index < 9 && (index % 2 === 0 || index === 3),
    )) {
      const count = world.service.world.comments.length;
      const { comment, report } = await say(body, options);
      expect([body, options, comment.reactions]).toEqual([body, options, reactions]);
      expect(report.jobs.size).toBe(1);
      const answered = text === undefined ? 1 : 2;
      expect(world.service.world.comments).toHaveLength(count + answered);
      if (text === undefined) continue;
      expect(lastAnswer(world)).toMatch(text);
      // Nothing of what was written is in the answer.
      expect(lastAnswer(world)).not.toMatch(/<img|@octo|\$[({]|`id`|rm -rf|\u202e/);
    }
    expect(world.service.world.checkRuns).toEqual([]);
    expect(reruns()).toEqual([]);
  });
});
