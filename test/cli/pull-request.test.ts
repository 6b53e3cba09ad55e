import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Project, pipeline } from './support.ts';

const LINE = '/gateline approve review 0123456789abcdef0123456789abcdef';
const REPORT = `<!-- gateline-comment/1 0123456789abcdef 7.1 ended -->\n### waits\n\n\`\`\`text\n${LINE}\n\`\`\``;

/** GitHub's command line as far as it is called: comments are read from a file, posts are noted. */
const GH = `#!/bin/sh
case "$1" in
  api) cat "$COMMENTS" ;;
  pr) printf '%s\\n' "$@" >> "$POSTS"; echo https://github.com/o/r/pull/4#issuecomment-1 ;;
esac
`;

function projectWith(comments: readonly object[]): Project {
  const project = new Project({ 'gateline.yml': pipeline({ review: { approval: 'required' } }) });
  project.program('gh', GH);
  project.write('comments.json', JSON.stringify([comments]));
  project.environment['COMMENTS'] = join(project.root, 'comments.json');
  project.environment['POSTS'] = join(project.root, 'posts.txt');
  return project;
}

it('shows the report of a pull request, and posts the line that approves its output', async () => {
  const project = projectWith([
    { body: REPORT.replaceAll('0123', 'ffff'), user: { type: 'Bot' } },
    { body: REPORT, user: { type: 'Bot' } },
    { body: REPORT.replaceAll('0123', 'eeee'), user: { type: 'User' } },
  ]);
  const { exit, out, err } = await project.gateline('approve', 'review', '--pr', '4', '-r', 'reads\nwell');
  expect({ exit, out }).toEqual({ exit: 0, out: 'review: approve: https://github.com/o/r/pull/4#issuecomment-1\n' });
  expect(err).toContain('### waits');
  expect(project.read('posts.txt')?.split('\n')).toEqual(['pr', 'comment', '4', '--body', `${LINE} reads well`, '']);
});

it('says that nothing waits, and posts nothing', async () => {
  const project = projectWith([{ body: REPORT, user: { type: 'Bot' } }]);
  const { exit, err } = await project.gateline('reject', 'design', '--pr', '4', '-r', 'no');
  expect(exit).toBe(1);
  expect(err).toContain('no report on pull request 4 waits for a decision about design');
  expect(project.read('posts.txt')).toBeUndefined();
});
