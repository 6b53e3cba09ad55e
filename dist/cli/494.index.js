export const id = 494;
export const ids = [494];
export const modules = {

/***/ 9286:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  execute: () => (/* binding */ execute)
});

// EXTERNAL MODULE: ./build/run/plan.js
var plan = __webpack_require__(5823);
// EXTERNAL MODULE: ./build/engine/call.js + 3 modules
var engine_call = __webpack_require__(7423);
// EXTERNAL MODULE: ./build/run/digest.js
var run_digest = __webpack_require__(4612);
;// CONCATENATED MODULE: ./build/engine/rehearsal.js

/** Ports through which everything can be read and nothing is changed: what is written is remembered for this call only. */
function rehearsal(ports) {
    const { workspace } = ports;
    return {
        ...ports,
        store: rehearsalStore(ports.store),
        workspace: Object.assign(Object.create(workspace), { materialise: () => Promise.resolve([]) }),
    };
}
function rehearsalStore(store) {
    const kept = new Map();
    const keep = (bytes) => {
        const digest = (0,run_digest/* digestOf */.ol)(bytes);
        kept.set(digest, bytes);
        return { digest, bytes: bytes.length };
    };
    return {
        write: () => Promise.resolve('written'),
        list: (pipeline, subject) => store.list(pipeline, subject),
        subjects: (pipeline) => store.subjects(pipeline),
        put: (content) => Promise.resolve(keep(Buffer.from(content))),
        putStream: async (chunks) => {
            const parts = [];
            for await (const chunk of chunks)
                parts.push(Buffer.from(chunk));
            return keep(Buffer.concat(parts));
        },
        get: async (digest) => {
            const value = kept.get(digest);
            return value === undefined ? store.get(digest) : { state: 'present', value };
        },
        check: async (digest) => {
            const value = kept.get(digest);
            return value === undefined ? store.check(digest) : { state: 'present', value: { digest, bytes: value.length } };
        },
        copyTo: (digest, path, mode) => store.copyTo(digest, path, mode),
    };
}

// EXTERNAL MODULE: ./build/engine/pin-contracts.js
var pin_contracts = __webpack_require__(7890);
// EXTERNAL MODULE: ./build/engine/plan-unit.js + 2 modules
var plan_unit = __webpack_require__(6680);
// EXTERNAL MODULE: ./build/engine/record-reuse.js
var record_reuse = __webpack_require__(1475);
;// CONCATENATED MODULE: ./build/engine/plan-pipeline.js






/** Says what `runPipeline` would do, and why, without doing it: nothing is written and nothing is started. */
async function planPipeline(ports, assignment) {
    const call = await (0,engine_call/* openCall */.L)(rehearsal(ports), assignment, () => undefined);
    await (0,pin_contracts/* pinContracts */.v)(call);
    const units = [];
    const errors = [];
    const undecided = new Set();
    for (const unit of call.graph.values()) {
        const waits = unit.needs.filter((key) => undecided.has(key));
        if (waits.length > 0 && !assignment.standIn) {
            undecided.add(unit.key);
            units.push((0,plan/* dependsOn */.f)(unit, waits));
            continue;
        }
        const prepared = await (0,plan_unit/* planUnit */.M)(call, unit);
        const { planned, error } = prepared;
        if (error !== undefined)
            errors.push(error);
        // Rehearsed, so that what comes after is planned as it would be.
        if (planned.choice === 'reuse')
            await (0,record_reuse/* recordReuse */.w)(call, unit, prepared);
        else if (planned.choice === 'not-applicable')
            await (0,record_reuse/* recordNotApplicable */.E)(call, unit, prepared);
        else if (planned.choice === 'run' || planned.choice === 'wait' || planned.choice === 'depends')
            undecided.add(unit.key);
        units.push(planned);
    }
    const { runNumber, runAttempt, continues } = call.journal.call;
    return {
        plan: { pipeline: assignment.pipeline.id, subject: assignment.subject, runNumber, runAttempt, continues, units },
        errors,
    };
}

// EXTERNAL MODULE: ./node_modules/zod/v4/classic/schemas.js + 11 modules
var schemas = __webpack_require__(2857);
// EXTERNAL MODULE: ./build/report/status-json.js
var status_json = __webpack_require__(1484);
;// CONCATENATED MODULE: ./build/report/plan-json.js



