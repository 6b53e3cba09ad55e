export const id = 643;
export const ids = [643];
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

/***/ 643:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  actorOf: () => (/* binding */ actorOf),
  execute: () => (/* binding */ execute)
});

// EXTERNAL MODULE: ./build/engine/call.js + 3 modules
var engine_call = __webpack_require__(7423);
// EXTERNAL MODULE: ./build/errors/gateline-error.js
var gateline_error = __webpack_require__(7974);
// EXTERNAL MODULE: ./build/run/plan.js
var plan = __webpack_require__(5823);
// EXTERNAL MODULE: ./build/engine/attempt.js + 3 modules
var attempt = __webpack_require__(2423);
// EXTERNAL MODULE: ./build/engine/pin-contracts.js
var pin_contracts = __webpack_require__(7890);
// EXTERNAL MODULE: ./build/engine/plan-unit.js + 2 modules
var plan_unit = __webpack_require__(6680);
// EXTERNAL MODULE: ./build/engine/record-reuse.js
var record_reuse = __webpack_require__(1475);
;// CONCATENATED MODULE: ./build/engine/room.js
/**
 * Whether there is room for another attempt beside those that run. Gates that may leave the same files run one after
 * the other, and one with `files: changed` alone: what each of them changed could not be told apart.
 */
function hasRoom({ assignment, graph }, { gate }, running) {
    if (running.size >= assignment.pipeline.maxParallel)
        return false;
    let siblings = 0;
    for (const key of running.keys()) {
        const other = graph.get(key).gate;
        if (mayShareFiles(gate.files, other.files))
            return false;
        if (other.id === gate.id)
            siblings += 1;
    }
    return siblings < (gate.legsMaxParallel ?? Infinity);
}
/** Whether two gates' `files` may name one path, by what their globs say before the first wildcard. */
function mayShareFiles(a, b) {
    if (a === 'changed' || b === 'changed')
        return true;
    const folders = b.filter(includes).map(fixedPart);
    return a
        .filter(includes)
        .map(fixedPart)
        .some((one) => folders.some((other) => isAbove(one, other) || isAbove(other, one)));
}
function includes(glob) {
    return !glob.startsWith('!');
}
/** The names that a glob begins with, up to the first that holds a wildcard. */
function fixedPart(glob) {
    const names = glob.split('/').filter((name) => name !== '' && name !== '.');
    const wild = names.findIndex((name) => /[*?[\]{}()\\]/.test(name));
    return wild < 0 ? names : names.slice(0, wild);
}
function isAbove(folder, path) {
    return folder.every((name, index) => name === path[index]);
}

;// CONCATENATED MODULE: ./build/engine/drive.js







/**
 * Drives a run on: plans every unit as soon as what it needs is settled, runs what is ready side by side, and
 * ends when nothing can go on. Every unit gets one go in a call.
 */
