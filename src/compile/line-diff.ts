/** Lines around a change that are shown with it. */
const AROUND = 2;
/** Beyond this many pairs of lines, everything between the first and the last change is shown as replaced. */
const MAX_PAIRS = 4_000_000;

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** The lines that a text loses (`-`) and gets (`+`), with some around them. Empty if it stays the same. */
export function lineDiff(before: string, after: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  const most = Math.min(old.length, now.length) - start;
  while (end < most && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const same = (text: string): Line => ({ mark: ' ', text });
  const lines = [
    ...old.slice(0, start).map(same),
    ...changes(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...old.slice(old.length - end).map(same),
  ];
  return hunks(lines);
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** By the longest common subsequence. */
function changes(old: readonly string[], now: readonly string[]): Line[] {
  const gone = (text: string): Line => ({ mark: '-', text });
  const come = (text: string): Line => ({ mark: '+', text });
  if (old.length * now.length > MAX_PAIRS) return [...old.map(gone), ...now.map(come)];
  const common = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      common[i]![j] = old[i] === now[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      lines.push({ mark: ' ', text: old[i]! });
      i += 1;
      j += 1;
    } else if (common[i + 1]![j]! >= common[i]![j + 1]!) lines.push(gone(old[i++]!));
    else lines.push(come(now[j++]!));
  }
  return [...lines, ...old.slice(i).map(gone), ...now.slice(j).map(come)];
}

function hunks(lines: readonly Line[]): string {
  const isNear = (at: number): boolean =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ mark }) => mark !== ' ');
  let isLeftOut = false;
  return lines
    .flatMap(({ mark, text }, at) => {
      if (!isNear(at)) {
        isLeftOut = true;
        return [];
      }
      const gap = isLeftOut ? ['…\n'] : [];
      isLeftOut = false;
      return [...gap, `${mark} ${text}\n`];
    })
    .join('');
}