/** Version of `gateline plan --json`. Fields may be added within a version; none is taken away or changes its meaning. */
const PLAN_FORMAT = 'gateline-plan/1';
const counter = schemas/* int */.Whr().min(0);
/** `gateline plan --json`. */
const planJsonSchema = schemas/* strictObject */.rej({
    format: schemas/* literal */.euz(PLAN_FORMAT),
    pipeline: schemas/* string */.YjP(),
    subject: schemas/* string */.YjP(),
    /** The run and call that would do this. */
    run: counter,
    call: counter,
    /** Goes on with an open run. */
    continues: schemas/* boolean */.zMY(),
    /** In an order in which each gate comes after those it needs. */
    gates: schemas/* array */.YOg(schemas/* strictObject */.rej({
        key: schemas/* string */.YjP(),
        gate: schemas/* string */.YjP(),
        leg: schemas/* string */.YjP(),
        choice: schemas/* enum */.k5n(['keep', 'reuse', 'run', 'wait', 'skip', 'not-applicable', 'depends', 'blocked']),
        /** One sentence; free text. */
        reason: schemas/* string */.YjP(),
        /** `null`: cannot be known yet. */
        fingerprint: run_digest/* digestSchema */.er.nullable(),
        /** Where a kept or reused output came from. */
        from: status_json/* attemptSchema */.ZS.nullable(),
        /** What is different from the last time that this gate was asked. */
        differences: schemas/* array */.YOg(schemas/* strictObject */.rej({
            what: schemas/* enum */.k5n([
                'file',
                'env',
                'export',
                'command',
                'with',
                'metadata',
                'subject',
                'input',
                'tool',
                'secret',
                'platform',
                'format',
                'matrix',
            ]),
            /** Path, variable, gate, tool … */
            name: schemas/* string */.YjP(),
            change: schemas/* enum */.k5n(['changed', 'added', 'removed']),
        })),
        notices: schemas/* array */.YOg(schemas/* string */.YjP()),
    })),
});
/** A plan for programs; see docs/reference/json-output.md. Texts are as they are: print them with `jsonText`. */
function planJson(plan) {
    return {
        format: PLAN_FORMAT,
        pipeline: plan.pipeline,
        subject: plan.subject,
        run: plan.runNumber,
        call: plan.runAttempt,
        continues: plan.continues,
        gates: plan.units.map((unit) => ({
            key: unit.key,
            gate: unit.gate,
            leg: unit.leg,
            choice: unit.choice,
            reason: unit.reason,
            fingerprint: unit.fingerprint ?? null,
            from: unit.from === undefined ? null : (0,status_json/* attemptView */.$e)(unit.from),
            differences: unit.differences.map(({ what, name, change }) => ({ what, name, change })),
            notices: [...unit.notices],
        })),
    };
}

// EXTERNAL MODULE: ./build/report/text.js
var report_text = __webpack_require__(3920);
;// CONCATENATED MODULE: ./build/report/plan-table.js

const TONES = {
    keep: 'good',
    reuse: 'good',
    run: 'strong',
    wait: 'warning',
    skip: 'warning',
    'not-applicable': 'quiet',
    depends: 'quiet',
    blocked: 'bad',
};
/** How each choice is said in the heading: `2 to run`. */
const COUNTED = {
    keep: 'kept',
    reuse: 'reused',
    run: 'to run',
    wait: 'to be done from outside',
    skip: 'skipped',
    'not-applicable': 'not applicable',
    depends: 'not known yet',
    blocked: 'blocked',
};
/** Differences that are spelled out for one gate; more are counted. */
const SHOWN_DIFFERENCES = 20;
const SHOWN_NOTICES = 10;
const LONGEST_LINE = 400;
/**
 * What a call is going to do: for each gate its choice and why, each thing that is different from the last time on a
 * line of its own, and notices. Ends with a line break. Safe for terminals and logs.
 */
