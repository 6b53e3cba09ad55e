export const id = 943;
export const ids = [943];
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

/***/ 2423:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  qZ: () => (/* binding */ endWith),
  Tq: () => (/* binding */ finishAttempt),
  wc: () => (/* binding */ prepareOrEnd),
  iQ: () => (/* binding */ runAttempts)
});

// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./build/errors/gateline-error.js
var gateline_error = __webpack_require__(7974);
// EXTERNAL MODULE: ./build/run/record.js
var record = __webpack_require__(1265);
// EXTERNAL MODULE: ./build/run/fold-unit.js
var fold_unit = __webpack_require__(8466);
// EXTERNAL MODULE: ./build/verdict/verdict.js
var verdict_verdict = __webpack_require__(8579);
// EXTERNAL MODULE: ./build/engine/agent-environment.js
var agent_environment = __webpack_require__(5506);
// EXTERNAL MODULE: ./build/engine/begin-attempt.js
var begin_attempt = __webpack_require__(8806);
// EXTERNAL MODULE: ./build/untrusted/parse-json.js + 3 modules
var parse_json = __webpack_require__(3711);
// EXTERNAL MODULE: ./build/engine/judge-again.js + 1 modules
var judge_again = __webpack_require__(9412);
// EXTERNAL MODULE: ./build/engine/keep-json.js
var keep_json = __webpack_require__(1405);
;// CONCATENATED MODULE: ./build/engine/collect-output.js






/** The largest output, in bytes. */
const OUTPUT_LIMIT = 256 * 1024 * 1024;
const METRICS_LIMIT = 1024 * 1024;
const LEARNINGS_LIMIT = 1024 * 1024;
/** Of an output that could not be parsed, this much is kept for people. */
const REFUSED_LIMIT = 1024 * 1024;
/**
 * Reads, parses, redacts, keeps and judges what the agent wrote. `early` is a verdict that stands whatever the
 * output is (exit code, timeout); the output is kept all the same, since it cost money.
 */
async function collectOutput(call, unit, directory, early) {
    const file = await directory.read(agent_environment/* ATTEMPT_FILES */.sQ.output, OUTPUT_LIMIT);
    if (file.state !== 'present') {
        // Nobody redacted it, so it must not stay.
        await directory.remove(agent_environment/* ATTEMPT_FILES */.sQ.output);
        return nothing(early ?? unreadable(file));
    }
    const parsed = (0,parse_json/* parseJson */.qF)(file.bytes);
    if (!parsed.ok) {
        await keepRefused(call, directory, file.bytes);
        const advice = `${parsed.advice} What it wrote is kept at ${directory.pathOf(agent_environment/* ATTEMPT_FILES */.sQ.refused)}.`;
        return nothing(early ?? (0,verdict_verdict/* failed */.gz)(parsed.kind, advice, [parsed.issue]));
    }
    await directory.remove(agent_environment/* ATTEMPT_FILES */.sQ.output);
    const value = call.redactor.redactJson(parsed.value).value;
    const kept = await (0,keep_json/* keepJson */.C)(call.ports.store, value);
    if (early !== undefined)
        return { verdict: early, value: kept, exports: undefined };
    const judged = await (0,judge_again/* judgeValue */.h)(call, unit, value, kept);
    return { verdict: withNotices(judged.verdict, parsed.notices), value: kept, exports: judged.exports };
}
function nothing(verdict) {
    return { verdict, value: undefined, exports: undefined };
}
function unreadable(file) {
    if (file.state === 'too-large') {
        return (0,verdict_verdict/* failed */.gz)('too-large', `Write at most ${OUTPUT_LIMIT} bytes; hand on the rest as files.`, [
            { severity: 'error', message: `the output has ${file.size} bytes` },
        ]);
    }
    if (file.state === 'refused')
        return (0,verdict_verdict/* failed */.gz)('missing', `Write a plain file to $GATELINE_OUTPUT; what is there cannot be used: ${file.why}.`);
    return (0,verdict_verdict/* failed */.gz)('missing', 'The agent ended well but wrote no output. It must write a JSON value to the file that GATELINE_OUTPUT names.');
}
function withNotices(verdict, notices) {
    return notices.length === 0 ? verdict : { ...verdict, issues: [...verdict.issues, ...notices].slice(0, 100) };
}
/** Replaces an output that is no JSON by its redacted beginning, for people to look at. */
async function keepRefused(call, directory, bytes) {
    const text = new TextDecoder().decode(bytes.subarray(0, REFUSED_LIMIT));
    await directory.write(agent_environment/* ATTEMPT_FILES */.sQ.refused, [call.redactor.redactText(text)]);
    await directory.remove(agent_environment/* ATTEMPT_FILES */.sQ.output);
}
/** What the agent told of itself, when it is of the right shape; a notice otherwise. */
async function collectMetrics(call, directory) {
    const file = await directory.read(agent_environment/* ATTEMPT_FILES */.sQ.metrics, METRICS_LIMIT);
    await directory.remove(agent_environment/* ATTEMPT_FILES */.sQ.metrics);
    if (file.state === 'absent')
        return { notices: [] };
    const why = (text) => ({
        notices: [{ severity: 'notice', message: `the metrics were not used: ${text}` }],
    });
    if (file.state !== 'present')
        return why(file.state === 'refused' ? file.why : 'the file is too large');
    const parsed = (0,parse_json/* parseJson */.qF)(file.bytes);
    if (!parsed.ok)
        return why(parsed.issue.message);
    const metrics = record/* metricsSchema */.HR.safeParse(call.redactor.redactJson(parsed.value).value);
    if (metrics.success)
        return { metrics: metrics.data, notices: [] };
    const first = metrics.error.issues[0];
    return why(`/${first?.path.join('/') ?? ''}: ${first?.message ?? 'not the right shape'}`);
}
/** What the agent wrote down for later runs, redacted; `undefined` when nothing. */
async function collectLearnings(call, directory) {
    const file = await directory.read(agent_environment/* ATTEMPT_FILES */.sQ.learnings, LEARNINGS_LIMIT);
    await directory.remove(agent_environment/* ATTEMPT_FILES */.sQ.learnings);
    if (file.state !== 'present' || file.bytes.length === 0)
        return undefined;
    return call.ports.store.put(call.redactor.redactText(new TextDecoder().decode(file.bytes)));
}

