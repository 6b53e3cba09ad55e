export const id = 528;
export const ids = [528];
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
// EXTERNAL MODULE: ./build/run/record.js
var run_record = __webpack_require__(1265);
// EXTERNAL MODULE: ./build/verdict/contract.js
var contract = __webpack_require__(1790);
// EXTERNAL MODULE: ./build/engine/attempt.js + 2 modules
var attempt = __webpack_require__(3403);
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
        throw new gateline_error/* GatelineError */.Mk('platform', 'ATTEMPT_LOST', `the directory of attempt ${started.n} of gate ${unit.key} is gone`, {
            hint: 'Begin the gate again.',
        });
    }
    await useContractOf(call, started, unit.gate.id);
    // Before anything is recorded: a contract that cannot judge is no verdict on what the agent made.
    await call.contracts.compile(unit.gate);
    const exitCode = completion.exitCode ?? 0;
    const result = { outcome: 'exited', exitCode, stdout: '', stderr: '' };
    const ended = await (0,attempt/* finishAttempt */.T)(call, { unit, started, directory, baseline, hasFeedback: false }, result);
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
    const kept = read.state === 'present' ? JSON.parse(new TextDecoder().decode(read.value)) : undefined;
    const request = (0,difference/* asRequest */.St)(kept);
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
    const expired = started.deadline !== undefined && Date.parse(started.deadline) <= call.ports.now().getTime();
    if (later || expired) {
        throw new gateline_error/* GatelineError */.Mk('user', 'CLAIM_EXPIRED', `gate ${started.gate}: this claim ${later ? 'was taken over by a later attempt' : `ended at ${started.deadline}`}`, {
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
    const token = (0,command/* textOption */.v)(options, 'token') ?? world.environment[environment/* CLI_VARIABLES */.PM.token] ?? '';
    if (token === '') {
        throw new gateline_error/* GatelineError */.Mk('user', 'TOKEN_MISSING', 'there is no token', {
            hint: 'Pass `--token`, or keep GATELINE_TOKEN as `gateline begin` printed it.',
        });
    }
    const exitCode = exitCodeGiven((0,command/* textOption */.v)(options, 'exit-code'));
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

/***/ 9906:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   KD: () => (/* binding */ copierOf),
/* harmony export */   KQ: () => (/* binding */ missingContent),
/* harmony export */   Vh: () => (/* binding */ readJson),
/* harmony export */   oy: () => (/* binding */ missingOf)
/* harmony export */ });
/* harmony import */ var _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7974);
/* harmony import */ var _run_fold_unit_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(8466);


/**
 * A JSON value that was kept, verified by its digest.
 * @throws GatelineError `CONTENT_MISSING` when it is not there as it should be, `CONTENT_TOO_LARGE` above the limit.
 */
async function readJson(store, content, options) {
    if (options.limit !== undefined && content.bytes > options.limit) {
        throw new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk('user', 'CONTENT_TOO_LARGE', `${options.what}: ${content.bytes} bytes are more than the ${options.limit} that can be looked into here`);
    }
    const read = await store.get(content.digest);
    if (read.state !== 'present')
        throw missingContent(options.what, content.digest, read.state === 'unknown' ? read.problem.message : 'it is not there');
    // Sound by its digest: it was parsed by the guarded parser and written in canonical form before.
    return JSON.parse(Buffer.from(read.value.buffer, read.value.byteOffset, read.value.byteLength).toString('utf8'));
}
/** The store's `copyTo`, for whoever places content in files. */
function copierOf({ ports: { store }, }) {
    return (digest, path, mode) => store.copyTo(digest, path, mode);
}
/** The error for content that is gone or altered. */
function missingContent(what, digest, why) {
    return new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk('platform', 'CONTENT_MISSING', `${what} (${digest.slice(0, 19)}…) cannot be read: ${why}`, {
        hint: 'Run the gate that made it again: gateline decide force <gate>, then gateline run.',
    });
}
/** Digests among an attempt's contents that are not there as they should be. */
async function missingOf(store, ended) {
    const missing = [];
    for (const digest of new Set((0,_run_fold_unit_js__WEBPACK_IMPORTED_MODULE_1__/* .contentsOf */ .KD)(ended).map((content) => content.digest))) {
        if ((await store.check(digest)).state !== 'present')
            missing.push(digest);
    }
    return missing;
}


/***/ }),

/***/ 9412:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  _: () => (/* binding */ judgeAgain),
  h: () => (/* binding */ judgeValue)
});

