import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ActReport } from '../support/act/act-run.ts';
import { ACT } from '../support/act/act-tool.ts';
import { REPOSITORY } from '../support/command-line.ts';
import { filesBelow, ScratchWorkspace } from '../support/scratch-workspace.ts';
import { ActWorld, decisions, errorsOf, leaveOnly, LONG, outputsOf, resultsOf } from './act-world.ts';

const EXAMPLE = 'examples/web-tests';
const AGENT_3 = `${EXAMPLE}/agents/code.ts`;
const FIRST_RUN = 81;

const BEFORE_3 = ['data', 'design', 'map'];
const FROM_3 = ['code', 'execute', 'learn'];
const GREEN = [...BEFORE_3, ...FROM_3, 'report'].map((name) => `${name} success`).toSorted();

/** Its work done, the agent of gate 3 fails as long as there is the file that `FAULT` names. */
const BUG = `if (process.getBuiltinModule('node:fs').existsSync(process.env['FAULT'] ?? '')) process.exitCode = 3;\n`;

/** `actions/setup-node`, but that `npm ci` brings the packages of this repository, without any download. */
const SETUP_NODE: Readonly<Record<string, string>> = {
  'action.yml':
    'name: setup\nruns: { using: node24, main: index.cjs }\ninputs: { node-version: {}, package-manager-cache: {} }\n',
  'index.cjs': `require('node:fs').appendFileSync(process.env.GITHUB_PATH, __dirname + '/bin\\n');`,
  'bin/npm*': `#!/bin/sh\ntest "$*" = ci && ln -s '${join(REPOSITORY, 'node_modules')}' node_modules\n`,
};

/** The example as its workflow says that people copy it, with few cases and the bug; and how the workflow names `actions/setup-node`. */
async function layExample(): Promise<{ world: ActWorld; setupNode: string }> {
  const folder = join(REPOSITORY, EXAMPLE);
  const names = await filesBelow(folder, ['tests', 'knowledge', '.state']);
  const files: Record<string, string> = { '.gitignore': 'node_modules\n' };
  for (const name of names) files[`${EXAMPLE}/${name}`] = await readFile(join(folder, name), 'utf8');
  const { [`${EXAMPLE}/workflow.yml`]: workflow = '', ...others } = files;
  const [setupNode] = /actions\/setup-node@\w+/.exec(workflow)!;
  const world = await ActWorld.create(workflow, others);
  await world.repository.edit(`${EXAMPLE}/gateline.yml`, 'valid: 3', 'valid: 1');
  await world.repository.write(AGENT_3, (await world.repository.read(AGENT_3)) + BUG);
  await world.repository.commitAll('fewer cases, and a bug');
  return { world, setupNode };
}

describe.runIf(ACT !== undefined)('examples/web-tests under act, after its gate 3 failed', { timeout: LONG }, () => {
  let world: ActWorld;
  let setup: ScratchWorkspace;
  let setupNode: string;
  let fault: string;
  let failed: ActReport;
  let startedFirst: readonly string[];
  let goBack: () => Promise<void>;

  const run = (id: number, attempt = 1): Promise<ActReport> =>
    world.run(id, { attempt, env: { FAULT: fault }, actions: { [setupNode]: setup.root } });

  beforeAll(async () => {
    setup = await ScratchWorkspace.create(SETUP_NODE);
    ({ world, setupNode } = await layExample());
    fault = world.repository.beside('fault');
    await writeFile(fault, '');
    failed = await run(FIRST_RUN);
    startedFirst = await world.started();
    goBack = await world.remember();
  }, LONG);
  afterAll(async () => {
    await setup[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await goBack();
    await writeFile(fault, '');
  });

  it('is red, with gates 0 to 3 started once and the others not at all', () => {
    expect(failed.ok).toBe(false);
    expect(startedFirst).toEqual(['code', ...BEFORE_3]);
    expect([...failed.jobs.keys()].toSorted()).toEqual(['code', 'data', 'design', 'map', 'report']);
    expect(errorsOf(failed.job('code')).at(-1)).toMatch(/^Gate failed: the agent failed: gate code: /);
    expect(failed.job('report').result).toBe('failure');
    expect(failed.job('report').summary).toMatch(/^## ❌ failed: `web-tests` for /m);
  });

  it.each([
    ['artifacts', 'keep'],
    ['cache', 'reuse'],
  ] as const)(
    'runs gates 3 to 5 alone when all jobs are run again and gates 0 to 2 are known by the %s alone',
    async (witness, decision) => {
      await rm(fault);
      leaveOnly(witness, world.service);
      const report = await run(FIRST_RUN, 2);
      expect(resultsOf(report)).toEqual(GREEN);
      expect(await world.started()).toEqual(FROM_3);
      expect(decisions(report, BEFORE_3)).toEqual([decision, decision, decision]);
      expect(decisions(report, FROM_3)).toEqual(['run', 'run', 'run']);
    },
  );

  it('runs gates 3 to 5 alone in a new run of the commit that mends gate 3', async () => {
    await world.repository.edit(AGENT_3, BUG, '');
    await world.repository.commitAll('the fix');
    const report = await run(FIRST_RUN + 1);
    expect(resultsOf(report)).toEqual(GREEN);
    expect(await world.started()).toEqual(FROM_3);
    const told = BEFORE_3.map((name) => outputsOf(report.job(name)));
    expect(told.map((one) => `${one['decision']} ${one['reused-from']}`)).toEqual(BEFORE_3.map(() => 'reuse 1.1.1'));
    const { summary } = report.job('report');
    expect(summary).toContain('**6 of 6 gates done**, 3 reused');
    expect(summary).toContain('```mermaid\nflowchart LR\n');
    for (const gate of BEFORE_3) expect(summary).toMatch(new RegExp(String.raw`\["${gate}<br/>✅ passed, reused"\]`));
  });
});
