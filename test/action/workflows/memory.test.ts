import { expect, it } from 'vitest';
import { compiled } from '../../compile/compiled.ts';
import { ActionWorld, WORKFLOW } from './action-world.ts';
import { pullRequest } from './pull-request.ts';

/** Fails unless the folder of documents has these files, and nothing else. */
const finds = (...names: string[]): string =>
  `test "$(cd .gateline/memory 2>/dev/null && find . -type f | sort | tr '\\n' ' ')" = "${names.map((one) => `./${one} `).join('')}" || exit 1`;

const PIPELINE = `pipeline: notes
on: pull_request
gates:
  explore:
    run: |
      echo "explore 1 $$" >> "$START_LOG"
      ${finds('learned-patterns.md')}
      echo '{}' > "$GATELINE_OUTPUT"
    inputs: []
    memory: [learned-patterns]
  build:
    needs: explore
    run: |
      echo "build 1 $$" >> "$START_LOG"
      ${finds()}
      echo '{}' > "$GATELINE_OUTPUT"
      echo built > built.txt
    inputs: []
    files: changed
`;

it('a job’s checkout has the documents that its gate names, and a new line starts that gate again only', async () => {
  await using world = await ActionWorld.create({
    'gateline.yml': PIPELINE,
    '.gateline/memory/learned-patterns.md': '# Learned patterns\n',
    '.gateline/memory/glossary.md': '# Glossary\n',
    '.gateline/memory/private/notes.txt': 'x',
    [WORKFLOW]: compiled(PIPELINE).text,
  });
  const first = await (await world.run(await pullRequest(world))).start().ended;
  expect(first.conclusion).toBe('success');
  expect(await world.startedGates()).toEqual(['build', 'explore']);
  const build = world.records().findLast((one) => one.kind === 'ended' && one.gate === 'build');
  expect(build?.kind === 'ended' && build.files.map(({ path }) => path)).toEqual(['built.txt']);
  await world.repository.write('.gateline/memory/glossary.md', '# Glossary\n- gate\n');
  await world.repository.commitAll('Explain');
  await (await world.run(await pullRequest(world))).start().ended;
  expect(await world.startedGates()).toEqual([]);
  await world.repository.write('.gateline/memory/learned-patterns.md', '# Learned patterns\n- One\n');
  await world.repository.commitAll('Learn');
  await (await world.run(await pullRequest(world))).start().ended;
  expect(await world.startedGates()).toEqual(['explore']);
});