async function drive(call, signal) {
    const planned = [];
    const errors = [];
    const open = new Map(call.graph);
    const running = new Map();
    const failures = [];
    const unsound = once(() => (0,pin_contracts/* unsoundContracts */.y)(call));
    while (!signal.aborted && failures.length === 0) {
        // Looked at before planning: an attempt that ends meanwhile may have made something ready.
        const idle = running.size === 0;
        const progressed = await startReady(call, open, running, signal, { planned, errors, failures, unsound });
        if (running.size > 0)
            await Promise.race(running.values());
        else if (idle && !progressed)
            break;
    }
    await Promise.all(running.values());
    if (failures.length > 0)
        throw failures[0];
    const waiting = planned.filter((one) => one.choice === 'wait').map((one) => one.key);
    return { state: call.journal.state(), planned, errors, waiting, cancelled: signal.aborted };
}
/** Plans what can be planned and starts what can be started. True when anything was settled. */
async function startReady(call, open, running, signal, found) {
    let progressed = false;
    for (const unit of Array.from(open.values())) {
        if (signal.aborted || found.failures.length > 0)
            break;
        if (unit.needs.some((key) => open.has(key) || running.has(key)) || !hasRoom(call, unit, running))
            continue;
        open.delete(unit.key);
        progressed = true;
        await noting(found, () => goOnWith(call, unit, running, signal, found));
    }
    return progressed;
}
/** Plans one unit, and starts or settles it. */
async function goOnWith(call, unit, running, signal, found) {
    const asked = stoppedBySibling(call, unit, running, found.planned) ?? onlyIfAsked(call, await (0,plan_unit/* planUnit */.M)(call, unit));
    const prepared = await onlyIfSound(asked, found);
    const { planned } = prepared;
    found.planned.push(planned);
    await call.observe({ type: 'planned', planned });
    if (prepared.error !== undefined)
        found.errors.push(prepared.error);
    if (planned.choice === 'run') {
        const work = noting(found, async () => void (await (0,attempt/* runAttempts */.iQ)(call, unit, prepared.work, signal)));
        running.set(unit.key, work.finally(() => running.delete(unit.key)));
    }
    else {
        await settle(call, unit, prepared);
    }
}
/** No agent is started, and no money spent, while any contract of the pipeline could not judge what comes of it. */
async function onlyIfSound(prepared, found) {
    if (prepared.planned.choice !== 'run')
        return prepared;
    const errors = await found.unsound();
    if (errors.length === 0)
        return prepared;
    for (const error of errors)
        if (!found.errors.includes(error))
            found.errors.push(error);
    const count = errors.length === 1 ? 'a contract is' : `${errors.length} contracts are`;
    const reason = `${errors[0].code}: ${count} not sound, so no agent is started`;
    return { planned: { ...prepared.planned, choice: 'blocked', reason } };
}
function once(make) {
    let made;
    return () => (made ??= make());
}
/** What the user or an agent did wrong keeps one unit back; anything else ends the call, once what runs is through. */
async function noting(found, work) {
    try {
        await work();
    }
    catch (error) {
        if (error instanceof gateline_error/* GatelineError */.Mk && ['user', 'agent'].includes(error.fault))
            found.errors.push(error);
        else
            found.failures.push(error);
    }
}
async function settle(call, unit, prepared) {
    const { choice } = prepared.planned;
    if (choice === 'reuse')
        await (0,record_reuse/* recordReuse */.w)(call, unit, prepared);
    else if (choice === 'not-applicable')
        await (0,record_reuse/* recordNotApplicable */.E)(call, unit, prepared);
    else
        return;
    await call.observe({ type: 'state', state: call.journal.state() });
}
/** With `fail-fast`, a leg that failed in this call, retries and all, keeps its siblings from starting. */
function stoppedBySibling(call, unit, running, planned) {
    if (!unit.gate.failFast || unit.leg.id === '')
        return undefined;
    const states = call.journal.state().units;
    const failed = planned.find((one) => one.gate === unit.gate.id &&
        one.choice === 'run' &&
        !running.has(one.key) &&
        states.get(one.key)?.status === 'failed');
    if (failed === undefined)
        return undefined;
    return { planned: (0,plan/* plannedUnit */.h)(unit, 'blocked', `${failed.key} failed, and strategy.fail-fast is on`) };
}
/** A gate that would run, but that the caller did not ask for, stays as it is. */
function onlyIfAsked(call, prepared) {
    const { only } = call.assignment;
    const { planned } = prepared;
    if (only === undefined || only.has(planned.gate) || (planned.choice !== 'run' && planned.choice !== 'wait'))
        return prepared;
    return { planned: { ...planned, choice: 'blocked', reason: `not asked for; it would run: ${planned.reason}` } };
}

// EXTERNAL MODULE: ./build/engine/decide.js
var decide = __webpack_require__(9211);
// EXTERNAL MODULE: ./build/run/record.js
var record = __webpack_require__(1265);
// EXTERNAL MODULE: ./build/engine/agent-environment.js
var agent_environment = __webpack_require__(5506);
;// CONCATENATED MODULE: ./build/engine/unread-answers.js


/** What an agent writes and we take away once it is read and redacted. */
const ANSWERS = [agent_environment/* ATTEMPT_FILES */.sQ.output, agent_environment/* ATTEMPT_FILES */.sQ.metrics, agent_environment/* ATTEMPT_FILES */.sQ.learnings];
/**
 * Removes what agents wrote whose engine was killed before it read it: it never counts, and since nobody redacted it, it
 * may hold secrets. Attempts of agents that run by themselves are left alone, and so are those of an engine that may live.
 */
