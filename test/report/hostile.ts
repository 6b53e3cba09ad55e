/** Texts that do something where they are not made safe. Each carries the word `payload`. */
export const HOSTILE: readonly string[] = [
  '\u001b]0;payload\u0007\u001b[31mred\u001b[2J',
  '\u009b31mpayload\u0085',
  'payload\r\n::error::payload\r\n##[add-mask]payload',
  '<img src=x onerror=alert(1)><script>payload</script><!-- payload -->',
  '@octocat closes #1 fixes GH-2 payload ![x](http://evil.example/p.png)',
  '[payload](javascript:alert(1)) https://evil.example/payload',
  '``` payload\n```\n# payload\n| a | b |\n| --- | --- |',
  '`payload` ``payload`` |payload| \\| payload',
  '\u202egnp.daolyap\u2066 payload\u200b',
  '--> payload <!-- gateline-checkpoint/1 payload -->',
  `payload ${'漢字👩‍👩‍👧'.repeat(50)}`,
  'payload \ud800 lone',
];

/** What a terminal or a log obeys: control characters but line breaks, hidden marks, and commands of GitHub's runner. */
export const OBEYED_BY_TERMINALS = /(?!\n)\p{Cc}|[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]|##\[|^\s*::/mu;

/** The part of that which no text may have, Markdown (which has its own use for U+200B) included. */
export const CONTROLS = /(?!\n)\p{Cc}|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
