import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Project, type RunView } from '../cli/support.ts';
import { bundlePrograms, compileCache } from '../support/runner/bundle.ts';
import { DEEP_DIVE, ORCHESTRATION, TEAM } from '../formats/agent-flow-example.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A folder with a template, as `init` writes it. */
async function init(template: string): Promise<Project> {
  const project = new Project();
  await project.expect(['init', '--template', template], 0, 'wrote gateline.yml\n', 'Next: `gateline plan`');
  project.commit();
  await project.expect('validate', 0, 'no errors');
  return project;
}

/** Runs, and says whose agents worked: `status: units`. */
async function run(project: Project, ...words: string[]): Promise<string> {
  const { result } = await project.json<{ result: { status: string; ran: string[] } }>('run', ...words);
  return `${result.status}: ${result.ran.join(' ')}`;
}

/** A call with nothing to do writes nothing. */
async function expectNothing(project: Project): Promise<void> {
  const before = project.state();
  expect(await run(project)).toBe('nothing: ');
  expect(project.state()).toBe(before);
}

describe('the default template', () => {
  it('is found by a bundle, in whose folder there are no sources', async () => {
    const { root, environment } = new Project();
    execFileSync(process.execPath, [join(await bundlePrograms(), 'cli.mjs'), 'init'], { cwd: root, env: environment });
    expect(readdirSync(root)).toEqual(expect.arrayContaining(readdirSync(join(ROOT, 'templates/default'))));
  });

  it('runs, fails, is fixed and runs again: only what is needed', async () => {
    const project = await init('default');
    expect(await run(project)).toBe('completed: design implement review');
    await expectNothing(project);
    await project.expect('init', 0, /^gateline.yml is there already: left as it is$/m);
    await project.expect('diff', 0, '# implement, attempt 1\n', '+hello\n');

    project.edit('agents/implement.mjs', "'hello\\n'", "'hallo\\n'");
    expect(await run(project)).toBe('failed: implement review');
    await project.expect('status', 0, 'review failed: check: ', 'output.critical == 0');
    // Its answer is that of the last attempt that was good, so its review is not asked again.
    project.edit('agents/implement.mjs', "'hallo\\n'", "['hello', ''].join('\\n')");
    expect(await run(project)).toBe('completed: implement');
    await expectNothing(project);
    expect(await run(project, '--task', 'Something else')).toBe('completed: design implement review');
    project.remove('hello.txt');
    expect(await run(project)).toBe('completed: ');
    expect(project.read('hello.txt')).toBe('hello\n');
  });
});

