import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, repositoryFiles } from './repository-files.ts';
import { textsOf } from './source-texts.ts';

/** Words that the field does not use, and what it says instead. */
const PHRASES: ReadonlyArray<readonly [banned: RegExp, instead: string]> = [
  [/\b(?:counts?|counted) by name only\b/i, 'Only their names are part of the fingerprint'],
  [/\b(?:it|they|that|which|both|neither|nothing|all of it|and) counts?(?=[.,;]|$)/im, 'is part of the fingerprint'],
  [/\b(?:does|do|did|would|will) not count\b(?! as)/i, 'is ignored'],
  [/\bno files? counts?\b|\bfiles? that counts?\b|\bversions? counts?\b/i, 'is part of the fingerprint'],
  [/\bends? to count\b|\bcounts? for what\b|\bthe (?:worse|worst|last) one counts\b/i, 'applies, is used'],
  [
    /\bstands? in\b(?= for| the place)|\bmay stand in\b|\bcan stand in\b|\bstands in(?=[.,;])/i,
    'is reused, replaces, is in',
  ],
  [/\bstands? above\b/i, 'overrides'],
  [/\b(?:is|are|was|were|be) told(?: of| by| once| at| all)?\b/i, 'gets, is shown, is reported'],
  [
    /\btells? (?:what|which|why|how|whether|where|when|who|of|it|all|everything|people|everybody|the|a|an|no|them|of it)\b/i,
    'shows, reports',
  ],
  [/\bcannot be told\b|\bcan be told\b/i, 'cannot be determined, is unknown'],
  [/\bwhat (?:became|becomes) of\b/i, 'the results of'],
  [/\bwhat (?:it|they|he|each|that|a gate|an attempt|the attempt|a run|the run) (?:came|comes) to\b/i, 'the result of'],
  [/\bcame to (?:its|an|their) end\b/i, 'exited, ended'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\bnobody can (?:be seen|see)\b/i, 'probably left by an interrupted upload'],
  [/\bnothing that it is given\b|\bwhat it is given\b|\ball (?:that )?it is given\b/i, 'inputs unchanged; its inputs'],
  [/\bof call \d|, call \d/i, 'attempt 2 (run 1)'],
  [/\bin run attempt \d+ of run\b/i, 'attempt 1 (run 2, run attempt 3)'],
  [/\bthat must be satisfied\b/i, 'that must pass'],
  [/\b(?:something )?is to be (?:changed|done)\b/i, 'Configuration error; there is something to do'],
  [/\bin vain\b/i, 'without success'],
  [/\bto be had\b|\bcan be had\b|\bcould be had\b/i, 'is available'],
  [/\bwho(?:so)?ever\b/i, 'anyone who, the user who'],
  [/\b(?:does|do|did)(?:es)? not hold together\b/i, 'is inconsistent'],
  [/\bbears? (?:it|that|out)\b|\bborne out\b/i, 'confirms, matches'],
  [/\bgo(?:es)? on (?:from|with)\b|\bgoing on with\b/i, 'continues, resumes'],
  [/\b(?:is|are|was|were) at work\b/i, 'is running'],
  [/\bbetween commas\b/i, 'comma-separated'],
  [/\bone a line\b/i, 'one per line'],
  [/\bleave (?:it|them) alone\b/i, 'do not change'],
  [
    /\bhow (?:it|things|each|they) stands?\b|\bwhere (?:it|things) stands?\b|\bas (?:it|things) stands?\b/i,
    'its status',
  ],
  [/\bend of an attempt\b|\bend of attempt\b/i, 'result of an attempt'],
  [/\bis taken over\b|\bnever taken over\b/i, 'is reused'],
  [/\bwhat (?:is|was) learnt\b/i, 'learnings, outputs'],
  [/\bno (?:such thing|glob|JSON|value) (?:as|is)\b|\bis no (?:JSON|value|glob|file|regular)\b/i, 'is not a …'],
  [/\bmust bring back\b/i, 'to pass to'],
  [/\bas a rule\b/i, 'usually'],
  [/\bgive (?:it|them) to both\b/i, 'set it on both'],
  [/\bthe whole is here\b/i, 'full text'],
  [/\banew\b/i, 'again'],
  [/(?<!")\bcounts? as\b/i, 'is treated as'],
  [/\bwhat counts\b|\b(?:commit|subject|prompt)s? counts\b/i, 'is part of the fingerprint'],
  [/\bstands? (?:under|where|there|beside|at the top)\b/i, 'is'],
  [/(?<=\w )stands?\b(?! for\b|-)|\bstood\b/i, 'is, applies'],
  [/\b(?:came|comes?) to\b/i, 'resulted in, is'],
  [/\b(?:is|are|was|were) no part of\b/i, 'is not part of'],
  [
    /(?<!\bthere )\b(?:is|are|was|were) no (?:character|folder|dependency|dependencies|git|link|name|number|record|repository|sandbox|submodule|text|time)\b/i,
    'is not a …',
  ],
  [/\b(?:go|goes|gone|going|went) on\b(?! (?:its|the next|a line)\b)/i, 'continue, during'],
  [/\bwhere (?:one|none|there|nothing) is (?:missing|none|no|not|nothing|one)\b/i, 'if there is none'],
  [
    /\bnobody (?:asked|can tell|gave|knows)\b|\b(?:from|reaches|to) nobody\b/i,
    'there is none, it is unknown, it has no effect',
  ],
  [/\basked for by\b/i, 'required by'],
  [/\b(?:lie|lies|lay|lying) (?:at|below|beside|in|on|there)\b/i, 'is in'],
  [/\bfrom (?:one|then) on\b/i, 'and those after it, afterwards'],
  [/\bleft alone\b/i, 'not changed'],
  [/\bnothing of (?:an?|it|its|other|that|the|theirs|this)\b/i, 'no part of'],
  [/\b(?:told|telling|tells)\b/i, 'gets, shows, reports'],
  [/\bkeeps? to\b/i, 'respects, follows'],
  [/\bonce more\b/i, 'again'],
  [/\balso where\b/i, 'even if'],
  [/\b(?:is|are|was|were) looked at\b/i, 'is read, is checked'],
  [/\bcut short\b/i, 'interrupted'],
  [/\bthe same holds for\b|\bstill holds\b/i, 'the same applies to, is still valid'],
  [/\b(?:does|do) not notice\b/i, 'is not affected'],
  [/\bof (?:little|no|any) use\b/i, 'useless, does not help'],
  [/\bgives? the command a name\b/i, 'install it'],
  [/\bin (?:its|their|our) stead\b/i, 'instead'],
  [/\bbeside\b/i, 'next to, besides (in addition to), with'],
  [/\bsays so\b/i, 'with a message, a notice is shown'],
  [/\b(?:goes|go|went|going) with\b/i, 'can only be used with, needs'],
  [/\bstays? as it is\b/i, 'does not change, is kept'],
  [/\b(?:is|are|was|were) given\b(?! up)|\bis asked\b/i, 'gets, is set, appears'],
  [/\b(?:is|are|was|were|and) judged\b|\bjudged? (?:again|by|it)\b/i, 'is checked (again, with)'],
  [/(?<!\bthere )\b(?:is|are) no (?:content|digest|entries|entry|error|inputs?|table)\b/i, 'is not a …'],
  [/\bone (?:artifact|badge|comment|entry|file|job|line|record|request|row) a\b/i, 'one … per …'],
  [/\bmade again\b|\bmakes? again\b/i, 'is rebuilt, is written again'],
  [/\bmeanwhile\b(?!\.ts)/i, 'in the meantime'],
  [/\bthe run before(?=[.,;:)]|$)/i, 'the previous run'],
  [/\bwhat it is about\b|\bwhat comes (?:after|before)\b|\bits own business\b/i, 'name the thing'],
  [/\bif need be\b|\bso as to\b|\binsofar\b|\bthere(?:by|in|of|upon)\b/i, 'if necessary, to, …'],
];

/** The worst of them, which comments do not have either. */
const IN_COMMENTS = [
  /\bwhat (?:became|becomes) of\b|\bin vain\b|\bto be had\b|\bnobody can be seen\b|\bmend(?:s|ed|ing)?\b|\bis at work\b/i,
  /\b(?:came|comes?) to\b|\b(?:is|are|was|were) no part of\b|\b(?:told|telling|tells)\b|\bonce more\b|\bleft alone\b/i,
  /\b(?:go|goes|gone|going|went) on\b(?! (?:its|the next|a line)\b)|(?<=\w )stands?\b(?! for\b|-)|\bstood\b/i,
  /\b(?:lie|lies|lay|lying) (?:at|below|beside|in|on|there)\b|\bnothing of (?:an?|it|its|other|that|the|theirs|this)\b/i,
  /\bnobody (?:asked|can tell|gave|knows)\b|\basked for by\b|\bfrom (?:one|then) on\b/i,
  /\bbeside\b|\bfor want of\b/i,
];

/** Comments of a source, each as one line. */
function commentsOf(source: string): string[] {
  const comments = source.match(/\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/[^\n]*(?:\n\s*\/\/[^\n]*)*/g) ?? [];
  return comments.map((comment) => comment.replaceAll(/\n\s*(?:\*|\/\/) ?/g, ' '));
}

/** The formatter's width, which it does not enforce in comments. */
const COLUMNS = 120;

/** What people read: pages, the action's description, release notes. */
const PAGES = /^(?:README\.md|docs\/.*\.md|AGENTS\.md|action\.yml|\.changeset\/.*\.md|examples\/.*\.md)$/;

interface Passage {
  readonly place: string;
  readonly text: string;
}

function passages(): Passage[] {
  return repositoryFiles().flatMap((path) => {
    const read = (): string => readFileSync(join(ROOT, path), 'utf8');
    if (PAGES.test(path)) return paragraphsOf(path, read());
    if (!/^src\/.*\.ts$/.test(path)) return [];
    return textsOf(read()).map(({ line, text }) => ({ place: `${path}:${line}`, text }));
  });
}

/** Paragraphs, since a phrase may go on in the next line. */
function paragraphsOf(path: string, page: string): Passage[] {
  let line = 1;
  return page.split(/(\n(?:[ \t]*\n)+|\n(?=[ ]*[-|#]))/).flatMap((piece) => {
    const at = line;
    line += piece.split('\n').length - 1;
    return piece.trim() === '' ? [] : [{ place: `${path}:${at}`, text: piece.replaceAll(/\s*\n\s*/g, ' ') }];
  });
}

function found({ place, text }: Passage): string[] {
  return PHRASES.flatMap(([banned, instead]) => {
    const phrase = banned.exec(text)?.[0];
    return phrase === undefined ? [] : [`${place}: "${phrase}"; write: ${instead}`];
  });
}

describe('what users read', () => {
  it('is in plain English', () => {
    expect(passages().flatMap(found)).toEqual([]);
  });
});

describe('comments of the source', () => {
  const sources = repositoryFiles().filter((path) => /^src\/.*\.ts$/.test(path));

  it('have none of the worst phrases', () => {
    const wrong = sources.flatMap((path) => {
      const comments = commentsOf(readFileSync(join(ROOT, path), 'utf8'));
      const phrases = comments.flatMap((text) => IN_COMMENTS.flatMap((banned) => banned.exec(text)?.[0] ?? []));
      return phrases.map((phrase) => `${path}: ${phrase}`);
    });
    expect(wrong).toEqual([]);
  });

  it(`have at most ${COLUMNS} columns`, () => {
    const wrong = sources.flatMap((path) => {
      const lines = readFileSync(join(ROOT, path), 'utf8').split('\n');
      return lines.flatMap((line, at) =>
        /^\s*(?:\*|\/\/|\/\*)/.test(line) && line.length > COLUMNS ? [`${path}:${at + 1}`] : [],
      );
    });
    expect(wrong).toEqual([]);
  });
});

describe('the check', () => {
  it.each([
    'They count, and stand above those of `gateline.yml`.',
    'Ids of the gates that must be satisfied first, between commas',
    'which also tells what became of their jobs',
    'nothing that it is given changed since attempt 1 of call 1 in run 1',
    'Mend these under `with:` of the step',
    'the name is taken, and nobody can be seen behind it',
    'The process came to its end before its work was done',
    'something is to be changed',
    'the upload came to no id',
    'go on without the gates that failed',
    'which is no character',
    'the path stood there, and was left alone',
    'takes every needed job for a gate: where one is none, write the list',
    'a file beside it, and a note says so',
    '--set goes with --deliver',
    'the outputs are judged again by the contract',
    'which gets a summary of the run before.',
    'in a clone of this repository, an alias gives the command a name',
  ])('sees: %s', (text) => {
    expect(found({ place: 'x', text })).not.toEqual([]);
  });

  it('lets plain English pass', () => {
    const text = 'Gateline exited before it finished: a GitHub service dropped the connection. Re-run the job.';
    expect(found({ place: 'x', text })).toEqual([]);
  });

  it.each([
    'There is no folder src.',
    'a link goes on its own line',
    'a digest stands for its value',
    'pass `--stand-in`',
  ])('lets pass: %s', (text) => {
    expect(found({ place: 'x', text })).toEqual([]);
  });

  it('joins the lines of a comment, and takes no address for one', () => {
    const source = "const a = 'https://x.y'; // it was\n// told\n/**\n * b\n * c\n */";
    expect(commentsOf(source)).toEqual(['// it was told', '/** b c /']);
  });

  it('joins the lines of a paragraph', () => {
    const [, second] = paragraphsOf('x.md', 'one\n\ntells what\nbecame of it\n');
    expect(second).toEqual({ place: 'x.md:3', text: 'tells what became of it ' });
  });

  it('reads texts and templates of a source, and no comments', () => {
    const source = [
      'const a = \'it is 1\'; // "not this"',
      '/* `nor this` */',
      "const b = `x ${f('y')} z`;",
      "const c = /'/;",
      'const d = "e";',
    ];
    expect(textsOf(source.join('\n'))).toEqual([
      { line: 1, text: 'it is 1' },
      { line: 3, text: 'x … z' },
      { line: 3, text: 'y' },
      { line: 5, text: 'e' },
    ]);
  });
});
