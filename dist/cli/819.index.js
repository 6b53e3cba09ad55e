export const id = 819;
export const ids = [819];
export const modules = {

/***/ 819:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  execute: () => (/* binding */ execute)
});

// EXTERNAL MODULE: ./build/engine/claim-token.js
var claim_token = __webpack_require__(2443);
// EXTERNAL MODULE: ./build/errors/gateline-error.js
var gateline_error = __webpack_require__(7974);
// EXTERNAL MODULE: ./build/pipeline/pipeline.js
var pipeline = __webpack_require__(4469);
// EXTERNAL MODULE: ./build/run/digest.js
var digest = __webpack_require__(4612);
// EXTERNAL MODULE: ./build/run/difference.js
var difference = __webpack_require__(5663);
// EXTERNAL MODULE: ./build/run/decisions.js
var decisions = __webpack_require__(1893);
// EXTERNAL MODULE: ./build/run/record.js
var run_record = __webpack_require__(1265);
// EXTERNAL MODULE: ./build/verdict/contract.js
var contract = __webpack_require__(1790);
// EXTERNAL MODULE: ./build/engine/attempt.js + 3 modules
var attempt = __webpack_require__(2423);
// EXTERNAL MODULE: ./build/engine/call.js + 3 modules
var engine_call = __webpack_require__(7423);
// EXTERNAL MODULE: ./build/engine/baseline-file.js
var baseline_file = __webpack_require__(5907);
;// CONCATENATED MODULE: ./build/engine/complete.js











/**
 * Completes a gate that was begun: collects what the agent left, judges it by the contract that was fixed when it
 * began, and records what it came to.
 * @throws GatelineError `TOKEN_INVALID`, `TOKEN_UNKNOWN`, `ALREADY_COMPLETED`, `CLAIM_EXPIRED`
 */
