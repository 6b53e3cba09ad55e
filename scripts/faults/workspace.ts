import type { Fault } from './fault.ts';

const INPUTS = ['test/workspace/inputs.test.ts'];
const CHANGES = ['test/workspace/changes.test.ts'];
const MATERIALISE = ['test/workspace/materialise.test.ts'];

/** Faults in how files are seen, kept and put back. */
export const WORKSPACE_FAULTS: readonly Fault[] = [
  {
    name: 'workspace: a folder that is a symbolic link is followed',
    file: 'src/workspace/standing.ts',
    find: 'return (path) => (foldersOf(path).every(isFolder) ? lookAt(root, path) : undefined);',
    replace:
      "return (path) => (foldersOf(path).every((folder) => isFolder(folder) || folder !== '') ? lookAt(root, path) : undefined);",
    tests: CHANGES,
    why: 'files outside of the workspace would be read and handed on',
  },
  {
    name: 'workspace: files are written through a symbolic link',
    file: 'src/workspace/displace.ts',
    find: 'if (stats !== undefined) throw blockedBy(path, folder, stats);',
    replace: 'if (stats !== undefined) continue;',
    tests: MATERIALISE,
    why: 'a gate could write anywhere',
  },
  {
    name: 'workspace: a path may lead anywhere',
    file: 'src/workspace/contain.ts',
    find: 'if (why === undefined) return;',
    replace: "if (why !== '') return;",
    tests: MATERIALISE,
    why: 'a gate could write anywhere',
  },
  {
    name: 'workspace: a path may lead into git’s own folder',
    file: 'src/workspace/contain.ts',
    find: "if (stem === '.git' || stem === 'git~1')",
    replace: "if (stem === 'git~1')",
    tests: MATERIALISE,
    why: 'a gate could install a hook',
  },
  {
    name: 'workspace: files that are not tracked do not count',
    file: 'src/workspace/select.ts',
    find: '[...snapshot.tracked, ...snapshot.untracked, ...generated]',
    replace: '[...snapshot.tracked, ...generated]',
    tests: INPUTS,
    why: 'a change of a new file would go unnoticed',
  },
  {
    name: 'workspace: a file that the user edited is overwritten',
    file: 'src/workspace/materialise.ts',
    find: 'foreign: file !== undefined && !matches.includes(true)',
    replace: 'foreign: file !== undefined && matches.length > 9',
    tests: MATERIALISE,
    why: 'a person’s work would be gone without a trace',
  },
  {
    name: 'workspace: a file that git ignores since is not seen',
    file: 'src/workspace/capture.ts',
    find: 'for (const [path, file] of await snapshot.resolve(unseen)) after.set(path, file);',
    replace: '',
    tests: CHANGES,
    why: 'an agent that changes .gitignore would seem to have deleted files',
  },
];
