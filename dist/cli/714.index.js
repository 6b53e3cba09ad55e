export const id = 714;
export const ids = [714];
export const modules = {

/***/ 6911:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  C: () => (/* binding */ adviceLines),
  r: () => (/* binding */ shellWord)
});

// EXTERNAL MODULE: ./build/report/text.js
var report_text = __webpack_require__(3920);
// EXTERNAL MODULE: ./build/report/wording.js
var wording = __webpack_require__(2867);
;// CONCATENATED MODULE: ./build/report/run-summary.js


const DEFAULT_COMMANDS = {
    run: 'gateline run',
    status: 'gateline status',
    show: (key) => `gateline show ${key}`,
};
/** Columns of a reason that is quoted in a sentence. */
const LONGEST_REASON = 400;
/**
 * What happened in a run and what to do next, as one line each, safe for a terminal. A third line tells of records
 * that are not as they should be.
 */
function runSummaryLines(state, commands = {}) {
    const say = { ...DEFAULT_COMMANDS, ...commands };
    const lines = [whatHappened(state), whatNext(state, say)];
    const [problem] = state.problems;
    if (problem !== undefined) {
        const more = state.problems.length > 1 ? ` (${state.problems.length - 1} more: \`${say.status} --json\`)` : '';
        lines.push(`Mind: ${sentence(problem.message)}${more}`);
    }
    return lines;
}
function whatHappened(state) {
    const about = `${(0,report_text/* oneLine */.TN)(state.pipeline)} for ${(0,report_text/* fit */.Uj)((0,report_text/* oneLine */.TN)(state.subject), 120)}`;
    if (state.status === 'initializing')
        return `There is no run of ${about} yet.`;
    const units = [...state.units.values()];
    const done = units.filter((unit) => unit.done);
    const parts = [`${done.length} of ${(0,report_text/* count */.U9)(units.length, 'gate')} done${howDone(done)}`, ...troubles(units)];
    return `Run ${state.runNumber} of ${about}: ${state.status}. ${parts.join('; ')}.`.replace(/\.\.$/, '.');
}
function howDone(done) {
    const reused = done.filter((unit) => unit.reused).length;
    const parts = [
        ...(reused > 0 ? [`${reused} reused`] : []),
        ...counted(done, ['partial', 'skipped', 'not-applicable']),
    ];
    return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
function counted(units, statuses) {
    return statuses.flatMap((status) => {
        const number = units.filter((unit) => unit.status === status).length;
        return number === 0 ? [] : [`${number} ${status}`];
    });
}
/** The first unit of each sort of trouble in full, the others by name. */
function troubles(units) {
    return ['failed', 'lost', 'partial', 'paused', 'running'].flatMap((status) => {
        const found = units.filter((unit) => !unit.done && unit.status === status);
        const [first, ...others] = found;
        if (first === undefined)
            return [];
        const also = others.length === 0 ? '' : `; ${status} too: ${(0,report_text/* listOf */.c3)(others.map((unit) => (0,report_text/* oneLine */.TN)(unit.key)))}`;
        return [`${troubleText(first)}${also}`];
    });
}
function troubleText(unit) {
    const key = (0,report_text/* oneLine */.TN)(unit.key);
    const verdict = (0,wording/* resultOf */.Bg)(unit)?.verdict;
    const byVerdict = unit.status === 'failed' && unit.decided === undefined && verdict?.status === 'failed';
    const reason = (0,report_text/* fit */.Uj)(withoutStop((0,report_text/* oneLine */.TN)(byVerdict ? verdict.advice : unit.reason)), LONGEST_REASON);
    const status = unit.status === 'paused'
        ? 'waits'
        : unit.status === 'running'
            ? 'is running'
            : unit.status === 'partial'
                ? 'is partial'
                : unit.status;
    const was = unit.status === 'lost' ? 'was lost' : status;
    return `${key} ${was}${byVerdict ? ` (${verdict.kind})` : ''}${reason === '' ? '' : `: ${reason}`}`;
}
function whatNext(state, say) {
    const units = [...state.units.values()];
    const open = units.filter((unit) => !unit.done);
    const again = `run \`${say.run}\` again`;
    const running = open.filter((unit) => unit.status === 'running');
    if (state.status === 'initializing')
        return `Run \`${say.run}\` to begin.`;
    if (state.status === 'completed')
        return `Nothing is left to do. \`${say.run}\` begins a new run, which reuses what has not changed.`;
    if (state.status === 'rollback')
        return `It was rolled back. \`${say.run}\` begins a new run.`;
    if (running.length > 0)
        return `Wait for it, or look with \`${say.status}\`.`;
    if (state.status === 'paused') {
        const first = open.find((unit) => unit.status === 'paused');
        const look = first === undefined ? '' : ` \`${say.show((0,report_text/* oneLine */.TN)(first.key))}\` shows the output.`;
        return `It waits for an approval.${look}${reusedNext(units)}`;
    }
    if (state.status === 'executing')
        return `Run \`${say.run}\` to go on${reusedClause(units)}.`;
    const failed = open.find((unit) => unit.status === 'failed' || unit.status === 'partial');
    if (failed === undefined)
        return `${capital(again)}${reusedClause(units)}.`;
    return `Fix it and ${again}${reusedClause(units)}. \`${say.show((0,report_text/* oneLine */.TN)(failed.key))}\` shows everything about it.`;
}
function reusedClause(units) {
    const done = units.filter((unit) => unit.done && unit.status !== 'not-applicable').map((unit) => (0,report_text/* oneLine */.TN)(unit.key));
    return done.length === 0 ? '' : `: ${(0,report_text/* listOf */.c3)(done)} will be reused`;
}
function reusedNext(units) {
    const clause = reusedClause(units);
    return clause === '' ? '' : ` What is done stays${clause}.`;
}
function capital(text) {
    return text.charAt(0).toUpperCase() + text.slice(1);
}
function withoutStop(text) {
    return text.replace(/\.$/, '');
}
function sentence(text) {
    return `${withoutStop((0,report_text/* fit */.Uj)((0,report_text/* oneLine */.TN)(text), LONGEST_REASON))}.`;
}

// EXTERNAL MODULE: ./build/cli/command.js
var command = __webpack_require__(3192);
;// CONCATENATED MODULE: ./build/cli/advice.js



/** What happened in a run and which commands come next, as one line each. */
function adviceLines(state, { graph, options }) {
    const about = pointers(options);
    const commands = {
        run: `gateline run${about}`,
        status: `gateline status${about}`,
        show: (key) => `gateline show ${key}${about}`,
    };
    const lines = runSummaryLines(state, commands);
    for (const unit of state.units.values()) {
        const key = (0,report_text/* oneLine */.TN)(unit.key);
        if (unit.status === 'paused')
            lines.push(`Let ${key} pass: \`gateline decide approve ${key} --reason TEXT${about}\`; or \`reject\`.`);
        const itself = graph.get(unit.key)?.gate.run === undefined;
        if (itself && !unit.done && ['ready', 'failed', 'lost'].includes(unit.status))
            lines.push(`The agent of ${key} runs by itself: \`gateline begin ${key}${about}\`, then \`gateline complete\`.`);
    }
    return lines;
}
/** `--file` and `--subject` as they were given, for a shell. */
function pointers(options) {
    return ['file', 'subject'].map((name) => [name, (0,command/* textOption */.v)(options, name)]).reduce(spell, '');
}
function spell(text, [name, value]) {
    return value === undefined ? text : `${text} --${name} ${shellWord((0,report_text/* oneLine */.TN)(value))}`;
}
/** A POSIX shell's word for any text; plain words stay as they are. */
function shellWord(text) {
    return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}


/***/ }),

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
// EXTERNAL MODULE: ./build/engine/begin-attempt.js
var begin_attempt = __webpack_require__(8806);
// EXTERNAL MODULE: ./build/engine/call.js + 3 modules
var engine_call = __webpack_require__(7423);
// EXTERNAL MODULE: ./build/engine/claim-token.js
var claim_token = __webpack_require__(2443);
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
    for (const key of (0,run_unit/* ancestorsOf */.G)(call.graph, unit.key)) {
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
    // Compiled before the claim is taken: a contract that is not sound is the user's to mend, not the agent's.
    await call.contracts.compile(unit.gate);
    const deadline = new Date(call.ports.now().getTime() + unit.gate.timeoutMinutes * 60_000).toISOString();
    const started = await (0,begin_attempt/* claim */.B7)(call, unit, work, { deadline });
    const begun = await (0,begin_attempt/* prepareAttempt */.RM)(call, unit, work, started);
    await call.observe({ type: 'started', unit: unit.key, record: started, attempts: 1 });
    const variables = (0,agent_environment/* protocolVariables */.WX)(unit, started.n, begun.directory, begun.hasFeedback);
    return { choice: 'run', planned: prepared.planned, token: (0,claim_token/* tokenOf */.B9)(started), variables, deadline };
}

