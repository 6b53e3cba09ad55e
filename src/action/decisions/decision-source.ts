import type { DecisionSource, FoundDecisions } from '../../engine/ports.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import { RECORD_FORMAT, type DecidedRecord, type Writer } from '../../run/records/record.ts';
import type { Unit } from '../../run/records/unit.ts';
import { forMarkdown } from '../../untrusted/escape.ts';
import { commitOf } from '../event/head-commit.ts';
import type { ActionInvocation } from '../invocation.ts';
import { readRun, type ApiRun } from '../records/earlier-runs.ts';
import { findFroms, unitsFrom, type From } from './checked-from.ts';
import { proveCheck } from './check-proof.ts';
import { checkNameOf, checkRunsOf, readExternalId, type ApiCheckRun } from './check-run.ts';
import { decisionsGiven, type GivenDecision, type Order } from './given-decisions.ts';
import { isPersonWhoMayWrite } from './person.ts';

/** Arguments of a source of decisions, besides the step. */
export interface SourceOptions {
  readonly rest: RestClient | undefined;
  /** The run that this one resumes. */
  readonly resumed: ApiRun | undefined;
  /** Id of the pipeline. */
  readonly pipeline: string;
  /** A file defines all gates. */
  readonly isWhole: boolean;
  readonly me: Writer;
}

const NO_TOKEN = 'give the step `github-token`';

/**
 * Decisions that no agent's job can have made: those in the event of this run, sent by a person who may write to the
 * repository, and check runs of `command: decide`, which only a job with `checks: write` can make.
 */
export function decisionSource(invocation: ActionInvocation, options: SourceOptions): DecisionSource {
  const { world, event } = invocation;
  let order: Promise<Order | undefined> | undefined;
  let froms: Promise<readonly From[]> | undefined;
  const warn = warner(invocation);
  const identity = (subject: string): DecidedIdentity => ({
    kind: 'decided',
    format: RECORD_FORMAT,
    subject,
    at: world.now().toISOString(),
    by: options.me,
  });
  return {
    given: async (graph, listing, subject) => {
      const again = (await (froms ??= findFroms(invocation, options))).flatMap((from) =>
        unitsFrom(from, graph, options.isWhole).map(({ gate, leg }): DecidedRecord => ({
          ...identity(subject),
          pipeline: options.pipeline,
          gate: gate.id,
          leg: leg.id,
          decision: from.decision === 'skip' ? 'skip' : 'force',
          fingerprint: null,
          actor: from.actor,
          reason: from.reason,
          ...from.position,
        })),
      );
      const given = await (order ??= orderOf(invocation, options, warn));
      if (given === undefined) return again;
      const about = { subject, now: world.now().toISOString(), isReport: invocation.inputs.command === 'report' };
      const { decisions, without } = decisionsGiven(given, graph, listing, about);
      for (const why of without) await warn(`The decision that this run was started with has no effect: ${why}.`);
      const { actor, pipeline } = given;
      const { reason = '' } = given.dispatch;
      const made = decisions.map(({ unit, ...decided }: GivenDecision): DecidedRecord => ({
        ...identity(subject),
        pipeline,
        gate: unit.gate.id,
        leg: unit.leg.id,
        // The same in all attempts of the run: a re-run does not void what its first attempt finished.
        runNumber: event.runNumber,
        runAttempt: 1,
        n: 0,
        actor,
        reason,
        ...decided,
      }));
      return [...again, ...made];
    },
    find: async (unit, { pipeline, subject }, run) => {
      try {
        return await findChecked(invocation, options, { unit, pipeline, run }, identity(subject));
      } catch (error) {
        if (!(error instanceof GatelineError)) throw error;
        return { decided: [], unread: error.message };
      }
    },
  };
}

/**
 * What this run was started to do; `undefined` without a decision, or if nobody with the right to decide started it.
 * @throws GatelineError if it cannot be determined who may decide
 */
async function orderOf(
  { event }: ActionInvocation,
  { rest, resumed, pipeline, isWhole }: SourceOptions,
  warn: Warner,
): Promise<Order | undefined> {
  const { dispatch } = event;
  const isAsked = dispatch?.decision ?? dispatch?.from ?? dispatch?.strategy;
  if (dispatch === undefined || isAsked === undefined || isAsked === 'retry-current' || resumed === undefined)
    return undefined;
  const { sender } = dispatch;
  const ignored = async (why: string): Promise<undefined> => {
    await warn(`The decision that this run was started with is ignored: ${why}.`);
    return undefined;
  };
  if (sender === undefined || sender.isBot) return ignored(`${sender?.login ?? 'nobody known'} is not a person`);
  if (rest === undefined) throw new GatelineError('DECISIONS_UNREADABLE', `who may decide is unknown: ${NO_TOKEN}`);
  if (!(await isPersonWhoMayWrite(rest, sender.login)))
    return ignored(`${sender.login} may not write to the repository`);
  return {
    dispatch,
    actor: sender.login,
    pipeline,
    runNumber: event.runNumber,
    resumed: { number: resumed.runNumber, commit: resumed.headSha },
    isWhole,
  };
}

type Warner = (message: string) => Promise<void>;

/** Warns in the log and, unless the step writes none, in the summary; of each thing once. */
function warner({ world: { runner }, inputs }: ActionInvocation): Warner {
  const said = new Set<string>();
  return async (message) => {
    if (said.has(message)) return;
    said.add(message);
    runner.annotate('warning', message);
    if (inputs.summary) await runner.appendSummary(`> [!WARNING]\n> ${forMarkdown(message)}\n`);
  };
}

interface DecisionQuery {
  readonly unit: Unit;
  readonly pipeline: string;
  /** Default: this run. */
  readonly run: string | undefined;
}

type DecidedIdentity = Pick<DecidedRecord, 'kind' | 'format' | 'subject' | 'at' | 'by'>;

/** The decisions about a unit among the check runs of a run's commit. */
async function findChecked(
  { world, event }: ActionInvocation,
  { rest }: SourceOptions,
  { unit, pipeline, run }: DecisionQuery,
  identity: DecidedIdentity,
): Promise<FoundDecisions> {
  if (rest === undefined) return { decided: [], unread: NO_TOKEN };
  const commit = run === undefined ? commitOf(event) : (await readRun(rest, Number(run))).headSha;
  const listed = await checkRunsOf(rest, commit, checkNameOf(pipeline, unit.key));
  if ('unread' in listed) return { decided: [], unread: listed.unread };
  const decided: DecidedRecord[] = [];
  for (const check of listed.checks) {
    const proved = await proveCheck(rest, event, check, readExternalId(check.external_id ?? ''), unit.key);
    if ('why' in proved) {
      const message = `Check run ${check.id} says it is a decision about ${unit.key}, and is ignored: ${proved.why}.`;
      world.runner.annotate('warning', message);
    } else {
      const { actor, reason, checked } = proved;
      const { decision, fingerprint, output, position } = checked;
      const what = { decision, actor, reason, fingerprint, output, commit: check.head_sha };
      const at = timeOf(check) ?? identity.at;
      decided.push({ ...identity, at, pipeline, gate: unit.gate.id, leg: unit.leg.id, ...position, ...what });
    }
  }
  return { decided };
}

/** When a check run was written: the same whenever and on whichever commit it is found. */
function timeOf({ completed_at: at }: ApiCheckRun): string | undefined {
  const time = Date.parse(at ?? '');
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
