import { exportsOf } from '../run/exports.ts';
import type { Content, EndedRecord } from '../run/record.ts';
import type { Unit } from '../run/unit.ts';
import type { JsonValue } from '../untrusted/json.ts';
import type { Verdict } from '../verdict/verdict.ts';
import type { Call } from './call.ts';
import { readJson } from './content.ts';
import { keepJson } from './keep-json.ts';

/** Today's judgement of a stored output. */
export interface JudgedAgain {
  readonly verdict: Verdict;
  readonly exports: Content | undefined;
}

/** Judges an output by a unit's contract: the verdict, and the exported part when there is nothing against it. */
export async function judgeValue(call: Call, unit: Unit, value: JsonValue, whole: Content): Promise<JudgedAgain> {
  const { judge } = await import('../verdict/judge.ts');
  const compiled = await call.contracts.compile(unit.gate);
  const verdict = await judge(compiled, value, {
    subject: call.assignment.subject,
    metadata: call.assignment.metadata,
  });
  if (verdict.status === 'failed') return { verdict, exports: undefined };
  const pointers = compiled.contract.exports;
  return {
    verdict,
    exports: pointers === undefined ? whole : await keepJson(call.ports.store, exportsOf(value, pointers)),
  };
}

/** Judges the output of an earlier attempt again, because the contract changed since. */
export async function judgeAgain(call: Call, unit: Unit, ended: EndedRecord): Promise<JudgedAgain> {
  const value = await readJson(call.ports.store, ended.value!, { what: `output of ${unit.key}` });
  return judgeValue(call, unit, value, ended.value!);
}
