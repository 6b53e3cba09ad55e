import type { JsonObject, JsonValue } from '../json/json.ts';
import { buildResources, gateUse } from './file/build-entities.ts';
import { bareExpression } from './expression.ts';
import { legSourceOf } from './data-legs.ts';
import type { GatelineFile } from './file/gateline-file.ts';
import type { GateEntry } from './file/gateline-gate.ts';
import { legsOf, type MatrixEntry } from './file/matrix.ts';
import { millisecondsOf } from './file/gateline-values.ts';
import { normalGlob, normalPath } from './file/paths.ts';
import {
  DEFAULT_WORKSPACE,
  type Approval,
  type ContractSource,
  type Gate,
  type GateGroup,
  type OnFail,
  type Leg,
  type Pipeline,
  type SnapshotSettings,
  type WorkspaceSettings,
} from './pipeline.ts';
import type { Budget, BudgetAmount } from './budget.ts';
import type { Delivery, JobSettings, ReportSettings, UsedAction } from './job-settings.ts';
import type { RetentionSettings } from './retention-settings.ts';

const DEFAULT_THRESHOLD = 80;
const WITHOUT_MATRIX: readonly Leg[] = [{ id: '', matrix: {} }];
const UNIT_BYTES: Readonly<Record<string, number>> = { KB: 1_000, MB: 1_000_000, GB: 1_000_000_000 };

/** Builds the pipeline from a file without problems, with every default filled in. */
export function buildPipeline(file: GatelineFile): Pipeline {
  const order = new Map(Object.keys(file.gates).map((id, index) => [id, index]));
  return {
    id: file.pipeline,
    subject: file.subject,
    ...(file.task !== undefined && { task: file.task }),
    ...(file.timezone !== undefined && { timezone: file.timezone }),
    metadata: file.metadata as JsonObject,
    maxParallel: file['max-parallel'],
    gates: Object.entries(file.gates).map(([id, entry]) => buildGate(id, entry, file, order)),
    groups: Object.entries(file.groups).map(([id, group]) => buildGroup(id, group)),
    learning: file.learning,
    ...(file.mirror.length > 0 && { mirror: listed(file.mirror) }),
    maxReworks: file['max-reworks'],
    ...(file.budget && { budget: buildBudget(file.budget) }),
    ...buildResources(file),
    workspace: buildWorkspace(file),
    snapshots: buildSnapshots(file),
    ...(file.retention && { retention: buildRetention(file.retention) }),
    ...(file.on !== undefined && { on: file.on as JsonValue }),
    ...(file.workflow?.env && { workflowEnv: file.workflow.env }),
    ...(file.workflow?.commands === true && { commands: true }),
    ...(file.workflow && { report: buildReport(file.workflow) }),
    ...(file.deliver && { deliver: buildDelivery(file.deliver) }),
  };
}

function buildGroup(id: string, group: GatelineFile['groups'][string]): GateGroup {
  if (Array.isArray(group)) return { id, gates: group, mode: 'auto', onFail: undefined };
  const { gates, mode, available } = group;
  return {
    id,
    gates,
    mode,
    ...(available !== undefined && { available: versionCommand(available) }),
    onFail: buildOnFail(group['on-fail']),
  };
}

function buildReport(workflow: NonNullable<GatelineFile['workflow']>): ReportSettings {
  const { statuses, 'html-report': htmlReport, 'history-branch': historyBranch } = workflow;
  return {
    ...(statuses && { statuses }),
    ...(htmlReport !== undefined && { htmlReport }),
    ...(historyBranch !== undefined && { historyBranch }),
  };
}

function buildDelivery({ gates, as, allow = [], learnings }: NonNullable<GatelineFile['deliver']>): Delivery {
  return { gates: [...new Set(listed(gates))], as, allow, learnings };
}

function buildBudget({ run, day, prices, ...budget }: NonNullable<GatelineFile['budget']>): Budget {
  return {
    run: amount(run),
    day: amount(day),
    onUnknown: budget['on-unknown'],
    prices: prices === undefined ? undefined : normalPath(prices),
  };
}

