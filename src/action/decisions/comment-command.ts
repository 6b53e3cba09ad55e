/** A command in a comment on a pull request. */
export type CommentCommand =
  | { readonly do: 'status' }
  | { readonly do: 'plan' }
  | { readonly do: 'resume'; readonly from?: string }
  | { readonly do: 'retry'; readonly gate: string }
  | { readonly do: 'skip'; readonly gate: string; readonly reason: string }
  | { readonly do: 'reject'; readonly gate: string; readonly reason: string }
  | { readonly do: 'approve'; readonly gate: string; readonly commit?: string };

/** How commands are written. */
export const COMMENT_USAGE =
  '/gateline status | plan | resume [from GATE] | retry GATE | skip GATE reason | approve GATE [sha] | reject GATE reason';

const LONGEST_REASON = 1_000;
const UNIT = /^[a-z_][a-z0-9_-]{0,39}(?:\/[A-Za-z0-9][A-Za-z0-9._-]{0,99})?$/;
const COMMIT = /^[0-9a-f]{7,64}$/;
const UNSAFE = /[\0-\x1f\x7f-\x9f\u2028\u2029]/;

/**
 * Reads the text of a comment. Its first line is the command, from the first character on; what follows is not looked
 * at.
 * @returns `undefined`: it is no command; `problem`: it is one that cannot be carried out, in words of our own
 */
export function parseComment(
  body: string,
): { readonly command: CommentCommand } | { readonly problem: string } | undefined {
  const [line = ''] = body.split(/\r\n|\n/, 1);
  const [, rest] = /^\/gateline(?:[ ]+([^]*))?$/.exec(line.trimEnd()) ?? [];
  if (!line.startsWith('/gateline') || (rest === undefined && line.trimEnd() !== '/gateline')) return undefined;
  const text = rest ?? '';
  if (UNSAFE.test(text)) return { problem: 'the command has a control character in it' };
  const [word = '', gate, ...more] = text.split(/ +/).filter((one) => one !== '');
  return commandOf(word, gate, more);
}

function commandOf(
  word: string,
  first: string | undefined,
  more: readonly string[],
): { readonly command: CommentCommand } | { readonly problem: string } {
  switch (word) {
    case 'status':
    case 'plan':
      return first === undefined ? { command: { do: word } } : tooMuch(word);
    case 'resume': {
      if (first === undefined) return { command: { do: word } };
      const [from, ...others] = more;
      if (first !== 'from' || others.length > 0) return tooMuch(word);
      return isUnit(from) ? { command: { do: word, from } } : noGate(word);
    }
    case 'retry':
      if (!isUnit(first)) return noGate(word);
      return more.length === 0 ? { command: { do: word, gate: first } } : tooMuch(word);
    case 'approve': {
      if (!isUnit(first)) return noGate(word);
      const [commit, ...others] = more;
      if (commit === undefined) return { command: { do: word, gate: first } };
      if (!COMMIT.test(commit) || others.length > 0) return tooMuch(word);
      return { command: { do: word, gate: first, commit } };
    }
    case 'skip':
    case 'reject': {
      if (!isUnit(first)) return noGate(word);
      const reason = more.join(' ').slice(0, LONGEST_REASON);
      if (reason === '') return { problem: `${word} needs a reason after the gate` };
      return { command: { do: word, gate: first, reason } };
    }
    default:
      return { problem: 'there is no such command' };
  }
}

function isUnit(text: string | undefined): text is string {
  return text !== undefined && UNIT.test(text);
}

function noGate(word: string): { readonly problem: string } {
  return { problem: `${word} needs the id of a gate` };
}

function tooMuch(word: string): { readonly problem: string } {
  return { problem: `${word} is followed by something else than it can have` };
}
