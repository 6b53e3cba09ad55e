import { GatelineError } from '../errors/gateline-error.ts';
import type { PlannedUnit } from '../run/plan/plan.ts';
import { RUN_GATE, type EndedRecord, type GatelineRecord, type StartedRecord } from '../run/records/record.ts';
import { actorOf } from '../run/records/decisions.ts';
import { howToContinue, pauseOf } from './resume.ts';
import type { RunState, UnitState } from '../run/state/run-state.ts';
import { protocolVariables } from './attempt/agent-environment.ts';
import { prepareOrEnd, runAttempts } from './attempt/attempt.ts';
import { endWithoutSecrets } from './attempt/end-attempt.ts';
import { claim } from './attempt/begin-attempt.ts';
import { openCall, type Assignment, type Call, claimedHint } from './call/call.ts';
import { keepHistory, noteRun } from './call/keep-history.ts';
import { refuseWithoutSubject } from './call/given-subject.ts';
import { tokenOf } from './attempt/claim-token.ts';
import { onlyInBudget } from './plan/may-start.ts';
import { pinContracts } from './plan/pin-contracts.ts';
import { placeFor, type AttemptPlace } from './attempt/place.ts';
import { planUnit, setUp } from './plan/plan-unit.ts';
import type { PreparedUnit, Work } from './plan/prepared-unit.ts';
import { keepReworkStart, reworkStart } from './attempt/rework-start.ts';
import type { Digest } from '../json/digest.ts';
import type { EnginePorts, Observer } from './ports.ts';
import { recordNotApplicable, recordReuse } from './attempt/record-reuse.ts';
import { refuseUnfinished } from './snapshots/unfinished-rollback.ts';
import { dryRunPorts } from './plan/dry-run.ts';
import { ancestorsOf, type Unit } from '../run/records/unit.ts';
import { unitNamed } from '../run/records/named-units.ts';
import { learnDecisions } from './upstream/learn-decisions.ts';
import { verifyUpstream } from './upstream/verify-upstream.ts';
import { type JobCall } from './upstream/job-call.ts';
import { recordPlanned } from './attempt/record-planned.ts';

/** The state of the run when a gate was finished. */
interface KnownRun {
  readonly planned: PlannedUnit;
  readonly state: RunState;
  /** All records that were read or written, of this run and of others. */
  readonly records: readonly GatelineRecord[];
}

/** There is nothing to do: the output exists, none is needed, or the attempt ended before its agent could start. */
export interface Settled extends KnownRun {
  readonly choice: 'done';
  /** The attempt that is valid; absent for a gate that was skipped by a decision. */
  readonly ended: EndedRecord | undefined;
}

/** The result of `begin`: a claim to work on, or the reason why there is nothing to do. */
export type BeginResult =
  | (KnownRun & {
      readonly choice: 'run';
      /** To be passed to `complete`. */
      readonly token: string;
      /** The variables of agent protocol 1, for the process that runs the agent. */
      readonly variables: Readonly<Record<string, string>>;
      /** When the claim expires; a job's claim expires when the job ends. */
      readonly deadline: string;
      /** Absolute path of the attempt's directory. */
      readonly directory: string;
      /** Absolute path of the workspace in which the agent works. */
      readonly root: string;
      readonly started: StartedRecord;
    })
  | Settled;

/** How a gate is begun. */
export interface BeginOptions {
  /** This is a job of a CI run: everything upstream was done by other jobs and is verified. */
  readonly job?: JobCall;
  /** Where the agent will work. Default: the user's folder. */
  readonly place?: AttemptPlace['place'];
}

/** The result of running one gate. */
export type GateResult = (KnownRun & { readonly choice: 'ran'; readonly ended: EndedRecord }) | Settled;

/**
 * Begins a gate whose agent runs by itself: loads and checks what it needs, takes the claim, and creates its request.
 * With `standIn`, needs that have no output are provided by the caller's input (seed 000, step 0B). Locally the caller
 * holds the workspace's lock during the call: a run in progress would not see the claim.
 * @throws GatelineError `GATE_BLOCKED`, `BUDGET_EXCEEDED`, `GATE_CLAIMED`, `GATE_NOT_APPLIED`, `IN_PLACE_NEEDS_INPUTS`,
 *   `PRICES_INVALID`, `SUBJECT_NOT_GIVEN`, `ROLLBACK_UNFINISHED`, `RECORD_TOO_NEW`; in a job as {@link verifyUpstream}
 */
export async function beginGate(
  ports: EnginePorts,
  assignment: Assignment,
  key: string,
  observe: Observer,
  options: BeginOptions = {},
): Promise<BeginResult> {
  await refuseUnfinished(ports);
  const { call, unit, prepared } = await prepareGate(ports, assignment, key, observe, options.job);
  if (options.job === undefined) await ports.workspace.sweep(ports.now().toISOString());
  const result = (await settled(call, unit, prepared)) ?? (await begin(call, unit, prepared, options));
  await keepHistory(call);
  return result;
}

