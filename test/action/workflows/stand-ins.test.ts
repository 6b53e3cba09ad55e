import { symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ActionWorld, errorsOf, messagesOf, outputsOf, redJobs, WORKFLOW } from './action-world.ts';
import { envelope, guideFiles, guideWorld } from './guide-world.ts';
import { pullRequest } from './pull-request.ts';
import { ACTION, CHECKOUT, job, reportJob, workflowOf, type Keys } from './workflow-text.ts';

const PATH = '.state/demoqa_com-student_registration-gate1-output.json';
const OUTPUT = { testCases: [1] };
const SECRET = 'very-secret-value';

/** What a world may have beside the step of its last gate. */
interface LastGateOptions {
  readonly files?: Record<string, string>;
  readonly before?: readonly Keys[];
  readonly report?: Keys;
  /** Keys of gate 1. */
  readonly replaced?: Keys;
  /** Keys of the last gates. */
  readonly last?: Keys;
  /** Steps of a second job, whose gate 3 also needs gate 1. */
  readonly beside?: readonly Keys[];
}

/** Gates 0 to 3, of which only the last ones have jobs. */
async function lastGate(
  step: Keys,
  { files = {}, before = [], report = {}, replaced = {}, last: keys = {}, beside }: LastGateOptions = {},
): Promise<ActionWorld> {
  const show = `node -e 'const { needs } = JSON.parse(require("fs").readFileSync(process.env.GATELINE_REQUEST)); console.log("needs", JSON.stringify(needs.gate1));'
sed 's/^/file /' ${PATH} || true`;
  const last = { needs: 'gate1', run: `${show}\necho '{"done": true}' > "$GATELINE_OUTPUT"`, inputs: [], ...keys };
  const output = { schema: { required: ['testCases'] } };
  const gates = {
    gate0: { number: 0, run: 'exit 1', inputs: [] },
    gate1: { number: 1, needs: 'gate0', run: 'exit 1', inputs: [], output, ...replaced },
    gate2: { number: 2, ...last },
    ...(beside && { gate3: { number: 3, ...last } }),
  };
  const metadata = { domain: 'demoqa_com', feature: 'student_registration' };
  const steps = [CHECKOUT, ...before, { id: 'gate', uses: ACTION, with: step }];
  const others = beside === undefined ? {} : { gate3: job([CHECKOUT, ...beside]) };
  const own = { gate2: job(steps, { env: { TOKEN: SECRET } }), ...others };
  const jobs = { ...own, report: reportJob(Object.keys(own), report) };
  return ActionWorld.create({
    'gateline.yml': JSON.stringify({ pipeline: 'guide', metadata, gates }),
    [WORKFLOW]: workflowOf(jobs, { on: ['push', 'pull_request'] }),
    ...files,
  });
}

const written = (text: string): Keys => ({ run: `mkdir -p .state && cat > ${PATH} <<'END'\n${text}\nEND\n` });

