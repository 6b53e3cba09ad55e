export const id = 720;
export const ids = [720];
export const modules = {

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

/***/ 6680:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  M: () => (/* binding */ planUnit)
});

// EXTERNAL MODULE: ./build/errors/gateline-error.js
var gateline_error = __webpack_require__(7974);
// EXTERNAL MODULE: ./build/run/difference.js
var difference = __webpack_require__(5663);
// EXTERNAL MODULE: ./build/run/decisions.js
var decisions = __webpack_require__(1893);
// EXTERNAL MODULE: ./build/run/fold-unit.js
var fold_unit = __webpack_require__(8466);
// EXTERNAL MODULE: ./build/run/request.js
var run_request = __webpack_require__(3311);
// EXTERNAL MODULE: ./build/run/reuse.js
var reuse = __webpack_require__(2322);
// EXTERNAL MODULE: ./build/run/record.js
var run_record = __webpack_require__(1265);
// EXTERNAL MODULE: ./build/engine/content.js
var content = __webpack_require__(9906);
;// CONCATENATED MODULE: ./build/engine/condition.js


/** Larger exports are not read for a condition; it fails with a reason instead. */
const CONDITION_LIMIT = 16 * 1024 * 1024;
/**
 * Whether a unit applies: its `if`, with what its needs came to. A unit without `if` always does.
 * @throws GatelineError `CONDITION_UNDECIDED` when the condition speaks of something that is not there.
 */
async function evaluateIf(call, unit) {
    const condition = unit.gate.if;
    if (condition === undefined)
        return { choice: true, reason: 'it has no condition' };
    const { evaluateCondition } = await Promise.resolve(/* import() */).then(__webpack_require__.bind(__webpack_require__, 9879));
    const needs = {};
    for (const gate of unit.gate.needs)
        needs[gate] = await viewOfGate(call, gate);
    const result = await evaluateCondition(condition, {
        subject: call.assignment.subject,
        metadata: call.assignment.metadata,
        needs,
    });
    if ('choice' in result)
        return result;
    throw new gateline_error/* GatelineError */.Mk('user', 'CONDITION_UNDECIDED', `gate ${unit.key}: if: ${result.problem}`, {
        hint: 'Correct the condition, or let the gate before it write what it asks for.',
    });
}
/** `needs.<gate>`: status, score and output; of a matrix gate also `legs`, and its `output` holds the legs' by id. */
async function viewOfGate(call, gate) {
    const states = [...call.journal.state().units.values()].filter((state) => state.gate === gate);
    const views = await Promise.all(states.map((state) => viewOfUnit(call, state)));
    if (states.length === 1 && states[0].leg === '')
        return views[0];
    const legs = Object.fromEntries(states.map((state, index) => [state.leg, views[index]]));
    const scores = views.map((view) => view['score']);
    return {
        status: worstOf(states.map((state) => state.status)),
        score: scores.length === 0 ? 0 : Math.min(...scores),
        output: Object.fromEntries(states.map((state, index) => [state.leg, views[index]['output'] ?? null])),
        legs,
    };
}
async function viewOfUnit(call, state) {
    return { status: state.status, score: scoreOf(state.ended), output: await outputOf(call, state.key, state) };
}
async function outputOf(call, key, state) {
    if (state.exports === undefined || state.exports === null)
        return null;
    return (0,content/* readJson */.Vh)(call.ports.store, state.exports, { limit: CONDITION_LIMIT, what: `exports of ${key}` });
}
function scoreOf(ended) {
    return ended?.verdict.score ?? 0;
}
const FROM_WORST = [
    'failed',
    'lost',
    'blocked',
    'paused',
    'partial',
    'running',
    'pending',
    'ready',
    'skipped',
    'not-applicable',
];
function worstOf(statuses) {
    return FROM_WORST.find((status) => statuses.includes(status)) ?? 'passed';
}

// EXTERNAL MODULE: ./build/engine/judge-again.js + 1 modules
var judge_again = __webpack_require__(9412);
// EXTERNAL MODULE: ./build/run/files.js
var run_files = __webpack_require__(8617);
// EXTERNAL MODULE: ./build/run/tree.js
var run_tree = __webpack_require__(3448);
;// CONCATENATED MODULE: ./build/engine/survey.js



/**
 * Finds out what a unit would be given now: files, variables, tool versions, exports of its needs.
 * @throws GatelineError `INPUT_UNMATCHED`, `TOOL_MISSING`
 */
