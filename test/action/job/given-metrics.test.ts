import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAttemptFiles } from '../../../src/agent/process/attempt-directory.ts';
import { readGivenMetrics } from '../../../src/action/job/given-metrics.ts';
import { withReportedMetrics } from '../../../src/local/reported-metrics.ts';

const ID = { pipeline: 'p', subject: 's', gate: 'g', leg: '', runNumber: 1, runAttempt: 1, n: 1 };
const RESULT = { type: 'result', session_id: 'f6ff', total_cost_usd: 0.5 };

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gateline-metrics-'));
  for (const name of ['workspace', 'temp']) await mkdir(join(root, name));
  await writeFile(join(root, 'temp/execution.json'), JSON.stringify([{ type: 'user', long: 'x'.repeat(200) }, RESULT]));
  await writeFile(join(root, 'outside.json'), JSON.stringify(RESULT));
  await writeFile(join(root, 'workspace/other.json'), JSON.stringify({ much: 'x'.repeat(200) }));
  await symlink(join(root, 'temp/execution.json'), join(root, 'workspace/link.json'));
  await createAttemptFiles({ root: join(root, 'attempts') }).create(ID);
});
afterAll(() => rm(root, { recursive: true }));

/** What the engine reads as metrics, where the step was given this, with a limit of 100 bytes. */
async function read(given?: string): Promise<unknown> {
  const places = { workspace: join(root, 'workspace'), temp: join(root, 'temp') };
  const attempts = withReportedMetrics(
    createAttemptFiles({ root: join(root, 'attempts') }),
    given === undefined ? undefined : (limit) => readGivenMetrics({ ...places, path: given }, limit),
  );
  const file = await (await attempts.open(ID))!.read('metrics.json', 100);
  return file.state === 'present' ? (JSON.parse(new TextDecoder().decode(file.bytes)) as unknown) : file;
}

describe('metrics that a step is given', () => {
  const metrics = { session: 'f6ff', costUsd: 0.5 };

  it('are JSON of ours or of Claude Code, or a file with it', async () => {
    expect(await read()).toEqual({ state: 'absent' });
    expect(await read('{"costUsd": 1}')).toEqual({ costUsd: 1 });
    expect(await read(` ${JSON.stringify(RESULT)}\n`)).toEqual(metrics);
    expect(await read(join(root, 'temp/execution.json'))).toEqual(metrics);
    expect(await read('../temp/execution.json')).toEqual(metrics);
  });

  it('are refused from elsewhere, without an error', async () => {
    const refused = (why: string): object => ({ state: 'refused', why: expect.stringContaining(why) });
    expect(await read(join(root, 'outside.json'))).toEqual(refused('outside'));
    expect(await read('link.json')).toEqual(refused('symbolic link'));
    expect(await read('none.json')).toEqual(refused('no such file'));
    expect(await read('a\0b')).toEqual(refused('null bytes'));
    expect(await read('other.json')).toEqual({ state: 'too-large', size: 211 });
  });

  it('are what the agent itself wrote, where it did', async () => {
    const directory = (await createAttemptFiles({ root: join(root, 'attempts') }).open(ID))!;
    await writeFile(directory.pathOf('metrics.json'), JSON.stringify({ model: 'own' }));
    expect(await read('{"costUsd": 1}')).toEqual({ model: 'own' });
  });
});