async function removeUnread(call) {
    const { started, ended } = call.journal.archive();
    for (const claim of [...started.values()].flat()) {
        if (claim.holder !== 'process')
            continue;
        if (ended.get((0,record/* unitOf */.uF)(claim))?.some((one) => (0,record/* comparePositions */.Ez)(one, claim) === 0))
            continue;
        if (await call.ports.isGone(claim.by))
            await removeAnswers(call, claim);
    }
}
async function removeAnswers({ ports }, claim) {
    const directory = await ports.attempts.open(claim);
    for (const name of ANSWERS)
        await directory?.remove(name);
}

;// CONCATENATED MODULE: ./build/engine/run-pipeline.js





/**
 * Runs a pipeline: goes on with the subject's open run, or begins a new one that reuses what earlier ones came to.
 * The caller holds the workspace's lock.
 */
async function runPipeline(ports, assignment, options) {
    const endedLeftovers = await ports.agent.endLeftovers(ports.attempts.root);
    for (const pid of endedLeftovers)
        await options.observe({ type: 'notice', message: `process ${pid}, left by a killed run, was ended` });
    const call = await (0,engine_call/* openCall */.L)(ports, assignment, options.observe, { alone: true });
    await removeUnread(call);
    await (0,pin_contracts/* pinContracts */.v)(call);
    if (options.force !== undefined)
        await (0,decide/* force */.s)(call, options.force);
    await options.observe({ type: 'state', state: call.journal.state() });
    const driven = await drive(call, options.signal);
    return { ...driven, call: call.journal.call, endedLeftovers };
}

// EXTERNAL MODULE: ./build/environment.js
var build_environment = __webpack_require__(7853);
// EXTERNAL MODULE: ./build/local/local-ports.js + 20 modules
var local_ports = __webpack_require__(4358);
// EXTERNAL MODULE: ./build/pipeline/problem.js
var problem = __webpack_require__(9328);
// EXTERNAL MODULE: ./build/report/status-json.js
var status_json = __webpack_require__(1484);
// EXTERNAL MODULE: ./build/report/status-table.js + 1 modules
var status_table = __webpack_require__(7411);
// EXTERNAL MODULE: ./build/untrusted/redact.js + 5 modules
var redact = __webpack_require__(1779);
// EXTERNAL MODULE: ./build/cli/advice.js + 1 modules
var advice = __webpack_require__(6911);
// EXTERNAL MODULE: ./build/cli/command.js
var command = __webpack_require__(3192);
// EXTERNAL MODULE: ./build/cli/open.js + 25 modules
var cli_open = __webpack_require__(1831);
// EXTERNAL MODULE: ./build/cli/outcome.js
var outcome = __webpack_require__(1545);
// EXTERNAL MODULE: ./build/cli/paint.js
var cli_paint = __webpack_require__(9089);
// EXTERNAL MODULE: ./build/cli/print-json.js + 1 modules
var print_json = __webpack_require__(3174);
// EXTERNAL MODULE: ./build/report/text.js
var report_text = __webpack_require__(3920);
// EXTERNAL MODULE: ./build/report/wording.js
var wording = __webpack_require__(2867);
// EXTERNAL MODULE: ./build/report/checkpoint.js + 1 modules
var checkpoint = __webpack_require__(89);
;// CONCATENATED MODULE: ./build/cli/event-lines.js



