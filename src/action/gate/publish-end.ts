import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Outcome } from '../../engine/call.ts';
import { GatelineError } from '../../errors.ts';
import type { Digest } from '../../json/digest.ts';
import type { JsonValue } from '../../json/json.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { EntityChange } from '../../run/entity/change.ts';
import type { EntityEntry } from '../../run/entity/entity-log.ts';
import { attemptOf, type EndedEntry, type Entry } from '../../run/entry.ts';
import { totalOf } from '../../run/figures.ts';
import type { GateFiles } from '../../run/files.ts';
import { publishAttempt } from '../../store/github/attempts.ts';
import { savePointer } from '../../store/github/pointer.ts';
import { type AttemptDocument, type DocumentReference, type HandedFile } from '../../store/github/document.ts';
import { findHandOnProblems } from '../../workspace/hand-on.ts';
import type { Artifacts } from '../../store/github/artifacts.ts';
import { mirrorJob, type OpenJob } from './gate-job.ts';
import { reportGate, reportLoss } from './gate-report.ts';
import type { OpenGate } from './open-gate.ts';

/** Creates the document of the end of a unit. @throws GatelineError `bug` if it has not ended */
async function createDocument(gate: OpenGate, result: Outcome['result']): Promise<AttemptDocument> {
  const { gateJob, ports, checkpoints, entities, log, order, unit } = gate;
  const { document: earlier, reference, decision } = checkpoints.earlier ?? {};
  const source = earlier && reference && { runId: earlier.job.runId, ...reference };
  const entries = await log.read();
  const ends = endsOf(entries, unit.key);
  const entry = ends.at(-1);
  if (entry === undefined) throw new GatelineError('bug', `${unit.key} has not ended`);
  const started = entries.findLast(
    (other) => other.kind === 'started' && other.n === entry.n && other.unit === unit.key,
  );
  const decided = entries.findLast(
    (other) => other.kind === 'decided' && 'unit' in other && other.unit === unit.key && other.decision !== 'reject',
  );
  const bytes = entry.output && (await ports.contents.get(entry.output.digest));
  const learnings = entry.learnings && (await ports.contents.get(entry.learnings.digest));
  const others = checkpoints.requestsOf(attemptOf(entry)).filter((request) => request !== entry.fingerprint);
  return {
    format: 'gateline-attempt/1',
    job: gateJob.job,
    startedAt: (entry.how === 'used' ? earlier?.startedAt : started?.at) ?? entry.at,
    entry,
    ...(entry.rework && { otherRequests: others.slice(0, 16) }),
    isRemembered: entry.how === 'used' || isRemembered(gate, entry),
    failedTries: ends.slice(0, -1).slice(-20),
    legs: [...gateJob.legs],
    contract: order.contracts.get(unit.gate.id)!,
    ...(bytes && { output: JSON.parse(Buffer.from(bytes).toString()) as JsonValue }),
    files: handOn(unit.key, await filesToHandOn(gate, entry), gateJob.inherited),
    costOfOutput: (entry.how === 'used' && earlier?.costOfOutput) || totalOf(ends, entry),
    costSoFar: { ...gateJob.costSoFar, [unit.key]: costOf(ends) },
    ...(Object.keys(order.pipeline.entities).length > 0 && {
      effects: effectsOf(await entities.read(), unit.key, entry.how === 'used' ? earlier?.effects : undefined),
    }),
    waits: result === 'waiting' || (result !== 'done' && entry.verdict.status === 'partial'),
    ...(decided?.kind === 'decided' && {
      decision: { entry: decided, ...(decision && source && { source }) },
    }),
    ...(learnings && { learnings: Buffer.from(learnings).toString().slice(0, 65_536) }),
  };
}

/**
 * The files of a unit that later gates get. Its verdict has checked those that it changed. Left out are unchanged files
 * with secrets or links that lead out, which an earlier step may have left, and all files of a failed attempt.
 */
async function filesToHandOn({ folder, order }: OpenGate, { verdict, files }: EndedEntry): Promise<GateFiles> {
  if (verdict.status === 'failed') return {};
  const { redactor, pipeline } = order;
  const isFit = async ([path, { base, after }]: readonly [string, GateFiles[string]]): Promise<boolean> => {
    if (base !== after || after === null) return true;
    const problems = await findHandOnProblems(
      folder.git,
      [{ path, before: null, after }],
      redactor,
      pipeline.allowSecrets,
    );
    return problems.length === 0;
  };
  const entries = Object.entries(files);
  const fit = await Promise.all(entries.map(isFit));
  return Object.fromEntries(entries.filter((_, index) => fit[index]));
}

