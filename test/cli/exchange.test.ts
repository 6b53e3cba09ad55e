import { existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEEP_DIVE, ORCHESTRATION } from '../formats/agent-flow-example.ts';
import { WORKFLOW } from '../formats/nexus-example.ts';
import { METADATA, EXAMPLE_FILES, STEM, STORY } from '../formats/state-guide-example.ts';
import { SKILL } from '../formats/uasp-example.ts';
import { agent, pipeline, Project } from './support.ts';

const FLOW = pipeline(
  {
    exploration: { agent: 'Riko', output: { message: '/message' }, run: agent({ message: 'Found 3 modules' }) },
    planning: { agent: 'Senku', needs: ['exploration'] },
    implementation: { agent: 'Loid', needs: ['planning'], files: ['made.txt'], run: `${agent()}; echo 1 > made.txt` },
  },
  { task: 'Add a login' },
);
const create = (definition = FLOW) => new Project({ 'gateline.yml': definition });
const mirrored = (...systems: string[]) =>
  FLOW.replace('"pipeline": "p"', `"pipeline": "p", "mirror": ${JSON.stringify(systems)}`);

describe('mirror', () => {
  it('keeps the files of other systems up to date in their own folders, and they are inputs of no gate', async () => {
    const project = create(mirrored('agent-flow', 'dev-loop', 'nexus').replaceAll('"inputs": []', '"retries": 0'));
    await project.expect('run', 0);
    const state = project.read('.claude/orchestration.local.md');
    expect(state).toMatch(/^---\nactive: false\ncurrent_phase: "complete"\n/);
    expect(state).toContain('message: "Found 3 modules"');
    const history = '.claude/skills/nexus/history';
    expect(JSON.parse(project.read(`${history}/.current-workflow.json`)!)).toMatchObject({
      status: 'COMPLETED',
      completedPhases: ['exploration', 'planning', 'implementation'],
    });
    expect(readdirSync(join(project.root, history)).toSorted()).toEqual(
      ['.current-workflow.json', 'backups', 'daily-summary.json', 'executions.jsonl'].toSorted(),
    );
    expect(JSON.parse(project.read('.devloop/workflow-state.json')!)).toMatchObject({ status: 'done' });
    expect(project.ran().split(' ')).toHaveLength(3);
    await project.expect('run', 0, /Everything is done/);
    expect(project.ran()).toBe('');
  });

  it('keeps the executions of every workflow of the folder in one file of nexus', async () => {
    const project = create(mirrored('nexus'));
    project.write('fix.yml', mirrored('nexus').replace('"pipeline": "p"', '"pipeline": "bugfix"'));
    await project.expect('run', 0);
    await project.expect('run --file fix.yml', 0);
    const lines = project.read('.claude/skills/nexus/history/executions.jsonl')!.trim().split('\n');
    const executions = lines.map((line) => JSON.parse(line) as { id: string; workflowName: string });
    expect(executions.map(({ workflowName }) => workflowName)).toEqual(['p', 'bugfix']);
    expect(new Set(executions.map(({ id }) => id)).size).toBe(2);
  });

  it('shows the phase that is running', async () => {
    const go = '$RUNS.go';
    const slow = mirrored('agent-flow').replace(
      agent({ message: 'Found 3 modules' }).replaceAll('"', '\\"'),
      agent({}, go).replaceAll('"', '\\"'),
    );
    const project = create(slow);
    const call = project.start(['run']);
    await expect.poll(() => existsSync(join(project.outside, 'runs'))).toBe(true);
    expect(project.read('.claude/orchestration.local.md')).toContain('exploration:\n    status: "in_progress"');
    writeFileSync(`${project.environment['RUNS']}.go`, '');
    expect((await call.answer).exit).toBe(0);
  });

  it("sets another program's file aside, and goes on if the folder is a link", async () => {
    const project = create(mirrored('agent-flow'));
    project.write('.claude/orchestration.local.md', 'mine');
    await project.expect('run', 0);
    const aside = readdirSync(join(project.root, '.claude')).find((name) => name.endsWith('.bak'))!;
    expect(project.read(`.claude/${aside}`)).toBe('mine');
    const linked = create(mirrored('agent-flow'));
    symlinkSync(linked.outside, join(linked.root, '.claude'));
    await linked.expect('run', 0, /the files of agent-flow are not renewed: .* lies behind a link/);
    expect(existsSync(join(linked.outside, 'orchestration.local.md'))).toBe(false);
  });
});

describe('export', () => {
  it('writes a run as the files of a system, or only names them', async () => {
    const project = create();
    await project.gateline('run');
    await project.expect(
      'export nexus --dry-run',
      0,
      'would write .claude/skills/nexus/history/.current-workflow.json',
    );
    expect(existsSync(join(project.root, '.claude'))).toBe(false);
    await project.expect('export agent-flow --output out', 0, 'wrote out/orchestration.local.md');
    expect(project.read('out/orchestration.local.md')).toContain('- Agent: Riko\n- Status: PASSED');
    const { files } = await project.json<{ files: string[] }>('export', 'state-guide', '-n');
    expect(files).toContain('.state/main-gate0-output.json');
    await project.expect('export agentflow', 2, 'there is no system agentflow', 'did you mean `agent-flow`');
  });
});

