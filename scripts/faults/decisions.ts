import type { Fault } from './fault.ts';

const STORIES = ['test/engine/decision-histories.test.ts'];

const ON_GITHUB = ['test/action/workflows/decisions.test.ts'];

/** Faults in what people's decisions mean for calls, runs and subjects. */
export const DECISION_FAULTS: readonly Fault[] = [
  {
    name: 'run: a force is applied to attempts after it',
    find: 'if (later < 0 || (later === 0 && decision.rework === undefined)) continue;',
    replace: '',
    tests: STORIES,
    why: 'a gate that was forced once would run in every call',
  },
  {
    name: 'run: reuse: never is overlooked across runs',
    find: "if (unit.gate.reuse === 'never' && isOfAnotherRun(ended, archive, query))",
    replace: "if (unit.gate.reuse === 'never' && ended.runNumber > query.runNumber)",
    tests: STORIES,
    why: 'a gate that must look at the world in each run would not',
  },
  {
    name: 'run: a force is forgotten with its run',
    find: '(!VOIDING.has(decision) || isAnswered(unit, archive, one))',
    replace: 'decision !== undefined',
    tests: STORIES,
    why: 'the next run would take over from another subject what somebody asked to have anew',
  },
  {
    name: 'run: an approval that expired lifts a reject for other subjects',
    find: "if (decision === 'approve' && (expired(one, query.now) || !mayApprove(one, unit.gate.approval))) continue;",
    replace: '',
    tests: STORIES,
    why: 'an output that stands rejected would come back by way of another subject',
  },
  {
    name: 'run: what was approved outweighs what was adopted since',
    find: 'return last?.satisfies === false && last.ended.value!.digest !== best?.ended.value?.digest ? undefined : best;',
    replace: 'return best;',
    tests: STORIES,
    why: 'the output that somebody supplied would not be used',
  },
  {
    name: 'run: a later decision does not end a skip',
    find: "const last = decisions.decided.findLast(({ decision }) => decision !== 'approve');",
    replace: "const last = decisions.decided.findLast(({ decision }) => decision === 'skip');",
    tests: STORIES,
    why: 'a gate that somebody forced, or adopted an output for, would stay skipped',
  },
  {
    name: 'engine: a reject where an output came from is ignored',
    find: "if (ended.how !== 'reused' || ended.source?.subject === undefined || call.holder === 'job') return undefined;",
    replace: 'if (work !== undefined) return undefined;',
    tests: STORIES,
    why: 'an output would live on in other subjects after its own one rejected it',
  },
  {
    name: 'engine: a fork runs nothing again',
    find: 'await voidForked(call);',
    replace: 'new Set<string>();',
    tests: STORIES,
    why: 'a fork from a gate would reuse that gate',
  },
  {
    name: 'engine: a gate waits for the approval of an output that is gone',
    find: 'if (missing !== undefined && !missing.unread) return undefined;',
    replace: 'if (missing === null) return undefined;',
    tests: STORIES,
    why: 'somebody would approve what nobody can read',
  },
  {
    name: 'engine: a pause is not lifted',
    find: 'if (resume?.lift) await liftPause(call, resume);',
    replace: '',
    tests: STORIES,
    why: 'a paused run could never continue',
  },
  {
    name: 'engine: what is decided while a call works is ignored',
    find: 'const decided = listing.records.filter(isDecision).filter(',
    replace: 'const decided = ([] as DecidedRecord[]).filter(',
    tests: ['test/cli/decided-meanwhile.test.ts'],
    why: 'a call would start gates of a run that somebody paused, and end green in spite of a reject',
  },
  {
    name: 'run: a completed run opens again when a decision expires',
    find: 'if (hasExpired) views.push({ graph, facts: { ...facts, now } });',
    replace: '',
    tests: ['test/engine/approvals.test.ts'],
    why: 'the history of a run would change without anybody doing anything',
  },
  {
    name: 'decisions: the deciding run takes another deciding run for the newest one',
    find: '&& run.id !== decidingRun && !onlyDecides(run),',
    replace: '&& run.id !== decidingRun,',
    tests: ON_GITHUB,
    only: 'if a person had started it',
    why: 'an approval would run nothing again, and the gate would wait for ever',
  },
  {
    name: 'decisions: a check run that is found twice is two decisions',
    find: 'const at = timeOf(check) ?? identity.at;',
    replace: 'const { at } = identity;',
    tests: ON_GITHUB,
    only: 'found twice',
    why: 'each later run of the commit would name records that contradict each other',
  },
  {
    name: 'decisions: all records of another branch are used where a person named one output',
    find: "const isNamedOnly = earlier?.use === 'named';",
    replace: 'const isNamedOnly = false;',
    tests: ON_GITHUB,
    only: 'of another branch by its digest',
    why: 'a run would build on what somebody chose for another branch',
  },
  {
    name: 'decisions: what is to be adopted is looked for in the records of the own subject only',
    find: '?? (await namedElsewhere(call, unit, named.output));',
    replace: ';',
    tests: ON_GITHUB,
    only: 'of another branch by its digest',
    why: 'no output of another branch could be adopted',
  },
];
