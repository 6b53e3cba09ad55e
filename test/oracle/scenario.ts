import { adoptOutput, decide, giveUpAttempts, keepOutputs, type DecisionName } from '../../src/engine/decide/decide.ts';
import type { Ports } from '../../src/engine/ports.ts';
import { GatelineError } from '../../src/errors.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { gateOf } from '../../src/run/units.ts';
import { orderOf } from '../support/pipelines.ts';
import {
  behaviorOf,
  createGates,
  outputOf,
  PATHS,
  randomFolder,
  toPipeline,
  type Features,
  type RandomGate,
} from './random-pipeline.ts';
import { Random } from './random.ts';
import { applyRun, rollBackRun } from './folder-commands.ts';
import { GitWorld } from './git/git-world.ts';
import { BY, Simulation } from './simulation.ts';
import type { CallOptions, CallReport } from './world.ts';

type Feature = keyof Features | 'decisions' | 'subjects' | 'isolated';

/** Shares of scenarios that have a feature, and how often calls are disturbed. */
export interface ScenarioOptions extends Readonly<Record<Feature, number>> {
  readonly careful: boolean;
  /** On a disk, with git and processes. */
  readonly git?: boolean;
  readonly editRate: number;
  readonly dieRate: number;
}

export const CAREFUL: ScenarioOptions = {
  careful: true,
  editRate: 0.08,
  dieRate: 0.35,
  reviews: 0.8,
  approvals: 0.3,
  conditions: 0.2,
  legs: 0.2,
  data: 0.25,
  groups: 0.2,
  alone: 0.15,
  mess: 0,
  decisions: 0.4,
  subjects: 0.15,
  isolated: 0.2,
};

/** One random pipeline with random edits, decisions and kills; at the end the user keeps still. */
export async function runScenario(
  seed: number,
  options: ScenarioOptions,
  breakPorts?: (ports: Ports) => Ports,
): Promise<Simulation> {
  const random = new Random(seed * 7919 + 13);
  const has = (feature: Feature) => random.chance(options[feature]);
  const [reviews, approvals, conditions] = [has('reviews'), has('approvals'), has('conditions')];
  const alone = has('alone');
  const isolated = !options.git && has('isolated');
  const [legs, data, grouped, mess, decisions, subjects] = [
    has('legs'),
    has('data'),
    has('groups'),
    has('mess'),
    has('decisions'),
    has('subjects'),
  ];
  const gates = createGates(random, { reviews, approvals, conditions, legs, data, groups: grouped, alone, mess });
  const ids = gates.map(({ sketch }) => sketch.id);
  const groups: Pipeline['groups'] = grouped ? [{ id: 'group', gates: random.some(ids, 0.5), mode: 'sequential' }] : [];
  const world = options.git ? await GitWorld.open(seed, PATHS, randomFolder(gates, new Random(seed))) : undefined;
  const simulation = new Simulation(seed, {
    world,
    paths: PATHS,
    careful: options.careful,
    behaviorOf: (unit) => behaviorOf(gates[ids.indexOf(unit.split('/')[0]!)]!, simulation.random, world !== undefined),
    breakPorts,
  });
  try {
    for (const path of PATHS) if (random.chance(0.7)) simulation.folder.write(path, String(random.int(3)));
    const isSubjectGiven = subjects && random.chance(0.5);
    const nextCall = (): CallOptions => ({
      subject: subjects && random.chance(0.5) ? 'other' : 'main',
      isSubjectGiven,
    });
    for (let calls = 3 + random.int(4); calls > 0; calls -= 1) {
      if (random.chance(0.75)) for (let edits = random.int(3); edits >= 0; edits -= 1) simulation.edit();
      if (random.chance(0.1)) random.pick(gates).version = random.int(2);
      const pipeline = toPipeline(gates, groups);
      const call = nextCall();
      const decide = (isAlone: boolean) => decideSomething(simulation, pipeline, call, random, isAlone);
      if (decisions && random.chance(0.5)) await decide(true);
      if (random.chance(0.7)) await resume(simulation, pipeline, call);
      const disturbed = (): CallOptions => ({
        ...call,
        isIsolated: isolated && random.chance(0.5),
        editRate: random.chance(0.4) ? options.editRate : 0,
        // A kill on the disk costs much, and comes in the middle of operations too.
        diesAt: random.chance(options.git ? 0.7 : options.dieRate) ? 1 + random.int(options.git ? 60 : 150) : Infinity,
        maxParallel: 1 + random.int(3),
        decide: decisions ? () => decide(false) : undefined,
      });
      await simulation.call(pipeline, disturbed());
      if (isolated && random.chance(0.5)) await applyRun(simulation, pipeline, call);
      for (const unit of unitsAlone(simulation))
        if (random.chance(0.7))
          await workAlone(simulation, pipeline, unit, disturbed(), async () => {
            if (random.chance(0.4)) await simulation.call(pipeline, disturbed());
          });
    }
    for (const subject of ['main', 'other']) {
      const pipeline = toPipeline(gates, groups);
      await simulation.quietly(pipeline, { subject }, (ports) =>
        giveUpAttempts(ports, orderOf(pipeline, { subject }), BY),
      );
    }
    await settle(simulation, toPipeline(gates, groups), { ...nextCall(), isIsolated: isolated }, gates);
  } finally {
    for (const fault of world?.close() ?? []) simulation.oracle.fault(fault);
  }
  return simulation;
}