// EXTERNAL MODULE: ./build/untrusted/json.js
var json = __webpack_require__(5443);
// EXTERNAL MODULE: ./build/pipeline/pointer.js
var pipeline_pointer = __webpack_require__(2534);
// EXTERNAL MODULE: ./build/verdict/json-pointer.js
var json_pointer = __webpack_require__(8262);
;// CONCATENATED MODULE: ./build/run/exports.js



/**
 * The parts of an output that pointers name, at the places where they stand in the whole: `/a/b` of
 * `{a: {b: 1, c: 2}}` is `{a: {b: 1}}`. Parts of an array become an object keyed by index. `''` is the value itself.
 * A pointer that names nothing is left out: the contract has seen to it that there is none.
 */
function exportsOf(value, pointers) {
    if (pointers.includes(''))
        return value;
    const result = Object.create(null);
    for (const pointer of pointers) {
        const part = (0,json_pointer/* valueAt */.f)(value, pointer);
        if (part !== undefined)
            place(result, (0,pipeline_pointer/* pointerSegments */.cP)(pointer), part);
    }
    return result;
}
function place(into, tokens, part) {
    let at = into;
    for (const token of tokens.slice(0, -1)) {
        const next = Object.hasOwn(at, token) ? at[token] : undefined;
        if ((0,json/* isJsonObject */.O)(next))
            at = next;
        else
            at = at[token] = Object.create(null);
    }
    at[tokens.at(-1)] = part;
}

// EXTERNAL MODULE: ./build/engine/content.js
var content = __webpack_require__(9906);
// EXTERNAL MODULE: ./build/engine/keep-json.js
var keep_json = __webpack_require__(1405);
;// CONCATENATED MODULE: ./build/engine/judge-again.js



/** Judges an output by a unit's contract: the verdict, and the exported part when there is nothing against it. */
async function judgeValue(call, unit, value, whole) {
    const { judge } = await __webpack_require__.e(/* import() */ 2).then(__webpack_require__.bind(__webpack_require__, 6002));
    const compiled = await call.contracts.compile(unit.gate);
    const verdict = await judge(compiled, value, {
        subject: call.assignment.subject,
        metadata: call.assignment.metadata,
    });
    if (verdict.status === 'failed')
        return { verdict, exports: undefined };
    const pointers = compiled.contract.exports;
    return {
        verdict,
        exports: pointers === undefined ? whole : await (0,keep_json/* keepJson */.C)(call.ports.store, exportsOf(value, pointers)),
    };
}
/** Judges the output of an earlier attempt again, because the contract changed since. */
async function judgeAgain(call, unit, ended) {
    const value = await (0,content/* readJson */.Vh)(call.ports.store, ended.value, { what: `output of ${unit.key}` });
    return judgeValue(call, unit, value, ended.value);
}


/***/ }),

/***/ 1405:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   C: () => (/* binding */ keepJson)
/* harmony export */ });
/* harmony import */ var _run_canonical_json_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7999);

/** Keeps a value in canonical form, in chunks: its digest is that of the value itself. */
function keepJson(store, value) {
    return store.putStream((0,_run_canonical_json_js__WEBPACK_IMPORTED_MODULE_0__/* .canonicalChunks */ .Fp)(value));
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


/***/ }),

/***/ 5663:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   St: () => (/* binding */ asRequest),
/* harmony export */   g7: () => (/* binding */ describeDifferences),
/* harmony export */   tX: () => (/* binding */ differences)
/* harmony export */ });
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(2857);
/* harmony import */ var _canonical_json_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7999);
/* harmony import */ var _request_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(3311);



