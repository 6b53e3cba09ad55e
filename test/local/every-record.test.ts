import { symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { everyRecord } from '../../src/local/every-record.ts';
import { gatelineYml, writes } from '../cli/in-process.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';

describe('the records of a workspace', () => {
  it('are those of all its pipelines, whatever else lies beside them', async () => {
    const definition = gatelineYml({ one: { run: writes(1), inputs: [] } });
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': definition,
      'other.yml': definition.replace('"p"', '"other"'),
    });
    for (const file of ['gateline.yml', 'other.yml'])
      expect(await workspace.gateline(['run', '-q', '--file', file])).toMatchObject({ code: 0 });
    await workspace.write('.state/note.txt', 'a file');
    const { records, problems } = await everyRecord(workspace.root, workspace.path('.state'));
    expect(new Set(records.map(({ pipeline }) => pipeline))).toEqual(new Set(['p', 'other']));
    expect(problems).toEqual([]);
  });

  it('are not known if a folder cannot be looked at', async () => {
    await using workspace = await ScratchWorkspace.create({ '.state/runs/x': '' });
    await symlink('loop', workspace.path('.state/loop'));
    await expect(everyRecord(workspace.root, workspace.path('.state'))).rejects.toMatchObject({
      code: 'STORE_READ_FAILED',
    });
  });
});
