import type { Fault } from './fault.ts';

const INPUTS = ['test/workspace/inputs.test.ts'];
const CHANGES = ['test/workspace/changes.test.ts'];
const MATERIALISE = ['test/workspace/materialise.test.ts'];
const LINKS = ['test/workspace/dependency-links.test.ts'];

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
  {
    name: 'workspace: a scope of packages is one link',
    file: 'src/workspace/dependencies/plan-modules.ts',
    find: "if (isFolder && entry.name.startsWith('@'))",
    replace: "if (isFolder && entry.name.startsWith('@@'))",
    tests: LINKS,
    why: '`npm ci` in a work tree would empty the scope of the user',
  },
  {
    name: 'workspace: a link to a package of the workspace leads to the folder of the user',
    file: 'src/workspace/dependencies/plan-entry.ts',
    find: 'link(!isAbsolute(target) && holds ? target : join(plan.to, below));',
    replace: 'link(lead);',
    tests: LINKS,
    why: 'tests in a work tree would test the files of the user',
  },
  {
    name: 'workspace: links are made through a folder that is a link',
    file: 'src/workspace/dependencies/place-pieces.ts',
    find: 'else if (!stats.isDirectory()) {',
    replace: "else if (!stats.isDirectory() && to === '') {",
    tests: LINKS,
    why: 'installed packages of the user would be replaced by links to themselves',
  },
  {
    name: 'workspace: an environment that imports from the folder of the user is linked',
    file: 'src/workspace/dependencies/editable-installs.ts',
    find: 'if (installs.length === 0) return;',
    replace: 'if (installs.length >= 0) return;',
    tests: ['test/workspace/python-environments.test.ts'],
    why: 'tests in a work tree would test the files of the user',
  },
  {
    name: 'workspace: the setup command gets secrets',
    file: 'src/workspace/setup.ts',
    find: '!withheld.has(name) && ',
    replace: '',
    tests: ['test/workspace/setup.test.ts'],
    why: 'every install script would be given them',
  },
];
