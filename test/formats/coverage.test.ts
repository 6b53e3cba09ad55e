import { parse, stringify } from 'yaml';
import { describe, expect, it } from 'vitest';
import { splitFrontMatter, type Source } from '../../src/formats/format.ts';
import { readSkill, writeSkill } from '../../src/formats/uasp.ts';
import type { HistoryEntry } from '../../src/history/history-entry.ts';
import type { JsonValue } from '../../src/json/json.ts';
import { FORMATS } from '../../src/local/exchange/formats.ts';
import { entityStatuses } from '../../src/local/entities/uasp.ts';
import type { RunStatus, UnitStatus, UnitView } from '../../src/report/view.ts';
import { unitOf, viewOf } from './views.ts';

/**
 * Every field of the documents of the other systems: `*` is any key or index. A field has at least two values in the files of
 * the runs below, or a reason why it has always the same.
 */
const METADATA = 'metadata.domain metadata.feature metadata.url';
const FLOW = `active current_phase iteration max_iterations started_at task
  deep_dive.available deep_dive.using deep_dive.scope deep_dive.generated gates.*.status gates.*.timestamp`;
const GROUP = 'parallel_groups.*';
const DOCUMENTS: readonly (readonly [seed: string, file: RegExp, fields: string, same?: Record<string, string>])[] = [
  [
    '000 GateStateFile',
    /-output\.json$/,
    `gate agent status ${METADATA} output validation.score validation.issues validation.passed`,
  ],
  [
    '000 PipelineStateFile',
    /-pipeline\.json$/,
    `status currentGate completedGates ${METADATA} metadata.userStory metadata.acceptanceCriteria`,
  ],
  [
    '001 skill',
    /\.uasp\.yaml$/,
    `name state.entities.*.name state.entities.*.format state.entities.*.created_by state.entities.*.invalidated_by
     state.entities.*.properties commands.*.syntax commands.*.requires commands.*.creates commands.*.invalidates
     commands.*.returns`,
  ],
  [
    '001 manifest',
    /^manifest\.json$/,
    'loaded_skills.*.name loaded_skills.*.state.*.valid loaded_skills.*.state.*.has_value',
  ],
  ['002 orchestration.local.md', /^orchestration\.local\.md$/, `${FLOW} gates.*.agent gates.*.message`],
  [
    '002 team-orchestration.local.md',
    /^team-orchestration\.local\.md$/,
    `${FLOW} mode team_available ${GROUP}.status ${GROUP}.started_at ${GROUP}.completed_at ${GROUP}.*.status
     ${GROUP}.*.agent ${GROUP}.*.timestamp ${GROUP}.*.result`,
  ],
  [
    '002 deep-dive.local.md',
    /^deep-dive\.local\.md$/,
    `generated scope focus_path expires_hint phase agent_count phases.parallel_exploration.status
     phases.parallel_exploration.agents_spawned phases.parallel_exploration.agents_completed phases.synthesis.status
     phases.compilation.status`,
  ],
  [
    '003 WorkflowState',
    /^workflow-state\.json$/,
    'threadId task context changes testResults status error retryCount handoffContext',
  ],
  ['003 progress.md', /^progress\.md$/, 'text'],
  ['003 learned-patterns.md', /^learned-patterns\.md$/, 'text'],
  ['003 handoff.md', /^handoff\.md$/, 'text'],
  ['003 retry-counts.json', /^retry-counts\.json$/, '*'],
  [
    '003 execution-state.json',
    /^execution-state\.json$/,
    'activePrdSetId prds.*.status prds.*.run',
    { activePrdSetId: 'a set is a file, and has no id' },
  ],
  ['003 metrics.json', /^metrics\.json$/, 'runs completed failed durationMs costUsd tokens'],
  [
    '004 WorkflowState',
    /^(?:\.current-workflow|backups\/workflow-.*)\.json$/,
    `id workflowName workflowFile userTask status currentPhase currentPhaseStartTime startTime endTime pausedAt
     resumedAt completedPhases skippedPhases failedPhases results error.phase error.message error.timestamp
     error.recoverable retries metadata.nexusVersion metadata.pluginsUsed metadata.mcpsUsed metadata.totalPhases
     metadata.estimatedDuration checkpoints.*.id checkpoints.*.phase checkpoints.*.timestamp
     checkpoints.*.filesSnapshot.*.path checkpoints.*.filesSnapshot.*.status checkpoints.*.filesSnapshot.*.contentHash
     checkpoints.*.filesSnapshot.*.timestamp checkpoints.*.databaseSnapshot rollbackAvailable`,
    {
      'metadata.nexusVersion': 'the version of the documents',
      'error.recoverable': 'every run can be continued',
      'checkpoints.*.databaseSnapshot': 'a database is saved as a file: `snapshots.database`',
    },
  ],
  [
    '004 HistoryEntry',
    /^executions\.jsonl$/,
    `*.id *.workflowName *.userTask *.status *.duration *.phasesCompleted *.phasesFailed *.phasesSkipped *.pluginsUsed
     *.mcpsUsed *.timestamp *.error`,
  ],
  [
    '004 DailySummary',
    /^daily-summary\.json$/,
    `*.date *.totalWorkflows *.completedWorkflows *.failedWorkflows *.totalDuration *.averageDuration
     *.workflowBreakdown *.mostUsedWorkflow *.successRate`,
  ],
];

