export const id = 75;
export const ids = [75];
export const modules = {

/***/ 7890:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   v: () => (/* binding */ pinContracts),
/* harmony export */   y: () => (/* binding */ unsoundContracts)
/* harmony export */ });
/* harmony import */ var _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7974);
/* harmony import */ var _run_files_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(8617);
/* harmony import */ var _run_record_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(1265);
/* harmony import */ var _run_tree_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(3448);




/**
 * Reads the contract of every gate before anything of this call runs, so that no agent can change what judges it or
 * a gate after it. A schema that stands as a gate left it in an earlier call is refused, unless it is committed: an
 * agent must not set the bar. Errors stay with their gates; planning them tells.
 */
async function pinContracts(call) {
    for (const gate of call.assignment.pipeline.gates) {
        try {
            await refuseIfLeft(call, gate);
            await call.contracts.load(gate);
        }
        catch (error) {
            if (!(error instanceof _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk))
                throw error;
            call.contracts.refuse(gate.id, error);
        }
    }
}
/** Everything that is wrong with any gate's contract; compiles them all. */
async function unsoundContracts(call) {
    const errors = [];
    for (const gate of call.assignment.pipeline.gates) {
        try {
            await call.contracts.compile(gate);
        }
        catch (error) {
            if (!(error instanceof _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk))
                throw error;
            errors.push(error);
        }
    }
    return errors;
}
async function refuseIfLeft(call, gate) {
    const { schema } = gate.contract;
    if (schema === undefined || !('path' in schema))
        return;
    const { path } = schema;
    const changed = call.journal.records().filter((record) => changes(record, path));
    if (changed.length === 0)
        return;
    const { workspace } = call.ports;
    const now = (await workspace.inputs([path])).files.get(path) ?? null;
    const by = changed.findLast((record) => (0,_run_files_js__WEBPACK_IMPORTED_MODULE_1__/* .changesOf */ .fs)(record).some((one) => one.path === path && (0,_run_tree_js__WEBPACK_IMPORTED_MODULE_3__/* .sameFile */ .V)(one.after, now)));
    if (by === undefined)
        return;
    const committed = (await workspace.committed([path])).get(path);
    if (committed !== undefined && (0,_run_tree_js__WEBPACK_IMPORTED_MODULE_3__/* .sameFile */ .V)(committed, now))
        return;
    throw new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk('user', 'SCHEMA_LEFT_BY_GATE', `gate ${gate.id}: output.schema: ${path} stands as gate ${(0,_run_record_js__WEBPACK_IMPORTED_MODULE_2__/* .unitOf */ .uF)(by)} left it`, {
        hint: 'Restore it, or commit it if this is how it is meant: what an agent wrote does not judge agents.',
        place: { file: path },
    });
}
function changes(record, path) {
    return (record.kind === 'ended' && (0,_run_files_js__WEBPACK_IMPORTED_MODULE_1__/* .changesOf */ .fs)(record).some((one) => one.path === path && !(0,_run_tree_js__WEBPACK_IMPORTED_MODULE_3__/* .sameFile */ .V)(one.before, one.after)));
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
// EXTERNAL MODULE: ./build/run/plan.js
var plan = __webpack_require__(5823);
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
        ...(await inputTree(call, unit)),
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
        return { tree: new Map(), takenBack: [] };
    const counts = (path) => workspace.counts(inputs, path);
    const upstream = (0,run_files/* upstreamChanges */.Dr)(call.graph, call.journal.archive().ended, unit.key);
    const settled = withoutRunning((await workspace.inputs(inputs)).files, call, upstream, counts);
    const asBefore = await withoutOthers(settled, call, unit, upstream, counts);
    const tree = withUpstreamFiles(asBefore, call, unit, counts);
    const unmatched = (inputs ?? []).filter((glob) => !glob.startsWith('!') && !tree.keys().some((path) => workspace.counts([glob], path)));
    if (unmatched.length > 0) {
        throw new gateline_error/* GatelineError */.Mk('user', 'INPUT_UNMATCHED', `gate ${unit.gate.id}: inputs: no file matches ${unmatched.join(', ')}`, {
            hint: 'A glob that matches nothing would let changes go unnoticed. Correct it, or remove it.',
        });
    }
    return { tree, takenBack: differing(settled, asBefore) };
}
function differing(a, b) {
    const paths = new Set([...a.keys(), ...b.keys()]);
    return [...paths].filter((path) => !(0,run_tree/* sameFile */.V)(a.get(path) ?? null, b.get(path) ?? null)).toSorted();
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
 * Takes back what gates that are not upstream left behind. Changes of earlier runs are taken back no further than to
 * what is committed: from then on they are part of the project.
 */
async function withoutOthers(tree, call, unit, upstream, counts) {
    const { journal, ports } = call;
    const { ofThisRun, ofOtherRuns } = (0,run_files/* leftByOthers */.wu)(call.graph, journal.records(), unit.key, journal.call.runNumber);
    const asBefore = (0,run_tree/* unwind */.K)(tree, ofThisRun, upstream, counts);
    if (ofOtherRuns.length === 0)
        return asBefore;
    const committed = await ports.workspace.committed([...new Set(ofOtherRuns.map((change) => change.path))]);
    return (0,run_tree/* unwind */.K)(asBefore, ofOtherRuns, upstream, counts, committed);
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
        return await plan_unit_plan(call, unit);
    }
    catch (error) {
        if (!(error instanceof gateline_error/* GatelineError */.Mk) || error.fault === 'gateline')
            throw error;
        return { planned: describe(unit, 'blocked', `${error.code}: ${error.message}`), error };
    }
}
async function plan_unit_plan(call, unit) {
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
    const surveyed = await survey(call, unit);
    const request = (0,run_request/* buildRequest */.mK)(unit, call.around, surveyed);
    const work = { request, fingerprint: (0,run_request/* fingerprintOf */.ax)(request), contract };
    call.journal.setFingerprint(unit.key, work.fingerprint);
    const state = call.journal.state().units.get(unit.key);
    if (state.status === 'skipped')
        return { planned: describe(unit, 'skip', state.reason, work) };
    const found = await findWork(call, unit, work);
    if (found !== undefined)
        return noting(found, surveyed.takenBack);
    if (state.status === 'paused' && state.ended?.contract === contract.digest) {
        const reason = `${state.reason}: \`gateline decide approve ${unit.key}\` lets it pass, \`reject\` asks for another attempt`;
        return { planned: describe(unit, 'blocked', reason, work) };
    }
    // Whatever the agent made, a contract that is not sound could not judge it.
    await call.contracts.compile(unit.gate);
    return withReason(call, unit, work, state);
}
/** Says which files did not count as they stand: somebody may have edited one while that gate ran. */
function noting(prepared, takenBack) {
    if (takenBack.length === 0)
        return prepared;
    const more = takenBack.length > 3 ? ` and ${takenBack.length - 3} more` : '';
    const notice = `counted as before another gate changed it: ${takenBack.slice(0, 3).join(', ')}${more}; commit an edit of yours to make it count`;
    return { ...prepared, planned: { ...prepared.planned, notices: [notice] } };
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
    return (0,plan/* dependsOn */.f)(unit, open);
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
        const found = (0,reuse/* findCheckpoint */.G2)(unit, journal.archive(), query);
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
    const checkpoint = (0,reuse/* findCheckpoint */.G2)(unit, call.journal.archive(), query);
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
    if (request === undefined)
        return [];
    const redacted = call.redactor.redactJson(work.request).value;
    return (0,difference/* differences */.tX)(request, redacted);
}
function describe(unit, choice, reason, work, from) {
    return {
        ...(0,plan/* plannedUnit */.h)(unit, choice, reason),
        fingerprint: work?.fingerprint,
        from: from && { runNumber: from.runNumber, runAttempt: from.runAttempt, n: from.n },
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
/* harmony import */ var _place_files_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(8890);



/** Puts the files of an earlier output back where they are not, and records that it stands in, with today's verdict. */
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
    // Before the record: one that says that it stands in, without its files, would never be looked at again.
    await call.inTurn(async () => (0,_place_files_js__WEBPACK_IMPORTED_MODULE_2__/* .placeFiles */ .h)(call, unit, await (0,_place_files_js__WEBPACK_IMPORTED_MODULE_2__/* .notOvertaken */ .j)(call, unit.key, from.files), 'the gate'));
    await write(call, unit, record);
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

/***/ 5823:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   f: () => (/* binding */ dependsOn),
/* harmony export */   h: () => (/* binding */ plannedUnit)
/* harmony export */ });
/** The plan for a unit of which nothing more is known than what happens to it and why. */
function plannedUnit(unit, choice, reason) {
    return {
        key: unit.key,
        gate: unit.gate.id,
        leg: unit.leg.id,
        choice,
        reason,
        fingerprint: undefined,
        from: undefined,
        differences: [],
        notices: [],
    };
}
/** The plan for a unit that cannot be planned before others have run. */
function dependsOn(unit, waits) {
    return plannedUnit(unit, 'depends', `waits for ${waits.join(', ')}; reused if what it is given comes out the same`);
}


/***/ })

};