async function completeGate(ports, assignment, completion, observe) {
    const token = (0,claim_token/* readToken */.AI)(completion.token);
    const opened = await (0,engine_call/* openCall */.L)(ports, { ...assignment, subject: token.subject }, observe, { runNumber: token.run });
    const { call, unit, started } = await claimOf(opened, token);
    refuseEnded(call, started);
    const directory = await ports.attempts.open(started);
    const baseline = directory && (await (0,baseline_file/* readBaseline */.m)(directory));
    if (directory === undefined || baseline === undefined) {
        const what = directory === undefined ? 'its directory is gone' : 'baseline.json in its directory is gone or was altered';
        const lost = new gateline_error/* GatelineError */.Mk('platform', 'ATTEMPT_LOST', `attempt ${started.n} of gate ${unit.key}: ${what}`, {
            hint: 'Begin the gate again.',
        });
        await (0,attempt/* endWith */.qZ)(call, unit, started, lost);
        throw lost;
    }
    await useContractOf(call, started, unit.gate.id);
    // Before anything is recorded: a contract that cannot judge is no verdict on what the agent made.
    await call.contracts.compile(unit.gate);
    const exitCode = completion.exitCode ?? 0;
    const result = { outcome: 'exited', exitCode, stdout: '', stderr: '' };
    const ended = await (0,attempt/* finishAttempt */.Tq)(call, { unit, started, directory, baseline, hasFeedback: false }, result);
    await observe({ type: 'ended', unit: unit.key, record: ended, state: call.journal.state(), retrying: false });
    return ended;
}
/** The claim that a token names, in a call with the metadata that the gate was begun with: checks may speak of it. */
async function claimOf(opened, token) {
    const unit = opened.graph.get((0,pipeline/* unitKey */.g)(token.gate, token.leg));
    const started = opened.journal
        .records()
        .find((record) => record.kind === 'started' && (0,claim_token/* tokenMatches */.zy)(token, record));
    if (unit === undefined || started === undefined) {
        throw new gateline_error/* GatelineError */.Mk('user', 'TOKEN_UNKNOWN', `no claim of gate ${token.gate} is what this token says`, {
            hint: 'Complete a gate in the workspace in which it was begun, with the token that was printed there.',
        });
    }
    const read = await opened.ports.store.get(started.request);
    const text = read.state === 'present' ? new TextDecoder().decode(read.value) : 'null';
    const request = (0,difference/* asRequest */.St)(JSON.parse(text));
    if (request === undefined) {
        throw new gateline_error/* GatelineError */.Mk('platform', 'CONTENT_MISSING', `the request that gate ${unit.key} was begun with cannot be read`, {
            hint: 'Begin the gate again.',
        });
    }
    return { call: { ...opened, assignment: { ...opened.assignment, metadata: request.metadata } }, unit, started };
}
function refuseEnded(call, started) {
    for (const record of call.journal.records()) {
        if (record.kind !== 'ended' || record.gate !== started.gate || record.leg !== started.leg)
            continue;
        if ((0,run_record/* comparePositions */.Ez)(record, started) === 0) {
            throw new gateline_error/* GatelineError */.Mk('user', 'ALREADY_COMPLETED', `gate ${started.gate}: attempt ${started.n} has ended already (${record.verdict.status})`);
        }
    }
    const later = call.journal
        .records()
        .some((record) => record.kind === 'started' &&
        record.gate === started.gate &&
        record.leg === started.leg &&
        (0,run_record/* comparePositions */.Ez)(record, started) > 0);
    const ruling = (0,decisions/* rulingOn */.Pv)(started, call.journal.archive().decisions.get((0,run_record/* unitOf */.uF)(started)) ?? { decided: [], unknownAt: undefined }, call.ports.now().toISOString());
    const expired = started.deadline !== undefined && Date.parse(started.deadline) <= call.ports.now().getTime();
    if (later || expired || ruling.ruling === 'voided') {
        const ended = ruling.ruling === 'voided' ? `was given up by ${ruling.by.actor}` : `ended at ${started.deadline}`;
        throw new gateline_error/* GatelineError */.Mk('user', 'CLAIM_EXPIRED', `gate ${started.gate}: this claim ${later ? 'was taken over by a later attempt' : ended}`, {
            hint: 'What this attempt made is not used. Begin the gate again; raise timeout-minutes if it needs longer.',
        });
    }
}
/** The contract object that was kept when the claim was taken judges, whatever the workspace says by now. */
async function useContractOf(call, started, gate) {
    const read = await call.ports.store.get(started.contract);
    if (read.state !== 'present' || (0,digest/* digestOf */.ol)(read.value) !== started.contract) {
        throw new gateline_error/* GatelineError */.Mk('platform', 'CONTENT_MISSING', `the contract that gate ${gate} was begun with cannot be read`, { hint: 'Begin the gate again.' });
    }
    const value = JSON.parse(new TextDecoder().decode(read.value));
    call.contracts.fix(gate, { contract: (0,contract/* parseContract */.UA)(value), digest: started.contract });
}

// EXTERNAL MODULE: ./build/environment.js
var environment = __webpack_require__(7853);
// EXTERNAL MODULE: ./build/report/text.js
var report_text = __webpack_require__(3920);
// EXTERNAL MODULE: ./build/report/verdict-text.js
var verdict_text = __webpack_require__(2732);
// EXTERNAL MODULE: ./build/cli/advice.js + 1 modules
var advice = __webpack_require__(6911);
// EXTERNAL MODULE: ./build/cli/command.js
var command = __webpack_require__(3192);
// EXTERNAL MODULE: ./build/cli/open.js + 25 modules
var cli_open = __webpack_require__(1831);
// EXTERNAL MODULE: ./build/cli/outcome.js
var outcome = __webpack_require__(1545);
// EXTERNAL MODULE: ./build/cli/paint.js
var paint = __webpack_require__(9089);
// EXTERNAL MODULE: ./build/cli/print-json.js + 1 modules
var print_json = __webpack_require__(3174);
;// CONCATENATED MODULE: ./build/cli/commands/complete.js