/** What makes one request another than the one before it, in the order in which people should read it. */
function differences(before, after) {
    return [
        ...compareMaps('export', before.needs, after.needs),
        ...compareMaps('file', before.inputs.files, after.inputs.files),
        ...single('command', 'inputs', before.inputs.from, after.inputs.from),
        ...single('command', 'run', before.definition.run, after.definition.run),
        ...single('command', 'shell', before.definition.shell, after.definition.shell),
        ...single('command', 'working-directory', before.definition.workingDirectory, after.definition.workingDirectory),
        ...single('command', 'files', before.definition.files, after.definition.files),
        ...compareMaps('with', before.definition.with, after.definition.with),
        ...compareMaps('env', before.definition.env, after.definition.env),
        ...compareMaps('matrix', before.matrix, after.matrix),
        ...compareMaps('metadata', before.metadata, after.metadata),
        ...single('subject', 'subject', before.subject, after.subject),
        ...single('input', 'input', before.input, after.input),
        ...compareMaps('tool', before.tools, after.tools),
        ...compareMaps('secret', namesAsMap(before.secrets), namesAsMap(after.secrets)),
        ...compareMaps('platform', before.platform, after.platform),
        ...single('format', 'format', before.format, after.format),
    ];
}
/** A request read back from a store, or `undefined` when it is not one of this version. */
function asRequest(value) {
    return requestShape.safeParse(value).success ? value : undefined;
}
const object = zod__WEBPACK_IMPORTED_MODULE_2__/* .record */ .g1P(zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP(), zod__WEBPACK_IMPORTED_MODULE_2__/* .unknown */ .L5J());
/** As much of a request's shape as comparing two of them relies on. */
const requestShape = zod__WEBPACK_IMPORTED_MODULE_2__/* .looseObject */ ._H3({
    format: zod__WEBPACK_IMPORTED_MODULE_2__/* .literal */ .euz(_request_js__WEBPACK_IMPORTED_MODULE_1__/* .REQUEST_FORMAT */ .AX),
    matrix: object,
    metadata: object,
    definition: zod__WEBPACK_IMPORTED_MODULE_2__/* .looseObject */ ._H3({ with: object, env: object }),
    inputs: zod__WEBPACK_IMPORTED_MODULE_2__/* .looseObject */ ._H3({ files: object }),
    needs: object,
    secrets: zod__WEBPACK_IMPORTED_MODULE_2__/* .array */ .YOg(zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP()),
    tools: object,
    platform: object,
});
const SHOWN = 3;
/** Differences as a sentence: the first few of each sort, the rest counted. */
function describeDifferences(found) {
    if (found.length === 0)
        return 'nothing that it is given changed';
    const sorts = Map.groupBy(found, (difference) => difference.what);
    return [...sorts].map(([what, list]) => describeSort(what, list)).join('; ');
}
function describeSort(what, list) {
    const names = list.slice(0, SHOWN).map(({ name, change }) => (change === 'changed' ? name : `${name} (${change})`));
    const more = list.length > SHOWN ? ` and ${list.length - SHOWN} more` : '';
    if (what === 'export')
        return `exports of ${names.join(', ')}${more} changed`;
    if (what === 'subject' || what === 'input' || what === 'format')
        return `the ${what} changed`;
    return `${what}${list.length > 1 ? 's' : ''} ${names.join(', ')}${more} changed`;
}
function compareMaps(what, before, after) {
    const old = new Map(Object.entries(before));
    const now = new Map(Object.entries(after));
    const found = [];
    for (const name of [...new Set([...old.keys(), ...now.keys()])].sort()) {
        if (!old.has(name))
            found.push({ what, name, change: 'added' });
        else if (!now.has(name))
            found.push({ what, name, change: 'removed' });
        else if (!same(old.get(name), now.get(name)))
            found.push({ what, name, change: 'changed' });
    }
    return found;
}
function single(what, name, before, after) {
    return same(before, after) ? [] : [{ what, name, change: 'changed' }];
}
function same(a, b) {
    return a === b || (0,_canonical_json_js__WEBPACK_IMPORTED_MODULE_0__/* .canonicalJson */ .dj)(a) === (0,_canonical_json_js__WEBPACK_IMPORTED_MODULE_0__/* .canonicalJson */ .dj)(b);
}
function namesAsMap(names) {
    return Object.fromEntries(names.map((name) => [name, true]));
}


/***/ }),

/***/ 8617:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $m: () => (/* binding */ upstreamFiles),
/* harmony export */   Dr: () => (/* binding */ upstreamChanges),
/* harmony export */   wu: () => (/* binding */ leftByOthers)
/* harmony export */ });
/* harmony import */ var _record_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1265);
/* harmony import */ var _tree_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(3448);
/* harmony import */ var _unit_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2878);



