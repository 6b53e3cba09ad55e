import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ActionWorld, errorsOf, redJobs } from '../action/workflows/action-world.ts';
import { lastAnswer, packaged, runFor, writeComment } from '../action/workflows/comment-world.ts';
import { pullRequest } from '../action/workflows/pull-request.ts';
import { gateline } from '../cli/in-process.ts';
import { git } from '../support/runner/repository.ts';
import { IS_FULL } from '../support/test-size.ts';
import { COMMIT } from './compiled.ts';

// As the README and the recipes say it, with the folder of `gateline init` as the repository.
it.runIf(IS_FULL)(
  'from an empty folder to a delivered commit: init, compile, a gate that fails, /gateline resume',
  async () => {
    await using world = await ActionWorld.create({ '.gitignore': '.state/\n' });
    const { repository, service } = world;
    const mended = repository.beside('mended');
    const cli = async (...args: string[]): Promise<string> => {
      const { code, out, err } = await gateline(repository.root, args);
      expect(code, err).toBe(0);
      return out;
    };

    expect(await cli('init')).toContain('wrote gateline.yml');
    expect(await cli('run', '--quiet')).toContain('4 of 4 gates done');
    const more = 'workflow: { commands: true }\ndeliver: { gates: implement, as: commit }\ngates:\n';
    await repository.edit('gateline.yml', 'gates:\n', more);
    await repository.edit('agents/verify.sh', 'if [', `test -e '${mended}' || exit 1\nif [`);
    await cli('compile', '--action-ref', COMMIT);
    await repository.write('.github/workflows/comment.yml', packaged('comment.yml', 'issue_comment'));
    await repository.commitAll('gates');
    expect(await cli('compile', '--action-ref', COMMIT, '--check')).toContain('agents.yml');

    service.world.collaborators.set('maria', 'write');
    const run = await world.run({ workflow: '.github/workflows/agents.yml', ...(await pullRequest(world)) });
    const first = await run.start().ended;
    expect(errorsOf(first.job('report')).at(-1)).toBe('Gates failed: not done: verify');
    expect(first.job('deliver').conclusion).toBe('skipped');

    await writeFile(mended, '');
    const comment = writeComment(world, '/gateline resume');
    expect(redJobs(await runFor(world, comment, { workflow: 'agents.yml' }))).toEqual([]);
    expect(lastAnswer(world)).toMatch(/^Resumed: the failed jobs of/);
    expect(service.world.reruns.map(({ which }) => which)).toEqual(['failed']);
    const second = await run.rerunFailed().ended;
    expect(redJobs(second).filter((text) => !text.startsWith('decide: '))).toEqual([]);
    const commit = service.world.heads.get('feature')!;
    expect(await git(repository.root, 'show', '--format=%s', '--name-status', commit)).toMatch(
      /^Deliver agents of run 1\n\nA\thello.txt/,
    );
  },
);