async function survey(call, unit) {
    const { gate } = unit;
    return {
        tree: await inputTree(call, unit),
        env: countedVariables(call, gate),
        tools: await toolVersions(call, gate),
        needs: needsOf(call, unit),
    };
}
/** Files that count, as they were before gates that are not upstream touched them. */
async function inputTree(call, unit) {
    const { workspace } = call.ports;
    const { inputs } = unit.gate;
    if (inputs?.length === 0)
        return new Map();
    const counts = (path) => workspace.counts(inputs, path);
    const upstream = (0,run_files/* upstreamChanges */.Dr)(call.graph, call.journal.state(), unit.key);
    const settled = withoutRunning((await workspace.inputs(inputs)).files, call, upstream, counts);
    const left = await stillTheirs(call, unit);
    const tree = withUpstreamFiles((0,run_tree/* unwind */.K)(settled, left, upstream, counts), call, unit, counts);
    const unmatched = (inputs ?? []).filter((glob) => !glob.startsWith('!') && !tree.keys().some((path) => workspace.counts([glob], path)));
    if (unmatched.length > 0) {
        throw new gateline_error/* GatelineError */.Mk('user', 'INPUT_UNMATCHED', `gate ${unit.gate.id}: inputs: no file matches ${unmatched.join(', ')}`, {
            hint: 'A glob that matches nothing would let changes go unnoticed. Correct it, or remove it.',
        });
    }
    return tree;
}
/** Files of gates upstream as they will stand when this one starts: whatever is there now is put right before. */
function withUpstreamFiles(tree, call, unit, counts) {
    const { files } = (0,run_files/* upstreamFiles */.$m)(call.graph, call.journal.state(), unit.key);
    const result = new Map(tree);
    for (const { path, after } of files) {
        if (!counts(path))
            continue;
        if (after === null)
            result.delete(path);
        else
            result.set(path, { blob: after.blob, mode: after.mode });
    }
    return result;
}
/** Takes back what attempts that are running at this moment changed so far: they are not upstream. */
function withoutRunning(tree, call, upstream, counts) {
    if (call.running.size === 0)
        return tree;
    const result = new Map(tree);
    for (const baseline of call.running.values()) {
        const before = new Map([...baseline.tree, ...baseline.named]);
        for (const path of new Set([...tree.keys(), ...before.keys()])) {
            if (!counts(path))
                continue;
            const now = tree.get(path) ?? null;
            const then = before.get(path) ?? null;
            const given = upstream.some((change) => change.path === path && (0,run_tree/* sameFile */.V)(change.after, now));
            if (given || (0,run_tree/* sameFile */.V)(now, then))
                continue;
            if (then === null)
                result.delete(path);
            else
                result.set(path, then);
        }
    }
    return result;
}
/**
 * Changes by gates that are not upstream. Those of earlier runs no longer count as theirs once they are committed:
 * then they are part of the project.
 */
async function stillTheirs(call, unit) {
    const { ofThisRun, ofOtherRuns } = (0,run_files/* leftByOthers */.wu)(call.graph, call.journal.records(), unit.key, call.journal.call.runNumber);
    if (ofOtherRuns.length === 0)
        return ofThisRun;
    const committed = await call.ports.workspace.committed([...new Set(ofOtherRuns.map((change) => change.path))]);
    return [...ofThisRun, ...ofOtherRuns.filter((change) => !committed.has(change.path))];
}
function countedVariables(call, gate) {
    return Object.fromEntries(Object.entries(gate.env).map(([name, value]) => [name, value ?? call.ports.environment[name] ?? null]));
}
async function toolVersions(call, gate) {
    const versions = Object.entries(gate.tools).map(async ([name, command]) => [name, await call.ports.toolVersion(command)]);
    return Object.fromEntries(await Promise.all(versions));
}
/** What each need exports. A need that the caller stands in for is left out. */
function needsOf(call, unit) {
    const units = call.journal.state().units;
    const needs = {};
    for (const key of unit.needs) {
        const exported = units.get(key)?.exports;
        if (exported !== undefined)
            needs[key] = exported;
    }
    return needs;
}

;// CONCATENATED MODULE: ./build/engine/plan-unit.js











