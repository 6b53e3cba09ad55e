import { createHash } from 'node:crypto';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import type { Ports } from '../../src/engine/ports.ts';
import { createPipeline, type GateSketch } from '../support/pipelines.ts';
import type { Answer, Behavior } from './memory-agents.ts';
import { Random } from './random.ts';
import { Simulation, type CallReport } from './simulation.ts';

/** What random pipelines contain, and how often calls are disturbed: probabilities, by gate or by call. */
export interface ScenarioOptions {
  readonly careful: boolean;
  readonly editRate: number;
  readonly dieRate: number;
  readonly reviews: number;
  /** Gates that change files which they do not declare. */
  readonly messy: number;
}

export const CAREFUL: ScenarioOptions = { careful: true, editRate: 0.08, dieRate: 0.35, reviews: 0.15, messy: 0 };

const PATHS = ['a', 'b', 'c', 'd', 'x', 'y', 'z'];

type EditKind = 'set' | 'increment' | 'delete';

/** A gate, and what its agent does. */
interface RandomGate {
  readonly id: string;
  version: number;
  readonly needs: readonly string[];
  readonly inputs: readonly string[] | undefined;
  readonly files: 'changed' | readonly string[] | undefined;
  readonly edits: readonly { readonly path: string; readonly kind: EditKind }[];
  readonly mess: { readonly path: string; readonly kind: EditKind } | undefined;
  readonly goto: string | undefined;
  readonly isScored: boolean;
  /** So many attempts fail. */
  failures: number;
}

function createGates(random: Random, options: ScenarioOptions): RandomGate[] {
  const gates: RandomGate[] = [];
  for (let index = 0, count = 3 + random.int(6); index < count; index += 1) {
    const ids = gates.map(({ id }) => id);
    const needs = random.some(ids, 1.6 / (index + 1));
    const inputs = random.chance(0.45) ? undefined : random.chance(0.1) ? [] : random.some(PATHS, 0.35);
    const isEditor = random.chance(0.42);
    const declared = random.some(PATHS, 0.3);
    const files = !isEditor
      ? undefined
      : random.chance(0.15)
        ? 'changed'
        : declared.length > 0
          ? declared
          : [random.pick(PATHS)];
    const edited = files === undefined ? [] : (files === 'changed' ? declared : files).slice(0, 3);
    const edits = edited.map((path) => ({ path, kind: randomKind(random) }));
    const targets = gates.filter((gate) => gate.files !== undefined);
    const isReview = !isEditor && targets.length > 0 && random.chance(options.reviews);
    const goto = isReview ? random.pick(targets).id : undefined;
    const mess =
      !isEditor && random.chance(options.messy) ? { path: random.pick(PATHS), kind: randomKind(random) } : undefined;
    gates.push({
      id: `g${index}`,
      version: 0,
      needs: ids.filter((id) => needs.includes(id) || id === goto),
      inputs,
      files,
      edits,
      mess,
      goto,
      isScored: random.chance(0.5),
      failures: random.chance(0.12) ? 1 + random.int(2) : 0,
    });
  }
  return gates;
}

function randomKind(random: Random): EditKind {
  return random.chance(0.65) ? 'set' : random.chance(0.5) ? 'increment' : 'delete';
}

function toPipeline(gates: readonly RandomGate[]): Pipeline {
  return createPipeline(
    gates.map(({ id, version, needs, inputs, files, goto, isScored }): GateSketch => {
      const gate = { id, needs, inputs, files, run: `agent ${id} ${version}` };
      if (goto === undefined) return gate;
      const contract = isScored ? { score: '/score' } : { checks: ['output.ok == true'] };
      return { ...gate, onFail: { goto, maxIterations: 3 }, contract };
    }),
  );
}

