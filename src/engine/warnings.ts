import { placeText } from '../errors.ts';
import type { Gate } from '../pipeline/pipeline.ts';
import { createMatcher } from '../workspace/globs.ts';
import type { Call } from './call.ts';
import { handedOnTo, type Work } from './plan/request.ts';

/** Warns about variables that are not set and secrets that are too short to redact, before an agent costs something. */
export function warnAboutVariables(call: Call, { env, secrets }: Gate): void {
  const { ports, order } = call;
  for (const name of secrets.filter((secret) => !ports.environment[secret]))
    call.notice(`secret ${name} is not set: gates that name it run without it, and nothing is redacted for it`, {
      hint: 'set it, or remove it from `secrets`',
    });
  for (const name of Object.keys(env).filter((key) => env[key] === null && ports.environment[key] === undefined))
    call.notice(`variable ${name} is not set, and \`env\` takes it from the caller`);
  const short = secrets.filter((name) => order.redactor.shortSecrets.includes(name));
  if (short.length > 0)
    call.notice(`a value under 8 characters is too short to be redacted in outputs: ${short.join(', ')}`);
}

/**
 * Warns about globs of `inputs` without a file, and about files that the command names and `inputs` does not. No errors:
 * a file may be optional or made later, and a word in a command may be no file that it reads.
 */
export async function warnAboutInputs(call: Call, { unit, snapshot, needs }: Work): Promise<void> {
  const { key, gate } = unit;
  const globs = (gate.inputs ?? []).filter((glob) => !glob.startsWith('!'));
  if (globs.length === 0) return;
  const present = await call.ports.workspace.listFiles(snapshot);
  const place = placeText(gate.place);
  const paths = [...present.keys()];
  const empty = globs.filter((glob) => !paths.some(createMatcher([glob])));
  if (empty.length > 0) {
    const hint = `correct \`inputs\` at ${place}, if it is a mistake`;
    call.notice(`${empty.join(', ')} matches no file: ${gate.id} does not read it`, { unit: key, hint });
  }
  const words = (gate.run ?? '').split(/[\s'"=;&|<>()]+/).map((word) => word.replace(/^\.\//, ''));
  const named = [...new Set(words)].filter((word) => present.has(word));
  if (named.length === 0) return;
  const isInput = createMatcher(gate.inputs ?? []);
  const isMade = gate.files === 'changed' ? () => false : call.fileMatcher(unit);
  const handedOn = handedOnTo(needs);
  const unread = named.filter((path) => !isInput(path) && !isMade(path) && !handedOn.includes(path));
  if (unread.length === 0) return;
  const names = unread.join(', ');
  const hint = `add ${names} to \`inputs\` at ${place}, if the agent reads it`;
  call.notice(`${gate.id} does not run again after a change to ${names}, which its command names`, { unit: key, hint });
}