/** Changes of entities by unit. Those of commands count for this unit. @param used effects of the output that it used */
function effectsOf(entries: readonly EntityEntry[], unit: UnitKey, used: AttemptDocument['effects']) {
  const effects: Record<UnitKey, EntityChange[]> = { [unit]: used?.[unit] ?? [] };
  for (const { by, changes } of entries) {
    const key = 'attempt' in by ? by.attempt.unit : unit;
    effects[key] = [...(effects[key] ?? []), ...changes];
  }
  return effects;
}

/** The ends of a unit in the log of its job: failed tries first. */
export function endsOf(entries: readonly Entry[], unit: UnitKey): readonly EndedEntry[] {
  return entries.filter((entry) => entry.kind === 'ended').filter((entry) => entry.unit === unit);
}

function costOf(ends: readonly EndedEntry[]): { ms: number; costUsd?: number } {
  const costs = ends.flatMap(({ metrics }) => metrics?.costUsd ?? []);
  const ms = ends.reduce((sum, entry) => sum + entry.ms, 0);
  return { ms, ...(costs.length > 0 && { costUsd: costs.reduce((sum, cost) => sum + cost, 0) }) };
}

/** The files that later gates get: those of its needs, replaced by its own. */
export function handOn(unit: string, own: GateFiles, inherited: readonly HandedFile[]): HandedFile[] {
  const files = new Map(inherited.map((file) => [file.path, file]));
  for (const [path, { base, found, after }] of Object.entries(own)) {
    const earlier = files.get(path);
    if (earlier?.after === after) continue;
    // All earlier versions: a fresh checkout has the one from before all gates.
    const others = [...found, base, ...(earlier ? [earlier.base, ...earlier.found, earlier.after] : [])];
    const versions = [...new Set(others)].filter((version) => version !== after);
    files.set(path, { path, unit, base: earlier ? earlier.base : base, found: versions, after });
  }
  return [...files.values()];
}

/** Whether later runs with the same request may find an output that was made now. */
function isRemembered({ gateJob, checkpoints }: OpenJob, entry: EndedEntry): boolean {
  const isMade = (entry.how === 'ran' || entry.how === 'adopted') && entry.verdict.status !== 'failed';
  return gateJob.trust.savesPointers && isMade && checkpoints.isSaved(entry.fingerprint);
}

/**
 * Uploads a document, and saves pointers to it for later runs with the same request.
 * @returns the reference, an output of the step
 */
export async function publishEnd(
  { gateJob, folder }: Pick<OpenJob, 'gateJob' | 'folder'>,
  document: AttemptDocument,
  artifacts: Artifacts,
): Promise<DocumentReference> {
  const bytesOf = async ({ path, after }: HandedFile): Promise<Uint8Array> => {
    const bytes = after === null ? undefined : await folder.git.readVersion(after);
    if (bytes) return bytes;
    throw new GatelineError('failed', `the file ${path} is not there any more`, {
      hint: 'A gate hands on files that are in the folder when its agent ends.',
    });
  };
  let pointers: Promise<unknown> | undefined;
  const remember = (digest: Digest): void => {
    const { entry, otherRequests = [] } = document;
    // A used output has a pointer already.
    const isNew = document.isRemembered && entry.how !== 'used';
    const requests = isNew ? [entry.fingerprint, ...otherRequests] : [];
    pointers = Promise.all(requests.map((request) => savePointer(request, { ...gateJob.job, digest })));
  };
  const reference = await publishAttempt(artifacts, document, bytesOf, gateJob.retentionDays, remember);
  await pointers;
  return reference;
}

/** Publishes and reports the end of a unit. @returns whether the step is green */
export async function endGate(gate: OpenGate, result: Outcome['result']): Promise<boolean> {
  const { services, gateJob } = gate;
  const document = await createDocument(gate, result);
  // For the post step, which uploads it if this step is ended before it could.
  await writeFile(join(gateJob.state, 'end.json'), JSON.stringify(document));
  services.runner.saveState('state', gateJob.state);
  const reference = await publishEnd(gate, document, services.artifacts).catch((error: unknown) => {
    reportLoss(gate, document);
    throw error;
  });
  services.runner.saveState('published', 'true');
  // Tells the post step of `begin`, which does not see the state of `complete`.
  await rename(join(gateJob.state, 'end.json'), join(gateJob.state, 'published.json'));
  await mirrorJob(gate);
  await reportGate(gate, { document, reference, result });
  return result === 'done';
}
