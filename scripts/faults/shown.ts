import type { Fault } from './fault.ts';

const GATE_STATE = ['test/formats/state-guide/gate-state.test.ts'];

/** Faults in state files and reports of a run. */
export const SHOWN_FAULTS: readonly Fault[] = [
  {
    name: 'formats: a field of the state guide’s envelope is missing',
    find: 'agent: gate.agent,\n    status,',
    replace: 'status,',
    tests: GATE_STATE,
    why: 'agents that read the state guide’s files would not find it',
  },
  {
    name: 'formats: the output of a failed gate is handed on',
    find: "const usable = status !== 'FAILED' && file.output !== null;",
    replace: 'const usable = file.output !== null;',
    tests: GATE_STATE,
    why: 'a caller’s input would be what no gate let through',
  },
  {
    name: 'formats: the cost of a session of Claude Code is that of its first result',
    find: "messages.findLast(({ type }) => type === 'result')",
    replace: "messages.find(({ type }) => type === 'result')",
    tests: ['test/formats/claude-code-result.test.ts'],
    why: 'the cost of a session that was continued would be too low',
  },
  {
    name: 'formats: input of Claude Code that the cache had is not counted',
    find: 'const input = [plain, written, read].flatMap(',
    replace: 'const input = [plain].flatMap(',
    tests: ['test/formats/claude-code-result.test.ts'],
    why: 'most of the tokens would be missing in reports',
  },
  {
    name: 'formats: a skipped gate is a success',
    find: "skipped: 'PARTIAL',",
    replace: "skipped: 'SUCCESS',",
    tests: ['test/formats/state-guide/guide-words.test.ts'],
    why: 'nobody would see that a gate was left out',
  },
  {
    name: 'report: a checkpoint takes an agent’s words for Markdown',
    find: 'return forMarkdown(cut(untrusted, maxBytes));',
    replace: 'return cut(untrusted, maxBytes);',
    tests: ['test/report/markdown/checkpoint.test.ts'],
    why: 'an agent could write its own verdict into the report',
  },
  {
    name: 'deep dive: files that git does not track yet are not counted as changed',
    find: 'new Set([...changed, ...added]).size',
    replace: 'new Set(changed).size',
    tests: ['test/cli/deep-dive.test.ts'],
    why: 'a document would stay fresh however many files are new',
  },
  {
    name: 'deep dive: what an agent found can begin a section of its own',
    find: "return all.flatMap((one) => cleanEntry({ category: '', text: one })?.text ?? []);",
    replace: 'return [...all];',
    tests: ['test/formats/agent-flow/deep-dive.test.ts'],
    why: 'text of an agent would be read as a heading, or hide what follows it',
  },
  {
    name: 'deep dive: a document that is too old does not start agents whose inputs are the same',
    find: "const isForced = options['force'] === true || staleness?.choice === 'expired';",
    replace: "const isForced = options['force'] === true;",
    tests: ['test/cli/deep-dive.test.ts'],
    why: 'the same findings would be written again under a new date',
  },
  {
    name: 'checkpoint: an output that is not there is said to be written',
    find: "return [false, 'State written: no output'];",
    replace: "return [true, 'State written: no output'];",
    tests: ['test/report/markdown/checkpoint.test.ts'],
    why: 'the self-audit would tick what was not done',
  },
  {
    name: 'page on GitHub: it shows what records say, not what the report found',
    find: 'const about = { pipeline, state, history, now: world.now(), commandFor: () => download };',
    replace:
      'const about = { pipeline, state: call.journal.state(), history, now: world.now(), commandFor: () => download };',
    tests: ['test/action/workflows/html-report.test.ts'],
    why: 'a gate whose forged output is refused would be shown as passed',
  },
  {
    name: 'state files: what lay in the place of the own file before the agent is its output',
    find: 'if (hasResult || kept.has(key)) continue;',
    replace: 'if (hasResult || kept.has(key) || key === unit.key) continue;',
    tests: ['test/action/workflows/state-files.test.ts'],
    why: 'a committed file would pass as the work of an agent that did nothing',
  },
  {
    name: 'state files: an envelope of another gate is an output',
    find: 'if (gate === number) return wrong;',
    replace: 'if (gate >= 0) return wrong;',
    tests: ['test/formats/state-guide/left-envelope.test.ts'],
    why: 'an agent that copied the file of the gate before would pass',
  },
  {
    name: 'state files: FAILED is only shown',
    find: 'if (!content.hasFailed) return { value, notices };',
    replace: 'if (content.hasFailed !== undefined) return { value, notices };',
    tests: ['test/cli/agent-state-files.test.ts'],
    why: 'an agent that says that it failed would pass',
  },
  {
    name: 'stand-in: a fork brings its own',
    find: 'if (!isForeign || !(await mayBeCommitted(git, path, [event.sha, commitOf(event)]))) return undefined;',
    replace: 'if (isForeign || !(await mayBeCommitted(git, path, [event.sha, commitOf(event)]))) return undefined;',
    tests: ['test/action/workflows/stand-ins.test.ts'],
    why: 'the author of a pull request would make the output of a gate',
  },
  {
    name: 'stand-in: the report is green without being told to accept it',
    find: 'unit.unread === undefined && gates.has(gate.id) && isReplaced',
    replace: 'unit.unread === undefined && isReplaced',
    tests: ['test/action/workflows/stand-ins.test.ts'],
    why: 'a required check would be green although gates have no output',
  },
];
