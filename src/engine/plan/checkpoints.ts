import type { JsonValue } from '../../json/json.ts';
import type { Digest } from '../../json/digest.ts';
import type { Gate, UnitKey } from '../../pipeline/pipeline.ts';
import { isSameAttempt, type EndedEntry } from '../../run/entry.ts';
import type { Checkpoint } from '../../run/checkpoint.ts';
import { adjustFiles, applyReverts, type FileChange } from '../../run/files.ts';
import { approvalKey, attemptKey, isRemembered, type Rework } from '../../run/state.ts';
import { rejectionText } from '../../run/unit-state.ts';
import type { Unit } from '../../run/units.ts';
import { judge } from '../../verdict/judge.ts';
import type { PathMatcher } from '../../workspace/globs.ts';
import type { Snapshot } from '../../workspace/workspace.ts';
import { evaluateGateCondition } from '../condition.ts';
import { exportsOf, readValue } from '../values.ts';
import type { Call } from '../call.ts';
import type { UnitOutput } from '../ports.ts';
import { buildRequest, emptyOutput, fingerprintOf, handedOnTo, type Needs } from './request.ts';

/** The checkpoint of a request, or why it cannot be used. */
export type Lookup = { readonly checkpoint: Checkpoint } | { readonly reason?: string };

/** Finds the checkpoint of a request, judged by today's contract. */
export async function lookUp(call: Call, unit: Unit, fingerprint: Digest): Promise<Lookup> {
  const { state, ports } = call;
  const { gate } = unit;
  const remembered = await ports.checkpoints.find(fingerprint);
  if (remembered === undefined) return {};
  const checkpoint = { ...remembered, files: applyReverts(remembered.files, state.reverts.values()) };
  const name = attemptKey(checkpoint.attempt);
  // A kill came before the entry of this decision, so an agent got its attempt number: the checkpoint is void.
  if (checkpoint.how !== 'ran' && state.agentEnds.has(name)) return {};
  const rejection = state.rejections.get(name);
  if (rejection) return { reason: rejectionText(rejection) };
  const age = ports.clock.now().getTime() - Date.parse(checkpoint.startedAt);
  if (gate.maxAge !== undefined && age > gate.maxAge) return { reason: 'the output is older than max-age' };
  if (checkpoint.how === 'skipped') return { checkpoint };
  const { output } = checkpoint;
  const value = output && (await readValue(call, output.digest));
  if (!output || value === undefined) return { reason: 'the stored output is missing or damaged' };
  const { digest, contract } = call.contracts.of(gate);
  let judged = checkpoint;
  // Of attempts that are judged together, only one output is stored.
  if (checkpoint.contract !== digest && gate.repeat && checkpoint.how === 'ran')
    return { reason: 'its contract changed, which judges several attempts together' };
  if (checkpoint.contract !== digest) {
    const verdict = await judge(await call.contracts.compile(gate), value, judgeContexts(call));
    judged = {
      ...checkpoint,
      verdict,
      contract: digest,
      exports: await exportsOf(call, value, contract.exports, output),
    };
  }
  if (isRemembered(judged.verdict, gate)) return { checkpoint: judged };
  return {
    reason: `the output does not meet today's contract: ${judged.verdict.issues[0]?.message ?? judged.verdict.kind}`,
  };
}

/** What `checks` can name beside the output. */
export function judgeContexts({ order }: Call): { subject: JsonValue; metadata: JsonValue } {
  return { subject: order.isSubjectGiven ? order.subject : null, metadata: order.metadata };
}

/** The checkpoint of an attempt that ended. */
export function checkpointOf(
  entry: Pick<EndedEntry, 'output' | 'exports' | 'verdict' | 'contract' | 'files' | 'fingerprint' | 'ms' | 'metrics'>,
  { attempt, how, startedAt }: Pick<Checkpoint, 'attempt' | 'how' | 'startedAt'>,
): Checkpoint {
  const { output, exports, verdict, contract, files, fingerprint, ms, metrics } = entry;
  const cost = metrics?.costUsd === undefined ? {} : { costUsd: metrics.costUsd };
  return { v: 1, attempt, how, startedAt, output, exports, verdict, contract, files, fingerprint, ms, ...cost };
}

export function isApproved({ state }: Call, { fingerprint, output }: Checkpoint): boolean {
  return output !== undefined && state.approvals.has(approvalKey(fingerprint, output.digest));
}

/** The outputs of a gate's needs: those of this call, else those that hold for a snapshot. */
async function needsAt(call: Call, gate: Gate, snapshot: Snapshot, memo: Memo): Promise<Needs | undefined> {
  const needs = new Map<UnitKey, UnitOutput>();
  for (const id of gate.needs) {
    const units = call.graph.unitsOf(id);
    if (units === undefined) return undefined;
    for (const need of units) {
      const output = call.outcomes.get(need.key) ?? (await outputAt(call, need, snapshot, memo));
      if (output === undefined) return undefined;
      needs.set(need.key, output);
    }
    if (units.length > 0) continue;
    const itsNeeds = await needsAt(call, call.graph.gate(id)!, snapshot, memo);
    if (itsNeeds === undefined) return undefined;
    needs.set(id, emptyOutput(itsNeeds));
  }
  return needs;
}

type Memo = Map<UnitKey, UnitOutput | undefined>;

