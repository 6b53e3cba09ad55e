import { didYouMean } from '../json/did-you-mean.ts';
import { parseExpression, IF_CONTEXTS } from './expression.ts';
import { ancestorsOf, orderByNeeds } from './graph.ts';
import { isCovered } from './paths.ts';
import type { Finding, Path } from './problem.ts';
import type { GateEntry, GatelineFile } from './schema.ts';
import { RESERVED_VARIABLE } from './values.ts';

/** What the checks of one part report. */
type Report = (path: Path, message: string, hint?: string) => void;

interface Reports {
  readonly error: Report;
  readonly warn: Report;
}

const LOOKS_SECRET = /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS)$/i;
/** A word that only a shell understands. */
const SHELL_WORD = /^(?:\|\|?|&&?|;|\d?>{1,2}.*|<<?)$|;$/;
/** What `if` can read of a gate in `needs`. */
const NEED_FIELDS = ['status', 'score', 'output'];

/** What is wrong between the parts of a file, whose structure is right. */
export function checkFile(file: GatelineFile): Finding[] {
  const findings: Finding[] = [];
  const report = (level: Finding['level']): Report => {
    return (path, message, hint) => void findings.push({ path, message, ...(hint && { hint }), level });
  };
  const reports: Reports = { error: report('error'), warn: report('warning') };
  for (const [id, gate] of Object.entries(file.gates)) {
    checkNeeds(id, gate, file, reports.error);
    checkCondition(id, gate, file, reports.error);
    checkMatrix(id, gate, file, reports.error);
    checkSecrets(['gates', id], gate, file.env, reports);
    warnAboutIgnored(id, gate, file.ignore, reports.warn);
    if (gate.uses === undefined) warnAboutExpressions(['gates', id, 'with'], gate.with, reports.warn);
  }
  warnAboutExpressions([], { task: file.task }, reports.warn);
  checkSecrets([], { env: file.env, secrets: [] }, {}, reports);
  checkGraph(file, reports.error);
  checkNumbers(file, reports.error);
  checkGroups(file, reports.error);
  for (const [index, gate] of (file.deliver?.gates ?? []).entries()) {
    if (!Object.hasOwn(file.gates, gate)) reports.error(['deliver', 'gates', index], ...unknownGate(gate, file));
  }
  checkEntities(file, reports);
  return findings;
}

/** @param id the gate that names it, which is no suggestion */
function unknownGate(name: string, file: GatelineFile, id?: string): [message: string, hint: string | undefined] {
  const others = Object.keys(file.gates).filter((other) => other !== id);
  return [`there is no gate \`${name}\``, didYouMean(name, others)];
}

function checkNeeds(id: string, { needs }: GateEntry, file: GatelineFile, error: Report): void {
  for (const [index, need] of needs.entries()) {
    const path = ['gates', id, 'needs', index];
    if (need === id) error(path, 'a gate cannot need itself');
    else if (!Object.hasOwn(file.gates, need)) error(path, ...unknownGate(need, file, id));
    else if (needs.indexOf(need) !== index) error(path, `\`${need}\` is named twice`);
  }
}

function checkCondition(id: string, gate: GateEntry, file: GatelineFile, error: Report): void {
  const parsed = gate.if === undefined ? undefined : parseExpression(gate.if, IF_CONTEXTS);
  if (!parsed?.ok) return;
  for (const { gate: need, field } of parsed.needs) {
    const path = ['gates', id, 'if'];
    if (need === '') error(path, '`needs` must be followed by the id of a gate');
    else if (!gate.needs.includes(need)) requireNeed(path, need, file, error);
    else if (!NEED_FIELDS.includes(field)) {
      error(
        path,
        `\`needs.${need}${field && `.${field}`}\` is not a value`,
        'it has `.status`, `.score` and `.output`',
      );
    }
  }
}

function requireNeed(path: Path, need: string, file: GatelineFile, error: Report): void {
  if (!Object.hasOwn(file.gates, need)) error(path, ...unknownGate(need, file));
  else error(path, `\`${need}\` is not in the \`needs\` of this gate`, `add \`${need}\` to \`needs\``);
}

function checkMatrix(id: string, { strategy, needs }: GateEntry, file: GatelineFile, error: Report): void {
  if (strategy === undefined || !('from' in strategy)) return;
  const { gate } = strategy.from;
  const path = ['gates', id, 'strategy', 'matrix'];
  if (!needs.includes(gate)) requireNeed(path, gate, file, error);
  else if (file.gates[gate]?.strategy) error(path, `\`${gate}\` has a matrix itself, and so no output of its own`);
}

type Variables = Pick<GateEntry, 'env' | 'secrets'>;

function checkSecrets(
  path: Path,
  { env, secrets }: Variables,
  shared: GateEntry['env'],
  { error, warn }: Reports,
): void {
  for (const name of Object.keys(env).filter((name) => LOOKS_SECRET.test(name) && !secrets.includes(name))) {
    const hint = `write \`secrets: [${name}]\` at the gates that need it`;
    warn([...path, 'env', name], 'it looks like a secret, and values of `env` are stored', hint);
  }
  for (const [index, name] of secrets.entries()) {
    const item = [...path, 'secrets', index];
    if (secrets.indexOf(name) !== index) error(item, `\`${name}\` is named twice`);
    else if (RESERVED_VARIABLE.test(name) && name !== 'GITHUB_TOKEN') {
      error(item, 'names that begin with GATELINE_, GITHUB_ or RUNNER_ are reserved', 'choose another name');
    } else if (Object.hasOwn(env, name) || Object.hasOwn(shared, name)) {
      warn(item, `\`${name}\` is in \`env\` too, whose values are stored`, 'remove it from `env`');
    }
  }
}