/** A plain number is US dollars. */
function amount(written: GateEntry['budget']): BudgetAmount | undefined {
  return typeof written === 'number' ? { dollars: written } : (written as BudgetAmount | undefined);
}

function buildOnFail(entry: GateEntry['on-fail']): OnFail | undefined {
  return entry && { goto: entry.goto, maxIterations: entry['max-iterations'] };
}

function buildWorkspace({ workspace, defaults }: GatelineFile): WorkspaceSettings {
  const { link, setup, trees } = workspace;
  return {
    link: typeof link === 'string' ? link : link.map(normalGlob),
    setup,
    shell: defaults?.run?.shell ?? DEFAULT_WORKSPACE.shell,
    maxUntracked: bytes(workspace['max-untracked']),
    trees,
  };
}

function buildSnapshots({ snapshots }: GatelineFile): SnapshotSettings {
  const { every, keep, database } = snapshots;
  const maxSize = snapshots['max-size'];
  return {
    every,
    keep,
    maxSize: maxSize === undefined ? undefined : bytes(maxSize),
    database: database && {
      snapshot: database.snapshot,
      restore: database.restore,
      timeoutMinutes: database['timeout-minutes'],
    },
  };
}

function buildRetention({ older, keep, every }: NonNullable<GatelineFile['retention']>): RetentionSettings {
  return { older: millisecondsOf(older), keep, every: millisecondsOf(every) };
}

function memoryOf(names: readonly string[]): Pick<Gate, 'memory' | 'memoryIfAsked'> {
  const asked = names.filter((name) => name.endsWith('?')).map((name) => name.slice(0, -1));
  const memory = names.filter((name) => !name.endsWith('?'));
  return { memory, ...(asked.length > 0 && { memoryIfAsked: asked.filter((name) => !memory.includes(name)) }) };
}

function buildGate(id: string, entry: GateEntry, file: GatelineFile, order: ReadonlyMap<string, number>): Gate {
  const defaults = file.defaults?.run ?? {};
  const { strategy } = entry;
  return {
    id,
    number: entry.number ?? order.get(id)!,
    agent: entry.agent ?? id,
    run: entry.run,
    ...(entry.uses && { uses: buildUses(entry.uses) }),
    ...(entry.local !== undefined && { local: entry.local }),
    ...buildJob(entry, file),
    shell: entry.shell ?? defaults.shell ?? DEFAULT_WORKSPACE.shell,
    workingDirectory: normalPath(entry['working-directory'] ?? defaults['working-directory'] ?? '.'),
    workspace: entry.workspace,
    needs: listed(entry.needs).sort((a, b) => order.get(a)! - order.get(b)!),
    if: entry.if === undefined ? undefined : condition(String(entry.if)),
    inputs: entry.inputs === undefined ? undefined : listed(entry.inputs).map(normalGlob),
    ...memoryOf(listed(entry.memory)),
    env: variables({ ...file.env, ...entry.env }),
    with: entry.with as JsonObject,
    tools: buildTools(entry.tools),
    secrets: listed(entry.secrets),
    contract: buildContract(entry.output),
    exports: exportsOf(entry.output),
    files: entry.files === 'changed' ? 'changed' : entry.files.map(normalGlob),
    retries: entry.retries,
    timeoutMinutes: entry['timeout-minutes'],
    ...budgetOf(entry, file),
    onFail: buildOnFail(entry['on-fail']),
    approval: buildApproval(entry.approval),
    reuse: entry.reuse,
    maxAge: milliseconds(entry['max-age']),
    ...buildLegs(strategy?.matrix),
    legsMaxParallel: strategy?.['max-parallel'],
    failFast: strategy?.['fail-fast'] ?? true,
    ...gateUse(entry),
  };
}