const timeAt = (n: number, minute: number): string => `2026-01-0${n}T10:${String(minute).padStart(2, '0')}:00.000Z`;
const UNITS: Readonly<Record<number, readonly UnitStatus[]>> = {
  1: ['passed', 'failed', 'pending', 'pending'],
  2: ['passed', 'passed', 'skipped', 'passed'],
  3: ['running', 'pending', 'pending', 'pending'],
  4: ['passed', 'passed', 'failed', 'passed'],
};
const RUNS: readonly RunStatus[] = ['error', 'completed', 'executing', 'closed'];
const IDS = ['fetch-task', 'generate-changes', 'apply-changes', 'run-tests'];

function unitWith(n: number, number: number): UnitView {
  const status = UNITS[n]![number]!;
  const unit = unitOf(number, { status, score: 90 - n, remarks: [`issue ${n}`] });
  const ended = status === 'running' ? undefined : timeAt(n, 10 + number);
  const metrics = { plugins: [`plugin-${n}`], mcps: [`mcp-${n}`] };
  const attempts = Array.from({ length: n }, (_, at) => ({
    n: at + 1,
    how: 'ran' as const,
    started: timeAt(n, number),
    ended,
    metrics,
  }));
  const [before, after] = n === 2 ? ['100644 11', '100644 22'] : [null, `100644 ${n}`];
  return {
    ...unit,
    key: IDS[number],
    gate: IDS[number]!,
    agent: `agent-${n}-${number}`,
    place: { file: `file-${n}.yml` },
    memory: n % 2 === 0 ? ['deep-dive'] : [],
    iteration: n,
    loop: n === 2 || n === 4 ? { goto: IDS[0]!, maxIterations: 20 + n } : undefined,
    verdict: unit.verdict && { ...unit.verdict, message: `message ${n}`, result: `LABEL_${n}` },
    attempts: status === 'pending' ? [] : attempts,
    changes: [{ path: `path-${n}`, before, after }],
  } as UnitView;
}

const historyOf = (n: number): HistoryEntry[] =>
  Array.from({ length: n }, (_, at) => ({
    ...{ v: 1, pipeline: `pipeline-${n}`, subject: `subject-${n}`, run: n - at, task: `task ${n}` },
    ...(n !== 2 && at % 2 === 0 ? { status: 'completed' as const } : { status: 'error' as const }),
    ...((n === 2 || at % 2 === 1) && { failure: { unit: 'x', kind: 'schema' as const, message: `failure ${n}` } }),
    ...{ started: timeAt(n, 0), ended: timeAt(n, 20 + n), ms: n * 60_000, costUsd: n, tokens: n },
    ...{ plugins: [`plugin-${n}`], mcps: [`mcp-${n}`] },
    units: IDS.slice(0, n).flatMap((unit) =>
      (['passed', 'failed', 'skipped'] as const)
        .slice(0, n)
        .map((status) => ({ unit, status, attempts: 1, ms: n * 60_000 })),
    ),
  }));

/** What the files of run `n` are written from: each part has another value. */
function sourceOf(n: number): Source {
  const metadata = {
    ...{ domain: `domain_${n}`, feature: `feature_${n}`, url: `https://${n}.example`, userStory: `story ${n}` },
    acceptanceCriteria: [`criterion ${n}`],
  };
  const count = n === 3 ? 3 : 4;
  const units = IDS.slice(0, count).map((_, number) => unitWith(n, number));
  const keys = IDS.slice(count - 2, count);
  const mode = n === 3 ? 'parallel' : 'sequential';
  const groups = n < 3 ? [] : [{ id: 'team', mode, units: keys, status: 'pending' } as const];
  const decisions = ['pause', 'resume'].map((decision) => ({ decision, actor: 'a', reason: 'r', at: timeAt(n, n) }));
  const view = {
    ...viewOf(RUNS[n - 1]!, units, metadata, `subject-${n}`),
    ...{ pipeline: `pipeline-${n}`, task: `task ${n}`, run: n, started: timeAt(n, 0), groups, decisions },
  };
  const phases = n === 2 ? 'pending' : 'complete';
  const dive = {
    ...{ generated: timeAt(n, 0), scope: n === 2 ? 'full' : 'focused', focus_path: n === 2 ? null : `src/${n}` },
    ...{ expires_hint: `hint ${n}`, phase: n === 2 ? 'exploring' : 'complete', agent_count: n },
    phases: {
      parallel_exploration: { status: phases, agents_spawned: n, agents_completed: n },
      ...{ synthesis: { status: phases }, compilation: { status: phases } },
    },
  };
  const names = ['progress', 'learned-patterns', 'handoff'];
  const documents = Object.fromEntries(names.map((name) => [name, `${name} ${n}`]));
  return {
    view,
    values: new Map(units.map(({ key }) => [key, { value: `${key} ${n}` }])),
    history: historyOf(n),
    documents:
      n % 2 === 1 ? documents : { ...documents, 'deep-dive': `---\n${stringify(dive)}---\n\n# Deep-Dive Context\n` },
  };
}

