import { parseDocument, stringify } from 'yaml';
import type { ImportedGate, ImportedRun } from '../../formats/exchange.ts';
import type { JsonObject } from '../../json/json.ts';
import { ID_PATTERN, type Gate, type Pipeline } from '../../pipeline/pipeline.ts';

/** The id of an imported gate in a definition. */
export function gateId({ gate }: Pick<ImportedGate, 'gate'>, gates: readonly Gate[] = []): string {
  if (typeof gate === 'string') return gate;
  return gates.find(({ number }) => number === gate)?.id ?? `gate-${gate}`;
}

/** Imported gates whose names cannot be ids of gates. */
export function withoutId(run: ImportedRun): ImportedGate[] {
  return run.gates.filter((one) => !ID_PATTERN.test(gateId(one)));
}

/** Keys of `gateline.yml` that an import brings and a definition does not have. */
export function keysToAdd(run: ImportedRun, pipeline: Pipeline | undefined, written: JsonObject): JsonObject {
  const gates = run.gates.filter(
    (one) => !pipeline?.gates.some(({ id, number }) => (typeof one.gate === 'string' ? id : number) === one.gate),
  );
  const added = Object.entries(run.keys).filter(([key]) => !Object.hasOwn(written, key));
  return {
    ...Object.fromEntries(added),
    ...(gates.length > 0 && { gates: Object.fromEntries(gates.map((one) => [gateId(one), definitionOf(one, run)])) }),
  };
}

/** An agent that runs by itself, around `gateline begin` and `complete`: which command it is, no file says. */
function definitionOf({ gate, agent, needs }: ImportedGate, run: ImportedRun): JsonObject {
  const known = needs.filter((need) => run.gates.some((one) => gateId(one) === need));
  return {
    ...(typeof gate === 'number' && { number: gate }),
    ...(agent !== undefined && { agent }),
    ...(known.length > 0 && { needs: known }),
  };
}

/** The text of a new definition. @param system for the comment */
export function newDefinition(run: ImportedRun, system: string): string {
  const { pipeline, subject } = run;
  const value = {
    ...(pipeline !== undefined && { pipeline }),
    ...(subject !== undefined && { subject }),
    ...keysToAdd(run, undefined, {}),
  };
  return `# Written by \`gateline import ${system}\`. Give each gate a \`run\`: without one, its agent runs by itself.
${stringify(value, { lineWidth: 0 })}`;
}

/** A definition with further keys and gates; its comments stay. */
export function editedDefinition(text: string, keys: JsonObject): string {
  const document = parseDocument(text);
  for (const [key, value] of Object.entries(keys)) {
    if (key !== 'gates' || !document.has('gates')) document.set(key, document.createNode(value));
    else
      for (const [id, gate] of Object.entries(value as JsonObject))
        document.setIn(['gates', id], document.createNode(gate));
  }
  return document.toString({ lineWidth: 0 });
}

/** Keys as YAML, to be copied. */
export function keysText(keys: JsonObject): string {
  return stringify(keys, { lineWidth: 0 });
}
