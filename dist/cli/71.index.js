export const id = 71;
export const ids = [71];
export const modules = {

/***/ 4071:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  execute: () => (/* binding */ execute)
});

// EXTERNAL MODULE: ./build/errors/gateline-error.js
var gateline_error = __webpack_require__(7974);
// EXTERNAL MODULE: ./build/pipeline/problem.js
var problem = __webpack_require__(9328);
// EXTERNAL MODULE: ./build/report/text.js
var report_text = __webpack_require__(3920);
// EXTERNAL MODULE: ./build/report/verdict-text.js
var verdict_text = __webpack_require__(2732);
// EXTERNAL MODULE: ./build/run/record.js
var run_record = __webpack_require__(1265);
// EXTERNAL MODULE: ./build/untrusted/escape.js
var untrusted_escape = __webpack_require__(2854);
// EXTERNAL MODULE: ./build/cli/exit-codes.js
var exit_codes = __webpack_require__(5158);
// EXTERNAL MODULE: ./build/cli/open.js + 25 modules
var cli_open = __webpack_require__(1831);
// EXTERNAL MODULE: ./build/cli/paint.js
var paint = __webpack_require__(9089);
// EXTERNAL MODULE: ./build/cli/print-json.js + 1 modules
var print_json = __webpack_require__(3174);
;// CONCATENATED MODULE: ./build/cli/commands/show-parts.js

/** What `gateline show` can show of a gate. */
const PARTS = [
    'verdict',
    'request',
    'output',
    'exports',
    'record',
    'stdout',
    'stderr',
    'learnings',
    'contract',
];
/** Parts that are text; the others are JSON. */
const TEXT_PARTS = new Set(['stdout', 'stderr', 'learnings']);
/** Digest of a part; `undefined` when there is none. */
function contentOf(call, unit, part) {
    const ended = latestOf(call, unit);
    switch (part) {
        case 'request':
            return claimOf(call, unit)?.request;
        case 'contract':
            return ended?.contract ?? unit.started?.contract;
        case 'output':
            return ended?.value?.digest;
        case 'exports':
            return ended?.exports?.digest;
        case 'stdout':
        case 'stderr':
            return ended?.logs[part]?.digest;
        case 'learnings':
            return ended?.learnings?.digest;
    }
}
/** Why there is none, as the end of a sentence. */
function whyAbsent(call, unit, part) {
    if (latestOf(call, unit) === undefined) {
        return unit.started === undefined ? 'its agent was not started yet' : 'its agent has not ended yet';
    }
    switch (part) {
        case 'output':
            return 'its agent wrote none that could be read';
        case 'exports':
            return 'only an output that meets the contract is handed on';
        case 'stdout':
        case 'stderr':
            return 'its agent printed nothing there';
        case 'learnings':
            return 'its agent wrote none';
        default:
            return 'no attempt of it was begun';
    }
}
/** The attempt that the status is about, else the latest that ended in this run. */
function latestOf(call, unit) {
    const { runNumber } = call.journal.state();
    const ended = call.journal.archive().ended.get(unit.key) ?? [];
    return unit.ended ?? ended.findLast((one) => one.runNumber === runNumber);
}
/** The claim of the attempt that the status is about; of a reused one, the claim of the attempt that stands in. */
function claimOf(call, unit) {
    const ended = latestOf(call, unit);
    const at = ended?.source ?? ended;
    const claims = call.journal
        .archive()
        .records.filter((record) => record.kind === 'started' && (0,run_record/* unitOf */.uF)(record) === unit.key);
    return (at && claims.find((record) => (0,run_record/* comparePositions */.Ez)(record, at) === 0)) ?? unit.started;
}

;// CONCATENATED MODULE: ./build/cli/commands/show.js