/** `gateline complete`: judges what an agent left that ran by itself. */
async function execute(invocation) {
    const { world, options } = invocation;
    const token = (0,command/* textOption */.vU)(options, 'token') ?? world.environment[environment/* CLI_VARIABLES */.PM.token] ?? '';
    if (token === '') {
        throw new gateline_error/* GatelineError */.Mk('user', 'TOKEN_MISSING', 'there is no token', {
            hint: 'Pass `--token`, or keep GATELINE_TOKEN as `gateline begin` printed it.',
        });
    }
    const exitCode = exitCodeGiven((0,command/* textOption */.vU)(options, 'exit-code'));
    const { subject } = (0,claim_token/* readToken */.AI)(token);
    const here = await (0,cli_open/* open */.ho)(invocation, await (0,cli_open/* loadFor */.kF)(invocation), { readOnly: false });
    // The token says what it is about; what the branch is called by now does not count.
    const opened = { ...here, assignment: { ...here.assignment, subject } };
    const about = here.assignment.subject === subject ? options : { ...options, subject };
    const ended = await completeGate(opened.ports, opened.assignment, { token, exitCode }, (event) => {
        if (event.type === 'notice')
            world.err.write(`note: ${(0,report_text/* oneLine */.TN)(event.message)}\n`);
    });
    const state = await (0,cli_open/* projectOnce */.$6)(world, opened);
    const unit = state.units.get((0,pipeline/* unitKey */.g)(ended.gate, ended.leg));
    if (options['json']) {
        const { status = 'failed', reason = '' } = unit ?? {};
        const gate = (0,pipeline/* unitKey */.g)(ended.gate, ended.leg);
        (0,print_json/* printJson */.Q)(world, { format: 'gateline-verdict/1', gate, status, reason, verdict: ended.verdict });
    }
    else {
        world.out.write((0,verdict_text/* verdictText */.n)(ended, { paint: (0,paint/* paintFor */.e)(world.out, world.environment) }));
        for (const line of (0,advice/* adviceLines */.C)(state, { graph: opened.graph, options: about }))
            world.out.write(`${line}\n`);
    }
    return (0,outcome/* exitCodeOfUnit */.r)(unit);
}
function exitCodeGiven(text) {
    const code = Number(text ?? 0);
    if (text?.trim() !== '' && Number.isInteger(code) && code >= 0 && code <= 255)
        return code;
    throw new gateline_error/* GatelineError */.Mk('user', 'OPTION_VALUE', `--exit-code ${text}: expected a whole number from 0 to 255`, {
        hint: 'Pass what the shell has in `$?` right after the agent.',
    });
}


/***/ }),

/***/ 1545:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   m: () => (/* binding */ exitCodeOfRun),
/* harmony export */   r: () => (/* binding */ exitCodeOfUnit)
/* harmony export */ });
/* harmony import */ var _exit_codes_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(5158);
/* harmony import */ var _report_error_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(9980);


