import type { Assignment } from '../../engine/call/call.ts';
import type { ForkOrigin } from '../../engine/fork.ts';
import type { Resume } from '../../engine/resume.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { LoadedPipeline } from '../../local/load-pipeline.ts';
import { whoDecides } from '../../local/who-decides.ts';
import type { Pipeline, UnitKey } from '../../pipeline/pipeline.ts';
import { didYouMean } from '../../pipeline/problem.ts';
import { STRATEGIES, strategySteps, type Strategy } from '../../run/plan/strategy.ts';
import { unitsNamed } from '../../run/records/named-units.ts';
import { ancestorsOf, unitsOf, type UnitGraph } from '../../run/records/unit.ts';
import { listOption, recordedOption, textOption, type CommandInvocation, type OptionValues } from '../command.ts';
import { reasonGiven } from './decision.ts';

/** The options of `run`, `resume` and `plan` that decide what runs, besides the pipeline and its subject. */
export interface WhatToRun {
  readonly assigned: Pick<Assignment, 'only' | 'maxGates' | 'maxIterations' | 'sequential' | 'strict' | 'keep'>;
  readonly resume: Resume | undefined;
}

/**
 * Reads the options that select gates and say how the run continues.
 * @param fork the run that it is a fork of
 * @throws GatelineError `GATE_UNKNOWN`, `OPTION_CONFLICT`, `OPTION_VALUE`, `REASON_MISSING`, `ACTOR_UNKNOWN`
 */
export async function whatToRun(
  invocation: CommandInvocation,
  loaded: LoadedPipeline,
  fork?: ForkOrigin,
): Promise<WhatToRun> {
  const { options } = invocation;
  const { pipeline } = loaded;
  const only = onlyUnits(options, pipeline);
  const maxGates = numberOf(options, 'max-gates');
  const maxIterations = numberOf(options, 'max-iterations');
  const resume = await resumeOf(invocation, loaded, fork);
  const keep = options['keep'] ? keptGates(pipeline, resume!) : undefined;
  return {
    assigned: {
      ...(only && { only }),
      ...(maxGates !== undefined && { maxGates }),
      ...(maxIterations !== undefined && { maxIterations }),
      ...(options['sequential'] === true && { sequential: true }),
      ...(options['strict'] === true && { strict: true }),
      ...(keep && { keep }),
    },
    resume,
  };
}

/** `undefined`: the run is continued without options. */
async function resumeOf(
  { world, options, command }: CommandInvocation,
  { root, pipeline }: LoadedPipeline,
  fork: ForkOrigin | undefined,
): Promise<Resume | undefined> {
  const force = listOption(options, 'force');
  const from = listOption(options, 'from');
  const lift = command === 'resume';
  const fresh = options['new'] === true;
  const strategy = strategyOf(options, from, pipeline);
  if (!lift && !fresh && fork === undefined && force.length === 0) return undefined;
  unitsNamed(unitsOf(pipeline), [...force, ...from]);
  const given = recordedOption(options, 'actor', 255);
  const needsReason = fork !== undefined || force.length > 0 || strategy === 'skip-current' || options['keep'] === true;
  const how = from.length > 0 ? from.map((gate) => `--from ${gate}`) : lift ? [`--strategy ${strategy}`] : [];
  const words = [`gateline ${command}`, ...(fresh ? ['--new'] : []), ...how];
  const reason = needsReason ? reasonGiven(options) : (recordedOption(options, 'reason', 4_096) ?? words.join(' '));
  const actor = await whoDecides(root, world.environment, given);
  return { actor, reason, force, strategy, from, fresh, lift, ...(fork && { fork }) };
}

function strategyOf(options: OptionValues, from: readonly string[], pipeline: Pipeline): Strategy {
  if (from.includes('')) throw withoutStart('--from', pipeline);
  const word = textOption(options, 'strategy');
  const strategy = STRATEGIES.find((one) => one === word);
  if (word !== undefined && strategy === undefined) {
    const meant = didYouMean(word, STRATEGIES);
    const suggestion = meant === undefined ? '' : `; ${meant}`;
    throw new GatelineError('OPTION_VALUE', `--strategy: there is no strategy ${word}${suggestion}`, {
      hint: `Strategies: ${STRATEGIES.join(', ')}.`,
    });
  }
  if (from.length > 0 && strategy !== undefined && strategy !== 'from-checkpoint')
    throw new GatelineError('OPTION_CONFLICT', `--from can only be used with from-checkpoint, not with ${strategy}`);
  if (options['keep'] && from.length === 0)
    throw new GatelineError(
      'OPTION_CONFLICT',
      '--keep can only be used with --from: it keeps the gates before that gate',
    );
  if (strategy === 'from-checkpoint' && from.length === 0) throw withoutStart(strategy, pipeline);
  return from.length > 0 ? 'from-checkpoint' : (strategy ?? 'retry-current');
}

/** Lists the gates to choose from. */
function withoutStart(what: string, { gates }: Pipeline): GatelineError {
  return new GatelineError('OPTION_VALUE', `${what} needs the gate to start from: --from GATE`, {
    hint: `Gates: ${gates.map(({ id }) => id).join(', ')}. \`gateline status\` shows how far each got.`,
  });
}

/** Every gate that does not run again. */
function keptGates(pipeline: Pipeline, resume: Resume): NonNullable<Assignment['keep']> {
  const { actor, reason, from } = resume;
  const again = strategySteps('from-checkpoint', unitsOf(pipeline), { units: new Map() }, from);
  const gates = new Set(pipeline.gates.map(({ id }) => id)).difference(new Set(again.map(({ unit }) => unit.gate.id)));
  return { gates, actor, reason };
}

function numberOf(options: OptionValues, name: 'max-gates' | 'max-iterations'): number | undefined {
  const text = textOption(options, name);
  if (text === undefined) return undefined;
  if (/^[1-9][0-9]{0,5}$/.test(text)) return Number(text);
  throw new GatelineError('OPTION_VALUE', `--${name} ${text}: expected a whole number, at least 1`);
}

/** Units that may run in this call. */
function onlyUnits(options: OptionValues, pipeline: Pipeline): ReadonlySet<UnitKey> | undefined {
  const gates = listOption(options, 'gate');
  const until = listOption(options, 'until');
  refuseIdleNeeds(options, [...gates, ...until]);
  if (gates.length === 0 && until.length === 0) return undefined;
  const graph = unitsOf(pipeline);
  const asked = keysNamed(graph, gates, '--gate: ');
  const last = keysNamed(graph, until, '--until: ');
  const above = [...(options['with-needs'] ? asked : []), ...last].flatMap((key) => ancestorsOf(graph, key));
  return new Set([...asked, ...last, ...above]);
}

function keysNamed(graph: UnitGraph, names: readonly string[], where: string): UnitKey[] {
  return unitsNamed(graph, names, where).map(({ key }) => key);
}

/** Rejects `--with-needs` if it has no effect or contradicts another option. */
function refuseIdleNeeds(options: OptionValues, gates: readonly string[]): void {
  if (!options['with-needs']) return;
  const why = gates.length === 0 ? 'without --gate, every gate runs' : 'with --stand-in, needed gates are not run';
  if (gates.length > 0 && !options['stand-in']) return;
  throw new GatelineError('OPTION_CONFLICT', `--with-needs does nothing here: ${why}`);
}
