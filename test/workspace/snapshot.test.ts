import { lstatSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { GitWorkspace, WorkspaceOptions } from '../../src/workspace/git-workspace.ts';
import { parseFiles, TestFolder } from './folder.ts';

/** Texts of the files of a snapshot, as {@link parseFiles} returns them; `x:` before that of an executable one. */
async function contentsOf(workspace: GitWorkspace): Promise<Record<string, string>> {
  const files = await workspace.listFiles(await workspace.takeSnapshot());
  const contents = [...files].map(async ([path, version]) => {
    const bytes = await workspace.readVersion(version);
    if (bytes === undefined) return [path, `(${version.split(' ', 1)[0]})`];
    const mark = version.startsWith('120000') ? '→' : version.startsWith('100755') ? 'x:' : '';
    return [path, mark + (bytes.length > 100 ? 'long' : Buffer.from(bytes).toString())];
  });
  return Object.fromEntries(await Promise.all(contents));
}

const MERGE = `git checkout -qb other; write a=2; git commit -qam 2; git checkout -q main; write a=3; git commit -qam 3; git merge -q other || sed -i "s/ .*//" a`;
const HIDING = ['core.fileMode false', 'core.ignoreStat true', 'core.trustctime false', 'core.checkStat minimal'];
HIDING.push('core.symlinks false', 'core.splitIndex true', 'core.untrackedCache true', 'status.showUntrackedFiles no');
const HIDE = HIDING.map((setting) => `git config ${setting}`).join(';');
const SUBMODULE = 'git -c protocol.file.allow=always submodule --quiet add';
const PARTIAL = 'git clone -q --filter=blob:none --depth=1 --sparse "file://$PWD/o" c';
const UP = '.gitattributes=*.up\tfilter=up,*.txt\ttext';
const LARGE = 'truncate -s 104857601';

/** Name | script that makes the folder | what the snapshot holds | script | what it holds then | options. */
const CASES = `
a repository | commit a=1 b=1; write b=2 c=3 | a=1 b=2 c=3 | write -a b=4 d=5 | b=4 c=3 d=5
no repository | write .gitignore=x a=1 x=1 | .gitignore=x a=1 | write -a b=2 | .gitignore=x b=2
a repository without a commit | git init -q; write a=1 | a=1
an empty folder | git init -q | | write a=1 | a=1
everything deleted | commit a=1 | a=1 | rm a |
a name that is not UTF-8: left out, named | commit a=1; write $(printf 'b\\351')=1 | a=1 b\ufffd=(unreadable)
a name that git takes for its own: left out, named | commit a=1; write .GIT/x=1 | .GIT/x=(unreadable) a=1
executable files | commit a=1; chmod +x a | a=x:1 | chmod -x a | a=1
links | commit a=1; ln -s a l; ln -s .. m | a=1 l→a m→.. | ln -sfn none l | a=1 l→none m→..
a pipe is not there | commit a=1; mkfifo p | a=1
a pipe where a file was is a deletion | commit a=1 b=1 | a=1 b=1 | rm a; mkfifo a | b=1
a file becomes a folder | commit a=1 | a=1 | write -a a/x=3 | a/x=3
a folder becomes a file | commit b/c=1 | b/c=1 | write -b b=4 | b=4
a folder becomes a link to another | commit b/c=2 d/c=2 | b/c=2 d/c=2 | rm -r b; ln -s d b | b→d d/c=2
a folder becomes a link to itself | commit b/c=2 | b/c=2 | rm -r b; ln -s b b | b→b
.state is never part | commit a=1; write .state/x=1; git add -f .state/x | a=1 | write .state/y=1 | a=1
scratch | commit a=1 c=1; write t/x=1 b.log=2 | a=1 | write k.log=3 | a=1 k.log=3 | ignore=t/,c,**/*.log,!k.log
what a killed write of ours left | commit a=1; write b/.gateline-0123456789abcdef.tmp=1 | a=1
ignored files | commit .gitignore=d,.env; write d/x=1 .env=s | .gitignore=d,.env
ignored files that \`files\` names | commit .gitignore=d,*.p,c; write d/x=1 e/a.p=2 s/a=3 s/c/b=4 | .gitignore=d,*.p,c d/x=1 e/a.p=2 s/a=3 | write -d d/y/z=5 e/a.p=6 | .gitignore=d,*.p,c d/y/z=5 e/a.p=6 s/a=3 | stored=d/**,e/*.p,s/**
ignored files that \`inputs\` names | commit .gitignore=d,.env; write d/x=1 .env=s a=1 | .env=(unstored) .gitignore=d,.env a=1 | rm .env | .gitignore=d,.env a=1 | hashed=.env,**/*
ignored files that both name | commit .gitignore=d; write d/x=1 | .gitignore=d d/x=1 | write d/y=2 | .gitignore=d d/x=1 d/y=2 | stored=d/** hashed=d/**
ignored files that a wildcard names | commit .gitignore=d; write p/a/d/x=1 o/d/x=3 | .gitignore=d p/a/d/x=1 | | | stored=p/*/d/**
ignored files in a folder that is not ignored | commit .gitignore=*.p; write e/a.p=1 | .gitignore=*.p | write e/b.p=1 | .gitignore=*.p | stored=e/**
an input that is ignored later | commit .gitignore=; write a=1 | .gitignore= a=1 | write .gitignore=a | .gitignore=a a=(unstored) | hashed=a
tracked although ignored | commit .gitignore=l l/x=1; write l/y=2 | .gitignore=l l/x=1 | write l/x=3 | .gitignore=l l/x=3
tracked although ignored, deleted | commit .gitignore=l l/x=1 | .gitignore=l l/x=1 | rm -r l | .gitignore=l
a .gitignore that changes | commit .gitignore=b; write b=1 c=2 | .gitignore=b c=2 | write .gitignore=c c=3 | .gitignore=c b=1
info/exclude that changes | commit a=1; write b=2 | a=1 b=2 | write .git/info/exclude=b | a=1
a repository in the folder | commit a=1; mkdir s; cd s; commit .gitignore=o x=1; write y=2 o=3 | a=1 s/.gitignore=o s/x=1 s/y=2 | write s/x=5 s/n=6 | a=1 s/.gitignore=o s/n=6 s/x=5 s/y=2
a repository in that one | commit a=1; mkdir -p s/t; (cd s; commit x=1); cd s/t; commit z=4 | a=1 s/t/z=4 s/x=1 | rm s/t/z | a=1 s/x=1
a repository without a commit in the folder | commit a=1; write s/x=1; git -C s init -q | a=1 s/x=1
a submodule | mkdir o r; (cd o; commit x=1); cd r; commit a=1; ${SUBMODULE} ../o s; write .gitmodules= | .gitmodules= a=1 s/x=1 | write r/s/x=2 | .gitmodules= a=1 s/x=2 | below=r
a subfolder of a repository | commit a=1 s/b=2 .gitignore=x; write s/c=3 s/x=4 | b=2 c=3 | rm s/b s/c | | below=s
a subfolder that the repository ignores | commit .gitignore=s; write s/a=1 | a=1 | write s/b=2 | a=1 b=2 | below=s
a linked worktree | mkdir m; cd m; commit a=1 b=1; git worktree add -q ../t | a=1 b=1 | write t/a=2 | a=2 b=1 | below=t
a sparse checkout | commit a/x=1 b/y=2; git sparse-checkout set a | a/x=1 | write b/n=3 | a/x=1 b/n=3
a partial and shallow clone, its origin gone | mkdir o; (cd o; commit a=1 b/x=1; git config uploadpack.allowFilter true); ${PARTIAL}; write -o | a=1 | write c/a=2 | a=2 | below=c
skip-worktree | commit a=1; git update-index --skip-worktree a | a=1 | write a=2 | a=2
assume-unchanged | commit a=1; git update-index --assume-unchanged a | a=1 | write a=2 | a=2
a merge in progress: conflict markers too | commit a=1; ${MERGE} | a=<<<<<<<,3,=======,2,>>>>>>>,
intent to add | commit a=1; write b=2; git add -N b | a=1 b=2 | rm a | b=2
filters | commit "${UP}"; git config filter.up.clean 'tr a-z A-Z'; write a.up=abc | ${UP} a.up=ABC | write a.up=d | ${UP} a.up=D
line ends | commit "${UP}"; printf '1\\r\\n' > b.txt | ${UP} b.txt=1,
settings that hide changes | commit a=1 b=1; ${HIDE} | a=1 b=1 | chmod +x a; ln -sf a b; write ü=2 | a=x:1 b→a ü=2
large files: an id, but stored if tracked | ${LARGE} t; commit; ${LARGE} u | t=long u=(unstored) | write u=2 | t=long u=2
a file that grows too large | commit a=1; write u=1 | a=1 u=1 | ${LARGE} u | a=1 u=(unstored)
`;

/** `below=s stored=a,b`: where the workspace is below the test's folder, and lists of globs. */
function parseOptions(text: string): { below: string; options: Partial<WorkspaceOptions> } {
  const words = text
    .split(' ')
    .map((word): [string, string[]] => [word.split('=')[0]!, word.split('=').at(-1)!.split(',')]);
  const { below, ...options } = Object.fromEntries(words);
  return { below: below?.[0] ?? '.', options };
}

describe('a snapshot has the files of the folder', () => {
  it.each(
    CASES.trim()
      .split('\n')
      .map((line) => line.split(/ ?(?<!\|)\|(?!\|) ?/)),
  )('%s', async (...columns) => {
    const [, make = '', holds = '', change = '', then = '', more = ''] = columns;
    const { below, options } = parseOptions(more);
    const folder = new TestFolder().run(make);
    const place = folder.at(below);
    const workspace = await place.open(options);
    expect(await contentsOf(workspace)).toEqual(parseFiles(holds));
    const snapshot = await workspace.takeSnapshot();
    expect(await workspace.takeSnapshot(), 'unchanged').toEqual(snapshot);
    if (change !== '') {
      folder.run(change);
      expect(await contentsOf(workspace), 'after the change').toEqual(parseFiles(then));
    }
    // Neither the history of our index nor the process matters.
    const current = await workspace.takeSnapshot();
    expect(await (await place.open(options)).takeSnapshot(), 'by another process').toEqual(current);
    rmSync(workspace.repository.index, { force: true });
    const seeded = await place.open({ ...options, seedIndex: true });
    expect(await seeded.takeSnapshot(), "from the user's index").toEqual(current);
  });

  it('with odd names', async () => {
    const names = ['a b', '"q"', 'l\nb', 'b\\s', 'ü/ä', '\u{1f600}', ':(top)x', '*', '-x', 'constructor', '__proto__'];
    const files = Object.fromEntries(names.map((name) => [name, name]));
    const workspace = await new TestFolder()
      .commit('a=1')
      .write(files)
      .open({ ignore: ['a'] });
    expect(await contentsOf(workspace)).toEqual(files);
  });

  it('for the globs of today, whatever those of earlier calls', async () => {
    const folder = new TestFolder().run('commit .gitignore=d a=1; write d/x=1');
    expect(await contentsOf(await folder.open({ stored: ['d'] }))).toEqual(parseFiles('.gitignore=d a=1 d/x=1'));
    expect(await contentsOf(await folder.open({ ignore: ['a'] }))).toEqual(parseFiles('.gitignore=d'));
    expect(await contentsOf(await folder.open())).toEqual(parseFiles('.gitignore=d a=1'));
  });

  it('if a file changes twice within a second and keeps its old time, also after a kill', async () => {
    const folder = new TestFolder().write('d=0');
    /** As `cp -p` and `mv` do: with the size and the time from before. @returns the second of the change */
    const replace = (text: string): bigint => {
      folder.run(`rm d; printf ${text} >.state/t; touch -d @1000000000 .state/t; mv .state/t d`);
      return lstatSync(folder.path('d'), { bigint: true }).ctimeNs / 1_000_000_000n;
    };
    let workspace = await folder.open();
    for (const isKilled of [false, true])
      for (let n = 0, isOver = false; !isOver; n += 2) {
        const second = replace(`${n % 10}`);
        await workspace.takeSnapshot();
        // What a snapshot leaves that is killed before it has set the time of the index.
        if (isKilled)
          folder.run('GIT_DIR=.state/git GIT_WORK_TREE=. GIT_INDEX_FILE=$(echo .state/git/index-*) git update-index d');
        isOver = replace(`${(n + 1) % 10}`) === second;
        if (isKilled) workspace = await folder.open();
        expect(await contentsOf(workspace)).toEqual({ d: `${(n + 1) % 10}` });
      }
  });

  it('also after a tracked file that is ignored was deleted and came back', async () => {
    const folder = new TestFolder().commit('.gitignore=lib lib/x=1');
    const workspace = await folder.open();
    for (const [files, holds] of [
      ['-lib', ''],
      ['a=1', 'a=1'],
      ['lib/x=2', 'a=1 lib/x=2'],
    ] as const) {
      folder.write(files);
      expect(await contentsOf(workspace)).toEqual(parseFiles(`.gitignore=lib ${holds}`));
    }
  });
});
