export const id = 714;
export const ids = [714];
export const modules = {

/***/ 2714:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  execute: () => (/* binding */ execute)
});

// EXTERNAL MODULE: ./build/errors/gateline-error.js
var gateline_error = __webpack_require__(7974);
// EXTERNAL MODULE: ./build/engine/agent-environment.js
var agent_environment = __webpack_require__(5506);
// EXTERNAL MODULE: ./build/engine/attempt.js + 3 modules
var attempt = __webpack_require__(2423);
// EXTERNAL MODULE: ./build/engine/begin-attempt.js
var begin_attempt = __webpack_require__(8806);
// EXTERNAL MODULE: ./build/engine/call.js + 3 modules
var engine_call = __webpack_require__(7423);
// EXTERNAL MODULE: ./build/engine/claim-token.js
var claim_token = __webpack_require__(2443);
// EXTERNAL MODULE: ./build/engine/pin-contracts.js
var pin_contracts = __webpack_require__(7890);
// EXTERNAL MODULE: ./build/engine/plan-unit.js + 2 modules
var plan_unit = __webpack_require__(6680);
// EXTERNAL MODULE: ./build/engine/record-reuse.js
var record_reuse = __webpack_require__(1475);
// EXTERNAL MODULE: ./build/run/unit.js
var run_unit = __webpack_require__(2878);
;// CONCATENATED MODULE: ./build/engine/begin.js










/**
 * Begins a gate whose agent runs by itself: loads and checks what it needs, takes the claim, and makes its request.
 * With `standIn`, needs that have no output are left to the caller's input (seed 000, step 0B).
 * The caller holds the workspace's lock meanwhile: a run that is going on would not see the claim.
 * @throws GatelineError `GATE_BLOCKED`, `GATE_CLAIMED`
 */
async function beginGate(ports, assignment, key, observe) {
    const call = await (0,engine_call/* openCall */.L)(ports, assignment, observe);
    const unit = call.graph.get(key);
    if (unit === undefined) {
        throw new gateline_error/* GatelineError */.Mk('user', 'GATE_UNKNOWN', `there is no gate ${key}`, {
            hint: `Gates: ${[...call.graph.keys()].join(', ')}.`,
        });
    }
    await (0,pin_contracts/* pinContracts */.v)(call);
    await settleUpstream(call, unit);
    const prepared = await (0,plan_unit/* planUnit */.M)(call, unit);
    const { planned } = prepared;
    await observe({ type: 'planned', planned });
    if (planned.choice === 'run' || planned.choice === 'wait')
        return begin(call, unit, prepared);
    if (planned.choice === 'blocked' || planned.choice === 'depends') {
        throw prepared.error ?? notNow(key, planned.reason);
    }
    if (planned.choice === 'reuse')
        await (0,record_reuse/* recordReuse */.w)(call, unit, prepared);
    if (planned.choice === 'not-applicable')
        await (0,record_reuse/* recordNotApplicable */.E)(call, unit, prepared);
    return { choice: 'done', planned };
}
function notNow(key, reason) {
    const [, claimed] = /^GATE_CLAIMED: (.*)$/s.exec(reason) ?? [];
    if (claimed !== undefined) {
        return new gateline_error/* GatelineError */.Mk('user', 'GATE_CLAIMED', `gate ${key}: ${claimed}`, {
            hint: 'Wait until it is through (`gateline status` tells), then begin again.',
        });
    }
    return new gateline_error/* GatelineError */.Mk('user', 'GATE_BLOCKED', `gate ${key}: ${reason}`, {
        hint: 'Run what it needs first (`gateline status` tells), or pass `--input` and `--stand-in` to take its place.',
    });
}
/** Lets earlier outputs of upstream gates stand in where they still hold; runs nothing. */
async function settleUpstream(call, unit) {
    for (const key of (0,run_unit/* ancestorsOf */.Gw)(call.graph, unit.key)) {
        const upstream = call.graph.get(key);
        const prepared = await (0,plan_unit/* planUnit */.M)(call, upstream);
        if (prepared.planned.choice === 'reuse')
            await (0,record_reuse/* recordReuse */.w)(call, upstream, prepared);
        if (prepared.planned.choice === 'not-applicable')
            await (0,record_reuse/* recordNotApplicable */.E)(call, upstream, prepared);
    }
}
async function begin(call, unit, prepared) {
    const work = prepared.work;
    const deadline = new Date(call.ports.now().getTime() + unit.gate.timeoutMinutes * 60_000).toISOString();
    const started = await (0,begin_attempt/* claim */.B7)(call, unit, work, { deadline });
    const begun = await (0,attempt/* prepareOrEnd */.wc)(call, unit, work, started);
    await call.observe({ type: 'started', unit: unit.key, record: started, attempts: 1, state: call.journal.state() });
    const variables = (0,agent_environment/* protocolVariables */.WX)(unit, started.n, begun.directory, begun.hasFeedback);
    return { choice: 'run', planned: prepared.planned, token: (0,claim_token/* tokenOf */.B9)(started), variables, deadline };
}

