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
 * The gate id for any name, such as the id of a GitHub job. A valid id stays as it is. Otherwise the name becomes a slug
 * with words separated by `-` (`runTests` → `run-tests`), with `_` before a digit at its start. A slug of more than 40
 * characters is cut and ends with 6 digits of its digest, so that two long names stay different.
 */
export function gateIdFrom(name: string): string {
  if (ID_PATTERN.test(name)) return name;
  const slug = slugOf(name.replace(/([a-z0-9])([A-Z])/g, '$1-$2'));
  const id = /^[a-z_]/.test(slug) ? slug : `_${slug}`;
  if (id.length <= LONGEST_ID && id !== '_') return id;
  return `${id.slice(0, LONGEST_ID - DIGITS - 1)}-${hexOf(digestOf(name)).slice(0, DIGITS)}`;
}
