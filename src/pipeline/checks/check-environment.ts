import { gatesIn, mapAt, pointerTo, textsAt, type GatePart, type Located } from '../file/parts.ts';
import { pointerOf } from '../../json/pointer.ts';
import { quoted, type Problem } from '../problem.ts';
import type { DefinitionSource } from '../source.ts';
import { isJsonObject, type JsonObject } from '../../json/json.ts';

const RESERVED = /^(?:GATELINE|GITHUB|RUNNER)_/i;
const LOOKS_SECRET = /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS)$/i;

/**
 * Problems of variables and secrets: reserved names, secrets whose value would be part of the fingerprint, numbers that
 * YAML changes.
 */
export function checkEnvironment(source: DefinitionSource): Problem[] {
  const whole = isJsonObject(source.value) ? source.value : {};
  const top = { value: whole, path: [] };
  const gates = gatesIn(source);
  const shared = Object.keys(mapAt(whole, 'env'));
  return [
    ...checkEnv(top, source),
    ...gates.flatMap((gate) => checkEnv(gate, source)),
    ...gates.flatMap((gate) => checkSecrets(gate, shared, source)),
  ];
}

function checkEnv(part: Located<JsonObject>, source: DefinitionSource): Problem[] {
  return Object.entries(mapAt(part.value, 'env')).flatMap(([name, value]) => {
    const pointer = pointerOf([...part.path, 'env', name]);
    if (name.toUpperCase() === 'GITHUB_TOKEN' || (LOOKS_SECRET.test(name) && !RESERVED.test(name))) {
      const message = `${quoted(name)} looks like a secret, and the values of \`env\` are stored and part of the fingerprint`;
      const severity = RESERVED.test(name) ? 'error' : 'warning';
      const hint = `write \`secrets: [${name}]\` at the gates that need it`;
      return [source.at(pointer, { severity, code: 'SECRET_IN_ENV', label: 'env', message, hint, of: 'key' })];
    }
    if (RESERVED.test(name)) return [reserved('env', name, pointer, source)];
    const written = source.numberAsWritten(pointer);
    if (typeof value !== 'number' || written === undefined || written === String(value)) return [];
    return [changed(`env: ${quoted(name)}`, written, value, pointer, source)];
  });
}

/** The warning that a number is not passed on as written (`1.10` is `1.1`). */
export function changed(
  label: string,
  written: string,
  value: number,
  pointer: string,
  source: DefinitionSource,
): Problem {
  const message = `\`${written}\` is a number and becomes \`${value}\``;
  return source.at(pointer, { severity: 'warning', code: 'NUMBER_CHANGED', label, message, hint: 'put it in quotes' });
}

function checkSecrets(gate: GatePart, shared: readonly string[], source: DefinitionSource): Problem[] {
  const own = new Set(Object.keys(mapAt(gate.value, 'env')));
  const seen = new Set<string>();
  return textsAt(gate, 'secrets').flatMap((secret) => {
    const pointer = pointerTo(secret);
    const name = quoted(secret.value);
    const isRepeated = seen.has(secret.value);
    seen.add(secret.value);
    if (isRepeated)
      return [source.at(pointer, { code: 'SECRET_DUPLICATE', label: 'secrets', message: `${name}: named twice` })];
    if (RESERVED.test(secret.value) && secret.value !== 'GITHUB_TOKEN') {
      return [reserved('secrets', secret.value, pointer, source)];
    }
    if (!own.has(secret.value) && !shared.includes(secret.value)) return [];
    const where = own.has(secret.value) ? 'the `env` of this gate' : 'the `env` of the pipeline';
    const message = `${name} is in ${where} too, where its value would be stored`;
    return [source.at(pointer, { code: 'SECRET_IN_ENV', label: 'secrets', message, hint: 'remove it from `env`' })];
  });
}

function reserved(label: 'env' | 'secrets', name: string, pointer: string, source: DefinitionSource): Problem {
  const message = `${quoted(name)}: names that begin with GATELINE_, GITHUB_ or RUNNER_ are reserved`;
  return source.at(pointer, {
    code: 'NAME_RESERVED',
    label,
    message,
    hint: 'choose another name',
    of: label === 'env' ? 'key' : 'value',
  });
}
