import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ActionWorld, errorsOf, redJobs } from '../action/workflows/action-world.ts';
import { agent } from '../action/workflows/workflow-text.ts';
import { git, headOf } from '../support/runner/repository.ts';
import type { RunReport } from '../support/runner/workflow-run.ts';
import { compiled } from './compiled.ts';

const WORKFLOW = '.github/workflows/pipeline.yml';
const run = { workflow: WORKFLOW };

/** What the gate `implement` leaves: an edit, a new program, a removed file and a file of another gate's kind. */
const WORK = `printf 'two\\n' >> a.txt
mkdir -p bin && printf '#!/bin/sh\\n' > bin/tool && chmod 755 bin/tool
rm old.txt
printf '\\377\\000' > 'od"d | \`x\` name'`;

function definition(deliver: object, also = WORK, more: object = {}): object {
  return {
    deliver: { gates: 'implement', ...deliver },
    gates: {
      plan: { run: agent({ steps: 1 }, 'echo plan > plan.md'), inputs: [], files: ['plan.md'] },
      implement: { needs: 'plan', run: agent({ done: true }, also), inputs: ['a.txt'], files: 'changed' },
      check: { needs: 'implement', run: agent({ ok: true }, 'test "$CHECK" != red'), inputs: [], ...more },
    },
  };
}

let world: ActionWorld;
beforeEach(async () => {
  world = await ActionWorld.create({ 'a.txt': 'one\n', 'old.txt': 'old\n', 'gateline.yml': 'x' });
});
afterEach(() => world[Symbol.asyncDispose]());

async function define(what: object): Promise<void> {
  const text = JSON.stringify(what, null, 2);
  await world.repository.write('gateline.yml', text);
  await world.repository.write(WORKFLOW, compiled(text).text);
  await world.repository.commitAll('a definition');
}

async function start(options = {}): Promise<RunReport> {
  return (await world.run({ ...run, ...options })).start().ended;
}

function show(ref: string, ...more: readonly string[]): Promise<string> {
  return git(world.repository.root, 'show', ...more, ref);
}

const delivered = (report: RunReport): Readonly<Record<string, string>> =>
  report.job('deliver').steps.findLast(({ stage }) => stage === 'main')!.outputs;