// EXTERNAL MODULE: ./build/environment.js
var environment = __webpack_require__(7853);
// EXTERNAL MODULE: ./build/local/local-ports.js + 20 modules
var local_ports = __webpack_require__(4358);
// EXTERNAL MODULE: ./build/report/text.js
var report_text = __webpack_require__(3920);
// EXTERNAL MODULE: ./build/cli/advice.js + 1 modules
var advice = __webpack_require__(6911);
// EXTERNAL MODULE: ./build/cli/exit-codes.js
var exit_codes = __webpack_require__(5158);
// EXTERNAL MODULE: ./build/cli/open.js + 25 modules
var cli_open = __webpack_require__(1831);
// EXTERNAL MODULE: ./build/cli/print-json.js + 1 modules
var print_json = __webpack_require__(3174);
// EXTERNAL MODULE: ./build/cli/report-error.js
var report_error = __webpack_require__(9980);
;// CONCATENATED MODULE: ./build/cli/commands/begin.js
var __addDisposableResource = (undefined && undefined.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var __disposeResources = (undefined && undefined.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});









/**
 * `gateline begin GATE`: step 0B of the state guide for an agent that runs by itself. What it prints is for a shell's
 * `eval`, which answers 0 for no text at all: so a failure is printed too, as a command that fails.
 */
async function execute(invocation) {
    const { world, options } = invocation;
    try {
        const begun = await begin_begin(invocation);
        if (options['json'])
            (0,print_json/* printJson */.Q)(world, beginJson(begun));
        else
            tell(world, begun);
        return exit_codes/* EXIT_CODES */.a.ok;
    }
    catch (error) {
        const code = (0,report_error/* reportError */.N7)(world, error);
        if (!options['json'] && !world.out.interactive)
            world.out.write(`${FORGET}(exit ${code})\n`);
        return code;
    }
}
async function begin_begin(invocation) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const { world, positionals } = invocation;
        const loaded = await (0,cli_open/* loadFor */.kF)(invocation);
        // A run that is going on would not see the claim, and start the gate too.
        const _lock = __addDisposableResource(env_1, await (0,local_ports/* lockWorkspace */.Rn)(loaded.root, world), true);
        const opened = await (0,cli_open/* open */.ho)(invocation, loaded, { readOnly: false });
        const begun = await beginGate(opened.ports, opened.assignment, positionals[0], (event) => {
            if (event.type === 'notice')
                world.err.write(`note: ${(0,report_text/* oneLine */.TN)(event.message)}\n`);
        });
        await (0,cli_open/* projectOnce */.$6)(world, opened);
        return begun;
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        const result_1 = __disposeResources(env_1);
        if (result_1)
            await result_1;
    }
}
/** What an earlier gate left in the shell must not be taken for this one's. */
const FORGET = `unset ${[...Object.values(environment/* AGENT_VARIABLES */.It), environment/* CLI_VARIABLES */.PM.token].join(' ')}\n`;
function tell(world, begun) {
    const { key, choice, reason } = begun.planned;
    world.out.write(FORGET);
    if (begun.choice === 'done') {
        world.err.write(`${(0,report_text/* oneLine */.TN)(key)}: ${choice}: ${(0,report_text/* oneLine */.TN)(reason)}. There is nothing to do.\n`);
        return;
    }
    world.err.write(`${(0,report_text/* oneLine */.TN)(key)}: begun, until ${begun.deadline}: ${(0,report_text/* oneLine */.TN)(reason)}\n`);
    for (const [name, value] of Object.entries({ ...begun.variables, [environment/* CLI_VARIABLES */.PM.token]: begun.token })) {
        world.out.write(`export ${name}=${(0,advice/* shellWord */.r)(value)}\n`);
    }
}
/** `gateline-begin/1`; see docs/reference/json-output.md. */
function beginJson(begun) {
    const { planned, choice } = begun;
    return {
        format: 'gateline-begin/1',
        gate: planned.key,
        choice,
        reason: planned.reason,
        token: begun.choice === 'run' ? begun.token : null,
        deadline: begun.choice === 'run' ? begun.deadline : null,
        variables: begun.choice === 'run' ? begun.variables : {},
    };
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


/***/ })

};
