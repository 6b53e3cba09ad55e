import { describe, expect, it } from 'vitest';
import { pipeline, Project } from '../cli/support.ts';

const FILE = '.github/workflows/p.yml';

describe('gateline compile', () => {
  it('writes the workflow, and says with --check what would change in it', async () => {
    const project = new Project({ 'gateline.yml': pipeline({ a: {}, b: { needs: 'a' } }) });
    await project.expect('compile --check', 1, '+++ gateline compile\n', '+name: p\n', `${FILE} is not up to date`);
    expect(project.read(FILE)).toBeUndefined();
    await project.expect('compile', 0, `wrote ${FILE}`);
    await project.expect('compile --check', 0, `${FILE} is up to date`);
    const text = project.read(FILE)!;
    project.write(FILE, text.replaceAll('\n', '\r\n'));
    expect(await project.json('compile', '--check')).toEqual({ path: FILE, status: 'current', diff: '' });

    project.write(FILE, text);
    project.edit('gateline.yml', '"needs": "a"', '"needs": []');
    const answer = await project.gateline('compile', '--check');
    expect(answer).toMatchObject({ exit: 1, err: '' });
    expect(answer.out).toMatch(/^--- .*p\.yml\n\+\+\+ gateline compile\n@@ .* @@/);
    expect(answer.out.match(/^[-+] .*$/gm)).toEqual([
      '-    needs: [a]',
      '-        with:',
      '-          needs: ${{ toJSON(needs) }}',
    ]);
    expect(project.read(FILE)).toBe(text);
    expect(await project.json('compile')).toEqual({ path: FILE, status: 'written', diff: '' });
  });

  it('writes beside the other workflows of the repository, for a definition in a folder', async () => {
    const project = new Project({ 'pkg/gateline.yml': pipeline({ a: {} }) });
    await project.expect('compile -f pkg/gateline.yml', 0, `wrote ${FILE}`);
    expect(project.read(FILE)).toContain('          file: pkg/gateline.yml\n');
    await project.expect('compile -f pkg/gateline.yml --output x/y.yml', 0, 'wrote x/y.yml');
    expect(project.read('x/y.yml')).toBe(project.read(FILE));
  });

  it('leaves a file alone that it did not write', async () => {
    const project = new Project({ 'gateline.yml': pipeline({ a: {} }), [FILE]: 'name: mine\n' });
    for (const words of ['compile', 'compile --check'])
      await project.expect(words, 2, 'was not written by `gateline compile`', '--output');
    expect(project.read(FILE)).toBe('name: mine\n');
  });
});