/** The exit code of a call that drove a run. With `--gate`, only the gates that were asked for decide. */
function exitCodeOfRun(result, graph, only) {
    const { state, errors } = result;
    if (result.cancelled)
        return _exit_codes_js__WEBPACK_IMPORTED_MODULE_0__/* .EXIT_CODES */ .a.interrupted;
    const units = [...state.units.values()];
    const asked = only === undefined ? units : units.filter((unit) => only.has(unit.gate));
    if (asked.every(isWell))
        return _exit_codes_js__WEBPACK_IMPORTED_MODULE_0__/* .EXIT_CODES */ .a.ok;
    const codes = errors.map(_report_error_js__WEBPACK_IMPORTED_MODULE_1__/* .exitCodeOfError */ .LL);
    const worst = [_exit_codes_js__WEBPACK_IMPORTED_MODULE_0__/* .EXIT_CODES */ .a.busy, _exit_codes_js__WEBPACK_IMPORTED_MODULE_0__/* .EXIT_CODES */ .a.usage, _exit_codes_js__WEBPACK_IMPORTED_MODULE_0__/* .EXIT_CODES */ .a.platform].find((code) => codes.includes(code));
    if (worst !== undefined)
        return worst;
    if (asked.some((unit) => !unit.done && TROUBLE.has(unit.status)))
        return _exit_codes_js__WEBPACK_IMPORTED_MODULE_0__/* .EXIT_CODES */ .a.gateFailed;
    const waits = units.some((unit) => unit.status === 'paused' || unit.status === 'running' || isAwaited(unit, graph));
    return waits ? _exit_codes_js__WEBPACK_IMPORTED_MODULE_0__/* .EXIT_CODES */ .a.paused : _exit_codes_js__WEBPACK_IMPORTED_MODULE_0__/* .EXIT_CODES */ .a.gateFailed;
}
/** The exit code of one gate's new state. */
function exitCodeOfUnit(unit) {
    if (unit !== undefined && isWell(unit))
        return _exit_codes_js__WEBPACK_IMPORTED_MODULE_0__/* .EXIT_CODES */ .a.ok;
    return unit?.status === 'paused' ? _exit_codes_js__WEBPACK_IMPORTED_MODULE_0__/* .EXIT_CODES */ .a.paused : _exit_codes_js__WEBPACK_IMPORTED_MODULE_0__/* .EXIT_CODES */ .a.gateFailed;
}
/** Done, or as far as it can be: a gate passed with input that stood in for its needs is not done until they are. */
function isWell(unit) {
    return unit.done || unit.status === 'passed';
}
const TROUBLE = new Set(['failed', 'lost', 'partial']);
/** Its agent runs by itself, and could begin now. */
function isAwaited(unit, graph) {
    return unit.status === 'ready' && graph.get(unit.key)?.gate.run === undefined;
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

/***/ 2443:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   AI: () => (/* binding */ readToken),
/* harmony export */   B9: () => (/* binding */ tokenOf),
/* harmony export */   zy: () => (/* binding */ tokenMatches)
/* harmony export */ });
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(2857);
/* harmony import */ var _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7974);
/* harmony import */ var _run_digest_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(4612);



const tokenSchema = zod__WEBPACK_IMPORTED_MODULE_2__/* .strictObject */ .rej({
    v: zod__WEBPACK_IMPORTED_MODULE_2__/* .literal */ .euz(1),
    subject: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP(),
    gate: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP(),
    leg: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP(),
    run: zod__WEBPACK_IMPORTED_MODULE_2__/* .int */ .Whr(),
    call: zod__WEBPACK_IMPORTED_MODULE_2__/* .int */ .Whr(),
    n: zod__WEBPACK_IMPORTED_MODULE_2__/* .int */ .Whr(),
    fingerprint: _run_digest_js__WEBPACK_IMPORTED_MODULE_1__/* .digestSchema */ .er,
    contract: _run_digest_js__WEBPACK_IMPORTED_MODULE_1__/* .digestSchema */ .er,
});
/** The token of a claim, URL-safe text. */
function tokenOf(started) {
    const { subject, gate, leg, runNumber, runAttempt, n, fingerprint, contract } = started;
    const token = { v: 1, subject, gate, leg, run: runNumber, call: runAttempt, n, fingerprint, contract };
    return Buffer.from(JSON.stringify(token)).toString('base64url');
}
/** @throws GatelineError `TOKEN_INVALID` */
function readToken(text) {
    try {
        return tokenSchema.parse(JSON.parse(Buffer.from(text.trim(), 'base64url').toString('utf8')));
    }
    catch (cause) {
        throw new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk('user', 'TOKEN_INVALID', 'this is not a token that `gateline begin` gave', {
            hint: 'Pass the token as it was printed, whole.',
            cause,
        });
    }
}
/** Whether a claim is the one that a token names, with the same request and contract. */
function tokenMatches(token, started) {
    return (token.gate === started.gate &&
        token.leg === started.leg &&
        token.run === started.runNumber &&
        token.call === started.runAttempt &&
        token.n === started.n &&
        token.fingerprint === started.fingerprint &&
        token.contract === started.contract);
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