describe('a compiled delivery', () => {
  it('commits the files of the named gates on the branch of the run, once', async () => {
    await define(definition({ as: 'commit' }));
    const before = await headOf(world.repository.root);
    const started = await world.run(run);
    const report = await started.start().ended;
    expect(redJobs(report)).toEqual([]);
    const commit = world.service.world.heads.get('main')!;
    expect(delivered(report)['commit']).toBe(commit);
    const list = await show(commit, '--format=%P%n%B', '--name-status', '-z');
    expect(list).toContain(before);
    expect(list).toMatch(/Deliver pipeline of run \d+\n\n4 files of gate implement\n\nGateline-Run: https:/);
    expect(list).toContain('A\0bin/tool\0');
    expect(list).toContain('D\0old.txt\0');
    expect(list).not.toContain('plan.md');
    expect(await show(`${commit}:a.txt`)).toBe('one\ntwo\n');
    expect(await git(world.repository.root, 'ls-tree', commit, 'bin/tool')).toMatch(/^100755 /);

    const again = await started.rerunJob('deliver').ended;
    expect(redJobs(again)).toEqual([]);
    expect(delivered(again)['commit']).toBe(commit);
    expect(world.service.world.heads.get('main')).toBe(commit);
  });

  it('opens a pull request from a branch of its own, once, in which names of files are not live', async () => {
    await define(definition({ as: 'pull-request' }));
    const started = await world.run(run);
    const report = await started.start().ended;
    expect(redJobs(report)).toEqual([]);
    const [pull, ...more] = world.service.world.pulls;
    expect(more).toEqual([]);
    expect(pull).toMatchObject({ head: { ref: 'gateline/pipeline/502' }, base: { ref: 'main' } });
    expect(pull!.title).toBe('pipeline: files of run 1');
    expect(pull!.body).toContain('- changed: ``od"d | `x` name``');
    expect(delivered(report)).toMatchObject({ 'pull-request': String(pull!.number), commit: pull!.head.sha });
    expect(redJobs(await started.rerunJob('deliver').ended)).toEqual([]);
    expect(world.service.world.pulls).toHaveLength(1);
    expect(world.service.world.heads.get('main')).toBe(await headOf(world.repository.root));

    // An attempt that ended between its branch and its pull request.
    const { sha } = world.service.world.pulls.pop()!.head;
    expect(redJobs(await started.rerunJob('deliver').ended)).toEqual([]);
    expect(world.service.world.pulls).toMatchObject([{ head: { ref: 'gateline/pipeline/502', sha } }]);
    const [opened] = world.service.world.pulls;

    // A later run that only reuses has the same files, on whatever commit.
    await world.repository.write('other.txt', 'x');
    await world.repository.commitAll('something else');
    world.service.world.heads.set('main', await headOf(world.repository.root));
    const later = await start();
    expect(redJobs(later)).toEqual([]);
    expect(world.service.world.pulls).toHaveLength(1);
    expect(delivered(later)).toMatchObject({ 'pull-request': String(opened!.number), commit: sha });

    // Fewer files are another delivery.
    await define(definition({ as: 'pull-request' }, "printf 'two\\n' >> a.txt"));
    world.service.world.heads.set('main', await headOf(world.repository.root));
    expect(redJobs(await start())).toEqual([]);
    expect(world.service.world.pulls).toHaveLength(2);
    Object.assign(world.service.world.pulls[1]!, { state: 'closed' });
    expect(redJobs(await start())).toEqual([]);
    expect(world.service.world.pulls).toHaveLength(3);
  });

  it('proposes what agents learned, redacted and each once, after what the document has', async () => {
    const PATTERNS = '.gateline/memory/learned-patterns.md';
    const KNOWN = '# Learned patterns\n\n## Tests\n\n- Wait for the table\n';
    await world.repository.write(PATTERNS, KNOWN);
    const LEARNT = `printf '## Tests\n- wait for the  TABLE\n- Use ghp_${'a'.repeat(36)}\n' > "$GATELINE_LEARNINGS"`;
    await define(definition({ as: 'pull-request', learnings: true }, LEARNT));
    const started = await world.run(run);
    const report = await started.start().ended;
    expect(redJobs(report)).toEqual([]);
    const { commit } = delivered(report);
    expect(await show(`${commit}:${PATTERNS}`)).toMatch(
      /^# Learned patterns\n\n## Tests\n\n- Wait for the table\n- Use \S+\n$/,
    );
    expect(await show(`${commit}:${PATTERNS}`)).not.toContain('ghp_');
    expect(await show(commit!, '--format=', '--name-only')).toBe(`${PATTERNS}\n`);
    expect(world.service.world.pulls[0]!.body).toContain(`- changed: \`${PATTERNS}\``);
    expect(redJobs(await started.rerunJob('deliver').ended)).toEqual([]);
    expect(world.service.world.pulls).toHaveLength(1);

    // Once it is merged there is nothing to propose.
    await world.repository.write(PATTERNS, await show(`${commit}:${PATTERNS}`));
    await world.repository.commitAll('merge it');
    world.service.world.heads.set('main', await headOf(world.repository.root));
    const later = await start();
    expect(redJobs(later)).toEqual([]);
    expect(later.job('deliver').log.join('\n')).toContain('The gates changed no files.');
    expect(world.service.world.pulls).toHaveLength(1);
  });

  it('proposes no learning to a run that did not ask for it, nor over what a gate made of the document', async () => {
    const PATTERNS = '.gateline/memory/learned-patterns.md';
    const LEARNT = `echo learned > "$GATELINE_LEARNINGS"; mkdir -p .gateline/memory; echo own > ${PATTERNS}`;
    await define(definition({ as: 'commit', learnings: true }, LEARNT));
    const report = await start();
    expect(redJobs(report)).toEqual([]);
    expect(await show(`${delivered(report)['commit']}:${PATTERNS}`)).toBe('own\n');
    await define(definition({ as: 'commit' }, 'echo learned > "$GATELINE_LEARNINGS"'));
    world.service.world.heads.set('main', await headOf(world.repository.root));
    expect((await start()).job('deliver').log.join('\n')).toContain('The gates changed no files.');
  });

  it('delivers what a gate makes of the files of legs, however many an output asks for', async () => {
    const leg = `echo "$GATELINE_LEG" >> "$GATELINE_LEG.txt"\n${agent({})}`;
    await define({
      deliver: { gates: 'join', as: 'commit' },
      gates: {
        plan: { run: agent({ list: [1, 2] }), inputs: [] },
        make: {
          needs: 'plan',
          run: leg,
          inputs: [],
          files: ['leg-*.txt'],
          strategy: { matrix: '${{ needs.plan.output.list }}' },
        },
        join: {
          needs: 'make',
          run: agent({}, 'for f in leg-*.txt; do echo joined >> $f; done'),
          inputs: [],
          files: ['leg-*.txt'],
        },
      },
    });
    expect(redJobs(await start())).toEqual([]);
    const commit = world.service.world.heads.get('main')!;
    expect(await show(`${commit}:leg-1.txt`)).toBe('leg-1\njoined\n');
  });

  it('uploads a patch with paths from the top of the repository', async () => {
    const file = 'pkg/gateline.yml';
    const text = JSON.stringify({
      deliver: { gates: 'write', as: 'patch' },
      gates: { write: { run: agent({}, 'echo new > made.txt'), inputs: [], files: ['made.txt'] } },
    });
    await world.repository.write(file, text);
    await world.repository.write(WORKFLOW, compiled(text, file).text);
    await world.repository.commitAll('a pipeline of a folder');
    expect(redJobs(await start())).toEqual([]);
    const stored = world.service.world.artifacts.find(({ name }) => name.endsWith('.patch'))!;
    const patch = world.service.world.blobs.blobs.get(stored.blob)!.content.toString();
    expect(patch).toContain('+++ b/pkg/made.txt\n');
  });

  it.each(['commit'])('delivers nothing as %s before the report is green', async (as) => {
    await define(definition({ as }, WORK, { run: 'exit 1' }));
    const report = await start();
    expect(report.job('report').conclusion).toBe('failure');
    expect(report.job('deliver').conclusion).toBe('skipped');
    expect(world.service.callsOf(/^git\/|pulls\/create/)).toEqual([]);
  });
});

describe('what an agent may not have delivered', () => {
  it('other files than its job reported: any job of the run can write a record', async () => {
    await define(definition({ as: 'commit' }));
    const started = await world.run({
      ...run,
      inspect: async (_environment, { id }) => {
        if (id === 'check') world.forgeFiles('implement');
      },
    });
    const report = await started.start().ended;
    expect(errorsOf(report.job('report'))).toEqual([]);
    expect(errorsOf(report.job('deliver'))).toEqual([
      expect.stringMatching(/DELIVERY_UNPROVEN.*the files of gate implement are not verified: its job says/),
    ]);
    expect(world.service.callsOf(/^git\/(?:create|update)/)).toEqual([]);
  });
});
