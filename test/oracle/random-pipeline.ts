import { createHash } from 'node:crypto';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { createLegs, createPipeline, type GateSketch } from '../support/pipelines.ts';
import type { Answer, Behavior } from './memory-agents.ts';
import type { FolderKind } from './git/git-folder.ts';
import type { Random } from './random.ts';

export const PATHS = ['a', 'b', 'c', 'd', 'x', 'y', 'z'];

/** What a random pipeline may have. */
export interface Features {
  readonly reviews: boolean;
  /** Gates that a person must approve, or whose output may be below its threshold. */
  readonly approvals: boolean;
  readonly conditions: boolean;
  readonly legs: boolean;
  /** Legs that the output of an earlier gate lists. */
  readonly data: boolean;
  readonly groups: boolean;
  /** Gates whose agents work by themselves, between `begin` and `complete`. */
  readonly alone: boolean;
  /** Gates that change files which they do not declare. */
  readonly mess: boolean;
}

interface Edit {
  readonly path: string;
  readonly kind: 'set' | 'increment' | 'delete';
}

/** A gate, and what its agent does. */
export interface RandomGate {
  readonly sketch: GateSketch;
  readonly edits: readonly Edit[];
  readonly mess: Edit | undefined;
  readonly isAlone: boolean;
  /** The command that it has now: a part of its definition. */
  version: number;
  /** So many attempts fail. */
  failures: number;
}

export function createGates(random: Random, features: Features): RandomGate[] {
  const gates: RandomGate[] = [];
  for (let index = 0, count = 3 + random.int(6); index < count; index += 1) {
    const ids = gates.map(({ sketch }) => sketch.id);
    const needed = random.some(ids, 1.6 / (index + 1));
    const inputs = random.chance(0.45) ? undefined : random.chance(0.1) ? [] : random.some(PATHS, 0.35);
    const declared = random.some(PATHS, 0.3);
    if (declared.length === 0) declared.push(random.pick(PATHS));
    const files = random.chance(0.58) ? undefined : random.chance(0.15) ? 'changed' : declared;
    const editors = gates.filter(({ sketch }) => sketch.files !== undefined).map(({ sketch }) => sketch.id);
    const isReview = features.reviews && files === undefined && editors.length > 0 && random.chance(0.15);
    const goto = isReview ? random.pick(editors) : undefined;
    const matrix = randomMatrix(random, features, gates);
    const source = matrix && 'from' in matrix ? matrix.from.gate : undefined;
    const needs = ids.filter((id) => needed.includes(id) || id === goto || id === source);
    const hasCondition =
      features.conditions && !features.alone && needs.length > 0 && !gates[ids.indexOf(needs[0]!)]!.sketch.matrix;
    gates.push({
      sketch: {
        id: `g${index}`,
        needs,
        inputs,
        files,
        retries: random.chance(0.2) ? 1 : 0,
        ...randomContract(random, features, goto),
        ...(hasCondition && random.chance(0.3) && { if: `needs.${needs[0]}.score == 100` }),
        matrix,
      },
      edits: files === undefined ? [] : declared.slice(0, 3).map((path) => randomEdit(random, path)),
      mess:
        features.mess && files === undefined && random.chance(0.3) ? randomEdit(random, random.pick(PATHS)) : undefined,
      isAlone: features.alone && random.chance(0.3),
      version: 0,
      failures: random.chance(0.12) ? 1 + random.int(2) : 0,
    });
  }
  return gates;
}

/** Legs, from data if there is an earlier gate that is one unit. */
function randomMatrix(random: Random, { legs, data }: Features, gates: readonly RandomGate[]): GateSketch['matrix'] {
  const sources = data ? gates.filter(({ sketch }) => sketch.matrix === undefined) : [];
  const hasData = sources.length > 0 && random.chance(0.4);
  if (!hasData && !(legs && random.chance(0.3))) return undefined;
  const limits = { maxParallel: 2, failFast: random.chance(0.5) };
  if (!hasData) return { legs: createLegs('p', 'q'), ...limits };
  return { from: { gate: random.pick(sources).sketch.id, pointer: '/legs', variable: '' }, ...limits };
}