// EXTERNAL MODULE: ./build/environment.js
var environment = __webpack_require__(7853);
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
    const { world, positionals } = invocation;
    const opened = await (0,cli_open/* open */.ho)(invocation, await (0,cli_open/* loadFor */.kF)(invocation), { readOnly: false });
    const begun = await beginGate(opened.ports, opened.assignment, positionals[0], (event) => {
        if (event.type === 'notice')
            world.err.write(`note: ${(0,report_text/* oneLine */.TN)(event.message)}\n`);
    });
    await (0,cli_open/* projectOnce */.$6)(world, opened);
    return begun;
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

/***/ 5506:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   FV: () => (/* binding */ agentEnvironment),
/* harmony export */   WX: () => (/* binding */ protocolVariables),
/* harmony export */   mO: () => (/* binding */ missingSecrets),
/* harmony export */   sQ: () => (/* binding */ ATTEMPT_FILES)
/* harmony export */ });
/* harmony import */ var _environment_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7853);

/** Names of the files in an attempt's directory. */
const ATTEMPT_FILES = {
    request: 'request.json',
    output: 'output.json',
    metrics: 'metrics.json',
    learnings: 'learnings.md',
    feedback: 'feedback.json',
    baseline: 'baseline.json',
    refused: 'output.refused.txt',
};
/** The protocol's variables for one attempt (docs/agent-protocol.md). */
function protocolVariables(unit, n, directory, hasFeedback) {
    const file = (name) => directory.pathOf(ATTEMPT_FILES[name]);
    return {
        [_environment_js__WEBPACK_IMPORTED_MODULE_0__/* .AGENT_VARIABLES */ .It.request]: file('request'),
        [_environment_js__WEBPACK_IMPORTED_MODULE_0__/* .AGENT_VARIABLES */ .It.output]: file('output'),
        [_environment_js__WEBPACK_IMPORTED_MODULE_0__/* .AGENT_VARIABLES */ .It.metrics]: file('metrics'),
        [_environment_js__WEBPACK_IMPORTED_MODULE_0__/* .AGENT_VARIABLES */ .It.learnings]: file('learnings'),
        ...(hasFeedback && { [_environment_js__WEBPACK_IMPORTED_MODULE_0__/* .AGENT_VARIABLES */ .It.feedback]: file('feedback') }),
        [_environment_js__WEBPACK_IMPORTED_MODULE_0__/* .AGENT_VARIABLES */ .It.attempt]: String(n),
        [_environment_js__WEBPACK_IMPORTED_MODULE_0__/* .AGENT_VARIABLES */ .It.gate]: unit.gate.id,
        ...(unit.leg.id !== '' && { [_environment_js__WEBPACK_IMPORTED_MODULE_0__/* .AGENT_VARIABLES */ .It.leg]: unit.leg.id }),
    };
}
/**
 * The whole environment of an agent: the caller's without the runner's own variables and without secrets that
 * only other gates name, then the gate's `env`, then the protocol's. Nothing overrides the protocol's.
 */
