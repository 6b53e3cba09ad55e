export const id = 2;
export const ids = [2];
export const modules = {

/***/ 6002:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  judge: () => (/* binding */ judge)
});

// EXTERNAL MODULE: ./build/errors/gateline-error.js
var gateline_error = __webpack_require__(7974);
// EXTERNAL MODULE: ./build/untrusted/json.js
var json = __webpack_require__(5443);
// EXTERNAL MODULE: ./build/verdict/json-pointer.js
var json_pointer = __webpack_require__(8262);
// EXTERNAL MODULE: ./build/verdict/words.js
var words = __webpack_require__(9355);
;// CONCATENATED MODULE: ./build/verdict/score.js


/**
 * The score that an output gives itself. Never made of anything else: `"95"`, null, true and 101 are no scores.
 * Without a pointer: 100.
 */
function readScore(value, pointer) {
    if (pointer === undefined)
        return { score: 100 };
    const found = (0,json_pointer/* valueAt */.f)(value, pointer);
    if (typeof found === 'number' && found >= 0 && found <= 100)
        return { score: found };
    const where = pointer === '' ? 'the output' : pointer;
    const what = found === undefined ? 'there is no score' : `the score must be a number from 0 to 100, is ${(0,words/* shortValue */.wm)(found)}`;
    return { issue: { severity: 'error', message: (0,words/* cut */.Jj)(`${where}: ${what}`, 4_096), pointer: (0,words/* cut */.Jj)(pointer, 4_096) } };
}

// EXTERNAL MODULE: ./build/verdict/verdict.js
var verdict_verdict = __webpack_require__(8579);
;// CONCATENATED MODULE: ./build/verdict/judge.js






/** Remarks of an agent about its own output that are taken over, and the length of each. */
const MAX_REMARKS = 20;
const MAX_REMARK_LENGTH = 500;
/**
 * Judge an output: schema, then score, then checks, then whether all that is exported is there. The first of these
 * that fails decides the kind; all that is wrong at that step is listed. Never throws for what a value holds, and
 * answers a promise only for a Standard Schema that does.
 *
 * Passed: the score is at or above the threshold. Partial: below it, with everything else met.
 */
function judge(compiled, value, context) {
    try {
        const found = compiled.validate(value);
        if (!(found instanceof Promise))
            return rest(compiled, value, context, found);
        return found.then((issues) => rest(compiled, value, context, issues)).catch(broken);
    }
    catch (error) {
        return broken(error);
    }
}
/** The schema itself failed, not the value: it refers to itself without end, or a program in it threw. */
function broken(error) {
    const endless = error instanceof RangeError;
    const message = endless
        ? 'the schema refers to itself without end'
        : `the schema could not judge: ${(0,gateline_error/* messageOf */.bD)(error)}`;
    return (0,verdict_verdict/* failed */.gz)('contract', 'Correct the contract; the output was not judged.', [
        { severity: 'error', message: (0,words/* cut */.Jj)(message, 4_096) },
    ]);
}
function rest(compiled, value, context, found) {
    if (found.length > 0)
        return (0,verdict_verdict/* failed */.gz)('schema', 'Make the output meet the schema.', [...found]);
    const { contract } = compiled;
    const read = readScore(value, contract.score);
    const verdict = 'issue' in read ? scoreless(read.issue) : afterScore(compiled, value, context, read.score);
    return withRemarks(verdict, contract.score, value);
}
function scoreless(issue) {
    return (0,verdict_verdict/* failed */.gz)('score', `Write a number from 0 to 100 at ${(0,words/* cut */.Jj)(issue.pointer || 'the root', 1_000)}.`, [issue]);
}
function afterScore(compiled, value, context, score) {
    const { contract } = compiled;
    const checks = compiled.check({ ...context, output: value, score });
    if (checks.length > 0) {
        const advice = "Make the output meet the gate's checks; `has(output, '/x')` asks whether a part is there.";
        return { ...(0,verdict_verdict/* failed */.gz)('check', advice, checks), score };
    }
    const missing = (contract.exports ?? []).filter((pointer) => (0,json_pointer/* valueAt */.f)(value, pointer) === undefined);
    if (missing.length > 0) {
        return { ...(0,verdict_verdict/* failed */.gz)('check', 'Write the parts that the gate exports.', missing.map(unexported)), score };
    }
    return scored(score, contract.threshold, contract.partial);
}
function unexported(pointer) {
    const message = (0,words/* cut */.Jj)(`${pointer}: is exported, and the output has no such part`, 4_096);
    return { severity: 'error', message, pointer, rule: 'exports' };
}
const PARTIAL_ADVICE = {
    block: 'Raise the score; what comes after waits, since the gate does not say `partial: continue`.',
    continue: 'Nothing has to be done: the gate says `partial: continue`, so what comes after runs.',
    pause: 'Approve the output or raise the score; what comes after waits, since the gate says `partial: pause`.',
};
function scored(score, threshold, partial) {
    if (score >= threshold)
        return { status: 'passed', kind: 'passed', score, issues: [], advice: '' };
    const message = `the score is ${score}, below the threshold of ${threshold}`;
    const issues = [{ severity: 'warning', message }];
    return { status: 'partial', kind: 'partial', score, issues, advice: PARTIAL_ADVICE[partial] };
}
/** The verdict with what the agent itself remarks: the list `issues` beside its score. */
function withRemarks(verdict, scorePointer, value) {
    const parent = (scorePointer ?? '/validationResult/score').replace(/\/[^/]*$/, '');
    const holder = (0,json_pointer/* valueAt */.f)(value, parent);
    const remarks = (0,json/* isJsonObject */.O)(holder) && Object.hasOwn(holder, 'issues') ? holder['issues'] : undefined;
    if (!Array.isArray(remarks))
        return verdict;
    const texts = remarks.filter((remark) => typeof remark === 'string');
    const pointer = (0,words/* cut */.Jj)(`${parent}/issues`, 4_096);
    const notices = texts
        .slice(0, MAX_REMARKS)
        .map((text) => ({ severity: 'notice', message: (0,words/* cut */.Jj)(text, MAX_REMARK_LENGTH), pointer }));
    if (texts.length > MAX_REMARKS) {
        notices.push({ severity: 'notice', message: `${texts.length - MAX_REMARKS} more remarks of the agent`, pointer });
    }
    return { ...verdict, issues: [...verdict.issues.slice(0, verdict_verdict/* MAX_ISSUES */.u9 - notices.length), ...notices] };
}


/***/ })

};
