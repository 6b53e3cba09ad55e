import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createMemoryStore,
  definePipeline,
  exportFiles,
  importFiles,
  localPorts,
  planPipeline,
  readRun,
  type Assignment,
  type EnginePorts,
  type RecordStore,
  type SourceFile,
} from '../src/index.ts';
import { LOOP_STATE, NEXUS_STATE } from './formats/hostile-files.ts';
import { plainEnvironment } from './support/command-line.ts';
import { ScratchWorkspace } from './support/scratch-workspace.ts';

const BY = { actor: 'ann@example.com', reason: 'we move' };
/** A command that would leave a file behind. */
const RUN = 'touch ran.txt; exit 1';
const gates = { plan: { run: RUN, inputs: [] }, design: { run: RUN, inputs: [], needs: 'plan' } };

const file = (path: string, value: unknown): SourceFile => ({
  path,
  bytes: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
  modified: 1,
});

async function setting(
  workspace: ScratchWorkspace,
  store?: RecordStore,
): Promise<{ readonly assignment: Assignment; readonly ports: EnginePorts }> {
  const { root } = workspace;
  const pipeline = definePipeline({ pipeline: 'feature-full', gates });
  const place = { root, isDefault: true, pipeline };
  const ports = await localPorts({ place, environment: plainEnvironment(), ...(store && { store }) });
  return { ports, assignment: { pipeline, subject: 's', metadata: {}, input: null } };
}

const statuses = async ({ ports, assignment }: Awaited<ReturnType<typeof setting>>): Promise<string[]> =>
  [...(await readRun(ports, assignment)).units.values()].map(({ key, status }) => `${key} ${status}`);

describe('importFiles', () => {
  it('adopts, adds documents and history, and starts nothing', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    const own = await setting(workspace, createMemoryStore());
    const { ports, assignment } = own;
    const given = [file('.current-workflow.json', NEXUS_STATE)];
    const rehearsed = await importFiles(ports, assignment, 'nexus', given, { ...BY, dryRun: true });
    expect(rehearsed).toMatchObject({ adopted: ['plan', 'design'], kept: [], keys: { task: 'implement checkout' } });
    expect(await statuses(own)).toEqual(['plan ready', 'design pending']);
    await importFiles(ports, assignment, 'nexus', given, BY);
    expect(await statuses(own)).toEqual(['plan passed', 'design passed']);
    expect(await importFiles(ports, assignment, 'nexus', given, BY)).toMatchObject({ kept: ['plan', 'design'] });
    const documents = [file('workflow-state.json', LOOP_STATE), file('learned-patterns.md', '# Learned\n')];
    await importFiles(ports, assignment, 'dev-loop', documents.slice(1), BY);
    expect(await workspace.read('.gateline/memory/learned-patterns.md')).toBe('# Learned\n');
    expect(existsSync(join(workspace.root, 'ran.txt'))).toBe(false);
  });

  it("makes git ignore the system's files, so that no gate is out of date when they change", async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    const path = '.claude/skills/nexus/history/.current-workflow.json';
    await workspace.write(path, JSON.stringify(NEXUS_STATE));
    const { root } = workspace;
    const pipeline = definePipeline({ gates: { plan: { inputs: ['**'] }, design: { inputs: ['**'], needs: 'plan' } } });
    const ports = await localPorts({ place: { root, isDefault: true, pipeline }, environment: plainEnvironment() });
    const assignment = { pipeline, subject: 's', metadata: {}, input: null };
    const given = [file('.current-workflow.json', NEXUS_STATE)];
    const excluded = (): Promise<string> => readFile(join(root, '.git/info/exclude'), 'utf8').catch(() => '');
    const dry = await importFiles(ports, assignment, 'nexus', given, { ...BY, dryRun: true });
    expect([dry.ignored, await excluded()]).toEqual([undefined, expect.not.stringContaining('nexus')]);
    const { ignored, adopted } = await importFiles(ports, assignment, 'nexus', given, BY);
    expect([ignored, adopted]).toEqual(['/.claude/skills/nexus/history/', ['plan', 'design']]);
    expect(await excluded()).toContain(`${ignored}\n`);
    await workspace.write(path, '{}');
    const { plan } = await planPipeline(ports, assignment);
    expect(plan.units.map(({ choice }) => choice)).toEqual(['reuse', 'reuse']);
    expect((await importFiles(ports, assignment, 'nexus', given, BY)).ignored).toBeUndefined();
  });

  it('refuses all of it with each place, and writes nothing', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    const own = await setting(workspace);
    const state = { ...NEXUS_STATE, results: { plan: 1 }, completedPhases: ['plan', 'other'] };
    const refused = importFiles(own.ports, own.assignment, 'nexus', [file('.current-workflow.json', state)], BY);
    await expect(refused).rejects.toMatchObject({
      code: 'IMPORT_REFUSED',
      contracts: [{ place: { file: '.current-workflow.json', pointer: expect.any(String) as string } }],
    });
    expect(await statuses(own)).toEqual(['plan ready', 'design pending']);
  });
});

describe('exportFiles', () => {
  it('gives what export writes, and writes nothing', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    const { ports, assignment } = await setting(workspace);
    await importFiles(ports, assignment, 'nexus', [file('.current-workflow.json', NEXUS_STATE)], BY);
    const before = await workspace.git('status', '--porcelain', '--ignored');
    const { folder, files } = await exportFiles(ports, { pipeline: assignment.pipeline, subject: 's' }, 'nexus');
    expect(folder).toBe('.claude/skills/nexus/history');
    const current = files.find(({ path }) => path === '.current-workflow.json')!;
    expect(JSON.parse(current.text)).toMatchObject({ status: 'COMPLETED', results: NEXUS_STATE.results });
    expect(await workspace.git('status', '--porcelain', '--ignored')).toBe(before);
    const excluded = await readFile(join(workspace.root, '.git/info/exclude'), 'utf8').catch(() => '');
    expect(excluded).not.toContain('nexus');
  });

  it('refuses a subject that has no run', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    const { ports, assignment } = await setting(workspace);
    const other = { pipeline: assignment.pipeline, subject: 'other' };
    for (const system of ['state-guide', 'agent-flow', 'dev-loop', 'nexus'] as const)
      await expect(exportFiles(ports, other, system)).rejects.toMatchObject({
        code: 'RUN_UNKNOWN',
        message: 'there is no run of feature-full for other yet',
      });
  });
});
