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
const LINES = 'test/cli/agent-flow-lines.test.ts';
const LOOPS = 'test/cli/dev-loop-functions.test.ts';
const SKILLS = 'test/formats/uasp/skills.test.ts';
const FOLD = 'test/run/entity/fold-entities.test.ts';
const DO = 'test/cli/do.test.ts';
const CLASSES = 'test/local/skills/skills.test.ts';
const PAGES = 'test/formats/seed-pages.test.ts';
const SHOWN = 'test/store/projections.test.ts';
const CLI = 'test/cli/exchange.test.ts';
const HOSTILE = 'test/cli/exchange-hostile.test.ts';
const DAILY = 'test/history/statistics.test.ts';

/** What the systems write, and the test that shows it: fields, files and rules, each with words of the test. */
const COVERED: readonly (readonly [what: string, file: string, words: string])[] = [
  ['guide: gate, agent, status, metadata, output, validation', ENVELOPE, 'describe('],
  ['guide: the order of these keys', CLI, "['gate', 'agent', 'status', 'metadata', 'output', 'validation']"],
  ['guide: status, currentGate, completedGates, metadata of the pipeline', GUIDE, 'completedGates'],
  ['guide: resume from completedGates', CLI, 'adopts completed gates; the others run'],
  [
    'guide: five schemas, and their validation functions',
    'test/formats/state-guide/guide-schemas.test.ts',
    'refuse what',
  ],
  [
    'guide: step 0B, with and without a file',
    'test/cli/stand-in.test.ts',
    'takes the input where there is no usable file',
  ],
  ['guide: step N-1, by the agent', 'test/cli/agent-state-files.test.ts', 'an agent that writes only its state file'],
  [
    'guide: the document of the orchestrator',
    'test/formats/state-guide/state-metadata.test.ts',
    "orchestrator's document",
  ],
  ['guide: words of gates and of the pipeline', 'test/formats/state-guide/guide-words.test.ts', 'say every run status'],
  ['guide: a file even for a gate that failed', SHOWN, 'are there for a gate that failed'],
  ['guide: nothing is overwritten unread', SHOWN, 'is kept when somebody edited a file of ours'],
  ['guide: no secrets', SHOWN, 'hold no secret'],
  ['guide: lines of the log, with status and score', 'test/cli/agent-state-files.test.ts', 'State file created'],
  ['guide: fewer than 1,000 and 10,000 lines, lists on one line', SHOWN, 'keep the bounds of the guide'],
  ['guide: a damaged file is an error with its place', ENVELOPE, 'is refused with the JSON pointer'],
  ['guide: files by name', GUIDE, "file('notes.json', {})"],
  ['uasp: name, format, created_by, invalidated_by, properties', SKILLS, 'becomes entities and commands'],
  ['uasp: syntax, requires, creates, invalidates, returns', SKILLS, 'is a sound definition, and comes back'],
  ['uasp: its four patterns, as files', SKILLS, "'agent-browser', 'authentication', 'pool', 'db'"],
  ['uasp: events that are no commands', SKILLS, 'names events as gateline.yml has them'],
  ['uasp: not existing, valid, invalid; the value stays', FOLD, 'is absent, valid, invalid and valid again; its value'],
  ['uasp: create, invalidate, reset', FOLD, 'ends by decision, and a reset leaves nothing'],
  ['uasp: what depends on an entity ends with it', FOLD, 'what depends on an entity, and what was made from it'],
  ['uasp: execution only with what is required', DO, 'runs a command only when what it requires is valid'],
  ['uasp: recovery by set-up commands', DO, 'runs what creates it first, with on-invalid: recover'],
  ['uasp: InvalidStateError with what is missing', DO, 'says what a command lacks'],
  ['uasp: apply_effects', DO, 'applies the effects of a command that ran elsewhere'],
  ['uasp: manifest', DO, "prints UASP's manifest"],
  ['uasp: StateManager', CLASSES, 'StateManager: create, is_valid, get_value, invalidate, reset, get_status'],
  ['uasp: CommandExecutor, SkillRuntime', CLASSES, 'SkillRuntime: execute, get_state, reset_state, get_manifest'],
  ['agent-flow: front matter and log of both files, byte for byte', FLOW, 'byte for byte'],
  ['agent-flow: parallel_groups and gates agree', FLOW, 'of gates and groups is named'],
  ['agent-flow: current_phase, iteration, max_iterations', FLOW, 'of the phase or the iteration is named'],
  ['agent-flow: active', FLOW, 'of two active files is named'],
  ['agent-flow: mode, deep_dive, members with results', CLI, 'shows the results of a group'],
  ['agent-flow: monitoring lines, of all three files', LINES, 'prints the same of exported files'],
  ['agent-flow: lines that clean up', LINES, 'removes files that are written again'],
  ['agent-flow: flags of init, update and compile scripts', LINES, 'shows what the flags of a call say'],
  ['agent-flow: deep-dive.local.md', DIVE, 'agent_count'],
  ['agent-flow: --use-deep-dive', 'test/cli/memory.test.ts', 'given only if the call asks for them'],
  ['agent-flow: fallback to sequential phases', 'test/cli/groups.test.ts', 'run one at a time where it is not'],
  [
    'agent-flow: a group that failed sends the work back',
    'test/engine/loops.test.ts',
    'in a group with one that failed',
  ],
  ['agent-flow: sections of the deep dive', DIVE, 'become all sections of agent-flow'],
  ['agent-flow: phases of the deep dive', DIVE, 'is stale while it is made'],
  ['agent-flow: git ignores the files', CLI, '/.claude/*.local.md was added to .git/info/exclude'],
  ['agent-flow: five phases', 'test/cli/templates.test.ts', "'agent-flow'"],
  ...Object.keys(LOOP_STATE).map((field) => [`dev-loop: ${field}`, LOOP, 'LOOP_STATE'] as const),
  ['dev-loop: progress.md, learned-patterns.md', LOOP, 'the documents byte for byte'],
  [
    'dev-loop: retry-counts.json, metrics.json, execution-state.json, handoff.md',
    CLI,
    'is imported and exported with its documents',
  ],
  ['all: names of fields, functions, commands, words and rules', PAGES, 'has a row of a table'],
  ['dev-loop: coordinatePrdSet, updatePrdState, setActivePrdSetId', LOOPS, 'the PRD that runs is `running`'],
  ['dev-loop: getAllTasks, updateTaskStatus, getRetryCount', LOOPS, 'lists all tasks with their status'],
  ['dev-loop: getPatterns, persist', 'test/cli/memory.test.ts', 'adds what agents of a run noted'],
  ['dev-loop: parallel, maxConcurrent', 'test/cli/sets.test.ts', 'has at most so many agents at work'],
  ['dev-loop: runWithFreshContext, maxIterations, fix tasks', 'test/cli/loop.test.ts', 'fix-1'],
  ['dev-loop: checkpoints by thread and step', 'test/langgraph/files.test.ts', 'are one for each step'],
  ['dev-loop: seven nodes', LOOP, 'give the seven nodes as gates'],
  ['dev-loop: the graph runs', 'test/cli/templates.test.ts', "'dev-loop'"],
  ...Object.keys(NEXUS_STATE).map((field) => [`nexus: ${field}`, CLI, 'Object.keys(NEXUS_STATE)'] as const),
  ['nexus: four strategies to resume', 'test/engine/resume.test.ts', 'retry-previous: runs what the failed gates need'],
  ['nexus: from-checkpoint', 'test/engine/resume.test.ts', 'from-checkpoint: runs a gate and everything after it'],
  ['nexus: rollbackToCheckpoint', 'test/cli/rollback-to-gate.test.ts', 'leaves the folder as a run until that gate'],
  ['nexus: rollbackWorkflow', 'test/cli/rollback.test.ts', 'and then what the run found, to the byte'],
  ['nexus: databaseSnapshot', 'test/cli/rollback-database.test.ts', 'to the last row, trigger and blob'],
  ['nexus: filters of queryHistory', 'test/history/oracle.test.ts', 'to a question for the runs of %s'],
  ['nexus: 90 days of summaries', DAILY, 'is of the newest 90 days that have runs'],
  ['nexus: cleanupOldHistory', 'test/cli/clean.test.ts', 'removes entries of the history that are old'],
  ['nexus: cleanup every so many days', 'test/cli/clean.test.ts', 'is applied every so often'],
  ['nexus: compression of what is old', 'test/cli/clean.test.ts', 'compresses contents that nobody used for a week'],
  ['nexus: nine rules of validateState', NEXUS, 'breaks a rule at %s'],
  ['nexus: persistState, appendToHistory, generateDailySummary, validateState', NEXUS, "the seed's own functions"],
  ['nexus: twelve keys of an execution', CLI, 'Object.keys(EXECUTION)'],
  ['nexus: several lines of an execution', NEXUS, 'uses the last valid line'],
  ['nexus: backups, of the same workflow', NEXUS, 'take the place of a damaged state'],
  ['nexus: checkpoints with filesSnapshot', CLI, "filesSnapshot: [{ path: 'made.txt', status: 'A' }]"],
  ['nexus: daily-summary.json', DAILY, 'mostUsedWorkflow'],
  ['nexus: defaults.yml', NEXUS, 'is mapped key by key'],
  ['nexus: rolled back', NEXUS, 'gives no outputs of a workflow that was rolled back'],
  ['uasp: every line of its API', 'test/local/skills/seed-api.test.ts', 'is here line by line'],
  ['uasp: its four patterns as skills', 'test/formats/uasp/skills.test.ts', 'is a sound definition, and comes back'],
  [
    'uasp: created_by and invalidated_by, events',
    'test/formats/uasp/skills.test.ts',
    'differences are united, and named',
  ],
  ['uasp: its browser, session, transaction and pool, killed', 'test/cli/killed-half-way.test.ts', 'killed half-way'],
  ['all: damaged files, kills', HOSTILE, 'are imported whole after a kill at any moment'],
  ['guide: files as they were, whatever they contain', 'test/formats/state-guide/round-trip.test.ts', 'byte for byte'],
  ['uasp: entities and commands come back', 'test/formats/uasp/round-trip.test.ts', 'written as a skill'],
];

describe('every field, file and rule of the other systems', () => {
  it.each(COVERED)('%s is shown by a test', (_, file, words) => {
    expect(existsSync(join(REPOSITORY, file)), file).toBe(true);
    expect(readFileSync(join(REPOSITORY, file), 'utf8')).toContain(words);
  });
});