function unitsAlone({ oracle }: Simulation): string[] {
  return [...oracle.truth.units.values()].filter(({ gate }) => gate.run === undefined).map(({ key }) => key);
}

/** An agent works by itself, if what it needs is done and nobody else works by itself on files. */
async function workAlone(
  simulation: Simulation,
  pipeline: Pipeline,
  unit: string,
  call: CallOptions,
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  await simulation.workAlone(pipeline, unit, call, meanwhile).catch((error: unknown) => {
    if (!(error instanceof GatelineError) || error.fault === 'bug' || error.fault === 'platform') throw error;
    simulation.oracle.tally(`not begun: ${error.fault}`);
  });
}

/** A person decides about some unit. @param isAlone no call works at the same time */
async function decideSomething(
  simulation: Simulation,
  pipeline: Pipeline,
  options: CallOptions,
  random: Random,
  isAlone: boolean,
): Promise<void> {
  const order = orderOf(pipeline, options);
  if (isAlone) simulation.oracle.beginCall(pipeline, order.subject, order.isSubjectGiven);
  const unit = random.pick([...simulation.oracle.truth.units.keys()]);
  const kinds = ['force', 'skip', 'reject', 'approve', 'adopt', 'keep', 'rollback'] as const;
  const kind = random.chance(0.1)
    ? random.pick(['pause', 'resume', 'close'] as const)
    : random.pick(isAlone ? kinds : kinds.slice(0, -2));
  const work = (ports: Ports): Promise<unknown> => {
    if (kind === 'keep') return keepOutputs(ports, order, random.chance(0.3) ? [] : [unit], BY);
    if (kind === 'adopt') return adoptOutput(ports, order, { unit, value: outputOf(true, random.int(5)) }, BY);
    return decide(ports, order, { decision: kind as DecisionName, unit }, BY);
  };
  try {
    if (kind === 'rollback')
      await rollBackRun(simulation, pipeline, options, random.chance(0.5) ? 'all' : gateOf(unit));
    else await simulation.quietly(pipeline, options, work, isAlone);
    simulation.oracle.tally(`decided: ${kind}`);
  } catch (error) {
    if (!(error instanceof GatelineError) || !['usage', 'busy'].includes(error.fault)) throw error;
  }
}

/** The user continues a run that was paused or rolled back, if it was. */
async function resume(simulation: Simulation, pipeline: Pipeline, call: CallOptions): Promise<void> {
  if (!['pause', 'rollback'].some((kind) => simulation.oracle.counts.has(`decided: ${kind}`))) return;
  const order = orderOf(pipeline, call);
  await simulation.quietly(pipeline, call, (ports) => decide(ports, order, { decision: 'resume' }, BY)).catch(() => {});
}

/** The user keeps still and approves everything: after some calls nothing is left to do, and a further call does nothing. */
async function settle(
  simulation: Simulation,
  pipeline: Pipeline,
  call: CallOptions,
  gates: readonly RandomGate[],
): Promise<void> {
  const { oracle } = simulation;
  const order = orderOf(pipeline, call);
  await resume(simulation, pipeline, call);
  const isMessy = gates.some(({ mess }) => mess !== undefined);
  let report: CallReport | undefined;
  const unitsWith = (result: string) => [...report!.result.outcomes].filter(([, outcome]) => outcome.result === result);
  for (let calls = 0; calls < 40; calls += 1) {
    report = await simulation.call(pipeline, call);
    if (report!.result.status === 'completed' || report!.result.status === 'nothing') break;
    const alone = unitsAlone(simulation);
    for (const [unit, { checkpoint }] of unitsWith('waiting'))
      if (alone.includes(unit) && checkpoint === undefined) await workAlone(simulation, pipeline, unit, call);
      else await simulation.quietly(pipeline, call, (ports) => decide(ports, order, { decision: 'approve', unit }, BY));
  }
  const { result, ran } = report!;
  oracle.tally(`ends ${result.status}`);
  if (result.status === 'failed' || result.status === 'paused') {
    const failed = unitsWith('failed').map(([unit]) => unit);
    const isAlone = unitsWith('waiting').some(([unit]) => unitsAlone(simulation).includes(unit));
    // A review that works by itself, and whose iterations are used up, is waited for again and again.
    if (isAlone && result.status === 'paused') return;
    if ((failed.length === 0 || ran.some((unit) => !failed.includes(unit))) && !isMessy)
      oracle.fault('c: does not settle', result.status, ran, failed);
    return;
  }
  // Without that, another isolated run would put files in the order of gates, and not as they were made.
  if (call.isIsolated && !(await applyRun(simulation, pipeline, call)))
    oracle.fault('d: apply leaves a file that nobody changed');
  const again = await simulation.call(pipeline, { ...call, isIsolated: false });
  if (again!.writes === 0 && again!.ran.length === 0 && again!.result.status === 'nothing') return;
  if (isMessy) oracle.tally('does not settle: a gate changes files that it does not declare');
  else oracle.fault('c: does not settle', again!.ran, again!.put, again!.writes, again!.result.status);
}