function agentEnvironment(inherited, gate, otherSecrets, protocol) {
    const env = {};
    for (const [name, value] of Object.entries(inherited)) {
        if (value === undefined || _environment_js__WEBPACK_IMPORTED_MODULE_0__/* .WITHHELD_FROM_AGENTS */ .QE.test(name))
            continue;
        if (otherSecrets.has(name) && !gate.secrets.includes(name))
            continue;
        env[name] = value;
    }
    for (const [name, value] of Object.entries(gate.env)) {
        if (value !== null && !_environment_js__WEBPACK_IMPORTED_MODULE_0__/* .WITHHELD_FROM_AGENTS */ .QE.test(name))
            env[name] = value;
    }
    return { ...env, ...protocol };
}
/** Secrets that a gate names and that are not set. */
function missingSecrets(inherited, gate) {
    return gate.secrets.filter((name) => (inherited[name] ?? '') === '');
}


/***/ }),

/***/ 5907:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   B: () => (/* binding */ writeBaseline),
/* harmony export */   m: () => (/* binding */ readBaseline)
/* harmony export */ });
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2857);
/* harmony import */ var _agent_environment_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(5506);


const treeSchema = zod__WEBPACK_IMPORTED_MODULE_1__/* .array */ .YOg(zod__WEBPACK_IMPORTED_MODULE_1__/* .tuple */ .PVZ([zod__WEBPACK_IMPORTED_MODULE_1__/* .string */ .YjP(), zod__WEBPACK_IMPORTED_MODULE_1__/* .string */ .YjP(), zod__WEBPACK_IMPORTED_MODULE_1__/* .string */ .YjP()]));
const baselineSchema = zod__WEBPACK_IMPORTED_MODULE_1__/* .strictObject */ .rej({ tree: treeSchema, named: treeSchema });
/** No more than this many bytes are read back. */
const LIMIT = 256 * 1024 * 1024;
/** Keeps a baseline with its attempt, for a `complete` in another process and for a next attempt after a kill. */
async function writeBaseline(directory, baseline) {
    await directory.write(_agent_environment_js__WEBPACK_IMPORTED_MODULE_0__/* .ATTEMPT_FILES */ .sQ.baseline, [
        JSON.stringify({ tree: rowsOf(baseline.tree), named: rowsOf(baseline.named) }),
    ]);
}
/** Reads it back; `undefined` when it is not there or was not written to the end. */
async function readBaseline(directory) {
    const read = await directory.read(_agent_environment_js__WEBPACK_IMPORTED_MODULE_0__/* .ATTEMPT_FILES */ .sQ.baseline, LIMIT);
    if (read.state !== 'present')
        return undefined;
    try {
        const parsed = baselineSchema.parse(JSON.parse(new TextDecoder().decode(read.bytes)));
        return { tree: treeOf(parsed.tree), named: treeOf(parsed.named) };
    }
    catch {
        // Torn by a crash, or written over by an agent: as good as absent, the present state is the baseline then.
        return undefined;
    }
}
function rowsOf(tree) {
    return [...tree].map(([path, file]) => [path, file.mode, file.blob]);
}
function treeOf(rows) {
    return new Map(rows.map(([path, mode, blob]) => [path, { mode, blob }]));
}


