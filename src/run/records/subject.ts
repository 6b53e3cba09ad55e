import { digestOf, hexOf } from '../../json/digest.ts';
import type { JsonObject, JsonValue } from '../../json/json.ts';

/**
 * The default subject that a pipeline's metadata gives: `{domain}-{feature}`, if it has both. Only the file's metadata
 * is used, so that every command and every job of a run finds the same subject.
 */
export function subjectOfMetadata({ domain, feature }: JsonObject): string | undefined {
  const isText = (value: JsonValue | undefined): value is string => typeof value === 'string' && value.trim() !== '';
  return isText(domain) && isText(feature) ? `${domain}-${feature}`.slice(0, MAX_SUBJECT_LENGTH) : undefined;
}

/** The subject where there is nothing to name it after; what files that agents read call a default subject. */
export const NAMELESS_SUBJECT = 'default';

/** The longest subject, in characters. */
export const MAX_SUBJECT_LENGTH = 1_024;

/** The longest slug that {@link subjectSlug} makes, in characters (all of them ASCII). */
export const MAX_SLUG_LENGTH = 80;

/** Default number of digest digits in the slug of a changed subject. */
const DEFAULT_HEX_DIGITS = 6;

/** Names that Windows reserves for devices, whatever follows a dot. */
const RESERVED_ON_WINDOWS = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;

/**
 * What a slug with a digest looks like. A subject that looks like this itself gets a digest too; otherwise it could be
 * confused with another's slug.
 */
const ENDS_LIKE_A_DIGEST = /-[0-9a-f]{6,16}$/;

/**
 * A subject as a name for files and folders on every system: `[a-z0-9._-]`, at most {@link MAX_SLUG_LENGTH} characters,
 * no dot or hyphen at either end, no device name of Windows.
 *
 * A subject that already is such a name is its own slug (`pr-42`, `demoqa_com-student_registration`). Any other subject
 * is made as readable as possible and gets `-` and the first digits of its SHA-256 (`Feature/Login` →
 * `feature-login-1ce277`), so that subjects that only look alike stay distinct.
 *
 * @param subject any text, including lone surrogates and the empty text
 * @param hexDigits digits of the digest, 6 to 16. With 6, two of about five thousand subjects that read alike may share
 *   a slug; with 16, none ever will. Fewer digits are always a prefix of more.
 */
export function subjectSlug(subject: string, hexDigits: number = DEFAULT_HEX_DIGITS): string {
  const base = readable(subject);
  if (base === subject && base.length <= MAX_SLUG_LENGTH && !ENDS_LIKE_A_DIGEST.test(base)) return base;
  const suffix = `-${subjectDigest(subject).slice(0, hexDigits)}`;
  const room = MAX_SLUG_LENGTH - suffix.length;
  return base.slice(0, room).replace(/[.-]+$/, '') + suffix;
}

/** The subject in the characters that a slug allows. Never empty, and never a name that a system treats specially. */
function readable(subject: string): string {
  const letters = subject
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '');
  if (letters === '') return 'subject';
  return RESERVED_ON_WINDOWS.test(letters) ? `_${letters}` : letters;
}

/** A lone surrogate has no UTF-8 encoding: such a subject is hashed in its JSON form, which escapes lone surrogates. */
function subjectDigest(subject: string): string {
  return hexOf(digestOf(subject.isWellFormed() ? subject : JSON.stringify(subject)));
}
