/** Texts that agents could write to do something on GitHub, by what they try. At least 20 each. */
const pad = (base: readonly string[], more: readonly ((text: string) => string)[]): string[] => base.flatMap((text) => [text, ...more.map((change) => change(text))]);
const around = [(text: string) => `(${text})`, (text: string) => `a ${text}, b`, (text: string) => `**${text}**`, (text: string) => `\u202e${text}`];

export const HOSTILE: Readonly<Record<string, readonly string[]>> = {
  mentions: pad(['@octocat', '@org/team', 'hi @a-b', '@@x', '\\@octocat', '&#64;octocat'], around),
  references: pad(['#123', 'GH-123', 'gh-9', 'owner/repo#1', 'owner/repo@0123456789abcdef0123456789abcdef01234567', '&#35;12'], around),
  'closing keywords': pad(['Fixes #1', 'closes: #12', 'RESOLVES owner/repo#3', 'fix GH-4', 'close https://github.com/o/r/issues/1'], around),
  html: pad(['<b>x</b>', '<img src=x onerror=alert(1)>', '<script>alert(1)</script>', '<!-- gateline:v1 -->', '</details>', '<https://evil.example>', '<!DOCTYPE x>', '<?php ?>', '<![CDATA[x]]>'], around),
  links: pad(
    ['[x](http://evil.example)', '![x](http://evil.example/p.png)', '[x](javascript:alert(1))', '[x][y]', '[y]: http://evil.example', '![a][b]', '[^1]', '[^1]: note', 'https://evil.example/a_b_c', 'www.evil.example', 'http://evil.example.', 'someone@evil.example', 'mailto:a@evil.example', 'xmpp:a@evil.example', 'HTTPS://EVIL.EXAMPLE', 'xhttps://evil.example', 'https://a`b`c', 'https://a|b', 'https://evil.example/<b>'],
    around,
  ),
  tables: pad(['|', 'a | b', '\\|', '`|`', '`a\\|b`', '|---|', ':--', 'a|b\n-|-\n1|2'], around),
  'line starts': ['# h', '## h', '- x', '* x', '+ x', '1. x', '2) x', '> q', '---', '***', '___', '===', '    code', '\tcode', '```', '~~~', '```js\nx\n```', '- [ ] task', '> [!WARNING]', '#', '-', '1.', '=', ':', '+++', '123456789. x', '\u00a0# x', '\ufeff# x', '[x]: y', '| a |'],
  emphasis: pad(['*x*', '_x_', '**x**', '__x__', '~~x~~', '`x`', '``x``', '$x$', '$$x$$', '\\*x*', 'x\\', 'a  \nb', '&amp;', '&lt;b&gt;', '&#60;b&#62;'], around),
  'hidden characters': ['\u202eabc', 'a\u200bb', '\u2066x\u2069', '\u200d@x', '@\u200dx', '\ufeff', '\u00ad', '\u{e0041}', '\0', '\x1b[31mred', '\x1b]8;;http://evil.example\x07x\x1b]8;;\x07', '\r', 'a\rb', '\x08', '\x7f', '\x85', '\u2028', '\u2029', '\ud800', '\udc00x', '\u115f', '\u3164', 'ht\u200btps://x', '#\u200d1', '\ufe00'],
};

export const ALL_HOSTILE = Object.values(HOSTILE).flat();
