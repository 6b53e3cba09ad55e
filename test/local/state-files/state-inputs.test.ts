import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stateInputs } from '../../../src/local/state-files/state-inputs.ts';
import { unitsOf } from '../../../src/run/records/unit.ts';
import { openWorkspace } from '../../../src/workspace/open-workspace.ts';
import { pipelineOf } from '../../support/pipelines.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gateline-inputs-'));
  await mkdir(join(root, '.state'));
});
afterEach(() => rm(root, { recursive: true }));

const GUIDES_GATE_1 = {
  gate: 1,
  agent: 'TestCaseDesigner',
  status: 'SUCCESS',
  metadata: {
    domain: 'demoqa_com',
    feature: 'student_registration',
    url: 'https://demoqa.com/automation-practice-form',
  },
  output: { testCases: [{ testId: 'TC_001' }] },
  validation: { score: 95, issues: [], passed: true },
};

async function read(pipeline = pipelineOf({ data: {}, design: { needs: ['data'] } })) {
  const workspace = await openWorkspace(root, {
    environment: {},
    store: join(root, '.state/git'),
    trees: `${root}-trees`,
  });
  const place = { root, isDefault: true, pipeline };
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const metadata = { domain: 'demoqa_com', feature: 'student_registration' };
  const redact = (text: string): string => text.replaceAll('very-secret', '***');
  const find = stateInputs({ workspace, place, subject: 'demoqa_com-student_registration', metadata, warn, redact });
  const needs: Record<string, unknown> = {};
  for (const unit of unitsOf(pipeline).values()) {
    const found = await find(unit);
    if (found !== undefined) needs[unit.key] = found.output;
  }
  return { needs, warnings };
}

function put(name: string, content: unknown): Promise<void> {
  return writeFile(join(root, '.state', name), typeof content === 'string' ? content : JSON.stringify(content));
}

describe('outputs that somebody else left in state files', () => {
  it('stand in by gate, under the guide’s own names', async () => {
    await put('demoqa_com-student_registration-gate1-output.json', GUIDES_GATE_1);
    expect(await read()).toEqual({ needs: { design: GUIDES_GATE_1.output }, warnings: [] });
  });

  it('are nothing where there is no file', async () => {
    expect(await read()).toEqual({ needs: {}, warnings: [] });
  });

  it('of a failed gate are not used, and that is said', async () => {
    await put('demoqa_com-student_registration-gate1-output.json', { ...GUIDES_GATE_1, status: 'FAILED' });
    const { needs, warnings } = await read();
    expect(needs).toEqual({});
    expect(warnings).toEqual([expect.stringContaining('FAILED')]);
  });

  it.each([
    ['/gate', { gate: 2 }],
    ['/metadata/feature', { metadata: { ...GUIDES_GATE_1.metadata, feature: 'other' } }],
  ])('that say something else than their names are an error at %s', async (pointer, more) => {
    await put('demoqa_com-student_registration-gate1-output.json', { ...GUIDES_GATE_1, ...more });
    await expect(read()).rejects.toMatchObject({ code: 'STATE_FILE_INVALID', place: { pointer } });
  });

  it('that are no state files are an error that names the file and the place in it', async () => {
    await put('demoqa_com-student_registration-gate1-output.json', { ...GUIDES_GATE_1, validation: { score: 'high' } });
    await expect(read()).rejects.toMatchObject({
      code: 'STATE_FILE_INVALID',
      message: expect.stringContaining('/validation/score') as string,
    });
    await put('demoqa_com-student_registration-gate1-output.json', '{"gate": 1');
    await expect(read()).rejects.toMatchObject({
      code: 'STATE_FILE_INVALID',
      message: expect.stringContaining('gate1-output.json') as string,
    });
  });
});