/** The output of a unit that holds for a snapshot; undefined: its agent would have to run. */
async function outputAt(call: Call, unit: Unit, snapshot: Snapshot, memo: Memo): Promise<UnitOutput | undefined> {
  if (!memo.has(unit.key)) memo.set(unit.key, await findOutputAt(call, unit, snapshot, memo));
  return memo.get(unit.key);
}

async function findOutputAt(call: Call, unit: Unit, snapshot: Snapshot, memo: Memo): Promise<UnitOutput | undefined> {
  const needs = await needsAt(call, unit.gate, snapshot, memo);
  if (needs === undefined) return undefined;
  const condition = await evaluateGateCondition(call, unit, needs);
  const outcome = call.outcomes.get(unit.key);
  // It has an output in this call, and a person has rejected that of a need since.
  if (!condition.result) return outcome?.checkpoint ? undefined : condition.output;
  const lookup = await lookUp(call, unit, fingerprintOf(await buildRequest(call, unit, snapshot, needs)));
  if (!('checkpoint' in lookup)) return undefined;
  const { checkpoint } = lookup;
  if (outcome !== undefined && !isSameAttempt(outcome.checkpoint?.attempt, checkpoint.attempt)) return undefined;
  return unitOutputOf(checkpoint, needs);
}

export function unitOutputOf(checkpoint: Checkpoint, needs: Needs): UnitOutput {
  const handedOn = [...new Set([...Object.keys(checkpoint.files), ...handedOnTo(needs)])].sort();
  return { checkpoint, verdict: checkpoint.verdict, exports: checkpoint.exports, handedOn };
}

/** How a unit changed the folder. */
export interface FolderEffect {
  readonly unit: Unit;
  readonly before: Snapshot;
  readonly changes: readonly FileChange[];
  /** The folder with these changes; absent: other files changed meanwhile. */
  readonly after?: Snapshot;
  /** The output of the unit, if it is remembered. */
  readonly output?: { readonly checkpoint: Checkpoint; readonly needs: Needs; readonly rework?: Rework };
}

/**
 * Remembers outputs for the files as a unit left them. These are the outputs that were up to date just
 * before, of units that do not need it, and its own output, also for the request without the notes of a review.
 */
export async function extendCheckpoints(
  call: Call,
  { unit: author, before, changes, after, output: newOutput }: FolderEffect,
): Promise<void> {
  if (changes.length === 0 && newOutput?.rework === undefined) return;
  const { workspace, checkpoints } = call.ports;
  const changed = after ?? (await workspace.applyTo(before, changes));
  const memo: Memo = new Map();
  // Outputs whose files these changes adjust: units that need them get the adjusted files.
  const adjusted = new Map<UnitKey, UnitOutput>();
  const adjustNeeds = (needs: Needs): Needs =>
    new Map([...needs].map(([key, output]) => [key, { ...output, handedOn: (adjusted.get(key) ?? output).handedOn }]));
  for (const gate of affectedGates(call, changes)) {
    if (call.graph.ancestors(gate.id).has(author.gate.id)) continue;
    const needs = await needsAt(call, gate, before, memo);
    if (needs === undefined) continue;
    const needsNow = adjustNeeds(needs);
    const units = call.graph.unitsOf(gate.id) ?? [];
    if (units.length === 0) adjusted.set(gate.id, emptyOutput(needsNow));
    const reads = call.inputMatcher(gate, handedOnTo(needs));
    for (const unit of units) {
      const output = unit.key === author.key ? undefined : await outputAt(call, unit, before, memo);
      if (output === undefined) continue;
      if (!output.checkpoint) {
        adjusted.set(unit.key, { ...output, handedOn: handedOnTo(needsNow) });
        continue;
      }
      const { files } = output.checkpoint;
      if (!changes.some(({ path }) => reads(path) || Object.hasOwn(files, path))) continue;
      const checkpoint = { ...output.checkpoint, files: adjustFiles(files, changes) };
      await checkpoints.save(fingerprintOf(await buildRequest(call, unit, changed, needsNow)), checkpoint);
      adjusted.set(unit.key, unitOutputOf(checkpoint, needsNow));
    }
  }
  for (const [key, output] of adjusted) {
    const outcome = call.outcomes.get(key);
    if (outcome) call.outcomes.set(key, { ...outcome, checkpoint: output.checkpoint, handedOn: output.handedOn });
  }
  if (newOutput === undefined) return;
  const request = await buildRequest(call, author, changed, adjustNeeds(newOutput.needs));
  await checkpoints.save(fingerprintOf(request), newOutput.checkpoint);
}

/** Gates that read or make one of these paths, or need a gate that makes it; each after those that it needs. */
function affectedGates(call: Call, changes: readonly FileChange[]): Gate[] {
  const { graph, state } = call;
  const matchesAny = (matches: PathMatcher) => changes.some(({ path }) => matches(path));
  const isMaker = (unit: Unit) => {
    const files = state.files.get(unit.key) ?? {};
    return matchesAny(call.fileMatcher(unit)) || matchesAny((path) => Object.hasOwn(files, path));
  };
  const made = new Set(graph.units.filter(isMaker).map(({ gate }) => gate.id));
  return graph.gatesByNeeds.filter((gate) => {
    if (gate.needs.some((need) => made.has(need))) made.add(gate.id);
    return made.has(gate.id) || matchesAny(call.inputMatcher(gate, []));
  });
}
