import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../../src/json/digest.ts';
import { started } from '../../support/records.ts';
import { makeWorkspace } from './workspace.ts';

const RECORD = started({ gate: 'a' });

describe('quarantine', () => {
  it('keeps every bad state of a record, the later ones beside the first', async () => {
    await using made = await makeWorkspace();
    const store = await made.open();
    await store.write(RECORD);
    const kept: string[] = [];
    for (const bytes of ['first nonsense', 'second nonsense']) {
      await writeFile(made.fileOf(RECORD), bytes);
      const [problem] = (await store.list(RECORD.pipeline, RECORD.subject)).problems;
      kept.push(join(made.workspace, problem!.quarantine!));
    }
    expect(await Promise.all(kept.map((path) => readFile(path, 'utf8')))).toEqual([
      'first nonsense',
      'second nonsense',
    ]);
  });

  it('keeps every altered state of a content, also when the right bytes are put back', async () => {
    await using made = await makeWorkspace();
    const store = await made.open();
    const { digest } = await store.put('sound');
    const kept: string[] = [];
    for (const bytes of ['altered', 'altered again']) {
      await writeFile(made.fileOfContent(digest), bytes);
      const read = await store.check(digest);
      expect(read).toMatchObject({ state: 'unknown', problem: { code: 'CONTENT_ALTERED' } });
      if (read.state === 'unknown') kept.push(join(made.workspace, read.problem.quarantine!));
      await store.put('sound');
    }
    expect(await store.check(digest)).toMatchObject({ state: 'present', value: { digest: digestOf('sound') } });
    expect(await Promise.all(kept.map((path) => readFile(path, 'utf8')))).toEqual(['altered', 'altered again']);
  });
});
