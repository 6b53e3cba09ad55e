import { describe, expect, it } from 'vitest';
import type { GatelineRecord, StartedRecord } from '../../../src/run/records/record.ts';
import { errorsOf, redJobs, type ActionWorld, type WorldRunOptions } from './action-world.ts';
import { CALLED, gate, run, setOf, worldOf } from './set-world.ts';

/** Each subject adds a file to those that it finds, and says which those are. */
const LISTING = {
  make: {
    ...gate('make', `f=$(ls *.txt | tr '\\n' ,)\necho "$s/make:$f 1 $$" >> "$START_LOG"\necho "$s" > "$s.txt"`),
    inputs: ['*.txt'],
    files: ['*.txt'],
  },
  check: { ...gate('check'), needs: 'make' },
};
const LISTED = setOf({ id: 'base' }, { id: 'other' }, { id: 'top', needs: 'base' }, { id: 'last', needs: 'top' });

async function listingWorld(): Promise<ActionWorld> {
  const world = await worldOf(LISTED, LISTING);
  await world.repository.write('all.txt', 'all\n');
  await world.repository.commitAll('a file');
  return world;
}

function fingerprintsOf(records: readonly GatelineRecord[]): Record<string, string> {
  const claims = records.filter((record) => record.kind === 'started' && record.gate === 'make');
  return Object.fromEntries(claims.map((claim) => [claim.subject, (claim as StartedRecord).fingerprint]));
}

describe('files in a set', () => {
  it('reach the subjects that need their subject, and are part of the request as in a local run', async () => {
    await using world = await listingWorld();
    await using local = await world.repository.copy();
    const report = await (await world.run(run)).start().ended;
    expect(redJobs(report).filter((text) => !text.includes(': skipped'))).toEqual([]);
    const found = (await world.startedGates()).filter((text) => text.includes(':'));
    expect(found).toEqual([
      'base/make:all.txt,',
      'last/make:all.txt,base.txt,top.txt,',
      'other/make:all.txt,',
      'top/make:all.txt,base.txt,',
    ]);
    expect((await local.gateline(['run', '--set', 'subjects.json', '--quiet'])).code).toBe(0);
    expect(fingerprintsOf(world.records())).toEqual(fingerprintsOf(await local.records()));
  });

  it.each<[string, (world: ActionWorld) => void, string, string]>([
    [
      'that are not those that the job reported',
      (world) => world.forgeFiles('make'),
      '',
      'its jobs say that they are sha256:',
    ],
    ['that no job reported', () => undefined, 'subject-files', 'no job of this run reported them'],
  ])('do not reach a subject %s', async (_, forge, dropped, why) => {
    await using world = await listingWorld();
    if (dropped !== '') {
      await world.repository.edit(CALLED, new RegExp(`${dropped}: \\$.*`, 'g'), 'summary: false');
      await world.repository.commitAll('a workflow');
    }
    const started = await world.run({
      ...run,
      inspect: (_environment, { id }) => {
        if (id === 'next-1') forge(world);
      },
    });
    const report = await started.start().ended;
    expect(errorsOf(report.job('top')).join()).toContain(
      'SUBJECT_UNPROVEN: the files of subject base are not verified',
    );
    expect(errorsOf(report.job('top')).join()).toContain(why);
    expect((await world.startedGates()).filter((text) => text.startsWith('top'))).toEqual([]);
    expect(report.job('report').conclusion).toBe('failure');
  });
});

/** `top` works on what `base` left. `evil` would have GitHub run something, and `bad` fails. */
const MAKER = {
  make: {
    ...gate(
      'make',
      `[ "$s" != bad ] || exit 1\n[ "$s" != evil ] || { mkdir -p .github/workflows; echo x > .github/workflows/x.yml; }\necho "$s" > "$s.txt"`,
    ),
    inputs: [],
    files: 'changed',
  },
  check: { ...gate('check'), needs: 'make' },
};
const MADE = setOf({ id: 'base' }, { id: 'bad' }, { id: 'evil' }, { id: 'top', needs: 'base' });

const delivering = (deliver: string): WorldRunOptions => ({ ...run, inputs: { set: 'subjects.json', deliver } });

const REFUSED = /^Not delivered: evil: DELIVERY_PATH_REFUSED: .*x\.yml/;

describe('delivery of a set', () => {
  it('makes a branch of each completed subject, on the commit of the run, once', async () => {
    await using world = await worldOf(MADE, MAKER, { contents: 'write', actions: 'read', checks: 'read' });
    const started = await world.run(delivering('branch'));
    const first = await started.start().ended;
    const { heads } = world.service.world;
    expect([...heads.keys()].filter((name) => name.startsWith('gateline/'))).toEqual(['gateline/base', 'gateline/top']);
    const top = heads.get('gateline/top')!;
    expect(await world.repository.git('diff', '--name-only', 'HEAD', top)).toBe('base.txt\ntop.txt\n');
    expect(await world.repository.git('log', '--format=%s', `HEAD..${top}`)).toBe('Deliver top of p of run 1\n');
    expect(errorsOf(first.job('deliver'))).toEqual([
      expect.stringMatching(REFUSED),
      'Not delivered: 2 subjects of p, and 1 could not be delivered',
    ]);
    const second = await started.rerunFailed().ended;
    expect(errorsOf(second.job('deliver')).length).toBe(2);
    expect(heads.get('gateline/top')).toBe(top);
    const { inputs } = delivering('branch');
    const allowed = await world.run({ ...run, inputs: { ...inputs, allow: '.github/workflows/x.yml' } });
    expect(errorsOf((await allowed.start().ended).job('deliver'))).toEqual([]);
    expect([...heads.keys()]).toContain('gateline/evil');
  });

  it('uploads a patch of each, and says what it may not do', async () => {
    await using world = await worldOf(MADE, MAKER, { contents: 'read', actions: 'read', checks: 'read' });
    const report = await (await world.run(delivering('patch'))).start().ended;
    const names = world.service.world.artifacts.map(({ name }) => name).filter((name) => name.endsWith('.patch'));
    expect(names.toSorted()).toEqual(['p-base-1-1.patch', 'p-top-1-1.patch']);
    const { blob } = world.service.world.artifacts.find(({ name }) => name === 'p-top-1-1.patch')!;
    const patch = world.service.world.blobs.blobs.get(blob)!.content.toString();
    expect(patch).toContain('+++ b/top.txt');
    expect(patch).not.toContain('base.txt');
    expect(errorsOf(report.job('deliver'))[0]).toMatch(REFUSED);
    const other = await (await world.run(delivering('branch'))).start().ended;
    expect(errorsOf(other.job('deliver')).join()).toMatch(
      /base: REST_DENIED: .*integration\. Give the job `contents: write`/,
    );
    expect([...world.service.world.heads.keys()].filter((name) => name.startsWith('gateline/'))).toEqual([]);
  });
});
