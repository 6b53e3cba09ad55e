import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NEXUS_STATE } from '../formats/hostile-files.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline, gatelineYml, writes } from './in-process.ts';

const METADATA = { domain: 'demoqa_com', feature: 'form' };
const SLUG = 'demoqa_com-form';
const LEGS = { os: ['linux', 'mac'] };

/** `plan` and `design` are completed in the files; `design` has a leg for each system. */
const gates = {
  plan: { run: writes({ steps: 1 }), inputs: [] },
  design: { run: writes('x'), inputs: [], needs: 'plan', strategy: { matrix: LEGS } },
};

function workspaceWith(
  files: Readonly<Record<string, string>>,
  more: Readonly<Record<string, object>> = gates,
): Promise<ScratchWorkspace> {
  return ScratchWorkspace.create({ 'gateline.yml': gatelineYml(more, { metadata: METADATA }), ...files });
}

const nexusState = (results: object): string => JSON.stringify({ ...NEXUS_STATE, results });

async function refused(workspace: ScratchWorkspace, system: string): Promise<string> {
  const { code, err } = await gateline(workspace.root, ['import', system, '--from', 'old']);
  expect({ code, err }).toMatchObject({ code: 2 });
  expect(existsSync(join(workspace.root, '.state', 'runs'))).toBe(false);
  return err;
}

describe('the import of a gate with legs', () => {
  it('is refused with file and pointer where the file has one output without their names', async () => {
    await using workspace = await workspaceWith({ 'old/.current-workflow.json': nexusState({ plan: {}, design: 1 }) });
    expect(await refused(workspace, 'nexus')).toContain(
      '.current-workflow.json IMPORT_REFUSED gate design has 2 legs (linux, mac), and the file has one output without their names (at /results/design)',
    );
    await using data = await workspaceWith(
      { 'old/.current-workflow.json': nexusState({ plan: {}, design: 1 }) },
      { ...gates, design: { ...gates.design, strategy: { matrix: '${{ needs.plan.output.packages }}' } } },
    );
    expect(await refused(data, 'nexus')).toMatch(
      /gate design: which legs it has is in `needs\.plan\.output\.packages` of a run.*\(at \/results\/design\)/,
    );
  });

  it('adopts each leg where outputs are listed by leg, as an export lists them', async () => {
    await using workspace = await workspaceWith({});
    await expectOk(gateline(workspace.root, ['run', '-q']));
    await expectOk(gateline(workspace.root, ['export', 'nexus', '--to', workspace.beside('nexus')]));
    await using other = await workspaceWith({});
    const from = ['import', 'nexus', '--from', workspace.beside('nexus')];
    expect((await expectOk(gateline(other.root, from))).out).toContain(
      'plan: adopted\ndesign/linux: adopted\ndesign/mac: adopted\n',
    );
    expect((await expectOk(gateline(other.root, ['show', 'design/mac', 'output']))).out).toContain('"x"');
    expect((await expectOk(gateline(other.root, from))).out).toContain('design/mac: adopted before');
  });

  it('adopts the legs that names of files of the state guide have, and names those that are missing', async () => {
    const file = (number: number, more: object = {}): string => {
      const validation = { score: 95, issues: [], passed: true };
      const state = { gate: number, agent: 'A', status: 'SUCCESS', output: { number }, validation };
      return JSON.stringify({ ...state, metadata: { ...METADATA, url: '' }, ...more });
    };
    const pipeline = JSON.stringify({
      status: 'IN_PROGRESS',
      currentGate: 2,
      completedGates: [0, 1],
      metadata: { ...METADATA, url: '', userStory: '', acceptanceCriteria: [] },
    });
    const files = { [`old/${SLUG}-gate0-output.json`]: file(0), [`old/${SLUG}-gate1-linux-output.json`]: file(1) };
    await using workspace = await workspaceWith({ ...files, [`old/${SLUG}-pipeline.json`]: pipeline });
    expect(await refused(workspace, 'state-guide')).toContain(
      `${SLUG}-gate1-linux-output.json IMPORT_REFUSED gate design is completed, and the file of its leg mac is missing`,
    );
    await workspace.write(`old/${SLUG}-gate1-windows-output.json`, file(1));
    expect(await refused(workspace, 'state-guide')).toContain(
      'gate design: it is of the leg windows, and in the definition it has the legs linux, mac (at /output)',
    );
    await workspace.write(`old/${SLUG}-gate1-windows-output.json`, file(1, { status: 'FAILED' }));
    expect(await refused(workspace, 'state-guide')).toContain('windows-output.json says FAILED');
    await using part = await workspaceWith(files);
    const { out } = await expectOk(gateline(part.root, ['import', 'state-guide', '--from', 'old']));
    expect(out).toBe('plan: adopted\ndesign/linux: adopted\n');
    expect(existsSync(join(part.root, '.state', 'runs'))).toBe(true);
  });
});
