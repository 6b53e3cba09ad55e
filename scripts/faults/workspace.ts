import type { Fault } from './fault.ts';

const SNAPSHOT = ['test/workspace/snapshot.test.ts'];
const SLOTS = ['test/workspace/slots.test.ts'];
const PLACES = ['test/workspace/in-place.test.ts'];
const AGENT = ['test/workspace/agent-repository.test.ts'];
const LINKS = ['test/workspace/dependency-links.test.ts'];

/** Faults in how files are seen, kept and brought to work trees. */
export const WORKSPACE_FAULTS: readonly Fault[] = [
  {
    name: 'workspace: a copied index is newer than the original',
    file: 'src/workspace/trees/index-file.ts',
    find: '  await utimes(to, seconds, seconds);\n',
    replace: '  if (seconds < 0) await utimes(to, seconds, seconds);\n',
    tests: SNAPSHOT,
    why: 'an edit within the second in which git wrote its index would not be seen',
  },
  {
    name: 'workspace: files that are not tracked do not count',
    file: 'src/workspace/trees/capture-tree.ts',
    find: 'const fresh = [...untrackedFiles(candidates, taking, leftOut), ...ignored.taken];',
    replace: 'const fresh = [...ignored.taken];',
    tests: SNAPSHOT,
    why: 'a change of a new file would go unnoticed',
  },
  {
    name: 'workspace: a work tree keeps what the next version does not have',
    file: 'src/workspace/slots/slot-checkout.ts',
    find: "'clean', '-q', '-f', '-f', '-d', '-x'",
    replace: "'clean', '-q', '-n', '-f', '-f', '-d', '-x'",
    tests: SLOTS,
    why: 'files of one attempt would reach another that is not after it',
  },
  {
    name: 'workspace: ignored files stay in a work tree',
    file: 'src/workspace/slots/slot-checkout.ts',
    find: "'-d', '-x', ...kept",
    replace: "'-d', ...kept",
    tests: SLOTS,
    why: 'build outputs of one attempt would be used by another',
  },
  {
    name: 'workspace: a slot is used again in which somebody may still write',
    file: 'src/workspace/slots/slots.ts',
    find: "state: isReusable && !(await livesBelow(path)) ? 'idle' : 'retired',",
    replace: "state: isReusable || !(await livesBelow(path)) ? 'idle' : 'retired',",
    tests: SLOTS,
    why: 'a late writer would change the files of another attempt',
  },
  {
    name: 'workspace: a slot whose engine is gone is used again',
    file: 'src/workspace/slots/slots.ts',
    find: "if (state.state === 'idle') return",
    replace: "if (state.state !== 'retired') return",
    tests: SLOTS,
    why: 'what a killed engine left alive would change the files of another attempt',
  },
  {
    name: 'workspace: the tree of an agent that still has time is taken away',
    file: 'src/workspace/slots/slots.ts',
    find: '(state.until !== undefined && state.until > now)',
    replace: '(state.until !== undefined && state.until < now)',
    tests: SLOTS,
    why: 'an agent that runs by itself would lose its work',
  },
  {
    name: "workspace: an agent's git looks above its work tree",
    file: 'src/workspace/slots/work-trees.ts',
    find: '[GIT_CEILING]: ceilings.join(delimiter),',
    replace: "[GIT_CEILING]: '',",
    tests: AGENT,
    why: 'an agent that removes its `.git` could reset a repository around it',
  },
  {
    name: 'workspace: work in place begins on a folder that lacks files of earlier gates',
    file: 'src/workspace/in-place.ts',
    find: 'export function refuseOther(differences: readonly TreeDifference[]): void {\n  if (differences.length === 0) return;',
    replace:
      'export function refuseOther(differences: readonly TreeDifference[]): void {\n  if (differences.length >= 0) return;',
    tests: PLACES,
    why: 'an agent would work on files that its request does not name',
  },
  {
    name: 'workspace: files of earlier gates are not written into the checkout of a job',
    file: 'src/workspace/in-place.ts',
    find: 'if (tree !== before) await place.store.git(',
    replace: 'if (tree === before) await place.store.git(',
    tests: PLACES,
    why: 'an agent would work on files that its request does not name',
  },
  {
    name: "workspace: half of the work of an agent in place is the user's version",
    file: 'src/workspace/folder-workspace.ts',
    find: 'if (claim !== undefined) return { tree: claim.base, notices: [] };',
    replace: "if (claim === null) return { tree: '', notices: [] };",
    tests: PLACES,
    why: 'other calls would be given what nobody has finished',
  },
  {
    name: 'workspace: credentials that setup steps left are handed on',
    file: 'src/workspace/hand-on.ts',
    find: 'if (isAny && before === null && isCredentialFile(path))',
    replace: 'if (isAny && before !== null && isCredentialFile(path))',
    tests: PLACES,
    why: 'keys would travel as artifacts',
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
