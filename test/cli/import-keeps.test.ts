import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline, gatelineYml, writes } from './in-process.ts';

const seed = (name: string): Promise<string> => readFile(join(REPOSITORY, 'test/fixtures/seeds', name), 'utf8');

const here = (workspace: ScratchWorkspace, ...args: string[]): ReturnType<typeof gateline> =>
  gateline(workspace.root, args);

/** A new definition from files that another system left, and what is then exported again. */
async function again(workspace: ScratchWorkspace, system: string, file: string, ...args: string[]): Promise<string> {
  await expectOk(here(workspace, 'import', system, ...args));
  await expectOk(here(workspace, 'export', system, '--to', workspace.beside('exported')));
  return readFile(workspace.beside(`exported/${file}`), 'utf8');
}

const metadata = { domain: 'demoqa_com', feature: 'registration', url: 'https://demoqa.com/x' };

const envelope = (gate: number): string =>
  JSON.stringify({
    gate,
    agent: 'DOMAgent',
    status: 'SUCCESS',
    metadata,
    output: { made: gate },
    validation: { score: 87, issues: ['2 elements have confidence < 80%'], passed: true },
  });

const pipelineFile = (...completedGates: number[]): string =>
  JSON.stringify({
    status: 'IN_PROGRESS',
    currentGate: 2,
    completedGates,
    metadata: { ...metadata, userStory: '', acceptanceCriteria: [] },
  });

describe('an import of the state guide', () => {
  it('keeps what the files remark about an output, and their score', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    await workspace.write('old/demoqa_com-registration-gate1-output.json', envelope(1));
    const name = 'demoqa_com-registration-gate1-output.json';
    const file = JSON.parse(await again(workspace, 'state-guide', name, '--from', 'old')) as object;
    expect(file).toMatchObject({
      output: { made: 1 },
      validation: {
        issues: [
          '2 elements have confidence < 80%',
          "the agent's own state file says SUCCESS with a score of 87; this decides nothing",
        ],
      },
    });
  });

  it('goes on under the subject that the files are named after', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    await workspace.write('old/req-42-gate1-output.json', envelope(1));
    await workspace.write('old/req-42-pipeline.json', pipelineFile(1));
    await again(workspace, 'state-guide', 'req-42-gate1-output.json', '--from', 'old');
    expect(await workspace.read('gateline.yml')).toContain('subject: req-42\n');
    expect((await here(workspace, 'status')).out).toContain('Run 1 of state-guide for req-42');
  });

  it('names the need that is not completed, and metadata that the definition lacks', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    for (const gate of [1, 2])
      await workspace.write(`old/demoqa_com-registration-gate${gate}-output.json`, envelope(gate));
    await workspace.write('old/demoqa_com-registration-pipeline.json', pipelineFile(2));
    const refused = await here(workspace, 'import', 'state-guide', '--from', 'old');
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(
      'demoqa_com-registration-gate2-output.json IMPORT_REFUSED gate gate-2: it is completed, and gate-1, which it needs, is not (at /output)',
    );
    await workspace.write('gateline.yml', 'gates: {one: {number: 1, inputs: []}, two: {number: 2, inputs: []}}\n');
    const unknown = await here(workspace, 'import', 'state-guide', '--from', 'old');
    expect(unknown.err).toContain('it is "demoqa_com", and the run has none: add `metadata` to the definition');
    const lacking = 'metadata: { feature: registration } # mine\n';
    await workspace.write(
      'gateline.yml',
      `${lacking}gates: {one: {number: 1, inputs: []}, two: {number: 2, inputs: []}}\n`,
    );
    await expectOk(here(workspace, 'import', 'state-guide', '--from', 'old', '--write'));
    const written = await workspace.read('gateline.yml');
    expect(written).toMatch(/^metadata: \{feature: registration, domain: demoqa_com, url: .*\} # mine\n/);
  });
});

