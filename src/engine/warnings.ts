import { placeText } from '../errors.ts';
import type { Gate } from '../pipeline/pipeline.ts';
import { createMatcher } from '../workspace/globs.ts';
import type { Call } from './call.ts';
import type { Work } from './plan/request.ts';

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

/** Warns about globs of `inputs` without a file. No error: the file may be optional, or made later. */
export async function warnAboutEmptyGlobs(call: Call, { unit: { key, gate }, snapshot }: Work): Promise<void> {
  const globs = (gate.inputs ?? []).filter((glob) => !glob.startsWith('!'));
  if (globs.length === 0) return;
  const paths = [...(await call.ports.workspace.listFiles(snapshot)).keys(), ...Object.keys(snapshot.unstored)];
  const empty = globs.filter((glob) => !paths.some(createMatcher([glob])));
  if (empty.length === 0) return;
  const hint = `correct \`inputs\` at ${placeText(gate.place)}, if it is a mistake`;
  call.notice(`${empty.join(', ')} matches no file: ${gate.id} does not read it`, { unit: key, hint });
}
