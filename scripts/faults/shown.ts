import type { Fault } from './fault.ts';

const GATE_STATE = ['test/formats/gate-state.test.ts'];

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
    tests: ['test/formats/guide-words.test.ts'],
    why: 'nobody would see that a gate was left out',
  },
  {
    name: 'report: a checkpoint takes an agent’s words for Markdown',
    find: 'return forMarkdown(cut(untrusted, maxBytes));',
    replace: 'return cut(untrusted, maxBytes);',
    tests: ['test/report/markdown/checkpoint.test.ts'],
    why: 'an agent could write its own verdict into the report',
  },
];
