import type { Fault } from './fault.ts';

const NEXUS = ['test/formats/nexus/nexus.test.ts'];

/** Faults in the files of other systems, read and written. */
export const EXCHANGE_FAULTS: readonly Fault[] = [
  {
    name: 'formats: a backup of another workflow is used',
    find: 'if (state?.id === id) return { state, file: file.path };',
    replace: 'if (state !== undefined) return { state, file: file.path };',
    tests: NEXUS,
    why: 'the results of one workflow would be adopted as those of another one',
  },
  {
    name: 'formats: the oldest backup is used',
    find: 'for (const file of backups.toSorted((a, b) => b.modified - a.modified)) {',
    replace: 'for (const file of backups.toSorted((a, b) => a.modified - b.modified)) {',
    tests: NEXUS,
    why: 'work since then would be lost',
  },
  {
    name: 'formats: a result of a workflow that was rolled back is used',
    find: "const isUsable = state.status !== 'ROLLBACK';",
    replace: 'const isUsable = true;',
    tests: NEXUS,
    why: 'what somebody undid would count as done',
  },
  {
    name: 'formats: the first line of an execution is used',
    find: 'found.delete(parsed.id);',
    replace: 'if (found.get(parsed.id) !== undefined) continue;',
    tests: NEXUS,
    why: 'the history would have the status at the first save',
  },
  {
    name: 'formats: aliases of YAML are followed',
    find: "const SPECIAL: Readonly<Record<string, string>> = { '&': 'an anchor', '*': 'an alias', '!': 'a tag' };",
    replace: 'const SPECIAL: Readonly<Record<string, string>> = {};',
    tests: ['test/formats/agent-flow/agent-flow.test.ts'],
    why: 'a small file could become a very large value',
  },
  {
    name: 'formats: a gate that passed after one that did not is adopted',
    find: "if (gates[id]!.status === 'passed')",
    replace: "if (gates[id]!.status === 'failed')",
    tests: ['test/formats/agent-flow/agent-flow.test.ts'],
    why: 'a contradiction of the file would be guessed away',
  },
  {
    name: 'formats: a completed gate whose file says FAILED is adopted',
    find: "else if (gate?.state.status === 'FAILED') refuse(`${gate.path} says FAILED`);",
    replace: '',
    tests: ['test/formats/state-guide/state-guide.test.ts'],
    why: 'the output of a failed gate would be used',
  },
  {
    name: 'cli: an import writes before all outputs are judged',
    find: '  await adopt(invocation, loaded, reading, by, true);\n  const history',
    replace: '  const history',
    tests: ['test/cli/exchange.test.ts'],
    only: 'adopts no other either',
    why: 'an import that is refused would leave a definition, documents and a history',
  },
  {
    name: 'engine: a second import adopts again',
    find: 'if (newest.journal.state().runNumber > 0 && (await areAllKept(newest, units, outputs)))',
    replace: 'if (newest.journal.state().runNumber < 0 && (await areAllKept(newest, units, outputs)))',
    tests: ['test/cli/exchange.test.ts'],
    only: 'begins no run',
    why: 'each import would begin a run',
  },
  {
    name: 'local: a file below a link is read',
    find: "else if (isLinked(path)) refuse('a folder in its path is a symbolic link');",
    replace: '',
    tests: ['test/cli/exchange.test.ts'],
    only: 'follows no link',
    why: 'a file outside of the folder that was named would be imported',
  },
  {
    name: 'local: a file that git tracks is overwritten by an export',
    find: "if (first !== '') throw refused(first, 'git tracks it, so it is an input of gates');",
    replace: '',
    tests: ['test/cli/exchange.test.ts'],
    only: 'refuses files that git tracks',
    why: 'an export would change the inputs of gates',
  },
  {
    name: 'formats: agents see what others do at the same time',
    find: 'new Map([...state.units].map(([one, unit]) => [one, known.has(one) ? unit : notBegun(unit)]));',
    replace: 'new Map(state.units);',
    tests: ['test/cli/mirror.test.ts'],
    only: 'show its gate and those before it',
    why: 'what an agent finds would differ from run to run, and is no part of its request',
  },
  {
    name: 'action: an agent starts where the commit under test has a file of the state',
    find: 'place, store, environment, now, required: true',
    replace: 'place, store, environment, now, required: false',
    tests: ['test/action/workflows/mirrored-files.test.ts'],
    only: 'do not let an agent start',
    why: 'whoever made the commit would write what the agent takes for the state of the run',
  },
];