/** Plans one unit whose needs are settled. Errors of the user's become `blocked`, others are thrown. */
async function planUnit(call, unit) {
    try {
        return await plan(call, unit);
    }
    catch (error) {
        if (!(error instanceof gateline_error/* GatelineError */.Mk) || error.fault === 'gateline')
            throw error;
        return { planned: describe(unit, 'blocked', `${error.code}: ${error.message}`), error };
    }
}
async function plan(call, unit) {
    const waiting = waitsFor(call, unit);
    if (waiting !== undefined)
        return { planned: waiting };
    const before = call.journal.state().units.get(unit.key);
    if (before.status === 'running')
        return { planned: describe(unit, 'blocked', `GATE_CLAIMED: ${before.reason}; somebody else has this gate`) };
    const contract = await call.contracts.load(unit.gate);
    const applies = await evaluateIf(call, unit);
    if (!applies.choice)
        return notApplicable(call, unit, contract, applies.reason);
    const request = (0,run_request/* buildRequest */.mK)(unit, call.around, await survey(call, unit));
    const work = { request, fingerprint: (0,run_request/* fingerprintOf */.ax)(request), contract };
    call.journal.setFingerprint(unit.key, work.fingerprint);
    const state = call.journal.state().units.get(unit.key);
    if (state.status === 'skipped')
        return { planned: describe(unit, 'skip', state.reason, work) };
    return (await findWork(call, unit, work)) ?? withReason(call, unit, work, state);
}
/** A plan that says what it waits for, while needs are not done and the caller does not stand in for them. */
function waitsFor(call, unit) {
    const units = call.journal.state().units;
    const open = unit.needs.filter((key) => !units.get(key).done);
    if (open.length === 0 || call.assignment.standIn)
        return undefined;
    const stopped = open.filter((key) => ['failed', 'lost', 'partial', 'paused', 'blocked'].includes(units.get(key).status));
    if (stopped.length > 0)
        return describe(unit, 'blocked', `needs ${stopped.map((key) => `${key}, which is ${units.get(key).status}`).join(' and ')}`);
    return describe(unit, 'depends', `waits for ${open.join(', ')}; reused if what it is given comes out the same`);
}
/** An `if` that is false satisfies what needs the gate. It counts for the needs as they are now. */
function notApplicable(call, unit, contract, reason) {
    const units = call.journal.state().units;
    const needs = Object.fromEntries(unit.needs.map((key) => [key, units.get(key).exports ?? null]));
    const request = (0,run_request/* buildRequest */.mK)(unit, call.around, { tree: new Map(), env: {}, tools: {}, needs });
    const work = { request, fingerprint: (0,run_request/* fingerprintOf */.ax)(request), contract };
    call.journal.setFingerprint(unit.key, work.fingerprint);
    const state = call.journal.state().units.get(unit.key);
    const known = state.done && state.status === 'not-applicable';
    return { planned: describe(unit, known ? 'keep' : 'not-applicable', reason, work, state.ended), work };
}
/** The newest earlier attempt that holds up: content there, contract met. `undefined`: there is none. */
async function findWork(call, unit, work) {
    const { journal } = call;
    const { runNumber } = journal.call;
    const except = new Set();
    for (;;) {
        const query = {
            fingerprint: work.fingerprint,
            contract: work.contract.digest,
            runNumber,
            now: call.ports.now().toISOString(),
            except,
        };
        const found = (0,reuse/* findCheckpoint */.G)(unit, journal.archive(), query);
        if (found.choice === 'none')
            return undefined;
        const missing = await (0,content/* missingOf */.oy)(call.ports.store, found.ended);
        if (missing.length > 0) {
            journal.setMissing(missing);
        }
        else if (found.choice === 'usable') {
            const kept = journal.state().units.get(unit.key);
            const choice = kept.done && kept.ended === found.ended ? 'keep' : 'reuse';
            const planned = describe(unit, choice, `nothing that it is given changed since ${found.reason}`, work, found.ended);
            return { planned, work, checkpoint: found.ended };
        }
        else {
            const judged = await (0,judge_again/* judgeAgain */._)(call, unit, found.ended);
            const ruling = (0,decisions/* rulingOn */.Pv)(found.ended, journal.archive().decisions.get(unit.key) ?? { decided: [], unknownAt: undefined }, query.now);
            if ((0,fold_unit/* verdictSatisfies */.vo)(unit, judged, ruling)) {
                const planned = describe(unit, 'reuse', `the output of ${found.reason} meets the contract as it is now`, work, found.ended);
                return { planned, work, checkpoint: found.ended, judged };
            }
        }
        except.add(found.ended);
    }
}
/** The plan to run a unit, with what made an earlier output not do. */
async function withReason(call, unit, work, state) {
    const earlier = call.journal.archive().ended.get(unit.key) ?? [];
    const last = earlier.findLast((ended) => ended.verdict.kind !== 'not-applicable');
    const changed = await differencesTo(call, unit, work);
    const query = {
        fingerprint: work.fingerprint,
        contract: work.contract.digest,
        runNumber: call.journal.call.runNumber,
        now: call.ports.now().toISOString(),
    };
    const checkpoint = (0,reuse/* findCheckpoint */.G)(unit, call.journal.archive(), query);
    let reason;
    if (state.status === 'lost')
        reason = state.reason;
    else if (checkpoint.choice === 'judge-again')
        reason = 'its output does not meet the contract as it is now, or is missing';
    else if (checkpoint.choice === 'usable')
        reason = `the output of ${checkpoint.reason} is missing or was altered`;
    else if (checkpoint.reason !== '')
        reason = checkpoint.reason;
    else if (last === undefined)
        reason = 'it never ran for this subject';
    else
        reason = (0,difference/* describeDifferences */.g7)(changed);
    const choice = unit.gate.run === undefined ? 'wait' : 'run';
    const notices = changed.some((one) => one.what === 'file') && unit.gate.inputs === undefined
        ? ['it declares no inputs, so every tracked file counts']
        : [];
    return { planned: { ...describe(unit, choice, reason, work), differences: changed, notices }, work };
}
/** What is different from the latest request of this unit that can still be read. */
async function differencesTo(call, unit, work) {
    const claim = call.journal
        .archive()
        .records.findLast((record) => record.kind === 'started' && (0,run_record/* unitOf */.uF)(record) === unit.key);
    if (claim?.kind !== 'started' || claim.fingerprint === work.fingerprint)
        return [];
    const read = await call.ports.store.get(claim.request);
    if (read.state !== 'present')
        return [];
    const request = (0,difference/* asRequest */.St)(JSON.parse(new TextDecoder().decode(read.value)));
    return request === undefined ? [] : (0,difference/* differences */.tX)(request, work.request);
}
function describe(unit, choice, reason, work, from) {
    return {
        key: unit.key,
        gate: unit.gate.id,
        leg: unit.leg.id,
        choice,
        reason,
        fingerprint: work?.fingerprint,
        from: from && { runNumber: from.runNumber, runAttempt: from.runAttempt, n: from.n },
        differences: [],
        notices: [],
    };
}