describe('an import of agent-flow', () => {
  it('keeps messages and results, and names what runs again', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    await workspace.write('.claude/orchestration.local.md', await seed('orchestration.local.md'));
    const { err } = await expectOk(here(workspace, 'import', 'agent-flow', '--dry-run'));
    expect(err).toContain('orchestration.local.md /gates/implementation: it is in_progress, so it runs again');
    const text = await again(workspace, 'agent-flow', 'orchestration.local.md');
    expect(text).toContain('    message: "Exploration complete"\n');
    expect(text).toContain('- Message: Plan created with 5 steps\n');
  });

  it('keeps the results of a team', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    await workspace.write('.claude/team-orchestration.local.md', await seed('team-orchestration.local.md'));
    const text = await again(workspace, 'agent-flow', 'team-orchestration.local.md');
    expect(text).toMatch(/ {4}review:\n {6}status: "passed"\n.*\n.*\n {6}result: "APPROVED"\n/);
    expect(text).toContain('- Result: APPROVED\n');
    expect(await workspace.read('gateline.yml')).toMatch(/pointer: \/result\n\s+pass:\n\s+- VERIFIED/);
  });

  it.each(['orchestration.local.md', 'team-orchestration.local.md'])('adopts %s in the template', async (name) => {
    await using workspace = await ScratchWorkspace.create({ 'hello.txt': 'hello' });
    await expectOk(here(workspace, 'init', '--template', 'agent-flow'));
    await workspace.write(`.claude/${name}`, await seed(name));
    expect((await expectOk(here(workspace, 'import', 'agent-flow'))).out).toContain('planning: adopted\n');
    expect((await expectOk(here(workspace, 'run', '--quiet'))).out).toContain('5 of 5 gates done');
  });
});

describe('a new definition', () => {
  it('is edited, and the files are exported, without making what was adopted run again', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    await workspace.write('.claude/orchestration.local.md', await seed('orchestration.local.md'));
    const { err } = await expectOk(here(workspace, 'import', 'agent-flow'));
    expect(err).toContain('/.claude/*.local.md was added to .git/info/exclude');
    const choice = async (): Promise<string[]> =>
      (await expectOk(here(workspace, 'plan'))).out
        .split('\n')
        .slice(1, 3)
        .map((line) => line.slice(3));
    const kept = [expect.stringMatching(/^exploration +keep /), expect.stringMatching(/^planning +keep /)];
    await workspace.edit('gateline.yml', '  implementation:\n', "  implementation:\n    run: 'true'\n");
    await expectOk(here(workspace, 'export', 'agent-flow'));
    expect(await choice()).toEqual(kept);
    // Its own run is another request, until it is adopted for that one.
    await workspace.edit('gateline.yml', '  exploration:\n', "  exploration:\n    run: 'true'\n");
    expect((await choice())[0]).toMatch(/^exploration +run +key run changed/);
    await workspace.write('.claude/orchestration.local.md', await seed('orchestration.local.md'));
    await expectOk(here(workspace, 'import', 'agent-flow'));
    expect(await choice()).toEqual(kept);
    await workspace.write('README.md', 'y');
    expect((await choice())[0]).toMatch(/^exploration +run /);
  });

  it('is of a repository without any other file', async () => {
    await using workspace = await ScratchWorkspace.create({ '.gitignore': '.claude/\n' });
    await workspace.git('rm', '-q', '-f', '.gitignore');
    await workspace.write('.claude/orchestration.local.md', await seed('orchestration.local.md'));
    expect((await expectOk(here(workspace, 'import', 'agent-flow'))).out).toContain('planning: adopted');
  });

  it('has the subject that --subject names', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    await workspace.write('.claude/orchestration.local.md', await seed('orchestration.local.md'));
    await expectOk(here(workspace, 'import', 'agent-flow', '--subject', 'login'));
    expect((await here(workspace, 'status')).out).toContain('Run 1 of agent-flow for login: executing. 2 of 5');
  });

  it('has the thread of dev-loop as its subject', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    const none = { context: null, changes: null, testResults: null, error: null, retryCount: 0, handoffContext: {} };
    const state = { threadId: 'prd-1', task: { id: 'REQ-1' }, status: 'in-progress', ...none };
    await workspace.write('.devloop/workflow-state.json', JSON.stringify(state));
    expect(JSON.parse(await again(workspace, 'dev-loop', 'workflow-state.json'))).toMatchObject({ threadId: 'prd-1' });
  });
});

it.each(['state-guide', 'agent-flow', 'dev-loop', 'nexus'])('%s is not exported without a run', async (system) => {
  await using workspace = await ScratchWorkspace.create({
    'gateline.yml': gatelineYml({ one: { run: writes(1), inputs: [] } }),
  });
  const { code, err } = await here(workspace, 'export', system, '--to', workspace.beside('exported'));
  expect(code).toBe(2);
  expect(err).toContain('RUN_UNKNOWN: there is no run of p for main yet');
});

it('a mirror may be one system, without a list', async () => {
  await using workspace = await ScratchWorkspace.create({
    'gateline.yml': gatelineYml({ one: { run: writes(1), inputs: [] } }, { mirror: 'dev-loop' }),
  });
  await expectOk(here(workspace, 'run', '--quiet'));
  expect(await workspace.read('.devloop/workflow-state.json')).toContain('"status": "done"');
});
