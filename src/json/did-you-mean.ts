import { closest, distance } from 'fastest-levenshtein';

/** The candidate that was probably meant, if one is close enough. Case, and `_` for `-`, are ignored. */
export function closestWord(word: string, candidates: readonly string[]): string | undefined {
  const normalize = (text: string): string => text.toLowerCase().replaceAll('_', '-');
  const wanted = normalize(word.slice(0, 80));
  const equal = candidates.find((candidate) => normalize(candidate) === wanted);
  if (equal !== undefined || candidates.length === 0) return equal;
  const best = closest(wanted, candidates.map(normalize));
  const edits = distance(wanted, best);
  const isSwapped = edits === 2 && sortLetters(wanted) === sortLetters(best);
  if (!isSwapped && edits > Math.max(1, Math.ceil((Math.min(wanted.length, best.length) - 1) / 3))) return undefined;
  return candidates.find((candidate) => normalize(candidate) === best);
}

/** ``did you mean `x`?``, or undefined if no candidate is close enough. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const candidate = closestWord(word, candidates);
  return candidate === undefined ? undefined : `did you mean \`${candidate}\`?`;
}

function sortLetters(word: string): string {
  return [...word].toSorted().join('');
}