function budgetOf(entry: GateEntry, file: GatelineFile): Pick<Gate, 'budget'> {
  const budget = amount(entry.budget ?? file.budget?.gate);
  return budget === undefined ? {} : { budget };
}

function buildUses({ action, with: inputs, output, metrics }: NonNullable<GateEntry['uses']>): UsedAction {
  const [from, measured] = [output, metrics].map((text) => (text === undefined ? undefined : condition(text)));
  return { action, with: inputs, output: from, metrics: measured };
}

/** The settings that are there, the gate's own before those of the file; `undefined`: there are none. */
function buildJob(entry: GateEntry, file: GatelineFile): { readonly job?: JobSettings } {
  const { container, services, environment, permissions } = entry;
  const runsOn = entry['runs-on'] ?? file['runs-on'];
  const stepsBefore = entry['steps-before'] ?? file['steps-before'];
  const written = entry.strategy?.matrix;
  const matrix = typeof written === 'string' ? undefined : written;
  const given = { runsOn, stepsBefore, permissions, environment, container, services, matrix };
  const job = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return Object.keys(job).length === 0 ? {} : { job };
}

function buildApproval(approval: GateEntry['approval']): Approval | undefined {
  if (approval === undefined) return undefined;
  const given = approval === 'required' ? {} : approval;
  return {
    by: listed(given.by ?? []),
    notAuthor: given['not-author'] === true,
    perCommit: given.per === 'commit',
  };
}

/** The `exports` of a gate, all of the output by default. */
export function exportsOf(output: GateEntry['output']): string[] {
  return listed(output?.exports ?? ['']);
}

/** The contract of an entry, with every default filled in. */
export function buildContract(output: GateEntry['output']): ContractSource {
  const score = output?.score;
  const redact = listed(output?.redact ?? []);
  return {
    schema: buildSchema(output?.schema),
    score,
    threshold: output?.threshold ?? (score === undefined ? 0 : DEFAULT_THRESHOLD),
    partial: output?.partial ?? 'block',
    checks: listed(output?.checks ?? []).map(condition),
    ...(output?.result && { result: { pointer: output.result.pointer, pass: listed(output.result.pass) } }),
    ...(output?.message !== undefined && { message: output.message }),
    ...(redact.length > 0 && { redact }),
  };
}

function buildSchema(schema: NonNullable<GateEntry['output']>['schema']): ContractSource['schema'] {
  if (schema === undefined) return undefined;
  return typeof schema === 'string' ? { path: normalPath(schema) } : { inline: schema as JsonValue };
}

function buildTools(tools: GateEntry['tools']): Record<string, string> {
  if (Array.isArray(tools)) return Object.fromEntries(tools.map((name) => [name, versionCommand(name)]));
  return { ...tools };
}

/** The name of a program stands for the command that prints its version. */
function versionCommand(text: string): string {
  return /^[\w.-]+$/.test(text) ? `${text} --version` : text;
}

function buildLegs(matrix: MatrixEntry | string | undefined): Pick<Gate, 'legs' | 'legsFrom'> {
  if (matrix === undefined) return { legs: WITHOUT_MATRIX };
  if (typeof matrix === 'string') return { legs: WITHOUT_MATRIX, legsFrom: legSourceOf(matrix)! };
  const result = legsOf(matrix);
  return { legs: 'legs' in result ? result.legs : [] };
}

function listed<T>(value: T | readonly T[]): T[] {
  return Array.isArray(value) ? [...value] : [value as T];
}

function condition(text: string): string {
  return bareExpression(text)?.text ?? text;
}

/** Numbers and booleans as GitHub converts them to text. */
function variables(env: Readonly<Record<string, string | number | boolean | null>>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value === null ? null : String(value)]));
}

function milliseconds(age: string | undefined): number | undefined {
  return age === undefined ? undefined : millisecondsOf(age);
}

function bytes(size: number | string): number {
  return typeof size === 'number' ? size : Number(size.slice(0, -2)) * UNIT_BYTES[size.slice(-2)]!;
}