/***/ }),

/***/ 8806:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   B7: () => (/* binding */ claim),
/* harmony export */   RM: () => (/* binding */ prepareAttempt),
/* harmony export */   ls: () => (/* binding */ baselineBefore)
/* harmony export */ });
/* unused harmony export INLINE_LIMIT */
/* harmony import */ var _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7974);
/* harmony import */ var _run_canonical_json_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7999);
/* harmony import */ var _run_files_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(8617);
/* harmony import */ var _run_record_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(1265);
/* harmony import */ var _run_request_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(3311);
/* harmony import */ var _agent_environment_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(5506);
/* harmony import */ var _baseline_file_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(5907);
/* harmony import */ var _content_js__WEBPACK_IMPORTED_MODULE_7__ = __webpack_require__(9906);
/* harmony import */ var _keep_json_js__WEBPACK_IMPORTED_MODULE_8__ = __webpack_require__(1405);









/** Exports up to this size stand in the request itself; larger ones only in their file. */
const INLINE_LIMIT = 1024 * 1024;
/**
 * Takes the claim of a unit's next attempt: durable before anything else happens.
 * @throws GatelineError `GATE_CLAIMED` when somebody else has it.
 */
async function claim(call, unit, work, open) {
    const { store } = call.ports;
    await store.put((0,_run_canonical_json_js__WEBPACK_IMPORTED_MODULE_1__/* .canonicalJson */ .dj)(work.contract.contract));
    const kept = await (0,_keep_json_js__WEBPACK_IMPORTED_MODULE_8__/* .keepJson */ .C)(store, call.redactor.redactJson(work.request).value);
    const started = {
        kind: 'started',
        ...call.journal.identity(unit, call.journal.nextAttempt(unit.key)),
        fingerprint: work.fingerprint,
        contract: work.contract.digest,
        needs: (0,_run_request_js__WEBPACK_IMPORTED_MODULE_4__/* .needDigests */ .GP)(work.request),
        request: kept.digest,
        holder: open === undefined ? 'process' : 'open',
        ...(open && { deadline: open.deadline }),
    };
    if ((await call.journal.write(started)) === 'taken') {
        throw new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk('user', 'GATE_CLAIMED', `gate ${unit.key}: somebody else has attempt ${started.n} of call ${started.runAttempt}`, {
            hint: 'Two commands worked on one gate at the same time. Look at `gateline status`, and run again when the other one is through.',
        });
    }
    return started;
}
/** Makes everything ready that the agent is promised: upstream files, its directory, request and feedback. */
async function prepareAttempt(call, unit, work, started) {
    await materialiseUpstream(call, unit);
    const directory = await call.ports.attempts.create(started);
    await directory.write(_agent_environment_js__WEBPACK_IMPORTED_MODULE_5__/* .ATTEMPT_FILES */ .sQ.request, (0,_run_canonical_json_js__WEBPACK_IMPORTED_MODULE_1__/* .canonicalChunks */ .Fp)(await agentView(call, unit, work, started, directory)));
    const feedback = lastAttempt(call, unit, started);
    if (feedback !== undefined)
        await directory.write(_agent_environment_js__WEBPACK_IMPORTED_MODULE_5__/* .ATTEMPT_FILES */ .sQ.feedback, [JSON.stringify(feedback.verdict, null, 2), '\n']);
    const baseline = await call.ports.workspace.baseline(unit.gate.files);
    await (0,_baseline_file_js__WEBPACK_IMPORTED_MODULE_6__/* .writeBaseline */ .B)(directory, baseline);
    return { unit, started, directory, baseline, hasFeedback: feedback !== undefined };
}
async function materialiseUpstream(call, unit) {
    const { files, conflicts } = (0,_run_files_js__WEBPACK_IMPORTED_MODULE_2__/* .upstreamFiles */ .$m)(call.graph, call.journal.state(), unit.key);
    if (conflicts.length > 0) {
        const list = conflicts.map(({ path, gates }) => `${path} (${gates.join(' and ')})`).join(', ');
        throw new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk('user', 'FILES_CONFLICT', `gate ${unit.key}: gates that do not need each other left one file differently: ${list}`, {
            hint: 'Let one of the two need the other, or hand the file on from one of them only.',
        });
    }
    for (const done of await call.ports.workspace.materialise(files, (0,_content_js__WEBPACK_IMPORTED_MODULE_7__/* .copierOf */ .KD)(call))) {
        if (done.displaced === undefined)
            continue;
        const message = `${done.path} was not as the gate upstream left it; put back, and your version is kept at ${done.displaced}`;
        await call.observe({ type: 'notice', unit: unit.key, message });
    }
}
/** The request as the agent reads it: with the exports of its needs, the attempt's number, and names for people. */
async function agentView(call, unit, work, started, directory) {
    const { store } = call.ports;
    const needs = {};
    for (const [key, content] of Object.entries(work.request.needs)) {
        const view = { digest: content?.digest ?? null, bytes: content?.bytes ?? 0 };
        if (content !== null) {
            const name = `need-${key.replaceAll('/', '.')}.json`;
            const placed = await directory.place(name, content.digest, (0,_content_js__WEBPACK_IMPORTED_MODULE_7__/* .copierOf */ .KD)(call));
            if (placed.state !== 'present')
                throw (0,_content_js__WEBPACK_IMPORTED_MODULE_7__/* .missingContent */ .KQ)(`exports of ${key}`, content.digest, placed.state === 'unknown' ? placed.problem.message : 'they are not there');
            view['file'] = directory.pathOf(name);
            if (content.bytes <= INLINE_LIMIT)
                view['output'] = await (0,_content_js__WEBPACK_IMPORTED_MODULE_7__/* .readJson */ .Vh)(store, content, { what: `exports of ${key}` });
        }
        addNeed(needs, key, view);
    }
    const request = work.request;
    return {
        ...request,
        needs,
        agent: unit.gate.agent,
        number: unit.gate.number,
        attempt: started.n,
        fingerprint: work.fingerprint,
    };
}
/** `needs.<gate>`, or `needs.<gate>.legs.<leg>` for a leg of a matrix gate. */
function addNeed(needs, key, view) {
    const slash = key.indexOf('/');
    if (slash < 0) {
        needs[key] = view;
        return;
    }
    const gate = (needs[key.slice(0, slash)] ??= { legs: {} });
    gate.legs[key.slice(slash + 1)] = view;
}
/** The attempt before this one that ended with the same request: its verdict is the feedback. */
function lastAttempt(call, unit, started) {
    const earlier = (call.journal.archive().ended.get(unit.key) ?? []).filter((one) => one.fingerprint === started.fingerprint && one.how === 'ran');
    const last = earlier.at(-1);
    return last !== undefined && last.runNumber === started.runNumber && last.verdict.status !== 'passed'
        ? last
        : undefined;
}
/**
 * What stood before the first of the unit's attempts since it last came to something, if there was one before this:
 * what a killed or failed attempt left half-done is handed on with what this one does.
 */
async function baselineBefore(call, unit, started) {
    const { records, ended } = call.journal.archive();
    const settled = (ended.get(unit.key) ?? []).findLast((one) => one.verdict.status !== 'failed');
    for (const record of records) {
        if (record.kind !== 'started' || (0,_run_record_js__WEBPACK_IMPORTED_MODULE_3__/* .unitOf */ .uF)(record) !== unit.key || record.runNumber !== started.runNumber)
            continue;
        if (record === started || record.fingerprint !== started.fingerprint)
            continue;
        if (settled !== undefined && (0,_run_record_js__WEBPACK_IMPORTED_MODULE_3__/* .comparePositions */ .Ez)(record, settled) <= 0)
            continue;
        const directory = await call.ports.attempts.open(record);
        const baseline = directory && (await (0,_baseline_file_js__WEBPACK_IMPORTED_MODULE_6__/* .readBaseline */ .m)(directory));
        if (baseline !== undefined)
            return baseline;
    }
    return undefined;
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