describe('import', () => {
  it('takes over phases, the deep dive and executions of other systems', async () => {
    const project = create();
    project.write('.claude/orchestration.local.md', ORCHESTRATION);
    project.write('.claude/deep-dive.local.md', DEEP_DIVE);
    await project.expect(
      'import agent-flow',
      0,
      'imported exploration\nimported planning\nimported .gateline/memory/deep-dive.md',
      'implementation did not pass: it runs again',
      'its task is not that of the run: set `task: "Add user authentication with JWT tokens"` in gateline.yml, then import again',
    );
    expect(project.read('.gateline/memory/deep-dive.md')).toBe(DEEP_DIVE);
    expect(await project.run()).toBe('0: implementation');
    const line = {
      id: 'workflow-20251029-123456',
      workflowName: 'p',
      userTask: 'x',
      status: 'COMPLETED',
      duration: 4_500_000,
    };
    project.write(
      'old/executions.jsonl',
      `${JSON.stringify({ ...line, phasesCompleted: 10, timestamp: 1730207096000 })}\n`,
    );
    await project.expect('import nexus old', 0, 'imported 1 run into the history');
    await project.expect('import nexus old', 0, 'There is nothing to import.');
    project.write(
      'old/backups/workflow-1.json',
      JSON.stringify({ ...WORKFLOW, results: { planning: {} }, completedPhases: ['planning'] }),
    );
    await project.expect('import nexus old/backups/workflow-1.json', 0, 'imported planning');
    await project.expect('history --all', 0, 'workflow-20251029-123456');
  });

  it("takes the state guide's example files into its template, and goes on with the next gate", async () => {
    const project = new Project({});
    await project.expect('init --template state-guide', 0);
    for (const file of EXAMPLE_FILES.slice(0, 3))
      project.write(`.state/${STEM}-gate${file.gate}-output.json`, JSON.stringify(file));
    const pipelineState = { status: 'IN_PROGRESS', currentGate: 2, completedGates: [0, 1, 2] };
    project.write(
      `.state/${STEM}-pipeline.json`,
      JSON.stringify({ ...pipelineState, metadata: { ...METADATA, ...STORY } }),
    );
    await project.expect(
      'import state-guide',
      0,
      'imported data\nimported design\nimported map\nuserStory of its metadata is not that of the run',
    );
    await project.expect('run --quiet', 0, /2 {2}map +passed +adopted +87[\s\S]+3 {2}generate +passed +ran/);
  });

  it('refuses files that fit no gate or no contract, and imports nothing', async () => {
    const project = create(pipeline({ other: {} }));
    project.write('.claude/orchestration.local.md', ORCHESTRATION);
    await project.expect(
      'import agent-flow',
      2,
      'no gate of p is among exploration, planning',
      '--template agent-flow',
    );
    const strict = create(
      FLOW.replace('"message": "/message"', '"message": "/message", "schema": {"required": ["modules"]}'),
    );
    strict.write('.claude/orchestration.local.md', ORCHESTRATION);
    await strict.expect('import agent-flow', 1, /exploration: schema: .*modules/, 'Nothing was imported');
    strict.write('.current-workflow.json', JSON.stringify(WORKFLOW));
    await strict.expect('import nexus .current-workflow.json', 2, /hint: name the gates of gateline.yml so\n/);
    await strict.expect('import nexus', 2, 'history does not exist', '~/.claude/skills/nexus/history');
    await strict.expect('import agent-flow nowhere', 2, /nowhere does not exist/, 'PATH');
    expect((await strict.json<{ status: string }>('status')).status).toBe('initializing');
  });
});

describe('a skill of UASP', () => {
  const MANIFEST = 'loaded_skills: [{name: pool, state: {resource: {valid: true, has_value: true}}}]\n';

  it('becomes a definition whose commands run, and is exported with its state', async () => {
    const project = new Project();
    project.write('agent-browser.uasp.yaml', SKILL);
    project.program('agent-browser', '#!/bin/sh\necho \'["@e1"]\'\n');
    await project.expect('import uasp', 2, 'the skill is not named', 'gateline import uasp FILE');
    await project.expect('import uasp agent-browser.uasp.yaml', 0, 'wrote gateline.yml', 'optional parts of logout');
    await project.expect('validate', 0, 'no errors');
    await project.expect('do snapshot', 0);
    await project.expect('export uasp --dry-run', 0, 'would write uasp/agent-browser.uasp.yaml');
    await project.expect('export uasp', 0, 'wrote uasp/manifest.json');
    const none = { valid: false, has_value: false };
    expect(project.readJson('uasp/manifest.json')).toEqual({
      loaded_skills: [
        {
          name: 'agent-browser',
          state: {
            session: none,
            refs: { valid: true, has_value: true },
            page_state: { valid: true, has_value: true },
          },
        },
      ],
    });
    const definition = project.read('gateline.yml')!;
    project.remove('gateline.yml');
    await project.expect('import uasp uasp/agent-browser.uasp.yaml', 0, 'wrote gateline.yml');
    expect(project.read('gateline.yml')).toBe(definition);
    await project.expect('entities refs', 0, /refs +valid/);
  });

  it('is printed where there is a definition, with what its manifest says', async () => {
    const project = create();
    project.write(
      'pool.yaml',
      `name: pool\n${MANIFEST}commands: {acquire: {syntax: pool acquire, creates: [resource]}}\n`,
    );
    await project.expect(
      'import uasp pool.yaml',
      0,
      'stays as it is',
      'commands:\n  acquire:\n    syntax: pool acquire\n    creates: [resource]',
      'resource is valid in the manifest: `gateline entities set resource valid --value JSON`',
    );
    expect(project.read('gateline.yml')).toBe(FLOW);
    project.write('manifest.yaml', MANIFEST);
    await project.expect('import uasp manifest.yaml', 0, /^resource is valid in the manifest/);
    await project.expect('export uasp', 2, 'gateline.yml has no entities and no commands');
  });
});