// EXTERNAL MODULE: ./build/run/files.js
var files = __webpack_require__(8617);
// EXTERNAL MODULE: ./build/run/tree.js
var run_tree = __webpack_require__(3448);
// EXTERNAL MODULE: ./build/run/unit.js
var run_unit = __webpack_require__(2878);
// EXTERNAL MODULE: ./build/engine/baseline-file.js
var baseline_file = __webpack_require__(5907);
;// CONCATENATED MODULE: ./build/engine/earlier-work.js





/** What a unit did to files before an attempt: what failed or killed attempts left half-done, and what it handed on. */
async function earlierWork(call, begun) {
    const ended = call.journal.archive().ended.get(begun.unit.key) ?? [];
    const since = await stoodBefore(call, begun, ended);
    const made = new Map(ended.flatMap(({ files }) => files.map((change) => [change.path, change])));
    return { made: [...made.values()], ...(since && { since }) };
}
/**
 * What stood before the first of the unit's attempts since it last came to something; `undefined` when this is the
 * first. What a failed attempt changed is known from its record, so that nobody else's edits are taken for its own.
 * Of a killed one there is only what it found, and what it changed may be among what this one is given.
 */
async function stoodBefore(call, { unit, started, baseline }, ended) {
    const settled = ended.findLast((one) => one.verdict.status !== 'failed');
    let tree;
    for (const claim of (call.journal.archive().started.get(unit.key) ?? []).toReversed()) {
        if (claim.runNumber !== started.runNumber || (0,record/* comparePositions */.Ez)(claim, started) >= 0)
            continue;
        if (settled !== undefined && (0,record/* comparePositions */.Ez)(claim, settled) <= 0)
            break;
        const end = ended.find((one) => (0,record/* comparePositions */.Ez)(one, claim) === 0);
        if (end === undefined) {
            const directory = await call.ports.attempts.open(claim);
            const found = directory && (await (0,baseline_file/* readBaseline */.m)(directory));
            if (found !== undefined)
                tree = merged(found);
        }
        else if (claim.fingerprint === started.fingerprint) {
            tree = (0,run_tree/* unwind */.K)(tree ?? merged(baseline), (0,files/* changesOf */.fs)(end), [], () => true);
        }
    }
    return tree;
}
/**
 * Files that the unit handed on before and that still stand, below what gates after it made of them since. The attempt
 * left them alone, so they go on as they were.
 */