/**
 * Runs one gate of a CI run from claim to end in this process, including retries.
 * @throws GatelineError as {@link beginGate}
 */
export async function runGate(
  ports: EnginePorts,
  assignment: Assignment,
  key: string,
  options: { readonly observe: Observer; readonly signal: AbortSignal; readonly job: JobCall },
): Promise<GateResult> {
  const { call, unit, prepared } = await prepareGate(ports, assignment, key, options.observe, options.job);
  const done = await settled(call, unit, prepared);
  if (done !== undefined) return done;
  const { ended } = await runAttempts(call, unit, prepared.work!, options.signal);
  return { choice: 'ran', ended, ...known(call, prepared) };
}

/**
 * Reports what {@link runGate} would do, and why. Writes nothing and starts nothing.
 * @throws GatelineError as {@link beginGate}
 */
export async function planGate(
  ports: EnginePorts,
  assignment: Assignment,
  key: string,
  job: JobCall,
): Promise<PlannedUnit> {
  return (await prepareGate(dryRunPorts(ports), assignment, key, () => undefined, job)).prepared.planned;
}

async function prepareGate(
  ports: EnginePorts,
  assignment: Assignment,
  key: string,
  observe: Observer,
  job: JobCall | undefined,
): Promise<{ call: Call; unit: Unit; prepared: PreparedUnit }> {
  refuseWithoutSubject(assignment);
  const call = await openCall(ports, assignment, observe, job?.call);
  await noteRun(call);
  if (job === undefined) {
    await pinContracts(call);
    await settleUpstream(call, unitNamed(call.graph, key));
    await call.settleLegs();
  } else {
    for (const above of ancestorsOf(call.graph, unitIn(call, key).key))
      await learnDecisions(call, call.graph.get(above)!, [call.journal.state().units.get(above)!.ended]);
    await call.settleLegs();
    await reportDecisions(call, unitIn(call, key));
    await verifyUpstream(call, unitIn(call, key), job);
  }
  const unit = unitIn(call, key);
  const prepared = await onlyInBudget(call, unit, await planUnit(call, unit), 'take');
  await observe({ type: 'planned', planned: prepared.planned });
  return { call, unit, prepared };
}

/** The unit with this key, or the gate whose legs are not known yet. @throws GatelineError `GATE_UNKNOWN` */
function unitIn({ graph }: Call, key: string): Unit {
  const gate = graph.get(key.split('/', 1)[0]!);
  return gate?.gate.legsFrom === undefined ? unitNamed(graph, key) : gate;
}

/**
 * Reports each decision about the unit, a unit upstream or the run that cannot be verified, and whether it is ignored.
 */
async function reportDecisions(call: Call, unit: Unit): Promise<void> {
  const about = new Set([unit.key, ...ancestorsOf(call.graph, unit.key), RUN_GATE]);
  for (const { code, message, unit: key } of call.journal.state().problems) {
    if (code !== 'DECISION_IGNORED' && code !== 'DECISION_UNVERIFIED') continue;
    if (key !== undefined && about.has(key))
      await call.observe({ type: 'notice', ...(key !== RUN_GATE && { unit: key }), message });
  }
}

/** No gate of a run that a person paused or closed starts. @throws GatelineError `GATE_BLOCKED` */
function refuseHeld(call: Call, unit: Unit): void {
  const { runNumber, decided } = call.journal.state();
  const closed = decided.closed && `closed by ${actorOf(decided.closed)}: ${decided.closed.reason}`;
  const why = closed ?? pauseOf(call);
  if (why === undefined) return;
  const hint = call.holder === 'job' ? {} : { hint: `${howToContinue(call)}.` };
  throw new GatelineError('GATE_BLOCKED', `gate ${unit.key}: run ${runNumber} is ${why}`, hint);
}

/** Records that an earlier output, or none, is sufficient; `undefined` if there is work to do. */
async function settled(call: Call, unit: Unit, prepared: PreparedUnit): Promise<Settled | undefined> {
  const { planned } = prepared;
  const done = (ended: EndedRecord | undefined): Settled => ({
    choice: 'done',
    ended,
    ...known(call, prepared),
  });
  switch (planned.choice) {
    case 'run':
    case 'wait':
      refuseHeld(call, unit);
      return undefined;
    case 'blocked':
      // A job that runs again shows again what waits, and how to approve it.
      if (call.holder === 'job' && stateOf(call, unit)?.status === 'paused') return done(stateOf(call, unit)?.ended);
      throw prepared.error ?? notNow(call, unit, prepared);
    case 'send-back':
    case 'depends':
      throw prepared.error ?? notNow(call, unit, prepared);
    case 'reuse':
    case 'adopt':
    case 'not-applicable':
      return done(await recordPlanned(call, unit, prepared));
    case 'keep':
    case 'skip':
      return done(stateOf(call, unit)?.ended);
  }
}