function planTable(plan, graph, options = {}) {
    const paint = options.paint ?? report_text/* plain */.pj;
    const width = options.width === undefined || options.width <= 0 ? LONGEST_LINE : Math.max(options.width, 20);
    const name = (unit) => `${graph.get(unit.key)?.gate.number ?? '-'}  ${(0,report_text/* oneLine */.TN)(unit.key)}`;
    const columns = {
        name: Math.min(46, longest(plan.units.map(name))),
        choice: longest(plan.units.map((unit) => unit.choice)),
    };
    const lines = [paint('strong', (0,report_text/* fit */.Uj)(headingOf(plan), width))];
    for (const unit of plan.units) {
        const start = `${(0,report_text/* pad */.eV)((0,report_text/* fit */.Uj)(name(unit), columns.name), columns.name)}  `;
        const rest = `${' '.repeat(columns.choice - unit.choice.length)}  ${(0,report_text/* oneLine */.TN)(unit.reason)}`.trimEnd();
        const room = width - columns.name - 2 - unit.choice.length;
        if (room < 24)
            lines.push((0,report_text/* fit */.Uj)(start.trimEnd(), width), (0,report_text/* fit */.Uj)(`    ${unit.choice}: ${(0,report_text/* oneLine */.TN)(unit.reason)}`, width));
        else
            lines.push(start + paint(TONES[unit.choice], unit.choice) + (0,report_text/* fit */.Uj)(rest, room));
        lines.push(...detailsOf(unit).map((line) => (0,report_text/* fit */.Uj)(`    ${line}`, width)));
    }
    return `${lines.join('\n')}\n`;
}
/** One difference: `file src/page.html changed`. */
function differenceText({ what, name, change }) {
    const said = what === name ? `the ${what}` : what === 'export' ? `exports of ${(0,report_text/* oneLine */.TN)(name)}` : `${what} ${(0,report_text/* oneLine */.TN)(name)}`;
    return `${said} ${change}`;
}
function headingOf(plan) {
    const counts = Map.groupBy(plan.units, (unit) => unit.choice);
    const parts = Object.keys(COUNTED).flatMap((choice) => {
        const number = counts.get(choice)?.length ?? 0;
        return number === 0 ? [] : [`${number} ${COUNTED[choice]}`];
    });
    const about = `${(0,report_text/* oneLine */.TN)(plan.pipeline)} for ${(0,report_text/* fit */.Uj)((0,report_text/* oneLine */.TN)(plan.subject), 120)}`;
    const run = plan.continues
        ? `goes on with run ${plan.runNumber}, call ${plan.runAttempt}`
        : `begins run ${plan.runNumber}`;
    return `${about}: ${run}. ${parts.length === 0 ? 'No gates' : `${(0,report_text/* count */.U9)(plan.units.length, 'gate')}: ${parts.join(', ')}`}.`;
}
function detailsOf(unit) {
    const differences = unit.differences.slice(0, SHOWN_DIFFERENCES).map(differenceText);
    const notices = unit.notices.slice(0, SHOWN_NOTICES).map((notice) => `note: ${(0,report_text/* oneLine */.TN)(notice)}`);
    return [
        ...differences.map((text) => `- ${text}`),
        ...leftOut(unit.differences.length - differences.length, 'difference'),
        ...notices,
        ...leftOut(unit.notices.length - notices.length, 'note'),
    ];
}
function leftOut(number, noun) {
    return number > 0 ? [`  and ${number} more ${noun}${number === 1 ? '' : 's'}`] : [];
}
function longest(texts) {
    return texts.reduce((most, text) => Math.max(most, (0,report_text/* widthOf */.qz)(text)), 0);
}

// EXTERNAL MODULE: ./build/cli/exit-codes.js
var exit_codes = __webpack_require__(5158);
// EXTERNAL MODULE: ./build/cli/open.js + 25 modules
var cli_open = __webpack_require__(1831);
// EXTERNAL MODULE: ./build/cli/paint.js
var paint = __webpack_require__(9089);
// EXTERNAL MODULE: ./build/cli/print-json.js + 1 modules
var print_json = __webpack_require__(3174);
// EXTERNAL MODULE: ./build/cli/report-error.js
var report_error = __webpack_require__(9980);
;// CONCATENATED MODULE: ./build/cli/commands/plan.js








/** `gateline plan` and `gateline run --dry-run`: says what a run would do, and why. Changes nothing. */
async function execute(invocation) {
    const { world, options } = invocation;
    const { ports, assignment, graph } = await (0,cli_open/* open */.ho)(invocation, await (0,cli_open/* loadFor */.kF)(invocation), { readOnly: true });
    const { plan, errors } = await planPipeline(ports, assignment);
    if (options['json'])
        (0,print_json/* printJson */.Q)(world, planJson(plan));
    else
        world.out.write(planTable(plan, graph, { width: world.out.columns, paint: (0,paint/* paintFor */.e)(world.out, world.environment) }));
    for (const error of errors)
        for (const line of (0,report_error/* errorLines */.S6)(error))
            world.err.write(`${line}\n`);
    const [first] = errors;
    return first === undefined ? exit_codes/* EXIT_CODES */.a.ok : (0,report_error/* exitCodeOfError */.LL)(first);
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

/***/ 8890:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   h: () => (/* binding */ placeFiles),
/* harmony export */   j: () => (/* binding */ notOvertaken)
/* harmony export */ });
/* harmony import */ var _run_unit_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2878);
/* harmony import */ var _content_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9906);


/**
 * Brings files to where gates left them, and says what was put aside for that. What any gate left and is kept is
 * nobody's edit. Attempts that run meanwhile find these files so: none of them changed them. To be called in turn.
 *
 * @param whose whose files these are, for people: `the gate`
 */
