import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/command-line.ts';
import { LOOP_STATE, NEXUS_STATE } from './hostile-files.ts';

const NEXUS = 'test/formats/nexus/nexus.test.ts';
const FLOW = 'test/formats/agent-flow/agent-flow.test.ts';
const DIVE = 'test/formats/agent-flow/deep-dive.test.ts';
const LOOP = 'test/formats/dev-loop/dev-loop.test.ts';
const GUIDE = 'test/formats/state-guide/state-guide.test.ts';
const ENVELOPE = 'test/formats/state-guide/gate-state.test.ts';
const CLI = 'test/cli/exchange.test.ts';
const HOSTILE = 'test/cli/exchange-hostile.test.ts';
const DAILY = 'test/history/statistics.test.ts';

/** What the systems write, and the test that shows it: fields, files and rules, each with words of the test. */
const COVERED: readonly (readonly [what: string, file: string, words: string])[] = [
  ['guide: gate, agent, status, metadata, output, validation', ENVELOPE, 'describe('],
  ['guide: the order of these keys', CLI, "['gate', 'agent', 'status', 'metadata', 'output', 'validation']"],
  ['guide: status, currentGate, completedGates, metadata of the pipeline', GUIDE, 'completedGates'],
  ['guide: resume from completedGates', CLI, 'adopts completed gates; the others run'],
  ['guide: files by name', GUIDE, "file('notes.json', {})"],
  ['agent-flow: front matter and log of both files, byte for byte', FLOW, 'byte for byte'],
  ['agent-flow: parallel_groups and gates agree', FLOW, 'of gates and groups is named'],
  ['agent-flow: current_phase, iteration, max_iterations', FLOW, 'of the phase or the iteration is named'],
  ['agent-flow: active', FLOW, 'of two active files is named'],
  ['agent-flow: mode, deep_dive, members with results', CLI, 'shows the results of a group'],
  ['agent-flow: monitoring lines', CLI, 'works with its monitoring lines'],
  ['agent-flow: deep-dive.local.md', DIVE, 'agent_count'],
  ['agent-flow: --use-deep-dive', 'test/cli/memory.test.ts', 'given only if the call asks for them'],
  ['agent-flow: five phases', 'test/cli/templates.test.ts', "'agent-flow'"],
  ...Object.keys(LOOP_STATE).map((field) => [`dev-loop: ${field}`, LOOP, 'LOOP_STATE'] as const),
  ['dev-loop: progress.md, learned-patterns.md', LOOP, 'the documents byte for byte'],
  [
    'dev-loop: retry-counts.json, metrics.json, execution-state.json, handoff.md',
    CLI,
    'is imported and exported with its documents',
  ],
  ['dev-loop: seven nodes', LOOP, 'give the seven nodes as gates'],
  ['dev-loop: the graph runs', 'test/cli/templates.test.ts', "'dev-loop'"],
  ...Object.keys(NEXUS_STATE).map((field) => [`nexus: ${field}`, CLI, 'Object.keys(NEXUS_STATE)'] as const),
  ['nexus: nine rules of validateState', NEXUS, 'breaks a rule at %s'],
  ['nexus: persistState, appendToHistory, generateDailySummary, validateState', NEXUS, "the seed's own functions"],
  ['nexus: twelve keys of an execution', CLI, 'Object.keys(EXECUTION)'],
  ['nexus: several lines of an execution', NEXUS, 'uses the last valid line'],
  ['nexus: backups, of the same workflow', NEXUS, 'take the place of a damaged state'],
  ['nexus: checkpoints with filesSnapshot', CLI, "filesSnapshot: [{ path: 'made.txt', status: 'A' }]"],
  ['nexus: daily-summary.json', DAILY, 'mostUsedWorkflow'],
  ['nexus: defaults.yml', NEXUS, 'is mapped key by key'],
  ['nexus: rolled back', NEXUS, 'gives no outputs of a workflow that was rolled back'],
  ['all: damaged files, kills', HOSTILE, 'are imported whole after a kill at any moment'],
  ['all: kills of export, import --write and mirrors', 'test/crash/exchange.test.ts', 'gateline run --mirror %s'],
  ['guide: files as they were, whatever they contain', 'test/formats/state-guide/round-trip.test.ts', 'byte for byte'],
  ['uasp: entities and commands come back', 'test/formats/uasp/round-trip.test.ts', 'written as a skill'],
];

describe('every field, file and rule of the other systems', () => {
  it.each(COVERED)('%s is shown by a test', (_, file, words) => {
    expect(existsSync(join(REPOSITORY, file)), file).toBe(true);
    expect(readFileSync(join(REPOSITORY, file), 'utf8')).toContain(words);
  });
});
