import { mkdir, mkdtemp, realpath, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withOutputFile } from '../../../src/action/job/output-file.ts';
import { createAttemptFiles } from '../../../src/agent/process/attempt-directory.ts';
import type { AgentFile, AttemptDirectory } from '../../../src/agent/attempt-files.ts';

const ID = { pipeline: 'p', subject: 's', gate: 'a', leg: '', runNumber: 1, runAttempt: 1, n: 1 };

interface Place {
  readonly workspace: string;
  readonly temp: string;
  readonly open: (path: string) => Promise<AttemptDirectory>;
}

async function inWorkspace(work: (place: Place) => Promise<void>): Promise<void> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'gateline-output-')));
  const [workspace, temp] = [join(base, 'workspace'), join(base, 'temp')];
  await mkdir(workspace);
  await mkdir(temp);
  const attempts = createAttemptFiles({ root: join(temp, 'attempts') });
  try {
    await work({ workspace, temp, open: (path) => withOutputFile(attempts, { workspace, temp, path }).create(ID) });
  } finally {
    await rm(base, { recursive: true });
  }
}

function text(file: AgentFile): string {
  return file.state === 'present' ? new TextDecoder().decode(file.bytes) : file.state;
}

/** Writes a file until the system's clock tells it from another one's. */
async function writeLater(path: string, content: string, than: string): Promise<void> {
  const before = (await stat(than, { bigint: true })).ctimeNs;
  do await writeFile(path, content);
  while ((await stat(path, { bigint: true })).ctimeNs <= before);
}

describe('an output that an agent writes to a file of the workspace', () => {
  it('is what the agent wrote, also through another process that opens the attempt', () =>
    inWorkspace(async ({ workspace, temp, open }) => {
      await open('out/result.json');
      await mkdir(join(workspace, 'out'));
      await writeFile(join(workspace, 'out/result.json'), '{"a":1}');
      const attempts = createAttemptFiles({ root: join(temp, 'attempts') });
      const again = await withOutputFile(attempts, { workspace, temp, path: 'out/result.json' }).open(ID);
      expect(text(await again!.read('output.json', 100))).toBe('{"a":1}');
    }));

  it('gives way to one that was written to GATELINE_OUTPUT', () =>
    inWorkspace(async ({ workspace, open }) => {
      const directory = await open('result.json');
      await writeFile(join(workspace, 'result.json'), '1');
      await writeFile(directory.pathOf('output.json'), '2');
      expect(text(await directory.read('output.json', 100))).toBe('2');
    }));

  it('is not what stood there before, but is when it was written again', () =>
    inWorkspace(async ({ workspace, open }) => {
      await writeFile(join(workspace, 'result.json'), '1');
      const directory = await open('result.json');
      expect(text(await directory.read('output.json', 100))).toBe('absent');
      await writeFile(join(workspace, 'result.json'), '1');
      await utimes(join(workspace, 'result.json'), 1, 1);
      expect(text(await directory.read('output.json', 100))).toBe('1');
    }));

  it('is not a file from before the gate began, where nobody looked at it then', () =>
    inWorkspace(async ({ workspace, temp, open }) => {
      const attempts = createAttemptFiles({ root: join(temp, 'attempts') });
      await writeFile(join(workspace, 'result.json'), '1');
      await utimes(join(workspace, 'result.json'), 4_000_000_000, 4_000_000_000);
      // Begun without the input, and for another file.
      for (const begin of [() => attempts.create(ID), () => open('other.json')]) {
        const directory = await begin();
        await writeLater(directory.pathOf('request.json'), '{}', join(workspace, 'result.json'));
        const again = await withOutputFile(attempts, { workspace, temp, path: 'result.json' }).open(ID);
        expect(await again!.read('output.json', 100)).toMatchObject({
          state: 'refused',
          why: expect.stringContaining('result.json was last written before the gate began'),
        });
        await writeLater(join(workspace, 'result.json'), '2', directory.pathOf('request.json'));
        expect(text(await again!.read('output.json', 100))).toBe('2');
        await rm(directory.path, { recursive: true });
      }
    }));

  it('is not what stood there before, when the agent wrote over what was noted of it', () =>
    inWorkspace(async ({ workspace, open }) => {
      await writeFile(join(workspace, 'result.json'), '1');
      const directory = await open('result.json');
      await writeLater(directory.pathOf('request.json'), '{}', join(workspace, 'result.json'));
      for (const torn of ['', '{', '[]', '["x", 1]']) {
        await writeFile(directory.pathOf('output-file.json'), torn);
        expect(await directory.read('output.json', 100)).toMatchObject({ state: 'refused' });
      }
    }));

  it('is no link, no folder, and not larger than it may be', () =>
    inWorkspace(async ({ workspace, open }) => {
      const directory = await open('result.json');
      await symlink('/etc/passwd', join(workspace, 'result.json'));
      expect(await directory.read('output.json', 100)).toMatchObject({
        state: 'refused',
        why: 'it is a symbolic link',
      });
      await rm(join(workspace, 'result.json'));
      await mkdir(join(workspace, 'result.json'));
      expect(await directory.read('output.json', 100)).toMatchObject({ state: 'refused' });
      await rm(join(workspace, 'result.json'), { recursive: true });
      await writeFile(join(workspace, 'result.json'), 'x'.repeat(101));
      expect(await directory.read('output.json', 100)).toEqual({ state: 'too-large', size: 101 });
    }));

  it('lies in the workspace or in RUNNER_TEMP, links of its folder followed', () =>
    inWorkspace(async ({ workspace, temp, open }) => {
      await symlink('/etc', join(workspace, 'climb'));
      for (const path of ['../other.json', '/etc/passwd', 'climb/passwd', '.', '']) {
        await expect(open(path)).rejects.toMatchObject({ code: 'OUTPUT_FILE_OUTSIDE', fault: 'user' });
      }
      const directory = await open(join(temp, 'result.json'));
      await writeFile(join(temp, 'result.json'), '3');
      expect(text(await directory.read('output.json', 100))).toBe('3');
    }));

  it('leaves the other files of the attempt alone', () =>
    inWorkspace(async ({ workspace, open }) => {
      const directory = await open('metrics.json');
      await writeFile(join(workspace, 'metrics.json'), '1');
      expect(text(await directory.read('metrics.json', 100))).toBe('absent');
    }));
});
