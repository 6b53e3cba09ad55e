import { markerLine } from '../../../src/report/github/comment-marker.ts';
import { ALL_HOSTILE } from '../../untrusted/hostile.ts';
import { HOSTILE as FOR_REPORTS } from '../hostile.ts';

/** Texts that try what only a report for GitHub could do. */
const FOR_GITHUB: readonly string[] = [
  markerLine('web_tests', 'demoqa_com-student_registration', { runNumber: 99, runAttempt: 9, records: 999 }),
  `x\n${markerLine('web_tests', 'payload', { runNumber: 99, runAttempt: 9, records: 999 })}\n`,
  '--!> <!-- gateline-comment/1 0123456789abcdef 1.1.1 --> <!---->',
  'Fixes #1, closes acme/shop#2, resolves https://github.com/acme/shop/issues/3 @octocat @acme/team',
  '</summary></details><details open><summary>payload</summary>',
  '</td></tr></table><h1>payload</h1>',
  '\n\n## payload\n\n> [!CAUTION]\n> payload\n\n- [x] task',
  '| --- | --- |\n| payload | payload |\n',
  'a | b \\| c `|` `\\|` || d',
  '````\n```mermaid\nflowchart LR\n  a-->b\n```\n````',
  '```',
  '~~~~\npayload',
  '"]; click n0 href "javascript:alert(1)" %%{init: {"securityLevel": "loose"}}%%',
  'n0["payload"] --> n1\n  click n0 call alert()',
  '#quot;#35;&quot;]:::bad; subgraph payload',
  'end',
  '%%{init: {"theme":"dark"}}%%',
  '- payload',
  '1. payload',
  '$$\\href{javascript:alert(1)}{payload}$$ and $`payload`$',
  '[payload]: https://evil.example "x"\n[payload]',
  '![payload](https://evil.example/p.png) <img src="https://evil.example/p.png">',
  '[payload](<javascript:alert(1)>) <javascript:alert(1)>',
  '[^1] [^1]: payload',
  '::error file=a,line=1::payload',
  '##[error]payload ##vso[task.setvariable]payload',
  '\u202egnp.daolyap\u2066\u200b\u200d@octocat',
  '👩‍👩‍👧‍👦 漢字 🇪🇺 payload',
  '\ud83d payload \udc69',
  '\u001b[31mpayload\u001b]8;;https://evil.example\u0007x\u001b]8;;\u0007',
  '__proto__',
  `payload ${'<!--@x|`*'.repeat(120_000)}`,
];

/** Every hostile text there is: these, those for terminals and Markdown, and one of each sort that `escape.ts` is held to. */
export const HOSTILE_HERE: readonly string[] = [...new Set([...FOR_GITHUB, ...FOR_REPORTS, ...ALL_HOSTILE])];
export { FOR_GITHUB };
