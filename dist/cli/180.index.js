export const id = 180;
export const ids = [180];
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
    const reason = (0,report_text/* fit */.Uj)(withoutStop((0,report_text/* oneLine */.TN)(byVerdict ? (verdict.issues[0]?.message ?? verdict.advice) : unit.reason)), LONGEST_REASON);
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
    return ['file', 'subject'].map((name) => [name, (0,command/* textOption */.vU)(options, name)]).reduce(spell, '');
}
function spell(text, [name, value]) {
    return value === undefined ? text : `${text} --${name} ${shellWord((0,report_text/* oneLine */.TN)(value))}`;
}
/** A POSIX shell's word for any text; plain words stay as they are. */
function shellWord(text) {
    return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}


/***/ }),

/***/ 6180:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

__webpack_require__.r(__webpack_exports__);
/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   execute: () => (/* binding */ execute)
/* harmony export */ });
/* harmony import */ var _report_status_json_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1484);
/* harmony import */ var _report_status_table_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7411);
/* harmony import */ var _report_text_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(3920);
/* harmony import */ var _advice_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(6911);
/* harmony import */ var _exit_codes_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(5158);
/* harmony import */ var _open_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(1831);
/* harmony import */ var _paint_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(9089);
/* harmony import */ var _print_json_js__WEBPACK_IMPORTED_MODULE_7__ = __webpack_require__(3174);








/** `gateline status`: what is true of the subject's newest run. Looks only. */
async function execute(invocation) {
    const { world, options } = invocation;
    if (options['subjects'])
        return listSubjects(invocation);
    const { call, loaded, graph } = await (0,_open_js__WEBPACK_IMPORTED_MODULE_5__/* .openToLook */ .xx)(invocation);
    const state = call.journal.state();
    if (options['json']) {
        (0,_print_json_js__WEBPACK_IMPORTED_MODULE_7__/* .printJson */ .Q)(world, (0,_report_status_json_js__WEBPACK_IMPORTED_MODULE_0__/* .statusJson */ .bj)(state, graph));
        return _exit_codes_js__WEBPACK_IMPORTED_MODULE_4__/* .EXIT_CODES */ .a.ok;
    }
    const look = { width: world.out.columns, paint: (0,_paint_js__WEBPACK_IMPORTED_MODULE_6__/* .paintFor */ .e)(world.out, world.environment) };
    world.out.write(`${(0,_report_status_table_js__WEBPACK_IMPORTED_MODULE_1__/* .statusTable */ .X)(state, loaded.pipeline, { ...look, now: world.now().toISOString() })}\n`);
    for (const line of (0,_advice_js__WEBPACK_IMPORTED_MODULE_3__/* .adviceLines */ .C)(state, { graph, options }))
        world.out.write(`${line}\n`);
    for (const problem of state.problems)
        world.err.write(`problem: ${problem.code}: ${(0,_report_text_js__WEBPACK_IMPORTED_MODULE_2__/* .oneLine */ .TN)(problem.message)}\n`);
    return _exit_codes_js__WEBPACK_IMPORTED_MODULE_4__/* .EXIT_CODES */ .a.ok;
}
async function listSubjects(invocation) {
    const { world, options } = invocation;
    const { ports, loaded } = await (0,_open_js__WEBPACK_IMPORTED_MODULE_5__/* .open */ .ho)(invocation, await (0,_open_js__WEBPACK_IMPORTED_MODULE_5__/* .loadFor */ .kF)(invocation), { readOnly: true });
    const subjects = await ports.store.subjects(loaded.pipeline.id);
    if (options['json'])
        (0,_print_json_js__WEBPACK_IMPORTED_MODULE_7__/* .printJson */ .Q)(world, { format: 'gateline-subjects/1', pipeline: loaded.pipeline.id, subjects });
    else
        for (const subject of subjects)
            world.out.write(`${(0,_report_text_js__WEBPACK_IMPORTED_MODULE_2__/* .oneLine */ .TN)(subject)}\n`);
    return _exit_codes_js__WEBPACK_IMPORTED_MODULE_4__/* .EXIT_CODES */ .a.ok;
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

/***/ 1484:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $e: () => (/* binding */ attemptView),
/* harmony export */   ZS: () => (/* binding */ attemptSchema),
/* harmony export */   bj: () => (/* binding */ statusJson)
/* harmony export */ });
/* unused harmony exports STATUS_FORMAT, statusJsonSchema */
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(2857);
/* harmony import */ var _verdict_verdict_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8579);
/* harmony import */ var _run_digest_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(4612);
/* harmony import */ var _run_record_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(1265);
/* harmony import */ var _run_run_state_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(1759);
/* harmony import */ var _wording_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(2867);