function stateOf({ journal }: Call, { key }: Unit): UnitState | undefined {
  return journal.state().units.get(key);
}

function notNow(call: Call, unit: Unit, { planned, claimed }: PreparedUnit): GatelineError {
  const code = claimed !== undefined ? 'GATE_CLAIMED' : planned.budget ? 'BUDGET_EXCEEDED' : 'GATE_BLOCKED';
  const hints: Partial<Record<typeof code, string>> = call.holder === 'job' ? HINTS_FOR_JOBS : hintsFor(unit);
  return new GatelineError(code, `gate ${unit.key}: ${claimed ?? planned.reason}`, { hint: hints[code] });
}

const hintsFor = ({ key }: Unit) => ({
  GATE_CLAIMED: `Wait until it is done (\`gateline status\`), or complete it with the token of its \`begin\`. If nobody works on it any more, \`gateline force ${key} --reason TEXT\` frees it.`,
  GATE_BLOCKED: 'Run the gates it needs first (see `gateline status`), or pass `--input` and `--stand-in`.',
});

const HINTS_FOR_JOBS = {
  GATE_CLAIMED: claimedHint('job'),
  GATE_BLOCKED: 'Fix what the reason names, then re-run the failed jobs.',
};

/** Reuses earlier outputs of upstream gates that are still valid; runs nothing. */
async function settleUpstream(call: Call, unit: Unit): Promise<void> {
  const settled = new Set<string>();
  const next = (): string | undefined => ancestorsOf(call.graph, unit.key).find((key) => !settled.has(key));
  for (let key = next(); key !== undefined; key = next()) {
    const upstream = call.graph.get(key)!;
    settled.add(key);
    const prepared = await planUnit(call, upstream);
    if (prepared.planned.choice === 'reuse') await recordReuse(call, upstream, prepared);
    if (prepared.planned.choice === 'not-applicable') await recordNotApplicable(call, upstream, prepared);
    await call.settleLegs();
  }
}

async function begin(
  call: Call,
  unit: Unit,
  prepared: PreparedUnit,
  { job, place: asked = 'in-place' }: BeginOptions,
): Promise<BeginResult> {
  const work = await setUp(call, unit, prepared.work!, new AbortController().signal);
  const deadline = new Date(call.ports.now().getTime() + unit.gate.timeoutMinutes * 60_000).toISOString();
  const place = await placeFor(call, unit, asked);
  const rework = call.holder === 'job' ? await keptStart(call, unit, work) : undefined;
  const started = await claim(call, unit, work, { place, ...(call.holder !== 'job' && { deadline }) });
  const isInFile = call.holder === 'job' && job?.recorded === undefined;
  const token = tokenOf(started, {
    minutes: unit.gate.timeoutMinutes,
    ...(isInFile && { file: true }),
    git: call.ports.workspace.git,
    ...(job?.commit !== undefined && { commit: job.commit }),
    ...(rework && { rework }),
  });
  // Reported before anything else can fail: from here on the claim must be ended.
  const begins = { attempt: 1, attempts: 1, state: call.journal.state() };
  await call.observe({ type: 'started', unit: unit.key, record: started, ...begins, token });
  if (call.holder === 'job') {
    const ended = await endWithoutSecrets(call, unit, started);
    if (ended !== undefined) return endedAtOnce(call, unit, prepared, ended);
  }
  const begun = await prepareOrEnd(call, unit, work, started);
  const variables = protocolVariables(unit, started.n, begun.directory, {
    ...begun,
    task: call.assignment.task,
  });
  const { root } = begun.checkout;
  const directory = begun.directory.path;
  return { choice: 'run', ...known(call, prepared), token, variables, deadline, directory, root, started };
}

/** For `complete`, which reads neither the event nor records of other gates. */
async function keptStart(call: Call, unit: Unit, { rework }: Work): Promise<Digest | undefined> {
  if (rework === undefined) return undefined;
  const start = await reworkStart(call, unit, { rework, base: (await call.snapshot()).tree });
  return start && keepReworkStart(call, start);
}

async function endedAtOnce(call: Call, unit: Unit, prepared: PreparedUnit, ended: EndedRecord): Promise<Settled> {
  const about = known(call, prepared);
  const { state, records } = about;
  await call.observe({ type: 'ended', unit: unit.key, record: ended, state, records, retrying: false });
  return { choice: 'done', ended, ...about };
}

function known(call: Call, { planned }: PreparedUnit): KnownRun {
  return { planned, state: call.journal.state(), records: call.journal.records() };
}