async function coveredFiles(call, unit, baseline, made, changes) {
    const told = new Set([...changes.files, ...changes.touched, ...changes.refused].map(({ path }) => path));
    const open = made.filter(({ path }) => !told.has(path));
    if (open.length === 0)
        return [];
    const stands = merged(baseline);
    const committed = await call.ports.workspace.committed(open.map(({ path }) => path));
    const { ended } = call.journal.archive();
    const after = (0,run_unit/* descendantsOf */.gO)(call.graph, unit.key).flatMap((key) => ended.get(key) ?? []);
    const later = after.flatMap(files/* changesOf */.fs).toReversed();
    return open.filter((change) => {
        const { path } = change;
        const now = stands.get(path) ?? null;
        const since = later.filter((one) => one.path === path);
        const below = (0,run_tree/* unwind */.K)(new Map(now === null ? [] : [[path, now]]), since, [change], () => true, committed);
        return !(0,run_tree/* sameFile */.V)(now, change.after) && (0,run_tree/* sameFile */.V)(below.get(path) ?? null, change.after);
    });
}
function merged({ tree, named }) {
    return new Map([...tree, ...named]);
}

;// CONCATENATED MODULE: ./build/engine/capture-files.js

/** Characters of a file that are looked at together with the ones after them: no secret is longer. */
const OVERLAP = 16 * 1024;
/**
 * Files that the gate hands on, kept in the store. A file with a secret in it is not kept: it would have to be
 * altered, and an altered file is not what the agent made.
 */
async function captureFiles(call, begun) {
    const { store, workspace } = call.ports;
    const keep = async (chunks) => {
        try {
            return await store.putStream(withoutSecrets(chunks, call.redactor));
        }
        catch (error) {
            if (error instanceof SecretFound)
                return { refused: 'it holds a secret' };
            throw error;
        }
    };
    const earlier = await earlierWork(call, begun);
    const baseline = call.running.get(begun.unit.key) ?? begun.baseline;
    const changes = await workspace.changesSince(baseline, begun.unit.gate.files, keep, earlier);
    const problems = changes.refused.map(({ path, why }) => ({
        severity: 'error',
        message: `${path} cannot be handed on: ${why}`,
    }));
    const covered = await coveredFiles(call, begun.unit, baseline, earlier.made, changes);
    return { files: [...changes.files, ...covered], touched: changes.touched, problems };
}
class SecretFound extends Error {
}
/** Passes chunks on, and throws before the last of them when there is a secret. */
async function* withoutSecrets(chunks, redactor) {
    const decoder = new TextDecoder();
    let tail = '';
    for await (const chunk of chunks) {
        const text = tail + decoder.decode(chunk, { stream: true });
        if (redactor.find(text).length > 0)
            throw new SecretFound();
        tail = text.slice(-OVERLAP);
        yield chunk;
    }
}

;// CONCATENATED MODULE: ./build/engine/attempt.js









