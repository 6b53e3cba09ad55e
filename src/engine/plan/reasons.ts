import { placeText } from '../../errors.ts';
import type { Gate } from '../../pipeline/pipeline.ts';
import { canonicalJson } from '../../json/canonical-json.ts';
import { isJsonObject, type JsonValue } from '../../json/json.ts';
import { attemptOf, type DecidedEntry, type StartedEntry } from '../../run/entry.ts';
import type { FileVersion } from '../../run/files.ts';
import type { Request } from '../../run/request.ts';
import { attemptKey } from '../../run/state.ts';
import { rejectionText } from '../../run/unit-state.ts';
import { listNames } from '../../verdict/texts.ts';
import { snapshotFrom } from '../../workspace/workspace.ts';
import type { Call } from '../call.ts';
import { handedOnTo, type Work } from './request.ts';
import { readValue } from '../values.ts';

/** Why a unit runs, and how to avoid that next time. */
export interface Explanation {
  readonly reason: string;
  readonly hint?: string;
}

/** Explains what differs from the newest attempt of the unit. @param lookup why its checkpoint cannot be used */
export async function explainRun(call: Call, work: Work, lookup: string | undefined): Promise<Explanation> {
  const { reason, hint } = await findReason(call, work, lookup);
  const { redactor } = call.order;
  // Paths may hold secrets.
  return { reason: redactor.text(reason), hint: hint && redactor.text(hint) };
}

async function findReason(call: Call, work: Work, lookup: string | undefined): Promise<Explanation> {
  const { unit, fingerprint } = work;
  if (lookup !== undefined) return { reason: lookup };
  if (work.rework) return { reason: work.rework.reason };
  const start = call.state.newestStart.get(unit.key);
  const end = call.state.newestEnd.get(unit.key);
  // A job knows no earlier run but by the outputs that it finds.
  const isJob = call.order.run !== undefined;
  if (start === undefined) return { reason: isJob ? 'it has no output for these inputs' : 'it has no output yet' };
  const rejection = findRejection(call, work, start);
  if (rejection) return { reason: rejectionText(rejection) };
  if (start.fingerprint === fingerprint) {
    if (end === undefined || end.at < start.at)
      return {
        reason: unit.gate.repeat ? 'attempts that are judged together are missing' : 'its last attempt did not end',
      };
    if (end.verdict.status === 'failed')
      return { reason: `its last attempt failed: ${end.verdict.issues[0]?.message ?? end.verdict.kind}` };
    if (end.undeclared.length > 0) return undeclaredChange(work, end.undeclared);
    return { reason: 'its output is not remembered any more' };
  }
  const earlier = (await readValue(call, start.fingerprint)) as unknown as Request | undefined;
  if (earlier === undefined) return { reason: 'the request of its last attempt is not stored any more' };
  return (await changedFiles(call, work, start.snapshot, earlier)) ?? { reason: changedRequest(earlier, work.request) };
}

/** The rejection of the output for this request, which may be an older one, else that of the newest output. */
function findRejection({ state }: Call, { unit, fingerprint }: Work, start: StartedEntry): DecidedEntry | undefined {
  const answers = [...state.agentEnds].filter(([, end]) => end.unit === unit.key && end.fingerprint === fingerprint);
  const answer = answers.at(-1)?.[0];
  return (answer && state.rejections.get(answer)) || state.rejections.get(attemptKey(attemptOf(start)));
}

