import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { startStepProcess } from '../../support/runner/step-process.ts';
import { ActionWorld, redJobs } from './action-world.ts';
import { agentStep, CHECKOUT, gateAround, gateStep, job, reportJob } from './workflow-text.ts';

/** Of the step alone, in a `run:` step too. */
const OF_THE_STEP = ['GITHUB_ACTION', 'GITHUB_ENV', 'GITHUB_PATH'];
/** Files of the action's own step, in whose place a command gets its own. */
const PRIVATE = ['GITHUB_OUTPUT', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY'];

it('gives the command of a gate what a `run:` step of the job has, but for the variables of agents and three private files', async () => {
  const dump = (name: string): string => `env -0 > "$DUMPS/${name}"`;
  const env = { OF_STEP: '${{ github.ref }}', MULTILINE: 'a\nb=c\n' };
  await using world = await ActionWorld.ofJobs({
    one: job(
      [
        CHECKOUT,
        { run: 'echo "OF_EARLIER=step" >> "$GITHUB_ENV"; echo /opt/tool/bin >> "$GITHUB_PATH"' },
        { run: dump('step'), env, shell: 'bash' },
        { ...gateStep({ run: `${dump('gate')}\necho '{}' > "$GATELINE_OUTPUT"` }), env },
      ],
      { env: { OF_JOB: 'yes' } },
    ),
  });
  const folder = world.repository.root;
  const given = {
    DUMPS: folder,
    ACTIONS_ID_TOKEN_REQUEST_URL: 'https://token.test',
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'abc',
  };
  const report = await (await world.run({ startAction: startStepProcess, machine: given })).start().ended;
  expect(redJobs(report)).toEqual([]);

  const [step, gate] = [await dumped(`${folder}/step`), await dumped(`${folder}/gate`)];
  expect(step).toMatchObject({ OF_JOB: 'yes', OF_EARLIER: 'step', ...given, MULTILINE: 'a\nb=c\n' });
  const own = Object.keys(gate).filter((name) => name.startsWith('GATELINE_'));
  expect(own.toSorted()).toEqual([
    'GATELINE_ATTEMPT',
    'GATELINE_GATE',
    'GATELINE_LEARNINGS',
    'GATELINE_METRICS',
    'GATELINE_OUTPUT',
    'GATELINE_REQUEST',
  ]);
  expect(Object.keys(step).filter((name) => name.startsWith('GATELINE_'))).toEqual([]);
  expect(without(gate, own, OF_THE_STEP, PRIVATE)).toEqual(without(step, OF_THE_STEP, PRIVATE));
  expect(Object.keys(gate)).toEqual(expect.arrayContaining([...OF_THE_STEP, ...PRIVATE]));
  const files = [...OF_THE_STEP.slice(1), ...PRIVATE];
  for (const name of PRIVATE) expect(gate[name]).not.toBe(step[name]);
  for (const name of files) expect(gate[name]?.startsWith(gate['RUNNER_TEMP']!)).toBe(true);
});

it('lets the command of a gate write what the step writes nowhere: outputs, state and summary stay our own', async () => {
  const forges = [
    'echo "status=passed-by-me" >> "$GITHUB_OUTPUT"',
    'echo "claim=" >> "$GITHUB_STATE"',
    'echo "# forged" >> "$GITHUB_STEP_SUMMARY"',
    'echo "::set-output name=status::forged"',
    'echo "::error::forged"',
    'echo "::add-mask::passed"',
    `echo '{}' > "$GATELINE_OUTPUT"`,
  ];
  await using world = await ActionWorld.ofJobs({ one: job([CHECKOUT, gateStep({ run: forges.join('\n') })]) });
  const report = await (await world.run({ startAction: startStepProcess })).start().ended;
  const { outputs, summary, annotations } = report.job('one');
  expect(outputs).toMatchObject({ status: 'passed', decision: 'run' });
  expect(summary).not.toContain('# forged');
  expect(annotations).toEqual([]);
});

it('runs a gate in a job whose `env:` is read by other actions as their inputs, and says once what is ignored', async () => {
  const env = { INPUT_PROMPT: 'write a poem', INPUT_DATE: '2026-01-01', INPUT_TRESHHOLDS: 'x' };
  await using world = await ActionWorld.ofJobs({
    one: job([CHECKOUT, ...gateAround(agentStep({ a: 1 }))], { env: { ...env, INPUT_TRESHHOLDS: '' } }),
    slip: job([CHECKOUT, gateStep({ command: 'begin' })], { env: { INPUT_TRESHOLD: '90' } }),
    report: { ...reportJob(['one']), env },
  });
  const report = await (await world.run({ startAction: startStepProcess })).start().ended;
  expect(redJobs(report)).toEqual([expect.stringMatching(/^slip: failure/)]);
  const ignored = /^Unknown inputs, ignored: `prompt`, `date`/;
  const told = (name: string) => report.job(name).annotations.map(({ level, message }) => [level, message]);
  expect(told('one')).toEqual([['notice', expect.stringMatching(ignored)]]);
  expect(told('report')).toContainEqual(['notice', expect.stringMatching(ignored)]);
  expect(told('slip')).toEqual([['error', expect.stringContaining('did you mean `threshold`?')]]);
});

async function dumped(path: string): Promise<Record<string, string>> {
  const pairs = (await readFile(path, 'utf8')).split('\0').filter((pair) => pair !== '');
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}

function without(
  variables: Readonly<Record<string, string>>,
  ...names: readonly (readonly string[])[]
): Record<string, string> {
  const dropped = new Set(names.flat());
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !dropped.has(name)));
}