function randomEdit(random: Random, path: string): Edit {
  return { path, kind: random.chance(0.65) ? 'set' : random.chance(0.5) ? 'increment' : 'delete' };
}

function randomContract(random: Random, { approvals }: Features, goto: string | undefined): Partial<GateSketch> {
  const contract = random.chance(0.5) ? { score: '/score' } : { checks: ['output.ok == true'] };
  if (goto !== undefined) return { onFail: { goto, maxIterations: 3 }, contract };
  if (!approvals || random.chance(0.5)) return {};
  if (random.chance(0.3)) return { approval: 'required' };
  return { contract: { score: '/score', partial: random.chance(0.5) ? 'pause' : 'continue' } };
}

/** A folder that git sees in one of its ways. What it ignores must be stored for a gate that makes it, or made by none. */
export function randomFolder(gates: readonly RandomGate[], random: Random): FolderKind {
  const ignored = random.pick(PATHS);
  const names = (globs: 'changed' | readonly string[] | undefined) => globs !== 'changed' && globs?.includes(ignored);
  const isStored = gates.some(({ sketch }) => names(sketch.files));
  const isMade = gates.some(({ edits, mess }) => [...edits, mess].some((edit) => edit?.path === ignored));
  const isKnown = isStored || (!isMade && gates.some(({ sketch }) => names(sketch.inputs)));
  const repository = random.pick(['none', 'here', 'here', 'above'] as const);
  return {
    repository,
    autocrlf: repository !== 'none' && random.chance(0.3),
    ...(isKnown && random.chance(0.5) && { ignored }),
  };
}

/** The pipeline with today's definitions. */
export function toPipeline(gates: readonly RandomGate[], groups: Pipeline['groups']): Pipeline {
  const sketches = gates.map(({ sketch, version, isAlone }) => {
    return { ...sketch, run: isAlone ? undefined : `agent ${sketch.id} ${version}` };
  });
  return createPipeline(sketches, { groups });
}

/** Lists of legs: an empty one, and parts of each other. */
const LISTS = [['p', 'q'], ['p'], [], ['q', 'r', 'p'], ['r']];

/** Keys in the order of a stored value. */
export function outputOf(ok: boolean, v: number) {
  return { legs: LISTS[v]!, ok, score: ok ? 100 : 50, v };
}

/** An agent that reads its inputs in steps, and writes what they, its needs and the notes determine. */
export function behaviorOf(gate: RandomGate, random: Random, hasModes: boolean): Behavior {
  const { files, inputs } = gate.sketch;
  return async (agent): Promise<Answer> => {
    for (const path of inputs ?? PATHS) {
      if (random.chance(0.5)) await agent.tick();
      agent.read(path);
    }
    await agent.tick();
    const isOwn = (path: string) => files === 'changed' || files?.includes(path) || path === gate.mess?.path;
    const seen = [...agent.reads].filter(([path]) => !isOwn(path));
    const seed = JSON.stringify([agent.unit, gate.version, agent.needs, agent.note, seen]);
    const hash = createHash('sha1').update(seed).digest().readUInt32BE(0);
    for (const { path, kind } of [...gate.edits, ...(gate.mess ? [gate.mess] : [])]) {
      await agent.tick();
      const next = String((Number(agent.read(path)?.replace(/\D/g, '') ?? 0) + 1) % 3);
      const mode = hasModes ? ['', '', 'x', '@'][(hash >>> 8) % 4] : '';
      const content = mode + String((hash + PATHS.indexOf(path)) % 3);
      await agent.write(path, kind === 'increment' ? next : kind === 'set' ? content : hash % 2 ? null : '1');
      if (gate.failures > 0 && random.chance(0.5)) break;
    }
    await agent.tick();
    if (gate.failures > 0) {
      gate.failures -= 1;
      return random.chance(0.5) ? { exitCode: 1 } : {};
    }
    return { output: outputOf(hash % 3 !== 0, hash % 5) };
  };
}
