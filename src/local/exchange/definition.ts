import { isMap, parseDocument, visit } from 'yaml';
import type { FileProblem, ImportedGate, ImportedRun, NotMoved } from '../../formats/exchange.ts';
import { canonicalJson } from '../../json/canonical-json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { documentText, yamlText } from '../../pipeline/yaml/yaml-text.ts';
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

/** Gates that are completed although the files do not have a gate that they need. */
export function withoutNeed(run: ImportedRun): FileProblem[] {
  const known = new Set(run.gates.map((one) => gateId(one)));
  return run.gates.flatMap(({ needs, output, place }) =>
    needs
      .filter((need) => output !== undefined && !known.has(need))
      .map((need) => ({ ...place, message: `it is completed, and there is no ${need}, which it needs` })),
  );
}

/**
 * What the files say and a definition does not, or differently: that of the definition holds.
 * @param system whose name a pipeline without a name of its own has
 */
export function overruled(run: ImportedRun, written: JsonObject, system: string): NotMoved[] {
  const file = run.file ?? run.gates[0]?.place.file ?? '';
  const theirs: JsonObject = {
    ...(run.pipeline !== undefined && run.pipeline !== system && { pipeline: run.pipeline }),
    ...(run.subject !== undefined && { subject: run.subject }),
    ...run.keys,
  };
  const pairs = Object.entries(theirs).flatMap(([key, value]): [string, JsonValue, JsonValue][] => {
    const own = written[key];
    if (own === undefined) return [];
    if (!isJsonObject(value) || !isJsonObject(own)) return [[key, value, own]];
    // Groups have several forms. What other keys lack is added.
    const parts = Object.entries(value).filter(([name]) => (key === 'groups') !== Object.hasOwn(own, name));
    return parts.map(([name, part]) => [`${key}.${name}`, part, own[name] ?? null]);
  });
  return pairs.flatMap(([key, value, own]) => {
    const [here, there] = [canonicalJson(own), canonicalJson(value)];
    if (here === there || (own === null && (there === '""' || there === '[]'))) return [];
    const holds = own === null ? 'nothing' : shown(here);
    return { file, pointer: '', reason: `\`${key}\` of the definition is used: ${holds}, not ${shown(there)}` };
  });
}

/** What the state guide writes where nothing is known. */
function isNothing(value: JsonValue | undefined): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0);
}

function shown(json: string): string {
  return json.length > 100 ? `${json.slice(0, 100)}\u2026` : json;
}

/**
 * Keys of `gateline.yml` that an import brings and a definition does not have.
 * @param definition.path relative to the workspace
 * @param definition.written its value; `pipeline` is what it means, if it is valid
 */
export function keysToAdd(
  run: ImportedRun,
  { path, pipeline, written }: { readonly path: string; readonly pipeline?: Pipeline; readonly written: JsonObject },
): JsonObject {
  const isKnown = ({ gate }: ImportedGate): boolean =>
    pipeline?.gates.some(({ id, number }) => (typeof gate === 'string' ? id : number) === gate) === true;
  // Which gates come later, a definition that there is says itself.
  const gates = run.gates.filter((one) => !isKnown(one) && !(pipeline !== undefined && one.isLater));
  const added = Object.entries(run.keys).filter(([key]) => !Object.hasOwn(written, key));
  const further = Object.entries(run.keys).flatMap(([key, theirs]): [string, JsonObject][] => {
    const own = written[key];
    // Groups have several forms.
    if (key === 'groups' || !isJsonObject(own) || !isJsonObject(theirs)) return [];
    const parts = Object.entries(theirs).filter(([name, value]) => !Object.hasOwn(own, name) && !isNothing(value));
    return parts.length === 0 ? [] : [[key, Object.fromEntries(parts)]];
  });
  return {
    ...Object.fromEntries([...added, ...further]),
    ...(gates.length > 0 && {
      gates: Object.fromEntries(gates.map((one) => [gateId(one), definitionOf(one, run, path, pipeline?.gates)])),
    }),
  };
}

/**
 * An agent that runs by itself, around `gateline begin` and `complete`: which command it is, no file says. Nor does one
 * say which files it reads: all but the definition, which people edit next, so that what is adopted stays.
 */
function definitionOf(
  { gate, agent, contract, needs }: ImportedGate,
  run: ImportedRun,
  path: string,
  gates?: readonly Gate[],
): JsonObject {
  // A gate that the definition has with this number may have another id there.
  const known = needs.flatMap((need) => {
    const needed = run.gates.find((one) => gateId(one) === need);
    return needed === undefined ? [] : gateId(needed, gates);
  });
  return {
    ...(typeof gate === 'number' && { number: gate }),
    ...(agent !== undefined && { agent }),
    ...(known.length > 0 && { needs: known }),
    inputs: ['**', `!${path}`],
    ...(contract !== undefined && { output: contract }),
  };
}

/**
 * The text of a new definition.
 * @param system for the comment
 * @param path of the definition, relative to the workspace
 * @param subject that somebody named. Default: that of the files
 */
export function newDefinition(run: ImportedRun, system: string, path: string, subject = run.subject): string {
  const { pipeline } = run;
  const value = {
    ...(pipeline !== undefined && { pipeline }),
    ...(subject !== undefined && { subject }),
    ...keysToAdd(run, { path, written: {} }),
  };
  return `# Written by \`gateline import ${system}\`. Give each gate a \`run\`: without one, its agent runs by itself.
# Then import again: what is completed is adopted for the gates as they are.
${yamlText(value)}`;
}

/** Whether a definition has a gate, or something in the place of gates or of itself. */
export function hasGates(written: JsonValue | undefined): boolean {
  if (written === undefined || written === null) return false;
  if (!isJsonObject(written)) return true;
  const { gates } = written;
  if (gates === undefined || gates === null) return false;
  return !isJsonObject(gates) || Object.keys(gates).length > 0;
}

/** A definition with further keys and gates; its comments and line ends stay. */
export function editedDefinition(text: string, keys: JsonObject): string {
  const document = parseDocument(text);
  const firsts: string[] = [];
  visit(document, {
    Collection: (_key, { flow, range }) => {
      if (flow === true && range) firsts.push(text.charAt(range[0] + 1));
    },
  });
  // In one file, all are written in the same way.
  const tight = firsts.filter((first) => /[^\s\]}]/.test(first)).length;
  const isTight = tight > firsts.filter((first) => first === ' ').length;
  for (const [key, value] of Object.entries(keys)) {
    const map = document.get(key);
    // An empty one says nothing about the style.
    if (isMap(map) && map.items.length === 0) map.flow = false;
    if (!isMap(map)) {
      // In the place of a map there may be nothing, or an alias.
      const there = (document.toJS() as JsonObject | null)?.[key];
      const whole = isJsonObject(there) && isJsonObject(value) ? { ...value, ...there } : value;
      document.set(key, document.createNode(whole));
    } else
      for (const [name, part] of Object.entries(value as JsonObject))
        if (!document.hasIn([key, name])) document.setIn([key, name], document.createNode(part));
  }
  const edited = documentText(document, isTight);
  return text.includes('\r\n') ? edited.replaceAll(/\r?\n/g, '\r\n') : edited;
}

/** Keys as YAML, to be copied. */
export function keysText(keys: JsonObject): string {
  return yamlText(keys);
}
