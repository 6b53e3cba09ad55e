import { exportsOf } from '../../run/plan/exports.ts';
import type { Content, EndedRecord } from '../../run/records/record.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { JsonValue } from '../../json/json.ts';
import { valueAt } from '../../json/json-pointer.ts';
import { MASK } from '../../untrusted/redact.ts';
import type { JudgeContext } from '../../verdict/judge.ts';
import { failed, type Issue, type Verdict } from '../../verdict/verdict.ts';
import type { Call } from '../call/call.ts';
import { givenSubject } from '../call/given-subject.ts';
import { readJson, keepJson } from '../call/content.ts';

/** The verdict on a stored output under the current contract. */
export interface JudgedAgain {
  readonly verdict: Verdict;
  readonly exports: Content | undefined;
}

/**
 * Judges an output by a unit's contract. Returns the verdict, and the exported part if the output passes.
 * @param about what checks may refer to; default: the assignment's subject, if it was given, and metadata
 */
export async function judgeValue(
  call: Call,
  unit: Unit,
  value: JsonValue,
  whole: Content,
  about: JudgeContext = { subject: givenSubject(call.assignment), metadata: call.assignment.metadata },
): Promise<JudgedAgain> {
  const { judge } = await import('../../verdict/judge.ts');
  const compiled = await call.contracts.compile(unit.gate);
  const verdict = await judge(compiled, value, about);
  if (verdict.status === 'failed') return { verdict, exports: undefined };
  const pointers = compiled.contract.exports;
  return {
    verdict,
    exports: pointers === undefined ? whole : await keepJson(call.ports.store, exportsOf(value, pointers)),
  };
}

/**
 * Judges the output of an earlier attempt again: the contract has changed since, or its recorded verdict is not
 * trusted. An output with a value that the contract redacts now does not meet it: the value would be stored again.
 */
export async function judgeAgain(
  call: Call,
  unit: Unit,
  ended: EndedRecord,
  about?: JudgeContext,
): Promise<JudgedAgain> {
  const value = await readJson(call.ports.store, ended.value!, { what: `output of ${unit.key}` });
  const { redact = [] } = (await call.contracts.load(unit.gate)).contract;
  const stored = redact.filter((pointer) => (valueAt(value, pointer) ?? MASK) !== MASK);
  if (stored.length > 0) return { verdict: unredacted(stored), exports: undefined };
  return judgeValue(call, unit, value, ended.value!, about);
}

function unredacted(pointers: readonly string[]): Verdict {
  const issues = pointers.map((pointer): Issue => {
    return { severity: 'error', message: `${pointer}: was stored, and is redacted now`, pointer };
  });
  return failed('check', 'Run the gate again: its output was stored before `redact` named these parts.', issues);
}

/**
 * Whether a record matches its output: the output exists, is usable by the contract, and has the recorded exports. In
 * CI, any code that runs in a job may have written the record.
 */
export async function isBorneOut(
  call: Call,
  unit: Unit,
  ended: EndedRecord,
  isUsable: (judged: JudgedAgain) => boolean,
): Promise<boolean> {
  if (ended.value === undefined) return false;
  const judged = await judgeAgain(call, unit, ended);
  return isUsable(judged) && judged.exports?.digest === ended.exports?.digest;
}