/** Characters of an issue in a line of progress; `gateline show` has all of it. */
const LONGEST_ISSUE = 300;
/** One line for an event; `undefined` for those that need none. Begins with nothing untrusted. */
function lineFor(event, paint, showAgents) {
    switch (event.type) {
        case 'planned': {
            const { key, choice, reason, notices } = event.planned;
            const tone = choice === 'blocked' ? 'bad' : choice === 'run' ? 'strong' : 'quiet';
            const notes = notices.map((notice) => `\n  note: ${(0,report_text/* oneLine */.TN)(notice)}`).join('');
            return `${(0,report_text/* oneLine */.TN)(key)}: ${paint(tone, choice)}: ${(0,report_text/* oneLine */.TN)(reason)}${notes}`;
        }
        case 'started':
            return `${(0,report_text/* oneLine */.TN)(event.unit)}: started${event.attempts > 1 ? `, attempt ${event.record.n} of at most ${event.attempts}` : ''}`;
        case 'line':
            return showAgents ? `${(0,report_text/* oneLine */.TN)(event.unit)} | ${(0,report_text/* oneLine */.TN)(event.line)}` : undefined;
        case 'ended':
            return endedLine(event.record, (0,report_text/* oneLine */.TN)(event.unit), event.retrying, paint);
        case 'notice':
            return `note: ${event.unit === undefined ? '' : `${(0,report_text/* oneLine */.TN)(event.unit)}: `}${(0,report_text/* oneLine */.TN)(event.message)}`;
        case 'state':
            return undefined;
    }
}
function endedLine({ verdict, ...record }, unit, retrying, paint) {
    const kind = verdict.kind === verdict.status ? '' : ` (${verdict.kind})`;
    const time = (0,wording/* durationText */.S5)((0,wording/* endedAfter */.rC)({ verdict, ...record }));
    const advice = verdict.status === 'passed' ? '' : `: ${(0,report_text/* oneLine */.TN)(`${firstIssue(verdict)}${verdict.advice}`)}`;
    const facts = [
        `${paint((0,wording/* toneOf */.YV)(verdict.status), verdict.status)}${kind}`,
        ...(verdict.status === 'failed' && verdict.score === 0 ? [] : [`score ${(0,wording/* scoreText */.QO)(verdict.score)}`]),
        ...(time === '' ? [] : [time]),
    ];
    return `${unit}: ${facts.join(', ')}${advice}${retrying ? ' Trying again with this as feedback.' : ''}`;
}
/** The first thing that is wrong, for somebody who sees this line only. */
function firstIssue({ issues }) {
    const errors = issues.filter((issue) => issue.severity === 'error');
    const [first] = errors;
    if (first === undefined)
        return '';
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    return `${first.message.slice(0, LONGEST_ISSUE).replace(/\.$/, '')}${more}. `;
}
/** Whether a call goes on with a run or begins one. */
function openingLine(state) {
    const about = `${(0,report_text/* oneLine */.TN)(state.pipeline)} for ${(0,report_text/* oneLine */.TN)(state.subject)}`;
    const units = [...state.units.values()];
    if (units.every((unit) => unit.attempts === 0 && unit.ended === undefined))
        return `${about}: run ${state.runNumber} begins`;
    const done = units.filter((unit) => unit.done).length;
    return `${about}: going on with run ${state.runNumber}, ${done} of ${(0,report_text/* count */.U9)(units.length, 'gate')} done`;
}
/** The Markdown checkpoint that the state guide wants logged after each gate. */
function checkpointFor(event, graph) {
    if (event.type !== 'ended')
        return undefined;
    const unit = graph.get(event.unit);
    return unit && (0,checkpoint/* checkpointMarkdown */.e)({ unit, graph, state: event.state });
}

;// CONCATENATED MODULE: ./build/cli/live-progress.js




const REFRESH_MS = 200;
/** Used where the terminal does not tell. */
const USUAL = { columns: 80, rows: 24 };
/** A table that is drawn over itself; lines that stay are written above it. */
function liveProgress(input) {
    const { screen } = input;
    let drawn = [];
    let state;
    let last = '';
    const show = (lines) => {
        const next = state === undefined ? [] : picture(state, last, input);
        screen.write(eraser(drawn, screen.columns) + [...lines, ...next].map((line) => `${line}\n`).join(''));
        drawn = next;
    };
    const timer = setInterval(() => show([]), REFRESH_MS);
    timer.unref();
    return {
        follow: (event) => {
            if (event.type === 'line') {
                if (!input.quiet)
                    last = `${event.unit} | ${event.line}`;
                return;
            }
            const opening = event.type === 'state' && state === undefined ? [openingLine(event.state)] : [];
            if ('state' in event)
                state = event.state;
            const line = event.type === 'started' ? undefined : lineFor(event, input.paint, false);
            show(line === undefined ? opening : [...opening, line]);
        },
        note: (message) => show([`note: ${(0,report_text/* oneLine */.TN)(message)}`]),
        [Symbol.dispose]: () => {
            clearInterval(timer);
            screen.write(eraser(drawn, screen.columns));
            drawn = [];
        },
    };
}
/** The lines that are drawn now: the table and what an agent said last; where it is too high, the essence of it. */
function picture(state, last, { screen, paint, pipeline, now }) {
    // The last column stays empty: some terminals begin a new line as soon as it is filled.
    const width = (screen.columns || USUAL.columns) - 1;
    const at = now().toISOString();
    const table = (0,status_table/* statusTable */.X)(state, pipeline, { width, paint, now: at }).trimEnd().split('\n');
    const said = last === '' ? [] : [paint('quiet', (0,report_text/* fit */.Uj)((0,report_text/* oneLine */.TN)(last), width))];
    if (table.length + said.length < (screen.rows || USUAL.rows))
        return [...table, ...said];
    const units = [...state.units.values()];
    const running = units.filter((unit) => unit.status === 'running');
    const names = running.map((unit) => `${(0,report_text/* oneLine */.TN)(unit.key)} ${(0,wording/* durationText */.S5)((0,wording/* durationOf */.cf)(unit, at))}`).join(', ');
    const done = `${units.filter((unit) => unit.done).length} of ${(0,report_text/* count */.U9)(units.length, 'gate')} done`;
    return [(0,report_text/* fit */.Uj)(names === '' ? done : `${done}; running: ${names}`, width), ...said];
}
/**
 * Goes back to where the drawn lines began and clears from there on. In a terminal that was made narrower
 * they take more rows than they were drawn in.
 */