/** `gateline show GATE [PART]`: one thing that is kept of a gate. */
async function execute(invocation) {
    const { world, options, positionals } = invocation;
    const [key, name = 'verdict'] = positionals;
    const part = partNamed(name);
    const { call } = await (0,cli_open/* openToLook */.xx)(invocation);
    const units = call.journal.state().units;
    const unit = units.get(key);
    if (unit === undefined)
        throw unknownGate(key, [...units.keys()]);
    const json = options['json'] === true;
    if (part === 'verdict')
        showVerdict(world, call, unit, json);
    else if (part === 'record')
        (0,print_json/* printJson */.Q)(world, recordsOf(call, unit));
    else
        await showContent(world, call, unit, part, json);
    return exit_codes/* EXIT_CODES */.a.ok;
}
function partNamed(name) {
    const found = PARTS.find((part) => part === name);
    if (found !== undefined)
        return found;
    const meant = (0,problem/* didYouMean */.au)(name, PARTS);
    const suggestion = meant === undefined ? '' : `; ${meant}`;
    throw new gateline_error/* GatelineError */.Mk('user', 'PART_UNKNOWN', `there is no part ${name} of a gate${suggestion}`, {
        hint: `Parts: ${PARTS.join(', ')}.`,
    });
}
function unknownGate(key, known) {
    const legs = known.filter((one) => one.startsWith(`${key}/`));
    const meant = (0,problem/* didYouMean */.au)(key, known);
    const suggestion = legs.length > 0 ? '; name one of its legs' : meant === undefined ? '' : `; ${meant}`;
    return new gateline_error/* GatelineError */.Mk('user', 'GATE_UNKNOWN', `there is no gate ${key}${suggestion}`, {
        hint: legs.length > 0 ? `Legs: ${legs.join(', ')}.` : `Gates: ${known.join(', ')}.`,
    });
}
function showVerdict(world, call, unit, json) {
    const ended = latestOf(call, unit);
    const { key: gate, status, reason } = unit;
    if (json) {
        (0,print_json/* printJson */.Q)(world, { format: 'gateline-verdict/1', gate, status, reason, verdict: ended?.verdict ?? null });
        return;
    }
    if (ended === undefined || unit.status !== ended.verdict.status || unit.reused)
        world.out.write(`${(0,report_text/* oneLine */.TN)(gate)}: ${status}: ${(0,report_text/* oneLine */.TN)(reason)}\n`);
    if (ended === undefined)
        return;
    world.out.write((0,verdict_text/* verdictText */.n)(ended, { paint: (0,paint/* paintFor */.e)(world.out, world.environment) }));
    const kept = ['output', 'stdout', 'stderr'].filter((part) => contentOf(call, unit, part) !== undefined);
    for (const part of kept)
        world.out.write(`  ${part}: gateline show ${(0,report_text/* oneLine */.TN)(gate)} ${part}\n`);
}
function recordsOf(call, unit) {
    const { runNumber } = call.journal.state();
    return call.journal
        .archive()
        .records.filter((record) => (0,run_record/* unitOf */.uF)(record) === unit.key && record.runNumber === runNumber);
}
async function showContent(world, call, unit, part, json) {
    const digest = contentOf(call, unit, part);
    if (digest === undefined) {
        throw new gateline_error/* GatelineError */.Mk('user', 'PART_ABSENT', `gate ${unit.key} has no ${part}: ${whyAbsent(call, unit, part)}`, {
            hint: `\`gateline show ${unit.key}\` tells how it ended.`,
        });
    }
    const read = await call.ports.store.get(digest);
    if (read.state !== 'present') {
        const why = read.state === 'unknown' ? read.problem.message : 'it is not in the store any more';
        throw new gateline_error/* GatelineError */.Mk('platform', 'CONTENT_MISSING', `the ${part} of gate ${unit.key} cannot be read: ${why}`, {
            hint: `Make it anew: \`gateline run --force ${unit.key}\`.`,
        });
    }
    const text = new TextDecoder().decode(read.value);
    if (!TEXT_PARTS.has(part))
        (0,print_json/* printJson */.Q)(world, JSON.parse(text));
    else if (json)
        (0,print_json/* printJson */.Q)(world, { format: 'gateline-text/1', gate: unit.key, part, text });
    else
        world.out.write(world.out.interactive ? (0,untrusted_escape/* forTerminal */.Qf)(text) : text);
}


/***/ }),

/***/ 9089:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   e: () => (/* binding */ paintFor)
/* harmony export */ });
/* harmony import */ var _environment_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7853);
/* harmony import */ var _report_text_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(3920);


const CODES = { good: '32', bad: '31', warning: '33', quiet: '2', strong: '1' };
/** Colours for a screen: on a terminal, unless NO_COLOR is set; elsewhere only with FORCE_COLOR. */
function paintFor(screen, environment) {
    if ((environment[_environment_js__WEBPACK_IMPORTED_MODULE_0__/* .CLI_VARIABLES */ .PM.noColor] ?? '') !== '')
        return _report_text_js__WEBPACK_IMPORTED_MODULE_1__/* .plain */ .pj;
    const forced = !['', '0', undefined].includes(environment[_environment_js__WEBPACK_IMPORTED_MODULE_0__/* .CLI_VARIABLES */ .PM.forceColor]);
    if (!forced && !screen.interactive)
        return _report_text_js__WEBPACK_IMPORTED_MODULE_1__/* .plain */ .pj;
    return (tone, text) => (text === '' ? '' : `\u001B[${CODES[tone]}m${text}\u001B[0m`);
}


