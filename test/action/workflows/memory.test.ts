import { expect, it } from 'vitest';
import { compiled } from '../../compile/compiled.ts';
import { ActionWorld, WORKFLOW } from './action-world.ts';
import { pullRequest } from './pull-request.ts';
import { headOf } from '../../support/runner/repository.ts';

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

it('what a fork learnt reaches no request of the default branch, neither by its documents nor by what its agents note', async () => {
  const learns = PIPELINE.replace(
    'echo \'{}\' > "$GATELINE_OUTPUT"\n    inputs: []\n    memory',
    [
      // The command itself is part of the request.
      'printf -- "- E%s noted by an agent\\n" vil > "$GATELINE_LEARNINGS"',
      'node -p \'JSON.stringify({ read: require("fs").readFileSync(".gateline/memory/learned-patterns.md", "utf8") })\' > "$GATELINE_OUTPUT"',
      'inputs: []',
      'memory',
    ]
      .join('\n      ')
      .replace(/\n {6}(?=inputs|memory)/g, '\n    '),
  );
  await using world = await ActionWorld.create({
    'gateline.yml': learns,
    '.gateline/memory/learned-patterns.md': '# Learned patterns\n',
    [WORKFLOW]: compiled(learns).text,
  });
  const main = await headOf(world.repository.root);
  await world.repository.write('.gateline/memory/learned-patterns.md', '# Learned patterns\n- Evil of a fork\n');
  await world.repository.commitAll('Evil');
  const { service } = world;
  const textsOf = (run: number): string =>
    service.world.artifacts
      .filter((one) => one.run === run)
      .map(({ blob }) => service.world.blobs.blobs.get(blob)!.content.toString('latin1'))
      .join('\n');
  const fork = await world.run(await pullRequest(world, 'guest/gates'));
  expect((await fork.start().ended).conclusion).toBe('success');
  const [forkRun] = [...service.world.runs.keys()];
  expect(textsOf(forkRun!)).toContain('Evil of a fork');
  const push = await world.run({ commit: main });
  expect((await push.start().ended).conclusion).toBe('success');
  const pushRun = [...service.world.runs.keys()].find((id) => id !== forkRun)!;
  expect(textsOf(pushRun)).toContain('# Learned patterns');
  expect(textsOf(pushRun)).not.toContain('Evil of a fork');
  // Its own agent notes the same words; they are in no request, and in no document.
  const claims = service.world.artifacts.filter(({ run, name }) => run === pushRun && name.endsWith('.started.json'));
  const requests = claims.flatMap(({ blob }) => {
    const text = service.world.blobs.blobs.get(blob)!.content.toString();
    const { contents } = JSON.parse(text) as { readonly contents: Readonly<Record<string, string>> };
    return Object.values(contents).filter((one) => one.includes('gateline-request/2'));
  });
  expect(requests).toHaveLength(2);
  for (const request of requests) expect(request).not.toContain('Evil');
});