/** Version of `gateline status --json`. Fields may be added within a version; none is taken away or changes its meaning. */
const STATUS_FORMAT = 'gateline-status/1';
const counter = zod__WEBPACK_IMPORTED_MODULE_4__/* .int */ .Whr().min(0);
const digest = _run_digest_js__WEBPACK_IMPORTED_MODULE_1__/* .digestSchema */ .er;
const content = zod__WEBPACK_IMPORTED_MODULE_4__/* .strictObject */ .rej({ digest, bytes: counter });
/** One attempt: of which run, which call of it, and which try in that call. */
const attemptSchema = zod__WEBPACK_IMPORTED_MODULE_4__/* .strictObject */ .rej({ run: counter, call: counter, attempt: counter });
/** One gate, or one leg of a matrix gate. `null` stands for what there is not. */
const gateStatusSchema = zod__WEBPACK_IMPORTED_MODULE_4__/* .strictObject */ .rej({
    /** `gate`, or `gate/leg`. */
    key: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP(),
    gate: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP(),
    /** '' without a matrix. */
    leg: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP(),
    number: counter.nullable(),
    agent: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP().nullable(),
    status: zod__WEBPACK_IMPORTED_MODULE_4__/* ["enum"] */ .k5n(_run_run_state_js__WEBPACK_IMPORTED_MODULE_5__/* .UNIT_STATUSES */ .UG),
    /** One sentence; free text. */
    reason: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP(),
    /** Satisfied, and so is everything upstream. */
    done: zod__WEBPACK_IMPORTED_MODULE_4__/* .boolean */ .zMY(),
    reused: zod__WEBPACK_IMPORTED_MODULE_4__/* .boolean */ .zMY(),
    /** Attempts in this run. */
    attempts: counter,
    verdict: zod__WEBPACK_IMPORTED_MODULE_4__/* .strictObject */ .rej({
        status: zod__WEBPACK_IMPORTED_MODULE_4__/* ["enum"] */ .k5n(['passed', 'partial', 'failed', 'not-applicable']),
        kind: zod__WEBPACK_IMPORTED_MODULE_4__/* ["enum"] */ .k5n(_verdict_verdict_js__WEBPACK_IMPORTED_MODULE_0__/* .VERDICT_KINDS */ .CX),
        /** 0-100. */
        score: zod__WEBPACK_IMPORTED_MODULE_4__/* .number */ .aig(),
        threshold: zod__WEBPACK_IMPORTED_MODULE_4__/* .number */ .aig().nullable(),
        issues: zod__WEBPACK_IMPORTED_MODULE_4__/* .array */ .YOg(_verdict_verdict_js__WEBPACK_IMPORTED_MODULE_0__/* .issueSchema */ .j8),
        advice: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP(),
    })
        .nullable(),
    attempt: attemptSchema.nullable(),
    /** Where a reused output came from. */
    source: attemptSchema.nullable(),
    fingerprint: digest.nullable(),
    output: content.nullable(),
    /** What later gates are handed; `null`: nothing, or not done. */
    exports: content.nullable(),
    files: zod__WEBPACK_IMPORTED_MODULE_4__/* .array */ .YOg(zod__WEBPACK_IMPORTED_MODULE_4__/* .strictObject */ .rej({ path: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP(), change: zod__WEBPACK_IMPORTED_MODULE_4__/* ["enum"] */ .k5n(['added', 'changed', 'deleted']) })),
    /** ISO 8601, UTC. */
    startedAt: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP().nullable(),
    endedAt: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP().nullable(),
    durationMs: zod__WEBPACK_IMPORTED_MODULE_4__/* .number */ .aig().min(0).nullable(),
    exitCode: zod__WEBPACK_IMPORTED_MODULE_4__/* .int */ .Whr().nullable(),
    metrics: _run_record_js__WEBPACK_IMPORTED_MODULE_2__/* .metricsSchema */ .HR.nullable(),
    decision: zod__WEBPACK_IMPORTED_MODULE_4__/* .strictObject */ .rej({
        decision: zod__WEBPACK_IMPORTED_MODULE_4__/* ["enum"] */ .k5n(['approve', 'reject', 'skip', 'force', 'rollback']),
        actor: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP(),
        reason: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP(),
        at: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP(),
        until: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP().nullable(),
    })
        .nullable(),
});
/** `gateline status --json`. */
const statusJsonSchema = zod__WEBPACK_IMPORTED_MODULE_4__/* .strictObject */ .rej({
    format: zod__WEBPACK_IMPORTED_MODULE_4__/* .literal */ .euz(STATUS_FORMAT),
    pipeline: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP(),
    subject: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP(),
    /** 0: there is no run yet. */
    run: counter,
    call: counter,
    status: zod__WEBPACK_IMPORTED_MODULE_4__/* ["enum"] */ .k5n(_run_run_state_js__WEBPACK_IMPORTED_MODULE_5__/* .RUN_STATUSES */ .LV),
    startedAt: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP().nullable(),
    updatedAt: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP().nullable(),
    /** In an order in which each gate comes after those it needs. */
    gates: zod__WEBPACK_IMPORTED_MODULE_4__/* .array */ .YOg(gateStatusSchema),
    /** Records that are not as they should be. */
    problems: zod__WEBPACK_IMPORTED_MODULE_4__/* .array */ .YOg(zod__WEBPACK_IMPORTED_MODULE_4__/* .strictObject */ .rej({ code: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP(), message: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP(), gate: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP().nullable() })),
});
/** The state of a run for programs; see docs/reference/json-output.md. Texts are as they are: print them with `jsonText`. */
function statusJson(state, graph) {
    return {
        format: STATUS_FORMAT,
        pipeline: state.pipeline,
        subject: state.subject,
        run: state.runNumber,
        call: state.runAttempt,
        status: state.status,
        startedAt: state.startedAt ?? null,
        updatedAt: state.updatedAt ?? null,
        gates: [...state.units.values()].map((unit) => gateOf(unit, graph)),
        problems: state.problems.map(({ code, message, unit }) => ({ code, message, gate: unit ?? null })),
    };
}
function gateOf(unit, graph) {
    const { started, decided } = unit;
    const ended = (0,_wording_js__WEBPACK_IMPORTED_MODULE_3__/* .resultOf */ .Bg)(unit);
    const gate = graph.get(unit.key)?.gate;
    const at = ended ?? started;
    return {
        key: unit.key,
        gate: unit.gate,
        leg: unit.leg,
        number: gate?.number ?? null,
        agent: gate?.agent ?? null,
        status: unit.status,
        reason: unit.reason,
        done: unit.done,
        reused: unit.reused,
        attempts: unit.attempts,
        verdict: ended === undefined ? null : verdictOf(ended, gate?.contract.threshold),
        attempt: at === undefined ? null : attemptView(at),
        source: ended?.source === undefined ? null : attemptView(ended.source),
        fingerprint: at?.fingerprint ?? null,
        output: contentOf(ended?.value),
        exports: contentOf(unit.exports),
        files: (ended?.files ?? []).map((file) => ({ path: file.path, change: (0,_wording_js__WEBPACK_IMPORTED_MODULE_3__/* .changeOf */ .C2)(file) })),
        startedAt: ended?.startedAt ?? started?.at ?? null,
        endedAt: ended?.at ?? null,
        durationMs: (ended === undefined ? undefined : (0,_wording_js__WEBPACK_IMPORTED_MODULE_3__/* .endedAfter */ .rC)(ended)) ?? null,
        exitCode: ended?.exitCode ?? null,
        metrics: ended?.metrics === undefined ? null : { ...ended.metrics },
        decision: decided === undefined ? null : decisionOf(decided),
    };
}
/** A position as programs see it. */
function attemptView(at) {
    return { run: at.runNumber, call: at.runAttempt, attempt: at.n };
}
function verdictOf({ verdict }, threshold) {
    const { status, kind, score, issues, advice } = verdict;
    return { status, kind, score, threshold: threshold ?? null, issues: issues.map((issue) => ({ ...issue })), advice };
}
function contentOf(content) {
    return content === undefined || content === null ? null : { digest: content.digest, bytes: content.bytes };
}
function decisionOf(decided) {
    const { decision, actor, reason, at, until } = decided;
    return { decision, actor, reason, at, until: until ?? null };
}