/** Files of all ancestors, later gates over earlier ones. */
function upstreamFiles(graph, state, key) {
    const left = new Map();
    for (const by of (0,_unit_js__WEBPACK_IMPORTED_MODULE_1__/* .ancestorsOf */ .G)(graph, key)) {
        for (const change of state.units.get(by)?.ended?.files ?? []) {
            const others = left.get(change.path);
            if (others === undefined)
                left.set(change.path, [{ change, by }]);
            else
                others.push({ change, by });
        }
    }
    const files = [];
    const conflicts = [];
    for (const [path, all] of left) {
        const final = all.length === 1 ? all : withoutOvertaken(graph, all);
        const winner = final.at(-1);
        files.push(winner.change);
        const other = final.find(({ change }) => !(0,_tree_js__WEBPACK_IMPORTED_MODULE_2__/* .sameFile */ .V)(change.after, winner.change.after));
        if (other !== undefined)
            conflicts.push({ path, gates: [other.by, winner.by] });
    }
    return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), conflicts };
}
/** Changes of one path but for those by gates that another one of them comes after: that one found the file as they left it. */
function withoutOvertaken(graph, all) {
    const overtaken = new Set(all.flatMap(({ by }) => (0,_unit_js__WEBPACK_IMPORTED_MODULE_1__/* .ancestorsOf */ .G)(graph, by)));
    return all.filter(({ by }) => !overtaken.has(by));
}
/** Every change that a unit's ancestors made and that stands, handed on or not, in no particular order. */
function upstreamChanges(graph, state, key) {
    return (0,_unit_js__WEBPACK_IMPORTED_MODULE_1__/* .ancestorsOf */ .G)(graph, key).flatMap((ancestor) => {
        const ended = state.units.get(ancestor)?.ended;
        return ended === undefined ? [] : [...ended.files, ...ended.touched];
    });
}
/**
 * Every file that gates which are not upstream of this one (itself included) ever left behind: for `unwind`.
 * Failed attempts count too: what stands in the workspace may come from any of them.
 */
function leftByOthers(graph, records, key, runNumber) {
    const upstream = new Set((0,_unit_js__WEBPACK_IMPORTED_MODULE_1__/* .ancestorsOf */ .G)(graph, key));
    const ofThisRun = new Map();
    const ofOtherRuns = new Map();
    for (const record of records) {
        if (record.kind !== 'ended' || upstream.has((0,_record_js__WEBPACK_IMPORTED_MODULE_0__/* .unitOf */ .uF)(record)))
            continue;
        const madeIn = record.how === 'reused' ? record.source?.runNumber : record.runNumber;
        const into = madeIn === runNumber ? ofThisRun : ofOtherRuns;
        for (const change of [...record.files, ...record.touched]) {
            if ((0,_tree_js__WEBPACK_IMPORTED_MODULE_2__/* .sameFile */ .V)(change.before, change.after))
                continue;
            const identity = identityOf(change);
            const known = into.get(identity);
            if (known === undefined || (0,_record_js__WEBPACK_IMPORTED_MODULE_0__/* .comparePositions */ .Ez)(record, known.at) > 0)
                into.set(identity, { identity, change, at: record });
        }
    }
    return { ofThisRun: latestFirst(ofThisRun), ofOtherRuns: latestFirst(ofOtherRuns) };
}
function latestFirst(changes) {
    const sorted = [...changes.values()].sort((a, b) => (0,_record_js__WEBPACK_IMPORTED_MODULE_0__/* .comparePositions */ .Ez)(b.at, a.at) || (a.identity < b.identity ? -1 : 1));
    return sorted.map(({ change }) => change);
}
function identityOf({ path, before, after }) {
    return [path, before?.blob, before?.mode, after?.blob, after?.mode].join('\0');
}


/***/ }),

/***/ 3311:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   AX: () => (/* binding */ REQUEST_FORMAT),
/* harmony export */   GP: () => (/* binding */ needDigests),
/* harmony export */   ax: () => (/* binding */ fingerprintOf),
/* harmony export */   mK: () => (/* binding */ buildRequest)
/* harmony export */ });
/* harmony import */ var _canonical_json_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7999);

/** Version of the request; part of every fingerprint. */
const REQUEST_FORMAT = 'gateline-request/1';
/** The request of a unit. */
function buildRequest(unit, around, found) {
    const { gate, leg } = unit;
    return {
        format: REQUEST_FORMAT,
        pipeline: around.pipeline,
        gate: gate.id,
        leg: leg.id,
        matrix: leg.matrix,
        subject: around.subject,
        metadata: around.metadata,
        input: around.input,
        definition: {
            run: gate.run ?? null,
            shell: gate.shell,
            workingDirectory: gate.workingDirectory,
            with: gate.with,
            env: found.env,
            files: gate.files,
        },
        inputs: {
            from: gate.inputs === undefined ? 'tracked' : 'declared',
            files: Object.fromEntries([...found.tree].map(([path, file]) => [path, `${file.mode} ${file.blob}`])),
        },
        needs: found.needs,
        secrets: [...gate.secrets].sort(),
        tools: found.tools,
        platform: around.platform,
    };
}
/** The fingerprint of a request: sha256 of its canonical JSON. */
function fingerprintOf(request) {
    return (0,_canonical_json_js__WEBPACK_IMPORTED_MODULE_0__/* .digestOfJson */ .Qs)(request);
}
/** Digests of the needs as records hold them. */
function needDigests(request) {
    return Object.fromEntries(Object.entries(request.needs).map(([key, content]) => [key, content?.digest ?? null]));
}


/***/ })

};