async function changedFiles(
  call: Call,
  work: Work,
  snapshot: string,
  earlier: Request,
): Promise<Explanation | undefined> {
  const { unit, needs, request } = work;
  const isSame = earlier.inputs.digest === request.inputs.digest && isEqual(earlier.handedOn, request.handedOn);
  if (isSame || !isEqual(earlier.inputs.globs, request.inputs.globs)) return undefined;
  const reads = call.inputMatcher(unit.gate, handedOnTo(needs));
  const changes = await call.ports.workspace.diff(snapshotFrom(snapshot), work.snapshot).catch(() => []);
  const read = changes.filter(({ path }) => reads(path));
  // Files that another gate made are named only if nothing else changed: the output holds for them too.
  const others = read.filter(({ path, after }) => !isLeftByGate(call, path, after));
  const paths = (others.length > 0 ? others : read).map(({ path }) => path);
  if (paths.length === 0) return { reason: 'its input files have changed' };
  const undeclared = call.state.newestEnd.get(unit.key)?.undeclared ?? [];
  const byItself = paths.filter((path) => undeclared.includes(path));
  if (byItself.length === paths.length) return undeclaredChange(work, byItself);
  const makers = call.graph.units.filter(
    (other) => other.gate !== unit.gate && paths.some((path) => isFileOf(call, other.key, path)),
  );
  const maker = makers.find((other) => !call.graph.needs(unit, other));
  return {
    reason: `${listNames(paths, 2)} changed since its last attempt`,
    hint:
      maker &&
      `${maker.gate.id} makes ${listNames(paths, 2)}: if ${unit.gate.id} should wait for it, add \`needs: [${[...unit.gate.needs, maker.gate.id].join(', ')}]\` to ${unit.gate.id} at ${placeText(unit.gate.place)}`,
  };
}

/** The unit changed inputs that it does not declare as `files`, so its output does not hold for the folder that it left. */
function undeclaredChange(work: Work, paths: readonly string[]): Explanation {
  return {
    reason: `it changed ${listNames(paths, 2)} itself and does not declare that, so the change counts as yours`,
    hint: `${filesAdvice(work.unit.gate, paths)}, or \`ignore: [${globFor(paths)}]\` at the top if nobody needs them`,
  };
}

function isLeftByGate({ state }: Call, path: string, version: FileVersion | null): boolean {
  return [...state.files.values()].some((files) => Object.hasOwn(files, path) && files[path]!.after === version);
}

function isFileOf(call: Call, key: string, path: string): boolean {
  return Object.hasOwn(call.state.files.get(key) ?? {}, path);
}

/** How to declare these paths as files of a gate. */
export function filesAdvice({ id, files, place }: Gate, paths: readonly string[]): string {
  const globs = globFor(paths);
  // A gate that a step describes has no line in a file.
  if (place.line === undefined) return `add ${globs} to the input \`files\` of its step`;
  const change = files === undefined ? `add \`files: [${globs}]\` to ${id}` : `add ${globs} to \`files\` of ${id}`;
  return `${change} at ${placeText(place)}`;
}

/** Globs for paths: the top folder that all of them share, else up to three of them. */
function globFor(paths: readonly string[]): string {
  const folders = new Set(paths.map((path) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '')));
  const [folder] = folders;
  if (folders.size === 1 && folder) return `'${folder}/**'`;
  return paths
    .slice(0, 3)
    .map((path) => `'${path}'`)
    .join(', ');
}

const PARTS: Readonly<Record<string, string>> = {
  subject: 'the subject changed',
  task: 'the task changed',
  metadata: 'the metadata changed',
  input: "the caller's input changed",
  definition: 'its definition changed',
  inputs: 'its `inputs` changed',
  secrets: 'its list of secrets changed',
  platform: 'it ran on another platform',
  matrix: 'the values of its leg changed',
  memory: 'a memory document changed',
};

/** The first difference of two requests, as a sentence. */
function changedRequest(earlier: Request, request: Request): string {
  const needs = Object.keys(request.needs).filter((key) => earlier.needs[key] !== request.needs[key]);
  if (needs.length > 0) return `the output of ${listNames(needs, 2)} changed`;
  const tools = Object.keys(request.tools).filter((name) => earlier.tools[name] !== request.tools[name]);
  if (tools.length > 0) return `${tools[0]} is now ${request.tools[tools[0]!]}`;
  for (const [part, text] of Object.entries(PARTS)) {
    const before = earlier[part as keyof Request] as JsonValue | undefined;
    const now = request[part as keyof Request] as JsonValue | undefined;
    if (isEqual(before, now)) continue;
    const keys =
      part !== 'inputs' && isJsonObject(before) && isJsonObject(now)
        ? Object.keys({ ...before, ...now }).filter((key) => !isEqual(before[key], now[key]))
        : [];
    return keys.length > 0 ? `${text}: ${keys.slice(0, 3).join(', ')}` : text;
  }
  return earlier.rework && !request.rework ? 'its last attempt answered a review' : 'its request changed';
}

function isEqual(a: unknown, b: unknown): boolean {
  return canonicalJson((a ?? null) as JsonValue) === canonicalJson((b ?? null) as JsonValue);
}
