import { digestOf, digestOfJson, type Digest } from '../../json/digest.ts';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import type { Gate, UnitKey } from '../../pipeline/pipeline.ts';
import type { FileVersion } from '../../run/files.ts';
import type { Request } from '../../run/request.ts';
import type { Rework } from '../../run/state.ts';
import type { Unit } from '../../run/units.ts';
import { NOT_APPLICABLE } from '../../verdict/verdict.ts';
import type { Snapshot } from '../../workspace/workspace.ts';
import { namedFiles, type Call } from '../call.ts';
import { digestDocuments } from '../attempt/memory.ts';
import type { UnitOutput } from '../ports.ts';

/** The outputs of a unit's needs, by unit. */
export type Needs = ReadonlyMap<UnitKey, UnitOutput>;

/** A unit with the request that its agent would get. */
export interface Work {
  readonly unit: Unit;
  readonly needs: Needs;
  readonly snapshot: Snapshot;
  readonly request: Request;
  readonly fingerprint: Digest;
  /** The rework that it answers. */
  readonly rework?: Rework;
}

/** The request of a unit by a snapshot. */
export async function buildRequest(
  call: Call,
  unit: Unit,
  snapshot: Snapshot,
  needs: Needs,
  rework?: Rework,
): Promise<Request> {
  const { order, ports } = call;
  const { gate, leg } = unit;
  const request: Request = {
    format: 'gateline-request/3',
    pipeline: order.pipeline.id,
    gate: gate.id,
    leg: leg.id,
    matrix: leg.matrix,
    ...(order.isSubjectGiven && { subject: order.subject }),
    ...(order.task !== undefined && { task: order.task }),
    metadata: order.metadata,
    input: order.input,
    definition: definitionOf(call, gate),
    inputs: await inputsOf(call, gate, snapshot),
    handedOn: await digestHandedOn(call, snapshot, needs),
    needs: Object.fromEntries([...needs].map(([key, { exports }]) => [key, exports?.digest ?? null])),
    memory: await digestDocuments(call, gate),
    secrets: gate.secrets,
    tools: await toolVersions(call, gate),
    platform: ports.platform,
    ...(rework && { rework: reworkOf(rework) }),
  };
  return order.redactor.json(request as unknown as JsonValue).value as unknown as Request;
}

export function fingerprintOf(request: Request): Digest {
  return digestOfJson(request as unknown as JsonValue);
}

/** Paths that the needs of a unit hand on to it. */
export function handedOnTo(needs: Needs): readonly string[] {
  let paths = PATHS.get(needs);
  if (paths === undefined) {
    paths = [...new Set([...needs.values()].flatMap(({ handedOn }) => handedOn))].sort();
    PATHS.set(needs, paths);
  }
  return paths;
}

/** The output of a gate that does not apply or has no legs: it hands on what its needs hand on. */
export function emptyOutput(needs: Needs): UnitOutput {
  return { verdict: NOT_APPLICABLE, handedOn: handedOnTo(needs) };
}

/** Cache: in a large pipeline thousands of files are handed on to each unit. */
const PATHS = new WeakMap<Needs, readonly string[]>();

/** Files that the needs of a unit hand on to it, with their versions in a snapshot; `null`: it is not there. */
export async function versionsHandedOn(
  { ports: { workspace } }: Call,
  snapshot: Snapshot,
  needs: Needs,
): Promise<[path: string, version: FileVersion | null][]> {
  const paths = handedOnTo(needs);
  if (paths.length === 0) return [];
  const files = await workspace.listFiles(snapshot);
  return paths.map((path) => [path, files.get(path) ?? null]);
}

async function digestHandedOn(call: Call, snapshot: Snapshot, needs: Needs): Promise<string> {
  const files = await versionsHandedOn(call, snapshot, needs);
  let text = '';
  // Neither paths nor versions contain NUL.
  for (const [path, version] of files) text += `${path}\0${version ?? ''}\0`;
  return text === '' ? '' : digestOf(text);
}

/** The needs of a unit as far as its request and its entry name them. */
export function needsOfRequest({ needs }: Request, handedOn: readonly string[] = []): Needs {
  const outputs = Object.entries(needs).map(([key, digest]): [UnitKey, UnitOutput] => [
    key,
    { verdict: NOT_APPLICABLE, handedOn, ...(digest && { exports: { digest, bytes: 0 } }) },
  ]);
  return new Map(outputs);
}

function definitionOf({ ports }: Call, gate: Gate): JsonObject {
  const env = Object.entries(gate.env).map(([name, value]) => [name, value ?? ports.environment[name] ?? null]);
  const { uses, run, shell, workingDirectory, files } = gate;
  const command: JsonObject = uses
    ? { action: uses.action, actionWith: uses.with, local: uses.local ?? null }
    : { run: run ?? null, shell, workingDirectory };
  // Other globs mean that the entry of an earlier output does not list the same files.
  const globs: JsonValue = files === undefined || files === 'changed' ? (files ?? null) : [...files];
  const { repeat } = gate;
  const values = { files: globs, with: gate.with, env: Object.fromEntries(env) as JsonObject };
  return { ...command, ...values, ...(repeat && { repeat: { ...repeat } }) };
}

async function inputsOf(call: Call, gate: Gate, snapshot: Snapshot): Promise<Request['inputs']> {
  const globs = gate.inputs ?? null;
  const named = namedFiles(gate.with);
  const { workspace } = call.ports;
  const digests = [
    globs?.length === 0
      ? ''
      : await workspace.digestFiles(snapshot, globs, globs === null ? [...call.definitionFiles] : []),
    named.length === 0 ? '' : await workspace.digestFiles(snapshot, named, []),
  ];
  return { globs, digest: digests.join(' ').trim() };
}

async function toolVersions({ ports }: Call, gate: Gate): Promise<Record<string, string>> {
  const versions = Object.entries(gate.tools).map(async ([name, command]) => [name, await ports.toolVersion(command)]);
  return Object.fromEntries((await Promise.all(versions)) as [string, string][]);
}

function reworkOf({ causes }: Rework): NonNullable<Request['rework']> {
  return Object.fromEntries(causes.map(({ unit, output, verdict }) => [unit, { output: output.digest, verdict }]));
}