/** A skill whose every field depends on `n`, and its manifest. */
function skillFiles(n: number): Record<string, string> {
  const [a, b] = [`entity-${n}`, 'other'];
  const skill = {
    name: `skill-${n}`,
    state: { entities: [{ name: a, format: `x-{${n}}`, properties: [`p-${n}`] }, { name: b }] },
    commands: {
      [`make-${n}`]: { syntax: `make ${n}`, creates: [a], returns: `value-${n}` },
      [`use-${n}`]: { syntax: `use ${n}`, requires: [a], invalidates: [a] },
    },
  };
  const views = [
    { entity: a, instance: '', status: n === 1 ? ('valid' as const) : ('invalid' as const), value: n },
    { entity: b, instance: '', status: 'absent' as const },
  ];
  return {
    [`skill-${n}.uasp.yaml`]: writeSkill(readSkill(skill)),
    'manifest.json': JSON.stringify({ loaded_skills: [{ name: `skill-${n}`, state: entityStatuses(views) }] }),
  };
}

/** The files of all runs: path and document. */
const FILES = [1, 2, 3, 4].flatMap((n) => {
  const source = sourceOf(n);
  const written = Object.values(FORMATS).flatMap((format) =>
    Object.entries({ ...format.write(source), ...format.writeHistory?.(source) }),
  );
  return [...written, ...Object.entries(skillFiles(n))].flatMap(([path, text]) =>
    text === null ? [] : [{ path, document: documentOf(path, text) }],
  );
});

function documentOf(path: string, text: string): JsonValue {
  if (path.endsWith('.jsonl'))
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonValue);
  if (!path.endsWith('.md')) return parse(text) as JsonValue;
  const parts = splitFrontMatter(text);
  return parts ? (parse(parts.header) as JsonValue) : { text };
}

/** The values at the fields of a document, and the paths that no field is. */
function valuesIn(document: JsonValue, fields: readonly string[]): { values: [string, string][]; others: string[] } {
  const values: [string, string][] = [];
  const others: string[] = [];
  const patterns = fields.map((field) => field.split('.'));
  const visit = (value: JsonValue, path: readonly string[]): void => {
    const fits = (pattern: readonly string[]) => path.every((part, at) => pattern[at] === '*' || pattern[at] === part);
    const field = patterns.findIndex((pattern) => pattern.length === path.length && fits(pattern));
    const isAbove = patterns.some((pattern) => pattern.length > path.length && fits(pattern));
    if (typeof value === 'object' && value !== null && isAbove)
      for (const [key, part] of Object.entries(value)) visit(part, [...path, key]);
    else if (field >= 0) values.push([fields[field]!, JSON.stringify(value)]);
    // A part that is not there, such as the error of a run without one.
    else if (!isAbove || value !== null) others.push(path.join('.'));
  };
  visit(document, []);
  return { values, others };
}

const ROWS = DOCUMENTS.map(([document, file, words, same = {}]) => ({ document, file, words, same }));
describe.each(ROWS)('$document', ({ file, words, same }) => {
  const fields = words.split(/\s+/);
  const read = FILES.filter(({ path }) => file.test(path)).map(({ document }) => valuesIn(document, fields));
  const valuesOf = Map.groupBy(
    read.flatMap(({ values }) => values),
    ([field]) => field,
  );
  it.each(fields)('%s is written from what varies, or is always the same for a reason', (field) => {
    const values = new Set((valuesOf.get(field) ?? []).map(([, value]) => value));
    if (same[field] === undefined) expect([...values]).toHaveProperty('1');
    else expect(values.size).toBe(1);
  });

  it('has no other field', () => {
    expect(read.length).toBeGreaterThan(1);
    expect(new Set(read.flatMap(({ others }) => others))).toEqual(new Set());
  });
});

it('has a row for each file that is written', () => {
  const unknown = FILES.filter(({ path }) => !DOCUMENTS.some(([, file]) => file.test(path)));
  expect(unknown.map(({ path }) => path)).toEqual([]);
});
