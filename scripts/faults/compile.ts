import type { Fault } from './fault.ts';

const PARTS = ['test/compile/parts.test.ts'];
const HOSTILE = ['test/compile/hostile.test.ts'];

/** Faults in compiled workflows. */
export const COMPILE_FAULTS: readonly Fault[] = [
  {
    name: 'compile: a member of a sequential group begins beside the one before it',
    find: 'after.get(id)!.add(inOrder[index]!);',
    replace: '',
    tests: PARTS,
    why: 'gates that must not run at the same time would',
  },
  {
    name: 'compile: a member of a sequential group comes before one that it needs',
    find: '(id) => !overlaps(ancestorsOf(id, edges), left)',
    replace: '() => true',
    tests: PARTS,
    why: 'the needs of the jobs would form a circle, and GitHub would refuse the workflow',
  },
  {
    name: 'compile: a gate after a group does not begin when a gate failed that it does not need',
    find: "begins: followers.has(id) ? 'ended' : isPlain ? 'passed' : 'named'",
    replace: "begins: followers.has(id) ? 'ended' : isPlain ? 'passed' : 'passed'",
    tests: PARTS,
    why: 'a gate would be skipped although everything that it needs has passed',
  },
  {
    name: 'compile: gates run for a decision',
    find: 'const guard = decides ? [NO_DECISION] : [];',
    replace: 'const guard: string[] = [];',
    tests: PARTS,
    why: 'agents would run in the run that only writes down a decision',
  },
  {
    name: 'compile: a job has no time for retries',
    find: 'const attempts = uses === undefined ? retries + 1 : 1;',
    replace: 'const attempts = 1;',
    tests: PARTS,
    why: 'GitHub would stop the job before the last attempt has ended',
  },
  {
    name: 'compile: texts are not quoted for readers of YAML 1.1',
    find: "aliasDuplicateObjects: false, compat: 'yaml-1.1'",
    replace: 'aliasDuplicateObjects: false',
    tests: HOSTILE,
    why: 'a tool that reads YAML 1.1 would see a boolean where the file has a text',
  },
  {
    name: 'compile: a script of a step takes expressions',
    find: "return key === 'if' || key === 'with' || key === 'env';",
    replace: "return key !== 'uses';",
    tests: HOSTILE,
    why: 'the title of a pull request could become part of a script',
  },
  {
    name: 'compile: runners are chosen by what agents write',
    find: "const JOB_RULES: ExpressionRules = { contexts: ['matrix', 'vars'], functions: [] };",
    replace: "const JOB_RULES: ExpressionRules = { contexts: ['matrix', 'vars', 'needs', 'steps'], functions: [] };",
    tests: HOSTILE,
    why: 'an output could choose the runner of a job',
  },
  {
    name: 'compile: the inputs of an action that is the agent do not count',
    find: 'return { uses: { action, with: inputs,',
    replace: 'return { uses: { action, with: {},',
    tests: ['test/cli/compile.test.ts'],
    only: 'is asked again',
    why: 'another prompt would reuse the old answer',
  },
  {
    name: 'report: a run of a pull request replaces the badge of the default branch',
    find: 'const shown = isDefault ? badge : undefined;',
    replace: 'const shown = isDefault || !event.trust.isFork ? badge : undefined;',
    tests: ['test/action/workflows/history-branch.test.ts'],
    only: 'the badge of the default branch',
    why: 'the README would show what somebody tried in a pull request',
  },
];