/** An agent that reads its inputs in steps and writes what they, its needs and the notes determine. */
function behaviorOf(gate: RandomGate, random: Random): Behavior {
  return async (agent): Promise<Answer> => {
    for (const path of gate.inputs ?? PATHS) {
      if (random.chance(0.5)) await agent.tick();
      agent.read(path);
    }
    await agent.tick();
    const seen = [...agent.reads].filter(
      ([path]) => gate.files !== 'changed' && !gate.files?.includes(path) && path !== gate.mess?.path,
    );
    const seed = JSON.stringify([agent.unit, gate.version, agent.needs, agent.notes, seen]);
    const hash = createHash('sha1').update(seed).digest().readUInt32BE(0);
    for (const { path, kind } of gate.edits) {
      await agent.tick();
      const present = Number(agent.read(path) ?? 0);
      if (kind === 'increment') agent.write(path, String((present + 1) % 3));
      else if (kind === 'delete') agent.write(path, hash % 2 ? null : '1');
      else agent.write(path, String((hash + PATHS.indexOf(path)) % 3));
      if (gate.failures > 0 && random.chance(0.5)) break;
    }
    if (gate.mess)
      agent.write(
        gate.mess.path,
        String(gate.mess.kind === 'set' ? hash % 3 : (Number(agent.read(gate.mess.path) ?? 0) + 1) % 3),
      );
    await agent.tick();
    if (gate.failures > 0) {
      gate.failures -= 1;
      return random.chance(0.5) ? { exitCode: 1 } : {};
    }
    return { output: { ok: hash % 3 !== 0, score: hash % 3 === 0 ? 50 : 100, v: hash % 5 } };
  };
}

/** One random pipeline with random edits, decisions and kills; at the end the user keeps still. */
export async function runScenario(
  seed: number,
  options: ScenarioOptions,
  breakPorts?: (ports: Ports) => Ports,
): Promise<Simulation> {
  const random = new Random(seed * 7919 + 13);
  const gates = createGates(random, options);
  const simulation = new Simulation(seed, {
    paths: PATHS,
    careful: options.careful,
    behaviorOf: (unit) =>
      behaviorOf(
        gates.find(({ id }) => id === unit.split('/')[0])!,
        simulation.random,
      ),
    breakPorts,
  });
  for (const path of PATHS) if (random.chance(0.7)) simulation.folder.files.set(path, String(random.int(3)));
  for (let calls = 3 + random.int(4); calls > 0; calls -= 1) {
    if (random.chance(0.75)) for (let edits = random.int(3); edits >= 0; edits -= 1) simulation.edit();
    if (random.chance(0.1)) random.pick(gates).version = random.int(2);
    await simulation.call(toPipeline(gates), {
      editRate: random.chance(0.4) ? options.editRate : 0,
      diesAt: random.chance(options.dieRate) ? 1 + random.int(150) : Infinity,
      maxParallel: 1 + random.int(3),
    });
  }
  await settle(simulation, gates);
  return simulation;
}

/** The user keeps still: after some calls nothing is left to do, and a further call does nothing. */
async function settle(simulation: Simulation, gates: readonly RandomGate[]): Promise<void> {
  const { oracle } = simulation;
  const isMessy = gates.some(({ mess }) => mess !== undefined);
  let report: CallReport | undefined;
  for (let calls = 0; calls < 8; calls += 1) {
    report = await simulation.call(toPipeline(gates));
    if (report!.result.status === 'completed' || report!.result.status === 'nothing') break;
  }
  const { result, ran } = report!;
  const failed = [...result.outcomes].filter(([, outcome]) => outcome.result === 'failed').map(([unit]) => unit);
  if (result.status === 'failed') {
    oracle.tally('ends failed');
    if (ran.some((unit) => !failed.includes(unit)) && !isMessy)
      oracle.fault('c: does not settle while failing', ran, failed);
    return;
  }
  oracle.tally(`ends ${result.status}`);
  oracle.checkProduct();
  const again = await simulation.call(toPipeline(gates));
  if (again!.writes === 0 && again!.ran.length === 0 && again!.result.status === 'nothing') return;
  if (isMessy) oracle.tally('does not settle: a gate changes files that it does not declare');
  else oracle.fault('c: does not settle', again!.ran, again!.put, again!.writes, again!.result.status);
}