function eraser(drawn, columns) {
    const width = columns || USUAL.columns;
    const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil((0,report_text/* widthOf */.qz)(line) / width)), 0);
    return rows === 0 ? '' : `\r\u001B[${rows}A\u001B[0J`;
}

;// CONCATENATED MODULE: ./build/cli/plain-progress.js



/** Lines that stay, for logs. After a silence it says what is still running, so that nobody takes it for dead. */
function plainProgress(input) {
    const { screen, paint, graph, quiet } = input;
    const running = new Map();
    let opened = false;
    let spoke = true;
    const say = (text) => {
        spoke = true;
        screen.write(`${text}\n`);
    };
    const timer = setInterval(() => {
        if (!spoke && running.size > 0)
            screen.write(`still running: ${listOf(running, input.now().getTime())}\n`);
        spoke = false;
    }, input.silenceMs);
    timer.unref();
    return {
        follow: (event) => {
            if (event.type === 'state' && !opened) {
                opened = true;
                say(openingLine(event.state));
            }
            if (event.type === 'started')
                running.set(event.unit, input.now().getTime());
            if (event.type === 'ended')
                running.delete(event.unit);
            const line = lineFor(event, paint, !quiet);
            if (line !== undefined)
                say(line);
            const checkpoint = quiet ? undefined : checkpointFor(event, graph);
            if (checkpoint !== undefined)
                say(`\n${checkpoint}`);
        },
        note: (message) => say(`note: ${(0,report_text/* oneLine */.TN)(message)}`),
        [Symbol.dispose]: () => clearInterval(timer),
    };
}
function listOf(running, now) {
    return [...running].map(([key, since]) => `${(0,report_text/* oneLine */.TN)(key)} (${(0,wording/* durationText */.S5)(now - since)})`).join(', ');
}

;// CONCATENATED MODULE: ./build/cli/progress.js


/** Live on a terminal, plain lines elsewhere. */
function createProgress(input) {
    return input.screen.interactive ? liveProgress(input) : plainProgress(input);
}

// EXTERNAL MODULE: ./build/cli/report-error.js
var report_error = __webpack_require__(9980);
// EXTERNAL MODULE: ./build/cli/commands/plan.js + 4 modules
var commands_plan = __webpack_require__(9286);
;// CONCATENATED MODULE: ./build/cli/commands/run.js
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

















