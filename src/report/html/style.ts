import { createHash } from 'node:crypto';

/** The style of the page, light and dark, with a contrast of at least 4.5. In print, all details are open. */
export const STYLE = `
:root{color-scheme:light dark;--page:light-dark(#fff,#0d1117);--card:light-dark(#f6f8fa,#161b22);--text:light-dark(#1f2328,#e6edf3);--quiet:light-dark(#57606a,#9da7b1);--line:light-dark(#d1d9e0,#3d444d);--link:light-dark(#0550ae,#79c0ff);--good:light-dark(#116329,#56d364);--bad:light-dark(#a40e26,#ff8f88);--warning:light-dark(#7d4e00,#e3b341);--strong:light-dark(#0550ae,#79c0ff)}
*{box-sizing:border-box}html{scroll-padding-top:4rem}
body{margin:0 auto;max-width:76rem;padding:0 1.25rem 3rem;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1,h2,h3,p,dl,dd{margin:0}h1{font-size:1.6rem;line-height:1.25;margin:.15rem 0 .5rem}h2{font-size:1.2rem;margin-bottom:.75rem}h3{font-size:1rem;display:inline}
header{padding:1.5rem 0 1rem}section,footer{margin-top:2.25rem}a{color:var(--link)}
code,pre{font:.875em/1.45 ui-monospace,monospace;unicode-bidi:isolate}code{background:var(--card);border-radius:4px;padding:.1em .3em}
pre{background:var(--page);border:1px solid var(--line);border-radius:6px;margin:.4rem 0;padding:.6rem .75rem;white-space:pre-wrap;max-height:60vh;overflow-y:auto}
.note,.over,caption,dt{color:var(--quiet);font-size:.875rem}.note{margin-top:.4rem}#gates caption,#decisions caption{position:absolute;left:-99rem}
.next{background:var(--card);border:1px solid var(--line);border-left:4px solid currentColor;border-radius:6px;margin-top:1rem;padding:.7rem 1rem}.next>*{color:var(--text)}
.next .command{display:block;margin-top:.5rem;padding:.5rem .7rem;background:var(--page);border:1px solid var(--line)}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:0;padding:.6rem 0;list-style:none;border-block:1px solid var(--line)}
.facts div{display:grid;grid-template-columns:7rem 1fr;gap:0 1rem;margin-top:.25rem}dd,td{white-space:pre-line}
.figures{display:grid;margin-top:1rem;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.75rem}
.figures div{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.55rem .85rem}.figures dd{font-size:1.25rem;font-weight:600}
.wide{overflow-x:auto;margin-top:.6rem}table{border-collapse:collapse;width:100%;font-size:.9375rem}caption{text-align:left;padding-bottom:.25rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .9rem .35rem 0;border-bottom:1px solid var(--line);min-width:3.5rem;max-width:34rem;overflow-wrap:break-word;font-variant-numeric:tabular-nums}
thead th{color:var(--quiet);font-size:.8125rem;font-weight:600;white-space:nowrap}tbody th{font-weight:500}td.text{min-width:12rem}
th.number,td.number{text-align:right;padding-right:1.6rem;white-space:nowrap}time,.status{white-space:nowrap}.status{font-weight:600}
.shape{width:.9em;height:.9em;margin-right:.4em;fill:currentColor;fill-rule:evenodd;vertical-align:-.08em}.shapes{position:absolute;width:0;height:0}
.good{color:var(--good)}.bad{color:var(--bad)}.warning{color:var(--warning)}.strong{color:var(--strong)}.quiet{color:var(--quiet)}
summary{cursor:pointer;padding:.3rem 0}details.gate{border:1px solid var(--line);border-radius:8px;margin-top:.6rem;background:var(--card)}
details.gate>summary{padding:.6rem .9rem}details.gate>summary h3{margin-right:.6rem}.body{padding:.2rem .9rem .9rem;border-top:1px solid var(--line)}.body>*{margin-top:.7rem}
.graph{display:block}.graph rect{fill:var(--card);stroke:currentColor;stroke-width:1.5}.graph .bad rect{stroke-width:3}
.graph .pending rect,.graph .blocked rect,.graph .skipped rect,.graph .not-applicable rect{stroke-dasharray:5 4}
.graph text{font:600 14px system-ui,sans-serif;fill:var(--text)}.graph .small{font-weight:400;font-size:12.5px;fill:currentColor}.need{fill:none;stroke:var(--quiet);stroke-width:1.25}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--page);padding:.3rem .6rem}:focus-visible{outline:3px solid var(--link);outline-offset:2px}
@media (max-width:40rem){body{padding:0 .75rem 2rem}h1{font-size:1.3rem}.facts div{grid-template-columns:1fr;margin-top:.4rem}.figures{grid-template-columns:1fr 1fr}details.gate>summary,.body{padding-inline:.65rem}}
@media print{:root{color-scheme:light}body{max-width:none;padding:0;font-size:10pt}nav,.skip{display:none}pre{max-height:none;overflow:visible}.wide{overflow:visible}.graph{max-width:100%;height:auto}h2,h3,summary,thead{break-after:avoid}tr{break-inside:avoid}table{font-size:8.5pt}th,td,td.text,thead th,td.number,time{min-width:0;padding-right:.6rem;white-space:normal;overflow-wrap:anywhere}details::details-content{content-visibility:visible;block-size:auto}}
`;

/** The policy that permits this style and nothing else: no script, no network, no form. */
export const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;

const CIRCLE = 'M8 0a8 8 0 1 0 0 16A8 8 0 0 0 8 0Z';
const RING = `${CIRCLE}m0 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2Z`;
const OCTAGON = 'M5 0h6l5 5v6l-5 5H5l-5-5V5Z';

/** A shape of 16 × 16 for each status, which tells statuses apart without colours. */
const SHAPES = {
  'passed completed': `${CIRCLE}M3.8 8.3l1.4-1.4 1.8 1.8 3.8-3.8 1.4 1.4L7 11.5Z`,
  'failed error': `${OCTAGON}M5.2 3.8 8 6.6l2.8-2.8 1.4 1.4L9.4 8l2.8 2.8-1.4 1.4L8 9.4l-2.8 2.8-1.4-1.4L6.6 8 3.8 5.2Z`,
  lost: `${OCTAGON}M7 3.3v5.4h2V3.3ZM7 10.5v2h2v-2Z`,
  partial: 'M8 .5 16 15H0ZM7 6v4.5h2V6ZM7 11.5v2h2v-2Z',
  paused: 'M2 0h12l2 2v12l-2 2H2l-2-2V2ZM4.5 4v8h2.2V4ZM9.3 4v8h2.2V4Z',
  'running executing': `${RING}M8 4a4 4 0 0 1 0 8Z`,
  'pending initializing': RING,
  skipped: 'M1 3l6 5-6 5ZM8 3l6 5-6 5Z',
  rollback: 'M15 3 9 8l6 5ZM8 3 2 8l6 5Z',
  'not-applicable': `${RING}M4.5 7h7v2h-7Z`,
  blocked: `${RING}M3.3 11.3l8-8 1.4 1.4-8 8Z`,
  closed: 'M2 2h12v12H2Z',
};
const symbols = Object.entries(SHAPES).flatMap(([statuses, path]) =>
  statuses.split(' ').map((status) => `<symbol id="shape-${status}" viewBox="0 0 16 16"><path d="${path}"/></symbol>`),
);

/** The shapes, once for the whole page. */
export const SYMBOLS = `<svg class="shapes" aria-hidden="true">${symbols.join('')}</svg>`;
