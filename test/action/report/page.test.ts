import { expect, it } from 'vitest';
import { agent, logsOf, pipelineFiles, troubles, useGithub } from '../stories/support.ts';

const world = useGithub();

it('the report is a page, too, if asked: one artifact that a browser shows, linked in the summary', async () => {
  const review = { needs: ['design'], run: agent('{"score":40}'), inputs: ['score.txt'], output: { score: '/score' } };
  const files = pipelineFiles({ design: { run: agent('{"plan":"<script>x</script>"}'), inputs: [] }, review });
  const path = '.github/workflows/story.yml';
  const workflow = files[path]!.replace('"comment":"false"', '"comment":"false","html":"true"');
  const repository = await world.create({ files: { ...files, [path]: workflow } });
  const pages = () => repository.data.artifacts.filter(({ name }) => name.startsWith('gateline-report'));
  const run = await repository.push();
  expect(troubles(run), logsOf(run)).toEqual(['report failure', 'review failure']);
  const [page, ...others] = pages();
  expect([page!.name, page!.mimeType, others]).toEqual(['gateline-report.story.main.1.html', 'text/html', []]);
  const address = `https://github.com/${repository.data.name}/actions/runs/${run.id}/artifacts/${page!.id}`;
  expect(run.job('report').summary).toContain(`[The report as a page](${address})`);
  const html = page!.blob.content!.toString();
  expect(html).toContain('below the threshold of 80');
  expect(html).toContain('&lt;script&gt;x&lt;/script&gt;');
  const [annotation] = run.job('report').annotations;
  expect([annotation?.properties['title'], annotation?.message]).toEqual([
    'failed',
    expect.stringContaining('improve it and push'),
  ]);
  // What a person does on GitHub, not in a folder.
  expect(html).toMatch(/<strong>Next:<\/strong> (?:Accept|Improve) review[^<]*push/);
  expect(html).not.toContain('gateline run');
  const again = await run.rerun('failed');
  expect(pages()).toHaveLength(1);
  expect(again.job('report').summary).toContain(`/artifacts/${pages()[0]!.id})`);
});
