import { expect, it } from 'vitest';
import type { AttemptDocument } from '../../src/store/github/document.ts';
import { agent, logsOf, pipelineFiles, troubles, useGithub, worked } from '../action/stories/support.ts';

const world = useGithub();
const KEY = 'correct-horse-battery';

it('no artifact holds a secret: what a gate refuses is not stored, nor what a step before it left', async () => {
  const gate = { files: ['*.txt'], inputs: [], secrets: ['KEY'] };
  const write = 'echo "it is $KEY" > made.txt';
  const gates = {
    content: { ...gate, run: agent('{}', write) },
    link: { ...gate, run: agent('{}', 'ln -s "$KEY" made.txt') },
    name: { ...gate, run: agent('{}', 'echo 1 > "$KEY.txt"') },
    // Its files are not looked at: it has failed already.
    failed: { ...gate, run: `${agent('{}', write)}; exit 3` },
    before: { ...gate, run: agent('{}', 'echo 1 > made.txt') },
  };
  const ids = Object.keys(gates);
  const jobs = Object.fromEntries(ids.map((id) => [id, { env: { KEY: '${{ secrets.KEY }}' } }]));
  const before = { before: [{ run: 'echo "$KEY" > credentials.txt; ln -s /etc/passwd out.txt' }] };
  const files = { ...pipelineFiles(gates, { jobs, before }), 'here.txt': '1' };
  const repository = await world.create({ files, secrets: { KEY } });
  const run = await repository.push();
  expect(worked(run), logsOf(run)).toEqual(ids.toSorted());
  expect(troubles(run)).toEqual(['content', 'failed', 'link', 'name', 'report'].map((id) => `${id} failure`));
  const texts = repository.data.artifacts.map(({ blob }) => blob.content!.toString());
  expect(texts.filter((text) => text.includes(KEY))).toEqual([]);
  const documents = texts.filter((text) => text.includes('"gateline-attempt/1"'));
  const stored = documents.flatMap((text) => {
    const { entry, files: list } = JSON.parse(text) as AttemptDocument;
    return list.map(({ path, bytes }) => [entry.unit, path, Buffer.from(bytes!, 'base64').toString()]);
  });
  expect(stored.toSorted()).toEqual([
    ['before', 'here.txt', '1'],
    ['before', 'made.txt', '1\n'],
  ]);
});
