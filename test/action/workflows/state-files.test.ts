import { symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ActionWorld, errorsOf, messagesOf, outputsOf, redJobs } from './action-world.ts';
import { envelope, guideWorld, stateFilesOf } from './guide-world.ts';
import { pullRequest } from './pull-request.ts';
import { CHECKOUT, gateAround, job } from './workflow-text.ts';

const STEM = 'demoqa_com-student_registration';
const OUTPUT_0 = `${STEM}-gate0-output.json`;

describe('agents that know only the state guide', () => {
  it('work with one input: they find what was before, and what they leave is judged', async () => {
    const schema = { type: 'object', required: ['testCases'] };
    await using world = await guideWorld([
      { output: { totalCases: 5 } },
      { output: { testCases: [1], score: 88 }, gate: { output: { schema, score: '/score' } } },
      { output: { done: true } },
    ]);
    const run = await (await world.run()).start().ended;
    expect(redJobs(run)).toEqual([]);
    expect(run.job('gate1').log).toContain('loaded Agent0 SUCCESS 100 {"totalCases":5}');
    expect(run.job('gate2').log).toContain('loaded Agent1 SUCCESS 88 {"score":88,"testCases":[1]}');
    expect(outputsOf(run.job('gate1'))).toMatchObject({ status: 'passed', score: '88' });
    const { log } = run.job('gate1');
    expect(log).toContain(`gate gate1: State file loaded: .state/${OUTPUT_0}: Status: SUCCESS, Score: 100%`);
    const created = `gate gate1: State file created: .state/${STEM}-gate1-output.json: Status: SUCCESS, Score: 88%`;
    expect(log).toContain(created);
    expect(log).toContain('# Checkpoint: gate 1, `gate1`');
    // Beside ours, and it decides nothing.
    expect(run.job('gate1').summary).toContain('SUCCESS with a score of 91');

    const names = [0, 1, 2].flatMap((n) => [`${STEM}-gate${n}-output.json`, `${STEM}-gate${n}-checkpoint.md`]);
    const files = await stateFilesOf(world, [...names, `${STEM}-pipeline.json`]);
    expect(Object.keys(files).toSorted()).toEqual([...names, `${STEM}-pipeline.json`].toSorted());
    expect(JSON.parse(files[`${STEM}-pipeline.json`]!)).toMatchObject({ status: 'SUCCESS', completedGates: [0, 1, 2] });
    expect(JSON.parse(files[`${STEM}-gate1-output.json`]!)).toMatchObject({
      gate: 1,
      status: 'SUCCESS',
      metadata: { domain: 'demoqa_com', feature: 'student_registration' },
      output: { testCases: [1] },
      validation: { score: 88, passed: true },
    });
  });

  it('fail by the status FAILED, with their issues, and the gates after them do not start', async () => {
    const validation = { score: 12, issues: ['the form has no fields'], passed: false };
    await using world = await guideWorld([
      { output: { a: 1 }, change: { status: 'FAILED', validation } },
      { output: {} },
    ]);
    const run = await (await world.run()).start().ended;
    expect(errorsOf(run.job('gate0')).join('\n')).toContain('the form has no fields');
    expect(world.endings()).toEqual(['gate0 1.1.1 ran agent-error']);
    expect(await world.startedGates()).toEqual(['gate0']);
    const { [OUTPUT_0]: shown } = await stateFilesOf(world, [OUTPUT_0]);
    expect(JSON.parse(shown!)).toMatchObject({ status: 'FAILED', output: { a: 1 } });
  });

  const [TOO_MUCH, WRONG] = ['echo 1 > "$GATELINE_OUTPUT"', 'metadata'];
  it.each([
    [
      'both outputs',
      'agent-error',
      { output: {}, before: TOO_MUCH },
      /wrote an output to the file that GATELINE_OUTPUT names, and/,
    ],
    [
      'another gate',
      'schema',
      { output: {}, change: { gate: 3 } },
      /\/gate: expected 0, the number of this gate, found 3/,
    ],
    [
      'other metadata',
      'schema',
      { output: {}, change: { [WRONG]: { domain: 'other', feature: 'student_registration', url: '' } } },
      /\/metadata\/domain: expected "demoqa_com", found "other"/,
    ],
    [
      'no envelope',
      'schema',
      { output: {}, change: { validation: 'good' } },
      /\/validation: expected a map, found the text "good"/,
    ],
  ] as const)('are refused for %s', async (_, kind, agent, message) => {
    await using world = await guideWorld([agent]);
    const run = await (await world.run()).start().ended;
    expect(errorsOf(run.job('gate0')).join('\n')).toMatch(message);
    expect(world.endings()).toEqual([`gate0 1.1.1 ran ${kind}`]);
  });

  it('find no file of their own that lay there before, and none of another tool counts as their output', async () => {
    await using world = await guideWorld([{ output: {}, before: `test ! -e .state/${OUTPUT_0} && exit 0` }], {
      files: { [`.state/${OUTPUT_0}`]: envelope(0, { planted: true }) },
    });
    const run = await (await world.run()).start().ended;
    expect(world.endings()).toEqual(['gate0 1.1.1 ran missing']);
    expect(messagesOf(run.job('gate0'), 'notice').join('\n')).toContain('is now in .state/quarantine/');
  });

  it('of a fork do not pass with a file that its commit has, which an agent brought back', async () => {
    const restore = 'git checkout -q -- . && exit 0';
    await using world = await guideWorld([{ output: {}, before: restore }], {
      files: { [`.state/${OUTPUT_0}`]: envelope(0, { planted: true }) },
    });
    const fork = await (await world.run(await pullRequest(world, 'fork/gates'))).start().ended;
    expect(world.endings()).toEqual(['gate0 1.1.1 ran missing']);
    const warned = messagesOf(fork.job('gate0'), 'warning').join('\n');
    expect(warned).toContain(`.state/${OUTPUT_0} is not read as an output: the commit under test has it`);
    // It is no second output either.
    const both = { output: {}, before: `echo 1 > "$GATELINE_OUTPUT" && ${restore}` };
    await using other = await guideWorld([both], { files: { [`.state/${OUTPUT_0}`]: envelope(0, {}) } });
    expect(redJobs(await (await other.run(await pullRequest(other, 'fork/gates'))).start().ended)).toEqual([]);
  });

  it.each([
    ['a folder', `mkdir -p .state/${OUTPUT_0}/x`, 'malformed', true],
    ['a link to itself', 'rm -rf .state && ln -s .state .state', 'missing', false],
    ['a file instead of the folder', 'rm -rf .state && echo > .state', 'missing', false],
    ['a link instead of the folder', 'rm -rf .state && mkdir src && ln -s src .state', 'missing', false],
  ] as const)('may leave %s in the place of their file, and only their gate fails', async (_, leave, kind, isShown) => {
    await using world = await guideWorld([{ output: {}, before: `${leave} && exit 0` }]);
    const run = await (await world.run()).start().ended;
    expect(errorsOf(run.job('gate0')).join('\n')).toContain(`gate gate0: ${kind}`);
    expect(world.endings()).toEqual([`gate0 1.1.1 ran ${kind}`]);
    expect(run.job('gate0').log.join('\n').includes('State file created')).toBe(isShown);
    expect(messagesOf(run.job('gate0'), 'notice')).toHaveLength(isShown ? 0 : 1);
  });

  it('do not start where a commit leads our files elsewhere by a link inside the folder', async () => {
    const planted = { [`.state/${OUTPUT_0}`]: envelope(0, { planted: true }), 'src/code.js': '' };
    for (const [name, target] of Object.entries({ tmp: '../.git', quarantine: '../src' })) {
      await using world = await guideWorld([{ output: {} }], { files: planted });
      await symlink(target, world.repository.path(`.state/${name}`));
      await world.repository.commitAll('link');
      const run = await (await world.run(await pullRequest(world, 'fork/gates'))).start().ended;
      expect(errorsOf(run.job('gate0')).join('\n')).toContain(`.state/${name} is a link`);
      expect(messagesOf(run.job('gate0'), 'notice').join('\n')).toContain('STATE_ESCAPES');
      expect(run.job('gate0').log.join('\n')).not.toContain('State file created');
      expect(world.endings()).toEqual(['gate0 1.1.1 ran not-started']);
    }
  });

  it('do not start where a commit has a link or a folder in the place of the files', async () => {
    await using linked = await guideWorld([{ output: {} }], { files: { 'src/code.js': '' } });
    await symlink('src', linked.repository.path('.state'));
    await linked.repository.commitAll('link');
    const run = await (await linked.run(await pullRequest(linked, 'fork/gates'))).start().ended;
    expect(errorsOf(run.job('gate0')).join('\n')).toContain('STATE_ESCAPES');
    expect(await linked.startedGates()).toEqual([]);
    expect(linked.endings()).toEqual(['gate0 1.1.1 ran not-started']);
    await using folder = await guideWorld([{ output: {} }], { files: { [`.state/${OUTPUT_0}/x`]: '' } });
    const refused = await (await folder.run(await pullRequest(folder, 'fork/gates'))).start().ended;
    expect(errorsOf(refused.job('gate0')).join('\n')).toContain('a folder is in its place');
    expect(refused.job('gate0').log.join('\n')).not.toContain('State file created');
    expect(await folder.startedGates()).toEqual([]);
  });

  it('work between begin and complete, which know the metadata that begin was given', async () => {
    const definition = {
      pipeline: 'guide',
      mirror: ['state-guide'],
      metadata: { domain: 'demoqa_com', feature: 'form' },
      gates: {
        gate0: { number: 0, inputs: [], output: { schema: { required: ['a'] } } },
        gate1: { number: 1, inputs: [], needs: 'gate0' },
      },
    };
    const metadata = '{"url": "https://demoqa.com/"}';
    const path = '.state/demoqa_com-form-gate0-output.json';
    const own = { ...(JSON.parse(envelope(0, { a: 1 })) as object) };
    const run = (url: string): string => {
      const text = JSON.stringify({ ...own, metadata: { domain: 'demoqa_com', feature: 'form', url } });
      return `cat > ${path} <<'END'\n${text}\nEND\n`;
    };
    const jobs = {
      gate0: job([CHECKOUT, ...gateAround({ run: run('https://demoqa.com/') }, { metadata, inputs: '' })]),
    };
    await using world = await ActionWorld.ofJobs(jobs, { 'gateline.yml': JSON.stringify(definition) });
    const ended = await (await world.run()).start().ended;
    expect(redJobs(ended)).toEqual([]);
    const { log } = ended.job('gate0');
    expect(log).toContain(`gate gate0: State file created: ${path}: Status: SUCCESS, Score: 100%`);
    // The checkpoint is about the whole run.
    expect(log.join('\n')).toContain('# Checkpoint: gate 0, `gate0`');
    expect(log.join('\n')).not.toContain('Every gate is done');
    await using other = await ActionWorld.ofJobs(
      { gate0: job([CHECKOUT, ...gateAround({ run: run('https://other.com/') }, { metadata, inputs: '' })]) },
      { 'gateline.yml': JSON.stringify(definition) },
    );
    const refused = await (await other.run()).start().ended;
    expect(errorsOf(refused.job('gate0')).join('\n')).toContain('/metadata/url: expected "https://demoqa.com/"');
  });

  it('find nothing without the input, and what they leave is not read', async () => {
    await using world = await guideWorld([{ output: {}, inputs: {}, before: 'mkdir .state' }], {
      report: { mirror: 'none' },
    });
    const run = await (await world.run()).start().ended;
    expect(world.endings()).toEqual(['gate0 1.1.1 ran missing']);
    expect(run.job('gate0').log.join('\n')).not.toContain('State file');
    expect(await stateFilesOf(world, [OUTPUT_0])).toEqual({});
  });
});