/** Bytes kept of each of an agent's output streams. */
const LOG_LIMIT = 1024 * 1024;
/** Failures that another attempt cannot turn. */
const FINAL = new Set(['no-secret', 'cancelled', 'claimed', 'contract', 'not-started']);
/** Runs a unit until it is satisfied, out of retries, or a further attempt makes no sense. Each attempt leaves its records. */
async function runAttempts(call, unit, work, signal) {
    for (let attempt = 0;; attempt += 1) {
        const ended = await runAttempt(call, unit, work, signal).finally(() => call.running.delete(unit.key));
        const settled = (0,fold_unit/* verdictSatisfies */.vo)(unit, ended, { ruling: 'stands' }) || FINAL.has(ended.verdict.kind) || signal.aborted;
        const retrying = !settled && attempt < unit.gate.retries;
        await call.observe({ type: 'ended', unit: unit.key, record: ended, state: call.journal.state(), retrying });
        if (!retrying)
            return ended;
    }
}
async function runAttempt(call, unit, work, signal) {
    const started = await (0,begin_attempt/* claim */.B7)(call, unit, work);
    await call.observe({
        type: 'started',
        unit: unit.key,
        record: started,
        attempts: unit.gate.retries + 1,
        state: call.journal.state(),
    });
    const secrets = (0,agent_environment/* missingSecrets */.mO)(call.ports.environment, unit.gate);
    if (secrets.length > 0)
        return end(call, unit, started, { verdict: noSecret(secrets) });
    let begun;
    try {
        begun = await prepareOrEnd(call, unit, work, started);
    }
    catch (error) {
        const ended = call.journal
            .archive()
            .ended.get(unit.key)
            ?.findLast((one) => (0,record/* comparePositions */.Ez)(one, started) === 0);
        if (ended !== undefined && error instanceof gateline_error/* GatelineError */.Mk && error.fault !== 'gateline')
            return ended;
        throw error;
    }
    const result = await startAgent(call, begun, signal);
    return finishAttempt(call, begun, result);
}
/** Prepares an attempt that is claimed. Where that fails, the attempt ends with that before the error goes on. */
async function prepareOrEnd(call, unit, work, started) {
    try {
        return await (0,begin_attempt/* prepareAttempt */.RM)(call, unit, work, started);
    }
    catch (error) {
        await endWith(call, unit, started, error);
        throw error;
    }
}
/** Ends an attempt of which nothing can be judged, so that nobody waits for it. */
function endWith(call, unit, started, error) {
    return end(call, unit, started, { verdict: notPrepared(error) });
}
function startAgent(call, begun, signal) {
    const { unit, directory, started } = begun;
    const { gate } = unit;
    const others = new Set(call.assignment.pipeline.gates.flatMap((one) => one.secrets));
    const protocol = (0,agent_environment/* protocolVariables */.WX)(unit, started.n, directory, begun.hasFeedback);
    return call.ports.agent.run({
        directory: directory.path,
        command: gate.run ?? '',
        shell: gate.shell,
        workingDirectory: (0,external_node_path_.join)(call.ports.workspace.root, gate.workingDirectory),
        env: (0,agent_environment/* agentEnvironment */.FV)(call.ports.environment, gate, others, protocol),
        timeoutMs: gate.timeoutMinutes * 60_000,
        logLimit: LOG_LIMIT,
        signal,
        onLine: (stream, line) => void call.observe({ type: 'line', unit: unit.key, stream, line }),
        redact: (text) => call.redactor.redactText(text),
        redactStream: () => call.redactor.createStream(),
    });
}
/** Judges what an agent left and writes the `ended` record. Also for an agent that ran by itself. */
async function finishAttempt(call, begun, result) {
    const { unit, directory, started } = begun;
    try {
        const { metrics, notices } = await collectMetrics(call, directory);
        const learnings = await collectLearnings(call, directory);
        const collected = await collectOutput(call, unit, directory, verdictOn(result, unit));
        const captured = await call.inTurn(() => captureFiles(call, begun));
        const verdict = withFiles(collected.verdict, captured, notices);
        return await end(call, unit, started, {
            ...collected,
            ...captured,
            verdict,
            ...(verdict.status === 'failed' && { exports: undefined }),
            result,
            ...(metrics && { metrics }),
            ...(learnings && { learnings }),
        });
    }
    catch (error) {
        if (error instanceof gateline_error/* GatelineError */.Mk && error.code === 'RECORD_TAKEN')
            throw error;
        await end(call, unit, started, { verdict: notPrepared(error), result });
        throw error;
    }
}
/** Writes the `ended` record of an attempt. */
async function end(call, unit, started, ending) {
    const { result } = ending;
    const ended = {
        kind: 'ended',
        ...call.journal.identity(unit, started.n),
        runNumber: started.runNumber,
        runAttempt: started.runAttempt,
        fingerprint: started.fingerprint,
        contract: started.contract,
        needs: started.needs,
        how: 'ran',
        verdict: redactVerdict(call, ending.verdict),
        startedAt: started.at,
        ...(ending.value && { value: ending.value }),
        ...(ending.exports && { exports: ending.exports }),
        files: [...(ending.files ?? [])],
        touched: [...(ending.touched ?? [])],
        logs: await keepLogs(call, result),
        ...(result?.exitCode !== undefined && { exitCode: result.exitCode }),
        ...(result?.signal !== undefined && { signal: result.signal }),
        ...(ending.metrics && { metrics: ending.metrics }),
        ...(ending.learnings && { learnings: ending.learnings }),
    };
    if ((await call.journal.write(ended)) === 'taken') {
        throw new gateline_error/* GatelineError */.Mk('platform', 'RECORD_TAKEN', `gate ${unit.key}: attempt ${started.n} of call ${started.runAttempt} has ended already`);
    }
    return ended;
}
/** Verdicts quote outputs, whose strings are redacted already; what agents put into logs and messages is not. */
function redactVerdict(call, verdict) {
    const clean = (text) => call.redactor.redactText(text);
    const issues = verdict.issues.map((issue) => ({ ...issue, message: clean(issue.message) }));
    return { ...verdict, advice: clean(verdict.advice).slice(0, 2_048), issues };
}
async function keepLogs(call, result) {
    const logs = {};
    if (result?.stdout)
        logs.stdout = await call.ports.store.put(result.stdout);
    if (result?.stderr)
        logs.stderr = await call.ports.store.put(result.stderr);
    return logs;
}
function withFiles(verdict, captured, notices) {
    if (captured.problems.length > 0 && verdict.status !== 'failed') {
        return (0,verdict_verdict/* failed */.gz)('files', 'Every file that `files` names must be a plain file inside the workspace, without secrets.', [...captured.problems]);
    }
    return { ...verdict, issues: [...verdict.issues, ...captured.problems, ...notices].slice(0, 100) };
}
/** What the way an agent ended says, whatever it wrote. `undefined`: it ended well. */
function verdictOn(result, unit) {
    switch (result.outcome) {
        case 'not-started':
            return (0,verdict_verdict/* failed */.gz)('not-started', `The agent could not be started: ${result.message ?? 'the system gave no reason'}.`);
        case 'timeout':
            return (0,verdict_verdict/* failed */.gz)('timeout', `It took longer than ${unit.gate.timeoutMinutes} minutes and was ended. Raise timeout-minutes, or make it do less.`);
        case 'cancelled':
            return (0,verdict_verdict/* failed */.gz)('cancelled', 'It was ended because the run was cancelled. Run again to go on.');
        case 'signalled':
            return (0,verdict_verdict/* failed */.gz)('agent-error', `The agent was ended by ${result.signal ?? 'a signal'}. Look at its logs: gateline show ${unit.key}.`);
        case 'exited':
            if (result.exitCode === 0)
                return undefined;
            return (0,verdict_verdict/* failed */.gz)('agent-error', `The agent ended with exit code ${result.exitCode ?? 'unknown'}. Look at its logs: gateline show ${unit.key}.`);
    }
}
function noSecret(names) {
    return (0,verdict_verdict/* failed */.gz)('no-secret', `Set ${names.join(', ')} in the environment, or take it out of the gate's secrets.`, [
        { severity: 'error', message: `not set: ${names.join(', ')}` },
    ]);
}
const KIND_OF = { FILES_CONFLICT: 'files', ATTEMPT_LOST: 'lost' };
function notPrepared(error) {
    const code = error instanceof gateline_error/* GatelineError */.Mk ? error.code : 'INTERNAL';
    const kind = KIND_OF[code] ?? (code.startsWith('PATH_') ? 'files' : 'not-started');
    const hint = error instanceof gateline_error/* GatelineError */.Mk ? error.hint : undefined;
    return (0,verdict_verdict/* failed */.gz)(kind, `${code}: ${(0,gateline_error/* messageOf */.bD)(error)}${hint === undefined ? '' : ` ${hint}`}`.slice(0, 2_000));
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
const stampsSchema = zod__WEBPACK_IMPORTED_MODULE_1__/* .array */ .YOg(zod__WEBPACK_IMPORTED_MODULE_1__/* .tuple */ .PVZ([zod__WEBPACK_IMPORTED_MODULE_1__/* .string */ .YjP(), zod__WEBPACK_IMPORTED_MODULE_1__/* .string */ .YjP()]));
const baselineSchema = zod__WEBPACK_IMPORTED_MODULE_1__/* .strictObject */ .rej({ tree: treeSchema, named: treeSchema, stamps: stampsSchema });
/** No more than this many bytes are read back. */
const LIMIT = 256 * 1024 * 1024;
/** Keeps a baseline with its attempt, for a `complete` in another process and for a next attempt after a kill. */
async function writeBaseline(directory, baseline) {
    await directory.write(_agent_environment_js__WEBPACK_IMPORTED_MODULE_0__/* .ATTEMPT_FILES */ .sQ.baseline, [
        JSON.stringify({ tree: rowsOf(baseline.tree), named: rowsOf(baseline.named), stamps: [...baseline.stamps] }),
    ]);
}
/** Reads it back; `undefined` when it is not there or was not written to the end. */
async function readBaseline(directory) {
    const read = await directory.read(_agent_environment_js__WEBPACK_IMPORTED_MODULE_0__/* .ATTEMPT_FILES */ .sQ.baseline, LIMIT);
    if (read.state !== 'present')
        return undefined;
    try {
        const parsed = baselineSchema.parse(JSON.parse(new TextDecoder().decode(read.bytes)));
        return { tree: treeOf(parsed.tree), named: treeOf(parsed.named), stamps: new Map(parsed.stamps) };
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
/* harmony export */   RM: () => (/* binding */ prepareAttempt)
/* harmony export */ });
/* unused harmony export INLINE_LIMIT */
/* harmony import */ var _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7974);
/* harmony import */ var _run_canonical_json_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7999);
/* harmony import */ var _run_files_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(8617);
/* harmony import */ var _run_request_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(3311);
/* harmony import */ var _agent_environment_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(5506);
/* harmony import */ var _baseline_file_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(5907);
/* harmony import */ var _content_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(9906);
/* harmony import */ var _keep_json_js__WEBPACK_IMPORTED_MODULE_7__ = __webpack_require__(1405);
/* harmony import */ var _place_files_js__WEBPACK_IMPORTED_MODULE_8__ = __webpack_require__(8890);









