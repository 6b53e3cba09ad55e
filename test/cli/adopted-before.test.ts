import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StatusJson } from '../../src/report/json/status-json.ts';
import type { EndedRecord } from '../../src/run/records/record.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gatelineIn } from './in-process.ts';

const output = (json: string): string => `printf '%s' '${json}' > "$GATELINE_OUTPUT"`;

/** The first gate never passes by itself; the second one reuses nothing that it did not get. */
const DEFINITION = {
  pipeline: 'p',
  defaults: { run: { shell: 'sh' } },
  gates: {
    plan: { run: output('{"ok":false}'), inputs: ['a.txt'], output: { checks: 'output.ok' } },
    code: { needs: 'plan', run: output('{}'), inputs: ['b.txt'] },
  },
};

async function workspaceOf(definition: object): Promise<ScratchWorkspace> {
  return ScratchWorkspace.create({
    'gateline.yml': JSON.stringify(definition),
    'a.txt': 'a\n',
    'b.txt': 'b\n',
    'by-hand.json': '{"ok":true}',
  });
}

const here = (workspace: ScratchWorkspace, ...args: string[]): Promise<{ out: string }> =>
  expectOk(gatelineIn(workspace, ...args));

/** The first gate, as `status --json` has it. */
async function firstOf(workspace: ScratchWorkspace): Promise<StatusJson['gates'][number]> {
  const { gates } = JSON.parse((await here(workspace, 'status', '--json')).out) as StatusJson;
  return gates[0]!;
}

async function checkpointOf(workspace: ScratchWorkspace): Promise<string> {
  const state = join(workspace.root, '.state');
  const name = (await readdir(state)).find((file) => /gate0.*\.md$/.test(file));
  return readFile(join(state, name!), 'utf8');
}

/** The record of the first gate's end in a run. */
async function editEnd(workspace: ScratchWorkspace, run: number, edit: (ended: EndedRecord) => object): Promise<void> {
  const folder = join(workspace.root, '.state/runs/main', String(run));
  const name = (await readdir(folder)).find((file) => file.startsWith('p.plan.') && file.includes('.ended.'))!;
  const ended = JSON.parse(await readFile(join(folder, name), 'utf8')) as EndedRecord;
  await writeFile(join(folder, name), JSON.stringify(edit(ended)));
}

const ADOPT = ['adopt', 'plan', '--output', 'by-hand.json', '--reason', 'checked by hand', '--actor', 'ann'];

describe.runIf(process.platform !== 'win32')('an output that somebody adopted', () => {
  it('is not used after a change, which the plan names: a command, a file', async () => {
    await using workspace = await workspaceOf(DEFINITION);
    const adopted = ['adopt', 'plan', '--output', 'by-hand.json', '--reason', 'by hand', '--actor', 'ann'];
    await here(workspace, ...adopted);
    expect((await here(workspace, 'plan')).out).toMatch(/plan +keep/);
    await workspace.edit('gateline.yml', '{\\"ok\\":false}', '{\\"ok\\":null}');
    expect((await here(workspace, 'plan')).out).toMatch(/plan +run +key run changed\n/);
    await workspace.write('a.txt', 'A\n');
    expect((await here(workspace, 'plan')).out).toMatch(/plan +run +file a.txt changed; key run changed\n/);
    // Adopted for the new request, the output counts for that one.
    await here(workspace, ...adopted.with(5, 'again'));
    expect((await here(workspace, 'plan')).out).toMatch(/plan +keep/);
    await workspace.write('a.txt', 'a\n');
    expect((await here(workspace, 'plan')).out).toMatch(/plan +run +file a.txt changed\n/);
  });

  it('says so if it was kept in spite of a change', async () => {
    const passing = { ...DEFINITION, gates: { ...DEFINITION.gates, plan: { run: output('{}'), inputs: ['a.txt'] } } };
    await using workspace = await workspaceOf(passing);
    await here(workspace, 'run', '--until', 'plan');
    await workspace.write('a.txt', 'changed\n');
    await here(workspace, 'resume', '--from', 'code', '--keep', '--reason', 'a comment', '--actor', 'ann');
    expect(await firstOf(workspace)).toMatchObject({
      reused: false,
      source: { run: 1, adopted: { actor: 'ann', reason: 'a comment' } },
      decision: { decision: 'adopt', actor: 'ann', reason: 'a comment' },
    });
    for (const run of [2, 3]) {
      await workspace.write('b.txt', `for run ${run}\n`);
      await here(workspace, 'run');
      const { reused, reason } = await firstOf(workspace);
      expect({ reused, reason }).toEqual({ reused: true, reason: 'reused from run 1 (adopted by ann: a comment)' });
    }
  });

  it('is read as before from records that do not say it', async () => {
    await using workspace = await workspaceOf(DEFINITION);
    await gatelineIn(workspace, 'run');
    await here(workspace, ...ADOPT);
    await here(workspace, 'run');
    await workspace.write('b.txt', 'other\n');
    await here(workspace, 'run');
    await editEnd(
      workspace,
      2,
      ({ source: { adopted: _, ...source } = { runNumber: 0, runAttempt: 0, n: 0 }, ...ended }) => ({
        ...ended,
        source,
      }),
    );
    expect((await firstOf(workspace)).reason).toBe('reused from run 1');
    await workspace.write('b.txt', 'another\n');
    await here(workspace, 'run');
    const { reason, source } = await firstOf(workspace);
    expect(reason).toBe('reused from run 1');
    expect(source).not.toHaveProperty('adopted');
  });

  it('is not used for other inputs, which is said', async () => {
    await using workspace = await workspaceOf({ gates: { plan: { run: output('{}'), inputs: ['b.txt'] } } });
    await workspace.write('b.txt', 'first\n');
    await here(workspace, ...ADOPT);
    await workspace.write('b.txt', 'second\n');
    expect((await here(workspace, 'plan')).out).toContain('b.txt changed');
    await here(workspace, 'run');
    await workspace.write('b.txt', 'third\n');
    expect((await here(workspace, 'plan')).out).toContain('b.txt changed');
  });
});

describe.runIf(process.platform !== 'win32')('an output of a later iteration', () => {
  it('names it in every run that reuses it', async () => {
    const make = `if grep -q '"rework"' "$GATELINE_REQUEST"; then n=2; else n=1; fi; ${output('{"n":\'$n\'}')}`;
    const review = `if grep -q '"n":2' "$GATELINE_REQUEST"; then ok=true; else ok=false; fi; ${output('{"ok":\'$ok\'}')}`;
    await using workspace = await workspaceOf({
      ...DEFINITION,
      gates: {
        plan: { run: make, inputs: [], files: [] },
        review: {
          needs: 'plan',
          run: review,
          inputs: [],
          output: { checks: 'output.ok' },
          'on-fail': { goto: 'plan', 'max-iterations': 2 },
        },
        code: { needs: 'review', run: output('{}'), inputs: ['b.txt'] },
      },
    });
    await here(workspace, 'run');
    for (const run of [2, 3]) {
      await workspace.write('b.txt', `for run ${run}\n`);
      await here(workspace, 'run');
      const { reused, reason, source } = await firstOf(workspace);
      expect({ reused, reason }).toEqual({ reused: true, reason: 'reused from run 1, iteration 2' });
      expect(source).toMatchObject({ run: 1, iteration: 2 });
      expect(await checkpointOf(workspace)).toContain('reused from run 1, iteration 2');
    }
  });
});
