import type { Environment } from '../../environment.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { createRedactor, type Redactor } from '../../untrusted/redact.ts';

/** Redacts the values of all secrets that gates name and that are set. */
export function redactorFor(pipeline: Pipeline, environment: Environment): Redactor {
  const names = new Set(pipeline.gates.flatMap((gate) => gate.secrets));
  const secrets = Object.fromEntries(
    [...names].flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  );
  return createRedactor({ secrets });
}

/** Names secrets that cannot be redacted. */
export function noteTooShort({ tooShort }: Redactor, { note }: { readonly note: (message: string) => void }): void {
  for (const name of tooShort) note(`secret ${name} is shorter than 3 characters and cannot be redacted`);
}