/** Exports up to this size stand in the request itself; larger ones only in their file. */
const INLINE_LIMIT = 1024 * 1024;
/**
 * Takes the claim of a unit's next attempt: durable before anything else happens.
 * @throws GatelineError `GATE_CLAIMED` when somebody else has it.
 */
async function claim(call, unit, work, open) {
    const { store } = call.ports;
    await store.put((0,_run_canonical_json_js__WEBPACK_IMPORTED_MODULE_1__/* .canonicalJson */ .dj)(work.contract.contract));
    const kept = await (0,_keep_json_js__WEBPACK_IMPORTED_MODULE_7__/* .keepJson */ .C)(store, call.redactor.redactJson(work.request).value);
    const started = {
        kind: 'started',
        ...call.journal.identity(unit, call.journal.nextAttempt(unit.key)),
        fingerprint: work.fingerprint,
        contract: work.contract.digest,
        needs: (0,_run_request_js__WEBPACK_IMPORTED_MODULE_3__/* .needDigests */ .GP)(work.request),
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
    const directory = await call.ports.attempts.create(started);
    await directory.write(_agent_environment_js__WEBPACK_IMPORTED_MODULE_4__/* .ATTEMPT_FILES */ .sQ.request, (0,_run_canonical_json_js__WEBPACK_IMPORTED_MODULE_1__/* .canonicalChunks */ .Fp)(await agentView(call, unit, work, started, directory)));
    const feedback = lastAttempt(call, unit, started);
    if (feedback !== undefined)
        await directory.write(_agent_environment_js__WEBPACK_IMPORTED_MODULE_4__/* .ATTEMPT_FILES */ .sQ.feedback, [JSON.stringify(feedback.verdict, null, 2), '\n']);
    const baseline = await call.inTurn(async () => {
        await materialiseUpstream(call, unit);
        const found = await call.ports.workspace.baseline(unit.gate.files);
        call.running.set(unit.key, found);
        return found;
    });
    await (0,_baseline_file_js__WEBPACK_IMPORTED_MODULE_5__/* .writeBaseline */ .B)(directory, baseline);
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
    await (0,_place_files_js__WEBPACK_IMPORTED_MODULE_8__/* .placeFiles */ .h)(call, unit, files, 'the gate upstream');
}
/** The request as the agent reads it: with the exports of its needs, the attempt's number, and names for people. */
async function agentView(call, unit, work, started, directory) {
    const { store } = call.ports;
    const needs = {};
    for (const [key, content] of Object.entries(work.request.needs)) {
        const view = { digest: content?.digest ?? null, bytes: content?.bytes ?? 0 };
        if (content !== null) {
            const name = `need-${key.replaceAll('/', '.')}.json`;
            const placed = await directory.place(name, content.digest, (0,_content_js__WEBPACK_IMPORTED_MODULE_6__/* .copierOf */ .KD)(call));
            if (placed.state !== 'present')
                throw (0,_content_js__WEBPACK_IMPORTED_MODULE_6__/* .missingContent */ .KQ)(`exports of ${key}`, content.digest, placed.state === 'unknown' ? placed.problem.message : 'they are not there');
            view['file'] = directory.pathOf(name);
            if (content.bytes <= INLINE_LIMIT)
                view['output'] = await (0,_content_js__WEBPACK_IMPORTED_MODULE_6__/* .readJson */ .Vh)(store, content, { what: `exports of ${key}` });
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
