import { digestOf, hexOf } from '../../json/digest.ts';
import { Buffer } from 'node:buffer';
import { GRAPH_STYLE } from '../graph/graph-svg.ts';

/** The colours of the page, in light and in dark. Every text has a contrast of 4.5:1 or more with what is behind it. */
const COLOURS = `
:root{color-scheme:light dark;--page:#fff;--text:#1f2328;--quiet:#59636e;--line:#d1d9e0;--code:#f6f8fa;--link:#0550ae;--good:#116329;--bad:#a40e26;--warning:#7d4e00;--strong:#0550ae}
@media screen and (prefers-color-scheme:dark){:root{--page:#0d1117;--text:#e6edf3;--quiet:#9da7b1;--line:#3d444d;--code:#161b22;--link:#79c0ff;--good:#56d364;--bad:#ff8f88;--warning:#e3b341;--strong:#79c0ff}
.graph text{fill:#e6edf3}.graph .small{fill:#b6c0ca}.graph .good{fill:#12361f;stroke:#3fb950}.graph .bad{fill:#4a1518;stroke:#f85149}.graph .warning{fill:#3d2e00;stroke:#d29922}.graph .strong{fill:#0c2d6b;stroke:#58a6ff}.graph .quiet{fill:#21262d;stroke:#8c959f}}`;

const LAYOUT = `
*{box-sizing:border-box}
body{margin:0 auto;max-width:76rem;padding:1rem;background:var(--page);color:var(--text);font:1rem/1.5 ui-sans-serif,system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.5rem}h2{font-size:1.25rem;margin-top:2.5rem;border-bottom:1px solid var(--line)}h3{font-size:1.1rem;margin-bottom:.3rem}h4{font-size:1rem;margin-bottom:.3rem}
a{color:var(--link)}
a:focus-visible,summary:focus-visible,.wide:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}
caption{text-align:left;color:var(--quiet)}
th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line);min-width:4rem}
dl{display:grid;grid-template-columns:minmax(6rem,auto) 1fr;gap:.2rem 1rem}dt{color:var(--quiet)}dd{margin:0}
pre{background:var(--code);padding:.6rem;white-space:pre-wrap;max-height:40rem;overflow-y:auto}
code{background:var(--code)}
summary{cursor:pointer;padding:.2rem 0}
article{border-top:1px solid var(--line);margin-top:1.5rem}
.note{color:var(--quiet)}
.good{color:var(--good)}.bad{color:var(--bad)}.warning{color:var(--warning)}.strong{color:var(--strong)}.quiet{color:var(--quiet)}
.chart text{font:12px ui-sans-serif,system-ui,sans-serif;fill:var(--text)}
.chart .good{fill:var(--good)}.chart .bad{fill:var(--bad)}.chart .warning{fill:var(--warning)}.chart .strong{fill:var(--strong)}.chart .quiet{fill:var(--quiet)}
.chart line{stroke:var(--line)}.chart polyline{fill:none;stroke:var(--strong);stroke-width:2}
@media (max-width:40rem){body{padding:.6rem}dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}}
@media print{:root{color-scheme:light;--text:#000;--quiet:#444;--line:#999;--code:#fff}body{max-width:none}pre{max-height:none;overflow:visible;border:1px solid #999}.wide{overflow:visible}svg{max-width:100%;height:auto}nav{display:none}h2,h3,h4{break-after:avoid}details::details-content{content-visibility:visible}}
`;

/** The style of the page, byte for byte what is between its tags. */
export const STYLE = `${GRAPH_STYLE}${COLOURS}${LAYOUT}`;

/** The policy that permits this style and nothing else: no script, no network. */
export const POLICY = `default-src 'none'; style-src 'sha256-${Buffer.from(hexOf(digestOf(STYLE)), 'hex').toString('base64')}'; img-src data:`;
