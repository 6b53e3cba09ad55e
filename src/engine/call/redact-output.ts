import type { GateContract } from '../../pipeline/pipeline.ts';
import type { JsonValue } from '../../json/json.ts';
import { unredactedNames, type SecretNames } from '../../untrusted/secret-names.ts';
import { MASK, type Redactor } from '../../untrusted/redact.ts';
import { redactedParts } from '../../untrusted/redact-parts.ts';
import type { Issue } from '../../verdict/verdict.ts';
import type { Call } from './call.ts';

/** Most texts of redacted parts to search for elsewhere, and their length together: each is searched in many forms. */
const MAX_TEXTS = 100;
const MAX_CHARACTERS = 16 * 1024;

/** An output that may be stored. */
export interface RedactedOutput {
  readonly value: JsonValue;
  /** Also redacts the texts that were in the redacted parts, in whatever else belongs to this output. */
  readonly redactor: Redactor;
  readonly notices: readonly Issue[];
  /** All fields that look as if they held secrets, in one line; `undefined`: there are none. */
  readonly warning: string | undefined;
}

/**
 * Redacts an output: the parts that its contract names, their texts wherever else they are in it, and secrets. Names
 * fields that look as if they held secrets and are not redacted.
 */
export async function redactOutput(
  { contracts, redactor }: Pick<Call, 'contracts' | 'redactor'>,
  gate: GateContract,
  output: JsonValue,
): Promise<RedactedOutput> {
  const { redact = [] } = (await contracts.load(gate)).contract;
  const { value, texts } = redactedParts(output, redact, MASK);
  const searched = fewEnough(texts);
  const own = searched.length === 0 ? redactor : redactor.alsoFor(searched);
  const clean = own.redactJson(value).value;
  const named = unredactedNames(clean, MASK);
  return {
    value: clean,
    redactor: own,
    notices: [...tooMany(texts.length - searched.length), ...lookLikeSecrets(named)],
    warning: warningOf(named),
  };
}

function fewEnough(texts: readonly string[]): string[] {
  let left = MAX_CHARACTERS;
  return texts.slice(0, MAX_TEXTS).filter((text) => {
    if (text.length > left) return false;
    left -= text.length;
    return true;
  });
}

function tooMany(count: number): Issue[] {
  if (count === 0) return [];
  const message = `${count} texts of redacted parts are too many or too long to be searched for elsewhere`;
  return [{ severity: 'notice', message }];
}

function warningOf({ pointers, more }: SecretNames): string | undefined {
  if (pointers.length === 0) return undefined;
  const names = pointers.map((pointer) => pointer.slice(0, 200)).join(', ');
  const rest = more > 0 ? ` and ${more} more` : '';
  return `names that look like those of secrets, with values that are stored: ${names}${rest}; \`output.redact\` keeps them out`;
}

function lookLikeSecrets({ pointers, more }: SecretNames): Issue[] {
  return pointers.map((pointer, at): Issue => {
    const rest = more > 0 && at === pointers.length - 1 ? `; ${more} more such fields are not listed` : '';
    return {
      severity: 'notice',
      message: `${pointer.slice(0, 1_000)}: the name looks like that of a secret, and the value is stored; \`output.redact\` keeps it out${rest}`,
      pointer: pointer.slice(0, 4_096),
    };
  });
}
