import { legOfCommands } from '../../run/entity/job-commands.ts';
import { unitKey, type Gate, type Pipeline, type UnitKey } from '../../pipeline/pipeline.ts';
import type { NamedSubject } from '../../engine/call/given-subject.ts';
import type { ActionInvocation } from '../invocation.ts';
import { unitOfJob } from './definition.ts';
import type { JobCall } from '../../engine/upstream/job-call.ts';
import { numbersOf } from '../event/job-identity.ts';
import { jobSubject } from './job-subject.ts';
import type { JobStore } from '../records/job-store.ts';
import { describeGate } from './describe-gate.ts';
import { observeRun } from './observe-run.ts';
import type { ActionInputs } from '../inputs/inputs.ts';
import { RUN_GATE } from '../../run/records/record.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { GivenRework } from '../../run/records/reworks.ts';
import type { Selection } from '../../store/record-store.ts';
import { loopsOf } from '../../run/plan/loop.ts';
import { unitsNamed } from '../../run/records/named-units.ts';
import { ancestorsOf, descendantsOf, unitsOf, type UnitGraph } from '../../run/records/unit.ts';
import { secretValues, type Assignment } from '../../engine/call/call.ts';
import type { EnginePorts } from '../../engine/ports.ts';
import { createRedactor } from '../../untrusted/redact.ts';
import type { Definition } from './definition.ts';
import { whyNotUsed } from '../event/files-of-others.ts';

/** The gate of a job, with its pipeline and what its call starts from. */
export interface FoundGate {
  readonly gate: Gate;
  readonly key: UnitKey;
  readonly call: JobCall;
  readonly pipeline: Pipeline;
  readonly about: NamedSubject;
}

/**
 * The gate of this job in a `gateline.yml`.
 * @throws GatelineError `GATE_RUNS_BY_ITSELF`, `GATE_HAS_COMMAND`, and those of {@link unitOfJob}
 */
export function definedInFile(pipeline: Pipeline, invocation: ActionInvocation): FoundGate {
  const { inputs, event } = invocation;
  const { gate, key } = unitOfJob(pipeline, event, inputs);
  refuseOtherCommand(gate, inputs.command);
  // What failed after this gate says whether it runs again.
  const isAll = event.dispatch?.strategy === 'retry-previous';
  const isResumed = (inputs.resume ?? event.dispatch?.resume) !== undefined;
  const selection = isAll
    ? undefined
    : recordsFor(pipeline, key, { rework: event.rework, isResumed, isAgain: event.runAttempt > 1 });
  const call: JobCall = { call: { numbers: numbersOf(event), ...(selection && { selection }) } };
  return { pipeline, gate, key, about: jobSubject(invocation, pipeline), call };
}

/** The gate of this job where its inputs describe it. @throws ActionInputsError */
export async function describedHere(invocation: ActionInvocation, store: JobStore): Promise<FoundGate> {
  const { world, inputs, event } = invocation;
  const { gate, pipelineId, warnings } = describeGate(inputs, event);
  for (const warning of warnings) world.runner.annotate('warning', warning);
  const about = jobSubject(invocation, undefined);
  const run = { pipeline: pipelineId, subject: about.subject, own: gate, runNumber: event.runNumber };
  const { pipeline, recorded, listing } = await observeRun(store.records, run);
  const call: JobCall = { call: { numbers: numbersOf(event), listing }, recorded };
  return { pipeline, gate, key: unitKey(gate.id, gate.legs[0]!.id), about, call };
}

/**
 * What may take the place of needs without an output, if the step asks for it. In runs for changes of others, no state
 * file that their commit has: its author would make the output.
 */
export async function standInsOf(
  invocation: ActionInvocation,
  { definition: { root, isDefault = true }, ports }: { readonly definition: Definition; readonly ports: EnginePorts },
  { pipeline, ...about }: Pick<Assignment, 'pipeline' | 'metadata' | 'subject' | 'isDefaultSubject'>,
): Promise<Pick<Assignment, 'standIn'>> {
  const { inputs, world } = invocation;
  const { standIn } = inputs;
  if (standIn.length === 0) return {};
  if (!standIn.includes('file')) return { standIn: {} };
  const { workspace } = ports;
  const [{ stateInputs }, { subjectForAgents }] = await Promise.all([
    import('../../local/state-files/state-inputs.ts'),
    import('../../local/projector.ts'),
  ]);
  const file = stateInputs({
    workspace,
    place: { root, isDefault, pipeline },
    subject: subjectForAgents(about.subject, about),
    metadata: about.metadata,
    warn: (message) => world.runner.annotate('warning', message),
    redact: createRedactor({ secrets: secretValues(pipeline, ports) }).redactText,
    whyNot: whyNotUsed(invocation, root, ports, pipeline),
  });
  return { standIn: { file } };
}

/** @throws GatelineError `GATE_RUNS_BY_ITSELF`, `GATE_HAS_COMMAND` */
function refuseOtherCommand(gate: Gate, command: ActionInputs['command']): void {
  if (command === 'run' && gate.run === undefined) {
    throw new GatelineError('GATE_RUNS_BY_ITSELF', `gate ${gate.id} has no \`run\` in its definition`);
  }
  if (command === 'begin' && gate.run !== undefined) {
    throw new GatelineError('GATE_HAS_COMMAND', `gate ${gate.id} has a \`run\` in its definition`);
  }
}

/**
 * The records that a unit builds on, its own, those of commands that ran for these, and those that sent its work back
 * or may have done so in the resumed run. In a re-run, also those of units that may have used up an entity that it
 * creates: then it runs again.
 */
function recordsFor(
  pipeline: Pipeline,
  key: UnitKey,
  {
    rework,
    isResumed,
    isAgain,
  }: { readonly rework: GivenRework | undefined; readonly isResumed: boolean; readonly isAgain: boolean },
): Selection {
  const graph = unitsOf(pipeline);
  const [own] = unitsNamed(graph, [key]);
  const again = own!.gate.id === rework?.target ? [...rework.from, ...rework.over] : [];
  const loops = isResumed ? loopsOf(pipeline).filter(({ onFail }) => onFail.goto === own!.gate.id) : [];
  const judges = new Set(loops.flatMap(({ gates }) => gates));
  const after = [
    ...again.map(({ unit }) => unit),
    ...[...graph.values()].flatMap((unit) => (judges.has(unit.gate.id) ? [unit.key] : [])),
    ...(isAgain && own!.gate.entities?.creates.length ? usersOf(graph, key) : []),
  ];
  const above = ancestorsOf(graph, own!.gate.legsFrom === undefined ? key : own!.gate.id);
  const wanted = new Set([key, ...above, ...after]);
  // How many legs there are is in a record that is not read yet.
  const whole = new Set(above.filter((one) => graph.get(one)!.gate.legsFrom !== undefined));
  const commands = new Set(pipeline.resources?.commands.map(({ id }) => id));
  const ranFor = new Set([...wanted].map(legOfCommands));
  return {
    only: ({ gate, leg }) =>
      gate === RUN_GATE ||
      wanted.has(unitKey(gate, leg)) ||
      whole.has(gate) ||
      (commands.has(gate) && (ranFor.has(leg) || whole.has(leg.split('.', 1)[0]!))),
  };
}

/** The units after one that invalidate something. */
function usersOf(graph: UnitGraph, key: UnitKey): UnitKey[] {
  return descendantsOf(graph, key).filter((one) => graph.get(one)!.gate.entities?.invalidates.length);
}
