export const id = 874;
export const ids = [874];
export const modules = {

/***/ 6874:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

__webpack_require__.r(__webpack_exports__);
/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   execute: () => (/* binding */ execute)
/* harmony export */ });
/* harmony import */ var _engine_decide_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9211);
/* harmony import */ var _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7974);
/* harmony import */ var _pipeline_problem_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9328);
/* harmony import */ var _report_text_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(3920);
/* harmony import */ var _advice_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(6911);
/* harmony import */ var _assignment_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(1929);
/* harmony import */ var _command_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(3192);
/* harmony import */ var _exit_codes_js__WEBPACK_IMPORTED_MODULE_7__ = __webpack_require__(5158);
/* harmony import */ var _open_js__WEBPACK_IMPORTED_MODULE_8__ = __webpack_require__(1831);
/* harmony import */ var _print_json_js__WEBPACK_IMPORTED_MODULE_10__ = __webpack_require__(3174);
/* harmony import */ var _run_js__WEBPACK_IMPORTED_MODULE_9__ = __webpack_require__(643);











const DECISIONS = ['approve', 'reject', 'skip', 'force'];
/** `gateline decide DECISION GATE`: a person's word about a gate. */
async function execute(invocation) {
    const { world, options, positionals } = invocation;
    const [word, gate] = positionals;
    const decided = await decisionOf(world, options, word, gate);
    const opened = await (0,_open_js__WEBPACK_IMPORTED_MODULE_8__/* .open */ .ho)(invocation, await (0,_open_js__WEBPACK_IMPORTED_MODULE_8__/* .loadFor */ .kF)(invocation), { readOnly: false });
    await (0,_engine_decide_js__WEBPACK_IMPORTED_MODULE_0__/* .decide */ .L)(opened.ports, opened.assignment, decided);
    const state = await (0,_open_js__WEBPACK_IMPORTED_MODULE_8__/* .projectOnce */ .$6)(world, opened);
    const { decision, actor, reason, until = null } = decided;
    if (options['json']) {
        (0,_print_json_js__WEBPACK_IMPORTED_MODULE_10__/* .printJson */ .Q)(world, { format: 'gateline-decision/1', gate, decision, actor, reason, until });
        return _exit_codes_js__WEBPACK_IMPORTED_MODULE_7__/* .EXIT_CODES */ .a.ok;
    }
    world.out.write(`${(0,_report_text_js__WEBPACK_IMPORTED_MODULE_3__/* .oneLine */ .TN)(gate)}: ${decision} by ${(0,_report_text_js__WEBPACK_IMPORTED_MODULE_3__/* .oneLine */ .TN)(actor)}: ${(0,_report_text_js__WEBPACK_IMPORTED_MODULE_3__/* .oneLine */ .TN)(reason)}\n`);
    for (const line of (0,_advice_js__WEBPACK_IMPORTED_MODULE_4__/* .adviceLines */ .C)(state, { graph: opened.graph, options }))
        world.out.write(`${line}\n`);
    return _exit_codes_js__WEBPACK_IMPORTED_MODULE_7__/* .EXIT_CODES */ .a.ok;
}
async function decisionOf(world, options, word, gate) {
    const decision = DECISIONS.find((one) => one === word);
    if (decision === undefined) {
        const meant = (0,_pipeline_problem_js__WEBPACK_IMPORTED_MODULE_2__/* .didYouMean */ .au)(word, DECISIONS);
        const suggestion = meant === undefined ? '' : `; ${meant}`;
        throw new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_1__/* .GatelineError */ .Mk('user', 'DECISION_UNKNOWN', `there is no decision ${word}${suggestion}`, {
            hint: `Decisions: ${DECISIONS.join(', ')}.`,
        });
    }
    const reason = (0,_command_js__WEBPACK_IMPORTED_MODULE_6__/* .recordedOption */ .kV)(options, 'reason', 4_096);
    if (reason === undefined || reason.trim() === '') {
        throw new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_1__/* .GatelineError */ .Mk('user', 'REASON_MISSING', 'a decision needs a reason', {
            hint: 'Pass `--reason TEXT`; it is shown wherever the gate is.',
        });
    }
    refuseIdle(options, decision);
    const until = untilGiven((0,_command_js__WEBPACK_IMPORTED_MODULE_6__/* .textOption */ .vU)(options, 'until'), world.now());
    const outputFile = (0,_command_js__WEBPACK_IMPORTED_MODULE_6__/* .textOption */ .vU)(options, 'output');
    return {
        decision,
        gates: [gate],
        actor: (0,_run_js__WEBPACK_IMPORTED_MODULE_9__.actorOf)(options, world.environment),
        reason,
        ...(until !== undefined && { until }),
        ...(outputFile !== undefined && { output: await (0,_assignment_js__WEBPACK_IMPORTED_MODULE_5__/* .readInput */ .R)(world, outputFile) }),
    };
}
/** Options that would do nothing here: whoever gave them expects something. */
function refuseIdle(options, decision) {
    const idle = options['output'] !== undefined && decision !== 'skip'
        ? '--output goes with skip only'
        : options['until'] !== undefined && decision !== 'skip' && decision !== 'approve'
            ? '--until goes with approve and skip only'
            : undefined;
    if (idle === undefined)
        return;
    throw new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_1__/* .GatelineError */ .Mk('user', 'OPTION_CONFLICT', `${idle}, not with ${decision}`, { hint: 'Leave it out.' });
}
function untilGiven(text, now) {
    if (text === undefined)
        return undefined;
    const time = new Date(text);
    const wrong = Number.isNaN(time.getTime())
        ? 'expected a time'
        : time <= now
            ? 'that is over already; expected a time to come'
            : undefined;
    if (wrong === undefined)
        return time.toISOString();
    throw new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_1__/* .GatelineError */ .Mk('user', 'OPTION_VALUE', `--until ${text}: ${wrong}`, {
        hint: 'Write it as 2030-12-31T18:00:00Z.',
    });
}


/***/ })

};