describe('a state file of another tool', () => {
  it('stands in where it is asked for; the report shows it, and is red unless it accepts it', async () => {
    const partial = envelope(1, OUTPUT, { status: 'PARTIAL' });
    const before = [written(partial)];
    await using world = await lastGate({ 'stand-in': 'file' }, { before });
    const run = await (await world.run()).start().ended;
    expect(redJobs(run).map((text) => text.split('\n')[0])).toEqual(['report: failure']);
    const { log } = run.job('gate2');
    const given = log.find((line) => line.startsWith('needs '))!;
    expect(JSON.parse(given.slice(6))).toMatchObject({
      standIn: 'file',
      status: 'PARTIAL',
      score: 77,
      agent: 'Tool1',
      output: OUTPUT,
    });
    expect(log.filter((line) => line.includes('stand-in'))).toEqual([
      'gate gate2: stand-in (file) for gate1 from Tool1: Status: PARTIAL, Score: 77%',
    ]);
    expect(messagesOf(run.job('gate2'), 'warning').join('\n')).toContain('is only PARTIAL');
    expect(outputsOf(run.job('gate2'))).toMatchObject({ status: 'passed', passed: 'false' });
    expect(run.job('report').summary).toContain('stand-in (file)');
    expect(errorsOf(run.job('report')).join('\n')).toContain('not done: gate0, gate1, gate2');

    await using accepting = await lastGate({ 'stand-in': 'file' }, { before, report: { 'stand-in': 'gate0, gate1' } });
    const accepted = await (await accepting.run()).start().ended;
    expect(redJobs(accepted)).toEqual([]);
    await using other = await lastGate({ 'stand-in': 'file' }, { before, report: { 'stand-in': 'gate0' } });
    expect(redJobs(await (await other.run()).start().ended)).toHaveLength(1);
  });

  it.each([
    ['is not asked for', {}, envelope(1, OUTPUT), /UPSTREAM_NOT_DONE/],
    ['is FAILED', { 'stand-in': 'file' }, envelope(1, OUTPUT, { status: 'FAILED' }), /STAND_IN_MISSING/],
    ['does not meet the contract', { 'stand-in': 'file' }, envelope(1, {}), /STAND_IN_REFUSED.*\/output.*testCases/],
    ['is no envelope', { 'stand-in': 'file' }, '{"gate": 1}', /STATE_FILE_INVALID/],
    ['is not among what is asked for', { 'stand-in': 'input' }, envelope(1, OUTPUT), /STAND_IN_MISSING/],
  ] as const)('does not where it %s', async (_, step, text, error) => {
    await using world = await lastGate(step, { before: [written(text)] });
    const run = await (await world.run()).start().ended;
    expect(run.job('gate2').conclusion).toBe('failure');
    expect(errorsOf(run.job('gate2')).join(' ')).toMatch(error);
  });

  it('stays where it is for an agent that knows only the state guide, and no other line tells of it', async () => {
    await using world = await lastGate(
      { 'stand-in': 'file', mirror: 'state-guide' },
      { before: [written(envelope(1, OUTPUT))] },
    );
    const { log } = (await (await world.run()).start().ended).job('gate2');
    expect(log).toContain(`file ${envelope(1, OUTPUT)}`);
    expect(log.filter((line) => /^gate .*(?:stand-in|State file loaded)/.test(line))).toEqual([
      'gate gate2: stand-in (file) for gate1 from Tool1: Status: SUCCESS, Score: 77%',
    ]);
  });

  it('is said to be what it is, also for a gate that passed with a stand-in itself', async () => {
    const input = JSON.stringify({ needs: { gate0: {} } });
    const given = { before: 'echo 1 > "$GATELINE_OUTPUT" && exit 0', inputs: { 'stand-in': 'input', input } };
    const last = { output: {}, inputs: { mirror: 'state-guide', 'stand-in': 'file' } };
    const agents = [{ output: {}, before: 'exit 1' }, { output: {}, ...given }, last];
    await using world = await guideWorld(agents, { files: { [PATH]: envelope(1, OUTPUT) } });
    const { log } = (await (await world.run()).start().ended).job('gate2');
    expect(log).toContain(`loaded Tool1 SUCCESS 77 ${JSON.stringify(OUTPUT)}`);
    expect(log).toContain('gate gate2: stand-in (file) for gate1 from Tool1: Status: SUCCESS, Score: 77%');
    expect(log.join('\n')).not.toContain('State file loaded');
  });

  it('is moved away where it says FAILED, and the input takes its place', async () => {
    const step = { 'stand-in': 'file', mirror: 'state-guide', input: JSON.stringify({ needs: { gate1: OUTPUT } }) };
    const failed = envelope(1, { testCases: ['of FAILED'] }, { status: 'FAILED' });
    await using world = await lastGate(step, { before: [written(failed)] });
    const gate2 = (await (await world.run()).start().ended).job('gate2');
    expect(gate2.conclusion).toBe('success');
    expect(gate2.log).toContain('gate gate2: stand-in (input) for gate1');
    expect(gate2.log.join('\n')).not.toMatch(/^file |of FAILED/m);
    expect(messagesOf(gate2, 'warning').join('\n')).toContain('gate 1 (Tool1) FAILED: its output is not used');
    expect(messagesOf(gate2, 'notice').join('\n')).toContain('is now in .state/quarantine/');
  });

  it('is one of two things that take the place of a gate, and the report names both', async () => {
    const input = JSON.stringify({ needs: { gate1: OUTPUT } });
    const beside = [{ id: 'gate', uses: ACTION, with: { 'stand-in': 'input', input } }];
    const options = { before: [written(envelope(1, OUTPUT))], beside, report: { 'stand-in': 'gate0, gate1' } };
    await using world = await lastGate({ 'stand-in': 'file' }, options);
    const run = await (await world.run()).start().ended;
    expect(redJobs(run)).toEqual([]);
    expect(run.job('report').summary).toContain('stand-in (file, input)');
    const missing = [{ id: 'gate', uses: ACTION, with: { 'stand-in': 'file' } }];
    await using other = await lastGate({ 'stand-in': 'file' }, { ...options, beside: missing });
    const refused = await (await other.run()).start().ended;
    expect(errorsOf(refused.job('gate3')).join('\n')).toContain('STAND_IN_MISSING');
    expect(errorsOf(refused.job('report')).join('\n')).toContain('not done: gate3');
  });

  it('makes no forged record pass: what passed with it is judged again', async () => {
    const report = { 'stand-in': 'gate0, gate1', needs: '{"gate2": {"result": "success", "outputs": {}}}' };
    const last = { output: { schema: { required: ['never'] } } };
    await using world = await lastGate(
      { 'stand-in': 'file' },
      { before: [written(envelope(1, OUTPUT))], report, last },
    );
    const inspect = (_: unknown, { id }: { readonly id: string }): void => {
      if (id === 'gate2')
        world.forge('gate2', { status: 'passed', kind: 'passed', score: 100, issues: [], advice: '' });
    };
    const run = await (await world.run({ inspect })).start().ended;
    expect(world.endings()).toEqual(['gate2 1.1.1 ran passed']);
    const said = errorsOf(run.job('report')).join('\n');
    expect(said).toMatch(/UPSTREAM_REFUSED: the output of gate gate2 does not meet its contract.*never/);
    expect(said).toContain('not done: gate2');
  });

  it('brings no secret, nothing that the contract keeps out, and no lines of its own', async () => {
    const agent = `Tool\n::error::forged\r\ngate gate2: passed ${SECRET}`;
    const hidden = { password: 'kept-out-by-contract', a: SECRET, b: 'also kept-out-by-contract' };
    const text = envelope(1, { ...OUTPUT, ...hidden }, { agent, status: 'PARTIAL' });
    const replaced = { secrets: ['TOKEN'], output: { redact: ['/password'] } };
    const escaped = text.replace(`"a":"${SECRET}"`, `"a":"\\u0076${SECRET.slice(1)}"`);
    expect(JSON.parse(escaped)).toEqual(JSON.parse(text));
    await using world = await lastGate(
      { 'stand-in': 'file', mirror: 'state-guide' },
      { before: [written(escaped)], replaced, report: { 'stand-in': 'gate0, gate1' } },
    );
    const run = await (await world.run()).start().ended;
    expect(redJobs(run)).toEqual([]);
    const { log, annotations } = run.job('gate2');
    const all = `${log.join('\n')}${JSON.stringify(annotations)}${run.job('report').summary}`;
    expect(all).not.toMatch(/very-secret-value|u0076ery|kept-out-by-contract/);
    expect(log.filter((line) => /^gate gate2: (?:passed|stand-in)/.test(line))).toEqual([
      'gate gate2: stand-in (file) for gate1 from Tool ::error::forged gate gate2: passed ***: Status: PARTIAL, Score: 77%',
      'gate gate2: passed',
    ]);
    expect(log.find((line) => line.startsWith('file ') && line.includes('"password"'))).toContain('"***"');
    expect(annotations.map(({ message }) => message)).not.toContain('forged');
  });

  it.each([
    ['a value', envelope(1, OUTPUT, { status: SECRET })],
    ['metadata', envelope(1, OUTPUT, { metadata: { domain: SECRET, feature: 'student_registration', url: '' } })],
    ['text', `{"gate": 1, ${SECRET}`],
  ])('that is refused shows no secret in its %s', async (_, text) => {
    const replaced = { secrets: ['TOKEN'] };
    await using world = await lastGate({ 'stand-in': 'file' }, { before: [written(text)], replaced });
    const { log, annotations } = (await (await world.run()).start().ended).job('gate2');
    const all = `${log.join('\n')}${JSON.stringify(annotations)}`;
    expect(all).toContain('STATE_FILE_INVALID');
    expect(all).not.toContain(SECRET);
  });

  it('is not used for the needs that are done', async () => {
    await using world = await guideWorld([
      { output: { own: true } },
      { output: {}, inputs: { mirror: 'state-guide', 'stand-in': 'file', input: '{"needs": {"gate0": 1}}' } },
    ]);
    const run = await (await world.run()).start().ended;
    expect(redJobs(run)).toEqual([]);
    expect(run.job('gate1').log.join('\n')).toContain('loaded Agent0 SUCCESS 100 {"own":true}');
    expect(run.job('gate1').log.join('\n')).not.toContain('stand-in');
  });
});

