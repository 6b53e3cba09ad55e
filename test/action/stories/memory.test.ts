import { expect, it } from 'vitest';
import { agent, logsOf, pipelineFiles, troubles, useGithub, worked } from './support.ts';

const world = useGithub();

it('documents are inputs in jobs too: of the checkout, and of the job before; the handoff is beside them', async () => {
  const note =
    'mkdir -p .gateline/memory; echo five steps > .gateline/memory/plan.md; echo "- Look first" > "$GATELINE_LEARNINGS"';
  const gates = {
    plan: {
      run: agent('{"message": "planned"}', note),
      inputs: [],
      files: ['.gateline/memory/plan.md'],
      output: { message: '/message' },
    },
    build: {
      needs: ['plan'],
      run: agent('{}', 'cat "$GATELINE_MEMORY"/*.md'),
      inputs: [],
      memory: ['style', 'plan', 'handoff'],
    },
  };
  const repository = await world.create({ files: pipelineFiles(gates) });
  const missing = await repository.push();
  expect([worked(missing), troubles(missing)], logsOf(missing)).toEqual([
    ['plan'],
    ['build failure', 'report failure'],
  ]);
  expect(missing.job('build').log).toContain(
    'build needs the document style, and there is no .gateline/memory/style.md',
  );
  const first = await repository.push({ files: { '.gateline/memory/style.md': 'Be short.\n' } });
  expect(worked(first), logsOf(first)).toEqual(['build']);
  for (const text of ['Be short.', 'five steps', 'plan: planned']) expect(first.job('build').log).toContain(text);
  expect(worked(await repository.push({ files: { 'README.md': 'x' } }))).toEqual([]);
  expect(worked(await repository.push({ files: { '.gateline/memory/style.md': 'Be long.\n' } }))).toEqual(['build']);
});
