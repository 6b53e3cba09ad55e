import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Outcome } from '../../engine/call.ts';
import { readRunnerEnvironment } from '../../environment.ts';
import { annotationsOf } from '../../report/github/annotations.ts';
import type { GithubContext, UnitDetails } from '../../report/github/context.ts';
import { code } from '../../report/markdown.ts';
import { fence } from '../../report/github/sections.ts';
import { RENDERED_SUMMARY_LIMIT, renderGateSummary } from '../../report/github/gate-summary.ts';
import {
  approvalDigest,
  formatReference,
  type AttemptDocument,
  type DocumentReference,
} from '../../store/github/document.ts';
import { shellWord } from '../../untrusted/escape.ts';
import { viewJob, type GateJob } from './gate-job.ts';
import type { OpenGate } from './open-gate.ts';

interface ReportedEnd {
  readonly document: AttemptDocument;
  readonly reference: DocumentReference;
  readonly result: Outcome['result'];
}

/** Reports the end of a gate: outputs of the step, annotations, summary. */
export async function reportGate(gate: OpenGate, { document, reference, result }: ReportedEnd): Promise<void> {
  const { services, gateJob, unit } = gate;
  const { runner } = services;
  const { verdict, how, legs } = document.entry;
  const view = await viewJob(gate, sourceOf(document.entry, document.costOfOutput));
  const shown = view.units.find(({ key }) => key === unit.key)!;
  for (const name of attemptOutputs(gateJob)) runner.setOutput(name, formatReference(reference));
  runner.setOutput('status', result === 'waiting' ? 'paused' : shown.status);
  runner.setOutput('verdict', verdict.kind);
  runner.setOutput('score', String(verdict.score));
  runner.setOutput('used', String(how === 'used'));
  const ids = Object.entries(legs ?? {}).map(([id, list]) => [id, list.map((leg) => leg.id)]);
  runner.setOutput('legs', JSON.stringify(Object.fromEntries(ids)));
  if (document.output !== undefined) {
    const path = join(gateJob.state, 'output.json');
    await writeFile(path, JSON.stringify(document.output));
    runner.setOutput('output-file', path);
  }
  const details: UnitDetails = {
    output: document.output,
    learnings: document.learnings,
    plan: services.plans.get(unit.key),
    ...(result === 'waiting' && { approval: approvalLine(unit.key, document, reference, gateJob) }),
  };
  const context: GithubContext = {
    ...readRunnerEnvironment(services.environment),
    pullRequest: gateJob.pullRequest,
    units: new Map([[unit.key, details]]),
  };
  for (const { level, message, title, place } of annotationsOf([shown], context))
    runner.annotate(level, message, { title, place });
  if (!runner.addSummary(renderGateSummary(view, shown, context)))
    runner.annotate('warning', 'The summary of the step is full: that of the gate is left out.');
}

/** Prints an output that could not be uploaded into log and summary, the only places that keep it. */
export function reportLoss({ services, unit }: OpenGate, { output }: AttemptDocument): void {
  const { runner } = services;
  if (output === undefined) return;
  {
    using _ = runner.group(`The output of ${unit.key}, which could not be stored`);
    runner.info(JSON.stringify(output, null, 2).slice(0, MAX_QUOTE));
  }
  const text = fence(JSON.stringify(output, null, 2), 'json', RENDERED_SUMMARY_LIMIT);
  runner.addSummary(`### The output of ${code(unit.key)} could not be stored\n\n${text}`);
}

/** At most this many characters of an output in the log. */
const MAX_QUOTE = 1_000_000;

/**
 * Names of the step outputs with the reference. Each leg has its own, because outputs of one name overwrite each other.
 * The one job of a gate whose list of legs is empty sets the first one too.
 */
export function attemptOutputs({ legs, unit }: OpenGate['gateJob']): string[] {
  const leg = unit.split('/')[1];
  return leg === undefined ? ['attempt', 'attempt-0'] : [`attempt-${legs.indexOf(leg)}`];
}

interface ApprovalPlace {
  readonly pullRequest: unknown;
  readonly ref: string;
  /** Approvals of this dispatch, which the next dispatch has to repeat. */
  readonly approvals?: GateJob['approvals'];
  readonly ownInputs?: GateJob['ownInputs'];
}

/**
 * The line that approves an output: a comment on the pull request, else a dispatch of the workflow that continues this
 * run. Empty for a run of a tag: no run of a branch uses its outputs.
 */
export function approvalLine(
  unit: string,
  { entry, job }: AttemptDocument,
  { digest }: DocumentReference,
  { pullRequest, ref, approvals = [], ownInputs = {} }: ApprovalPlace,
): string {
  const name = `${unit} ${approvalDigest(entry.fingerprint, digest)}`;
  if (pullRequest !== undefined) return `/gateline approve ${name}`;
  if (!ref.startsWith('refs/heads/')) return '';
  const names = [...approvals.map((pair) => pair.join(' ')), name].join(', ');
  const workflow = shellWord(job.workflow.split('/').at(-1)!);
  const branch = shellWord(ref.replace('refs/heads/', ''));
  const own = Object.entries(ownInputs).map(([input, value]) => ` -f ${shellWord(input)}=${shellWord(value)}`);
  return `gh workflow run ${workflow} --ref ${branch} -f approve='${names}' -f resume=${job.runId} -f reason='…'${own.join('')}`;
}

/** The attempt that made a used output, from its document, so that reports can tell what reuse saved. */
export function sourceOf(entry: AttemptDocument['entry'], { ms, costUsd }: AttemptDocument['costOfOutput']) {
  const { source } = entry;
  if (entry.how !== 'used' || source === undefined) return [];
  return [{ ...entry, ...source, how: 'ran' as const, source: undefined, ms, metrics: { costUsd } }];
}