/***/ }),

/***/ 1475:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   E: () => (/* binding */ recordNotApplicable),
/* harmony export */   w: () => (/* binding */ recordReuse)
/* harmony export */ });
/* harmony import */ var _run_request_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3311);
/* harmony import */ var _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7974);
/* harmony import */ var _content_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9906);



/** Records that an earlier output stands in, with today's verdict, and puts its files back where they are not. */
async function recordReuse(call, unit, prepared) {
    const { checkpoint, judged } = prepared;
    const from = checkpoint;
    const exports = judged === undefined ? from.exports : judged.exports;
    const record = {
        ...common(call, unit, prepared),
        how: 'reused',
        verdict: judged?.verdict ?? from.verdict,
        ...(from.value && { value: from.value }),
        ...(exports && { exports }),
        files: from.files,
        touched: from.touched,
        logs: from.logs,
        ...(from.metrics && { metrics: from.metrics }),
        ...(from.learnings && { learnings: from.learnings }),
        source: from.source ?? { runNumber: from.runNumber, runAttempt: from.runAttempt, n: from.n },
    };
    await write(call, unit, record);
    for (const file of await call.ports.workspace.materialise(from.files, (0,_content_js__WEBPACK_IMPORTED_MODULE_2__/* .copierOf */ .KD)(call))) {
        if (file.displaced === undefined)
            continue;
        const message = `${file.path} was not as the gate left it; put back, and your version is kept at ${file.displaced}`;
        await call.observe({ type: 'notice', unit: unit.key, message });
    }
    return record;
}
/** Records that a unit's condition is false. */
async function recordNotApplicable(call, unit, prepared) {
    const verdict = {
        status: 'not-applicable',
        kind: 'not-applicable',
        score: 0,
        issues: [],
        advice: prepared.planned.reason.slice(0, 2_048),
    };
    const record = {
        ...common(call, unit, prepared),
        how: 'ran',
        verdict,
        files: [],
        touched: [],
        logs: {},
    };
    await write(call, unit, record);
    return record;
}
function common(call, unit, prepared) {
    const identity = call.journal.identity(unit, call.journal.nextAttempt(unit.key));
    const { request, fingerprint, contract } = prepared.work;
    return {
        kind: 'ended',
        ...identity,
        fingerprint,
        contract: contract.digest,
        needs: (0,_run_request_js__WEBPACK_IMPORTED_MODULE_0__/* .needDigests */ .GP)(request),
        startedAt: identity.at,
    };
}
async function write(call, unit, record) {
    if ((await call.journal.write(record)) === 'written')
        return;
    throw new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_1__/* .GatelineError */ .Mk('user', 'GATE_CLAIMED', `gate ${unit.key}: somebody else is working on it`, {
        hint: 'Two commands worked on one gate at the same time. Look at `gateline status`, and run again when the other one is through.',
    });
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
