import { z } from 'zod';
import { GatelineError } from '../errors.ts';
import type { Github } from '../github/octokit.ts';
import { ENTRY_FORMAT, originOf, type DecidedEntry } from '../run/entry.ts';
import { gateOf, UnitGraph } from '../run/units.ts';
import type { AttemptDocument, OutputDecision } from '../store/github/document.ts';
import type { GateJob } from './gate/gate-job.ts';
import type { Job } from './job.ts';

type Decision = { readonly decision: 'skip' | 'force'; readonly reason: string };

/**
 * Reads the decisions about a unit in the inputs of a dispatch. `from: GATE` runs that gate and all after it again. Those
 * about gates that this job does not know are of other jobs.
 * @param unit `costSoFar` names all units before it: the pipeline that a step describes has only those that it needs itself
 * @throws GatelineError `failed` if no person dispatched the run: a workflow's token may start runs, but not decide
 */
export async function readDispatchDecisions(
  job: Job,
  { pipeline, unit, costSoFar }: Pick<GateJob, 'pipeline' | 'unit' | 'costSoFar'>,
  github: Github,
): Promise<{ readonly entries: readonly Decision[]; readonly actor: string; readonly output?: OutputDecision }> {
  const { approve, skip, force, from, reason = '' } = job.dispatch;
  if (![approve, skip, force, from].some((input) => input !== undefined)) return { entries: [], actor: '' };
  const ownGate = gateOf(unit);
  const isNamed = (text: string | undefined) => text === unit || text === ownGate;
  const [gate, digest] = parseApprovals(approve).find(([key]) => isNamed(key)) ?? [];
  const before = [...new UnitGraph(pipeline).ancestors(ownGate), ...Object.keys(costSoFar).map(gateOf)];
  const isBefore = (id: string) => id !== ownGate && before.includes(id);
  const isAfter = from !== undefined && (isNamed(from) || isBefore(gateOf(from)));
  if (!isNamed(skip) && !isNamed(force) && !isAfter && !isNamed(gate)) return { entries: [], actor: '' };
  if (reason.trim() === '')
    throw new GatelineError('usage', 'a decision needs a reason', { hint: 'Give it in the input `reason`.' });
  const actor = await findPerson(job, github);
  const text = reason.slice(0, 4_096);
  return {
    actor,
    entries: [
      ...(isNamed(skip) ? [{ decision: 'skip', reason: text } as const] : []),
      ...(isNamed(force) || isAfter ? [{ decision: 'force', reason: text } as const] : []),
    ],
    ...(isNamed(gate) && digest && { output: { decision: 'approve', digest, actor, reason: text } as const }),
  };
}

/** The gates that the decisions of a dispatch name. */
export function namedGates({ approve, skip, force, from }: Job['dispatch']): readonly string[] {
  const units = [skip, force, from, ...parseApprovals(approve).map(([unit]) => unit)];
  return [...new Set(units.flatMap((unit) => (unit === undefined ? [] : gateOf(unit))))];
}

/**
 * Parses the outputs that a dispatch approves. A run that needs a second approval is dispatched with both.
 * @param text `plan 0123…, test 4567…`
 */
export function parseApprovals(text: string | undefined): readonly (readonly [unit: string, digest: string])[] {
  if (text === undefined) return [];
  return text.split(',').map((item) => {
    const [, unit, digest] = /^\s*([\w-]+(?:\/[\w-]+)?)\s+([0-9a-f]{32})\s*$/.exec(item) ?? [];
    if (unit !== undefined && digest !== undefined) return [unit, digest];
    throw new GatelineError('usage', `the input \`approve\` is no gate and digest: ${item}`, {
      hint: 'The report prints the whole line.',
    });
  });
}

const runSchema = z.object({
  actor: z.object({ login: z.string(), type: z.string() }),
  triggering_actor: z.object({ login: z.string(), type: z.string() }),
});

/** The person who dispatched the run, by REST: an agent of an earlier step could have edited the event file. */
async function findPerson({ runId }: Job, github: Github): Promise<string> {
  const response: unknown = await github.read('The request for the run', 'actions: read', ({ rest }, place) =>
    rest.actions.getWorkflowRun({ ...place, run_id: runId }),
  );
  const run = runSchema.parse(response);
  for (const { type, login } of [run.actor, run.triggering_actor])
    if (type !== 'User')
      throw new GatelineError('failed', `the run carries a decision, and ${login} is no person`, {
        hint: 'A person starts the workflow by "Run workflow", or by `gh workflow run`.',
      });
  return run.actor.login;
}

/** A decision as an entry of the log. */
export function toDecisionEntry(
  { pipeline, assignment, unit, job }: GateJob,
  at: string,
  { actor, ...decision }: Decision & { readonly actor: string },
): DecidedEntry {
  return { ...decisionHead({ pipeline, assignment, job }, at), actor, unit, ...decision };
}

/** The fields that all decisions have. */
export function decisionHead(
  { pipeline, assignment, job }: Pick<GateJob, 'pipeline' | 'assignment' | 'job'>,
  at: string,
) {
  const head = { v: ENTRY_FORMAT, pipeline: pipeline.id, subject: assignment.subject, run: job.runNumber, at } as const;
  return { kind: 'decided', ...head } as const;
}

/** A decision about the output of an earlier job as an entry; undefined: the document has no output. */
export function toOutputDecisionEntry(
  gateJob: GateJob,
  at: string,
  { decision, actor, reason }: OutputDecision,
  { entry }: AttemptDocument,
): DecidedEntry | undefined {
  if (entry.output === undefined) return undefined;
  const attempt = originOf(entry);
  const output = { unit: gateJob.unit, fingerprint: entry.fingerprint, output: entry.output.digest };
  const common = { ...decisionHead(gateJob, at), actor, reason };
  return decision === 'approve' ? { ...common, decision, ...output } : { ...common, decision, ...output, attempt };
}
