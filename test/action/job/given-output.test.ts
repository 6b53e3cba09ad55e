import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withGivenOutput } from '../../../src/action/job/given-output.ts';
import type { AgentFile } from '../../../src/agent/attempt-files.ts';
import { createAttemptFiles } from '../../../src/agent/process/attempt-directory.ts';

const ID = { pipeline: 'p', subject: 's', gate: 'a', leg: '', runNumber: 1, runAttempt: 1, n: 1 };

function text(file: AgentFile): string {
  return file.state === 'present' ? new TextDecoder().decode(file.bytes) : file.state;
}

it('stands in for an output that the agent did not write, and for nothing else', async () => {
  const root = await mkdtemp(join(tmpdir(), 'gateline-given-'));
  try {
    const attempts = createAttemptFiles({ root });
    await attempts.create(ID);
    const directory = await withGivenOutput(attempts, '{"ä":1}').open(ID);
    expect(text(await directory!.read('output.json', 8))).toBe('{"ä":1}');
    expect(await directory!.read('output.json', 7)).toEqual({ state: 'too-large', size: 8 });
    expect(text(await directory!.read('metrics.json', 8))).toBe('absent');
    await writeFile(directory!.pathOf('output.json'), '2');
    expect(text(await directory!.read('output.json', 8))).toBe('2');
    expect(await withGivenOutput(attempts, '1').open({ ...ID, n: 2 })).toBeUndefined();
  } finally {
    await rm(root, { recursive: true });
  }
});