async function placeFiles(call, unit, changes, whose) {
    if (changes.length === 0)
        return;
    const known = leftBefore(call, new Set(changes.map(({ path }) => path)));
    const placed = await call.ports.workspace.materialise([...known, ...changes], (0,_content_js__WEBPACK_IMPORTED_MODULE_0__/* .copierOf */ .KD)(call));
    for (const [key, baseline] of call.running)
        call.running.set(key, withPlaced(baseline, placed, changes));
    for (const { path, displaced } of placed) {
        if (displaced === undefined)
            continue;
        const message = `${path} was not as ${whose} left it; put back, and your version is kept at ${displaced}`;
        await call.observe({ type: 'notice', unit: unit.key, message });
    }
}
/** Without those that stand as a gate after this one left them: it found them as this one had. */
async function notOvertaken(call, key, files) {
    const { ended } = call.journal.archive();
    const later = new Map();
    for (const after of files.length === 0 ? [] : (0,_run_unit_js__WEBPACK_IMPORTED_MODULE_1__/* .descendantsOf */ .gO)(call.graph, key)) {
        for (const change of (ended.get(after) ?? []).flatMap((record) => record.files))
            later.set(change.path, [...(later.get(change.path) ?? []), change]);
    }
    const still = [];
    for (const file of files)
        if (!(await standsAsAny(call, later.get(file.path) ?? [])))
            still.push(file);
    return still;
}
async function standsAsAny({ ports: { workspace } }, changes) {
    for (const change of changes)
        if (await workspace.stands([change]))
            return true;
    return false;
}
/** How gates left these paths before, as far as it is kept. */
function leftBefore(call, paths) {
    const records = [...call.journal.archive().ended.values()].flat();
    return records.flatMap(({ files }) => files.flatMap((file) => (paths.has(file.path) && file.after?.content ? [{ ...file, before: null }] : [])));
}
function withPlaced(baseline, placed, changes) {
    const moved = new Set(placed.filter(({ action }) => action !== 'unchanged').map(({ path }) => path));
    if (moved.size === 0)
        return baseline;
    const tree = new Map(baseline.tree);
    const named = new Map(baseline.named);
    for (const { path, after } of changes) {
        if (!moved.has(path))
            continue;
        for (const files of [tree, named])
            place(files, path, after);
    }
    return { ...baseline, tree, named };
}
function place(files, path, after) {
    if (after === null)
        files.delete(path);
    else
        files.set(path, { blob: after.blob, mode: after.mode });
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
/* harmony export */   fs: () => (/* binding */ changesOf),
/* harmony export */   wu: () => (/* binding */ leftByOthers)
/* harmony export */ });
/* harmony import */ var _record_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1265);
/* harmony import */ var _tree_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(3448);
/* harmony import */ var _unit_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2878);



/** Files of all ancestors that are done, later gates over earlier ones. */
function upstreamFiles(graph, state, key) {
    const left = new Map();
    for (const by of (0,_unit_js__WEBPACK_IMPORTED_MODULE_1__/* .ancestorsOf */ .Gw)(graph, key)) {
        const unit = state.units.get(by);
        for (const change of (unit?.done ? unit.ended?.files : undefined) ?? []) {
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
    const overtaken = new Set(all.flatMap(({ by }) => (0,_unit_js__WEBPACK_IMPORTED_MODULE_1__/* .ancestorsOf */ .Gw)(graph, by)));
    return all.filter(({ by }) => !overtaken.has(by));
}
/** Every change of an attempt, handed on or not. */
function changesOf({ files, touched }) {
    return [...files, ...touched];
}
/**
 * Every change that a unit's ancestors ever made, handed on or not, in no particular order. Failed attempts count too:
 * what one of them left may still stand, and the one that came to something found it so.
 */
function upstreamChanges(graph, ended, key) {
    const records = (0,_unit_js__WEBPACK_IMPORTED_MODULE_1__/* .ancestorsOf */ .Gw)(graph, key).flatMap((ancestor) => ended.get(ancestor) ?? []);
    return records.flatMap(changesOf);
}
/**
 * Every file that gates which are not upstream of this one (itself included) ever left behind: for `unwind`.
 * Failed attempts count too: what stands in the workspace may come from any of them.
 */
function leftByOthers(graph, records, key, runNumber) {
    const upstream = new Set((0,_unit_js__WEBPACK_IMPORTED_MODULE_1__/* .ancestorsOf */ .Gw)(graph, key));
    const ofThisRun = new Map();
    const ofOtherRuns = new Map();
    for (const record of records) {
        if (record.kind !== 'ended' || upstream.has((0,_record_js__WEBPACK_IMPORTED_MODULE_0__/* .unitOf */ .uF)(record)))
            continue;
        const madeIn = record.how === 'reused' ? record.source?.runNumber : record.runNumber;
        const into = madeIn === runNumber ? ofThisRun : ofOtherRuns;
        for (const change of changesOf(record)) {
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
