export const id = 904;
export const ids = [904];
export const modules = {

/***/ 8904:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

__webpack_require__.r(__webpack_exports__);
/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   execute: () => (/* binding */ execute)
/* harmony export */ });
/* harmony import */ var _engine_contracts_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2991);
/* harmony import */ var _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7974);
/* harmony import */ var _local_pipeline_invalid_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(2466);
/* harmony import */ var _pipeline_problem_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(9328);
/* harmony import */ var _report_text_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(3920);
/* harmony import */ var _untrusted_escape_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(2854);
/* harmony import */ var _workspace_open_workspace_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(149);
/* harmony import */ var _exit_codes_js__WEBPACK_IMPORTED_MODULE_7__ = __webpack_require__(5158);
/* harmony import */ var _open_js__WEBPACK_IMPORTED_MODULE_8__ = __webpack_require__(1831);
/* harmony import */ var _print_json_js__WEBPACK_IMPORTED_MODULE_10__ = __webpack_require__(3174);
/* harmony import */ var _report_error_js__WEBPACK_IMPORTED_MODULE_9__ = __webpack_require__(9980);











/** `gateline validate`: everything that is wrong with the definition and its contracts, at once. */
async function execute(invocation) {
    const { world, options } = invocation;
    let found;
    try {
        const loaded = await (0,_open_js__WEBPACK_IMPORTED_MODULE_8__/* .loadFor */ .kF)(invocation);
        found = { loaded, problems: loaded.warnings, errors: await contractErrors(loaded, world.environment) };
    }
    catch (error) {
        if (!(error instanceof _local_pipeline_invalid_js__WEBPACK_IMPORTED_MODULE_2__/* .PipelineInvalidError */ .i))
            throw error;
        found = { loaded: undefined, problems: error.problems, errors: [] };
    }
    if (options['json'])
        (0,_print_json_js__WEBPACK_IMPORTED_MODULE_10__/* .printJson */ .Q)(world, validationJson(found));
    else
        tell(world, found);
    return isSound(found) ? _exit_codes_js__WEBPACK_IMPORTED_MODULE_7__/* .EXIT_CODES */ .a.ok : _exit_codes_js__WEBPACK_IMPORTED_MODULE_7__/* .EXIT_CODES */ .a.usage;
}
function isSound({ loaded, errors }) {
    return loaded !== undefined && errors.length === 0;
}
function tell(world, found) {
    const { loaded, problems, errors } = found;
    for (const problem of problems)
        world.err.write(`${(0,_untrusted_escape_js__WEBPACK_IMPORTED_MODULE_5__/* .forTerminal */ .Qf)((0,_pipeline_problem_js__WEBPACK_IMPORTED_MODULE_3__/* .formatProblem */ .Vw)(problem))}\n`);
    for (const error of errors)
        for (const line of (0,_report_error_js__WEBPACK_IMPORTED_MODULE_9__/* .errorLines */ .S6)(error))
            world.err.write(`${line}\n`);
    const wrong = problems.filter((problem) => problem.severity === 'error').length + errors.length;
    if (loaded === undefined || wrong > 0) {
        world.err.write(`${(0,_report_text_js__WEBPACK_IMPORTED_MODULE_4__/* .count */ .U9)(wrong, 'problem')}.\n`);
        return;
    }
    const { id, gates } = loaded.pipeline;
    const legs = gates.reduce((sum, gate) => sum + gate.legs.length, 0);
    const units = legs === gates.length ? '' : `, ${(0,_report_text_js__WEBPACK_IMPORTED_MODULE_4__/* .count */ .U9)(legs, 'leg')} with those of matrix gates`;
    world.out.write(`${id} is sound: ${(0,_report_text_js__WEBPACK_IMPORTED_MODULE_4__/* .count */ .U9)(gates.length, 'gate')}${units}. \`gateline plan\` tells what would run.\n`);
}
/** `gateline-validate/1`; see docs/reference/json-output.md. */
function validationJson(found) {
    const problems = [...found.problems, ...found.errors].map(_report_error_js__WEBPACK_IMPORTED_MODULE_9__/* .problemJson */ .ok);
    return { format: 'gateline-validate/1', valid: isSound(found), problems };
}
/** Schemas and checks, compiled as a run would compile them. */
async function contractErrors(loaded, environment) {
    const contracts = (0,_engine_contracts_js__WEBPACK_IMPORTED_MODULE_0__/* .createContracts */ .i)(await (0,_workspace_open_workspace_js__WEBPACK_IMPORTED_MODULE_6__/* .openWorkspace */ .O)(loaded.root, { environment }));
    const errors = [];
    for (const gate of loaded.pipeline.gates) {
        try {
            await contracts.compile(gate);
        }
        catch (error) {
            if (!(error instanceof _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_1__/* .GatelineError */ .Mk))
                throw error;
            errors.push(error);
        }
    }
    return errors;
}


/***/ })

};