function warnAboutIgnored(id: string, gate: GateEntry, ignore: readonly string[], warn: Report): void {
  for (const key of ['inputs', 'files'] as const) {
    const globs = gate[key];
    if (!Array.isArray(globs)) continue;
    for (const [index, glob] of globs.entries()) {
      if (glob.startsWith('!') || !isCovered(glob, ignore)) continue;
      const message = `\`ignore\` covers \`${glob}\`, so it has no effect here`;
      warn(['gates', id, key, index], message, 'remove it here or from `ignore`');
    }
  }
}

/** Only with `uses`, where `with` has the inputs of the action, does GitHub evaluate expressions in texts. */
function warnAboutExpressions(path: readonly string[], texts: Readonly<Record<string, unknown>>, warn: Report): void {
  for (const [key, value] of Object.entries(texts)) {
    if (typeof value !== 'string' || !value.includes('${{')) continue;
    warn([...path, key], '`${{ }}` is not evaluated here: the agent gets it as it is written');
  }
}

function checkGraph({ gates }: GatelineFile, error: Report): void {
  const nodes = Object.entries(gates).map(([id, { needs }]) => ({ id, needs }));
  const result = orderByNeeds(nodes);
  if ('cycle' in result) {
    const [first = '', second = first] = result.cycle;
    const path = ['gates', first, 'needs', gates[first]!.needs.indexOf(second)];
    const circle = [...result.cycle, first].join(' → ');
    return error(path, `these gates wait for each other: ${circle}`, 'each needs the next; remove one of these needs');
  }
  for (const [id, { 'on-fail': onFail }] of Object.entries(gates)) {
    if (onFail === undefined || ancestorsOf(nodes, id).has(onFail.goto)) continue;
    const path = ['gates', id, 'on-fail', 'goto'];
    const ancestors = [...ancestorsOf(nodes, id)];
    const hint = ancestors.length === 0 ? 'it needs no gate' : `before it: ${ancestors.join(', ')}`;
    error(path, `\`${onFail.goto}\` is not a gate before this one`, didYouMean(onFail.goto, ancestors) ?? hint);
  }
}

function checkNumbers({ gates }: GatelineFile, error: Report): void {
  const owners = new Map<number, string>();
  for (const [index, [id, gate]] of Object.entries(gates).entries()) {
    const number = gate.number ?? index;
    const owner = owners.get(number);
    owners.set(number, owner ?? id);
    if (owner === undefined) continue;
    const hint = 'give every gate a `number` of its own, or none';
    error(['gates', id, 'number'], `${number} is already the number of \`${owner}\``, hint);
  }
}

function checkGroups(file: GatelineFile, error: Report): void {
  const groupOf = new Map<string, string>();
  for (const [id, group] of Object.entries(file.groups)) {
    for (const [index, gate] of group.gates.entries()) {
      const path = ['groups', id, index];
      const other = groupOf.get(gate);
      groupOf.set(gate, id);
      if (!Object.hasOwn(file.gates, gate)) error(path, ...unknownGate(gate, file));
      else if (other !== undefined) error(path, `\`${gate}\` is in the group \`${other}\` already`);
    }
  }
}

function checkEntities({ entities, commands, gates }: GatelineFile, { error, warn }: Reports): void {
  const known = Object.keys(entities);
  const requireEntities = (path: Path, names: readonly string[]): void => {
    for (const [index, name] of names.entries()) {
      const hint = didYouMean(name, known) ?? 'add it under `entities`';
      if (!known.includes(name)) error([...path, index], `there is no entity \`${name}\``, hint);
    }
  };
  const users = [
    ...Object.entries(gates).map(([id, gate]) => ({ path: ['gates', id], use: gate })),
    ...Object.entries(commands).map(([id, command]) => ({ path: ['commands', id], use: command })),
  ];
  for (const { path, use } of users) {
    for (const key of ['requires', 'creates', 'invalidates'] as const) requireEntities([...path, key], use[key]);
  }
  for (const [id, { dependsOn }] of Object.entries(entities)) {
    const path = ['entities', id, 'depends-on'];
    requireEntities(path, dependsOn);
    if (dependsOn.includes(id)) error(path, 'an entity cannot depend on itself');
  }
  for (const [id, { syntax }] of Object.entries(commands)) {
    const bare = syntax.replace(/"[^"]*"|'[^']*'/g, 'text');
    const word = bare.split(/\s+/).find((text) => SHELL_WORD.test(text));
    if (/["']/.test(bare)) error(['commands', id, 'syntax'], 'a quote is not closed');
    if (word) error(['commands', id, 'syntax'], `no shell reads \`${word}\``, "write `sh -c '…'` if you mean one");
  }
  for (const id of Object.keys(commands).filter((id) => Object.hasOwn(gates, id))) {
    error(['commands', id], 'it is the id of a gate, too', 'gates and commands share their names');
  }
  for (const id of known.filter((id) => !users.some(({ use }) => use.creates.includes(id)))) {
    warn(['entities', id], 'no gate and no command creates it');
  }
}
