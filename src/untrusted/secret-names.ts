import { isJsonObject, type JsonValue } from '../json/json.ts';
import { pointerOf } from '../json/pointer.ts';
import { MIN_SECRET_LENGTH } from './secret-forms.ts';

/** Last words of names of fields that usually hold a secret: `apiKey`, `db_password`, `access-token`. */
const SECRET_NAME =
  /(?:^|[^a-z])(?:password|passwd|passphrase|secret|token|credentials?|(?:api|access|private|secret)[^a-z]?key|apikey)$/;

/** Most pointers in the result of {@link unredactedNames}. */
const MAX_POINTERS = 20;

/** The first fields whose names look like those of secrets, and how many more there are. */
export interface SecretNames {
  readonly pointers: readonly string[];
  readonly more: number;
}

/** Fields with a text other than `mask` whose names look like those of secrets, in the order of the value. */
export function unredactedNames(value: JsonValue, mask: string): SecretNames {
  const pointers: string[] = [];
  let found = 0;
  const visit = (one: JsonValue, path: readonly PropertyKey[]): void => {
    if (Array.isArray(one)) {
      for (const [at, item] of one.entries()) if (typeof item === 'object') visit(item, [...path, at]);
    } else if (isJsonObject(one)) {
      for (const [key, item] of Object.entries(one)) {
        if (typeof item === 'object') visit(item, [...path, key]);
        else if (typeof item === 'string' && item !== mask && item.length >= MIN_SECRET_LENGTH && isSecretName(key)) {
          found += 1;
          if (pointers.length < MAX_POINTERS) pointers.push(pointerOf([...path, key]));
        }
      }
    }
  };
  visit(value, []);
  return { pointers, more: found - pointers.length };
}

function isSecretName(key: string): boolean {
  if (key.length > 100) return false;
  return SECRET_NAME.test(key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase());
}
