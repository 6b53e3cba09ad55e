import { digestOfJson, type Digest } from '../../src/json/digest.ts';
import type { JsonValue } from '../../src/json/json.ts';
import { readInputs, variableOf, type ActionName, type Inputs } from '../../src/action/inputs.ts';
import type { Job } from '../../src/action/job.ts';
import type { NeedDocument, NeededJob } from '../../src/action/gate/needs.ts';
import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import type { AttemptDocument, HandedFile } from '../../src/store/github/document.ts';
import { failedVerdict, type Verdict } from '../../src/verdict/verdict.ts';

export const SHA = 'a'.repeat(40);
export const digestWith = (digit: string): Digest => `sha256:${digit.repeat(64)}`;

/** A job of a push to main. */
export function createJob(fields: Partial<Job> = {}): Job {
  return {
    repository: 'octo/gates',
    runId: 500,
    runNumber: 5,
    runAttempt: 1,
    job: 'review',
    workflow: '.github/workflows/gates.yml',
    eventName: 'push',
    eventPath: '/nowhere/event.json',
    sha: SHA,
    ref: 'refs/heads/main',
    actor: 'octocat',
    workspace: '/nowhere/work',
    temp: '/nowhere/temp',
    server: 'https://github.com',
    api: 'https://api.github.com',
    retentionDays: undefined,
    isDebug: false,
    pullRequest: undefined,
    defaultBranch: 'main',
    trust: { definitionFrom: SHA, usesFrom: ['main'], savesPointers: true, isOutside: false },
    dispatch: {},
    ownInputs: {},
    event: {},
    ...fields,
  };
}

/** Inputs of a step as the runner hands them over; those that are not named are empty. */
export function inputsOf<Name extends ActionName>(name: Name, values: Readonly<Record<string, string>>): Inputs<Name> {
  const all = { 'github-token': 'ghs_1', ...values };
  return readInputs(name, Object.fromEntries(Object.entries(all).map(([key, value]) => [variableOf(key), value])));
}

export function parse(text: string): Pipeline {
  const parsed = parsePipeline(text, 'gateline.yml');
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('\n'));
  return parsed.pipeline;
}

export interface DocumentFields {
  readonly unit?: string;
  readonly output?: JsonValue;
  readonly verdict?: Verdict;
  readonly legs?: readonly string[];
  readonly files?: readonly HandedFile[];
  readonly costSoFar?: AttemptDocument['costSoFar'];
  readonly contract?: Partial<AttemptDocument['contract']>;
  readonly entry?: Partial<AttemptDocument['entry']>;
  readonly decision?: 'approve' | 'force' | 'skip';
}

export const PASSED: Verdict = { status: 'passed', kind: 'passed', score: 100, issues: [], advice: '' };
export const PARTIAL: Verdict = { status: 'partial', kind: 'partial', score: 70, issues: [], advice: '' };
export const MISSING: Verdict = failedVerdict('missing', 'the agent wrote no output');

/** The document of an attempt in run 500; `output: undefined` is none. */
export function createDocument(fields: DocumentFields = {}): AttemptDocument {
  const { unit = 'design', verdict = PASSED, legs = [], files = [], decision } = fields;
  const output = 'output' in fields ? fields.output : { ok: true };
  const head = { v: 1, pipeline: 'chain', subject: 'main', run: 5, at: '2026-01-01T00:00:01.000Z' } as const;
  const contract: AttemptDocument['contract'] = {
    ...{ format: 'gateline-contract/1', threshold: 80, partial: 'block', checks: [], exports: [''], redact: [] },
    ...fields.contract,
  };
  const content = output === undefined ? undefined : { digest: digestOfJson(output), bytes: 10 };
  const common = {
    decision: decision === 'skip' ? decision : 'force',
    ...head,
    kind: 'decided',
    unit,
    actor: 'octocat',
    reason: 'why',
  } as const;
  const approval = { ...common, decision: 'approve', fingerprint: digestWith('f'), output: digestWith('0') } as const;
  return {
    format: 'gateline-attempt/1',
    job: {
      ...{ repository: 'octo/gates', runId: 500, runNumber: 5, runAttempt: 1 },
      ...{ job: unit.split('/')[0]!, workflow: '.github/workflows/gates.yml', sha: SHA },
    },
    startedAt: '2026-01-01T00:00:00.000Z',
    entry: {
      ...{ kind: 'ended', ...head, unit, n: 1, how: 'ran', verdict, fingerprint: digestWith('f') },
      ...{ contract: digestOfJson({ ...contract }), iteration: 1, files: {}, changes: [], undeclared: [] },
      ...{ rework: false, ms: 1_000, snapshot: 'abc', ...(content && { output: content, exports: content }) },
      ...fields.entry,
    },
    failedTries: [],
    legs: [...legs],
    contract,
    ...(output !== undefined && { output }),
    files: [...files],
    costOfOutput: { ms: 1_000 },
    costSoFar: fields.costSoFar ?? { [unit]: { ms: 1_000 } },
    ...(decision && { decision: { entry: decision === 'approve' ? approval : common } }),
  };
}

/** What a job handed over. Each document has a digest of its own. */
export function createNeed(fields: DocumentFields = {}, job: Partial<NeededJob> = {}): NeedDocument {
  const document = createDocument(fields);
  const reference = { artifactId: 7, digest: digestOfJson(JSON.parse(JSON.stringify(document)) as JsonValue) };
  const id = document.entry.unit.split('/')[0]!;
  return { document, reference, job: { id, result: 'success', references: [reference], ...job } };
}

/** A file that a unit hands on; versions are named by a letter. */
export function createFile(unit: string, base: string | null, found: readonly string[], after: string): HandedFile {
  return { path: 'made.txt', unit, base, found: [...found], after, bytes: '' };
}