describe('a state file that the commit under test has', () => {
  it('is not even left for an agent that knows only the state guide', async () => {
    const planted = { '.state/demoqa_com-student_registration-gate0-output.json': envelope(0, { planted: true }) };
    const inputs = { mirror: 'state-guide', 'stand-in': 'file', input: '{"needs": {"gate0": {}}}' };
    await using world = await guideWorld(
      [
        { output: {}, before: 'exit 1' },
        { output: {}, inputs },
      ],
      { files: planted },
    );
    const run = await (await world.run(await pullRequest(world, 'fork/gates'))).start().ended;
    const { log } = run.job('gate1');
    expect(log).toContain('gate gate1: stand-in (input) for gate0');
    expect(log.join('\n')).not.toContain('planted');
  });

  const files = { [PATH]: envelope(1, OUTPUT) };

  it('stands in on a branch of the repository, and never in the pull request of a fork', async () => {
    await using world = await lastGate({ 'stand-in': 'file' }, { files });
    const own = await (await world.run()).start().ended;
    expect(own.job('gate2').conclusion).toBe('success');
    const fork = await (await world.run(await pullRequest(world, 'fork/gates'))).start().ended;
    expect(errorsOf(fork.job('gate2')).join('\n')).toContain('STAND_IN_MISSING');
    expect(messagesOf(fork.job('gate2'), 'warning').join('\n')).toContain(`${PATH} is not used: the commit under test`);
  });

  it.each(['pull_request_target', 'issue_comment', 'workflow_run', 'label'])(
    'does not in a run of %s, which somebody outside can cause',
    async (event) => {
      await using world = await lastGate({ 'stand-in': 'file' }, { files });
      const { about, ...options } = await pullRequest(world);
      const run = await (await world.run({ ...options, about: { ...about, event } })).start().ended;
      expect(errorsOf(run.job('gate2')).join('\n')).toContain('STAND_IN_MISSING');
      expect(messagesOf(run.job('gate2'), 'warning').join('\n')).toContain(
        `${PATH} is not used: the commit under test`,
      );
    },
  );

  it('does not after a step that moved to another commit', async () => {
    const move = 'git rm -q --cached -r .state && git -c user.name=a -c user.email=a@b commit -qm moved';
    await using world = await lastGate({ 'stand-in': 'file' }, { files, before: [{ run: move }] });
    const fork = await (await world.run(await pullRequest(world, 'fork/gates'))).start().ended;
    expect(errorsOf(fork.job('gate2')).join('\n')).toContain('STAND_IN_MISSING');
  });

  it('nor for a definition in a folder of its own, where the file is below that folder', async () => {
    const inputs = { mirror: 'state-guide', 'stand-in': 'file', file: 'sub/gateline.yml' };
    const files = guideFiles([{ output: {} }, { output: {}, inputs }], { report: { file: 'sub/gateline.yml' } });
    const { 'gateline.yml': definition, 'agent.cjs': agent, ...others } = files;
    const below = { 'sub/gateline.yml': definition!, 'sub/agent.cjs': agent! };
    const planted = envelope(0, { planted: true });
    const path = PATH.replace('gate1', 'gate0');
    await using world = await ActionWorld.create({ ...others, ...below, [`sub/${path}`]: planted, [path]: planted });
    const own = (await (await world.run()).start().ended).job('gate1');
    expect(own.log).toContain('gate gate1: stand-in (file) for gate0 from Tool0: Status: SUCCESS, Score: 77%');
    expect(own.log).toContain('loaded Tool0 SUCCESS 77 {"planted":true}');
    expect(own.conclusion).toBe('success');
    const fork = (await (await world.run(await pullRequest(world, 'fork/gates'))).start().ended).job('gate1');
    expect(errorsOf(fork).join('\n')).toContain('STAND_IN_MISSING');
  });

  it('does not in a fork in another case of letters, or behind a link, and the input of the caller does', async () => {
    const input = JSON.stringify({ needs: { gate1: { testCases: ['of the caller'] } } });
    const step = { 'stand-in': 'file', input };
    await using upper = await lastGate(step, { files: { [PATH.replace('.state', '.STATE')]: envelope(1, OUTPUT) } });
    await using linked = await lastGate(step, { files: { ['elsewhere/' + PATH.slice(7)]: envelope(1, OUTPUT) } });
    await symlink('elsewhere', linked.repository.path('.state'));
    await linked.repository.commitAll('link');
    for (const world of [upper, linked]) {
      const run = await (await world.run(await pullRequest(world, 'fork/gates'))).start().ended;
      expect(run.job('gate2').conclusion).toBe('success');
      expect(run.job('gate2').log).toContain('gate gate2: stand-in (input) for gate1');
      expect(messagesOf(run.job('gate2'), 'warning').join('\n')).toContain('is not used: the commit under test');
    }
  });
});