describe('the state-guide template', () => {
  const STEM = '.state/demoqa_com-student_registration';
  const stateFile = (project: Project, gate: number) => project.readJson(`${STEM}-gate${gate}-output.json`);

  it("keeps the guide's files and prints checkpoints; runs, fails, is fixed and runs again", async () => {
    const project = await init('state-guide');
    const { exit, err } = await project.gateline('run');
    expect(exit).toBe(0);
    expect(err.match(/^# .*$/gm)).toHaveLength(6);
    for (const gate of [0, 1, 2, 3, 4, 5]) {
      expect(stateFile(project, gate)).toMatchObject({ gate, status: 'SUCCESS', validation: { passed: true } });
      expect(project.read(`${STEM}-gate${gate}-checkpoint.md`)).toContain('demoqa_com');
    }
    expect(project.readJson(`${STEM}-pipeline.json`)).toMatchObject({
      status: 'SUCCESS',
      completedGates: [0, 1, 2, 3, 4, 5],
    });
    await expectNothing(project);

    project.edit('agents/gate4.mjs', 'existsSync(file)', 'existsSync(`${file}x`)');
    expect(await run(project)).toBe('failed: execute');
    expect(stateFile(project, 4)).toMatchObject({ status: 'PARTIAL', validation: { score: 0, passed: false } });
    expect(project.readJson(`${STEM}-pipeline.json`)).toMatchObject({ status: 'FAILED', currentGate: 4 });
    project.edit('agents/gate4.mjs', 'save(4', 'if (failedTests) throw new Error("no browser");\nsave(4');
    expect(await run(project)).toBe('failed: execute');
    expect(stateFile(project, 4)).toMatchObject({ status: 'FAILED', output: null });
    project.edit('agents/gate4.mjs', '`${file}x`', 'file');
    expect(await run(project)).toBe('completed: execute');
    await expectNothing(project);
    // The files of agents are outputs: none is set aside as somebody else's.
    expect(readdirSync(join(project.root, '.state')).filter((name) => name.endsWith('.bak'))).toEqual([]);
  });

  it('runs one gate by itself, on a state file of another tool or on the input of the caller', async () => {
    const project = await init('state-guide');
    expect(await run(project, '--gate', 'map')).toBe('failed: ');
    const testSteps = [{ stepNumber: 1, action: 'Press', target: 'submit' }];
    project.write('order.json', JSON.stringify({ testCases: [{ testId: 'TC_001', testSteps }] }));
    expect(await run(project, '--gate', 'map', '--input', 'order.json')).toBe('completed: map');
    expect(stateFile(project, 2)).toMatchObject({ output: { elementMappings: [{ logicalName: 'submit' }] } });
  });
});

describe('the agent-flow template', () => {
  const [ALONE, GROUPED] = ['.claude/orchestration.local.md', '.claude/team-orchestration.local.md'];

  it('runs, sends bad work back and keeps the state file', async () => {
    const project = await init('agent-flow');
    expect(await run(project)).toMatch(/^completed: exploration planning implementation (?:review|verification) /);
    await expectNothing(project);
    expect(project.read(GROUPED)).toMatch(/^current_phase: "complete"\niteration: 1\nmax_iterations: 10$/m);
    project.edit('agents/implementation.mjs', "'hello\\n'", "rework ? 'hello\\n' : 'hello'");
    project.remove('hello.txt');
    const result = await run(project);
    expect(result.split(' ').toSorted().join(' ')).toMatch(/^completed: implementation implementation review /);
    expect(project.read(GROUPED)).toMatch(/^iteration: 2$/m);
    expect(project.read(GROUPED)).toContain('- Result: APPROVED\n');
    await expectNothing(project);
    project.edit('agents/verification.mjs', "'hello'", "'goodbye'");
    project.edit(
      'gateline.yml',
      'pass: VERIFIED }\n    on-fail: { goto: implementation, max-iterations: 10 }',
      'pass: VERIFIED }',
    );
    expect(await run(project)).toBe('failed: verification');
    expect(project.read(GROUPED)).toContain('result: "FAILED"');
  });

  it('continues an orchestration, alone or of a team', async () => {
    const alone = await init('agent-flow');
    alone.write(ALONE, ORCHESTRATION);
    alone.write('.claude/deep-dive.local.md', DEEP_DIVE);
    const documents = 'imported .gateline/memory/deep-dive.md';
    await alone.expect('import agent-flow', 0, 'imported exploration\nimported planning\n', documents);
    expect(await run(alone)).toMatch(/^completed: implementation (?:review verification|verification review)$/);
    const team = await init('agent-flow');
    team.write(GROUPED, TEAM);
    team.write('hello.txt', 'hello\n');
    await team.expect('import agent-flow', 0, 'imported implementation\nimported review\n');
    expect(await run(team)).toBe('completed: verification');
  });
});

describe('the dev-loop template', () => {
  const ALL = 'fetch-task generate-changes apply-changes run-tests analyze-results handle-success';

  it('runs, repairs what tests find, and hands on what it learned', async () => {
    const project = await init('dev-loop');
    expect(await run(project)).toBe(`completed: ${ALL}`);
    await expectNothing(project);
    expect(project.readJson('.devloop/workflow-state.json')).toMatchObject({
      task: { title: 'Write hello.txt, which says hello' },
      testResults: { passed: 1 },
      status: 'done',
    });
    expect(project.read('.devloop/progress.md')).toContain('end files with a new line');
    project.edit('agents/generate-changes.mjs', "'hello\\n'", "rework ? 'hello\\n' : 'hallo\\n'");
    const round = 'generate-changes apply-changes run-tests analyze-results';
    // The second changes are those of the first run.
    expect(await run(project)).toBe(`completed: ${round} generate-changes`);
    await expectNothing(project);
  });

  it('continues a task with its changes and learned patterns', async () => {
    const project = await init('dev-loop');
    const state = { threadId: 't', context: null, testResults: null, error: null, retryCount: 0, handoffContext: {} };
    const task = { id: 'REQ-1.1', title: 'Log in', status: 'in-progress' };
    const changes = { files: [{ path: 'hello.txt', content: 'hello\n', operation: 'create' }] };
    project.write('.devloop/workflow-state.json', JSON.stringify({ ...state, task, changes, status: 'in-progress' }));
    project.write('.devloop/learned-patterns.md', '# Learned Patterns\n\n## Code Style\n- Prefer const over let\n');
    await project.expect(
      'import dev-loop',
      0,
      'imported fetch-task\nimported generate-changes\nimported .gateline/memory/learned-patterns.md\n',
    );
    expect(await run(project)).toBe('completed: apply-changes run-tests analyze-results handle-success');
    await project.expect('show handle-success', 0, 'REQ-1.1 is done');
  });
});

describe('the safety template', () => {
  it('lets a change pass that does no harm, and names what runs by itself, leaks or is gone', async () => {
    const project = await init('safety');
    expect(await run(project)).toBe('completed: implement safety');
    await expectNothing(project);
    project.write('test/a.test.mjs', '');
    project.commit();
    const key = `ghp_${'a'.repeat(36)}`;
    const harm = `
import { mkdirSync, rmSync } from 'node:fs';
mkdirSync('.github/workflows', { recursive: true });
writeFileSync('.github/workflows/x.yml', 'on: push');
writeFileSync('config.txt', 'ghp_' + 'a'.repeat(36));
rmSync('test/a.test.mjs');`;
    project.edit('agents/implement.mjs', "writeFileSync('hello.txt', 'hello\\n');", harm);
    project.commit();
    expect(await run(project)).toBe('failed: implement safety');
    await project.expect('status', 0, 'safety failed: check: ', 'length(output.findings) == 0');
    const { findings } = await project.json<{ findings: object[] }>('show', 'safety', 'output');
    expect(JSON.stringify(findings)).not.toContain(key);
    expect(findings).toEqual([
      { file: 'test/a.test.mjs', message: 'a test is deleted' },
      { file: '.github/workflows/x.yml', message: 'it runs by itself' },
      { file: 'config.txt', message: 'it holds a secret' },
    ]);
  });
});

describe('the worked example', () => {
  it('executes the tests that it made; what is broken fails by name, and only what is needed runs', async () => {
    const project = new Project();
    project.environment['NODE_COMPILE_CACHE'] = compileCache();
    const example = join(ROOT, 'examples/web-tests');
    // `npm start` leaves its state and the tests that it made there.
    const made = ['.state', 'tests'].map((name) => join(example, name));
    cpSync(example, project.root, { recursive: true, filter: (path) => !made.includes(path) });
    symlinkSync(join(ROOT, 'node_modules'), join(project.root, 'node_modules'));
    const page = project.read('page/registration.html')!;
    const definition = project.read('gateline.yml')!;
    expect(await run(project)).toBe('completed: data design map code execute learn');
    const { finalStatus } = await project.json<{ finalStatus: object }>('show', 'execute', 'output');
    expect(finalStatus).toMatchObject({ passRate: 100, failedTests: 0 });
    await project.expect('show learn learnings', 0, '- The pass rate of 3 runs was 100 %.\n');
    expect(project.readJson('.state/demoqa_com-student_registration-pipeline.json')).toMatchObject({
      status: 'SUCCESS',
    });
    await expectNothing(project);

    project.write('page/registration.html', page.replace(/mobile: \/.*\//, 'mobile: /./'));
    expect(await run(project)).toBe('failed: map execute');
    await project.expect('show execute', 0, 'output.finalStatus.failedTests == 0', 'TC_');
    project.write('page/registration.html', page);
    expect(await run(project)).toBe('completed: ');
    project.write('page/registration.html', page.replace('First Name', 'Given Name'));
    expect(await run(project)).toBe('failed: map');
    await project.expect('status', 0, /map is below its threshold: .*83/);
    await project.expect('show map', 0, 'not on the page: First Name');
    project.write('page/registration.html', page);

    project.write('gateline.yml', definition.replace('    - ', "    - 'Age is required: a number'\n    - "));
    expect(await run(project)).toBe('failed: data');
    await project.expect('show data', 0, 'score: 80 < 90', 'unclear: Age is required: a number');
    project.write('gateline.yml', definition.replace('[files, pageObjects', '[author, files, pageObjects'));
    expect(await run(project)).toBe('failed: code');
    await project.expect('status', 0, /code failed: schema: .*author/);
    project.write('gateline.yml', definition);
    expect((await run(project)).split(' ')[0]).toBe('completed:');
    await expectNothing(project);
  });
});

/** `claude` and `codex`: design, implement in hello.txt, and review it; the first review is bad. */
const AGENT = `#!/usr/bin/env node
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
const words = process.argv.slice(2);
const prompt = readFileSync(0, 'utf8');
const name = /^# (\\w+)/.exec(prompt)[1].toLowerCase();
const failing = existsSync('quota');
if (name === 'implement' && !failing) writeFileSync('hello.txt', prompt.includes('"rework"') || existsSync('hello.txt') ? 'hello' : 'hallo');
const critical = name === 'review' && readFileSync('hello.txt', 'utf8') !== 'hello' ? 1 : 0;
const comments = critical ? ['hallo is no greeting'] : [];
const answer = { design: { steps: ['write'], score: 90 }, implement: { summary: 'Wrote it.', changed: ['hello.txt'] }, review: { critical, comments } }[name];
if (words[0] === 'exec') {
  console.log(JSON.stringify({ type: 'thread.started', thread_id: 't' }));
  if (!failing) writeFileSync(words[words.indexOf('--output-last-message') + 1], JSON.stringify(answer));
  if (failing) console.log(JSON.stringify({ type: 'turn.failed', error: { message: 'quota exceeded' } }));
  else console.log(JSON.stringify({ type: 'turn.completed', usage: { input_tokens: 30, output_tokens: 2 } }));
} else {
  const usage = { input_tokens: 30, output_tokens: 2 };
  const result = failing ? { is_error: true, result: 'quota exceeded' } : { structured_output: answer };
  console.log(JSON.stringify({ type: 'result', usage, total_cost_usd: 0.25, ...result }));
}
process.exitCode = failing ? 1 : 0;
`;

describe.each([
  ['claude-code', 'claude', '$1.25, 160 tokens'],
  ['codex', 'codex', '160 tokens'],
])('the %s template', (template, program, spent) => {
  it('sends bad work back, reports what it cost, and names the error of the agent first', async () => {
    const project = await init(template);
    project.program(program, AGENT);
    expect(await run(project)).toBe('completed: design implement review implement review');
    expect(project.read('hello.txt')).toBe('hello');
    await project.expect('status', 0, spent, /implement +passed .* Wrote it\./);
    await expectNothing(project);
    project.edit('prompts/review.md', 'Change nothing', 'Do change nothing');
    expect(await run(project)).toBe('completed: review');

    project.write('quota', '');
    expect(await run(project, '--force', 'design')).toBe('failed: design');
    const { units } = await project.json<RunView>('status');
    expect(units[0]!.verdict!.issues[0]!.message).toBe('quota exceeded');
    expect(units[0]!.attempts).toHaveLength(2);
    project.remove('quota');
    expect(await run(project)).toBe('completed: design');
  });
});