/***/ }),

/***/ 7411:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  X: () => (/* binding */ statusTable)
});

// EXTERNAL MODULE: ./build/report/text.js
var report_text = __webpack_require__(3920);
// EXTERNAL MODULE: ./build/report/wording.js
var wording = __webpack_require__(2867);
;// CONCATENATED MODULE: ./build/report/status-rows.js


/** The first of these that a leg has is the status of the whole gate. */
const WORST_FIRST = [
    'failed',
    'lost',
    'partial',
    'paused',
    'running',
    'blocked',
    'ready',
    'pending',
    'skipped',
    'passed',
    'not-applicable',
];
/**
 * The rows of a status table, in file order: each group's heading with its gates where its first gate stands, each
 * gate, and the legs of a matrix gate below it. A gate of several groups is shown in the first.
 */
function statusRows(state, pipeline, now) {
    const rows = [];
    const unitsByGate = Map.groupBy(state.units.values(), (unit) => unit.gate);
    const groupOf = new Map(pipeline.groups.toReversed().flatMap((group) => group.gates.map((gate) => [gate, group.id])));
    const shown = new Set();
    for (const gate of pipeline.gates) {
        if (shown.has(gate.id))
            continue;
        const group = groupOf.get(gate.id);
        const members = group === undefined ? [gate] : pipeline.gates.filter(({ id }) => groupOf.get(id) === group);
        if (group !== undefined)
            rows.push(headingRow(group, members.flatMap(({ id }) => unitsByGate.get(id) ?? [])));
        for (const { id, number } of members) {
            shown.add(id);
            rows.push(...gateRows(String(number), id, unitsByGate.get(id) ?? [], group === undefined ? 0 : 1, now));
        }
    }
    return rows;
}
function gateRows(number, gate, units, depth, now) {
    const [first] = units;
    if (first === undefined)
        return [];
    if (units.length === 1 && first.leg === '')
        return [unitRow(first, number, gate, depth, now)];
    return [matrixRow(units, number, gate, depth), ...units.map((unit) => unitRow(unit, '', unit.leg, depth + 1, now))];
}
function unitRow(unit, number, name, depth, now) {
    const ended = (0,wording/* resultOf */.Bg)(unit);
    return {
        heading: false,
        depth,
        number,
        name: (0,report_text/* oneLine */.TN)(name),
        status: unit.status,
        how: (0,wording/* howOf */.GO)(unit),
        score: ended === undefined || unit.status === 'not-applicable' ? '' : (0,wording/* scoreText */.QO)(ended.verdict.score),
        time: (0,wording/* durationText */.S5)((0,wording/* durationOf */.cf)(unit, now)),
        reason: (0,report_text/* oneLine */.TN)(unit.reason),
    };
}
function matrixRow(legs, number, gate, depth) {
    const status = WORST_FIRST.find((status) => legs.some((leg) => leg.status === status));
    const scores = legs.flatMap((leg) => (0,wording/* resultOf */.Bg)(leg)?.verdict.score ?? []);
    const score = scores.length === legs.length ? (0,wording/* scoreText */.QO)(Math.min(...scores)) : '';
    return {
        heading: false,
        depth,
        number,
        name: (0,report_text/* oneLine */.TN)(gate),
        status,
        how: '',
        score,
        time: '',
        reason: doneText(legs, 'leg'),
    };
}
function headingRow(group, units) {
    const name = `group ${(0,report_text/* oneLine */.TN)(group)}: ${doneText(units, 'gate')}`;
    return { heading: true, depth: 0, number: '', name, status: undefined, how: '', score: '', time: '', reason: '' };
}
function doneText(units, noun) {
    return `${units.filter((unit) => unit.done).length} of ${(0,report_text/* count */.U9)(units.length, noun)} done`;
}

