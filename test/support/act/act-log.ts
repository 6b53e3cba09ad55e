import { z } from 'zod';
import type { JsonObject } from '../../../src/json/json.ts';

/** What a step told, as act's `--json` log has it. */
export interface ActStep {
  /** `id:` of the step, else its place from 0. */
  readonly id: string;
  readonly name: string;
  readonly stage: 'pre' | 'main' | 'post';
  /** Undefined where act said no word about it. */
  result: 'success' | 'failure' | 'skipped' | undefined;
  readonly lines: string[];
  readonly outputs: Record<string, string>;
  summary: string;
  readonly annotations: ActAnnotation[];
}

/** An annotation; `properties` are `file`, `line`, `title` and the like. */
export interface ActAnnotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly message: string;
  readonly properties: Readonly<Record<string, string>>;
}

/** A job that act began. */
export interface ActJob {
  readonly id: string;
  /** As act calls it: the legs of a matrix are `build-1`, `build-2`. */
  readonly name: string;
  readonly matrix: JsonObject;
  result: 'success' | 'failure' | undefined;
  /** In the order in which they began. Steps that were passed over are not among them. */
  readonly steps: ActStep[];
  /** Steps of all stages together. */
  readonly summary: string;
  readonly annotations: readonly ActAnnotation[];
  readonly lines: readonly string[];
}

const stepIds = z.union([z.string().transform((id) => [id]), z.array(z.string())]).optional();
const lineSchema = z.looseObject({
  level: z.string(),
  msg: z.string(),
  job: z.string().optional(),
  jobID: z.string().optional(),
  jobResult: z.enum(['success', 'failure']).optional(),
  matrix: z.record(z.string(), z.json()).nullish(),
  stage: z.string().optional(),
  step: z.string().optional(),
  stepID: stepIds,
  stepResult: z.enum(['success', 'failure', 'skipped']).optional(),
  raw_output: z.boolean().optional(),
  command: z.string().optional(),
  name: z.string().optional(),
  arg: z.string().optional(),
  content: z.string().optional(),
  kvPairs: z.record(z.string(), z.string()).nullish(),
});

type Line = z.output<typeof lineSchema>;

const LEVELS: Readonly<Record<string, ActAnnotation['level']>> = {
  error: 'error',
  warning: 'warning',
  notice: 'notice',
};

/** The jobs of a log of `act --json`, by name, in the order in which they began. Throws for a line that is none of act's. */
export function readActLog(text: string): Map<string, ActJob> {
  const jobs = new Map<string, ActJob>();
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const entry = readLine(line);
    if (entry.job === undefined || entry.jobID === undefined) continue;
    const name = entry.job.slice(entry.job.indexOf('/') + 1).trim();
    const job = jobs.get(name) ?? createJob(entry.jobID, name, entry.matrix ?? {});
    jobs.set(name, job);
    job.result = entry.jobResult ?? job.result;
    if (entry.stepID !== undefined && !isMerePreparation(entry)) readStepLine(stepOf(job, entry), entry);
  }
  return jobs;
}

function readLine(line: string): Line {
  try {
    return lineSchema.parse(JSON.parse(line));
  } catch (cause) {
    throw new Error(`act said what is no line of its log: ${line}`, { cause });
  }
}

/** act speaks of a `pre` for every action of elsewhere, with one or without. */
function isMerePreparation({ stage, stepResult, raw_output: output, command }: Line): boolean {
  return stage === 'Pre' && stepResult === undefined && output === undefined && command === undefined;
}

function createJob(id: string, name: string, matrix: JsonObject): ActJob {
  const steps: ActStep[] = [];
  return {
    id,
    name,
    matrix,
    result: undefined,
    steps,
    get summary() {
      return steps.map((step) => step.summary).join('');
    },
    get annotations() {
      return steps.flatMap((step) => step.annotations);
    },
    get lines() {
      return steps.flatMap((step) => step.lines);
    },
  };
}

/** Steps inside a composite action count as that action's. */
function stepOf(job: ActJob, { stepID = [], stage = 'Main', step = '' }: Line): ActStep {
  const id = stepID[0] ?? '';
  const wanted = stage.toLowerCase() as ActStep['stage'];
  const known = job.steps.find((one) => one.id === id && one.stage === wanted);
  if (known !== undefined) return known;
  const fresh: ActStep = {
    id,
    name: step,
    stage: wanted,
    result: undefined,
    lines: [],
    outputs: {},
    summary: '',
    annotations: [],
  };
  job.steps.push(fresh);
  return fresh;
}

function readStepLine(step: ActStep, entry: Line): void {
  step.result = entry.stepResult ?? step.result;
  if (entry.raw_output === true) step.lines.push(entry.msg.replace(/\r?\n$/, ''));
  if (entry.command === 'set-output' && entry.name !== undefined) step.outputs[entry.name] = entry.arg ?? '';
  if (entry.command === 'summary') step.summary = entry.content ?? '';
  const level = LEVELS[entry.command ?? ''];
  if (level !== undefined) step.annotations.push({ level, message: entry.arg ?? '', properties: { ...entry.kvPairs } });
}