/***/ }),

/***/ 2732:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   n: () => (/* binding */ verdictText)
/* harmony export */ });
/* unused harmony export VERDICT_TEXT_LIMIT */
/* harmony import */ var node_buffer__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(4573);
/* harmony import */ var _untrusted_escape_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2854);
/* harmony import */ var _pipeline_pipeline_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(4469);
/* harmony import */ var _text_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(3920);
/* harmony import */ var _wording_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(2867);





/** The most that {@link verdictText} gives, in UTF-8 bytes without colours. */
const VERDICT_TEXT_LIMIT = 256 * 1_024;
const TONES = {
    passed: 'good',
    partial: 'warning',
    failed: 'bad',
    'not-applicable': 'quiet',
};
/**
 * Everything about one verdict, for `gateline show` and for logs: kind and what it means, score, each issue with its
 * pointer and rule, how the agent ended, what to do. Ends with a line break. Safe for terminals.
 */
function verdictText(ended, options = {}) {
    const paint = options.paint ?? _text_js__WEBPACK_IMPORTED_MODULE_2__/* .plain */ .pj;
    const { verdict } = ended;
    const head = `${(0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .oneLine */ .TN)((0,_pipeline_pipeline_js__WEBPACK_IMPORTED_MODULE_4__/* .unitKey */ .g)(ended.gate, ended.leg))}, ${(0,_wording_js__WEBPACK_IMPORTED_MODULE_3__/* .attemptText */ .zv)(ended)}: `;
    const lines = [
        head +
            paint(TONES[verdict.status], verdict.status === verdict.kind ? verdict.status : `${verdict.status} (${verdict.kind})`),
    ];
    lines.push(`  ${_wording_js__WEBPACK_IMPORTED_MODULE_3__/* .KIND_MEANING */ .vU[verdict.kind]}`);
    if (verdict.status !== 'not-applicable')
        lines.push(`  score: ${(0,_wording_js__WEBPACK_IMPORTED_MODULE_3__/* .scoreText */ .QO)(verdict.score)}`);
    lines.push(...endingOf(ended));
    if (verdict.issues.length > 0)
        lines.push(`  ${(0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .count */ .U9)(verdict.issues.length, 'issue')}:`, ...boundedIssues(verdict.issues));
    if (verdict.advice !== '')
        lines.push(`  what to do: ${(0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .oneLine */ .TN)(verdict.advice)}`);
    return `${lines.join('\n')}\n`;
}
function endingOf(ended) {
    const lines = [];
    if (ended.exitCode !== undefined)
        lines.push(`  exit code: ${ended.exitCode}`);
    if (ended.signal !== undefined)
        lines.push(`  ended by signal: ${(0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .oneLine */ .TN)(ended.signal)}`);
    const took = (0,_wording_js__WEBPACK_IMPORTED_MODULE_3__/* .durationText */ .S5)((0,_wording_js__WEBPACK_IMPORTED_MODULE_3__/* .endedAfter */ .rC)(ended));
    if (took !== '')
        lines.push(`  took: ${took}`);
    if (ended.source !== undefined)
        lines.push(`  output reused from ${(0,_wording_js__WEBPACK_IMPORTED_MODULE_3__/* .attemptText */ .zv)(ended.source)}`);
    return lines;
}
function boundedIssues(issues) {
    const lines = [];
    let left = VERDICT_TEXT_LIMIT - 32 * 1_024;
    for (const [index, issue] of issues.entries()) {
        const line = `    ${index + 1}. ${issueLine(issue)}`;
        left -= node_buffer__WEBPACK_IMPORTED_MODULE_0__.Buffer.byteLength(line);
        if (left < 0)
            return [...lines, `    … and ${issues.length - index} more: \`gateline show --json\` has them all`];
        lines.push(line);
    }
    return lines;
}
function issueLine({ severity, message, pointer, rule }) {
    const at = pointer === undefined ? '' : ` at ${pointer === '' ? 'the whole output' : (0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .oneLine */ .TN)((0,_untrusted_escape_js__WEBPACK_IMPORTED_MODULE_1__/* .truncateBytes */ .QY)(pointer, 512))}`;
    const by = rule === undefined ? '' : ` [${(0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .oneLine */ .TN)((0,_untrusted_escape_js__WEBPACK_IMPORTED_MODULE_1__/* .truncateBytes */ .QY)(rule, 512))}]`;
    return `${severity}${at}: ${(0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .oneLine */ .TN)((0,_untrusted_escape_js__WEBPACK_IMPORTED_MODULE_1__/* .truncateBytes */ .QY)(message, 2_048))}${by}`;
}


/***/ })

};