;// CONCATENATED MODULE: ./build/report/status-table.js



const LONGEST_REASON = 300;
const LONGEST_NAME = 40;
const NARROWEST = 20;
/** A reason with less room than this goes on a line of its own. */
const ROOM_FOR_REASON = 24;
const GAP = '  ';
/**
 * The state of a run as a table for terminals and logs: number, gate (legs below, groups headed), status, how it came
 * to it (ran, reused, skipped), score, time, reason. Ends with a line break. Text from agents is made safe.
 */
function statusTable(state, pipeline, options = {}) {
    const rows = statusRows(state, pipeline, options.now);
    const head = {
        heading: false,
        depth: 0,
        number: '#',
        name: 'gate',
        status: undefined,
        how: 'how',
        score: 'score',
        time: 'time',
        reason: 'why',
    };
    const width = options.width === undefined || options.width <= 0 ? Infinity : Math.max(options.width, NARROWEST);
    const layout = layOut([head, ...rows], width);
    const paint = options.paint ?? report_text/* plain */.pj;
    const lines = [paint('quiet', drawRow(head, 'status', layout, report_text/* plain */.pj).trimEnd())];
    for (const row of rows) {
        if (row.heading)
            lines.push(paint('strong', (0,report_text/* fit */.Uj)(row.name, width)));
        else
            lines.push(drawRow(row, row.status ?? '', layout, paint).trimEnd());
        if (layout.reason === 0 && row.reason !== '')
            lines.push(paint('quiet', (0,report_text/* fit */.Uj)(`    why: ${row.reason}`, width)));
    }
    return `${lines.join('\n')}\n`;
}
function layOut(rows, width) {
    const drawn = rows.filter((row) => !row.heading);
    const widest = (text) => Math.max(...drawn.map(text));
    const columns = {
        number: widest((row) => row.number.length),
        name: Math.min(LONGEST_NAME, widest((row) => (0,report_text/* widthOf */.qz)(indented(row)))),
        status: widest((row) => (row.status ?? 'status').length),
        how: widest((row) => row.how.length),
        score: widest((row) => row.score.length),
        time: widest((row) => row.time.length),
    };
    const taken = Object.values(columns).reduce((a, b) => a + b) + GAP.length * 6;
    const left = Math.min(LONGEST_REASON, width - taken);
    return { ...columns, reason: left >= ROOM_FOR_REASON ? left : 0, total: width };
}
function drawRow(row, status, layout, paint) {
    const cells = [
        (0,report_text/* pad */.eV)(row.number, layout.number, 'left'),
        (0,report_text/* pad */.eV)((0,report_text/* fit */.Uj)(indented(row), layout.name), layout.name),
        (0,report_text/* pad */.eV)(status, layout.status),
        (0,report_text/* pad */.eV)(row.how, layout.how),
        (0,report_text/* pad */.eV)(row.score, layout.score, 'left'),
        (0,report_text/* pad */.eV)(row.time, layout.time, 'left'),
    ];
    if (layout.reason > 0)
        cells.push((0,report_text/* fit */.Uj)(row.reason, layout.reason));
    if ((0,report_text/* widthOf */.qz)(cells.join(GAP).trimEnd()) > layout.total)
        return (0,report_text/* fit */.Uj)(cells.filter((_, at) => at < 3).join(GAP), layout.total);
    if (row.status !== undefined)
        cells[2] = paint((0,wording/* toneOf */.YV)(row.status), cells[2].trimEnd()) + ' '.repeat(layout.status - status.length);
    return cells.join(GAP);
}
function indented(row) {
    return '  '.repeat(row.depth) + row.name;
}


/***/ })

};