/** Plain progress does not stay silent for longer. */
const SILENCE_MS = 30_000;
/** `gateline run`: drives the subject's run on. */
async function execute(invocation) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const { world, options } = invocation;
        if (options['dry-run'])
            return (0,commands_plan.execute)(invocation);
        const loaded = await (0,cli_open/* loadFor */.kF)(invocation);
        const only = onlyGates(options, loaded.pipeline);
        const _lock = __addDisposableResource(env_1, await (0,local_ports/* lockWorkspace */.Rn)(loaded.root, world), true);
        const opened = await (0,cli_open/* open */.ho)(invocation, loaded, { readOnly: false });
        const assignment = { ...opened.assignment, ...(only && { only }) };
        const redactor = redactorFor(loaded.pipeline, world.environment);
        const projector = await (0,cli_open/* projectorFor */.kK)(world, opened, redactor.redactText);
        const progress = progressFor(world, options, opened);
        for (const name of redactor.tooShort)
            progress.note(`secret ${name} is shorter than 3 characters and cannot be redacted`);
        const observe = async (event) => {
            progress.follow(event);
            for (const notice of await projector.follow(event))
                progress.note(notice);
        };
        const result = await interruptible(world, progress, (signal) => runPipeline(opened.ports, assignment, { observe, signal, ...forced(options, world.environment) }));
        for (const notice of await projector.show(result.state))
            world.err.write(`note: ${notice}\n`);
        tell(invocation, opened, result);
        return (0,outcome/* exitCodeOfRun */.m)(result, opened.graph, only);
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
function redactorFor(pipeline, environment) {
    const names = new Set(pipeline.gates.flatMap((gate) => gate.secrets));
    const secrets = Object.fromEntries([...names].flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
    return (0,redact/* createRedactor */.l)({ secrets });
}
function progressFor(world, options, { loaded, graph }) {
    const screen = options['json'] === true ? world.err : world.out;
    return createProgress({
        screen,
        paint: (0,cli_paint/* paintFor */.e)(screen, world.environment),
        pipeline: loaded.pipeline,
        graph,
        now: world.now,
        quiet: options['quiet'] === true,
        silenceMs: world.silenceMs ?? SILENCE_MS,
    });
}
/** Runs with Ctrl-C ending the agents. Further ones change nothing: the records are being written. */
async function interruptible(world, progress, work) {
    const env_2 = { stack: [], error: void 0, hasError: false };
    try {
        const controller = new AbortController();
        const _progress = __addDisposableResource(env_2, progress, false);
        const _listener = __addDisposableResource(env_2, world.onInterrupt(() => {
            const again = controller.signal.aborted;
            controller.abort();
            progress.note(again
                ? 'still ending the agents: they have 5 seconds, then they are killed, and what they did is recorded'
                : 'interrupted: ending the agents; what they did so far is recorded');
        }), false);
        return await work(controller.signal);
    }
    catch (e_2) {
        env_2.error = e_2;
        env_2.hasError = true;
    }
    finally {
        __disposeResources(env_2);
    }
}
function onlyGates(options, pipeline) {
    const gates = (0,command/* listOption */.y8)(options, 'gate');
    if (gates.length === 0)
        return undefined;
    const known = pipeline.gates.map((gate) => gate.id);
    const unknown = gates.find((gate) => !known.includes(gate));
    if (unknown === undefined)
        return new Set(gates);
    const meant = (0,problem/* didYouMean */.au)(unknown, known);
    const suggestion = meant === undefined ? '' : `; ${meant}`;
    throw new gateline_error/* GatelineError */.Mk('user', 'GATE_UNKNOWN', `--gate: there is no gate ${unknown}${suggestion}`, {
        hint: `Gates: ${known.join(', ')}.`,
    });
}
function forced(options, environment) {
    const gates = (0,command/* listOption */.y8)(options, 'force');
    if (gates.length === 0)
        return {};
    const reason = (0,command/* recordedOption */.kV)(options, 'reason', 4_096) ?? 'gateline run --force';
    return { force: { gates, actor: actorOf(options, environment), reason } };
}
/** Who decides: `--actor`, else the name of the account. */
function actorOf(options, environment) {
    const names = [
        (0,command/* recordedOption */.kV)(options, 'actor', 255),
        environment[build_environment/* CLI_VARIABLES */.PM.user],
        environment[build_environment/* CLI_VARIABLES */.PM.windowsUser],
    ];
    return names.find((name) => name !== undefined && name.trim() !== '') ?? 'somebody';
}
/** The end of a run: the state, what to do next, and what kept gates from running. With `--json`, for people on stderr. */
function tell({ world, options }, { loaded, graph }, result) {
    const screen = options['json'] ? world.err : world.out;
    if (options['json'])
        (0,print_json/* printJson */.Q)(world, (0,status_json/* statusJson */.bj)(result.state, graph));
    else {
        const paint = (0,cli_paint/* paintFor */.e)(screen, world.environment);
        screen.write(`\n${(0,status_table/* statusTable */.X)(result.state, loaded.pipeline, { width: screen.columns, paint })}\n`);
    }
    for (const error of result.errors)
        for (const line of (0,report_error/* errorLines */.S6)(error))
            world.err.write(`${line}\n`);
    for (const line of (0,advice/* adviceLines */.C)(result.state, { graph, options }))
        screen.write(`${line}\n`);
    screen.write(`Everything is kept in ${(0,local_ports/* stateRoot */.om)(loaded)}.\n`);
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

/***/ 9211:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   L: () => (/* binding */ decide),
/* harmony export */   s: () => (/* binding */ force)
/* harmony export */ });
/* harmony import */ var _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7974);
/* harmony import */ var _call_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7423);
/* harmony import */ var _judge_again_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9412);
/* harmony import */ var _keep_json_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(1405);




