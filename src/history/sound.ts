import { RUN_STATUSES, UNIT_STATUSES } from '../run/state/run-state.ts';
import { VERDICT_KINDS } from '../verdict/verdict.ts';
import { GATES_FORMAT, HISTORY_FORMAT, type GatesEntry, type HistoryEntry } from './entry.ts';

/*
 * The schemas of `entry.ts` decide what an entry is. They take several microseconds, and a history has many lines: what
 * is certainly sound is recognized here, in a tenth of the time. Whatever is not, the schemas look at.
 */

type Test = (value: unknown) => boolean;

const isText =
  (most: number): Test =>
  (value) =>
    typeof value === 'string' && value.length <= most;
const matches =
  (pattern: RegExp): Test =>
  (value) =>
    typeof value === 'string' && pattern.test(value);
const isOneOf = (values: readonly string[]): Test => {
  const all: ReadonlySet<unknown> = new Set(values);
  return (value) => all.has(value);
};
const isCounter: Test = (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 1e9;
const isQuantity: Test = (value) => typeof value === 'number' && value >= 0 && value <= 1e15;
const isScore: Test = (value) => typeof value === 'number' && value >= 0 && value <= 100;
const isNames: Test = (value) => Array.isArray(value) && value.length <= 50 && value.every(isText(200));
const isTrue: Test = (value) => value === true;
const isBoolean: Test = (value) => typeof value === 'boolean';
const isLine = isText(300);
const isKey: Test = (value) => typeof value === 'string' && value !== '' && value.length <= 130;
/** Days up to the 28th are in every month; the schema knows the others. */
const isTime = matches(/^2\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/);
const isDigits = matches(/^[0-9a-f]{12}$/);

/** Tests by field. Fields of `required` must be there; others may. */
interface Shape {
  readonly tests: ReadonlyMap<string, Test>;
  readonly required: readonly string[];
}

function shapeOf(required: Readonly<Record<string, Test>>, others: Readonly<Record<string, Test>>): Shape {
  return { tests: new Map(Object.entries({ ...required, ...others })), required: Object.keys(required) };
}

function fits(value: unknown, { tests, required }: Shape): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  let found = 0;
  for (const name in value) {
    if (tests.get(name)?.((value as Record<string, unknown>)[name]) !== true) return false;
    found += 1;
  }
  if (found < required.length) return false;
  for (const name of required) if (!Object.hasOwn(value, name)) return false;
  return true;
}

const identity = { pipeline: matches(/^[a-z_][a-z0-9_-]{0,39}$/), run: isCounter, attempt: isCounter, started: isTime };
const isSubject: Test = (value) => typeof value === 'string' && value !== '' && value.length <= 200;
const isRunId = matches(/^[0-9]{1,20}$/);

const FAILURE = shapeOf({ gate: isKey }, { kind: isOneOf(VERDICT_KINDS), message: isLine });

const ENTRY = shapeOf(
  {
    format: (value) => value === HISTORY_FORMAT,
    ...identity,
    subject: isSubject,
    status: isOneOf(RUN_STATUSES),
    ended: isTime,
    ms: isQuantity,
    gates: isCounter,
  },
  {
    runId: isRunId,
    passed: isCounter,
    failed: isCounter,
    skipped: isCounter,
    reused: isCounter,
    cost: isQuantity,
    tokens: isQuantity,
    failure: (value) => fits(value, FAILURE),
    iteration: isCounter,
    task: isLine,
    set: isLine,
    closedBy: isLine,
    commit: matches(/^[0-9a-f]{7,12}$/),
    branch: isLine,
    event: isLine,
    trust: isLine,
    actor: isLine,
    workflowFile: isLine,
    tools: isNames,
    mcps: isNames,
    plugins: isNames,
    models: isNames,
  },
);

const OUTCOME = shapeOf(
  { gate: isKey, status: isOneOf(UNIT_STATUSES) },
  {
    leg: isText(80),
    kind: isOneOf(VERDICT_KINDS),
    score: isScore,
    attempts: isCounter,
    first: isBoolean,
    reused: isTrue,
    ms: isQuantity,
    tokens: isQuantity,
    cost: isQuantity,
    model: isText(100),
    fingerprint: isDigits,
    contract: isDigits,
    flaky: isTrue,
    iteration: isCounter,
    group: isText(100),
    result: isText(120),
    message: isText(120),
  },
);

const GATES = shapeOf(
  {
    format: (value) => value === GATES_FORMAT,
    ...identity,
    subject: isSubject,
    gates: (value) => Array.isArray(value) && value.length <= 2_000 && value.every((one) => fits(one, OUTCOME)),
  },
  { runId: isRunId, left: isCounter },
);

/** The value as an entry, defaults filled in, if it is certainly one; the value itself is completed. */
export function soundEntry(value: unknown): HistoryEntry | undefined {
  if (!fits(value, ENTRY)) return undefined;
  const entry = value as HistoryEntry;
  entry.passed ??= 0;
  entry.failed ??= 0;
  entry.skipped ??= 0;
  entry.reused ??= 0;
  return entry;
}

/** The same for an entry about gates. */
export function soundGates(value: unknown): GatesEntry | undefined {
  if (!fits(value, GATES)) return undefined;
  const entry = value as GatesEntry;
  entry.left ??= 0;
  for (const outcome of entry.gates) {
    outcome.leg ??= '';
    outcome.attempts ??= 0;
  }
  return entry;
}
