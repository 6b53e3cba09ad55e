import { digestOf, hexOf } from '../json/digest.ts';
import { ID_PATTERN } from './pipeline.ts';

/** A text in lower case, with `-` for everything but a-z, 0-9 and `_`; may be empty. */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

const LONGEST_ID = 40;
const DIGITS = 6;

/**
 * The gate id for a name that need not be one, such as the id of a GitHub job. An id stays as it is. Otherwise: words
 * are separated by `-` (`runTests` → `run-tests`), the rest is as in {@link slugOf}, a digit at the start gets `_`
 * before it, and what is longer than 40 characters ends with 6 digits of its digest, so that two names stay different.
 */
export function gateIdFrom(name: string): string {
  if (ID_PATTERN.test(name)) return name;
  const slug = slugOf(name.replace(/([a-z0-9])([A-Z])/g, '$1-$2'));
  const id = /^[a-z_]/.test(slug) ? slug : `_${slug}`;
  if (id.length <= LONGEST_ID && id !== '_') return id;
  return `${id.slice(0, LONGEST_ID - DIGITS - 1)}-${hexOf(digestOf(name)).slice(0, DIGITS)}`;
}