/**
 * Records a decision in a call of its own, so that it counts for everything before it and nothing after.
 * @throws GatelineError `GATE_UNKNOWN`, `DECISION_WITHOUT_ATTEMPT`, `SKIP_OUTPUT_REFUSED`
 */
async function decide(ports, assignment, decision) {
    const call = await (0,_call_js__WEBPACK_IMPORTED_MODULE_1__/* .openCall */ .L)(ports, assignment, () => undefined);
    for (const unit of unitsNamed(call, decision.gates)) {
        const last = lastAttempt(call, unit);
        const judged = decision.decision === 'approve' || decision.decision === 'reject';
        if (judged && last === undefined) {
            throw new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk('user', 'DECISION_WITHOUT_ATTEMPT', `gate ${unit.key}: there is nothing to ${decision.decision}: no attempt has ended`);
        }
        const exports = decision.output === undefined ? undefined : await suppliedOutput(call, unit, decision.output);
        await record(call, unit, decision, judged ? last.fingerprint : null, exports);
    }
    return call;
}
/** What was done last, in this run or, where this one has not come to the unit yet, in the one before it. */
function lastAttempt({ journal }, { key }) {
    const { ended, started } = journal.state().units.get(key);
    const before = journal.archive().ended.get(key)?.at(-1);
    return ended ?? (started === undefined && before?.runNumber !== journal.call.runNumber ? before : undefined);
}
/** Takes gates and what depends on them out, in the call that will run them again. */
async function force(call, forced) {
    for (const unit of unitsNamed(call, forced.gates))
        await record(call, unit, { decision: 'force', ...forced }, null, undefined);
}
async function record(call, unit, decision, fingerprint, exports) {
    const decided = {
        kind: 'decided',
        ...call.journal.identity(unit, 0),
        decision: decision.decision,
        actor: decision.actor,
        reason: call.redactor.redactText(decision.reason),
        fingerprint,
        ...(decision.until !== undefined && { until: decision.until }),
        ...(exports !== undefined && { exports }),
    };
    if ((await call.journal.write(decided)) === 'taken') {
        throw new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk('user', 'GATE_CLAIMED', `gate ${unit.key}: somebody else decided about it at the same time`, {
            hint: 'Look at `gateline status`, and decide again if it still needs it.',
        });
    }
}
async function suppliedOutput(call, unit, output) {
    const value = call.redactor.redactJson(output).value;
    const kept = await (0,_keep_json_js__WEBPACK_IMPORTED_MODULE_3__/* .keepJson */ .C)(call.ports.store, value);
    const { verdict, exports } = await (0,_judge_again_js__WEBPACK_IMPORTED_MODULE_2__/* .judgeValue */ .h)(call, unit, value, kept);
    if (exports !== undefined && verdict.status === 'passed')
        return exports;
    const first = verdict.issues[0];
    throw new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk('user', 'SKIP_OUTPUT_REFUSED', `gate ${unit.key}: the supplied output does not meet the contract (${verdict.kind}): ${first?.message ?? verdict.advice}`);
}
function unitsNamed(call, names) {
    return names.flatMap((name) => {
        const units = [...call.graph.values()].filter((unit) => unit.key === name || unit.gate.id === name);
        if (units.length > 0)
            return units;
        throw new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk('user', 'GATE_UNKNOWN', `there is no gate ${name}`, {
            hint: `Gates: ${[...call.graph.keys()].join(', ')}.`,
        });
    });
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
