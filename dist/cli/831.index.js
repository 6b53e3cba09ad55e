export const id = 831;
export const ids = [831];
export const modules = {

/***/ 1929:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  t: () => (/* binding */ assignmentOf),
  R: () => (/* binding */ readInput)
});

// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./build/errors/gateline-error.js
var gateline_error = __webpack_require__(7974);
// EXTERNAL MODULE: ./build/formats/file-names.js
var file_names = __webpack_require__(9860);
// EXTERNAL MODULE: ./build/formats/gate-state.js
var gate_state = __webpack_require__(8252);
// EXTERNAL MODULE: ./build/untrusted/parse-json.js + 3 modules
var parse_json = __webpack_require__(3711);
// EXTERNAL MODULE: ./build/local/local-ports.js + 20 modules
var local_ports = __webpack_require__(4358);
;// CONCATENATED MODULE: ./build/local/state-inputs.js






/**
 * Step 0B of the state guide: outputs of gates without a record of ours, taken from state files that somebody else
 * put there (`{subject}-gate{N}-output.json`), to stand in as the caller's input. Files of ours are passed over: what
 * they show is in the records.
 * @throws GatelineError `STATE_FILE_INVALID` when such a file is there and not what the guide says
 */
async function stateInputs(workspace, place, subject, units) {
    const needs = {};
    const warnings = [];
    const folder = (0,external_node_path_.relative)(place.root, (0,local_ports/* stateRoot */.om)(place)).replaceAll('\\', '/');
    for (const unit of units) {
        const path = `${folder}/${(0,file_names/* gateOutputFileName */.Ol)(subject, unit.gate.number, unit.leg.id)}`;
        const text = await workspace.readText(path);
        if (text === undefined)
            continue;
        const file = (0,gate_state/* readGateState */.RN)(parsed(path, text), { file: path });
        const input = (0,gate_state/* callerInput */._1)(file);
        if (input.ours)
            continue;
        warnings.push(...input.warnings);
        if (input.output !== undefined)
            needs[unit.key] = input.output;
    }
    return { needs, warnings };
}
function parsed(path, text) {
    const result = (0,parse_json/* parseJson */.qF)(Buffer.from(text));
    if (result.ok)
        return result.value;
    throw new gateline_error/* GatelineError */.Mk('user', 'STATE_FILE_INVALID', `${path}: ${result.issue.message}`, {
        hint: 'Correct the file, or move it away.',
        place: { file: path },
    });
}

// EXTERNAL MODULE: ./build/report/text.js
var report_text = __webpack_require__(3920);
// EXTERNAL MODULE: ./build/run/unit.js
var unit = __webpack_require__(2878);
// EXTERNAL MODULE: ./build/cli/command.js
var command = __webpack_require__(3192);
;// CONCATENATED MODULE: ./build/cli/assignment.js








/** What the options say to work on. @throws GatelineError `SUBJECT_EMPTY`, `INPUT_INVALID`, `METADATA_INVALID` */
async function assignmentOf(world, options, loaded, workspace) {
    const { pipeline } = loaded;
    const subject = (0,command/* recordedOption */.kV)(options, 'subject', 1_024) ?? pipeline.subject ?? (await workspace.branch()) ?? 'default';
    if (subject.trim() === '')
        throw new gateline_error/* GatelineError */.Mk('user', 'SUBJECT_EMPTY', 'the subject is empty', { hint: 'Pass `--subject TEXT`.' });
    const standIn = options['stand-in'] === true;
    const input = await readInput(world, (0,command/* textOption */.vU)(options, 'input'));
    return {
        pipeline,
        subject,
        metadata: { ...pipeline.metadata, ...metadataOf((0,command/* listOption */.y8)(options, 'metadata')) },
        input: standIn && input === null ? await inputFromStateFiles(world, loaded, workspace, subject) : input,
        standIn,
    };
}
/** With `--stand-in` and no `--input`: what others left in the state guide's files, as `{needs: {<gate>: output}}`. */
async function inputFromStateFiles(world, loaded, workspace, subject) {
    const { needs, warnings } = await stateInputs(workspace, loaded, subject, (0,unit/* unitsOf */.$J)(loaded.pipeline).values());
    for (const warning of warnings)
        world.err.write(`note: ${(0,report_text/* oneLine */.TN)(warning)}\n`);
    return Object.keys(needs).length === 0 ? null : { needs };
}
function metadataOf(pairs) {
    return Object.fromEntries(pairs.map((pair) => {
        const at = pair.indexOf('=');
        const name = pair.slice(0, at);
        if (at > 0 && name !== '__proto__')
            return [name, jsonOrText(pair.slice(at + 1))];
        throw new gateline_error/* GatelineError */.Mk('user', 'METADATA_INVALID', `--metadata ${pair}: expected KEY=VALUE`, {
            hint: 'VALUE is JSON or plain text: `--metadata domain=shop`, `--metadata \'limits={"users": 5}\'`.',
        });
    }));
}
function jsonOrText(text) {
    const parsed = (0,parse_json/* parseJson */.qF)(new TextEncoder().encode(text));
    return parsed.ok ? parsed.value : text;
}
/** A JSON file that the user names, `-` for standard input; `null` when there is none. */
async function readInput(world, path) {
    if (path === undefined)
        return null;
    let bytes;
    try {
        bytes = path === '-' ? await world.readStandardInput() : await (0,promises_.readFile)((0,external_node_path_.resolve)(world.workingDirectory, path));
    }
    catch (cause) {
        throw new gateline_error/* GatelineError */.Mk('user', 'INPUT_INVALID', `${path} cannot be read: ${(0,gateline_error/* messageOf */.bD)(cause)}`, {
            hint: 'Name a file that holds one JSON value, or `-` for standard input.',
            cause,
        });
    }
    const parsed = (0,parse_json/* parseJson */.qF)(bytes);
    if (parsed.ok)
        return parsed.value;
    throw new gateline_error/* GatelineError */.Mk('user', 'INPUT_INVALID', `${path}: ${parsed.issue.message}`, {
        hint: 'It must hold one JSON value.',
    });
}


/***/ }),

/***/ 3192:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   kV: () => (/* binding */ recordedOption),
/* harmony export */   vU: () => (/* binding */ textOption),
/* harmony export */   y8: () => (/* binding */ listOption)
/* harmony export */ });
/* harmony import */ var _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7974);

/** The text of an option; `undefined` when it was not given. */
function textOption(options, name) {
    const value = options[name];
    return typeof value === 'string' ? value : undefined;
}
/** The text of an option that goes into a record. @throws GatelineError `OPTION_VALUE` when it has more than `most` characters */
function recordedOption(options, name, most) {
    const text = textOption(options, name);
    if (text === undefined || text.length <= most)
        return text;
    throw new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk('user', 'OPTION_VALUE', `--${name} has ${text.length} characters; at most ${most} are kept`, {
        hint: 'Say it shorter.',
    });
}
/** The texts of an option that may be given several times. */
function listOption(options, name) {
    const value = options[name];
    return Array.isArray(value) ? value : [];
}


/***/ }),

/***/ 1831:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  kF: () => (/* binding */ loadFor),
  ho: () => (/* binding */ open_open),
  xx: () => (/* binding */ openToLook),
  $6: () => (/* binding */ projectOnce),
  kK: () => (/* binding */ projectorFor)
});

// EXTERNAL MODULE: ./build/engine/call.js + 3 modules
var engine_call = __webpack_require__(7423);
// EXTERNAL MODULE: ./build/errors/gateline-error.js
var gateline_error = __webpack_require__(7974);
// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./build/pipeline/expression.js
var expression = __webpack_require__(4129);
// EXTERNAL MODULE: ./node_modules/@actions/expressions/dist/index.js + 28 modules
var dist = __webpack_require__(4082);
// EXTERNAL MODULE: ./build/untrusted/json.js
var untrusted_json = __webpack_require__(5443);
// EXTERNAL MODULE: ./node_modules/zod/v4/classic/schemas.js + 11 modules
var schemas = __webpack_require__(2857);
// EXTERNAL MODULE: ./build/pipeline/pipeline.js
var pipeline = __webpack_require__(4469);
// EXTERNAL MODULE: ./build/pipeline/pointer.js
var pipeline_pointer = __webpack_require__(2534);
;// CONCATENATED MODULE: ./build/pipeline/gateline-values.js



/*
 * The kinds of values that gateline.yml is made of. Each says in words what it expects; the message that a
 * user sees is that, and what was found instead.
 */
/** Name of an environment variable, as a shell can set it. */
const ENV_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Key of a matrix, as GitHub has it. */
const MATRIX_KEY_PATTERN = /^[A-Za-z_][A-Za-z0-9_-]*$/;
/** Name of a program, safe to be put before `--version` in a command. */
const TOOL_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/;
/** A whole number of minutes, hours, days or weeks. */
const DURATION_PATTERN = /^[1-9][0-9]{0,4}[mhdw]$/;
/** The longest value of a variable: what Windows can still pass to a process. */
const MAX_ENV_LENGTH = 32_000;
const NUL_MESSAGE = 'expected text without the character NUL';
const hasNoNul = (value) => !value.includes('\0');
/*
 * Lengths are refinements: zod's own checks of length also look at maps that have a key `length`, and throw when it
 * holds a map. `meta` tells the JSON Schema what the refinement cannot.
 */
function atMost(schema, max) {
    const error = `expected at most ${max} characters`;
    return schema.refine((value) => value.length <= max, { error }).meta({ maxLength: max });
}
/** Text of 1 to `max` characters that is not blank and has no NUL, which no process could be given. */
function gateline_values_text(max, what) {
    const error = `expected ${what}`;
    return atMost(schemas/* string */.YjP({ error }).regex(/\S/, { error }).refine(hasNoNul, { error: NUL_MESSAGE }), max);
}
/** Text of one pattern. */
function matching(pattern, what) {
    return schemas/* string */.YjP({ error: `expected ${what}` }).regex(pattern, { error: `expected ${what}` });
}
function wholeNumber(min, max) {
    const error = `expected a whole number from ${min} to ${max}`;
    return schemas/* int */.Whr({ error }).min(min, { error }).max(max, { error });
}
function number(min, max, what) {
    const error = `expected ${what}`;
    return schemas/* number */.aig({ error }).min(min, { error }).max(max, { error });
}
const yesOrNo = schemas/* boolean */.zMY({ error: 'expected `true` or `false`' });
function choiceOf(...choices) {
    return schemas/* enum */.k5n(choices, { error: `expected ${inWords(choices)}` });
}
function listOf(item, min, max, what) {
    const isTooShort = { error: `expected ${what}` };
    const isTooLong = { error: `expected a list of ${min === 0 ? 'at most' : `${min} to`} ${max}` };
    return schemas/* array */.YOg(item, isTooShort)
        .refine((list) => list.length >= min, isTooShort)
        .refine((list) => list.length <= max, isTooLong)
        .meta({ minItems: min, maxItems: max });
}
function mapOf(key, value, what) {
    return schemas/* record */.g1P(key, value, { error: `expected ${what}` });
}
/** One thing or a list of them, as GitHub has it for `needs`. */
function oneOrMore(item, min, max, what) {
    return schemas/* union */.KCZ([item, listOf(item, min, max, what)], { error: `expected ${what}` });
}
const id = matching(pipeline/* ID_PATTERN */.p, 'an id of 1 to 40 characters: a-z, 0-9, `_` and `-`, not beginning with a digit or `-`');
/** A JSON object with anything in it. */
const jsonObject = schemas/* record */.g1P(schemas/* string */.YjP(), schemas/* unknown */.L5J(), { error: 'expected a map' });
const pointer = atMost(matching(pipeline_pointer/* POINTER_PATTERN */.P2, 'a JSON pointer such as `/validationResult/score`'), 1_024);
const ENV_VALUE = 'text, a number, `true`, `false`, or nothing (taken from the caller)';
const envValue = schemas/* union */.KCZ([atMost(schemas/* string */.YjP().refine(hasNoNul, { error: NUL_MESSAGE }), MAX_ENV_LENGTH), schemas/* number */.aig(), schemas/* boolean */.zMY(), schemas/* null */.chJ()], { error: `expected ${ENV_VALUE}` });
const envName = matching(ENV_NAME_PATTERN, 'a variable name of A-Z, a-z, 0-9 and `_`, not beginning with a digit');
const envMap = mapOf(envName, envValue, 'a map of variable names to values');
const command = gateline_values_text(262_144, 'a command');
const SHELL = 'one of `bash`, `sh`, `pwsh`, `python`, `node`, or a command with `{0}` for the file of the script';
const shell = atMost(matching(/^(?:bash|sh|pwsh|python|node)$|\{0\}/, SHELL).refine(hasNoNul, { error: NUL_MESSAGE }), 1_024);
const relativePath = gateline_values_text(1_024, 'a path relative to the workspace');
function inWords(choices) {
    const all = choices.map((choice) => `\`${choice}\``);
    return all.length === 1 ? all[0] : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
}

;// CONCATENATED MODULE: ./build/pipeline/gateline-gate.js


/** The most legs of a matrix gate, as on GitHub. */
const MAX_LEGS = 256;
const glob = gateline_values_text(1_024, 'a glob such as `src/**/*.ts`');
const condition = gateline_values_text(21_000, 'a condition');
const gateId = gateline_values_text(200, 'the id of a gate');
const output = schemas/* strictObject */.rej({
    schema: schemas/* union */.KCZ([relativePath, jsonObject, schemas/* boolean */.zMY()], {
        error: 'expected the path of a JSON Schema file, or a schema',
    })
        .optional()
        .describe('JSON Schema (2020-12 or draft-07) that the output must meet: a path relative to the workspace, or the schema itself.'),
    score: pointer
        .optional()
        .describe('JSON pointer to the score (0-100) in the output. Without it the score is 100 when everything else is met.'),
    threshold: number(0, 100, 'a number from 0 to 100')
        .optional()
        .describe('The score that passes. Needs `score`. Default: 80.'),
    partial: choiceOf('block', 'continue', 'pause')
        .default('block')
        .describe('What a score below the threshold does: `block` what follows, `continue`, or `pause` until somebody approves.'),
    checks: oneOrMore(condition, 0, 100, 'a condition or a list of at most 100 conditions')
        .default([])
        .describe("Conditions over `output`, `score`, `subject` and `metadata` that must all hold, in the expression language of GitHub; `has(output, '/x')` asks for presence."),
    exports: oneOrMore(pointer, 0, 100, 'a JSON pointer or a list of at most 100 JSON pointers')
        .default([''])
        .describe('JSON pointers of the parts of the output that later gates see. Default: all of it.'),
}, { error: 'expected a map with keys such as `schema` and `score`' })
    .describe('The contract: what the output must meet, and what of it is handed on.');
const matrixValues = listOf(schemas/* unknown */.L5J(), 1, MAX_LEGS, 'a list of 1 to 256 values');
const matrixRows = listOf(mapOf(matching(MATRIX_KEY_PATTERN, 'a matrix key of A-Z, a-z, 0-9, `_` and `-`'), schemas/* unknown */.L5J(), 'a map of matrix keys to values'), 0, MAX_LEGS, 'a list of maps');
/** `strategy.matrix`. */
const matrixSchema = schemas/* object */.Ikc({
    include: matrixRows.optional().describe('Maps that extend legs, or are legs of their own, as on GitHub.'),
    exclude: matrixRows.optional().describe('Maps; a leg that has all values of one is left out, as on GitHub.'),
}, { error: 'expected a map of names to lists of values' })
    .catchall(matrixValues);
const strategy = schemas/* strictObject */.rej({
    matrix: matrixSchema.describe('Names to lists of values; the gate runs once for each combination, at most 256 times.'),
    'max-parallel': wholeNumber(1, MAX_LEGS)
        .optional()
        .describe('How many legs may run side by side. Default: as many as the pipeline allows.'),
    'fail-fast': yesOrNo.default(true).describe('Whether a failed leg stops the legs that have not started.'),
}, { error: 'expected a map with the key `matrix`' })
    .describe('Runs the gate once for each leg of a matrix.');
const files = schemas/* union */.KCZ([schemas/* literal */.euz('changed'), listOf(glob, 0, 1_000, 'a list of globs')], {
    error: 'expected `changed` or a list of globs',
})
    .default([])
    .describe('Files handed on to later gates: `changed` (what git sees as changed since the gate began), or a list of globs.');
const tools = schemas/* union */.KCZ([
    listOf(matching(TOOL_PATTERN, 'the name of a program'), 0, 50, 'a list of at most 50 programs'),
    mapOf(matching(TOOL_PATTERN, 'the name of a program'), command, 'a map of programs to commands'),
], { error: 'expected a list of programs, or a map of programs to the commands that print their versions' })
    .optional()
    .describe('Programs whose version counts: a list (`node` runs `node --version`), or a map of names to commands that print the version.');
/** One gate of gateline.yml, by GitHub's spelling. Unknown keys are errors. */
const gateSchema = schemas/* strictObject */.rej({
    number: wholeNumber(0, 9_999)
        .optional()
        .describe('The N of `gate{N}-output.json`. Unique. Default: the place in the file, from 0.'),
    agent: gateline_values_text(200, 'a name of at most 200 characters')
        .optional()
        .describe('Name shown for the agent. Default: the id of the gate.'),
    run: command
        .optional()
        .describe('The command, as in a `run` step. Without it the agent runs by itself, around `gateline begin` and `gateline complete`.'),
    shell: shell
        .optional()
        .describe('`bash`, `sh`, `pwsh`, `python`, `node`, or a command with `{0}` for the file of the script. Default: `defaults.run.shell`, else `bash`.'),
    'working-directory': relativePath
        .optional()
        .describe('Folder to run in, relative to the workspace. Default: `defaults.run.working-directory`, else `.`.'),
    needs: oneOrMore(gateId, 0, 1_000, 'the id of a gate or a list of ids')
        .default([])
        .describe('Gates that must be satisfied first. Their exports are in the request.'),
    if: schemas/* union */.KCZ([condition, schemas/* boolean */.zMY()], { error: 'expected a condition' })
        .optional()
        .describe('Condition over `subject`, `metadata` and `needs.<gate>.status|score|output`, in the expression language of GitHub. False: the gate is not-applicable.'),
    inputs: oneOrMore(glob, 0, 1_000, 'a glob or a list of globs; `[]` says that no file counts')
        .optional()
        .describe('Globs of the files that count. `[]`: no file counts. Default: every tracked file.'),
    env: envMap
        .default({})
        .describe('Variables that the agent gets and that count. An empty value is taken from the caller.'),
    with: jsonObject.default({}).describe('Free values for the agent (`prompt`, `model`, …), in its request.'),
    tools,
    secrets: oneOrMore(envName, 0, 100, 'the name of a variable or a list of names')
        .default([])
        .describe('Names of environment variables that hold secrets: passed on, redacted everywhere, counted by name only.'),
    output: output.optional(),
    files,
    retries: wholeNumber(0, 10)
        .default(0)
        .describe('Further attempts after a failed one; each is told why the one before failed.'),
    'timeout-minutes': number(0.001, 4_320, 'a number of minutes above 0 and up to 4320')
        .default(60)
        .describe('Minutes after which the agent is ended. Fractions are allowed.'),
    reuse: choiceOf('auto', 'never')
        .default('auto')
        .describe('Whether an output with the same request may be reused.'),
    'max-age': matching(DURATION_PATTERN, 'a time such as `30m`, `12h`, `7d` or `2w`')
        .optional()
        .describe('Age after which an output is not reused any more: `30m`, `12h`, `7d`, `2w`. Default: no limit.'),
    strategy: strategy.optional(),
}, { error: 'expected a map with keys such as `run` and `needs`' })
    .describe('A gate: an agent and the contract that its output must meet.');

;// CONCATENATED MODULE: ./build/pipeline/matrix.js



/** The most combinations that are looked at before `exclude`. */
const MAX_PRODUCT = 1_024;
/**
 * The legs of a matrix, in GitHub's order, by the rules of GitHub's own implementation (`MatrixBuilder` of
 * actions/runner) and documentation:
 * - the cross product of the lists, the first key slowest;
 * - `exclude` drops a combination that has all values of one of its maps (maps inside are compared by the keys they
 *   give, values as `==` compares them: `linux` is `Linux`, `1` is `'1'`);
 * - each map of `include` adds its other keys to every combination whose values it shares, never changing an
 *   original value; a map that fits none is a leg of its own, which later ones do not extend.
 */
function legsOf(entry) {
    const { include = [], exclude = [], ...lists } = entry;
    const problems = [...checkLists(lists), ...checkRows(include, exclude, lists)];
    if (problems.length > 0)
        return { problems };
    const product = crossProduct(lists).filter((row) => !exclude.some((filter) => matches(row, filter)));
    const rows = [...extended(product, include, new Set(Object.keys(lists)))];
    if (rows.length === 0)
        return { problems: [{ path: [], message: 'no leg is left' }] };
    if (rows.length > MAX_LEGS) {
        return { problems: [{ path: [], message: `${rows.length} legs are more than ${MAX_LEGS}` }] };
    }
    const canonical = rows.map((row) => canonicalJson(row.named));
    const twice = canonical.findIndex((text, index) => canonical.indexOf(text) !== index);
    if (twice >= 0) {
        return { problems: [{ path: [], message: `two legs are the same: ${canonical[twice].slice(0, 200)}` }] };
    }
    const ids = legIds(rows);
    return { legs: rows.map((row, index) => ({ id: ids[index], matrix: row.matrix })) };
}
function checkLists(lists) {
    const problems = [];
    let size = 1;
    for (const [key, values] of Object.entries(lists)) {
        size *= values.length;
        values.forEach((value, index) => {
            if (Array.isArray(value)) {
                problems.push({
                    path: [key, index],
                    message: 'a matrix value is text, a number, true, false or a map, not a list',
                });
            }
        });
    }
    if (size > MAX_PRODUCT)
        problems.push({ path: [], message: `${size} combinations are more than ${MAX_PRODUCT}` });
    return problems;
}
function checkRows(include, exclude, lists) {
    const problems = [];
    const check = (name, rows, isFilter) => rows.forEach((row, index) => {
        const path = [name, index];
        const entries = Object.entries(row);
        if (entries.length === 0)
            problems.push({ path, message: 'this map is empty' });
        for (const [key, value] of entries) {
            if (isFilter(key) && holdsList(value)) {
                problems.push({ path: [...path, key], message: 'a list cannot be compared with a matrix value' });
            }
            if (name === 'exclude' && !Object.hasOwn(lists, key)) {
                problems.push({ path: [...path, key], message: `the matrix has no key \`${key}\`` });
            }
        }
    });
    check('include', include, (key) => Object.hasOwn(lists, key));
    check('exclude', exclude, () => true);
    return problems;
}
function holdsList(value) {
    return Array.isArray(value) || ((0,untrusted_json/* isJsonObject */.O)(value) && Object.values(value).some(holdsList));
}
function crossProduct(lists) {
    const keys = Object.keys(lists);
    if (keys.length === 0)
        return [];
    return keys.reduce((rows, key) => rows.flatMap((row) => lists[key].map((value) => Object.assign({}, row, { [key]: value }))), [{}]);
}
function* extended(product, include, keys) {
    const parts = include.map((map) => {
        const entries = Object.entries(map);
        return {
            filter: Object.fromEntries(entries.filter(([key]) => keys.has(key))),
            extra: Object.fromEntries(entries.filter(([key]) => !keys.has(key))),
            used: false,
        };
    });
    for (const row of product) {
        const added = {};
        for (const part of parts) {
            if (!matches(row, part.filter))
                continue;
            part.used = true;
            Object.assign(added, part.extra);
        }
        yield { named: row, matrix: { ...row, ...added } };
    }
    for (const part of parts) {
        const matrix = { ...part.filter, ...part.extra };
        if (!part.used)
            yield { named: matrix, matrix };
    }
}
/** Whether a row has every value that a filter gives. */
function matches(row, filter) {
    if (!(0,untrusted_json/* isJsonObject */.O)(filter))
        return equalOnGithub(row, filter);
    return Object.entries(filter).every(([key, value]) => matches((0,untrusted_json/* isJsonObject */.O)(row) ? row[key] : undefined, value));
}
/** `==` of GitHub's expressions, by its official evaluator. */
function equalOnGithub(a, b) {
    if ((0,untrusted_json/* isJsonObject */.O)(a) || Array.isArray(a))
        return false;
    const context = new dist/* data.Dictionary */.p.bT({ key: 'a', value: scalar(a) }, { key: 'b', value: scalar(b) });
    const result = new dist/* Evaluator */.oi(EQUALS, context).evaluate();
    return result instanceof dist/* data.BooleanData */.p.bo && result.value;
}
const EQUALS = new dist/* Parser */.iX(new dist/* Lexer */.JG('a == b').lex().tokens, ['a', 'b'], []).parse();
function scalar(value) {
    if (typeof value === 'string')
        return new dist/* data.StringData */.p.uQ(value);
    if (typeof value === 'number')
        return new dist/* data.NumberData */.p.Q9(value);
    return typeof value === 'boolean' ? new dist/* data.BooleanData */.p.bo(value) : new dist/* data.Null */.p.Uv();
}
/**
 * Ids of the legs: their values joined by `-` where that is an id as it stands and no other leg has it; else that,
 * made one, and some digits of a digest of the values (their place, should even 16 digits be the same).
 */
function legIds(rows) {
    const plain = rows.map((row) => leaves(row.named).join('-'));
    const slugs = plain.map((text) => text
        .toLowerCase()
        .replace(/[^a-z0-9_-]+/g, '-')
        .replace(/^-+|-+$/g, ''));
    for (let digits = 6;; digits += 2) {
        const ids = slugs.map((slug, index) => {
            const isAmbiguous = slugs.indexOf(slug) !== index || slugs.lastIndexOf(slug) !== index;
            if (slug !== '' && slug === plain[index] && slug.length <= 40 && !isAmbiguous)
                return slug;
            const digest = digits > 16 ? String(index).padStart(3, '0') : fnv1a(canonicalJson(rows[index].named)).slice(0, digits);
            return `${slug.slice(0, 39 - digest.length).replace(/-+$/, '') || 'leg'}-${digest}`;
        });
        if (new Set(ids).size === ids.length)
            return ids;
    }
}
/** 16 hex digits that tell texts apart: FNV-1a, 64 bits. No safeguard against somebody who wants two alike. */
function fnv1a(text) {
    let hash = 0xcbf29ce484222325n;
    for (const byte of Buffer.from(text))
        hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
    return hash.toString(16).padStart(16, '0');
}
function leaves(value) {
    if (Array.isArray(value))
        return value.flatMap(leaves);
    return (0,untrusted_json/* isJsonObject */.O)(value) ? Object.values(value).flatMap(leaves) : [String(value)];
}
function canonicalJson(value) {
    if (Array.isArray(value))
        return `[${value.map(canonicalJson).join(',')}]`;
    if (!(0,untrusted_json/* isJsonObject */.O)(value))
        return JSON.stringify(value);
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
}

// EXTERNAL MODULE: ./node_modules/picomatch/lib/picomatch.js
var picomatch = __webpack_require__(8016);
;// CONCATENATED MODULE: ./build/pipeline/paths.js


const ABSOLUTE = /^(?:\/|[A-Za-z]:|~\/|~$)/;
const CLIMBS = /(?:^|[/{,(|])\.\.(?=$|[/},)|])/;
const INSIDE = 'write it relative to the workspace';
/** A path inside the workspace, `/`-separated, without `.` and `..` where they change nothing. */
function normalPath(path) {
    const normal = external_node_path_.posix.normalize(path);
    return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}
/** Why a path is not one inside the workspace; links are judged by whoever opens it. */
function pathProblem(path) {
    if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(path)) {
        return { message: 'is an address, not a path', hint: 'put the file into the repository' };
    }
    if (ABSOLUTE.test(path))
        return { message: 'is an absolute path', hint: INSIDE };
    if (path.includes('\\'))
        return { message: 'has a backslash', hint: 'use `/`, on every system' };
    const normal = external_node_path_.posix.normalize(path);
    return normal === '..' || normal.startsWith('../') ? { message: 'leaves the workspace', hint: INSIDE } : undefined;
}
/** A glob as it is matched: without `./` in front. A leading `!` excludes and stays. */
function normalGlob(glob) {
    return glob.replace(/^(!?)(?:\.\/)+(?=.)/, '$1');
}
/** Why a glob is none that can match files of the workspace. A leading `!` excludes, as in GitHub's path filters. */
function globProblem(glob) {
    const body = glob.replace(/^!/, '');
    if (body === '')
        return { message: 'is empty' };
    if (ABSOLUTE.test(body))
        return { message: 'is an absolute path', hint: INSIDE };
    if (CLIMBS.test(body))
        return { message: 'climbs out with `..`', hint: INSIDE };
    if (/\\(?![\\*?[\]{}()!+@|,^$])/.test(body))
        return { message: 'has a backslash', hint: 'use `/`, on every system' };
    try {
        picomatch.makeRe(body, { strictBrackets: true, debug: true, dot: true, nonegate: true });
        return undefined;
    }
    catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return { message: `is no glob: ${why.slice(0, 200)}`, hint: 'put `\\` before a bracket that stands for itself' };
    }
}

;// CONCATENATED MODULE: ./build/pipeline/build-pipeline.js



const DEFAULT_SHELL = 'bash';
const DEFAULT_THRESHOLD = 80;
const WITHOUT_MATRIX = [{ id: '', matrix: {} }];
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
/** The pipeline that a file without problems defines, every default filled in. */
function buildPipeline(file) {
    const order = new Map(Object.keys(file.gates).map((id, index) => [id, index]));
    return {
        id: file.pipeline,
        subject: file.subject,
        metadata: file.metadata,
        maxParallel: file['max-parallel'],
        gates: Object.entries(file.gates).map(([id, entry]) => buildGate(id, entry, file, order)),
        groups: Object.entries(file.groups).map(([id, gates]) => ({ id, gates })),
    };
}
function buildGate(id, entry, file, order) {
    const defaults = file.defaults?.run ?? {};
    const { strategy } = entry;
    return {
        id,
        number: entry.number ?? order.get(id),
        agent: entry.agent ?? id,
        run: entry.run,
        shell: entry.shell ?? defaults.shell ?? DEFAULT_SHELL,
        workingDirectory: normalPath(entry['working-directory'] ?? defaults['working-directory'] ?? '.'),
        needs: listed(entry.needs).sort((a, b) => order.get(a) - order.get(b)),
        if: entry.if === undefined ? undefined : build_pipeline_condition(String(entry.if)),
        inputs: entry.inputs === undefined ? undefined : listed(entry.inputs).map(normalGlob),
        env: variables({ ...file.env, ...entry.env }),
        with: entry.with,
        tools: buildTools(entry.tools),
        secrets: listed(entry.secrets),
        contract: buildContract(entry.output),
        exports: listed(entry.output?.exports ?? ['']),
        files: entry.files === 'changed' ? 'changed' : entry.files.map(normalGlob),
        retries: entry.retries,
        timeoutMinutes: entry['timeout-minutes'],
        reuse: entry.reuse,
        maxAge: milliseconds(entry['max-age']),
        legs: strategy === undefined ? WITHOUT_MATRIX : buildLegs(strategy.matrix),
        legsMaxParallel: strategy?.['max-parallel'],
        failFast: strategy?.['fail-fast'] ?? true,
    };
}
function buildContract(output) {
    const score = output?.score;
    return {
        schema: buildSchema(output?.schema),
        score,
        threshold: output?.threshold ?? (score === undefined ? 0 : DEFAULT_THRESHOLD),
        partial: output?.partial ?? 'block',
        checks: listed(output?.checks ?? []).map(build_pipeline_condition),
    };
}
function buildSchema(schema) {
    if (schema === undefined)
        return undefined;
    return typeof schema === 'string' ? { path: normalPath(schema) } : { inline: schema };
}
function buildTools(tools) {
    if (Array.isArray(tools))
        return Object.fromEntries(tools.map((name) => [name, `${name} --version`]));
    return { ...tools };
}
function buildLegs(matrix) {
    const result = legsOf(matrix);
    return 'legs' in result ? result.legs : [];
}
function listed(value) {
    return Array.isArray(value) ? [...value] : [value];
}
function build_pipeline_condition(text) {
    return (0,expression/* bareExpression */.jy)(text)?.text ?? text;
}
/** Numbers and booleans as the text that GitHub makes of them. */
function variables(env) {
    return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value === null ? null : String(value)]));
}
function milliseconds(age) {
    return age === undefined ? undefined : Number(age.slice(0, -1)) * UNIT_MS[age.slice(-1)];
}

// EXTERNAL MODULE: ./node_modules/@actions/expressions/dist/ast.js
var ast = __webpack_require__(2049);
;// CONCATENATED MODULE: ./build/pipeline/expression-references.js


/** Every use of a context in an expression, in the order they are written. */
function referencesIn(expression) {
    const found = [];
    collect(expression, undefined, found);
    return found;
}
function collect(node, comparedWith, found) {
    if (node instanceof ast/* Grouping */.aU)
        collect(node.group, comparedWith, found);
    else if (node instanceof ast/* Unary */._c)
        collect(node.expr, undefined, found);
    else if (node instanceof ast/* Logical */.oD)
        for (const arg of node.args)
            collect(arg, undefined, found);
    else if (node instanceof ast/* FunctionCall */.R6)
        for (const arg of node.args)
            collect(arg, undefined, found);
    else if (node instanceof ast/* Binary */.yI) {
        const isEquality = node.operator.lexeme === '==' || node.operator.lexeme === '!=';
        collect(node.left, isEquality ? textOf(node.right) : undefined, found);
        collect(node.right, isEquality ? textOf(node.left) : undefined, found);
    }
    else if (node instanceof ast/* IndexAccess */.p_ || node instanceof ast/* ContextAccess */.QC) {
        collectAccess(node, comparedWith, found);
    }
}
function collectAccess(access, comparedWith, found) {
    const keys = [];
    const inside = [];
    let node = access;
    while (node instanceof ast/* IndexAccess */.p_ || node instanceof ast/* Grouping */.aU) {
        if (node instanceof ast/* Grouping */.aU) {
            node = node.group;
            continue;
        }
        const key = keyOf(node.index);
        keys.unshift(key);
        if (key === undefined)
            inside.unshift(node.index);
        node = node.expr;
    }
    if (node instanceof ast/* ContextAccess */.QC) {
        const open = keys.indexOf(undefined);
        const path = (open < 0 ? keys : keys.slice(0, open));
        found.push({
            context: node.name.lexeme.toLowerCase(),
            path,
            isOpen: open >= 0,
            comparedWith,
            start: node.name.range.start,
        });
    }
    else {
        collect(node, undefined, found);
    }
    for (const index of inside)
        collect(index, undefined, found);
}
function keyOf(index) {
    if (!(index instanceof ast/* Literal */.uS))
        return undefined;
    const { literal } = index;
    return literal instanceof dist/* data.StringData */.p.uQ || literal instanceof dist/* data.NumberData */.p.Q9 ? literal.coerceString() : undefined;
}
function textOf(node) {
    return node instanceof ast/* Literal */.uS && node.literal instanceof dist/* data.StringData */.p.uQ ? node.literal.value : undefined;
}

;// CONCATENATED MODULE: ./build/pipeline/parts.js


/** Every entry of `gates`; one that is no map counts as empty, so that its id is still known. */
function gatesIn(source) {
    const gates = mapAt(source.value, 'gates');
    return Object.keys(gates).map((id, index) => {
        return { id, index, value: mapAt(gates, id), path: ['gates', id] };
    });
}
/** The map at a key; empty when there is none. */
function mapAt(value, ...keys) {
    const found = at(value, keys);
    return (0,untrusted_json/* isJsonObject */.O)(found) ? found : {};
}
/** The texts at a key of a part: those of a list, or the one that stands there. Other values are left out. */
function textsAt(part, ...keys) {
    const found = at(part.value, keys);
    const path = [...part.path, ...keys];
    if (typeof found === 'string')
        return [{ value: found, path }];
    if (!Array.isArray(found))
        return [];
    return found.flatMap((value, index) => (typeof value === 'string' ? [{ value, path: [...path, index] }] : []));
}
/** Every text inside a value, with its place. `isSkipped` leaves whole parts out. */
function* textsInside(value, isSkipped, path = []) {
    if (isSkipped(path))
        return;
    if (typeof value === 'string')
        yield { value, path };
    else if (Array.isArray(value)) {
        for (const [index, item] of value.entries())
            yield* textsInside(item, isSkipped, [...path, index]);
    }
    else if ((0,untrusted_json/* isJsonObject */.O)(value)) {
        for (const [key, item] of Object.entries(value))
            yield* textsInside(item, isSkipped, [...path, key]);
    }
}
/** The pointer of what is at a place. */
function pointerTo(located) {
    return (0,pipeline_pointer/* pointerOf */.rq)(located.path);
}
function at(value, keys) {
    return keys.reduce((here, key) => ((0,untrusted_json/* isJsonObject */.O)(here) ? here[key] : undefined), value);
}

// EXTERNAL MODULE: ./build/pipeline/problem.js
var pipeline_problem = __webpack_require__(9328);
;// CONCATENATED MODULE: ./build/pipeline/foreign-keys.js
/** Keys of GitHub workflows and of other tools that people will write, and what to write here. */
const AT_THE_TOP = {
    on: 'a pipeline has no triggers: keep `on` in the workflow that runs it',
    true: 'a pipeline has no triggers: keep `on` in the workflow that runs it',
    jobs: 'write `gates`',
    steps: 'write `gates`, each with its own `run`',
    stages: 'write `gates`; what must come first is said by `needs`',
    name: 'write `pipeline` for the id of the pipeline',
    id: 'write `pipeline` for the id of the pipeline',
    permissions: 'keep `permissions` in the workflow',
    concurrency: 'keep `concurrency` in the workflow; how many gates run side by side is `max-parallel`',
    parallel: 'write `max-parallel`',
    variables: 'write `env`',
    vars: 'write `env`, or `metadata` for values that are no variables',
    secrets: 'name the secrets at each gate that may have them',
    inputs: 'write `metadata` for values, or `inputs` at a gate for the files that count',
    'run-name': 'write `subject`',
};
const AT_A_GATE = {
    'runs-on': 'a gate runs where Gateline runs: keep `runs-on` in the workflow',
    container: 'keep `container` in the workflow that runs the gate',
    services: 'keep `services` in the workflow that runs the gate',
    environment: 'keep `environment` in the workflow; variables are `env`',
    permissions: 'keep `permissions` in the workflow',
    uses: 'a gate starts a command with `run`; to put a gate around another action, leave `run` out and use `begin` and `complete` in the workflow',
    steps: 'a gate has one command: write it as `run`, or make several gates',
    script: 'write `run`',
    command: 'write `run`',
    cmd: 'write `run`',
    depends_on: 'write `needs`',
    'depends-on': 'write `needs`',
    dependsOn: 'write `needs`',
    dependencies: 'write `needs`',
    requires: 'write `needs`',
    after: 'write `needs`',
    timeout: 'write `timeout-minutes`',
    timeout_minutes: 'write `timeout-minutes`',
    'timeout-seconds': 'write `timeout-minutes`; fractions are allowed',
    matrix: 'write it under `strategy`: `strategy: {matrix: …}`',
    'fail-fast': 'write it under `strategy`',
    'max-parallel': 'write it under `strategy`, or at the top of the file for the whole pipeline',
    'continue-on-error': 'a failed gate blocks what needs it; for a low score write `output: {partial: continue}`',
    outputs: 'write `output` for the contract, `output: {exports: …}` for what later gates see',
    schema: 'write it under `output`',
    score: 'write it under `output`',
    threshold: 'write it under `output`',
    partial: 'write it under `output`',
    checks: 'write it under `output`',
    exports: 'write it under `output`',
    contract: 'write `output`',
    name: 'write `agent` for the name that is shown; the id of the gate is its key',
    id: 'the id of a gate is its key under `gates`',
    retry: 'write `retries`',
    retry_count: 'write `retries`',
    'max-retries': 'write `retries`',
    cwd: 'write `working-directory`',
    'working-dir': 'write `working-directory`',
    workdir: 'write `working-directory`',
    when: 'write `if`',
    condition: 'write `if`',
    cache: 'write `reuse` (`auto` or `never`)',
    'cache-for': 'write `max-age`',
    ttl: 'write `max-age`',
    prompt: 'write it under `with`',
    model: 'write it under `with`',
    metadata: 'write `metadata` at the top of the file, or `with` for values of one gate',
    artifacts: 'write `files`',
    paths: 'write `inputs` for files that count, `files` for files handed on',
    defaults: 'write it at the top of the file',
};
/** What to write instead of a key that means something elsewhere, if it is one that we know. */
function foreignKeyHint(key, path) {
    const table = path.length === 0 ? AT_THE_TOP : path[0] === 'gates' && path.length === 2 ? AT_A_GATE : {};
    return Object.hasOwn(table, key) ? table[key] : undefined;
}

;// CONCATENATED MODULE: ./build/pipeline/gateline-file.js



/** The most gates of a pipeline. */
const MAX_GATES = 1_000;
const runDefaults = schemas/* strictObject */.rej({
    shell: shell.optional().describe('Shell of every gate that names none.'),
    'working-directory': relativePath
        .optional()
        .describe('Folder, relative to the workspace, of every gate that names none.'),
}, { error: 'expected a map with `shell` and `working-directory`' })
    .describe('What every `run` takes when its gate does not say otherwise.');
/**
 * `gateline.yml` as it is written: the one source of its structure, of the JSON Schema for editors
 * (schema/gateline.schema.json) and of the key table in docs/reference/gateline-yml.md.
 * Keys are spelt as in GitHub workflows.
 */
const gatelineFileSchema = schemas/* strictObject */.rej({
    version: schemas/* literal */.euz(1, { error: 'expected 1' }).default(1).describe('Version of this file format.'),
    pipeline: id.default('pipeline').describe('Id of the pipeline.'),
    subject: gateline_values_text(1_024, 'text')
        .optional()
        .describe('What one execution is about. Default: `pr-<number>` in a pull request, else the branch.'),
    metadata: jsonObject.default({}).describe('Free values that agents and conditions see. They count.'),
    'max-parallel': wholeNumber(1, 256).default(2).describe('How many gates may run side by side.'),
    env: envMap.default({}).describe('Variables of every gate. An empty value is taken from the caller, and counts.'),
    defaults: schemas/* strictObject */.rej({ run: runDefaults.optional() }, { error: 'expected a map with the key `run`' })
        .optional()
        .describe('Values that gates take when they name none.'),
    groups: mapOf(id, listOf(gateline_values_text(200, 'the id of a gate'), 1, MAX_GATES, 'a list of gate ids'), 'a map of group ids to lists of gate ids')
        .default({})
        .describe('Named sets of gates that are shown together.'),
    gates: mapOf(id, gateSchema, `a map of 1 to ${MAX_GATES} gates, keyed by gate id`).meta({
        description: 'The gates, keyed by id, in order.',
        minProperties: 1,
        maxProperties: MAX_GATES,
    }),
}, { error: 'expected a map with the key `gates`' })
    .meta({ title: 'gateline.yml', description: 'A pipeline of agent gates.' });

;// CONCATENATED MODULE: ./build/pipeline/structure.js






/** The file by its schema: typed, or every problem of its structure. */
function checkStructure(source) {
    const parsed = gatelineFileSchema.safeParse(source.value);
    if (parsed.success)
        return { file: parsed.data };
    return { problems: parsed.error.issues.flatMap((issue) => explain(issue, [], source)) };
}
/** A path as a message names it: `needs`, `output.score`, `env.KEY`; without the gate and without indices. */
function labelOf(path) {
    const within = path[0] === 'gates' && path.length > 2 ? path.slice(2) : path;
    const keys = within.filter((key) => typeof key !== 'number').map((key) => String(key));
    return (0,pipeline_problem/* quoted */.TL)(keys.join('.')).slice(1, -1) || 'file';
}
function explain(issue, base, source) {
    const path = [...base, ...issue.path];
    switch (issue.code) {
        case 'unrecognized_keys':
            return issue.keys.map((key) => unknownKey(key, path, source));
        case 'invalid_key': {
            const why = issue.issues[0]?.message ?? issue.message;
            const message = `${labelOf(path.slice(0, -1))}: ${(0,pipeline_problem/* quoted */.TL)(String(path.at(-1)))}: ${why}`;
            const problem = source.at((0,pipeline_pointer/* pointerOf */.rq)(path), { code: 'NAME_INVALID', message, of: 'key' });
            return [problem, ...insideNamelessGate(path, source)];
        }
        case 'invalid_union': {
            const branch = likeliestBranch(issue.errors);
            if (branch !== undefined)
                return branch.flatMap((inner) => explain(inner, path, source));
            return [wrongValue(issue.message, path, source)];
        }
        default:
            return [wrongValue(issue.message, path, source)];
    }
}
/** What is wrong inside a gate whose id is wrong: the schema of a map does not look there. */
function insideNamelessGate(path, source) {
    if (path.length !== 2 || path[0] !== 'gates')
        return [];
    const parsed = gateSchema.safeParse(valueAt(source.value, path));
    return parsed.success ? [] : parsed.error.issues.flatMap((issue) => explain(issue, path, source));
}
/** Of the shapes that a value may have, the one it has at its top, so that the message is about what is inside. */
function likeliestBranch(branches) {
    const isOfThatType = (issue) => issue.path.length > 0 || (issue.code !== 'invalid_type' && issue.code !== 'invalid_value');
    return branches.find((branch) => branch.length > 0 && branch.every(isOfThatType));
}
function wrongValue(expected, path, source) {
    const found = valueAt(source.value, path);
    const pointer = (0,pipeline_pointer/* pointerOf */.rq)(path);
    if (found === undefined && path.length > 0) {
        const message = `${labelOf(path)}: this key is missing: ${expected}`;
        return source.at(pointer, { code: 'KEY_MISSING', message });
    }
    const message = `${labelOf(path)}: ${expected}, found ${(0,pipeline_problem/* described */.WY)(found)}`;
    return source.at(pointer, { code: 'VALUE_INVALID', message, hint: valueHint(path, found) });
}
function unknownKey(key, path, source) {
    const known = Object.keys(schemaKeysAt(path));
    const inside = path.length === 0 ? '' : ` under ${(0,pipeline_problem/* quoted */.TL)(labelOf(path))}`;
    const hint = foreignKeyHint(key, path) ?? (0,pipeline_problem/* didYouMean */.au)(key, known) ?? `known here: ${known.join(', ')}`;
    const message = `${labelOf([...path, key])}: there is no such key${inside}`;
    return source.at((0,pipeline_pointer/* pointerOf */.rq)([...path, key]), { code: 'KEY_UNKNOWN', message, hint, of: 'key' });
}
/** The shape of the map at a path: only maps with fixed keys have unknown ones. */
function schemaKeysAt(path) {
    const file = gatelineFileSchema.shape;
    const gate = file.gates.valueType.shape;
    const last = path.at(-1);
    if (path.length === 0)
        return file;
    if (path[0] === 'defaults')
        return path.length === 1 ? { run: true } : { shell: true, 'working-directory': true };
    if (path.length === 2)
        return gate;
    if (last === 'output')
        return gate.output.unwrap().shape;
    return last === 'strategy' ? gate.strategy.unwrap().shape : {};
}
function valueAt(value, path) {
    let here = value;
    for (const key of path) {
        if (Array.isArray(here))
            here = here[Number(key)];
        else
            here = (0,untrusted_json/* isJsonObject */.O)(here) ? here[String(key)] : undefined;
    }
    return here;
}
function valueHint(path, found) {
    const key = path.findLast((part) => typeof part === 'string');
    if (path.length === 1 && key === 'gates' && Array.isArray(found)) {
        return 'write each gate as a key, as GitHub has `jobs`: `design:` and its keys below it';
    }
    if (typeof found === 'string' && /^-?[0-9.]+$/.test(found))
        return 'leave the quotes out if a number is meant';
    if ((key === 'exports' || key === 'score') && typeof found === 'string')
        return pointerHint(found);
    if (key === 'shell')
        return 'for another shell write its command, such as `cmd /c {0}`';
    if (found === null && path.length > 0)
        return 'write a value, or leave the key out';
    if (typeof found === 'number' && (key === 'subject' || key === 'agent'))
        return `put it in quotes: "${found}"`;
    return undefined;
}
function pointerHint(found) {
    if (found.startsWith('#'))
        return 'leave the `#` out';
    const keys = found.replace(/^\$?\.?/, '').split(/[./]/);
    const isName = keys.every((key) => /^\w+$/.test(key));
    return isName && keys.length > 0 ? `write \`/${keys.join('/')}\`` : undefined;
}

;// CONCATENATED MODULE: ./build/pipeline/check-conditions.js





/** What `needs.<gate>` has. */
const NEED_FIELDS = ['status', 'score', 'output'];
/** The values of `needs.<gate>.status`. */
const STATUSES = ['passed', 'partial', 'failed', 'lost', 'skipped', 'not-applicable'];
const STATUS_FUNCTIONS = new Set(['always', 'success', 'failure', 'cancelled']);
/** What is wrong with `if` and `checks`: their syntax, and what they refer to. */
function checkConditions(source) {
    const gates = gatesIn(source);
    return gates.flatMap((gate) => {
        const conditions = textsAt(gate, 'if').flatMap((text) => check(text, expression.IF_RULES, source, (reference) => ifReference(reference, gate, gates)));
        const checks = textsAt(gate, 'output', 'checks').flatMap((text) => check(text, expression.CHECK_RULES, source, (reference) => checkReference(reference, gate)));
        return conditions.concat(checks);
    });
}
function check(text, rules, source, judge) {
    const label = labelOf(text.path);
    const report = (finding, offset) => {
        const shift = offset === undefined ? {} : { offset };
        return source.at(pointerTo(text), { ...finding, message: `${label}: ${finding.message}`, ...shift });
    };
    if (text.value.trim() === '')
        return [];
    const bare = (0,expression/* bareExpression */.jy)(text.value);
    if (bare === undefined)
        return [report(MIXED)];
    const parsed = (0,expression.parseExpression)(bare.text, rules);
    if (!parsed.ok)
        return [report(check_conditions_explain(parsed.problem, rules), bare.offset + parsed.problem.offset)];
    return referencesIn(parsed.expression).flatMap((reference) => {
        const finding = judge(reference);
        return finding === undefined ? [] : [report(finding, bare.offset + (0,expression/* offsetOf */.b4)(bare.text, reference.start))];
    });
}
const MIXED = {
    code: 'EXPRESSION_MIXED',
    message: 'text around `${{ }}` makes a condition true whatever it says',
    hint: 'put the whole condition into one `${{ }}`, or leave `${{ }}` out',
};
function check_conditions_explain(problem, rules) {
    const { kind, message, name } = problem;
    if (kind === 'syntax')
        return { code: 'EXPRESSION_INVALID', message };
    if (kind === 'unknown-name') {
        const hint = (0,pipeline_problem/* didYouMean */.au)(name, rules.contexts) ?? `known here: ${rules.contexts.join(', ')}`;
        return { code: 'EXPRESSION_NAME', message, hint };
    }
    const code = 'EXPRESSION_FUNCTION';
    if (STATUS_FUNCTIONS.has(name.toLowerCase())) {
        const why = 'a gate is only looked at once all its needs are satisfied';
        const hint = 'compare `needs.<gate>.status`, or leave it out';
        return { code, message: `\`${name}()\` says nothing here: ${why}`, hint };
    }
    if (name.toLowerCase() === 'hashfiles') {
        return { code, message: '`hashFiles()` is not known here', hint: 'files that count are named by `inputs`' };
    }
    const known = (0,expression.functionNames)(rules);
    return { code, message, hint: (0,pipeline_problem/* didYouMean */.au)(name, known) ?? `known here: ${known.join(', ')}` };
}
function ifReference(reference, gate, gates) {
    if (reference.context !== 'needs')
        return textReference(reference);
    const [need, field] = reference.path;
    if (need === undefined) {
        const message = '`needs` must be followed by the id of a gate';
        return { code: 'EXPRESSION_NEED', message, hint: 'write `needs.<gate>.status`, `.score` or `.output`' };
    }
    const needs = textsAt(gate, 'needs').map(({ value }) => value);
    if (!needs.includes(need.toLowerCase()))
        return notNeeded(need, needs, gates);
    if (field === undefined || !NEED_FIELDS.includes(field.toLowerCase())) {
        const message = field === undefined ? `${(0,pipeline_problem/* quoted */.TL)(`needs.${need}`)} is no value` : `a gate has no ${(0,pipeline_problem/* quoted */.TL)(field)}`;
        const meant = field === undefined ? undefined : (0,pipeline_problem/* didYouMean */.au)(field, NEED_FIELDS);
        return { code: 'EXPRESSION_NEED', message, hint: meant ?? 'it has `.status`, `.score` and `.output`' };
    }
    const status = reference.comparedWith;
    if (field.toLowerCase() !== 'status' || status === undefined)
        return undefined;
    if (STATUSES.includes(status.toLowerCase()))
        return undefined;
    const hint = (0,pipeline_problem/* didYouMean */.au)(status, STATUSES) ?? `a status is one of ${STATUSES.join(', ')}`;
    return { severity: 'warning', code: 'EXPRESSION_STATUS', message: `no gate is ever ${(0,pipeline_problem/* quoted */.TL)(status)}`, hint };
}
function notNeeded(need, needs, gates) {
    const code = 'EXPRESSION_NEED';
    if (gates.some(({ id }) => id === need.toLowerCase())) {
        const message = `${(0,pipeline_problem/* quoted */.TL)(need)} is not one of this gate's \`needs\``;
        return { code, message, hint: `add ${(0,pipeline_problem/* quoted */.TL)(need)} to \`needs\`` };
    }
    return { code, message: `${(0,pipeline_problem/* quoted */.TL)(need)}: no such gate`, hint: (0,pipeline_problem/* didYouMean */.au)(need, needs) };
}
function checkReference(reference, gate) {
    if (reference.context !== 'score' || mapAt(gate.value, 'output')['score'] !== undefined)
        return textReference(reference);
    const message = 'there is no `score` in this contract, so that `score` is always 100';
    return { code: 'SCORE_MISSING', message, hint: 'write `score` with the JSON pointer to the score in the output' };
}
/** `subject` is text and `score` a number: nothing is inside, and GitHub's evaluator would say null. */
function textReference({ context, path, isOpen }) {
    if ((context !== 'subject' && context !== 'score') || (path.length === 0 && !isOpen))
        return undefined;
    const what = context === 'subject' ? 'a text' : 'a number';
    const message = `\`${context}\` is ${what}, with nothing inside`;
    return { code: 'EXPRESSION_NAME', message, hint: `compare \`${context}\` itself` };
}

;// CONCATENATED MODULE: ./build/pipeline/check-environment.js




const RESERVED = /^(?:GATELINE|GITHUB|RUNNER)_/i;
const LOOKS_SECRET = /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS)$/i;
/** What is wrong with variables and secrets: reserved names, secrets that would be counted by value, numbers that YAML changes. */
function checkEnvironment(source) {
    const whole = (0,untrusted_json/* isJsonObject */.O)(source.value) ? source.value : {};
    const top = { value: whole, path: [] };
    const gates = gatesIn(source);
    const shared = Object.keys(mapAt(whole, 'env'));
    return [
        ...checkEnv(top, source),
        ...gates.flatMap((gate) => checkEnv(gate, source)),
        ...gates.flatMap((gate) => checkSecrets(gate, shared, source)),
    ];
}
function checkEnv(part, source) {
    return Object.entries(mapAt(part.value, 'env')).flatMap(([name, value]) => {
        const pointer = (0,pipeline_pointer/* pointerOf */.rq)([...part.path, 'env', name]);
        if (name.toUpperCase() === 'GITHUB_TOKEN' || (LOOKS_SECRET.test(name) && !RESERVED.test(name))) {
            const message = `env: ${(0,pipeline_problem/* quoted */.TL)(name)} looks like a secret, and the values of \`env\` are kept and counted`;
            const severity = RESERVED.test(name) ? 'error' : 'warning';
            const hint = `write \`secrets: [${name}]\` at the gates that need it`;
            return [source.at(pointer, { severity, code: 'SECRET_IN_ENV', message, hint, of: 'key' })];
        }
        if (RESERVED.test(name))
            return [reserved('env', name, pointer, source)];
        const written = source.numberAsWritten(pointer);
        if (typeof value !== 'number' || written === undefined || written === String(value))
            return [];
        return [changed(`env: ${(0,pipeline_problem/* quoted */.TL)(name)}`, written, value, pointer, source)];
    });
}
/** The warning that a number is not passed on as it is written (`1.10` is `1.1`). */
function changed(what, written, value, pointer, source) {
    const message = `${what}: \`${written}\` is a number and becomes \`${value}\``;
    return source.at(pointer, { severity: 'warning', code: 'NUMBER_CHANGED', message, hint: 'put it in quotes' });
}
function checkSecrets(gate, shared, source) {
    const own = new Set(Object.keys(mapAt(gate.value, 'env')));
    const seen = new Set();
    return textsAt(gate, 'secrets').flatMap((secret) => {
        const pointer = pointerTo(secret);
        const name = (0,pipeline_problem/* quoted */.TL)(secret.value);
        const isRepeated = seen.has(secret.value);
        seen.add(secret.value);
        if (isRepeated)
            return [source.at(pointer, { code: 'SECRET_DUPLICATE', message: `secrets: ${name}: named twice` })];
        if (RESERVED.test(secret.value) && secret.value !== 'GITHUB_TOKEN') {
            return [reserved('secrets', secret.value, pointer, source)];
        }
        if (!own.has(secret.value) && !shared.includes(secret.value))
            return [];
        const where = own.has(secret.value) ? 'the `env` of this gate' : 'the `env` of the pipeline';
        const message = `secrets: ${name} is in ${where} too, where its value would be kept`;
        return [source.at(pointer, { code: 'SECRET_IN_ENV', message, hint: 'take it out of `env`' })];
    });
}
function reserved(key, name, pointer, source) {
    const message = `${key}: ${(0,pipeline_problem/* quoted */.TL)(name)}: names that begin with GATELINE_, GITHUB_ or RUNNER_ are taken`;
    return source.at(pointer, {
        code: 'NAME_RESERVED',
        message,
        hint: 'choose another name',
        of: key === 'env' ? 'key' : 'value',
    });
}

;// CONCATENATED MODULE: ./build/pipeline/cycles.js
/** Needs looked at, at most, in search of the shortest circle of a knot; what is found until then is shown. */
const SEARCH_BUDGET = 1_000_000;
/**
 * Every knot of gates that need each other (a strongly connected component), each by its shortest circle.
 * Needs that name no gate, and a gate's need of itself, are left out: they are told on their own.
 */
function cyclesOf(gates) {
    const ids = new Set(gates.map((gate) => gate.id));
    const needs = new Map(gates.map((gate) => [gate.id, gate.needs.filter((need) => need !== gate.id && ids.has(need))]));
    const place = new Map([...ids].map((id, index) => [id, index]));
    return stronglyConnected(needs)
        .filter((knot) => knot.length > 1)
        .map((knot) => {
        const path = shortestCircle(knot.sort((a, b) => place.get(a) - place.get(b)), needs);
        const first = path.indexOf(path.reduce((a, b) => (place.get(a) <= place.get(b) ? a : b)));
        return { path: [...path.slice(first), ...path.slice(0, first)], size: knot.length };
    })
        .sort((a, b) => place.get(a.path[0]) - place.get(b.path[0]));
}
/** Tarjan's algorithm without recursion, so that a chain of any length fits. */
function stronglyConnected(needs) {
    const index = new Map();
    const low = new Map();
    const waiting = [];
    const isWaiting = new Set();
    const components = [];
    const enter = (id) => {
        index.set(id, index.size);
        low.set(id, index.get(id));
        waiting.push(id);
        isWaiting.add(id);
        return { id, next: 0 };
    };
    const lower = (id, to) => void low.set(id, Math.min(low.get(id), to));
    const leave = (id) => {
        if (low.get(id) !== index.get(id))
            return;
        const component = waiting.splice(waiting.lastIndexOf(id));
        for (const member of component)
            isWaiting.delete(member);
        components.push(component);
    };
    for (const root of needs.keys()) {
        const stack = index.has(root) ? [] : [enter(root)];
        for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
            const need = needs.get(top.id)[top.next++];
            if (need === undefined) {
                stack.pop();
                leave(top.id);
                const parent = stack.at(-1);
                if (parent !== undefined)
                    lower(parent.id, low.get(top.id));
            }
            else if (!index.has(need)) {
                stack.push(enter(need));
            }
            else if (isWaiting.has(need)) {
                lower(top.id, index.get(need));
            }
        }
    }
    return components;
}
function shortestCircle(knot, needs) {
    const inside = new Set(knot);
    let best = [];
    let budget = SEARCH_BUDGET;
    for (const start of knot) {
        const cameFrom = new Map();
        const queue = [start];
        search: for (const id of queue) {
            for (const need of needs.get(id)) {
                budget -= 1;
                if (need === start) {
                    const path = pathTo(id, cameFrom);
                    if (best.length === 0 || path.length < best.length)
                        best = path;
                    break search;
                }
                if (!inside.has(need) || cameFrom.has(need))
                    continue;
                cameFrom.set(need, id);
                queue.push(need);
            }
        }
        if (best.length === 2 || budget <= 0)
            break;
    }
    return best;
}
function pathTo(end, cameFrom) {
    const path = [end];
    for (let id = cameFrom.get(end); id !== undefined; id = cameFrom.get(id))
        path.push(id);
    return path.reverse();
}

;// CONCATENATED MODULE: ./build/pipeline/check-graph.js





/** What is wrong between gates: how many there are, needs, circles, numbers, groups. */
function checkGraph(source) {
    const gates = gatesIn(source);
    const ids = { known: new Set(gates.map(({ id }) => id)), suggest: (0,pipeline_problem/* suggester */.Mc)(gates.map(({ id }) => id)) };
    return [
        ...checkCount(gates, source),
        ...gates.flatMap((gate) => checkNeeds(gate, ids, source)),
        ...checkCycles(gates, source),
        ...checkNumbers(gates, source),
        ...checkGroups(ids, source),
    ];
}
function checkCount(gates, source) {
    const found = mapAt(source.value)['gates'];
    const isMap = typeof found === 'object' && found !== null && !Array.isArray(found);
    if (!isMap || (gates.length >= 1 && gates.length <= MAX_GATES))
        return [];
    const message = gates.length === 0 ? 'gates: there is no gate' : `gates: ${gates.length} gates are more than ${MAX_GATES}`;
    const hint = gates.length === 0 ? 'a pipeline needs at least one gate' : 'make several pipelines';
    return [source.at('/gates', { code: 'GATES_COUNT', message, hint, of: 'key' })];
}
function checkNeeds(gate, { known, suggest }, source) {
    const seen = new Set();
    return textsAt(gate, 'needs').flatMap((need) => {
        const name = (0,pipeline_problem/* quoted */.TL)(need.value);
        const isRepeated = seen.has(need.value);
        seen.add(need.value);
        const problem = (code, message, hint) => [
            source.at(pointerTo(need), { code, message: `needs: ${name}: ${message}`, hint }),
        ];
        if (isRepeated)
            return problem('NEED_DUPLICATE', 'named twice');
        if (need.value === gate.id)
            return problem('NEED_SELF', 'a gate cannot need itself');
        if (known.has(need.value))
            return [];
        return problem('NEED_UNKNOWN', 'no such gate', suggest(need.value));
    });
}
function checkCycles(gates, source) {
    const nodes = gates.map((gate) => ({ id: gate.id, needs: textsAt(gate, 'needs').map(({ value }) => value) }));
    const byId = new Map(gates.map((gate) => [gate.id, gate]));
    return cyclesOf(nodes).map(({ path, size }) => {
        const first = byId.get(path[0]);
        const place = textsAt(first, 'needs').find(({ value }) => value === path[1]) ?? first;
        const message = `needs: these gates wait for each other: ${(0,pipeline_problem/* quoted */.TL)(path[0]).slice(1, -1)}`;
        const rest = [...path.slice(1), path[0]].map((id) => (0,pipeline_problem/* quoted */.TL)(id).slice(1, -1)).join(' → ');
        const more = size > path.length ? ` (${size} gates hang together in circles; this is the shortest)` : '';
        const hint = 'each needs the next; take one of these needs out';
        return source.at(pointerTo(place), { code: 'NEEDS_CYCLE', message: `${message} → ${rest}${more}`, hint });
    });
}
function checkNumbers(gates, source) {
    const owner = new Map();
    const problems = [];
    const numberOf = (gate) => gate.value['number'] ?? gate.index;
    for (const gate of gates) {
        const number = numberOf(gate);
        const other = owner.get(number);
        owner.set(number, other ?? gate);
        if (other === undefined || typeof number !== 'number')
            continue;
        const isDefault = gate.value['number'] === undefined;
        const kind = isDefault ? 'its place in the file' : 'its number';
        const message = `number: ${kind}, ${number}, is the number of ${(0,pipeline_problem/* quoted */.TL)(other.id)} already`;
        const path = isDefault ? gate.path : [...gate.path, 'number'];
        const hint = 'give every gate a `number` of its own, or none';
        problems.push(source.at((0,pipeline_pointer/* pointerOf */.rq)(path), { code: 'NUMBER_DUPLICATE', message, hint, of: isDefault ? 'key' : 'value' }));
    }
    return problems;
}
function checkGroups({ known, suggest }, source) {
    const groupOf = new Map();
    const groups = { value: mapAt(source.value, 'groups'), path: ['groups'] };
    return Object.keys(groups.value).flatMap((group) => {
        const problems = [];
        if (known.has(group)) {
            const message = `groups: ${(0,pipeline_problem/* quoted */.TL)(group)} is the id of a gate`;
            problems.push(source.at((0,pipeline_pointer/* pointerOf */.rq)(['groups', group]), { code: 'GROUP_ID_TAKEN', message, of: 'key' }));
        }
        const members = Array.isArray(groups.value[group]) ? textsAt(groups, group) : [];
        for (const member of members) {
            const name = (0,pipeline_problem/* quoted */.TL)(member.value);
            const before = groupOf.get(member.value);
            groupOf.set(member.value, before ?? group);
            const report = (code, message, hint) => void problems.push(source.at(pointerTo(member), { code, message: `groups: ${name}: ${message}`, hint }));
            if (!known.has(member.value))
                report('GROUP_GATE_UNKNOWN', 'no such gate', suggest(member.value));
            else if (before === group)
                report('GROUP_GATE_DUPLICATE', 'named twice');
            else if (before !== undefined)
                report('GROUP_GATE_DUPLICATE', `is in the group ${(0,pipeline_problem/* quoted */.TL)(before)} already`);
        }
        return problems;
    });
}

;// CONCATENATED MODULE: ./build/pipeline/check-values.js










/** What is wrong with single values though their type is right: paths, globs, exports, scores, matrices, `${{ }}`. */
function checkValues(source) {
    const whole = { value: (0,untrusted_json/* isJsonObject */.O)(source.value) ? source.value : {}, path: [] };
    const gates = gatesIn(source);
    return [
        ...checkPaths(textsAt(whole, 'defaults', 'run', 'working-directory'), pathProblem, 'PATH_INVALID', source),
        ...checkSubstitution(source),
        ...gates.flatMap((gate) => checkGatePaths(gate, source)),
        ...gates.flatMap((gate) => checkExports(gate, source)),
        ...gates.flatMap((gate) => checkScore(gate, source)),
        ...gates.flatMap((gate) => checkReuse(gate, source)),
        ...gates.flatMap((gate) => checkMatrix(gate, source)),
    ];
}
function checkGatePaths(gate, source) {
    const files = typeof gate.value['files'] === 'string' ? [] : textsAt(gate, 'files');
    return [
        ...checkPaths(textsAt(gate, 'working-directory'), pathProblem, 'PATH_INVALID', source),
        ...checkPaths(textsAt(gate, 'output', 'schema'), pathProblem, 'PATH_INVALID', source),
        ...checkGlobs(textsAt(gate, 'inputs'), source),
        ...checkGlobs(files, source),
    ];
}
function checkGlobs(globs, source) {
    const problems = checkPaths(globs, globProblem, 'GLOB_INVALID', source);
    const [first] = globs;
    if (first === undefined || globs.some(({ value }) => !value.startsWith('!')))
        return problems;
    const message = `${labelOf(first.path)}: every glob excludes, so that no file is left`;
    const hint = 'say first what counts, such as `**`, and then what does not';
    return [...problems, source.at(pointerTo(first), { code: 'GLOBS_ONLY_EXCLUDE', message, hint })];
}
function checkPaths(texts, problemOf, code, source) {
    return texts.flatMap((text) => {
        const problem = text.value.includes('${{') ? undefined : problemOf(text.value);
        if (problem === undefined)
            return [];
        const message = `${labelOf(text.path)}: ${(0,pipeline_problem/* quoted */.TL)(text.value)} ${problem.message}`;
        return [source.at(pointerTo(text), { code, message, hint: problem.hint })];
    });
}
/** `${{ }}` stands for something only in conditions; anywhere else it would reach the agent as it is. */
function checkSubstitution(source) {
    const isCondition = (path) => path[0] === 'gates' &&
        ((path.length === 3 && path[2] === 'if') ||
            (path.length === 4 && path[2] === 'output' && (path[3] === 'checks' || path[3] === 'schema')));
    return [...textsInside(source.value, isCondition)].flatMap((text) => {
        const offset = text.value.indexOf('${{');
        if (offset < 0)
            return [];
        const message = `${labelOf(text.path)}: nothing is put in the place of \`\${{ }}\` here`;
        const hint = substitutionHint(text.path);
        return [source.at(pointerTo(text), { code: 'EXPRESSION_NOT_ALLOWED', message, hint, offset })];
    });
}
function substitutionHint(path) {
    if (path.includes('env'))
        return 'leave the value empty to take it from the caller, or name a secret under `secrets`';
    if (path.includes('run'))
        return 'read the file that `GATELINE_REQUEST` names, or set a variable under `env`';
    if (path.includes('matrix'))
        return 'write the values out';
    return 'write the value itself; an agent finds all it is given in the file that `GATELINE_REQUEST` names';
}
function checkExports(gate, source) {
    const pointers = textsAt(gate, 'output', 'exports').filter(({ value }) => pipeline_pointer/* POINTER_PATTERN */.P2.test(value));
    const all = new Set(pointers.map(({ value }) => value));
    const seen = new Set();
    return pointers.flatMap((inner) => {
        const name = pointerName(inner.value);
        const outer = (0,pipeline_pointer/* parentPointers */.Xu)(inner.value).find((parent) => all.has(parent));
        const isRepeated = seen.has(inner.value);
        seen.add(inner.value);
        if (!isRepeated && outer === undefined)
            return [];
        const why = isRepeated ? 'named twice' : `is part of ${pointerName(outer)}, which is exported whole`;
        return [source.at(pointerTo(inner), { code: 'EXPORT_DUPLICATE', message: `output.exports: ${name}: ${why}` })];
    });
}
function pointerName(pointer) {
    return pointer === '' ? 'the empty pointer (the whole output)' : (0,pipeline_problem/* quoted */.TL)(pointer);
}
function checkScore(gate, source) {
    const output = mapAt(gate.value, 'output');
    if (output['score'] !== undefined)
        return [];
    const hint = 'write `score` with the JSON pointer to the score in the output';
    const needsScore = (key, severity, why) => output[key] === undefined
        ? []
        : [
            source.at((0,pipeline_pointer/* pointerOf */.rq)([...gate.path, 'output', key]), {
                severity,
                code: 'SCORE_MISSING',
                message: `output.${key}: ${why}`,
                hint,
                of: 'key',
            }),
        ];
    return [
        ...needsScore('threshold', 'error', 'there is no `score` to compare it with, so that every output would pass'),
        ...needsScore('partial', 'warning', 'there is no `score`, so that no output is ever partial'),
    ];
}
function checkReuse(gate, source) {
    const age = gate.value['max-age'];
    if (gate.value['reuse'] !== 'never' || typeof age !== 'string' || !DURATION_PATTERN.test(age))
        return [];
    const message = 'max-age: `reuse: never` leaves nothing to grow old';
    const pointer = (0,pipeline_pointer/* pointerOf */.rq)([...gate.path, 'max-age']);
    return [source.at(pointer, { severity: 'warning', code: 'MAX_AGE_UNUSED', message, of: 'key' })];
}
function checkMatrix(gate, source) {
    const path = [...gate.path, 'strategy', 'matrix'];
    const parsed = matrixSchema.safeParse(mapAt(gate.value, 'strategy')['matrix']);
    if (!parsed.success)
        return [];
    const result = legsOf(parsed.data);
    const problems = 'problems' in result ? result.problems : [];
    return [
        ...numbersChanged(mapAt(gate.value, 'strategy', 'matrix'), path, source),
        ...problems.map((problem) => {
            const message = `${labelOf([...path, ...problem.path])}: ${problem.message}`;
            return source.at((0,pipeline_pointer/* pointerOf */.rq)([...path, ...problem.path]), { code: 'MATRIX_INVALID', message });
        }),
    ];
}
function numbersChanged(matrix, path, source) {
    return Object.entries(matrix).flatMap(([key, values]) => (Array.isArray(values) ? values : []).flatMap((value, index) => {
        const pointer = (0,pipeline_pointer/* pointerOf */.rq)([...path, key, index]);
        const written = source.numberAsWritten(pointer);
        if (typeof value !== 'number' || written === undefined || written === String(value))
            return [];
        return [changed(labelOf([...path, key]), written, value, pointer, source)];
    }));
}

// EXTERNAL MODULE: ./node_modules/yaml/dist/index.js
var yaml_dist = __webpack_require__(8815);
;// CONCATENATED MODULE: ./build/pipeline/yaml-conversion.js



/** The most values in a file, those that aliases repeat included: what stops an alias bomb. */
const MAX_SOURCE_VALUES = 100_000;
/** How deep maps and lists may nest. */
const MAX_SOURCE_DEPTH = 64;
/** One parsed YAML document made into a JSON value. Objects have no prototype. */
class YamlConversion {
    #document;
    #sinks;
    #targets;
    #open = new Set();
    #values = 0;
    constructor(document, sinks) {
        this.#document = document;
        this.#sinks = sinks;
        this.#targets = aliasTargets(document);
    }
    /** The value; `undefined` when there is too much of it. */
    run() {
        const value = this.#convert(this.#document.contents, '', 0, 0);
        return this.#values > MAX_SOURCE_VALUES ? undefined : value;
    }
    #convert(node, pointer, keyAt, depth) {
        const at = node?.range?.[0] ?? keyAt;
        this.#values += 1;
        if (this.#values > MAX_SOURCE_VALUES) {
            if (this.#values === MAX_SOURCE_VALUES + 1)
                this.#sinks.report(at, pointer, TOO_MANY_VALUES);
            return null;
        }
        if (depth > MAX_SOURCE_DEPTH) {
            this.#sinks.report(at, pointer, TOO_DEEP);
            return null;
        }
        if ((0,yaml_dist/* isAlias */.Vj)(node))
            return this.#follow(node, pointer, keyAt, depth);
        this.#sinks.spots.set(pointer, { key: pointer === '' ? at : keyAt, value: at, node });
        if (node === null)
            return null;
        if ((0,yaml_dist/* isScalar */.jn)(node))
            return this.#scalar(node.value, at, pointer);
        this.#open.add(node);
        const value = (0,yaml_dist/* isMap */.jh)(node) ? this.#map(node, pointer, depth) : this.#list(node, pointer, depth);
        this.#open.delete(node);
        return value;
    }
    #follow(alias, pointer, keyAt, depth) {
        const at = alias.range?.[0] ?? keyAt;
        const target = this.#targets.get(alias);
        if (target !== undefined && !this.#open.has(target))
            return this.#convert(target, pointer, keyAt, depth);
        this.#sinks.spots.set(pointer, { key: keyAt, value: at, node: alias });
        const name = (0,pipeline_problem/* quoted */.TL)(`*${alias.source}`);
        const why = target === undefined ? 'no anchor of that name stands before it' : 'it stands inside its own anchor';
        const hint = /[*/.]/.test(alias.source) ? 'put a glob that begins with `*` in quotes' : undefined;
        this.#sinks.report(at, pointer, { code: 'YAML_ALIAS', message: `alias ${name}: ${why}`, hint });
        return null;
    }
    #scalar(value, at, pointer) {
        if (typeof value === 'string') {
            if (!value.isWellFormed())
                this.#sinks.report(at, pointer, NOT_UNICODE);
            return value;
        }
        if (typeof value !== 'number')
            return value === true || value === false ? value : null;
        if (!Number.isFinite(value)) {
            const message = `${value} is no JSON value`;
            this.#sinks.report(at, pointer, { code: 'VALUE_INVALID', message, hint: 'put it in quotes if text is meant' });
            return null;
        }
        if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
            const message = `a whole number this large loses digits: it is read as ${value}`;
            const hint = 'put it in quotes';
            this.#sinks.report(at, pointer, { severity: 'warning', code: 'NUMBER_CHANGED', message, hint });
        }
        return Object.is(value, -0) ? 0 : value;
    }
    #list(node, pointer, depth) {
        const items = (0,yaml_dist/* isSeq */.oP)(node) ? node.items : [];
        return items.map((item, index) => this.#convert(item, `${pointer}/${index}`, item?.range?.[0] ?? 0, depth + 1));
    }
    #map(node, pointer, depth) {
        const object = Object.create(null);
        const seen = new Map();
        for (const { key, value } of node.items) {
            const named = (0,yaml_dist/* isAlias */.Vj)(key) ? this.#targets.get(key) : key;
            const name = (0,yaml_dist/* isScalar */.jn)(named) ? String(named.value) : '';
            const at = key?.range?.[0] ?? node.range?.[0] ?? 0;
            const here = pointer + (0,pipeline_pointer/* pointerOf */.rq)([name]);
            const refusal = this.#refusedKey(name, seen.get(name));
            if (refusal === undefined) {
                seen.set(name, at);
                object[name] = this.#convert(value, here, at, depth + 1);
            }
            else {
                this.#sinks.report(at, here, refusal);
            }
        }
        return object;
    }
    #refusedKey(name, before) {
        if (before !== undefined) {
            const message = `key ${(0,pipeline_problem/* quoted */.TL)(name)} is given twice; the first is on line ${this.#sinks.lineOf(before)}`;
            return { code: 'KEY_DUPLICATE', message };
        }
        if (name === '<<')
            return MERGE_KEY;
        if (name === '__proto__')
            return { code: 'KEY_RESERVED', message: 'the key `__proto__` is not allowed' };
        return name.isWellFormed() ? undefined : NOT_UNICODE;
    }
}
const TOO_MANY_VALUES = {
    code: 'FILE_TOO_LARGE',
    message: `the file holds more than ${MAX_SOURCE_VALUES} values, those that aliases repeat included`,
};
const TOO_DEEP = {
    code: 'FILE_TOO_DEEP',
    message: `maps and lists nest more than ${MAX_SOURCE_DEPTH} deep`,
};
const NOT_UNICODE = {
    code: 'TEXT_INVALID',
    message: 'half a surrogate pair is no character',
    hint: 'write the character itself, or both halves of its escape',
};
const MERGE_KEY = {
    code: 'YAML_MERGE',
    message: 'the merge key `<<` is not part of YAML 1.2, and GitHub does not read it either',
    hint: 'use an alias for a whole value, or write the keys out',
};
/** Each alias with the node it stands for: the last one before it that has the anchor. */
function aliasTargets(document) {
    const anchors = new Map();
    const targets = new Map();
    (0,yaml_dist/* visit */.YR)(document, {
        Node: (_key, node) => {
            if ((0,yaml_dist/* isAlias */.Vj)(node)) {
                const target = anchors.get(node.source);
                if (target !== undefined)
                    targets.set(node, target);
            }
            else if (node.anchor !== undefined) {
                anchors.set(node.anchor, node);
            }
        },
    });
    return targets;
}

;// CONCATENATED MODULE: ./build/pipeline/source.js



/** The largest file that is read, in bytes of UTF-8. */
const MAX_SOURCE_BYTES = 1_048_576;
/**
 * Read YAML 1.2 (core schema) as JSON. Refused, each with its place: syntax errors, more than one document, duplicate
 * keys, keys that are no text, merge keys (`<<`, which YAML 1.2 does not have), unknown tags, `.nan` and `.inf`, a key
 * `__proto__`, text that is not valid Unicode, more than the limits above. Anchors and aliases may be used. Never throws.
 */
function readSource(text, file) {
    const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
    const lines = lineStarts(body);
    const spots = new Map();
    const problems = [];
    const problemAt = (offset, pointer, details) => {
        const { line, col } = lines.linePos(offset);
        const { code, message, hint, severity = 'error' } = details;
        const place = { file, line: Math.max(line, 1), column: Math.max(col, 1), pointer };
        return { severity, code, message, ...(hint === undefined ? {} : { hint }), place };
    };
    const source = (value) => ({
        value,
        problems,
        at: (pointer, details) => {
            let known = pointer;
            while (!spots.has(known) && known !== '')
                known = known.slice(0, known.lastIndexOf('/'));
            const spot = spots.get(known) ?? { key: 0, value: 0, node: null };
            const inside = details.offset === undefined ? 0 : shiftInto(spot.node, body, details.offset);
            return problemAt((details.of === 'key' ? spot.key : spot.value) + inside, pointer, details);
        },
        numberAsWritten: (pointer) => {
            const node = spots.get(pointer)?.node;
            return (0,yaml_dist/* isScalar */.jn)(node) && typeof node.value === 'number' ? node.source : undefined;
        },
    });
    const refusal = unreadable(body);
    if (refusal !== undefined) {
        problems.push(problemAt(refusal.offset ?? 0, '', refusal));
        return source(undefined);
    }
    const document = (0,yaml_dist/* parseDocument */.Tp)(body, {
        prettyErrors: false,
        uniqueKeys: false,
        stringKeys: true,
        merge: false,
        schema: 'core',
        resolveKnownTags: false,
        version: '1.2',
        logLevel: 'error',
    });
    const syntax = syntaxErrors(document);
    if (syntax.length > 0) {
        for (const error of syntax)
            problems.push(problemAt(error.pos[0], '', explainSyntax(error)));
        return source(undefined);
    }
    const version = document.directives?.yaml;
    if (version?.explicit === true && version.version !== '1.2') {
        problems.push(problemAt(0, '', YAML_VERSION));
        return source(undefined);
    }
    const conversion = new YamlConversion(document, {
        spots,
        report: (offset, pointer, details) => void problems.push(problemAt(offset, pointer, details)),
        lineOf: (offset) => lines.linePos(offset).line,
    });
    return source(conversion.run());
}
/** How far into a node's text the character `offset` of its value stands; 0 where the two are not written alike. */
function shiftInto(node, text, offset) {
    if (!(0,yaml_dist/* isScalar */.jn)(node) || typeof node.value !== 'string' || !node.range)
        return 0;
    const { value } = node;
    const start = node.range[0];
    for (const lead of [0, 1])
        if (text.startsWith(value, start + lead))
            return lead + offset;
    return 0;
}
const YAML_VERSION = {
    code: 'YAML_VERSION',
    message: 'only YAML 1.2 is read',
    hint: 'leave out the `%YAML` line',
};
/** What the lexer puts between tokens: document start, end of flow collections left open, scalar. */
const LEXER_MARKS = new Set(['\x02', '\x18', '\x1f']);
/** What YAML 1.2 does not allow in a file (§5.1, c-printable). */
const UNPRINTABLE = /[^\P{Cc}\t\n\r\u0085]|[\uFFFE\uFFFF]/u;
function unreadable(text) {
    const bytes = text.length > MAX_SOURCE_BYTES ? text.length : Buffer.byteLength(text);
    if (bytes > MAX_SOURCE_BYTES) {
        return {
            code: 'FILE_TOO_LARGE',
            message: `the file is larger than ${MAX_SOURCE_BYTES} bytes`,
            hint: 'keep prompts and schemas in files of their own',
        };
    }
    const odd = UNPRINTABLE.exec(text);
    if (odd !== null) {
        const code = odd[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
        return {
            code: 'YAML_SYNTAX',
            message: `character U+${code} is not allowed in YAML`,
            hint: 'is the file saved as UTF-8 text?',
            offset: odd.index,
        };
    }
    const deep = tooDeepAt(text);
    return deep === undefined ? undefined : { ...source_TOO_DEEP, offset: deep };
}
/** Where more `[` and `{` are open than may be. Only the lexer is asked: the parser takes seconds over such a text. */
function tooDeepAt(text) {
    let offset = 0;
    let depth = 0;
    for (const token of new yaml_dist/* Lexer */.JG().lex(text)) {
        if (token === '[' || token === '{')
            depth += 1;
        else if (token === ']' || token === '}')
            depth = Math.max(0, depth - 1);
        if (depth > MAX_SOURCE_DEPTH)
            return offset;
        if (!LEXER_MARKS.has(token))
            offset += token.length;
    }
    return undefined;
}
/** Where lines begin. The parser's own count misses those inside tokens that it did not expect. */
function lineStarts(text) {
    const lines = new yaml_dist/* LineCounter */.HN();
    lines.addNewLine(0);
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1))
        lines.addNewLine(at + 1);
    return lines;
}
/** The errors of a document without those that only follow from the first. */
function syntaxErrors(document) {
    const errors = [...document.errors, ...document.warnings];
    return errors.filter((error, index) => index === 0 || !error.message.includes(' in YAML stream')).slice(0, 20);
}
const source_TOO_DEEP = {
    code: 'FILE_TOO_DEEP',
    message: `maps and lists nest more than ${MAX_SOURCE_DEPTH} deep`,
};
function explainSyntax(error) {
    const message = (0,pipeline_problem/* shown */.SP)(error.message, 200);
    switch (error.code) {
        case 'MULTIPLE_DOCS':
            return {
                code: 'YAML_DOCUMENTS',
                message: 'the file holds more than one document',
                hint: 'leave out everything from this `---` on, or keep one pipeline a file',
            };
        case 'TAB_AS_INDENT':
            return { code: 'YAML_SYNTAX', message: 'a tab is used as indentation', hint: 'use spaces' };
        case 'NON_STRING_KEY':
            return { code: 'YAML_SYNTAX', message: 'a key must be text, not a map or a list' };
        case 'RESOURCE_EXHAUSTION':
            return source_TOO_DEEP;
        case 'TAG_RESOLVE_FAILED':
            return { code: 'YAML_TAG', message, hint: 'leave the tag out; put a text that begins with `!` in quotes' };
        case 'BLOCK_AS_IMPLICIT_KEY':
            return { code: 'YAML_SYNTAX', message, hint: 'put text that holds `: ` in quotes' };
        default:
            return { code: 'YAML_SYNTAX', message };
    }
}

;// CONCATENATED MODULE: ./build/pipeline/parse-pipeline.js









/** More problems than this are counted in a last one instead of listed. */
const MAX_PROBLEMS = 500;
/**
 * Read and check a `gateline.yml` (docs/reference/gateline-yml.md). Never throws: whatever the text is, the answer is a
 * pipeline or at least one error with its place. All errors are found at once, but that a file which is no YAML says
 * only so.
 *
 * @param text the file's content, at most 1 MiB of UTF-8; a byte order mark is skipped
 * @param file how messages call the file
 */
function parsePipeline(text, file) {
    const source = readSource(text, file);
    if (source.value === undefined)
        return { ok: false, problems: (0,pipeline_problem/* inOrder */.al)(source.problems) };
    const structure = checkStructure(source);
    const found = [
        ...('problems' in structure ? structure.problems : []),
        ...checkGraph(source),
        ...checkEnvironment(source),
        ...checkValues(source),
        ...checkConditions(source),
    ];
    const problems = (0,pipeline_problem/* inOrder */.al)([...source.problems, ...found.filter((problem) => !isToldBy(source.problems, problem))]);
    if ('file' in structure && problems.every(({ severity }) => severity === 'warning')) {
        return { ok: true, pipeline: buildPipeline(structure.file), warnings: limited(problems, source) };
    }
    return { ok: false, problems: limited(problems, source) };
}
/** True for what only follows from a part that could not be read: it has no value, and so the wrong type. */
function isToldBy(unread, problem) {
    return unread.some(({ place, code, severity }) => place.pointer === problem.place.pointer && (severity === 'error' || code === problem.code));
}
function limited(problems, source) {
    const left = problems.length - MAX_PROBLEMS;
    if (left <= 0)
        return problems;
    const severity = problems.some((problem) => problem.severity === 'error') ? 'error' : 'warning';
    const more = source.at('', { severity, code: 'PROBLEMS_MORE', message: `${left} more problems are not listed` });
    return [...problems.slice(0, MAX_PROBLEMS), more];
}

// EXTERNAL MODULE: ./build/local/pipeline-invalid.js
var pipeline_invalid = __webpack_require__(2466);
;// CONCATENATED MODULE: ./build/local/load-pipeline.js





/** Names under which a definition is looked for, in a folder and in those above it. */
const DEFAULT_FILES = [
    'gateline.yml',
    'gateline.yaml',
    '.github/gateline.yml',
    '.github/gateline.yaml',
];
/**
 * Finds the definition: the file given, else one of {@link DEFAULT_FILES} here or in the nearest folder above.
 * @throws GatelineError `PIPELINE_MISSING`
 */
async function findPipelineFile(workingDirectory, given) {
    if (given !== undefined) {
        const path = (0,external_node_path_.resolve)(workingDirectory, given);
        if (!(await isFile(path)))
            throw missing(`there is no file ${given}`);
        const folder = folderOfDefault(path);
        return { path, root: folder ?? (0,external_node_path_.resolve)(workingDirectory), isDefault: folder !== undefined };
    }
    for (let folder = (0,external_node_path_.resolve)(workingDirectory);; folder = (0,external_node_path_.dirname)(folder)) {
        for (const name of DEFAULT_FILES) {
            const path = (0,external_node_path_.join)(folder, name);
            if (await isFile(path))
                return { path, root: folder, isDefault: true };
        }
        if (folder === (0,external_node_path_.dirname)(folder))
            throw missing('there is no gateline.yml here or above');
    }
}
/** @throws PipelineInvalidError, GatelineError `PIPELINE_MISSING`, `PIPELINE_UNREADABLE` */
async function loadPipeline(workingDirectory, given) {
    const file = await findPipelineFile(workingDirectory, given);
    let text;
    try {
        text = new TextDecoder('utf-8', { fatal: true }).decode(await (0,promises_.readFile)(file.path));
    }
    catch (cause) {
        throw new gateline_error/* GatelineError */.Mk('user', 'PIPELINE_UNREADABLE', `${file.path} cannot be read: ${(0,gateline_error/* messageOf */.bD)(cause)}`, {
            hint: 'It must be a UTF-8 text file.',
            cause,
        });
    }
    const parsed = parsePipeline(text, (0,external_node_path_.relative)(workingDirectory, file.path) || file.path);
    if (!parsed.ok)
        throw new pipeline_invalid/* PipelineInvalidError */.i(parsed.problems);
    return { ...file, pipeline: parsed.pipeline, warnings: parsed.warnings };
}
/** The folder that a file of a default name is for: naming it must come to the same as finding it. */
function folderOfDefault(path) {
    const name = DEFAULT_FILES.toReversed().find((one) => path.endsWith((0,external_node_path_.join)(external_node_path_.sep, one)));
    return name === undefined ? undefined : (0,external_node_path_.resolve)(path, ...name.split('/').map(() => '..'));
}
async function isFile(path) {
    try {
        return (await (0,promises_.stat)(path)).isFile();
    }
    catch (error) {
        if ((0,gateline_error/* isSystemError */.Or)(error, 'ENOENT') || (0,gateline_error/* isSystemError */.Or)(error, 'ENOTDIR'))
            return false;
        throw new gateline_error/* GatelineError */.Mk('platform', 'PIPELINE_UNREADABLE', `${path} cannot be looked at: ${(0,gateline_error/* messageOf */.bD)(error)}`, {
            cause: error,
        });
    }
}
function missing(why) {
    return new gateline_error/* GatelineError */.Mk('user', 'PIPELINE_MISSING', why, {
        hint: '`gateline init` makes one to start from; `--file` names another one.',
    });
}

// EXTERNAL MODULE: ./build/local/local-ports.js + 20 modules
var local_ports = __webpack_require__(4358);
// EXTERNAL MODULE: ./build/formats/file-names.js
var file_names = __webpack_require__(9860);
// EXTERNAL MODULE: ./build/formats/gate-state.js
var gate_state = __webpack_require__(8252);
// EXTERNAL MODULE: ./build/run/run-state.js
var run_state = __webpack_require__(1759);
// EXTERNAL MODULE: ./build/formats/gate-state-schema.js + 1 modules
var gate_state_schema = __webpack_require__(6379);
// EXTERNAL MODULE: ./build/formats/read-state-file.js
var read_state_file = __webpack_require__(1090);
// EXTERNAL MODULE: ./build/formats/state-metadata.js
var state_metadata = __webpack_require__(1410);
// EXTERNAL MODULE: ./build/formats/words.js
var words = __webpack_require__(1558);
;// CONCATENATED MODULE: ./build/formats/pipeline-state.js








/** Version of what is under `gateline` in the pipeline's state file. */
const PIPELINE_STATE_FORMAT = 'gateline-pipeline-state/1';
const counter = schemas/* int */.Whr().min(0);
/** What Gateline adds to the guide's pipeline file, under one key. */
const gatelineOfPipelineSchema = schemas/* object */.Ikc({
    format: schemas/* literal */.euz(PIPELINE_STATE_FORMAT),
    pipeline: schemas/* string */.YjP(),
    subject: schemas/* string */.YjP(),
    run: counter,
    /** The latest call that wrote to the run. */
    call: counter,
    status: schemas/* enum */.k5n(run_state/* RUN_STATUSES */.LV),
    startedAt: schemas/* string */.YjP().nullable(),
    updatedAt: schemas/* string */.YjP().nullable(),
    /** Every gate, and every leg of a matrix gate, in an order in which each comes after those it needs. */
    gates: schemas/* array */.YOg(schemas/* object */.Ikc({
        gate: schemas/* string */.YjP(),
        leg: schemas/* string */.YjP(),
        number: counter,
        status: schemas/* enum */.k5n(run_state/* UNIT_STATUSES */.UG),
        reason: schemas/* string */.YjP(),
        done: schemas/* boolean */.zMY(),
        reused: schemas/* boolean */.zMY(),
        /** `null`: nothing was judged. */
        score: schemas/* number */.aig().nullable(),
        /** Name of its output file beside this one; `null` while it has come to nothing. */
        file: schemas/* string */.YjP().nullable(),
    })),
    checksum: schemas/* string */.YjP().optional(),
});
/** The state guide's `PipelineStateFile`, with our fields under `gateline`. Unknown keys are dropped. */
const pipelineStateSchema = schemas/* object */.Ikc({
    status: schemas/* enum */.k5n(words/* PIPELINE_WORDS */.RI),
    currentGate: counter,
    completedGates: schemas/* array */.YOg(counter),
    metadata: gate_state_schema/* stateMetadataSchema */.u8.extend({ userStory: schemas/* string */.YjP(), acceptanceCriteria: schemas/* array */.YOg(schemas/* string */.YjP()) }),
    gateline: gatelineOfPipelineSchema.optional(),
});
/**
 * The state guide's file for a whole pipeline. `currentGate`: the lowest number of a gate that is executing, else of
 * the first gate that is not done, else the highest number. `completedGates`: ascending; a matrix gate is there when all its legs are done.
 */
function pipelineFile(state, { graph, metadata }) {
    const { userStory, acceptanceCriteria, ...base } = (0,state_metadata/* pipelineMetadata */.c)(metadata, state.subject);
    return {
        status: (0,words/* pipelineWord */.pf)(state),
        ...progressOf(state, graph),
        metadata: { ...base, userStory, acceptanceCriteria: [...acceptanceCriteria] },
        gateline: {
            format: PIPELINE_STATE_FORMAT,
            pipeline: state.pipeline,
            subject: state.subject,
            run: state.runNumber,
            call: state.runAttempt,
            status: state.status,
            startedAt: state.startedAt ?? null,
            updatedAt: state.updatedAt ?? null,
            gates: [...graph.values()].map((unit) => gateOf(unit, state)),
        },
    };
}
/**
 * The pipeline's state file, whoever wrote it.
 * @param value what `JSON.parse` gave
 * @throws GatelineError `STATE_FILE_INVALID` (fault `user`), naming everything that is wrong with its JSON pointer
 */
function readPipelineState(value, from = {}) {
    return readStateFile(pipelineStateSchema, value, 'a pipeline state file', from);
}
function progressOf(state, graph) {
    const units = [...graph.values()];
    const numbers = (choose) => [...new Set(units.filter((unit) => choose(state.units.get(unit.key))).map((unit) => unit.gate.number))].sort((a, b) => a - b);
    const all = numbers(() => true);
    const open = numbers((unit) => unit?.done !== true);
    const running = numbers((unit) => unit?.status === 'running');
    return {
        currentGate: running[0] ?? open[0] ?? all.at(-1) ?? 0,
        completedGates: all.filter((number) => !open.includes(number)),
    };
}
function gateOf({ key, gate, leg }, state) {
    const unit = state.units.get(key);
    const status = unit?.status ?? 'pending';
    return {
        gate: gate.id,
        leg: leg.id,
        number: gate.number,
        status,
        reason: unit?.reason ?? '',
        done: unit?.done ?? false,
        reused: unit?.reused ?? false,
        score: (unit && (0,gate_state/* resultOf */.Bg)(unit))?.verdict.score ?? null,
        file: (0,words/* gateWord */.g6)(status) === undefined ? null : (0,file_names/* gateOutputFileName */.Ol)(state.subject, gate.number, leg.id),
    };
}

;// CONCATENATED MODULE: ./build/formats/state-documents.js



/** Makes the state guide's documents from run states. Pure: the store writes them. */
function stateDocuments(input) {
    const { graph, checkpoint, redact = (text) => text } = input;
    const metadata = mapTexts(input.metadata, redact);
    return {
        pipeline: (state) => ({
            name: (0,file_names/* pipelineFileName */.Kj)(state.subject),
            value: pipelineFile(state, { graph, metadata }),
        }),
        gate: (state, key, output) => {
            const unit = graph.get(key);
            const unitState = state.units.get(key);
            if (unit === undefined || unitState === undefined)
                return undefined;
            const envelope = (0,gate_state/* gateEnvelope */.WH)({
                gate: unit.gate,
                unit: unitState,
                pipeline: state.pipeline,
                subject: state.subject,
                runNumber: state.runNumber,
                metadata,
                output: output.value,
                ...(output.file !== undefined && { outputFile: output.file }),
                ...(output.problem !== undefined && { outputProblem: output.problem }),
            });
            const { number } = unit.gate;
            return {
                output: {
                    name: (0,file_names/* gateOutputFileName */.Ol)(state.subject, number, unit.leg.id),
                    value: envelope,
                },
                checkpoint: {
                    name: (0,file_names/* gateCheckpointFileName */.fP)(state.subject, number, unit.leg.id),
                    text: envelope === undefined ? undefined : checkpoint(state, unit),
                },
            };
        },
    };
}
/** A JSON value with every text in it changed; keys stay. */
function mapTexts(value, change) {
    if (typeof value === 'string')
        return change(value);
    if (Array.isArray(value))
        return value.map((item) => mapTexts(item, change));
    if (value === null || typeof value !== 'object')
        return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}

// EXTERNAL MODULE: ./build/report/checkpoint.js + 1 modules
var checkpoint = __webpack_require__(89);
// EXTERNAL MODULE: ./build/run/digest.js
var run_digest = __webpack_require__(4612);
// EXTERNAL MODULE: ./build/store/parse-record.js
var parse_record = __webpack_require__(1287);
// EXTERNAL MODULE: ./build/store/store-errors.js
var store_errors = __webpack_require__(6519);
// EXTERNAL MODULE: ./build/store/filesystem/atomic-write.js
var atomic_write = __webpack_require__(9553);
// EXTERNAL MODULE: ./build/store/filesystem/durable.js
var durable = __webpack_require__(2491);
// EXTERNAL MODULE: ./build/store/filesystem/quarantine.js
var quarantine = __webpack_require__(4942);
// EXTERNAL MODULE: ./build/store/filesystem/read-file.js
var read_file = __webpack_require__(8781);
;// CONCATENATED MODULE: ./build/store/filesystem/projection-file.js








/** Larger files are not projections. */
const MAX_BYTES = 64 * 1_024 * 1_024;
/** One file of ours that shows what the records say. Nothing is overwritten that was not read first. */
class ProjectionFile {
    #state;
    #path;
    #owner;
    #readSeal;
    constructor(state, name, owner, readSeal) {
        this.#state = state;
        this.#path = (0,external_node_path_.join)(state.root, name);
        this.#owner = owner;
        this.#readSeal = readSeal;
    }
    /**
     * Make the file hold this text; `undefined`: make it not be there, unless it is somebody else's.
     * @throws GatelineError when the disk refuses
     */
    async show(text) {
        this.#state.assertWritable();
        const now = await (0,read_file/* readWhole */.oD)(this.#path, MAX_BYTES);
        if (now.state === 'absent') {
            if (text !== undefined)
                await this.#write(text);
            return [];
        }
        if (now.state === 'read' && text !== undefined && now.bytes.equals(Buffer.from(text)))
            return [];
        const objection = now.state === 'unreadable' ? now.message : this.#objection(this.#readSeal(now.bytes));
        if (text === undefined) {
            if (objection === undefined)
                await this.#remove();
            return [];
        }
        const notices = objection === undefined ? [] : [await this.#keepAside(objection, now.state === 'read' ? now.bytes : undefined)];
        await this.#write(text);
        return notices;
    }
    /** Why what is there may not just be replaced. */
    #objection(sealed) {
        if (sealed.state === 'foreign')
            return sealed.why;
        const { pipeline, subject, run } = sealed.owner;
        if (pipeline !== this.#owner.pipeline)
            return `it is of the pipeline ${pipeline}`;
        if (subject !== this.#owner.subject)
            return `it is of the subject ${JSON.stringify(subject).slice(0, 200)}`;
        return run > this.#owner.run ? `it is of a later run, ${run}` : undefined;
    }
    async #keepAside(why, bytes) {
        const file = this.#state.show(this.#path);
        const tag = bytes === undefined ? await this.#tagOfUnreadable() : (0,run_digest/* hexOf */.ZD)((0,run_digest/* digestOf */.ol)(bytes));
        const target = await (0,store_errors/* writing */.dV)(file, () => (0,quarantine/* keepAside */.EJ)(this.#state, this.#path, tag, { code: 'FOREIGN', message: why }));
        const kept = this.#state.show(target);
        return { code: 'PROJECTION_KEPT_ASIDE', file, message: `What stood in ${file} is now in ${kept}, because ${why}.` };
    }
    async #tagOfUnreadable() {
        const { ino, size, mtimeMs } = await (0,promises_.lstat)(this.#path);
        return (0,run_digest/* hexOf */.ZD)((0,run_digest/* digestOf */.ol)(`${ino} ${size} ${mtimeMs}`));
    }
    async #write(text) {
        const { temporaryFolder, onDurable } = this.#state;
        await this.#state.folder(this.#state.root);
        await (0,atomic_write/* atomicWrite */.L)(this.#path, text, { temporaryFolder, onDurable });
    }
    async #remove() {
        await (0,store_errors/* writing */.dV)(this.#path, async () => {
            await (0,promises_.rm)(this.#path, { force: true });
            await (0,durable/* syncFolder */.Yw)((0,external_node_path_.dirname)(this.#path));
        });
        this.#state.onDurable(`removed ${this.#path}`);
    }
}

// EXTERNAL MODULE: ./build/run/canonical-json.js
var canonical_json = __webpack_require__(7999);
;// CONCATENATED MODULE: ./build/store/filesystem/projection-seal.js





const ownerSchema = schemas/* object */.Ikc({ pipeline: schemas/* string */.YjP(), subject: schemas/* string */.YjP(), run: schemas/* int */.Whr() });
/**
 * A projection as JSON text, with a digest of itself in `gateline.checksum`, so that a file that somebody edited
 * can be told from one that only is out of date.
 */
function sealJson(value) {
    const gateline = value['gateline'];
    const inner = (0,untrusted_json/* isJsonObject */.O)(gateline) ? gateline : {};
    return `${JSON.stringify({ ...value, gateline: { ...inner, checksum: (0,canonical_json/* digestOfJson */.Qs)(value) } }, null, 2)}\n`;
}
/** Whether bytes are a projection that {@link sealJson} made. */
function readSealedJson(bytes) {
    const json = (0,parse_record/* parseStoredJson */.jZ)(bytes);
    if ('fault' in json)
        return foreign(`it is damaged: ${json.fault.message}`);
    if (!(0,untrusted_json/* isJsonObject */.O)(json.value) || !(0,untrusted_json/* isJsonObject */.O)(json.value['gateline']))
        return foreign('Gateline did not write it');
    const { checksum, ...gateline } = json.value['gateline'];
    const owner = ownerSchema.safeParse(gateline);
    if (!owner.success)
        return foreign('Gateline did not write it');
    if ((0,canonical_json/* digestOfJson */.Qs)({ ...json.value, gateline }) !== checksum)
        return foreign('somebody edited it');
    return { state: 'ours', owner: owner.data };
}
const SEAL_LINE = /\n<!-- gateline-checkpoint\/1 ([A-Za-z0-9+/=]+) (sha256:[0-9a-f]{64}) -->\n$/;
/** A Markdown projection with a last line that nobody sees, which holds whose it is and a digest of the rest. */
function sealMarkdown(text, owner) {
    const { pipeline, subject, run } = owner;
    const packed = Buffer.from(JSON.stringify({ pipeline, subject, run })).toString('base64');
    return `${text}\n<!-- gateline-checkpoint/1 ${packed} ${(0,run_digest/* digestOf */.ol)(`${packed}\n${text}`)} -->\n`;
}
/** Whether bytes are a projection that {@link sealMarkdown} made. */
function readSealedMarkdown(bytes) {
    const text = Buffer.from(bytes).toString('utf8');
    const [line, packed = '', digest] = SEAL_LINE.exec(text) ?? [];
    if (line === undefined)
        return foreign('Gateline did not write it');
    if ((0,run_digest/* digestOf */.ol)(`${packed}\n${text.slice(0, -line.length)}`) !== digest)
        return foreign('somebody edited it');
    const unpacked = (0,parse_record/* parseStoredJson */.jZ)(Buffer.from(packed, 'base64'));
    const owner = ownerSchema.safeParse('fault' in unpacked ? undefined : unpacked.value);
    return owner.success ? { state: 'ours', owner: owner.data } : foreign('Gateline did not write it');
}
function foreign(why) {
    return { state: 'foreign', why };
}

// EXTERNAL MODULE: ./build/store/filesystem/state-folder.js
var state_folder = __webpack_require__(2222);
;// CONCATENATED MODULE: ./build/store/filesystem/projections.js







const MAX_INLINE_OUTPUT = 8 * 1_024 * 1_024;
/**
 * The state guide's files as projections of run states, directly in the folder `root`; see docs/reference/state-files.md.
 * @throws GatelineError as `openFilesystemStore` does
 */
async function createProjections(options) {
    const folder = await state_folder/* StateFolder */.s.open(options);
    let last = Promise.resolve();
    return {
        update(state, changed) {
            const keys = [...changed];
            const mine = last.then(() => project(folder, options, state, keys));
            last = mine;
            return mine;
        },
    };
}
async function project(folder, options, state, keys) {
    const owner = { pipeline: state.pipeline, subject: state.subject, run: state.runNumber };
    const showJson = (name, value) => noticing(name, () => new ProjectionFile(folder, name, owner, readSealedJson).show(value && sealJson(value)));
    const showMarkdown = (name, text) => noticing(name, () => {
        const sealed = text === undefined ? undefined : sealMarkdown(text, owner);
        return new ProjectionFile(folder, name, owner, readSealedMarkdown).show(sealed);
    });
    const notices = [];
    for (const key of keys) {
        const shown = await noticing(key, async () => {
            const documents = await documentsOf(options, state, key);
            if (documents === undefined)
                return [];
            const { output, checkpoint } = documents;
            const first = await showJson(output.name, output.value);
            return [...first, ...(await showMarkdown(checkpoint.name, checkpoint.text))];
        });
        notices.push(...shown);
    }
    // Last, so that it never names a gate as completed whose file is not there yet.
    const last = await noticing('the state file of the pipeline', async () => {
        const { name, value } = options.documents.pipeline(state);
        return showJson(name, value);
    });
    return [...notices, ...last];
}
/** What work gives notice of; that it failed, where it did. */
async function noticing(file, work) {
    try {
        return await work();
    }
    catch (error) {
        return [{ code: 'PROJECTION_FAILED', file, message: `The file is not up to date: ${(0,gateline_error/* messageOf */.bD)(error)}` }];
    }
}
async function documentsOf(options, state, key) {
    const unit = state.units.get(key);
    return unit === undefined ? undefined : options.documents.gate(state, key, await shownOutput(options, unit));
}
async function shownOutput({ readContent, maxInlineOutput = MAX_INLINE_OUTPUT }, unit) {
    const content = outputOf(unit);
    if (content === undefined)
        return {};
    if (content.bytes > maxInlineOutput)
        return { file: contentFile(content.digest) };
    const read = await readContent(content.digest);
    if (read.state === 'absent')
        return { problem: 'the output is not in the store any more' };
    if (read.state === 'unknown')
        return { problem: `the output could not be read: ${read.problem.message}` };
    const json = (0,parse_record/* parseStoredJson */.jZ)(read.value);
    if ('fault' in json)
        return { problem: `the output could not be read: ${json.fault.message}` };
    return { value: json.value };
}
/** The whole output; for a gate that was skipped, the one supplied with the skip. A lost attempt has none, whatever one before it had. */
function outputOf(unit) {
    if (unit.status === 'lost')
        return undefined;
    return unit.status === 'skipped' ? unit.decided?.exports : unit.ended?.value;
}
/** Where the store keeps content, relative to its folder. */
function contentFile(digest) {
    const hex = (0,run_digest/* hexOf */.ZD)(digest);
    return (0,external_node_path_.join)('content', 'sha256', hex.slice(0, 2), hex.slice(2)).replaceAll('\\', '/');
}

;// CONCATENATED MODULE: ./build/local/projector.js




/** Makes the projections of the state guide's files for one call. */
async function createProjector(input) {
    const { graph, metadata, loaded, redact } = input;
    const documents = stateDocuments({
        graph,
        metadata,
        redact,
        checkpoint: (run, unit) => (0,checkpoint/* checkpointMarkdown */.e)({ unit, graph, state: run }),
    });
    const projections = await createProjections({
        root: (0,local_ports/* stateRoot */.om)(loaded),
        workspace: loaded.root,
        ...(input.onDurable && { onDurable: input.onDurable }),
        documents,
        readContent: (digest) => input.store.get(digest),
    });
    let shown;
    const show = async (next) => {
        const before = shown;
        shown = next;
        const changed = [...next.units.keys()].filter((key) => before === undefined || differs(before, next, key));
        const notices = await projections.update(next, changed);
        return notices.map((notice) => `${notice.file}: ${notice.message}`);
    };
    return {
        show,
        follow: (event) => ('state' in event ? show(event.state) : Promise.resolve([])),
    };
}
function differs(before, after, key) {
    const [a, b] = [before.units.get(key), after.units.get(key)];
    return a?.status !== b?.status || a?.ended !== b?.ended || a?.reason !== b?.reason || a?.done !== b?.done;
}

// EXTERNAL MODULE: ./build/run/unit.js
var unit = __webpack_require__(2878);
// EXTERNAL MODULE: ./build/cli/assignment.js + 1 modules
var cli_assignment = __webpack_require__(1929);
// EXTERNAL MODULE: ./build/cli/command.js
var cli_command = __webpack_require__(3192);
;// CONCATENATED MODULE: ./build/cli/open.js








/** The pipeline that an invocation is about. */
function loadFor({ world, options }) {
    return loadPipeline(world.workingDirectory, (0,cli_command/* textOption */.vU)(options, 'file'));
}
/** The pipeline, the engine's ports and the assignment of an invocation. */
async function open_open({ world, options }, loaded, access) {
    const { environment, now, onDurable } = world;
    const durable = onDurable === undefined ? {} : { onDurable };
    const ports = await (0,local_ports/* localPorts */.ER)({ place: loaded, environment, now, readOnly: access.readOnly, ...durable });
    const assignment = await (0,cli_assignment/* assignmentOf */.t)(world, options, loaded, ports.workspace);
    return { loaded, graph: (0,unit/* unitsOf */.$J)(loaded.pipeline), ports, assignment };
}
/** {@link open} with the records as they are, for looking at the run that `--run` names, else the newest. */
async function openToLook(invocation) {
    const opened = await open_open(invocation, await loadFor(invocation), { readOnly: true });
    const run = runAsked((0,cli_command/* textOption */.vU)(invocation.options, 'run'));
    const call = await (0,engine_call/* openCall */.L)(opened.ports, opened.assignment, () => undefined, { runNumber: run });
    const records = call.journal.records();
    if (run > 0 && !records.some((record) => record.runNumber === run) && call.journal.state().problems.length === 0) {
        const numbers = [...new Set(records.map((record) => record.runNumber))].toSorted((a, b) => a - b);
        const known = numbers.length === 0 ? 'There is none yet.' : `Runs: ${numbers.slice(-20).join(', ')}.`;
        throw new gateline_error/* GatelineError */.Mk('user', 'RUN_UNKNOWN', `there is no run ${run} for ${opened.assignment.subject}`, {
            hint: `${known} \`gateline status --subjects\` lists the subjects.`,
        });
    }
    return { ...opened, call };
}
function runAsked(text) {
    if (text === undefined)
        return 0;
    if (/^[1-9][0-9]{0,14}$/.test(text))
        return Number(text);
    throw new gateline_error/* GatelineError */.Mk('user', 'OPTION_VALUE', `--run ${text}: expected the number of a run, from 1`, {
        hint: '`gateline status` tells the newest.',
    });
}
/** The projections of the state guide's files for a call. */
function projectorFor(world, opened, redact) {
    const { loaded, graph, assignment, ports } = opened;
    const durable = world.onDurable === undefined ? {} : { onDurable: world.onDurable };
    return createProjector({ loaded, graph, metadata: assignment.metadata, store: ports.store, redact, ...durable });
}
/** Brings the files that people read up to date after a command that wrote records but drove nothing. */
async function projectOnce(world, opened) {
    const call = await (0,engine_call/* openCall */.L)(opened.ports, opened.assignment, () => undefined, { runNumber: 0 });
    const projector = await projectorFor(world, opened, call.redactor.redactText);
    const state = call.journal.state();
    for (const notice of await projector.show(state))
        world.err.write(`note: ${notice}\n`);
    return state;
}


/***/ }),

/***/ 7423:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  L: () => (/* binding */ openCall)
});

// EXTERNAL MODULE: ./build/run/unit.js
var unit = __webpack_require__(2878);
// EXTERNAL MODULE: ./build/untrusted/redact.js + 5 modules
var redact = __webpack_require__(1779);
// EXTERNAL MODULE: ./build/engine/contracts.js + 4 modules
var contracts = __webpack_require__(2991);
// EXTERNAL MODULE: ./build/run/fold-unit.js
var fold_unit = __webpack_require__(8466);
// EXTERNAL MODULE: ./build/run/order.js
var order = __webpack_require__(8402);
// EXTERNAL MODULE: ./build/run/reading.js
var reading = __webpack_require__(1142);
// EXTERNAL MODULE: ./build/run/record.js
var run_record = __webpack_require__(1265);
// EXTERNAL MODULE: ./build/pipeline/pipeline.js
var pipeline = __webpack_require__(4469);
;// CONCATENATED MODULE: ./build/run/fold.js





/**
 * What is true of a run. Pure and total: any soup of records gives an answer, with problems named; neither
 * order nor repetition nor the way records are split over listings matters.
 */
function foldRun(graph, listing, identity, told) {
    return createRunFold(graph, listing, identity, told).state();
}
/** {@link foldRun} for whoever goes on writing records. `told` may change as long as that is said. */
function createRunFold(graph, listing, identity, told) {
    const mine = listing.records.filter((record) => record.pipeline === identity.pipeline && record.subject === identity.subject);
    const { records, conflicts } = (0,order/* orderRecords */.t)(mine);
    const runNumber = identity.runNumber ?? newestRun(records, listing.problems);
    const ofRun = records.filter((record) => record.runNumber === runNumber);
    const grouped = groupByUnit(graph, records, listing.problems, runNumber);
    const derived = new Map();
    const open = new Set(graph.keys());
    const unplaced = [...conflicts.map(describeConflict), ...listing.problems.map(describeProblem)];
    let state;
    return {
        state: () => {
            if (state !== undefined)
                return state;
            const units = deriveOpen(graph, grouped, derived, open, told);
            const strangers = [...grouped.keys()].filter((key) => !graph.has(key)).map(describeStranger);
            const problems = [...unplaced, ...[...derived.values()].flatMap((one) => one.problems), ...strangers];
            state = {
                pipeline: identity.pipeline,
                subject: identity.subject,
                runNumber,
                runAttempt: latestAttempt(ofRun, listing.problems, runNumber),
                status: statusOf(units, ofRun),
                units,
                problems: sortProblems(problems),
                ...spanOf(ofRun),
            };
            return state;
        },
        add: (record) => {
            ofRun.push(record);
            const own = grouped.get((0,run_record/* unitOf */.uF)(record)) ?? emptyUnitRecords();
            grouped.set((0,run_record/* unitOf */.uF)(record), own);
            addTo(own, record);
            open.add((0,run_record/* unitOf */.uF)(record));
            state = undefined;
        },
        touch: (key) => {
            open.add(key);
            state = undefined;
        },
        touchAll: () => {
            for (const key of graph.keys())
                open.add(key);
            state = undefined;
        },
    };
}
/** States of all units: those that are open are derived anew, and those downstream of one that came out otherwise. */
function deriveOpen(graph, grouped, derived, open, told) {
    const units = new Map();
    for (const [key, unit] of graph) {
        const before = derived.get(key);
        if (before !== undefined && !open.has(key) && !unit.needs.some((need) => open.has(need))) {
            units.set(key, before.state);
            continue;
        }
        const now = (0,fold_unit/* deriveUnit */.yu)(unit, grouped.get(key) ?? emptyUnitRecords(), units, told);
        if (before === undefined || !sameForOthers(before.state, now.state))
            open.add(key);
        else
            open.delete(key);
        derived.set(key, now);
        units.set(key, now.state);
    }
    open.clear();
    return units;
}
/** What units downstream see of one. */
function sameForOthers(a, b) {
    return a.done === b.done && a.status === b.status && a.exports?.digest === b.exports?.digest;
}
function describeConflict(name) {
    return { code: 'CONFLICTING_RECORDS', message: `two different records are called ${name}` };
}
function describeStranger(key) {
    return { code: 'UNKNOWN_UNIT', message: `there are records of ${key}, which the pipeline does not have`, unit: key };
}
/** Records of each unit, and what is known of those that could not be read. */
function groupByUnit(graph, records, problems, runNumber) {
    const grouped = new Map([...graph.keys()].map((key) => [key, emptyUnitRecords()]));
    const at = (key) => {
        const found = grouped.get(key) ?? emptyUnitRecords();
        grouped.set(key, found);
        return found;
    };
    for (const record of records) {
        if (record.runNumber !== runNumber)
            continue;
        addTo(at((0,run_record/* unitOf */.uF)(record)), record);
    }
    for (const { names } of problems) {
        if (names === undefined || names.runNumber !== runNumber)
            continue;
        const own = at((0,pipeline/* unitKey */.g)(names.gate, names.leg));
        own.unknown.push(names);
    }
    addEarlierDecisions(grouped, records, problems, runNumber);
    if ((0,reading/* isBlind */.i)(problems))
        for (const own of grouped.values())
            own.blind = true;
    return grouped;
}
function addTo(own, record) {
    if (record.kind === 'started')
        own.started.push(record);
    else if (record.kind === 'ended')
        own.ended.push(record);
    else
        own.decided.push(record);
}
function addEarlierDecisions(grouped, records, problems, runNumber) {
    for (const record of records) {
        if (record.kind !== 'decided' || record.runNumber >= runNumber)
            continue;
        grouped.get((0,run_record/* unitOf */.uF)(record))?.earlier.decided?.push(record);
    }
    for (const { names } of problems) {
        if (names === undefined || names.runNumber >= runNumber || !names.kind.startsWith('decided'))
            continue;
        grouped.get((0,pipeline/* unitKey */.g)(names.gate, names.leg))?.earlier.unknown?.push(names);
    }
}
function emptyUnitRecords() {
    return { started: [], ended: [], decided: [], unknown: [], earlier: { decided: [], unknown: [] }, blind: false };
}
/** The newest run number that records or the names of unreadable ones tell of; 0 without any. */
function newestRun(records, problems) {
    let newest = 0;
    for (const record of records)
        newest = Math.max(newest, record.runNumber);
    for (const { names } of problems)
        newest = Math.max(newest, names?.runNumber ?? 0);
    return newest;
}
function latestAttempt(records, problems, runNumber) {
    let latest = 0;
    for (const record of records)
        latest = Math.max(latest, record.runAttempt);
    for (const { names } of problems)
        if (names?.runNumber === runNumber)
            latest = Math.max(latest, names.runAttempt);
    return latest;
}
/** Run status from the units': completed ≻ executing ≻ paused ≻ error, as far as anything can still happen. */
function statusOf(units, records) {
    if (records.length === 0)
        return 'initializing';
    const last = records.reduce((a, b) => ((0,run_record/* comparePositions */.Ez)(b, a) >= 0 ? b : a), records[0]);
    if (last.kind === 'decided' && last.decision === 'rollback')
        return 'rollback';
    const states = [...units.values()];
    if (states.every((state) => state.done))
        return 'completed';
    const has = (...statuses) => states.some((state) => !state.done && statuses.includes(state.status));
    if (has('running'))
        return 'executing';
    if (has('failed', 'lost', 'partial'))
        return 'error';
    if (has('ready'))
        return 'executing';
    return has('paused') ? 'paused' : 'error';
}
function spanOf(records) {
    let startedAt;
    let updatedAt;
    for (const { at } of records) {
        if (startedAt === undefined || at < startedAt)
            startedAt = at;
        if (updatedAt === undefined || at > updatedAt)
            updatedAt = at;
    }
    return { startedAt, updatedAt };
}
function describeProblem(problem) {
    return {
        code: 'UNREADABLE_RECORD',
        message: `${problem.where}: ${problem.message} (${problem.code})`,
        ...(problem.names && { unit: (0,pipeline/* unitKey */.g)(problem.names.gate, problem.names.leg) }),
    };
}
function sortProblems(problems) {
    const text = (problem) => `${problem.code} ${problem.unit ?? ''} ${problem.message}`;
    const unique = new Map(problems.map((problem) => [text(problem), problem]));
    return [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, problem]) => problem);
}

;// CONCATENATED MODULE: ./build/run/numbering.js


/**
 * A run stays open, over as many calls as it takes, until it is completed or rolled back; the next call then
 * begins a new one.
 *
 * @param latest state of the newest run
 */
function numberCall(latest) {
    const open = latest.runNumber > 0 && latest.status !== 'completed' && latest.status !== 'rollback';
    return open
        ? { runNumber: latest.runNumber, runAttempt: latest.runAttempt + 1, continues: true }
        : { runNumber: latest.runNumber + 1, runAttempt: 1, continues: false };
}
/** The number of a unit's next attempt in a call: past everything that is known of, unreadable records too. */
function nextAttempt(listing, call, key) {
    let last = 0;
    for (const record of listing.records) {
        if (record.runNumber === call.runNumber && record.runAttempt === call.runAttempt && (0,run_record/* unitOf */.uF)(record) === key)
            last = Math.max(last, record.n);
    }
    for (const { names } of listing.problems) {
        if (names === undefined || names.runNumber !== call.runNumber || names.runAttempt !== call.runAttempt)
            continue;
        if ((0,pipeline/* unitKey */.g)(names.gate, names.leg) === key)
            last = Math.max(last, names.n);
    }
    return last + 1;
}

// EXTERNAL MODULE: ./build/run/reuse.js
var reuse = __webpack_require__(2322);
// EXTERNAL MODULE: ./build/run/run-state.js
var run_state = __webpack_require__(1759);
;// CONCATENATED MODULE: ./build/engine/journal.js






/** Reads all records, finds out which of their writers are gone, and numbers the call. */
async function openJournal(ports, scope) {
    const listing = await ports.store.list(scope.pipeline, scope.subject);
    const records = [...listing.records];
    const deadWriters = await findDeadWriters(listing, ports.isGone);
    const fingerprints = new Map();
    const missingContent = new Set();
    const fold = (runNumber, supersededBefore) => {
        const told = {
            get now() {
                return ports.now().toISOString();
            },
            deadWriters,
            fingerprints,
            missingContent,
            ...(supersededBefore && { supersededBefore }),
        };
        const identity = {
            pipeline: scope.pipeline,
            subject: scope.subject,
            ...(runNumber !== undefined && { runNumber }),
        };
        return createRunFold(scope.graph, { records, problems: listing.problems }, identity, told);
    };
    const latest = fold(scope.runNumber === 0 ? undefined : scope.runNumber).state();
    const call = scope.runNumber === undefined
        ? numberCall(latest)
        : { runNumber: latest.runNumber, runAttempt: latest.runAttempt, continues: true };
    const run = fold(call.runNumber, scope.alone ? call : undefined);
    const archive = (0,reuse/* openArchive */.p_)({ records, problems: listing.problems });
    return {
        call,
        state: () => run.state(),
        archive: () => archive,
        records: () => records,
        nextAttempt: (key) => nextAttempt({ records, problems: listing.problems }, call, key),
        identity: (unit, n) => identify(scope, unit, { ...call, n }, ports),
        write: async (record) => {
            const written = await ports.store.write(record);
            if (written === 'written') {
                records.push(record);
                (0,reuse/* addToArchive */.XX)(archive, record);
                run.add(record);
                // What a record just written refers to was kept, or verified, right before.
                if (record.kind === 'ended')
                    for (const { digest } of (0,fold_unit/* contentsOf */.KD)(record))
                        missingContent.delete(digest);
            }
            return written;
        },
        setFingerprint: (key, fingerprint) => {
            if (fingerprints.get(key) === fingerprint)
                return;
            fingerprints.set(key, fingerprint);
            run.touch(key);
        },
        setMissing: (digests) => {
            for (const digest of digests)
                missingContent.add(digest);
            run.touchAll();
        },
    };
}
function identify(scope, unit, position, ports) {
    return {
        format: run_record/* RECORD_FORMAT */.q7,
        pipeline: scope.pipeline,
        subject: scope.subject,
        gate: unit.gate.id,
        leg: unit.leg.id,
        runNumber: position.runNumber,
        runAttempt: position.runAttempt,
        n: position.n,
        at: ports.now().toISOString(),
        by: ports.me,
    };
}
/** Writers of claims whose process is certainly gone. */
async function findDeadWriters(listing, isGone) {
    const writers = new Map();
    for (const record of listing.records) {
        if (record.kind === 'started')
            writers.set((0,run_state/* writerKey */.hQ)(record.by), record.by);
    }
    const dead = new Set();
    for (const [key, writer] of writers)
        if (await isGone(writer))
            dead.add(key);
    return dead;
}

;// CONCATENATED MODULE: ./build/engine/call.js




/** Opens a call: reads the records and numbers it. Nothing is written. */
async function openCall(ports, assignment, observe, options = {}) {
    const { pipeline, subject } = assignment;
    const graph = (0,unit/* unitsOf */.$J)(pipeline);
    const journal = await openJournal(ports, { pipeline: pipeline.id, subject, graph, ...options });
    return {
        ports,
        assignment,
        graph,
        journal,
        contracts: (0,contracts/* createContracts */.i)(ports.workspace, assignment.standardSchemas),
        around: {
            pipeline: pipeline.id,
            subject,
            metadata: assignment.metadata,
            input: assignment.input,
            platform: ports.platform,
        },
        redactor: (0,redact/* createRedactor */.l)({ secrets: secretValues(pipeline, ports) }),
        running: new Map(),
        inTurn: oneAfterTheOther(),
        observe,
    };
}
function oneAfterTheOther() {
    let last = Promise.resolve();
    return (work) => {
        const mine = last.then(work);
        last = mine.catch(() => undefined);
        return mine;
    };
}
/** Values of every secret that any gate names, as far as they are set. */
function secretValues(pipeline, ports) {
    const names = new Set(pipeline.gates.flatMap((gate) => gate.secrets));
    const values = {};
    for (const name of names) {
        const value = ports.environment[name];
        if (value !== undefined && value !== '')
            values[name] = value;
    }
    return values;
}


/***/ }),

/***/ 2991:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  i: () => (/* binding */ createContracts)
});

// EXTERNAL MODULE: ./build/errors/gateline-error.js
var gateline_error = __webpack_require__(7974);
// EXTERNAL MODULE: ./build/run/canonical-json.js
var canonical_json = __webpack_require__(7999);
// EXTERNAL MODULE: ./build/verdict/expression/conditions.js
var conditions = __webpack_require__(9879);
// EXTERNAL MODULE: ./build/untrusted/json.js
var json = __webpack_require__(5443);
// EXTERNAL MODULE: ./build/pipeline/problem.js
var problem = __webpack_require__(9328);
// EXTERNAL MODULE: ./build/verdict/json-schema/keywords.js
var keywords = __webpack_require__(1871);
// EXTERNAL MODULE: ./build/verdict/json-schema/references.js
var references = __webpack_require__(2573);
// EXTERNAL MODULE: ./build/verdict/json-schema/walk.js
var walk = __webpack_require__(7178);
;// CONCATENATED MODULE: ./build/verdict/json-schema/check-schema.js




/** URI of a schema that gives itself none. Nothing is ever fetched from it. */
const NO_URI = 'gateline+none://contract/schema';
/**
 * Everything in a schema that would open the gate by mistake: keywords and formats that are not known, references
 * to nothing or to somewhere else, patterns that are no regular expressions. Pointers are into the schema.
 */
function checkSchema(schema, draft) {
    const problems = [];
    const places = [];
    (0,walk/* walkSchemas */.uU)(schema, draft, NO_URI, (place) => places.push(place));
    for (const place of places) {
        for (const keyword of Object.keys(place.schema))
            problems.push(...checkKeyword(keyword, place));
        problems.push(...checkFormat(place), ...checkPatterns(place), ...checkDialect(place));
    }
    return [...problems, ...(0,references/* checkReferences */.$x)(places)];
}
function checkKeyword(keyword, place) {
    if ((0,keywords/* shapeOf */.F5)(keyword, place.draft) !== undefined || (0,keywords/* isAnnotation */.Ir)(keyword))
        return [];
    const pointer = (0,walk/* pointerOfPlace */.eJ)(place, keyword);
    const code = 'CONTRACT_KEYWORD_UNKNOWN';
    const foreign = (0,keywords/* foreignKeyword */.SL)(keyword, place.draft);
    if (foreign !== undefined)
        return [{ code, message: `keyword ${(0,problem/* quoted */.TL)(keyword)} ${foreign}`, pointer }];
    const meant = (0,problem/* nearest */.pA)(keyword, (0,keywords/* knownKeywords */.Mn)(place.draft));
    const hint = meant === undefined
        ? 'a keyword of your own begins with `x-`'
        : `did you mean ${(0,problem/* quoted */.TL)(meant)}? A keyword of your own begins with \`x-\``;
    return [{ code, message: `JSON Schema ${place.draft} has no keyword ${(0,problem/* quoted */.TL)(keyword)}`, pointer, hint }];
}
function checkFormat(place) {
    const { format } = place.schema;
    if (typeof format !== 'string' || (0,keywords/* isKnownFormat */.RZ)(format) || format.startsWith('x-'))
        return [];
    const meant = (0,problem/* nearest */.pA)(format, (0,keywords/* checkedFormats */.aP)());
    const hint = meant === undefined ? 'use `pattern`, or a name that begins with `x-`' : `did you mean ${(0,problem/* quoted */.TL)(meant)}?`;
    const message = `there is no format ${(0,problem/* quoted */.TL)(format)}, so it would check nothing`;
    return [{ code: 'CONTRACT_FORMAT_UNKNOWN', message, pointer: (0,walk/* pointerOfPlace */.eJ)(place, 'format'), hint }];
}
function checkPatterns(place) {
    const { pattern, patternProperties } = place.schema;
    const found = [];
    if (typeof pattern === 'string')
        found.push([pattern, (0,walk/* pointerOfPlace */.eJ)(place, 'pattern')]);
    if (typeof patternProperties === 'object' && patternProperties !== null) {
        for (const key of Object.keys(patternProperties))
            found.push([key, (0,walk/* pointerOfPlace */.eJ)(place, 'patternProperties', key)]);
    }
    return found.flatMap(([source, pointer]) => {
        const wrong = regexError(source);
        if (wrong === undefined)
            return [];
        const hint = 'patterns are ECMAScript regular expressions with the `u` flag; there, only characters with a meaning take a backslash';
        return [
            {
                code: 'CONTRACT_PATTERN_INVALID',
                message: `${(0,problem/* quoted */.TL)(source)} is no regular expression: ${wrong}`,
                pointer,
                hint,
            },
        ];
    });
}
function regexError(source) {
    try {
        void new RegExp(source, 'u');
        return undefined;
    }
    catch (error) {
        return error instanceof Error ? error.message.replace(/^Invalid regular expression: .*: /s, '') : String(error);
    }
}
function checkDialect(place) {
    const { $schema } = place.schema;
    if (typeof $schema !== 'string' || (0,keywords/* draftOf */.bz)($schema) !== undefined)
        return [];
    return [unknownDialect($schema, (0,walk/* pointerOfPlace */.eJ)(place, '$schema'))];
}
/** The problem of a `$schema` that is not one of {@link DRAFT_URIS}. */
function unknownDialect(uri, pointer) {
    const supported = Object.values(keywords/* DRAFT_URIS */.sW).map((known) => `"${known}"`);
    return {
        code: 'CONTRACT_DIALECT_UNKNOWN',
        message: `\`$schema\` ${(0,problem/* quoted */.TL)(uri)} is not supported`,
        pointer,
        hint: `write ${supported.join(' or ')}, or leave \`$schema\` out for 2020-12`,
    };
}

;// CONCATENATED MODULE: ./build/verdict/json-schema/compile-schema.js




/** The largest schema, nested; the validator recurses into it. */
const MAX_SCHEMA_DEPTH = 200;
/**
 * Make a JSON Schema ready: draft 2020-12 or draft-07, as its `$schema` says. `validate` answers what a value has
 * against it, nothing when it meets it. Never asks a network or reads a file.
 */
async function compileSchema(schema, options = {}) {
    const refuse = options.refuse ?? true;
    const refused = (...problems) => ({ ok: false, problems });
    if (!(0,json/* isJsonObject */.O)(schema) && typeof schema !== 'boolean') {
        return refused({ code: 'CONTRACT_SCHEMA_INVALID', message: 'a schema is an object, true or false', pointer: '' });
    }
    if (depthOf(schema) > MAX_SCHEMA_DEPTH) {
        const message = `the schema is nested more than ${MAX_SCHEMA_DEPTH} deep`;
        return refused({ code: 'CONTRACT_SCHEMA_INVALID', message, pointer: '' });
    }
    const named = (0,json/* isJsonObject */.O)(schema) ? schema['$schema'] : undefined;
    const draft = (typeof named === 'string' ? (0,keywords/* draftOf */.bz)(named) : undefined) ?? options.draft ?? '2020-12';
    if (refuse && typeof named === 'string' && (0,keywords/* draftOf */.bz)(named) === undefined)
        return refused(unknownDialect(named, '/$schema'));
    if (refuse) {
        const problems = [...(await metaProblems(schema, draft)), ...checkSchema(schema, draft)];
        if (problems.length > 0)
            return { ok: false, problems };
    }
    return prepared(schema, draft, options);
}
async function prepared(schema, draft, options) {
    const [{ createValidator }, { explainValidation }] = await libraries();
    try {
        const { formats, others } = options;
        const validator = await createValidator(schema, draft, {
            base: NO_URI,
            ...(formats === undefined ? {} : { formats }),
            ...(others === undefined ? {} : { others }),
        });
        const explained = { root: 'the output', rules: validator.rules };
        return { ok: true, draft, validate: (value) => explainValidation(validator.validate(value), explained) };
    }
    catch (error) {
        const message = `the schema cannot be used: ${(0,gateline_error/* messageOf */.bD)(error)}`;
        return { ok: false, problems: [{ code: 'CONTRACT_SCHEMA_INVALID', message, pointer: '' }] };
    }
}
/** What a schema has against its draft's own meta-schema. */
async function metaProblems(schema, draft) {
    const [{ createMetaValidator }, { explainValidation }] = await libraries();
    const validator = await createMetaValidator(draft);
    const issues = explainValidation(validator.validate(schema), { root: 'the schema', rules: validator.rules });
    return issues.map(({ message, pointer = '' }) => {
        const place = `${pointer}: `;
        const text = message.startsWith(place) ? message.slice(place.length) : message;
        return { code: 'CONTRACT_SCHEMA_INVALID', message: text, pointer };
    });
}
/** Loaded when the first schema is compiled, so that commands which judge nothing start quickly. */
function libraries() {
    return Promise.all([Promise.all(/* import() */[__webpack_require__.e(108), __webpack_require__.e(789)]).then(__webpack_require__.bind(__webpack_require__, 6789)), __webpack_require__.e(/* import() */ 669).then(__webpack_require__.bind(__webpack_require__, 7669))]);
}
function depthOf(value) {
    let level = [value];
    let depth = 0;
    while (level.length > 0 && depth <= MAX_SCHEMA_DEPTH) {
        depth += 1;
        level = level.flatMap((item) => (item !== null && typeof item === 'object' ? Object.values(item) : []));
    }
    return depth;
}

// EXTERNAL MODULE: ./build/pipeline/pointer.js
var pipeline_pointer = __webpack_require__(2534);
// EXTERNAL MODULE: ./build/verdict/verdict.js
var verdict = __webpack_require__(8579);
// EXTERNAL MODULE: ./build/verdict/words.js
var words = __webpack_require__(9355);
;// CONCATENATED MODULE: ./build/verdict/standard-schema.js



/**
 * What a value has against a Standard Schema, as issues. The schema is the caller's program: what it throws is
 * thrown on.
 */
function standardValidator(schema) {
    return (value) => {
        const result = schema['~standard'].validate(value);
        return result instanceof Promise ? result.then(issuesOf) : issuesOf(result);
    };
}
function issuesOf(result) {
    if (result.issues === undefined)
        return [];
    // A library that fails a value without saying why has failed it.
    if (result.issues.length === 0)
        return [{ severity: 'error', message: 'the output: does not meet the schema' }];
    const issues = result.issues.slice(0, verdict/* MAX_ISSUES */.u9).map(issueOf);
    const more = result.issues.length - verdict/* MAX_ISSUES */.u9;
    if (more > 0)
        issues[verdict/* MAX_ISSUES */.u9 - 1] = { severity: 'error', message: `${more + 1} more things are wrong` };
    return issues;
}
function issueOf({ message, path }) {
    const keys = (path ?? []).map((segment) => (typeof segment === 'object' ? segment.key : segment));
    const pointer = (0,pipeline_pointer/* pointerOf */.rq)(keys).toWellFormed();
    return {
        severity: 'error',
        message: (0,words/* cut */.Jj)(`${pointer === '' ? 'the output' : (0,words/* cut */.Jj)(pointer, 1_000)}: ${message}`, 4_096),
        pointer: (0,words/* cut */.Jj)(pointer, 4_096),
    };
}

;// CONCATENATED MODULE: ./build/verdict/compile-contract.js



/**
 * Make a contract ready to judge. All that is wrong with it is answered at once: its schema, its score, its checks.
 * Loads the libraries for schemas and expressions only where the contract has any.
 */
async function compileContract(contract, options = {}) {
    const schema = contract.schema === undefined ? undefined : await compileSchema(contract.schema);
    const checks = await (0,conditions/* compileChecks */.n)(contract.checks);
    const problems = [];
    if (schema?.ok === false) {
        problems.push(...schema.problems.map((problem) => ({ ...problem, pointer: `/schema${problem.pointer}` })));
    }
    if (contract.score === undefined && contract.threshold > 0) {
        problems.push({
            code: 'CONTRACT_THRESHOLD_WITHOUT_SCORE',
            message: 'a threshold without a score is never missed, since the score is then 100',
            pointer: '/threshold',
            hint: 'say where the score stands: `score: /validationResult/score`',
        });
    }
    if (!checks.ok)
        problems.push(...checks.problems);
    if (problems.length > 0 || !checks.ok)
        return { ok: false, problems };
    const validators = [
        ...(schema?.ok === true ? [schema.validate] : []),
        ...(options.standard === undefined ? [] : [standardValidator(options.standard)]),
    ];
    return { ok: true, compiled: { contract, check: checks.run, validate: inTurn(validators) } };
}
/** The first validator that finds anything. Stays synchronous while they do. */
function inTurn(validators) {
    return (value) => {
        for (const [index, validator] of validators.entries()) {
            const issues = validator(value);
            if (issues instanceof Promise) {
                return issues.then((found) => (found.length > 0 ? found : inTurn(validators.slice(index + 1))(value)));
            }
            if (issues.length > 0)
                return issues;
        }
        return [];
    };
}

// EXTERNAL MODULE: ./build/verdict/contract.js
var verdict_contract = __webpack_require__(1790);
;// CONCATENATED MODULE: ./build/engine/contracts.js




function createContracts(workspace, standard = {}) {
    const loaded = new Map();
    const compiled = new Map();
    const load = (gate) => remember(loaded, gate.id, () => loadContract(workspace, gate, standard));
    return {
        load,
        compile: (gate) => remember(compiled, gate.id, async () => compile(gate, (await load(gate)).contract, standard)),
        fix: (gate, contract) => {
            loaded.set(gate, Promise.resolve(contract));
            compiled.delete(gate);
        },
        refuse: (gate, why) => {
            const refused = Promise.reject(why);
            // Whoever asks for it is told; nobody asking is no error.
            refused.catch(() => undefined);
            loaded.set(gate, refused);
            compiled.delete(gate);
        },
    };
}
async function compile(gate, contract, standard) {
    const given = standardOf(standard, gate);
    // Judging without it would let through what it was to stop.
    if (contract.standard !== given?.version)
        throw otherSchema(gate, contract.standard, given?.version);
    const compilation = await compileContract(contract, given && { standard: given.schema });
    if (compilation.ok)
        return compilation.compiled;
    throw (0,verdict_contract/* contractError */.h3)(compilation.problems, placeOf(gate));
}
function standardOf(standard, gate) {
    return Object.hasOwn(standard, gate.id) ? standard[gate.id] : undefined;
}
function otherSchema(gate, fixed, given) {
    const what = (version) => version === undefined ? 'none' : `version ${JSON.stringify(version)}`;
    return new gateline_error/* GatelineError */.Mk('user', 'CONTRACT_STANDARD_OTHER', `gate ${gate.id}: it was begun with another Standard Schema than there is now: ${what(fixed)}, now ${what(given)}`, { hint: 'Complete it with the schema that it was begun with, or begin it again.', place: placeOf(gate) });
}
/** Where a contract is written: its schema file, else the definition. */
function placeOf(gate) {
    const { schema } = gate.contract;
    return schema !== undefined && 'path' in schema
        ? { file: schema.path }
        : { file: 'gateline.yml', pointer: `/gates/${gate.id}/output` };
}
async function loadContract(workspace, gate, standard) {
    const { schema } = gate.contract;
    const path = schema !== undefined && 'path' in schema ? schema.path : undefined;
    const text = path === undefined ? undefined : await workspace.readText(path);
    const resolved = (0,verdict_contract/* resolveContract */.JM)(gate.contract, text, placeOf(gate), gate.exports);
    const given = standardOf(standard, gate);
    const contract = given === undefined ? resolved : { ...resolved, standard: given.version };
    return { contract, digest: (0,canonical_json/* digestOfJson */.Qs)(contract) };
}
function remember(known, key, make) {
    const found = known.get(key) ?? make();
    known.set(key, found);
    return found;
}


/***/ }),

/***/ 9860:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Kj: () => (/* binding */ pipelineFileName),
/* harmony export */   Ol: () => (/* binding */ gateOutputFileName),
/* harmony export */   fP: () => (/* binding */ gateCheckpointFileName)
/* harmony export */ });
/* harmony import */ var _run_subject_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3766);

/** Legs that can stand in a file's name as they are. */
const SAFE_LEG = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,79}$/;
/**
 * `{subject}-gate{N}-output.json`, the state guide's name of a gate's output; with the leg before `output` for a
 * leg of a matrix gate. The subject is made safe by `subjectSlug`; the guide's `{domain}-{feature}` is its own slug.
 *
 * @param number the gate's `number`
 * @param leg '' without a matrix
 */
function gateOutputFileName(subject, number, leg) {
    return `${gateStem(subject, number, leg)}-output.json`;
}
/** `{subject}-gate{N}-checkpoint.md`: the Markdown checkpoint beside the output. */
function gateCheckpointFileName(subject, number, leg) {
    return `${gateStem(subject, number, leg)}-checkpoint.md`;
}
/** `{subject}-pipeline.json`, the state guide's name of the pipeline's state. */
function pipelineFileName(subject) {
    return `${(0,_run_subject_js__WEBPACK_IMPORTED_MODULE_0__/* .subjectSlug */ .G)(subject)}-pipeline.json`;
}
function gateStem(subject, number, leg) {
    const gate = `${(0,_run_subject_js__WEBPACK_IMPORTED_MODULE_0__/* .subjectSlug */ .G)(subject)}-gate${number}`;
    if (leg === '')
        return gate;
    return `${gate}-${SAFE_LEG.test(leg) ? leg : (0,_run_subject_js__WEBPACK_IMPORTED_MODULE_0__/* .subjectSlug */ .G)(leg)}`;
}


/***/ }),

/***/ 6379:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  a5: () => (/* binding */ GATE_STATE_FORMAT),
  qC: () => (/* binding */ gateStateSchema),
  u8: () => (/* binding */ stateMetadataSchema)
});

// UNUSED EXPORTS: gatelineOfGateSchema

// EXTERNAL MODULE: ./node_modules/zod/v4/classic/schemas.js + 11 modules
var schemas = __webpack_require__(2857);
// EXTERNAL MODULE: ./build/verdict/verdict.js
var verdict = __webpack_require__(8579);
// EXTERNAL MODULE: ./build/run/digest.js
var digest = __webpack_require__(4612);
// EXTERNAL MODULE: ./build/run/run-state.js
var run_state = __webpack_require__(1759);
;// CONCATENATED MODULE: ./build/formats/json-value.js

/** Deeper values are refused: whatever reads them next may do it by recursion. */
const MAX_DEPTH = 1_000;
/** Anything that JSON can hold, at most 1,000 levels deep. Looked at, not copied: outputs may be large. */
const jsonValueSchema = schemas/* custom */.IeY(isJsonValue, 'must be a JSON value, at most 1,000 levels deep');
function isJsonValue(value) {
    let level = [value];
    for (let depth = 0; level.length > 0; depth += 1) {
        if (depth > MAX_DEPTH)
            return false;
        const next = [];
        for (const item of level) {
            if (typeof item === 'object' && item !== null)
                for (const part of Object.values(item))
                    next.push(part);
            else if (!isScalar(item))
                return false;
        }
        level = next;
    }
    return true;
}
function isScalar(value) {
    return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

// EXTERNAL MODULE: ./build/formats/words.js
var words = __webpack_require__(1558);
;// CONCATENATED MODULE: ./build/formats/gate-state-schema.js






/** Version of what is under `gateline` in a gate's state file. */
const GATE_STATE_FORMAT = 'gateline-gate-state/1';
const counter = schemas/* int */.Whr().min(0);
const gate_state_schema_digest = digest/* digestSchema */.er.nullable();
/** What Gateline adds to the guide's envelope, under one key. Nothing else reads it; the records are the truth. */
const gatelineOfGateSchema = schemas/* object */.Ikc({
    format: schemas/* literal */.euz(GATE_STATE_FORMAT),
    pipeline: schemas/* string */.YjP(),
    subject: schemas/* string */.YjP(),
    gate: schemas/* string */.YjP(),
    /** '' without a matrix. */
    leg: schemas/* string */.YjP(),
    status: schemas/* enum */.k5n(run_state/* UNIT_STATUSES */.UG),
    /** Kind of the verdict; `null`: nothing was judged. */
    kind: schemas/* enum */.k5n(verdict/* VERDICT_KINDS */.CX).nullable(),
    run: counter,
    /** The how-manieth call of the run, and the attempt within it. 0: there was no attempt. */
    call: counter,
    attempt: counter,
    fingerprint: gate_state_schema_digest,
    /** Of the output's canonical JSON. */
    digest: gate_state_schema_digest,
    /** Of the exported part's canonical JSON. */
    exports: gate_state_schema_digest,
    how: schemas/* enum */.k5n(['ran', 'reused', 'skipped']).nullable(),
    /** Where a reused output came from. */
    source: schemas/* object */.Ikc({ run: counter, call: counter, attempt: counter }).optional(),
    startedAt: schemas/* string */.YjP().nullable(),
    endedAt: schemas/* string */.YjP().nullable(),
    /** Files handed on. `mode: null`: the gate deleted it. */
    files: schemas/* array */.YOg(schemas/* object */.Ikc({ path: schemas/* string */.YjP(), mode: schemas/* string */.YjP().nullable(), digest: gate_state_schema_digest })),
    /** Where the output lies when it is too large to stand in `output`, relative to the state folder. */
    outputFile: schemas/* string */.YjP().optional(),
    /** Digest of the whole file without this field: tells a file that somebody edited. Added by the store. */
    checksum: schemas/* string */.YjP().optional(),
});
/** The state guide's `metadata`. */
const stateMetadataSchema = schemas/* object */.Ikc({ domain: schemas/* string */.YjP(), feature: schemas/* string */.YjP(), url: schemas/* string */.YjP() });
/** The state guide's `GateStateFile`, with our fields under `gateline`. Unknown keys are dropped. */
const gateStateSchema = schemas/* object */.Ikc({
    gate: schemas/* int */.Whr().min(0).max(1_000_000),
    agent: schemas/* string */.YjP().min(1).max(1_024),
    status: schemas/* enum */.k5n(words/* GATE_WORDS */.OO),
    metadata: stateMetadataSchema,
    /** Whatever the gate's contract says. `null`: there is none. */
    output: jsonValueSchema,
    validation: schemas/* object */.Ikc({
        /** 0-100. */
        score: schemas/* number */.aig().min(0).max(100),
        issues: schemas/* array */.YOg(schemas/* string */.YjP()),
        /** True when the score reached the threshold. */
        passed: schemas/* boolean */.zMY(),
    }),
    gateline: gatelineOfGateSchema.optional(),
});


/***/ }),

/***/ 8252:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Bg: () => (/* binding */ resultOf),
/* harmony export */   RN: () => (/* binding */ readGateState),
/* harmony export */   WH: () => (/* binding */ gateEnvelope),
/* harmony export */   _1: () => (/* binding */ callerInput)
/* harmony export */ });
/* unused harmony export issueText */
/* harmony import */ var _gate_state_schema_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(6379);
/* harmony import */ var _read_state_file_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(1090);
/* harmony import */ var _state_metadata_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(1410);
/* harmony import */ var _words_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(1558);




/**
 * The state guide's file for one gate: exactly its envelope, and our fields under the one key `gateline`.
 * Failed gates have one too, with `output: null` where there was none. A gate that has come to nothing yet
 * (see `gateWord`) has no file.
 *
 * `validation.score` is the verdict's, 0 without one. `validation.passed` is true for `passed` and `not-applicable`
 * only, also where somebody decided that later gates may go on.
 */
function gateEnvelope(input) {
    const { unit, gate } = input;
    const status = (0,_words_js__WEBPACK_IMPORTED_MODULE_2__/* .gateWord */ .g6)(unit.status);
    if (status === undefined)
        return undefined;
    return {
        gate: gate.number,
        agent: gate.agent,
        status,
        metadata: (0,_state_metadata_js__WEBPACK_IMPORTED_MODULE_3__/* .stateMetadata */ .V)(input.metadata, input.subject),
        output: input.output ?? null,
        validation: {
            score: resultOf(unit)?.verdict.score ?? 0,
            issues: issuesOf(input),
            passed: unit.status === 'passed' || unit.status === 'not-applicable',
        },
        gateline: gatelineOf(input),
    };
}
/** An issue as the guide has them: one line of text. `2 elements are unsure (at /elements)`. */
function issueText(issue) {
    return issue.pointer === undefined || issue.pointer === '' ? issue.message : `${issue.message} (at ${issue.pointer})`;
}
/**
 * A gate's state file, whoever wrote it. Keys that the guide does not know are allowed and dropped; every key of
 * the guide must be there.
 * @param value what `JSON.parse` gave
 * @throws GatelineError `STATE_FILE_INVALID` (fault `user`), naming everything that is wrong with its JSON pointer
 */
function readGateState(value, from = {}) {
    return (0,_read_state_file_js__WEBPACK_IMPORTED_MODULE_1__/* .readStateFile */ .q)(_gate_state_schema_js__WEBPACK_IMPORTED_MODULE_0__/* .gateStateSchema */ .qC, value, 'a gate state file', from);
}
/**
 * What the gates after it may take from a state file. As in the guide's step 0B, SUCCESS and PARTIAL are usable and
 * FAILED is not, but does not stop anybody either: it warns.
 */
function callerInput(file) {
    const { gate, agent, status, validation, gateline } = file;
    const warnings = [];
    if (status === 'FAILED')
        warnings.push(`gate ${gate} (${agent}) FAILED: its output is not used`);
    if (status === 'PARTIAL')
        warnings.push(`gate ${gate} (${agent}) is only PARTIAL, with a score of ${validation.score}`);
    if (status === 'SUCCESS' && !validation.passed)
        warnings.push(`gate ${gate} (${agent}) says SUCCESS, but also that its validation did not pass`);
    if (gateline?.outputFile !== undefined)
        warnings.push(`the output of gate ${gate} (${agent}) is too large for its state file: it lies in ${gateline.outputFile}`);
    const usable = status !== 'FAILED' && file.output !== null;
    return { gate, agent, output: usable ? file.output : undefined, ours: gateline !== undefined, warnings };
}
function issuesOf({ unit, outputProblem }) {
    const ended = resultOf(unit);
    const issues = (ended?.verdict.issues ?? []).map(issueText);
    if (outputProblem !== undefined)
        issues.unshift(outputProblem);
    const told = ended?.verdict;
    if (told?.status === 'failed' && issues.length === 0 && told.advice !== '')
        issues.push(`${told.kind}: ${told.advice}`);
    return unit.decided !== undefined || ended === undefined ? [`${unit.status}: ${unit.reason}`, ...issues] : issues;
}
function gatelineOf(input) {
    const { unit } = input;
    const { started, decided } = unit;
    const ended = resultOf(unit);
    const at = ended ?? started ?? decided;
    return {
        format: _gate_state_schema_js__WEBPACK_IMPORTED_MODULE_0__/* .GATE_STATE_FORMAT */ .a5,
        pipeline: input.pipeline,
        subject: input.subject,
        gate: unit.gate,
        leg: unit.leg,
        status: unit.status,
        kind: unit.status === 'lost' ? 'lost' : (ended?.verdict.kind ?? null),
        run: input.runNumber,
        call: at?.runAttempt ?? 0,
        attempt: at?.n ?? 0,
        fingerprint: ended?.fingerprint ?? started?.fingerprint ?? decided?.fingerprint ?? null,
        digest: ended?.value?.digest ?? null,
        exports: (unit.exports ?? ended?.exports)?.digest ?? null,
        how: unit.status === 'skipped' ? 'skipped' : (ended?.how ?? null),
        ...sourceOf(ended),
        startedAt: ended?.startedAt ?? started?.at ?? null,
        endedAt: ended?.at ?? null,
        files: (ended?.files ?? []).map(fileOf),
        ...(input.outputFile !== undefined && { outputFile: input.outputFile }),
    };
}
/** The attempt that made the unit what it is. For one that was lost, or has come to nothing yet, `ended` is an attempt before. */
function resultOf(unit) {
    return unit.status === 'lost' || (0,_words_js__WEBPACK_IMPORTED_MODULE_2__/* .gateWord */ .g6)(unit.status) === undefined ? undefined : unit.ended;
}
function sourceOf(ended) {
    if (ended?.source === undefined)
        return {};
    const { runNumber, runAttempt, n } = ended.source;
    return { source: { run: runNumber, call: runAttempt, attempt: n } };
}
function fileOf({ path, after }) {
    return { path, mode: after?.mode ?? null, digest: after?.content?.digest ?? null };
}


/***/ }),

/***/ 1090:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   q: () => (/* binding */ readStateFile)
/* harmony export */ });
/* harmony import */ var _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7974);
/* harmony import */ var _pipeline_pointer_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2534);


/** More problems than this are counted. */
const SHOWN = 10;
/**
 * A value as one of the guide's files.
 * @throws GatelineError `STATE_FILE_INVALID` with the JSON pointer of each thing that is wrong
 */
function readStateFile(schema, value, what, from) {
    const parsed = schema.safeParse(value);
    if (parsed.success)
        return parsed.data;
    const { issues } = parsed.error;
    const lines = issues
        .slice(0, SHOWN)
        .map(({ path, message }) => `${path.length === 0 ? 'the value' : (0,_pipeline_pointer_js__WEBPACK_IMPORTED_MODULE_1__/* .pointerOf */ .rq)(path)}: ${message}`);
    const more = issues.length > SHOWN ? `; and ${issues.length - SHOWN} more` : '';
    throw new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk('user', 'STATE_FILE_INVALID', `${from.file ?? 'This'} is not ${what}: ${lines.join('; ')}${more}`.slice(0, 4_096), {
        hint: 'docs/reference/state-files.md shows what such a file holds.',
        cause: parsed.error,
        ...(from.file !== undefined && { place: { file: from.file, pointer: (0,_pipeline_pointer_js__WEBPACK_IMPORTED_MODULE_1__/* .pointerOf */ .rq)(issues[0]?.path ?? []) } }),
    });
}


/***/ }),

/***/ 1410:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   V: () => (/* binding */ stateMetadata),
/* harmony export */   c: () => (/* binding */ pipelineMetadata)
/* harmony export */ });
/* harmony import */ var _untrusted_json_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(5443);

/**
 * The guide's metadata from a pipeline's. What is not there is derived: `domain` from the host of `url`
 * (`demoqa.com` → `demoqa_com`), `feature` from the subject without the domain in front of it
 * (`demoqa_com-student_registration` → `student_registration`). What cannot be derived is empty.
 * Numbers and truth values become their text, anything else its JSON.
 */
function stateMetadata(metadata, subject) {
    const url = textOf(metadata['url']);
    const domain = textOf(metadata['domain']) || domainOf(url);
    return { domain, feature: textOf(metadata['feature']) || featureOf(subject, domain), url };
}
/** {@link stateMetadata} with the user story and its acceptance criteria; a single criterion becomes a list of one. */
function pipelineMetadata(metadata, subject) {
    return {
        ...stateMetadata(metadata, subject),
        userStory: textOf(metadata['userStory']),
        acceptanceCriteria: listOf(metadata['acceptanceCriteria']),
    };
}
function textOf(value) {
    if (value === undefined || value === null)
        return '';
    if (Array.isArray(value) || (0,_untrusted_json_js__WEBPACK_IMPORTED_MODULE_0__/* .isJsonObject */ .O)(value))
        return JSON.stringify(value);
    return String(value);
}
function listOf(value) {
    if (Array.isArray(value))
        return value.map(textOf);
    const text = textOf(value);
    return text === '' ? [] : [text];
}
function domainOf(url) {
    const host = URL.parse(url)?.hostname ?? '';
    return host.replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
}
function featureOf(subject, domain) {
    return domain !== '' && subject.startsWith(`${domain}-`) ? subject.slice(domain.length + 1) : subject;
}


/***/ }),

/***/ 1558:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   OO: () => (/* binding */ GATE_WORDS),
/* harmony export */   RI: () => (/* binding */ PIPELINE_WORDS),
/* harmony export */   g6: () => (/* binding */ gateWord),
/* harmony export */   pf: () => (/* binding */ pipelineWord)
/* harmony export */ });
/* unused harmony exports unitStatusOf, runStatusOf */
/** The state guide's words for what a gate came to. */
const GATE_WORDS = ['SUCCESS', 'PARTIAL', 'FAILED'];
/** The state guide's words for a whole pipeline. */
const PIPELINE_WORDS = ['IN_PROGRESS', ...GATE_WORDS];
/**
 * Gate status → the guide's word; `undefined`: it has come to nothing yet, and the guide has no word for that.
 *
 * - `not-applicable` is SUCCESS: later gates go on as if it had passed.
 * - `skipped` is PARTIAL: later gates go on, but nothing was shown to be good.
 * - `paused` is PARTIAL: the output is there, below its threshold; `validation.passed` is false.
 */
const GATE_WORD = {
    pending: undefined,
    ready: undefined,
    blocked: undefined,
    running: undefined,
    paused: 'PARTIAL',
    passed: 'SUCCESS',
    partial: 'PARTIAL',
    failed: 'FAILED',
    lost: 'FAILED',
    skipped: 'PARTIAL',
    'not-applicable': 'SUCCESS',
};
/** The guide's word → the status that says the same. */
const UNIT_STATUS = { SUCCESS: 'passed', PARTIAL: 'partial', FAILED: 'failed' };
/**
 * Run status → the guide's word. A paused run waits for somebody, so it is still going on; one that was rolled back
 * gave no result. `completed` is SUCCESS, but PARTIAL where {@link pipelineWord} finds a gate that is.
 */
const PIPELINE_WORD = {
    initializing: 'IN_PROGRESS',
    executing: 'IN_PROGRESS',
    paused: 'IN_PROGRESS',
    error: 'FAILED',
    completed: 'SUCCESS',
    rollback: 'FAILED',
};
/** The guide's word → the status that says the same. Both SUCCESS and PARTIAL are runs that came to their end. */
const RUN_STATUS = {
    IN_PROGRESS: 'executing',
    SUCCESS: 'completed',
    PARTIAL: 'completed',
    FAILED: 'error',
};
/** The guide's word for a gate's status; `undefined` while it has come to nothing. */
function gateWord(status) {
    return GATE_WORD[status];
}
/** The gate status that a word of the guide stands for. */
function unitStatusOf(word) {
    return UNIT_STATUS[word];
}
/** The guide's word for a run: PARTIAL for a completed one with a gate that is partial or was skipped. */
function pipelineWord(state) {
    const word = PIPELINE_WORD[state.status];
    if (word !== 'SUCCESS')
        return word;
    return [...state.units.values()].every((unit) => isWhole(unit)) ? 'SUCCESS' : 'PARTIAL';
}
/** The run status that a word of the guide stands for. */
function runStatusOf(word) {
    return RUN_STATUS[word];
}
function isWhole(unit) {
    return GATE_WORD[unit.status] === 'SUCCESS';
}


/***/ }),

/***/ 4358:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  ER: () => (/* binding */ localPorts),
  Rn: () => (/* binding */ lockWorkspace),
  om: () => (/* binding */ stateRoot)
});

// UNUSED EXPORTS: STATE_FOLDER

// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: external "node:process"
var external_node_process_ = __webpack_require__(1708);
// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: ./build/errors/gateline-error.js
var gateline_error = __webpack_require__(7974);
// EXTERNAL MODULE: ./build/run/subject.js
var run_subject = __webpack_require__(3766);
;// CONCATENATED MODULE: ./build/agent/process/attempt-directory.js
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





/** So many digits that no two subjects share a folder. */
const SLUG_DIGITS = 16;
/** Attempt directories on disk: `<root>/<subject>/<run>/<gate>.<leg>.<call>.<n>/`. */
function createAttemptFiles(options) {
    const pathOf = (id) => (0,external_node_path_.join)(options.root, (0,run_subject/* subjectSlug */.G)(id.subject, SLUG_DIGITS), String(id.runNumber), `${id.gate}.${id.leg || '_'}.${id.runAttempt}.${id.n}`);
    return {
        root: options.root,
        create: async (id) => {
            const path = pathOf(id);
            await (0,promises_.mkdir)((0,external_node_path_.join)(path, '..'), { recursive: true });
            try {
                await (0,promises_.mkdir)(path);
            }
            catch (cause) {
                if (!(0,gateline_error/* isSystemError */.Or)(cause, 'EEXIST'))
                    throw failure('create', path, cause);
                throw new gateline_error/* GatelineError */.Mk('platform', 'ATTEMPT_EXISTS', `${path} exists already`, {
                    hint: 'Move it away and run again.',
                    cause,
                });
            }
            options.onDurable?.(`mkdir ${path}`);
            return directoryAt(path, options);
        },
        open: async (id) => {
            const path = pathOf(id);
            try {
                return (await (0,promises_.lstat)(path)).isDirectory() ? directoryAt(path, options) : undefined;
            }
            catch (cause) {
                if ((0,gateline_error/* isSystemError */.Or)(cause, 'ENOENT'))
                    return undefined;
                throw failure('open', path, cause);
            }
        },
    };
}
function directoryAt(path, options) {
    const pathOf = (name) => (0,external_node_path_.join)(path, name);
    return {
        path,
        pathOf,
        write: async (name, chunks) => {
            const target = pathOf(name);
            const temporary = pathOf(`.${name}.tmp`);
            try {
                await regainRights(path);
                await writeChunks(temporary, chunks);
                await (0,promises_.rename)(temporary, target);
            }
            catch (cause) {
                throw failure('write', target, cause);
            }
            options.onDurable?.(`write ${target}`);
        },
        place: (name, digest, place) => place(digest, pathOf(name), 0o444),
        read: async (name, limit) => {
            await regainRights(path);
            return readAgentFile(pathOf(name), limit);
        },
        remove: async (name) => {
            try {
                await regainRights(path);
                await (0,promises_.rm)(pathOf(name), { force: true, recursive: true });
            }
            catch (cause) {
                throw failure('remove', pathOf(name), cause);
            }
        },
    };
}
/** Gives us back the rights to the directory that an agent may have taken away. */
async function regainRights(path) {
    try {
        const status = await (0,promises_.lstat)(path);
        if (status.isDirectory() && (status.mode & 0o700) !== 0o700)
            await (0,promises_.chmod)(path, 0o700);
    }
    catch (error) {
        if (!(0,gateline_error/* isSystemError */.Or)(error, 'ENOENT') && !(0,gateline_error/* isSystemError */.Or)(error, 'EPERM'))
            throw error;
    }
}
async function writeChunks(path, chunks) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const file = __addDisposableResource(env_1, await (0,promises_.open)(path, 'w', 0o600), true);
        for (const chunk of chunks)
            await file.write(chunk);
        await file.sync();
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
/** Only a plain file, opened without following a link and without waiting for the other end of a pipe. */
async function readAgentFile(path, limit) {
    try {
        const env_2 = { stack: [], error: void 0, hasError: false };
        try {
            const file = __addDisposableResource(env_2, await (0,promises_.open)(path, external_node_fs_.constants.O_RDONLY | external_node_fs_.constants.O_NOFOLLOW | external_node_fs_.constants.O_NONBLOCK), true);
            const status = await file.stat();
            if (!status.isFile())
                return { state: 'refused', why: 'it is not a plain file' };
            if (status.size > limit)
                return { state: 'too-large', size: status.size };
            const bytes = await file.readFile();
            return bytes.length > limit ? { state: 'too-large', size: bytes.length } : { state: 'present', bytes };
        }
        catch (e_2) {
            env_2.error = e_2;
            env_2.hasError = true;
        }
        finally {
            const result_2 = __disposeResources(env_2);
            if (result_2)
                await result_2;
        }
    }
    catch (error) {
        if ((0,gateline_error/* isSystemError */.Or)(error, 'ENOENT'))
            return { state: 'absent' };
        if ((0,gateline_error/* isSystemError */.Or)(error, 'ELOOP'))
            return { state: 'refused', why: 'it is a symbolic link' };
        return { state: 'refused', why: (0,gateline_error/* messageOf */.bD)(error) };
    }
}
function failure(what, path, cause) {
    return new gateline_error/* GatelineError */.Mk('platform', 'ATTEMPT_FILES_FAILED', `cannot ${what} ${path}: ${(0,gateline_error/* messageOf */.bD)(cause)}`, {
        hint: 'Look at free space and permissions below .state.',
        cause,
    });
}

// EXTERNAL MODULE: external "node:child_process"
var external_node_child_process_ = __webpack_require__(1421);
// EXTERNAL MODULE: external "node:events"
var external_node_events_ = __webpack_require__(8474);
// EXTERNAL MODULE: ./build/environment.js
var environment = __webpack_require__(7853);
// EXTERNAL MODULE: ./node_modules/zod/v4/classic/schemas.js + 11 modules
var schemas = __webpack_require__(2857);
;// CONCATENATED MODULE: ./build/agent/process/process-record.js




/** In an attempt directory while its agent runs: which process it is, for whoever comes after a killed engine. */
const FILE = 'process.json';
const recordSchema = schemas/* strictObject */.rej({
    format: schemas/* literal */.euz('gateline-process/1'),
    pid: schemas/* int */.Whr().min(1),
    started: schemas/* string */.YjP().max(64),
    boot: schemas/* string */.YjP().max(255),
});
/**
 * Written in one synchronous call right after the start, so that there is the least time in which a killed engine leaves a
 * process without record. Not fsynced: what outlives the machine's crash is no process.
 */
function writeProcessRecord(directory, started, boot) {
    const record = { format: 'gateline-process/1', pid: started.pid, started: started.started, boot };
    (0,external_node_fs_.writeFileSync)((0,external_node_path_.join)(directory, FILE), `${JSON.stringify(record)}\n`, { mode: 0o600 });
}
/** A record that cannot be removed does no harm: no other process will have its pid and start time. */
function removeProcessRecord(directory) {
    try {
        (0,external_node_fs_.rmSync)((0,external_node_path_.join)(directory, FILE), { force: true, recursive: true });
    }
    catch (error) {
        if (!(error instanceof Error && 'code' in error))
            throw error;
    }
}
/** How deep attempt directories lie at most below their root. */
const MAX_DEPTH = 4;
/** The records in all directories below `root`. One that is cut off or altered says nothing, so it is left alone. */
function processRecordsBelow(root, depth = 0) {
    const entries = entriesOf(root);
    if (entries.some((entry) => entry.name === FILE && entry.isFile()))
        return recordIn(root);
    if (depth === MAX_DEPTH)
        return [];
    return entries.flatMap((entry) => entry.isDirectory() ? processRecordsBelow((0,external_node_path_.join)(root, entry.name), depth + 1) : []);
}
function entriesOf(directory) {
    return withRights(directory, 0o700, () => (0,external_node_fs_.readdirSync)(directory, { withFileTypes: true })) ?? [];
}
/** Reads, where an agent took our rights away after giving them back. `undefined`: it cannot be read, so it says nothing. */
function withRights(place, mode, read) {
    try {
        return read();
    }
    catch (error) {
        if (!(0,gateline_error/* isSystemError */.Or)(error, 'EACCES'))
            return unlessFromSystem(error);
    }
    try {
        (0,external_node_fs_.chmodSync)(place, mode);
        return read();
    }
    catch (error) {
        return unlessFromSystem(error);
    }
}
function unlessFromSystem(error) {
    if (!(error instanceof Error && 'code' in error))
        throw error;
}
function recordIn(directory) {
    const file = (0,external_node_path_.join)(directory, FILE);
    const text = withRights(file, 0o600, () => (0,external_node_fs_.readFileSync)(file, 'utf8'));
    let value;
    try {
        value = JSON.parse(text ?? '');
    }
    catch (error) {
        if (error instanceof SyntaxError)
            return [];
        throw error;
    }
    const parsed = recordSchema.safeParse(value);
    return parsed.success ? [parsed.data] : [];
}

;// CONCATENATED MODULE: ./build/agent/process/ownership.js





/** Variables whose value is a path in the attempt's own directory: they tell whose a process is, wherever it moved. */
const MARKERS = [environment/* AGENT_VARIABLES */.It.output, environment/* AGENT_VARIABLES */.It.request, environment/* AGENT_VARIABLES */.It.metrics, environment/* AGENT_VARIABLES */.It.learnings];
/**
 * An agent that we started ourselves: its first process, its process group and session, and whatever has the attempt's
 * directory in its environment. Processes older than the first one are not asked.
 */
function ofAttempt(table, first, directory) {
    const marked = markedBelow(table, [directory]);
    return (one, all) => {
        if (one.pid === first.pid)
            return one.started === first.started;
        if (isOlder(one, first))
            return false;
        return inGroupOf(one, first, all) || marked(one);
    };
}
/**
 * Agents of an engine that is no more: processes recorded below `root`, if pid, start time and boot agree, and those that have
 * a directory below `root` in their environment. Never this process, its ancestors or its descendants.
 */
function leftBelow(table, root) {
    const recorded = processRecordsBelow(root).filter((record) => record.boot === table.boot);
    const first = new Map(recorded.map((record) => [record.pid, record.started]));
    const marked = markedBelow(table, pathsOf(root));
    return (one, all) => {
        if (isRelated(one, all))
            return false;
        // The agent can write where its record lies. We started it as leader of its group; so no record of another process counts.
        if (first.get(one.pid) === one.started && (one.pgid === one.pid || one.pgid === -1))
            return true;
        const leader = all.get(one.pgid);
        if (leader !== undefined && first.get(leader.pid) === leader.started)
            return true;
        return marked(one);
    };
}
/** Start times are numbers on Linux, the only system whose environments are read: this spares reading most of them. */
function isOlder(one, first) {
    return Number(one.started) < Number(first.started);
}
/** A group or session keeps its number from being given away as a pid; so only a leader of another start time tells otherwise. */
function inGroupOf(one, first, all) {
    if (one.pgid !== first.pid && one.session !== first.pid)
        return false;
    const leader = all.get(first.pid);
    return leader === undefined || leader.started === first.started;
}
function markedBelow(table, directories) {
    const prefixes = directories.flatMap((directory) => MARKERS.map((name) => `${name}=${directory}${external_node_path_.sep}`));
    return ({ pid }) => table.environment(pid).some((entry) => prefixes.some((prefix) => entry.startsWith(prefix)));
}
function isRelated(one, all) {
    return isAncestor(one.pid, process.pid, all) || isAncestor(process.pid, one.pid, all);
}
/** True also when both are the same. */
function isAncestor(ancestor, pid, all) {
    const seen = new Set();
    for (let at = pid; at > 0 && !seen.has(at); at = all.get(at)?.ppid ?? 0) {
        if (at === ancestor)
            return true;
        seen.add(at);
    }
    return false;
}
/** As it was given, absolute, and without links: an engine may have used any. */
function pathsOf(root) {
    try {
        return [...new Set([root, (0,external_node_path_.resolve)(root), (0,external_node_fs_.realpathSync)(root)])];
    }
    catch (error) {
        if ((0,gateline_error/* isSystemError */.Or)(error, 'ENOENT'))
            return [root, (0,external_node_path_.resolve)(root)];
        throw error;
    }
}

// EXTERNAL MODULE: external "node:util"
var external_node_util_ = __webpack_require__(7975);
;// CONCATENATED MODULE: ./build/agent/process/process-table.js




/** The table of this system: /proc on Linux, PowerShell on Windows, `ps` elsewhere. */
function processTable(platform) {
    if (platform === 'linux')
        return linuxTable();
    return listedTable(platform === 'win32' ? listWindows : listPs);
}
function linuxTable() {
    return {
        list: async () => (0,external_node_fs_.readdirSync)('/proc').flatMap((name) => runningOnLinux(name)),
        find: async (pid) => linuxProcess(pid),
        environment: (pid) => (readIfThere(`/proc/${pid}/environ`) ?? '').split('\0'),
        boot: `${readIfThere('/proc/sys/kernel/random/boot_id')?.trim() ?? ''} ${linkIfThere('/proc/self/ns/pid')}`,
    };
}
function runningOnLinux(name) {
    const found = /^\d+$/.test(name) ? linuxProcess(Number(name)) : undefined;
    return found === undefined || found.ended ? [] : [found];
}
/** Per proc_pid_stat(5). The name in parentheses may hold anything, parentheses too. */
function linuxProcess(pid) {
    const stat = readIfThere(`/proc/${pid}/stat`);
    if (stat === undefined)
        return undefined;
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', ppid, pgid, session] = fields;
    const ended = /[ZXx]/.test(state);
    return { pid, ppid: Number(ppid), pgid: Number(pgid), session: Number(session), started: fields[19] ?? '', ended };
}
/** `undefined` also where the process ended meanwhile (ESRCH) or belongs to somebody else. */
function readIfThere(path) {
    return ifThere(() => (0,external_node_fs_.readFileSync)(path, 'utf8'));
}
function linkIfThere(path) {
    return ifThere(() => (0,external_node_fs_.readlinkSync)(path)) ?? '';
}
function ifThere(read) {
    try {
        return read();
    }
    catch (error) {
        if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].some((code) => (0,gateline_error/* isSystemError */.Or)(error, code)))
            return undefined;
        throw error;
    }
}
function listedTable(list) {
    return {
        list,
        find: async (pid) => (await list()).find((one) => one.pid === pid),
        environment: () => [],
        // Their start times are points in time, which no other boot has.
        boot: '',
    };
}
const run = (0,external_node_util_.promisify)(external_node_child_process_.execFile);
/** POSIX ps(1), with `lstart` as BSD and Linux have it. */
async function listPs() {
    const columns = ['-A', ...['pid', 'ppid', 'pgid', 'stat', 'lstart'].flatMap((name) => ['-o', `${name}=`])];
    const options = { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }, maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await run('ps', columns, options);
    return stdout.split('\n').flatMap((line) => {
        const [pid, ppid, pgid, stat, ...started] = line.trim().split(/\s+/);
        if (stat === undefined || stat.startsWith('Z'))
            return [];
        return [{ pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid), session: -1, started: started.join(' ') }];
    });
}
const WINDOWS_QUERY = "Get-CimInstance Win32_Process | ForEach-Object { '{0} {1} {2}' -f $_.ProcessId, $_.ParentProcessId, $_.CreationDate.ToFileTimeUtc() }";
/** A parent that is younger than its child is another process that got the pid: then there is no parent. */
async function listWindows() {
    const args = ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', WINDOWS_QUERY];
    const { stdout } = await run('powershell.exe', args, { windowsHide: true, maxBuffer: 64 * 1024 * 1024 });
    const rows = stdout.split(/\r?\n/).map((line) => line.trim().split(' '));
    const started = new Map(rows.map(([pid, , time]) => [pid, BigInt(time ?? 0)]));
    return rows.flatMap(([pid, ppid, time]) => {
        if (time === undefined)
            return [];
        const isParent = (started.get(ppid) ?? 0n) <= BigInt(time);
        return [{ pid: Number(pid), ppid: isParent ? Number(ppid) : 0, pgid: -1, session: -1, started: time }];
    });
}

// EXTERNAL MODULE: external "node:timers/promises"
var external_node_timers_promises_ = __webpack_require__(8500);
;// CONCATENATED MODULE: ./build/agent/process/process-tree.js


/**
 * Ends processes and all that they started: SIGTERM, a time of grace, SIGKILL, until none is left. New ones that appear
 * meanwhile are ended too. A process counts as the same only with the same start time, so a pid that was given
 * to somebody else is never signalled.
 */
async function endProcesses(table, belongs, times) {
    const known = new Map();
    const refused = new Set();
    const alive = async () => {
        const found = membersOf(await table.list(), belongs, known);
        for (const { pid, started } of found)
            known.set(pid, started);
        return found.filter(({ pid }) => !refused.has(pid));
    };
    const rest = await signalUntilGone(alive, 'SIGTERM', times.graceMs, refused);
    if (rest.length > 0)
        await signalUntilGone(alive, 'SIGKILL', times.killMs, refused);
    const remaining = new Set([...refused, ...(await alive()).map(({ pid }) => pid)]);
    return { ended: [...known.keys()].filter((pid) => !remaining.has(pid)), remaining: [...remaining] };
}
/** Processes that belong, were known to belong, or descend from such. */
function membersOf(list, belongs, known) {
    const all = new Map(list.map((one) => [one.pid, one]));
    const children = Map.groupBy(list, (one) => one.ppid);
    const members = new Set(list.filter((one) => known.get(one.pid) === one.started || belongs(one, all)));
    for (const member of members) {
        for (const child of children.get(member.pid) ?? [])
            members.add(child);
    }
    members.delete(all.get(process.pid));
    return [...members];
}
async function signalUntilGone(alive, signal, forMs, refused) {
    const signalled = new Set();
    const deadline = performance.now() + forMs;
    for (let pause = 5;; pause = Math.min(pause * 2, 100)) {
        const found = await alive();
        if (found.length === 0 || performance.now() >= deadline)
            return found;
        for (const { pid, started } of found) {
            const first = !signalled.has(`${pid} ${started}`);
            if ((first || signal === 'SIGKILL') && !sent(pid, signal))
                refused.add(pid);
            signalled.add(`${pid} ${started}`);
        }
        await (0,external_node_timers_promises_.setTimeout)(pause);
    }
}
/** False when the system does not let us. */
function sent(pid, signal) {
    try {
        process.kill(pid, signal);
        return true;
    }
    catch (error) {
        if ((0,gateline_error/* isSystemError */.Or)(error, 'ESRCH'))
            return true;
        if ((0,gateline_error/* isSystemError */.Or)(error, 'EPERM'))
            return false;
        throw error;
    }
}

;// CONCATENATED MODULE: ./build/agent/process/shells.js


const STOP_ON_ERROR = "$ErrorActionPreference = 'stop'";
const EXIT_WITH_LAST = 'if ((Test-Path -LiteralPath variable:\\LASTEXITCODE)) { exit $LASTEXITCODE }';
/**
 * What a GitHub `run:` step would start for this `shell:`, per
 * https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsshell — with three
 * differences: `python` falls back to `python3`, PowerShell gets the script by `-File` instead of a command to put
 * together, and `node` is a shell too.
 *
 * @throws GatelineError `SHELL_INVALID` for a template without `{0}`, `SCRIPT_PATH_INVALID` where `cmd` cannot be given the path
 */
function invocationOf(shell, command, directory, platform) {
    const at = (extension) => (0,external_node_path_.join)(directory, `command.${extension}`);
    switch (shell) {
        case 'bash':
            return posix(bashes(platform), ['--noprofile', '--norc', '-e', '-o', 'pipefail'], at('sh'), command, 'Install bash, or set `shell: sh`.');
        case 'sh':
            return posix(['sh'], ['-e'], at('sh'), command, 'Install a POSIX shell, or name another `shell:`.');
        case 'python':
            return posix(['python', 'python3'], [], at('py'), command, 'Install Python 3, or set PATH so that `python` or `python3` is found.');
        case 'node':
            return posix(['node'], [], at('mjs'), command, 'Install Node.js, or set PATH so that `node` is found.');
        case 'pwsh':
        case 'powershell':
            return powershell(shell, at('ps1'), command, platform);
        case 'cmd':
            return cmd(at('cmd'), command);
        default:
            return fromTemplate(shell, at('script'), command);
    }
}
function posix(files, options, script, content, hint) {
    return { script, content, hint, programs: files.map((file) => ({ file, args: [...options, script] })) };
}
/** On Windows `bash` alone would be the one of WSL, which sees other files; GitHub takes the one of Git. */
function bashes(platform) {
    return platform === 'win32' ? ['C:\\Program Files\\Git\\bin\\bash.exe', 'bash'] : ['bash'];
}
function powershell(shell, script, command, platform) {
    const policy = platform === 'win32' ? ['-ExecutionPolicy', 'Bypass'] : [];
    const text = `${STOP_ON_ERROR}\n${command}\n${EXIT_WITH_LAST}\n`;
    return {
        script,
        // Windows PowerShell 5 reads a script without a byte order mark as ANSI.
        content: shell === 'powershell' ? `\ufeff${text}` : text,
        programs: [{ file: shell, args: ['-NoLogo', '-NonInteractive', ...policy, '-File', script] }],
        hint: shell === 'pwsh'
            ? 'Install PowerShell 7 (`pwsh`), or name another `shell:`.'
            : '`powershell` is there on Windows only: set `shell: pwsh`.',
    };
}
function cmd(script, command) {
    if (/["%\r\n]/.test(script)) {
        throw new gateline_error/* GatelineError */.Mk('user', 'SCRIPT_PATH_INVALID', `cmd cannot run a script at ${script}: a quote or a per cent sign is in the path`, {
            hint: 'Move the workspace to a folder without these characters, or set `shell: pwsh`.',
        });
    }
    return {
        script,
        content: `@echo off\r\n${command.replaceAll(/\r?\n/g, '\r\n')}\r\n`,
        programs: [{ file: 'cmd.exe', args: ['/D', '/E:ON', '/V:OFF', '/S', '/C', `"CALL "${script}""`], verbatim: true }],
        hint: '`cmd` is there on Windows only: name another `shell:`.',
    };
}
function fromTemplate(template, script, command) {
    const words = wordsOf(template).map((word) => word.replaceAll('{0}', script));
    const [file, ...args] = words;
    if (file === undefined || !template.includes('{0}')) {
        throw new gateline_error/* GatelineError */.Mk('user', 'SHELL_INVALID', `shell: ${JSON.stringify(template)} is no known shell and holds no {0}`, {
            hint: 'Use bash, sh, python, node, pwsh, powershell or cmd, or a template such as `perl {0}`; {0} stands for the script.',
        });
    }
    return {
        script,
        content: command,
        programs: [{ file, args }],
        hint: `Install \`${file}\`, or name another \`shell:\`.`,
    };
}
/** Words apart by white space; double quotes hold a word together. */
function wordsOf(template) {
    return [...template.matchAll(/(?:"[^"]*"|[^\s"])+/g)].map(([word]) => word.replaceAll('"', ''));
}

;// CONCATENATED MODULE: ./build/agent/process/captured-text.js
/**
 * Keeps the beginning and the end of a text of any length in at most `limit` bytes of UTF-8: its first and its
 * last half.
 */
class CapturedText {
    head = [];
    half;
    headBytes = 0;
    /** The last `half` bytes as a ring; `tailBytes` counts all that ever went in. */
    ring;
    tailBytes = 0;
    /** @param limit bytes kept, at least 2 */
    constructor(limit) {
        this.half = Math.max(1, Math.floor(limit / 2));
    }
    add(text) {
        const bytes = Buffer.from(text);
        const room = Math.min(this.half - this.headBytes, bytes.length);
        if (room > 0) {
            this.head.push(Uint8Array.prototype.slice.call(bytes, 0, room));
            this.headBytes += room;
            if (this.head.length > 256)
                this.head.splice(0, this.head.length, Buffer.concat(this.head));
        }
        if (room < bytes.length)
            this.addToTail(bytes.subarray(room));
    }
    /** The text, with a line in between that says how many bytes were left out. */
    toString() {
        const head = Buffer.concat(this.head);
        const tail = this.tail();
        if (this.tailBytes === tail.length)
            return Buffer.concat([head, tail]).toString();
        const headEnd = head.length - unfinished(head);
        const tailStart = tail.findIndex((byte) => (byte & 0xc0) !== 0x80);
        const from = tailStart < 0 ? tail.length : tailStart;
        const leftOut = this.headBytes - headEnd + this.tailBytes - (tail.length - from);
        const note = `\n[gateline: ${leftOut} bytes left out]\n`;
        return head.toString('utf8', 0, headEnd) + note + tail.toString('utf8', from);
    }
    addToTail(bytes) {
        this.ring ??= new Uint8Array(this.half);
        const last = bytes.subarray(Math.max(0, bytes.length - this.half));
        const at = (this.tailBytes + bytes.length - last.length) % this.half;
        const first = last.subarray(0, this.half - at);
        this.ring.set(first, at);
        this.ring.set(last.subarray(first.length), 0);
        this.tailBytes += bytes.length;
    }
    tail() {
        if (this.ring === undefined)
            return Buffer.alloc(0);
        if (this.tailBytes <= this.half)
            return Buffer.from(this.ring.subarray(0, this.tailBytes));
        const at = this.tailBytes % this.half;
        return Buffer.concat([this.ring.subarray(at), this.ring.subarray(0, at)]);
    }
}
/** How many bytes at the end begin a character without ending it. */
function unfinished(bytes) {
    for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
        const byte = bytes[bytes.length - back];
        if ((byte & 0xc0) === 0x80)
            continue;
        const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
        return length > back ? back : 0;
    }
    return 0;
}

;// CONCATENATED MODULE: ./build/agent/process/escape-sequences.js
/** Parts of a longer sequence than this are shown; waiting for its end would hide output and hold memory. */
const MAX_TEXT = 4_096;
const CSI = String.raw `(?:\x1b\[|\x9b)[0-?]{0,256}[ -/]{0,16}`;
/** OSC, DCS, SOS, PM and APC: text up to BEL or ST. */
const TEXT = String.raw `(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,${MAX_TEXT}}`;
const OTHER = String.raw `\x1b[ -/]{0,8}`;
/** Escape sequences of ECMA-48, with 7-bit and 8-bit introducers. */
const SEQUENCE = new RegExp(`${CSI}[@-~]|${TEXT}(?:\\x07|\\x1b\\\\|\\x9c)|${OTHER}[0-OQ-WYZ\\\\\`-~]`, 'g');
/** One that has begun and may go on. */
const BEGUN = new RegExp(`^(?:${CSI}|${TEXT}\\x1b?|${OTHER})$`);
const INTRODUCER = new RegExp(String.raw `[\x1b\x90\x98\x9b\x9d-\x9f]`);
/** Control characters but tab, line feed and carriage return. */
const CONTROL = new RegExp(String.raw `[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]`);
const CONTROLS = new RegExp(CONTROL, 'g');
/** Text without escape sequences and without control characters but tab, line feed and carriage return. */
function withoutEscapes(text) {
    return CONTROL.test(text) ? text.replace(SEQUENCE, '').replace(CONTROLS, '') : text;
}
/** Where an escape sequence begins that may go on in text that follows; the text's length when there is none. */
function openEscapeAt(text) {
    let open = text.length;
    let seen = 0;
    // The last introducer may be the ESC of an ESC \ that ends what the one before it began.
    for (let at = text.length - 1; at >= Math.max(0, text.length - MAX_TEXT) && seen < 2; at -= 1) {
        if (!INTRODUCER.test(text.charAt(at)))
            continue;
        seen += 1;
        if (BEGUN.test(text.slice(at)))
            open = at;
    }
    return open;
}

;// CONCATENATED MODULE: ./build/agent/process/agent-output.js


/** A line longer than this is shown in pieces. */
const MAX_LINE = 16_384;
/**
 * One output stream of an agent, from bytes to what is kept and shown. In this order, so that nothing is put together
 * again after redaction: UTF-8 (invalid bytes become U+FFFD), escape sequences and control characters out, redaction, then
 * the kept text and the lines. Holds a bounded amount of text whatever comes.
 */
class AgentOutput {
    decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    kept;
    redaction;
    onLine;
    escape = '';
    line = '';
    endedWithReturn = false;
    constructor(limit, redaction, onLine) {
        this.kept = new CapturedText(limit);
        this.redaction = redaction;
        this.onLine = onLine;
    }
    add(bytes) {
        this.keep(this.redaction.push(this.plain(this.decoder.decode(bytes, { stream: true }))));
    }
    /** No more comes: takes in what was held back. */
    end() {
        const rest = `${this.escape}${this.decoder.decode()}`;
        this.escape = '';
        this.keep(this.redaction.push(withoutEscapes(rest)));
        this.keep(this.redaction.flush());
        if (this.line !== '')
            this.onLine?.(this.line);
        this.line = '';
    }
    /** What was kept; see {@link CapturedText}. */
    text() {
        return this.kept.toString();
    }
    plain(text) {
        const all = this.escape + text;
        const open = openEscapeAt(all);
        this.escape = all.slice(open);
        return withoutEscapes(all.slice(0, open));
    }
    keep(text) {
        if (text === '')
            return;
        this.kept.add(text);
        if (this.onLine === undefined)
            return;
        const joined = this.endedWithReturn && text.startsWith('\n') ? text.slice(1) : text;
        this.endedWithReturn = text.endsWith('\r');
        const lines = joined.split(/\r\n|\r|\n/);
        lines[0] = this.line + lines[0];
        this.line = lines.pop();
        for (const line of lines)
            this.show(line);
        while (this.line.length > MAX_LINE) {
            this.onLine(this.line.slice(0, MAX_LINE));
            this.line = this.line.slice(MAX_LINE);
        }
    }
    show(line) {
        for (let at = 0; at === 0 || at < line.length; at += MAX_LINE)
            this.onLine?.(line.slice(at, at + MAX_LINE));
    }
}
/**
 * A {@link TextFilter} out of a function that redacts whole texts: it is given whole lines. A line of more than 64 KiB is
 * cut where the parts come to the same as the whole.
 */
function redactLines(redact) {
    const longest = 65_536;
    let pending = '';
    const push = (piece) => {
        pending += piece;
        let cut = piece.includes('\n') ? pending.lastIndexOf('\n') + 1 : 0;
        if (cut === 0 && pending.length > 2 * longest)
            cut = sameWhenCut(pending, pending.length - longest, redact);
        const ready = pending.slice(0, cut);
        pending = pending.slice(cut);
        return redact(ready);
    };
    const flush = () => {
        const rest = redact(pending);
        pending = '';
        return rest;
    };
    return { push, flush };
}
function sameWhenCut(text, wish, redact) {
    const whole = redact(text);
    for (let cut = wish; cut > 0; cut -= 1_021) {
        if (redact(text.slice(0, cut)) + redact(text.slice(cut)) === whole)
            return cut;
    }
    return text.length;
}

;// CONCATENATED MODULE: ./build/agent/process/watch.js






/** `setTimeout` takes no more. */
const MAX_TIMER = 2_147_483_647;
/** Output that still comes this many times `drainMs` after the end is not waited for. */
const MAX_DRAINS = 10;
/**
 * Watches an agent from its start to the end of all that it started. Must be called in the same turn of the event loop as
 * the child's `spawn` event, so that nothing is missed.
 */
async function watch(child, task, table, times) {
    const stop = Promise.withResolvers();
    const broken = (error) => stop.resolve({ why: 'broken', error });
    const output = { stdout: outputOf(task, 'stdout'), stderr: outputOf(task, 'stderr') };
    const lastSeen = listen(child, output, broken);
    const exited = new Promise((resolve) => child.once('exit', () => resolve()));
    const closed = new Promise((resolve) => child.once('close', () => resolve()));
    const onAbort = () => stop.resolve({ why: 'cancelled' });
    task.signal.addEventListener('abort', onAbort, { once: true });
    const timer = setTimeout(() => stop.resolve({ why: 'timeout' }), Math.min(task.timeoutMs, MAX_TIMER));
    void exited.then(() => stop.resolve({ why: 'exited' }));
    const first = (await table.find(child.pid)) ?? unknownProcess(child.pid);
    try {
        writeProcessRecord(task.directory, first, table.boot);
    }
    catch (cause) {
        broken(new gateline_error/* GatelineError */.Mk('platform', 'PROCESS_RECORD_FAILED', `cannot write to ${task.directory}: ${(0,gateline_error/* messageOf */.bD)(cause)}`, {
            hint: 'Look at free space and permissions below .state.',
            cause,
        }));
    }
    const stopped = await stop.promise;
    clearTimeout(timer);
    task.signal.removeEventListener('abort', onAbort);
    const { remaining } = await endProcesses(table, ofAttempt(table, first, task.directory), times);
    await Promise.race([exited, (0,external_node_timers_promises_.setTimeout)(times.killMs, undefined, { ref: false })]);
    await drained(child, closed, lastSeen, times.drainMs);
    removeProcessRecord(task.directory);
    if (stopped.why === 'broken')
        throw stopped.error;
    return resultOf(stopped.why, child, output, remaining);
}
function outputOf(task, stream) {
    const { onLine } = task;
    const show = onLine === undefined ? undefined : (line) => onLine(stream, line);
    return new AgentOutput(task.logLimit, task.redactStream?.() ?? redactLines(task.redact), show);
}
/** @returns when output last came, as `performance.now()` */
function listen(child, output, broken) {
    let last = performance.now();
    for (const name of ['stdout', 'stderr']) {
        let sound = true;
        child[name].on('error', broken).on('data', (chunk) => {
            last = performance.now();
            try {
                if (sound)
                    output[name].add(chunk);
            }
            catch (error) {
                sound = false;
                broken(error);
            }
        });
    }
    return () => last;
}
/** Waits until all output is in. Whoever got away may hold it open for ever: then silence is enough. */
async function drained(child, closed, lastSeen, drainMs) {
    const begin = performance.now();
    const done = closed.then(() => true);
    while (!(await Promise.race([done, (0,external_node_timers_promises_.setTimeout)(Math.min(drainMs, 50), false)]))) {
        // What is ready to be read comes before the next look at the clock.
        await (0,external_node_timers_promises_.setImmediate)();
        const now = performance.now();
        if (now - Math.max(begin, lastSeen()) < drainMs && now - begin < MAX_DRAINS * drainMs)
            continue;
        child.stdout.destroy();
        child.stderr.destroy();
        child.unref();
        return;
    }
}
/** It ended before anybody could look; nothing equals this start time. */
function unknownProcess(pid) {
    return { pid, ppid: process.pid, pgid: pid, session: pid, started: '' };
}
function resultOf(why, child, output, remaining) {
    output.stdout.end();
    output.stderr.end();
    const note = remaining.length === 0 ? '' : `\n[gateline: could not be ended: process ${remaining.join(', ')}]\n`;
    return {
        outcome: why === 'exited' && child.signalCode !== null ? 'signalled' : why,
        ...(child.exitCode === null ? {} : { exitCode: child.exitCode }),
        ...(child.signalCode === null ? {} : { signal: child.signalCode }),
        stdout: output.stdout.text(),
        stderr: output.stderr.text() + note,
    };
}

;// CONCATENATED MODULE: ./build/agent/process/process-agent.js









/** A variable longer than this cannot be given to a program on Linux (MAX_ARG_STRLEN). */
const MAX_VARIABLE = 131_072;
/**
 * An {@link Agent} that runs commands as processes of this machine, the way a GitHub `run:` step does: see
 * {@link file://./shells.ts}.
 *
 * Each agent gets a session of its own. When it ends, by itself or by us, everything that it started is ended: its process
 * group and session, all descendants, and on Linux whatever has the attempt's directory in its environment, wherever it
 * moved. What neither descends from it any more, nor is in its session, nor kept its environment, is not found; against an
 * agent that means to get away only a container helps.
 */
function createProcessAgent(options = {}) {
    const platform = options.platform ?? process.platform;
    const table = processTable(platform);
    const times = {
        graceMs: options.graceMs ?? 5_000,
        killMs: options.killMs ?? 10_000,
        drainMs: options.drainMs ?? 1_000,
    };
    return {
        run: (task) => runTask(task, table, times, platform),
        endLeftovers: (root) => endLeftovers(root, table, times),
    };
}
async function endLeftovers(root, table, times) {
    const { ended, remaining } = await endProcesses(table, leftBelow(table, root), times);
    if (remaining.length > 0) {
        throw new gateline_error/* GatelineError */.Mk('platform', 'LEFTOVER_ALIVE', `processes of an agent whose engine was killed cannot be ended: ${remaining.join(', ')}`, {
            hint: 'End them by hand (they may belong to another user), then run again.',
        });
    }
    return ended;
}
async function runTask(task, table, times, platform) {
    if (task.signal.aborted)
        return { outcome: 'cancelled', stdout: '', stderr: '' };
    let child;
    try {
        const invocation = invocationOf(task.shell, task.command, task.directory, platform);
        (0,external_node_fs_.writeFileSync)(invocation.script, invocation.content, { mode: 0o700 });
        child = await start(invocation, task, platform);
    }
    catch (error) {
        return { outcome: 'not-started', message: task.redact(whyNotStarted(error)), stdout: '', stderr: '' };
    }
    return watch(child, task, table, times);
}
async function start(invocation, task, platform) {
    for (const program of invocation.programs) {
        try {
            return await startProgram(program, task, platform);
        }
        catch (error) {
            if (!(0,gateline_error/* isSystemError */.Or)(error, 'ENOENT'))
                throw explained(error, program, task);
        }
    }
    if (!(0,external_node_fs_.existsSync)(task.workingDirectory)) {
        throw new gateline_error/* GatelineError */.Mk('user', 'DIRECTORY_MISSING', `the working directory ${task.workingDirectory} does not exist`, {
            hint: 'Create it, or change `working-directory:`.',
        });
    }
    const names = invocation.programs.map(({ file }) => file).join(' or ');
    throw new gateline_error/* GatelineError */.Mk('user', 'SHELL_MISSING', `${names} was not found on the PATH`, { hint: invocation.hint });
}
async function startProgram(program, task, platform) {
    const child = (0,external_node_child_process_.spawn)(program.file, program.args, {
        cwd: task.workingDirectory,
        env: { ...task.env },
        stdio: ['ignore', 'pipe', 'pipe'],
        shell: false,
        // A session of its own, so that Ctrl-C in the terminal reaches the engine only, which then ends all of it.
        detached: platform !== 'win32',
        windowsHide: true,
        windowsVerbatimArguments: program.verbatim ?? false,
    });
    await (0,external_node_events_.once)(child, 'spawn');
    return child;
}
function explained(error, program, task) {
    if ((0,gateline_error/* isSystemError */.Or)(error, 'E2BIG')) {
        const large = Object.entries(task.env).filter(([name, value]) => Buffer.byteLength(name) + Buffer.byteLength(value) + 2 > MAX_VARIABLE);
        const what = large.length > 0 ? `larger than 128 KiB: ${large.map(([name]) => name).join(', ')}` : 'too large in total';
        return new gateline_error/* GatelineError */.Mk('user', 'ENVIRONMENT_TOO_LARGE', `the agent's environment variables are ${what} (E2BIG)`, {
            hint: 'Hand large values over in a file.',
            cause: error,
        });
    }
    if ((0,gateline_error/* isSystemError */.Or)(error, 'EACCES')) {
        return new gateline_error/* GatelineError */.Mk('user', 'SHELL_FORBIDDEN', `${program.file} may not be started in ${task.workingDirectory} (EACCES)`, {
            hint: 'Check that it is executable and that the directory may be entered.',
            cause: error,
        });
    }
    return error;
}
function whyNotStarted(error) {
    const text = error instanceof gateline_error/* GatelineError */.Mk && error.hint !== undefined ? `${error.message}. ${error.hint}` : (0,gateline_error/* messageOf */.bD)(error);
    return text.replace(/\.$/, '');
}

;// CONCATENATED MODULE: ./build/agent/process/tool-version.js


/** A version command that takes longer than this is taken for one that hangs. */
const TIME_LIMIT_MS = 30_000;
/** No version is longer. */
const LENGTH_LIMIT = 1_000;
/**
 * What a tool's version command prints (stdout, else stderr), trimmed. The command is from the pipeline's
 * definition and runs in the system's shell.
 * @throws GatelineError `TOOL_MISSING` when it cannot be run or fails.
 */
function toolVersion(command, workingDirectory) {
    return new Promise((resolve, reject) => {
        (0,external_node_child_process_.exec)(command, { cwd: workingDirectory, timeout: TIME_LIMIT_MS, windowsHide: true }, (error, stdout, stderr) => {
            if (error === null) {
                resolve((stdout.trim() || stderr.trim()).slice(0, LENGTH_LIMIT));
                return;
            }
            const why = stderr.trim().split('\n')[0] ?? (0,gateline_error/* messageOf */.bD)(error);
            reject(new gateline_error/* GatelineError */.Mk('user', 'TOOL_MISSING', `tools: \`${command}\` does not tell a version: ${why || (0,gateline_error/* messageOf */.bD)(error)}`, {
                hint: 'Install the tool, or correct or remove it under `tools`.',
                cause: error,
            }));
        });
    });
}

// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(7598);
// EXTERNAL MODULE: ./build/run/record.js
var run_record = __webpack_require__(1265);
// EXTERNAL MODULE: ./build/store/parse-record.js
var parse_record = __webpack_require__(1287);
// EXTERNAL MODULE: ./build/store/store-errors.js
var store_errors = __webpack_require__(6519);
// EXTERNAL MODULE: ./build/store/filesystem/atomic-write.js
var atomic_write = __webpack_require__(9553);
// EXTERNAL MODULE: ./build/store/filesystem/durable.js
var durable = __webpack_require__(2491);
// EXTERNAL MODULE: ./build/store/filesystem/read-file.js
var read_file = __webpack_require__(8781);
// EXTERNAL MODULE: ./build/store/filesystem/state-folder.js
var state_folder = __webpack_require__(2222);
;// CONCATENATED MODULE: ./build/store/filesystem/engine-lock.js












const LOCK_FORMAT = 'gateline-lock/1';
const LOCK_NAME = /^lock\.([1-9][0-9]{0,14})$/;
/** Temporary files that nothing was written to for this long are what killed processes left. */
const OLD_TEMPORARY_MS = 60 * 60 * 1_000;
const lockSchema = schemas/* object */.Ikc({
    format: schemas/* literal */.euz(LOCK_FORMAT),
    state: schemas/* enum */.k5n(['held', 'released']),
    /** Tells this lock from any other, also from a later one of the same number. */
    token: schemas/* string */.YjP().max(64),
    holder: run_record/* decidedSchema */._6.shape.by,
    since: schemas/* string */.YjP().max(64),
});
/**
 * Take the engine lock of a state folder: one engine a workspace at a time. It does not wait. A lock whose holder
 * is dead is taken over.
 *
 * Files `lock.<generation>`: each take makes the next one, which can be made only once; the newest that is there
 * counts. Old temporary files are removed on the way.
 *
 * @param root absolute path of the state folder; it is made where it is missing
 * @param me who takes it; see `processIdentity`
 * @param isAlive whether the holder of an older lock still lives
 * @throws GatelineError `ENGINE_BUSY` (fault `user`) when another engine has it, or may have it
 * @throws GatelineError `STORE_WRITE_FAILED`, `STORE_READ_FAILED` (fault `platform`)
 */
async function takeLock(root, me, isAlive, options = {}) {
    await (0,state_folder/* initialiseRoot */.w)(root, options.onDurable);
    const seen = (await generations(root)).at(-1) ?? 0;
    if (seen > 0)
        await refuseLiving(root, seen, isAlive);
    const lock = new Lock(root, seen + 1, me, options);
    await lock.take(seen);
    await sweepTemporary((0,external_node_path_.join)(root, 'tmp'));
    return lock;
}
/** Who holds the lock, dead or alive; `undefined` when nobody does. @throws GatelineError `STORE_READ_FAILED` */
async function readLock(root) {
    const generation = (await generations(root)).at(-1);
    if (generation === undefined)
        return undefined;
    const content = await readContent(join(root, `lock.${generation}`));
    if (content === undefined || typeof content === 'string' || content.state === 'released')
        return undefined;
    return { generation, holder: content.holder, since: content.since };
}
class Lock {
    generation;
    #root;
    #path;
    #content;
    #options;
    #released = false;
    constructor(root, generation, me, options) {
        this.generation = generation;
        this.#root = root;
        this.#path = lockPath(root, generation);
        this.#options = options;
        this.#content = {
            format: LOCK_FORMAT,
            state: 'held',
            token: (0,external_node_crypto_.randomUUID)(),
            holder: me,
            since: new Date().toISOString(),
        };
    }
    /** @param seen the generation that was the newest; 0: there was none */
    async take(seen) {
        const mine = await (0,store_errors/* writing */.dV)(this.#path, async () => {
            const temporary = await (0,durable/* writeTemporary */.bW)((0,external_node_path_.join)(this.#root, 'tmp'), [Buffer.from(textOf(this.#content))]);
            return (0,durable/* claimName */.cB)(temporary.path, this.#path, this.#options.claiming ?? 'link');
        });
        if (!mine)
            throw await busy(this.#root, this.generation);
        this.#options.onDurable?.(`lock ${this.generation}`);
        if (await this.#isOvertaken(seen)) {
            await (0,store_errors/* writing */.dV)(this.#path, () => (0,promises_.rm)(this.#path, { force: true }));
            throw await busy(this.#root, (await generations(this.#root)).at(-1) ?? this.generation);
        }
        for (const lower of await generations(this.#root)) {
            // From the lowest on: a generation that is gone proves that those below it are gone too.
            if (lower < this.generation)
                await (0,store_errors/* writing */.dV)(this.#path, () => (0,promises_.rm)(lockPath(this.#root, lower), { force: true }));
        }
        await (0,store_errors/* writing */.dV)(this.#root, () => (0,durable/* syncFolder */.Yw)(this.#root));
    }
    /**
     * We may have been asleep between looking and making our file, while others took later generations and removed
     * the file of ours. Then the one that we saw is gone too, or a higher one is there.
     */
    async #isOvertaken(seen) {
        if (seen > 0 && (await (0,store_errors/* unlessAbsent */.QY)((0,promises_.lstat)(lockPath(this.#root, seen)))) === undefined)
            return true;
        return ((await generations(this.#root)).at(-1) ?? 0) > this.generation;
    }
    async release() {
        if (this.#released)
            return;
        this.#released = true;
        const now = await readContent(this.#path);
        // Somebody removed it by hand: what is there now, if anything, is another engine's.
        if (now === undefined || typeof now === 'string' || now.token !== this.#content.token)
            return;
        await (0,atomic_write/* atomicWrite */.L)(this.#path, textOf({ ...this.#content, state: 'released' }), {
            temporaryFolder: (0,external_node_path_.join)(this.#root, 'tmp'),
        });
        this.#options.onDurable?.(`lock ${this.generation} released`);
    }
    async [Symbol.asyncDispose]() {
        await this.release();
    }
}
async function refuseLiving(root, generation, isAlive) {
    const content = await readContent(lockPath(root, generation));
    if (content === undefined || typeof content === 'string')
        throw await busy(root, generation);
    if (content.state === 'held' && (await isAlive(content.holder)))
        throw await busy(root, generation);
}
/** The error that tells who has the lock. */
async function busy(root, generation) {
    const path = lockPath(root, generation);
    const content = await readContent(path);
    const byHand = `If you are sure that no other Gateline works in this workspace, remove ${path} and try again.`;
    if (content === undefined || (typeof content !== 'string' && content.state === 'released')) {
        return new gateline_error/* GatelineError */.Mk('user', 'ENGINE_BUSY', `Another Gateline took the lock of ${root} at the same moment`, {
            hint: 'Try again.',
            place: { file: path },
        });
    }
    if (typeof content === 'string') {
        return new gateline_error/* GatelineError */.Mk('user', 'ENGINE_BUSY', `Whether another Gateline works in ${root} cannot be told: ${path}: ${content}`, { hint: byHand, place: { file: path } });
    }
    const { holder, since } = content;
    return new gateline_error/* GatelineError */.Mk('user', 'ENGINE_BUSY', `Another Gateline works in ${root}: process ${holder.pid} on ${holder.host}, since ${since}`, {
        hint: `Wait until it is done, or stop it. ${byHand}`,
        place: { file: path },
    });
}
function lockPath(root, generation) {
    return (0,external_node_path_.join)(root, `lock.${generation}`);
}
function textOf(content) {
    return `${JSON.stringify(content, null, 2)}\n`;
}
/** Generations that are there, lowest first. */
async function generations(root) {
    const names = await (0,store_errors/* unlessAbsent */.QY)((0,promises_.readdir)(root)).catch((error) => {
        throw (0,store_errors/* readFailure */.f1)(root, error);
    });
    const numbers = (names ?? []).map((name) => LOCK_NAME.exec(name)?.[1]).filter((digits) => digits !== undefined);
    return numbers.map(Number).toSorted((a, b) => a - b);
}
/** What a lock file says; `undefined`: it is gone; a text: why it cannot be told. */
async function readContent(path) {
    const file = await (0,read_file/* readWhole */.oD)(path, 65_536);
    if (file.state === 'absent')
        return undefined;
    if (file.state === 'unreadable')
        return file.message;
    const json = (0,parse_record/* parseStoredJson */.jZ)(file.bytes);
    if ('fault' in json)
        return json.fault.message;
    const parsed = lockSchema.safeParse(json.value);
    return parsed.success ? parsed.data : 'not the shape of a lock';
}
async function sweepTemporary(folder) {
    await (0,store_errors/* writing */.dV)(folder, async () => {
        for (const name of await (0,promises_.readdir)(folder)) {
            const path = (0,external_node_path_.join)(folder, name);
            const status = await (0,store_errors/* unlessAbsent */.QY)((0,promises_.stat)(path));
            if (status !== undefined && name.endsWith('.tmp') && Date.now() - status.mtimeMs > OLD_TEMPORARY_MS)
                await (0,promises_.rm)(path, { force: true });
        }
    });
}

// EXTERNAL MODULE: ./build/run/digest.js
var run_digest = __webpack_require__(4612);
;// CONCATENATED MODULE: ./build/store/chunks.js
/**
 * Chunks as bytes; texts as UTF-8. A character that is cut in two between one text and the next (a surrogate pair)
 * is put together again, so that where a text was cut never changes its bytes.
 */
async function* bytesOf(chunks) {
    let half = '';
    for await (const chunk of chunks) {
        if (typeof chunk !== 'string') {
            if (half !== '')
                yield Buffer.from(half);
            half = '';
            if (chunk.length > 0)
                yield chunk;
            continue;
        }
        const text = half + chunk;
        const cut = /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length;
        half = text.slice(cut);
        if (cut > 0)
            yield Buffer.from(text.slice(0, cut));
    }
    if (half !== '')
        yield Buffer.from(half);
}

// EXTERNAL MODULE: ./build/store/new-file.js
var new_file = __webpack_require__(619);
// EXTERNAL MODULE: ./build/store/filesystem/quarantine.js
var filesystem_quarantine = __webpack_require__(4942);
;// CONCATENATED MODULE: ./build/store/filesystem/content-files.js











/** Bytes read at once; all that is ever held of a large content. */
const CHUNK = 1_024 * 1_024;
/** Content as files named by digest: `content/sha256/ab/cdef…`. */
class ContentFiles {
    #state;
    constructor(state) {
        this.#state = state;
    }
    async put(content) {
        this.#state.assertWritable();
        const bytes = Buffer.from(content);
        const digest = (0,run_digest/* digestOf */.ol)(bytes);
        const known = await this.check(digest);
        if (known.state === 'present')
            return this.#settled(known.value);
        return this.putStream([bytes]);
    }
    async putStream(chunks) {
        this.#state.assertWritable();
        const hash = (0,external_node_crypto_.createHash)('sha256');
        const temporary = await this.#temporaryFrom(chunks, (chunk) => hash.update(chunk));
        try {
            const content = { digest: `sha256:${hash.digest('hex')}`, bytes: temporary.bytes };
            const known = await this.check(content.digest);
            if (known.state === 'present')
                return await this.#settled(content);
            await this.#place(temporary.path, content.digest, known);
            return content;
        }
        finally {
            await temporary.discard();
        }
    }
    async get(digest) {
        const whole = { bytes: Buffer.alloc(0), length: 0 };
        const read = await this.#verify(digest, (chunk, size) => {
            if (whole.length === 0)
                whole.bytes = Buffer.allocUnsafe(size);
            whole.length += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).copy(whole.bytes, whole.length);
        });
        return read.state === 'present' ? { state: 'present', value: whole.bytes } : read;
    }
    async check(digest) {
        return this.#verify(digest, () => undefined);
    }
    async copyTo(digest, path, mode) {
        const file = await this.#open(digest);
        if (file.state !== 'open')
            return file.read;
        const hash = (0,external_node_crypto_.createHash)('sha256');
        const chunks = async function* () {
            for await (const chunk of chunksOf(file.handle)) {
                hash.update(chunk);
                yield chunk;
            }
        };
        let actual;
        try {
            const copied = await (0,new_file/* writeNewFile */.S)(path, mode, chunks(), () => (actual = `sha256:${hash.digest('hex')}`) === digest);
            if (copied)
                return { state: 'present', value: { digest, bytes: Number(file.size) } };
        }
        catch (error) {
            // What the disk refuses to write comes as a GatelineError: this is what it refuses to read.
            if ((0,store_errors/* isFromSystem */.GM)(error))
                return { state: 'unknown', problem: this.#problem(digest, 'UNREADABLE', (0,store_errors/* reasonOf */.A3)(error)) };
            throw error;
        }
        finally {
            await file.handle.close();
        }
        return this.#altered(digest, actual ?? digest);
    }
    #path(digest) {
        if (!run_digest/* digestSchema */.er.safeParse(digest).success) {
            throw new gateline_error/* GatelineError */.Mk('gateline', 'DIGEST_INVALID', `${JSON.stringify(digest).slice(0, 100)} is not a digest`, {
                hint: 'A digest is `sha256:` and 64 lower-case hexadecimal digits.',
            });
        }
        const hex = (0,run_digest/* hexOf */.ZD)(digest);
        return (0,external_node_path_.join)(this.#state.root, 'content', 'sha256', hex.slice(0, 2), hex.slice(2));
    }
    /** What the chunks themselves throw is the caller's, and stays as it is. */
    async #temporaryFrom(chunks, see) {
        const thrown = [];
        const seen = async function* () {
            try {
                for await (const chunk of bytesOf(chunks)) {
                    see(chunk);
                    yield chunk;
                }
            }
            catch (error) {
                thrown.push(error);
                throw error;
            }
        };
        const { temporaryFolder } = this.#state;
        try {
            await this.#state.folder(temporaryFolder);
            return await (0,durable/* writeTemporary */.bW)(temporaryFolder, seen(), false);
        }
        catch (error) {
            throw thrown.includes(error) ? error : (0,store_errors/* writeFailure */.EU)(this.#state.show(temporaryFolder), error);
        }
    }
    /** Whoever wrote it may not have come to flush its name yet. */
    async #settled(content) {
        const path = this.#path(content.digest);
        await (0,store_errors/* writing */.dV)(this.#state.show(path), () => (0,durable/* syncFolder */.Yw)((0,external_node_path_.dirname)(path)));
        return content;
    }
    /** Move flushed bytes to their place. What stands there and is not right is in quarantine first. */
    async #place(temporary, digest, known) {
        const path = this.#path(digest);
        await (0,store_errors/* writing */.dV)(this.#state.show(path), async () => {
            if (known.state === 'unknown' && known.problem.quarantine === undefined)
                await (0,filesystem_quarantine/* keepAside */.EJ)(this.#state, path, (0,external_node_crypto_.randomUUID)(), known.problem);
            await (0,durable/* syncFile */.gD)(temporary);
            try {
                await this.#rename(temporary, path);
            }
            catch (error) {
                if (!(0,gateline_error/* isSystemError */.Or)(error, 'ENOENT'))
                    throw error;
                // Somebody removed a folder that was there before: make it again, once.
                this.#state.forgetFolders();
                await this.#rename(temporary, path);
            }
            await (0,durable/* syncFolder */.Yw)((0,external_node_path_.dirname)(path));
        });
        this.#state.onDurable(`content ${digest}`);
    }
    async #rename(temporary, path) {
        await this.#state.folder((0,external_node_path_.dirname)(path));
        await (0,promises_.rename)(temporary, path);
    }
    async #verify(digest, take) {
        const file = await this.#open(digest);
        if (file.state !== 'open')
            return file.read;
        const hash = (0,external_node_crypto_.createHash)('sha256');
        let bytes = 0;
        try {
            for await (const chunk of chunksOf(file.handle)) {
                hash.update(chunk);
                bytes += chunk.length;
                take(chunk, Number(file.size));
            }
        }
        catch (error) {
            if (!(0,store_errors/* isFromSystem */.GM)(error))
                throw error;
            return { state: 'unknown', problem: this.#problem(digest, 'UNREADABLE', (0,store_errors/* reasonOf */.A3)(error)) };
        }
        finally {
            await file.handle.close();
        }
        const actual = `sha256:${hash.digest('hex')}`;
        return actual === digest ? { state: 'present', value: { digest, bytes } } : this.#altered(digest, actual);
    }
    async #open(digest) {
        const file = await (0,read_file/* openForReading */.sb)(this.#path(digest));
        if (file.state === 'open')
            return { state: 'open', handle: file.handle, size: file.status.size };
        const read = file.state === 'absent'
            ? file
            : { state: 'unknown', problem: this.#problem(digest, 'UNREADABLE', file.message) };
        return { state: 'closed', read };
    }
    async #altered(digest, actual) {
        const problem = this.#problem(digest, 'CONTENT_ALTERED', `these bytes have the digest ${actual}`);
        if (this.#state.readOnly)
            return { state: 'unknown', problem };
        try {
            const target = await (0,filesystem_quarantine/* keepAside */.EJ)(this.#state, this.#path(digest), (0,run_digest/* hexOf */.ZD)(actual), problem);
            return { state: 'unknown', problem: { ...problem, quarantine: this.#state.show(target) } };
        }
        catch (error) {
            if (!(0,store_errors/* isFromSystem */.GM)(error) && !(error instanceof gateline_error/* GatelineError */.Mk))
                throw error;
            return {
                state: 'unknown',
                problem: { ...problem, message: `${problem.message} (they could not be put aside: ${(0,store_errors/* reasonOf */.A3)(error)})` },
            };
        }
    }
    #problem(digest, code, message) {
        return { code, where: this.#state.show(this.#path(digest)), message };
    }
}
/** A file's bytes. Each chunk is only good until the next one is asked for. */
async function* chunksOf(handle) {
    const { size } = await handle.stat();
    const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK, size + 1)));
    for (;;) {
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
        if (bytesRead === 0)
            return;
        yield buffer.subarray(0, bytesRead);
    }
}

// EXTERNAL MODULE: ./build/pipeline/pipeline.js
var pipeline_pipeline = __webpack_require__(4469);
;// CONCATENATED MODULE: ./build/store/record-names.js



const NUMBER = '(0|[1-9][0-9]{0,9})';
const RECORD_NAME = new RegExp(`^([a-z_][a-z0-9_-]{0,39})\\.([A-Za-z0-9._-]{1,80})\\.${NUMBER}\\.${NUMBER}\\.${NUMBER}\\.(started|ended|decided\\.[a-z]{1,16})$`);
/** Ids of legs that can stand in a name: no path, no space, and not the `_` that stands for "no leg". */
const LEG = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,79}$/;
/** The inverse of `recordName`. `undefined`: that is no record's name. */
function parseRecordName(name) {
    const match = RECORD_NAME.exec(name);
    if (match === null)
        return undefined;
    const [, gate = '', leg = '', runNumber, runAttempt, n, kind = ''] = match;
    return {
        gate,
        leg: leg === '_' ? '' : leg,
        runNumber: Number(runNumber),
        runAttempt: Number(runAttempt),
        n: Number(n),
        kind,
    };
}
/**
 * `recordName` of a record whose leg can stand in a name.
 * @throws GatelineError `RECORD_INVALID` for any other leg: ids of legs are made by us, so this is a bug of ours.
 */
function safeRecordName(record) {
    if (record.leg !== '' && (record.leg === '_' || !LEG.test(record.leg))) {
        throw new gateline_error/* GatelineError */.Mk('gateline', 'RECORD_INVALID', `The leg ${JSON.stringify(record.leg)} of gate "${record.gate}" cannot be part of a record's name`, {
            hint: 'Ids of legs are made of letters, digits, dots, hyphens and underscores.',
        });
    }
    return (0,run_record/* recordName */.xD)(record);
}
/** File name of a record: `<pipeline>.<recordName>.json`. With its folder (subject, run) that is its whole identity. */
function recordFileName(record) {
    return `${record.pipeline}.${safeRecordName(record)}.json`;
}
/** What a file's name says. `undefined`: it is not the name of a record's file. */
function parseRecordFileName(fileName) {
    const dot = fileName.indexOf('.');
    const pipeline = fileName.slice(0, Math.max(dot, 0));
    if (!fileName.endsWith('.json') || !pipeline_pipeline/* ID_PATTERN */.p.test(pipeline))
        return undefined;
    const names = parseRecordName(fileName.slice(dot + 1, -'.json'.length));
    return names === undefined ? undefined : { pipeline, names };
}

;// CONCATENATED MODULE: ./build/store/filesystem/read-entry.js







/** Larger files are not records: even 10,000 files on both lists of an `ended` record stay below. */
const MAX_RECORD_BYTES = 256 * 1_024 * 1_024;
/** How often an entry is read again that changes under our hands. */
const TRIES = 5;
/**
 * Read one file as the record that its name and place say it is. What is corrupt, truncated or foreign goes to
 * quarantine (unless the store is read-only); what is of another version or cannot be read stays where it is.
 */
async function readEntry(state, entry) {
    for (let left = TRIES;; left--) {
        const file = await (0,read_file/* readWhole */.oD)(entry.path, MAX_RECORD_BYTES);
        if (file.state === 'absent')
            return file;
        if (file.state === 'unreadable')
            return problem(state, entry, { code: 'UNREADABLE', message: file.message });
        const judged = judge(file.bytes, entry);
        if ('record' in judged)
            return { state: 'record', record: judged.record };
        if (judged.buriedAt !== undefined)
            return problem(state, entry, judged.fault, judged.buriedAt);
        if (!mayBury(state, entry, file.bytes, judged.fault))
            return problem(state, entry, judged.fault);
        const buried = await bury(state, entry, file, judged.fault);
        if (buried !== 'changed' || left === 0)
            return buried === 'changed' ? problem(state, entry, judged.fault) : buried;
    }
}
function judge(bytes, entry) {
    const json = (0,parse_record/* parseStoredJson */.jZ)(bytes);
    if ('fault' in json)
        return json;
    if ((0,parse_record/* formatOf */.be)(json.value) === filesystem_quarantine/* TOMBSTONE_FORMAT */.Ch) {
        const tombstone = filesystem_quarantine/* tombstoneSchema */.Zb.safeParse(json.value);
        if (!tombstone.success)
            return { fault: { code: 'CORRUPT', message: 'not the shape of a tombstone' } };
        const { code, message, quarantine } = tombstone.data;
        return { fault: { code, message }, buriedAt: quarantine };
    }
    const parsed = (0,parse_record/* judgeRecord */.dy)(json.value);
    if ('fault' in parsed)
        return parsed;
    const wrong = disagreements(parsed.record, entry);
    if (wrong.length === 0)
        return parsed;
    return {
        fault: {
            code: 'FOREIGN',
            message: `a sound record, but its place and what it says disagree: ${wrong.join('; ')}`.slice(0, 1_000),
        },
    };
}
/** In what a record and its name and place disagree. */
function disagreements(record, entry) {
    const wrong = [];
    const differs = (what, found, expected) => {
        if (found !== expected)
            wrong.push(`${what} ${JSON.stringify(found)} where ${JSON.stringify(expected)} belongs`);
    };
    differs('pipeline', record.pipeline, entry.pipeline);
    differs('subject', record.subject, entry.subject ?? record.subject);
    differs('run', record.runNumber, entry.runNumber);
    differs('name', nameOf(record), (0,external_node_path_.basename)(entry.path));
    return wrong;
}
function nameOf(record) {
    try {
        return recordFileName(record);
    }
    catch (error) {
        if (error instanceof gateline_error/* GatelineError */.Mk)
            return `(none: ${error.message})`;
        throw error;
    }
}
/**
 * An empty file holds nothing to keep, and its name is taken as it is. Leaving it also keeps us from moving aside
 * what a writer without hard links has reserved and is about to fill.
 */
function mayBury(state, entry, bytes, fault) {
    return !state.readOnly && entry.subject !== undefined && bytes.length > 0 && fault.code !== 'UNKNOWN_VERSION';
}
async function bury(state, entry, file, fault) {
    try {
        const target = await (0,filesystem_quarantine/* buryRecord */.iE)(state, entry.path, file.bytes, file.status, fault);
        return target === undefined ? 'changed' : problem(state, entry, fault, state.show(target));
    }
    catch (error) {
        // The disk may be full or read-only. The problem is told all the same, and the file stays.
        if (!(0,store_errors/* isFromSystem */.GM)(error) && !(error instanceof gateline_error/* GatelineError */.Mk))
            throw error;
        return problem(state, entry, {
            code: fault.code,
            message: `${fault.message} (it could not be put aside: ${(0,store_errors/* reasonOf */.A3)(error)})`,
        });
    }
}
function problem(state, entry, fault, quarantine) {
    const names = parseRecordFileName((0,external_node_path_.basename)(entry.path))?.names;
    return {
        state: 'problem',
        problem: {
            code: fault.code,
            where: state.show(entry.path),
            message: fault.message,
            ...(quarantine === undefined ? {} : { quarantine }),
            ...(names === undefined ? {} : { names }),
        },
    };
}

;// CONCATENATED MODULE: ./build/store/filesystem/record-files.js









/** With this many digits no two subjects ever share a folder. */
const FOLDER_HEX_DIGITS = 16;
/** Files that are read at the same time. */
const PARALLEL_READS = 32;
const RUN_FOLDER = /^(?:0|[1-9][0-9]{0,9})$/;
/** Records as files: `runs/<subject slug>/<runNumber>/<pipeline>.<recordName>.json`. */
class RecordFiles {
    #state;
    constructor(state) {
        this.#state = state;
    }
    async write(record) {
        this.#state.assertWritable();
        const checked = (0,parse_record/* checkedRecord */.FF)(record);
        const path = (0,external_node_path_.join)(this.#subjectFolder(checked.subject), String(checked.runNumber), recordFileName(checked));
        const bytes = Buffer.from(`${JSON.stringify(checked, null, 2)}\n`);
        const shown = this.#state.show(path);
        const written = await (0,store_errors/* writing */.dV)(shown, async () => {
            try {
                return await this.#claim(path, bytes);
            }
            catch (error) {
                if (!(0,gateline_error/* isSystemError */.Or)(error, 'ENOENT'))
                    throw error;
                // Somebody removed a folder that was there before: make it again, once.
                this.#state.forgetFolders();
                return this.#claim(path, bytes);
            }
        });
        if (written)
            this.#state.onDurable(`record ${shown}`);
        return written ? 'written' : 'taken';
    }
    async list(pipeline, subject) {
        const records = [];
        const problems = [];
        const entries = await this.#entries(pipeline, subject, problems);
        await eachInParallel(entries, PARALLEL_READS, async (entry) => {
            const read = await readEntry(this.#state, entry);
            if (read.state === 'record')
                records.push(read.record);
            else if (read.state === 'problem')
                problems.push(read.problem);
        });
        return { records, problems };
    }
    /** @throws GatelineError `STORE_READ_FAILED` when the folder of all subjects cannot be read */
    async subjects(pipeline) {
        const runs = (0,external_node_path_.join)(this.#state.root, 'runs');
        const folders = await (0,store_errors/* unlessAbsent */.QY)((0,promises_.readdir)(runs)).catch((error) => {
            throw (0,store_errors/* readFailure */.f1)(this.#state.show(runs), error);
        });
        const found = await Promise.all((folders ?? []).map((folder) => this.#subjectOf((0,external_node_path_.join)(runs, folder), pipeline)));
        return found.filter((subject) => subject !== undefined).toSorted();
    }
    #subjectFolder(subject) {
        return (0,external_node_path_.join)(this.#state.root, 'runs', (0,run_subject/* subjectSlug */.G)(subject, FOLDER_HEX_DIGITS));
    }
    async #claim(path, bytes) {
        await this.#state.folder(this.#state.temporaryFolder);
        await this.#state.folder((0,external_node_path_.dirname)(path));
        const temporary = await (0,durable/* writeTemporary */.bW)(this.#state.temporaryFolder, [bytes]);
        try {
            return await (0,durable/* claimName */.cB)(temporary.path, path, this.#state.claiming);
        }
        catch (error) {
            await temporary.discard();
            throw error;
        }
    }
    /** Every file that may be a record of this pipeline and subject. Folders that cannot be read go to `problems`. */
    async #entries(pipeline, subject, problems) {
        const folder = this.#subjectFolder(subject);
        const runs = (await this.#namesIn(folder, problems)).filter((name) => RUN_FOLDER.test(name));
        const nested = await Promise.all(runs.map(async (run) => {
            const files = (await this.#namesIn((0,external_node_path_.join)(folder, run), problems)).filter((name) => mayBeRecord(name, pipeline));
            return files.map((file) => ({ path: (0,external_node_path_.join)(folder, run, file), runNumber: Number(run), pipeline, subject }));
        }));
        return nested.flat();
    }
    async #namesIn(folder, problems) {
        try {
            return (await (0,store_errors/* unlessAbsent */.QY)((0,promises_.readdir)(folder))) ?? [];
        }
        catch (error) {
            if (!(0,store_errors/* isFromSystem */.GM)(error))
                throw error;
            problems.push({
                // Any number of records may be behind it.
                code: 'LISTING_LIMIT',
                where: this.#state.show(folder),
                message: `the folder cannot be listed: ${(0,store_errors/* reasonOf */.A3)(error)}`,
            });
            return [];
        }
    }
    /**
     * The subject that a folder's records of a pipeline are about; `undefined` without any. Where none of them is
     * sound, the folder's name tells, unless it is a changed one.
     */
    async #subjectOf(folder, pipeline) {
        let any = false;
        for (const run of (await this.#namesIn(folder, [])).filter((name) => RUN_FOLDER.test(name))) {
            for (const file of await this.#namesIn((0,external_node_path_.join)(folder, run), [])) {
                if (parseRecordFileName(file)?.pipeline !== pipeline)
                    continue;
                any = true;
                const read = await readEntry(this.#state, {
                    path: (0,external_node_path_.join)(folder, run, file),
                    runNumber: Number(run),
                    pipeline,
                    subject: undefined,
                });
                if (read.state === 'record' && this.#subjectFolder(read.record.subject) === folder)
                    return read.record.subject;
            }
        }
        const name = (0,external_node_path_.basename)(folder);
        return any && this.#subjectFolder(name) === folder ? name : undefined;
    }
}
/** Other pipelines' records are told by their names; dot files are what systems leave behind (`._x.json`). */
function mayBeRecord(fileName, pipeline) {
    if (!fileName.endsWith('.json') || fileName.startsWith('.'))
        return false;
    const parsed = parseRecordFileName(fileName);
    return parsed === undefined || parsed.pipeline === pipeline;
}
async function eachInParallel(items, limit, work) {
    const rest = items.values();
    const worker = async () => {
        for (const item of rest)
            await work(item);
    };
    await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}

;// CONCATENATED MODULE: ./build/store/filesystem/filesystem-store.js



/**
 * Records and contents as files; docs/reference/state-files.md has the layout. Safe for any number of processes at
 * once: a record's name is taken at most once, and readers see whole files or none.
 *
 * @throws GatelineError `STATE_ESCAPES` (fault `user`) when the folder leaves the workspace
 * @throws GatelineError `STORE_WRITE_FAILED`, `STORE_READ_FAILED` (fault `platform`) when the system refuses
 */
async function openFilesystemStore(options) {
    return new FilesystemStore(await state_folder/* StateFolder */.s.open(options));
}
class FilesystemStore {
    #records;
    #contents;
    constructor(state) {
        this.#records = new RecordFiles(state);
        this.#contents = new ContentFiles(state);
    }
    write(record) {
        return this.#records.write(record);
    }
    list(pipeline, subject) {
        return this.#records.list(pipeline, subject);
    }
    subjects(pipeline) {
        return this.#records.subjects(pipeline);
    }
    put(content) {
        return this.#contents.put(content);
    }
    putStream(chunks) {
        return this.#contents.putStream(chunks);
    }
    get(digest) {
        return this.#contents.get(digest);
    }
    check(digest) {
        return this.#contents.check(digest);
    }
    copyTo(digest, path, mode) {
        return this.#contents.copyTo(digest, path, mode);
    }
}

// EXTERNAL MODULE: external "node:os"
var external_node_os_ = __webpack_require__(8161);
;// CONCATENATED MODULE: ./build/store/filesystem/process-identity.js






const process_identity_run = (0,external_node_util_.promisify)(external_node_child_process_.execFile);
/** Two estimates of when a system started are of one start when they are this close, in seconds. */
const START_TOLERANCE = 120;
/** Marks a `boot` that is an estimate: `about:<seconds since 1970>`. */
const ESTIMATE = 'about:';
/**
 * Who this process is, such that another process can tell later whether it still lives.
 *
 * - `boot`: Linux: `<boot id> <pid namespace>`; macOS: the boot session's UUID; elsewhere an estimate of when the system started.
 * - `pidStart`: Linux: field 22 of `/proc/<pid>/stat` (clock ticks since boot); macOS: `ps -o lstart=`; elsewhere empty,
 *   and a pid that was given to another process is taken for the first one.
 */
async function processIdentity() {
    const seen = await lookAt(process.pid);
    return {
        host: (0,external_node_os_.hostname)().slice(0, 255),
        boot: (await bootIdentity()).slice(0, 255),
        pid: process.pid,
        pidStart: (seen.state === 'running' ? seen.start : '').slice(0, 64),
    };
}
/**
 * Whether the process that wrote something still lives. Where that cannot be told (another machine, another
 * container), the answer is yes: to wait in vain is better than to run twice.
 */
async function isAlive(writer) {
    const boot = await bootIdentity();
    const boots = compareBoots(writer.boot, boot);
    if (writer.host !== (0,external_node_os_.hostname)().slice(0, 255))
        return true;
    if (boots === 'other')
        return false;
    if (boots === 'cannot-tell')
        return true;
    const seen = await lookAt(writer.pid);
    if (seen.state !== 'running')
        return seen.state === 'hidden';
    return writer.pidStart === '' || seen.start === '' || seen.start === writer.pidStart;
}
/** `cannot-tell`: the same kernel, but another pid namespace, where pids mean something else. */
function compareBoots(a, b) {
    if (a === b)
        return 'same';
    if (a.startsWith(ESTIMATE) && b.startsWith(ESTIMATE)) {
        return Math.abs(Number(a.slice(ESTIMATE.length)) - Number(b.slice(ESTIMATE.length))) <= START_TOLERANCE
            ? 'same'
            : 'other';
    }
    return a.split(' ')[0] === b.split(' ')[0] ? 'cannot-tell' : 'other';
}
async function lookAt(pid) {
    const signalled = signal(pid);
    if (signalled === 'gone')
        return { state: 'gone' };
    if (process.platform === 'linux')
        return (await lookInProc(pid)) ?? { state: 'hidden' };
    if (process.platform === 'darwin')
        return (await askPs(pid)) ?? { state: 'gone' };
    return { state: 'running', start: '' };
}
/** Signal 0 only asks. */
function signal(pid) {
    // 0 would ask about our own process group.
    if (pid === 0)
        return 'gone';
    try {
        process.kill(pid, 0);
    }
    catch (error) {
        if ((0,gateline_error/* isSystemError */.Or)(error, 'ESRCH'))
            return 'gone';
        if (!(0,gateline_error/* isSystemError */.Or)(error, 'EPERM'))
            throw error;
    }
    return 'there';
}
/** `undefined`: there is no such entry, be it that the process just ended or that /proc hides other users' processes. */
async function lookInProc(pid) {
    const stat = await readOrNothing(`/proc/${pid}/stat`);
    if (stat === undefined)
        return signal(pid) === 'gone' ? { state: 'gone' } : undefined;
    return parseProcStat(stat);
}
/** A line of `/proc/<pid>/stat`, proc(5): the name in brackets may itself hold brackets and spaces. */
function parseProcStat(stat) {
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [condition = ''] = fields;
    // Field 22 of the line; the first one after the name is field 3.
    const start = fields[22 - 3] ?? '';
    return condition === 'Z' || condition === 'X' || condition === 'x' ? { state: 'gone' } : { state: 'running', start };
}
async function askPs(pid) {
    try {
        const { stdout } = await process_identity_run('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
            env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/bin:/usr/bin' },
        });
        const [condition = '', ...start] = stdout.trim().split(/\s+/);
        return condition.startsWith('Z') ? { state: 'gone' } : { state: 'running', start: start.join(' ') };
    }
    catch (error) {
        // ps exits with 1 when there is no such process.
        if (error instanceof Error && 'code' in error && error.code === 1)
            return undefined;
        throw error;
    }
}
async function bootIdentity() {
    if (process.platform === 'linux') {
        const id = await readOrNothing('/proc/sys/kernel/random/boot_id');
        if (id !== undefined)
            return `${id.trim()} ${await pidNamespace()}`;
    }
    if (process.platform === 'darwin') {
        const { stdout } = await process_identity_run('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']);
        return stdout.trim();
    }
    return `${ESTIMATE}${Math.round(Date.now() / 1_000 - (0,external_node_os_.uptime)())}`;
}
async function pidNamespace() {
    try {
        return await (0,promises_.readlink)('/proc/self/ns/pid');
    }
    catch (error) {
        if ((0,store_errors/* isFromSystem */.GM)(error))
            return 'pid:[?]';
        throw error;
    }
}
/** Systems that restrict /proc answer with all sorts of errors; then signals have to do. */
async function readOrNothing(path) {
    try {
        return await (0,promises_.readFile)(path, 'utf8');
    }
    catch (error) {
        if ((0,store_errors/* isFromSystem */.GM)(error))
            return undefined;
        throw error;
    }
}

// EXTERNAL MODULE: ./build/workspace/open-workspace.js + 20 modules
var open_workspace = __webpack_require__(149);
;// CONCATENATED MODULE: ./build/local/local-ports.js









/** Name of the folder that holds everything local. */
const STATE_FOLDER = '.state';
/** Absolute path of a pipeline's state: one of another file than the default has a folder of its own. */
function stateRoot(place) {
    const root = (0,external_node_path_.join)(place.root, STATE_FOLDER);
    return place.isDefault ? root : (0,external_node_path_.join)(root, place.pipeline.id);
}
/**
 * The engine's ports on this machine: the workspace at `place.root`, files below `.state/`, agents as processes.
 * @throws GatelineError `STATE_ESCAPES`, `STORE_READ_FAILED`, `STORE_WRITE_FAILED`, `WORKSPACE_MISSING`, `GIT_FAILED`
 */
async function localPorts(options) {
    const { place, environment, readOnly = false } = options;
    const root = stateRoot(place);
    const durable = options.onDurable === undefined ? {} : { onDurable: options.onDurable };
    const [workspace, store, me] = await Promise.all([
        (0,open_workspace/* openWorkspace */.O)(place.root, { environment }),
        options.store ?? openFilesystemStore({ root, workspace: place.root, readOnly, ...durable }),
        processIdentity(),
    ]);
    return {
        workspace,
        store,
        agent: createProcessAgent(),
        attempts: createAttemptFiles({ root: (0,external_node_path_.join)(root, 'attempts'), ...durable }),
        now: options.now ?? (() => new Date()),
        me,
        isGone: async (writer) => !(await isAlive(writer)),
        environment,
        platform: { os: external_node_process_.platform, arch: external_node_process_.arch },
        toolVersion: (command) => toolVersion(command, place.root),
    };
}
/**
 * Takes the right to run the engine on a workspace: one at a time. Give it back by `await using` or `release()`.
 * @param root absolute path of the workspace
 * @throws GatelineError `ENGINE_BUSY`, at once, when another process has it
 */
async function lockWorkspace(root, durable = {}) {
    return takeLock((0,external_node_path_.join)(root, STATE_FOLDER), await processIdentity(), isAlive, durable);
}


/***/ }),

/***/ 4129:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   CHECK_RULES: () => (/* binding */ CHECK_RULES),
/* harmony export */   IF_RULES: () => (/* binding */ IF_RULES),
/* harmony export */   b4: () => (/* binding */ offsetOf),
/* harmony export */   functionNames: () => (/* binding */ functionNames),
/* harmony export */   jy: () => (/* binding */ bareExpression),
/* harmony export */   parseExpression: () => (/* binding */ parseExpression)
/* harmony export */ });
/* unused harmony export HAS_FUNCTION */
/* harmony import */ var _actions_expressions__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(4082);

/** `has(output, '/x')`: whether the output has that part. */
const HAS_FUNCTION = { name: 'has', minArgs: 2, maxArgs: 2 };
/** What `if` sees. */
const IF_RULES = { contexts: ['subject', 'metadata', 'needs'], functions: [] };
/** What `checks` see. */
const CHECK_RULES = {
    contexts: ['output', 'score', 'subject', 'metadata'],
    functions: [HAS_FUNCTION],
};
const GITHUB_FUNCTIONS = ['contains', 'startsWith', 'endsWith', 'format', 'join', 'toJSON', 'fromJSON', 'case'];
const KNOWN_FUNCTIONS = new Set(GITHUB_FUNCTIONS.map((name) => name.toLowerCase()));
/** Every function that an expression under these rules may call, as it is spelt. */
function functionNames(rules) {
    return [...GITHUB_FUNCTIONS, ...rules.functions.map(({ name }) => name)];
}
/**
 * Read an expression of GitHub's language, without `${{ }}` (see {@link bareExpression}), by GitHub's own lexer and
 * parser (https://docs.github.com/actions/reference/workflows-and-actions/expressions). Never throws.
 */
function parseExpression(text, rules) {
    let tokens = [];
    try {
        tokens = new _actions_expressions__WEBPACK_IMPORTED_MODULE_0__/* .Lexer */ .JG(text).lex().tokens;
        const unknown = unknownCall(tokens, rules);
        if (unknown !== undefined) {
            const offset = offsetOf(text, unknown.range.start);
            const message = `there is no function \`${unknown.lexeme}\``;
            return { ok: false, problem: { kind: 'unknown-function', message, name: unknown.lexeme, offset } };
        }
        const expression = new _actions_expressions__WEBPACK_IMPORTED_MODULE_0__/* .Parser */ .iX([...tokens], [...rules.contexts], [...rules.functions]).parse();
        if (expression !== undefined)
            return { ok: true, expression };
        return { ok: false, problem: { kind: 'syntax', message: 'the expression is empty', name: '', offset: 0 } };
    }
    catch (error) {
        return { ok: false, problem: explain(error, text, tokens) };
    }
}
/** The first call of a function that is not known. The parser looks names up in an object and so takes `constructor()` for one. */
function unknownCall(tokens, rules) {
    const own = new Set(rules.functions.map(({ name }) => name.toLowerCase()));
    return tokens.find((token, index) => {
        if (!/^[A-Za-z_]/.test(token.lexeme) || tokens[index + 1]?.lexeme !== '(')
            return false;
        const name = token.lexeme.toLowerCase();
        return !KNOWN_FUNCTIONS.has(name) && !own.has(name);
    });
}
function explain(error, text, tokens) {
    if (error instanceof _actions_expressions__WEBPACK_IMPORTED_MODULE_0__/* .ExpressionError */ .tj) {
        const { pos } = error;
        const offset = offsetOf(text, pos);
        const at = tokens.find(({ range }) => range.start.line === pos.line && range.start.column === pos.column);
        const name = at?.lexeme ?? '';
        const message = `${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}`.replaceAll("'", '`');
        if (error.message.startsWith('Unrecognized named-value')) {
            return { kind: 'unknown-name', message: `there is no \`${name}\` here`, name, offset };
        }
        if (name === '') {
            return { kind: 'syntax', message: 'the expression ends too early', name: '', offset: text.length };
        }
        return { kind: 'syntax', message, name: '', offset };
    }
    const said = error instanceof Error ? error.message : String(error);
    const [, symbol, position] = /^Unexpected symbol: '([^]*)'\. Located at position (\d+) within/.exec(said) ?? [];
    if (symbol === undefined)
        return { kind: 'syntax', message: said, name: '', offset: 0 };
    const message = symbol.startsWith("'")
        ? 'the text in single quotes does not end'
        : `unexpected symbol: \`${symbol.slice(0, 60)}\`${symbol.includes('"') ? ' (texts stand in single quotes)' : ''}`;
    return { kind: 'syntax', message, name: '', offset: Number(position) - 1 };
}
/** The character of an expression at a line and column, all from 0. */
function offsetOf(text, at) {
    let start = 0;
    for (let line = 0; line < at.line; line += 1)
        start = text.indexOf('\n', start) + 1;
    return Math.max(0, Math.min(start + at.column, text.length));
}
/**
 * A condition without its `${{ }}`, and how many characters stand before it. `undefined`: it is text with `${{ }}`
 * inside, which GitHub would fill in and then take for true whatever it says.
 */
function bareExpression(condition) {
    const [, lead, rest] = /^(\s*\$\{\{)([^]*)$/.exec(condition) ?? [];
    if (lead === undefined || rest === undefined) {
        return condition.replace(/'(?:[^']|'')*'/g, '').includes('${{') ? undefined : trimmed(condition, 0);
    }
    const end = endOfExpression(rest);
    if (end < 0 || rest.slice(end + 2).trim() !== '')
        return undefined;
    return trimmed(rest.slice(0, end), lead.length);
}
function trimmed(text, offset) {
    return { text: text.trim(), offset: offset + text.length - text.trimStart().length };
}
/** Where the first `}}` outside single quotes stands. */
function endOfExpression(text) {
    let inText = false;
    for (let at = 0; at < text.length; at += 1) {
        if (text[at] === "'")
            inText = !inText;
        else if (!inText && text.startsWith('}}', at))
            return at;
    }
    return -1;
}


/***/ }),

/***/ 4469:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   g: () => (/* binding */ unitKey),
/* harmony export */   p: () => (/* binding */ ID_PATTERN)
/* harmony export */ });
/** Id of a pipeline or a gate: `[a-z_][a-z0-9_-]{0,39}`. */
const ID_PATTERN = /^[a-z_][a-z0-9_-]{0,39}$/;
/** The {@link UnitKey} of a leg. */
function unitKey(gate, leg) {
    return leg === '' ? gate : `${gate}/${leg}`;
}


/***/ }),

/***/ 2534:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   P2: () => (/* binding */ POINTER_PATTERN),
/* harmony export */   Xu: () => (/* binding */ parentPointers),
/* harmony export */   cP: () => (/* binding */ pointerSegments),
/* harmony export */   rq: () => (/* binding */ pointerOf)
/* harmony export */ });
/** A JSON pointer (RFC 6901): empty, or segments that each begin with `/`, with `~0` for `~` and `~1` for `/`. */
const POINTER_PATTERN = /^(?:\/(?:[^~/]|~[01])*)*$/;
/** The segments of a JSON pointer, unescaped (RFC 6901 §4). Give it only what {@link POINTER_PATTERN} matches. */
function pointerSegments(pointer) {
    return pointer
        .split('/')
        .slice(1)
        .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}
/** The JSON pointer of a path of keys and indices. */
function pointerOf(path) {
    return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
/** The pointers of everything that what `pointer` names is a part of, the nearest first, the whole (`''`) last. */
function parentPointers(pointer) {
    const parents = [];
    for (let at = pointer.lastIndexOf('/'); at >= 0; at = pointer.lastIndexOf('/', at - 1)) {
        parents.push(pointer.slice(0, at));
        if (at === 0)
            break;
    }
    return parents;
}


/***/ }),

/***/ 89:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  e: () => (/* binding */ checkpointMarkdown)
});

// UNUSED EXPORTS: CHECKPOINT_LIMIT

// EXTERNAL MODULE: ./build/untrusted/escape.js
var untrusted_escape = __webpack_require__(2854);
// EXTERNAL MODULE: external "node:buffer"
var external_node_buffer_ = __webpack_require__(4573);
;// CONCATENATED MODULE: ./build/report/bounded-list.js

/** Bytes that one list of a checkpoint may take: three of them and everything else stay below its limit. */
const LIST_BUDGET = 10_000;
/** Lines of a Markdown list in at most about that many UTF-8 bytes; the rest is counted in a last line. Never cuts a line. */
function boundedList(lines, budget) {
    let left = budget;
    const kept = [];
    for (const line of lines) {
        left -= external_node_buffer_.Buffer.byteLength(line) + 1;
        if (left < 0)
            break;
        kept.push(line);
    }
    const rest = lines.length - kept.length;
    return rest === 0 ? kept.join('\n') : [...kept, `- … and ${rest} more`].join('\n');
}

// EXTERNAL MODULE: ./build/report/wording.js
var wording = __webpack_require__(2867);
;// CONCATENATED MODULE: ./build/report/checkpoint.js



/** The most that {@link checkpointMarkdown} gives, in UTF-8 bytes: what fits into one comment on GitHub. */
const CHECKPOINT_LIMIT = 65_536;
/**
 * The Markdown checkpoint of one gate, the state guide's second output: the audit trail for people. What gate and agent,
 * status and score against the threshold, issues, how it came to it (ran, or reused and from where), what the agent told of
 * itself (model, MCPs, tools, tokens, cost), files handed on, decisions, and the next step.
 *
 * GitHub Flavored Markdown, ends with a line break, at most {@link CHECKPOINT_LIMIT} bytes; what is left out is counted.
 * Text from agents shows and does nothing, in Markdown as in a terminal.
 */
function checkpointMarkdown(input) {
    const { unit, state } = input;
    const own = state.units.get(unit.key);
    const title = `# Checkpoint: gate ${unit.gate.number}, ${code(unit.key)}`;
    if (own === undefined)
        return `${title}\n\nThe run knows nothing of it.\n`;
    const ended = (0,wording/* resultOf */.Bg)(own);
    const sections = [
        title,
        statusLine(own),
        factsTable(factsOf(input, own)),
        issuesSection(ended),
        decisionSection(own),
        metricsSection(ended?.metrics),
        filesSection(ended),
        `## Next step\n\n${nextStep(input, own)}`,
    ];
    return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}
function statusLine(own) {
    const verdict = (0,wording/* resultOf */.Bg)(own)?.verdict;
    const kind = verdict !== undefined && verdict.kind !== own.status && own.decided === undefined ? ` (${verdict.kind})` : '';
    const meaning = verdict === undefined || own.decided !== undefined ? '' : ` ${wording/* KIND_MEANING */.vU[verdict.kind]}`;
    if (meaning !== '' && verdict?.status === 'failed')
        return `**${own.status}**${kind}:${meaning}`;
    return `**${own.status}**${kind}: ${checkpoint_text(own.reason)}.${meaning}`.replace(/\.\.( |$)/, '.$1');
}
function factsOf({ unit, state }, own) {
    const { started } = own;
    const ended = (0,wording/* resultOf */.Bg)(own);
    const at = ended ?? started;
    const threshold = unit.gate.contract.threshold;
    const judged = ended !== undefined && own.status !== 'not-applicable';
    const took = (0,wording/* durationText */.S5)((0,wording/* durationOf */.cf)(own));
    const facts = [
        ['Pipeline', codeCell(state.pipeline)],
        ['Subject', codeCell((0,untrusted_escape/* truncateBytes */.QY)(state.subject, 1_024))],
        ['Agent', cell(unit.gate.agent)],
        judged ? ['Score', `${(0,wording/* scoreText */.QO)(ended.verdict.score)} (threshold ${(0,wording/* scoreText */.QO)(threshold)})`] : undefined,
        at === undefined ? ['Run', `run ${state.runNumber}`] : ['Attempt', (0,wording/* attemptText */.zv)(at)],
        (0,wording/* howOf */.GO)(own) === '' ? undefined : ['How', howText(own)],
        ended === undefined ? undefined : ['Began', ended.startedAt],
        ended === undefined ? undefined : ['Ended', ended.at],
        took === '' ? undefined : ['Took', took],
        ended?.exitCode === undefined ? undefined : ['Exit code', String(ended.exitCode)],
        ended?.signal === undefined ? undefined : ['Signal', cell(ended.signal)],
        at === undefined ? undefined : ['Fingerprint', codeCell((0,wording/* shortDigest */.VK)(at.fingerprint))],
        ended?.value === undefined
            ? undefined
            : ['Output', `${codeCell((0,wording/* shortDigest */.VK)(ended.value.digest))}, ${ended.value.bytes} bytes`],
    ];
    return facts.filter((fact) => fact !== undefined);
}
function factsTable(facts) {
    return ['| | |', '| --- | --- |', ...facts.map(([name, value]) => `| ${name} | ${value} |`)].join('\n');
}
function howText(own) {
    const source = (0,wording/* resultOf */.Bg)(own)?.source;
    if ((0,wording/* howOf */.GO)(own) === 'reused')
        return source === undefined ? 'reused' : `reused: the output is that of ${(0,wording/* attemptText */.zv)(source)}`;
    return (0,wording/* howOf */.GO)(own);
}
function issuesSection(ended) {
    const issues = ended?.verdict.issues ?? [];
    if (issues.length === 0)
        return '';
    const lines = issues.map(({ severity, message, pointer, rule }) => {
        const at = pointer === undefined ? '' : ` at ${pointer === '' ? 'the whole output' : code((0,untrusted_escape/* truncateBytes */.QY)(pointer, 300))}`;
        const by = rule === undefined ? '' : `, by ${code((0,untrusted_escape/* truncateBytes */.QY)(rule, 300))}`;
        return `- ${severity}${at}: ${checkpoint_text(message)}${by}`;
    });
    return `## Issues (${issues.length})\n\n${boundedList(lines, LIST_BUDGET)}`;
}
function decisionSection({ decided }) {
    if (decided === undefined)
        return '';
    const until = decided.until === undefined ? '' : `, until ${decided.until}`;
    const reason = decided.reason.trim() === '' ? '' : `: ${checkpoint_text(decided.reason)}`;
    return `## Decision\n\n${decided.decision} by ${checkpoint_text(decided.actor)} at ${decided.at}${until}${reason}`;
}
function metricsSection(metrics) {
    if (metrics === undefined)
        return '';
    const lines = [];
    if (metrics.model !== undefined)
        lines.push(`- Model: ${checkpoint_text(metrics.model)}`);
    if (metrics.mcps !== undefined)
        lines.push(`- MCPs executed: ${namesOf(metrics.mcps)}`);
    if (metrics.tools !== undefined)
        lines.push(`- Tools: ${namesOf(metrics.tools)}`);
    const tokens = [
        ...(metrics.inputTokens === undefined ? [] : [`${metrics.inputTokens} in`]),
        ...(metrics.outputTokens === undefined ? [] : [`${metrics.outputTokens} out`]),
    ];
    if (tokens.length > 0)
        lines.push(`- Tokens: ${tokens.join(', ')}`);
    if (metrics.costUsd !== undefined)
        lines.push(`- Cost: USD ${metrics.costUsd}`);
    return lines.length === 0 ? '' : `## Metrics, as the agent tells them\n\n${lines.join('\n')}`;
}
const SHOWN_NAMES = 20;
function namesOf(names) {
    const shown = names.map(code).filter((name) => name !== '');
    if (shown.length === 0)
        return 'none';
    const more = shown.length > SHOWN_NAMES ? ` and ${shown.length - SHOWN_NAMES} more` : '';
    return shown.slice(0, SHOWN_NAMES).join(', ') + more;
}
function filesSection(ended) {
    const handedOn = (ended?.files ?? []).map((file) => `- ${(0,wording/* changeOf */.C2)(file)} ${code((0,untrusted_escape/* truncateBytes */.QY)(file.path, 1_024))}`);
    const touched = (ended?.touched ?? []).map((file) => `- ${(0,wording/* changeOf */.C2)(file)} ${code((0,untrusted_escape/* truncateBytes */.QY)(file.path, 1_024))}`);
    const parts = [];
    if (handedOn.length > 0)
        parts.push(`## Files handed on (${handedOn.length})\n\n${boundedList(handedOn, LIST_BUDGET)}`);
    if (touched.length > 0)
        parts.push(`## Files changed, but not handed on (${touched.length})\n\n${boundedList(touched, LIST_BUDGET)}`);
    return parts.join('\n\n');
}
function nextStep({ unit, graph, state, command = 'gateline run' }, own) {
    if (!own.done) {
        if (own.status === 'paused')
            return 'It waits for somebody’s approval; the gates after it wait too.';
        const advice = own.decided === undefined && own.status === 'failed' ? (own.ended?.verdict.advice ?? '') : '';
        return `${advice === '' ? '' : `${checkpoint_text(advice)} `}Then run ${code(command)} again: what is done is not done again.`.replace(/^Then run/, 'Run');
    }
    const after = [...graph.values()].filter(({ needs }) => needs.includes(unit.key));
    const next = after.filter(({ key }) => state.units.get(key)?.done === false);
    const names = next
        .slice(0, SHOWN_NAMES)
        .map(({ key, gate }) => `gate ${gate.number} ${code(key)} (${state.units.get(key)?.status})`);
    const more = next.length > SHOWN_NAMES ? ` and ${next.length - SHOWN_NAMES} more` : '';
    if (names.length > 0)
        return `Next: ${names.join(', ')}${more}.`;
    if (state.status === 'completed')
        return 'Every gate is done.';
    return after.length === 0 ? 'No gate needs this one.' : 'The gates after it are done.';
}
/** Longest text that is quoted, in bytes before it is made safe. */
const QUOTED = 1_500;
function checkpoint_text(untrusted) {
    return (0,untrusted_escape/* forMarkdown */.Bm)((0,untrusted_escape/* truncateBytes */.QY)(untrusted, QUOTED));
}
function cell(untrusted) {
    return (0,untrusted_escape/* forMarkdownCell */.BO)((0,untrusted_escape/* truncateBytes */.QY)(untrusted, QUOTED));
}
/** Checkpoints go to the log too, where GitHub's runner obeys `##[command]` anywhere in a line, code or not. */
function code(untrusted) {
    return (0,untrusted_escape/* inlineCode */.ti)(untrusted.replaceAll('##[', '## ['));
}
function codeCell(untrusted) {
    return (0,untrusted_escape/* inlineCodeCell */.PZ)(untrusted.replaceAll('##[', '## ['));
}


/***/ }),

/***/ 3920:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   TN: () => (/* binding */ oneLine),
/* harmony export */   U9: () => (/* binding */ count),
/* harmony export */   Uj: () => (/* binding */ fit),
/* harmony export */   c3: () => (/* binding */ listOf),
/* harmony export */   eV: () => (/* binding */ pad),
/* harmony export */   pj: () => (/* binding */ plain),
/* harmony export */   qz: () => (/* binding */ widthOf)
/* harmony export */ });
/* harmony import */ var string_width__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(4292);
/* harmony import */ var _untrusted_escape_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2854);


/** No colour. */
const plain = (_tone, text) => text;
const ELLIPSIS = '…';
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** More than this of a text is never looked at: no line shows it. */
const LONGEST = 4_096;
/**
 * Untrusted text as one line for terminals and logs: nothing in it is obeyed, and white space is single spaces. GitHub's
 * runner obeys `##[command]` anywhere in a line, so that gets a space; it obeys `::command::` at the start of a line only,
 * after white space too, so nobody begins a line with untrusted text.
 */
function oneLine(text) {
    return (0,_untrusted_escape_js__WEBPACK_IMPORTED_MODULE_0__/* .forTerminal */ .Qf)(text.slice(0, LONGEST).replace(/\s+/g, ' ').trim()).replaceAll('##[', '## [');
}
/**
 * A safe text in at most `columns` columns of a terminal, with `…` where something was left out. Wide characters (CJK,
 * emoji) take two columns.
 */
function fit(text, columns) {
    if ((0,string_width__WEBPACK_IMPORTED_MODULE_1__/* ["default"] */ .A)(text) <= columns)
        return text;
    let result = '';
    let used = 0;
    for (const { segment } of graphemes.segment(text)) {
        const width = (0,string_width__WEBPACK_IMPORTED_MODULE_1__/* ["default"] */ .A)(segment);
        if (used + width > columns - 1)
            break;
        result += segment;
        used += width;
    }
    return columns < 1 ? '' : result + ELLIPSIS;
}
/** Columns that a safe text takes in a terminal. */
function widthOf(text) {
    return (0,string_width__WEBPACK_IMPORTED_MODULE_1__/* ["default"] */ .A)(text);
}
/** A safe text filled up with spaces to that many columns. */
function pad(text, columns, side = 'right') {
    const spaces = ' '.repeat(Math.max(0, columns - (0,string_width__WEBPACK_IMPORTED_MODULE_1__/* ["default"] */ .A)(text)));
    return side === 'right' ? text + spaces : spaces + text;
}
/** `a, b, c and 4 more`. */
function listOf(names, shown = 5) {
    if (names.length > shown)
        return `${names.slice(0, shown).join(', ')} and ${names.length - shown} more`;
    if (names.length < 2)
        return names.join('');
    return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
/** `1 gate`, `2 gates`. */
function count(number, noun) {
    return `${number} ${noun}${number === 1 ? '' : 's'}`;
}


/***/ }),

/***/ 2867:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Bg: () => (/* binding */ resultOf),
/* harmony export */   C2: () => (/* binding */ changeOf),
/* harmony export */   GO: () => (/* binding */ howOf),
/* harmony export */   QO: () => (/* binding */ scoreText),
/* harmony export */   S5: () => (/* binding */ durationText),
/* harmony export */   VK: () => (/* binding */ shortDigest),
/* harmony export */   YV: () => (/* binding */ toneOf),
/* harmony export */   cf: () => (/* binding */ durationOf),
/* harmony export */   rC: () => (/* binding */ endedAfter),
/* harmony export */   vU: () => (/* binding */ KIND_MEANING),
/* harmony export */   zv: () => (/* binding */ attemptText)
/* harmony export */ });
/* harmony import */ var _run_digest_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(4612);

/** What each kind of verdict means, one sentence. */
const KIND_MEANING = {
    passed: 'The output meets everything that the contract asks for.',
    partial: 'The output is sound, but its score is below the threshold.',
    'not-applicable': 'The condition of the gate (`if`) is false: there is nothing to do.',
    missing: 'The agent ended well but wrote no output.',
    malformed: 'What the agent wrote as its output is not JSON.',
    'too-large': 'The output is larger than an output may be.',
    schema: 'The output does not have the shape that the contract’s schema asks for.',
    score: 'The score is not where the contract says, or is not a number from 0 to 100.',
    check: 'A check of the contract does not hold.',
    files: 'The files that the gate hands on could not be kept.',
    'agent-error': 'The agent ended with an error.',
    'not-started': 'The agent could not be started.',
    timeout: 'The agent took longer than the gate allows and was ended.',
    cancelled: 'Somebody or something stopped the run while the agent was at work.',
    lost: 'The attempt began and left no result: its machine or process is gone.',
    claimed: 'Somebody else is doing the work of this gate.',
    'no-secret': 'A secret that the gate names is not set here.',
    contract: 'The contract itself cannot be used, so nothing could be judged by it.',
};
const TONES = {
    pending: 'quiet',
    ready: 'strong',
    blocked: 'quiet',
    running: 'strong',
    paused: 'warning',
    passed: 'good',
    partial: 'warning',
    failed: 'bad',
    lost: 'bad',
    skipped: 'warning',
    'not-applicable': 'quiet',
};
/** How a status should look. */
function toneOf(status) {
    return TONES[status];
}
const RESULTS = new Set([
    'paused',
    'passed',
    'partial',
    'failed',
    'skipped',
    'not-applicable',
]);
/** The attempt that made the unit what it is; for a unit that has no result (yet), what `ended` says is from an attempt before. */
function resultOf(unit) {
    return RESULTS.has(unit.status) ? unit.ended : undefined;
}
/** How a unit came to what it is: the agent `ran`, its output was `reused`, it was `skipped`; '' while there is nothing. */
function howOf(unit) {
    if (unit.status === 'skipped')
        return 'skipped';
    if (unit.reused)
        return 'reused';
    return unit.status === 'not-applicable' ? '' : (resultOf(unit)?.how ?? '');
}
/** A score for people: at most two decimals. */
function scoreText(score) {
    return String(Math.round(score * 100) / 100);
}
/** `0.4s`, `12s`, `3m 05s`, `2h 07m`; '' for what is not a length of time. */
function durationText(milliseconds) {
    if (milliseconds === undefined || !Number.isFinite(milliseconds) || milliseconds < 0)
        return '';
    if (milliseconds < 9_950)
        return `${(milliseconds / 1_000).toFixed(1)}s`;
    const seconds = Math.round(milliseconds / 1_000);
    if (seconds < 60)
        return `${seconds}s`;
    const two = (number) => String(number).padStart(2, '0');
    if (seconds < 3_600)
        return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
    return `${Math.floor(seconds / 3_600)}h ${two(Math.floor((seconds % 3_600) / 60))}m`;
}
/**
 * How long the unit's attempt took, in milliseconds; for one that is still going on: so far. Reusing takes no time.
 * @param now ISO 8601; without it, what is going on has no duration
 */
function durationOf(unit, now) {
    if (unit.status === 'running') {
        return unit.started === undefined || now === undefined ? undefined : Date.parse(now) - Date.parse(unit.started.at);
    }
    const ended = resultOf(unit);
    return ended === undefined || unit.reused || unit.status === 'not-applicable' ? undefined : endedAfter(ended);
}
/** Milliseconds between begin and end of an attempt; `undefined` when its clock went backwards. */
function endedAfter(ended) {
    const length = Date.parse(ended.at) - Date.parse(ended.startedAt);
    return length >= 0 ? length : undefined;
}
/** The first 12 hex digits: enough for people. */
function shortDigest(digest) {
    return (0,_run_digest_js__WEBPACK_IMPORTED_MODULE_0__/* .hexOf */ .ZD)(digest).slice(0, 12);
}
/** What became of a file. */
function changeOf({ before, after }) {
    if (after === null)
        return 'deleted';
    return before === null ? 'added' : 'changed';
}
/** `attempt 2 of call 1 in run 3`. */
function attemptText(at) {
    return `attempt ${at.n} of call ${at.runAttempt} in run ${at.runNumber}`;
}


/***/ }),

/***/ 7999:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Fp: () => (/* binding */ canonicalChunks),
/* harmony export */   Qs: () => (/* binding */ digestOfJson),
/* harmony export */   dj: () => (/* binding */ canonicalJson)
/* harmony export */ });
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7598);

/** Characters gathered before a chunk is given out. */
const CHUNK_LENGTH = 64 * 1024;
/**
 * JSON in canonical form (RFC 8785): keys sorted by UTF-16 code units, no white space, numbers as ECMAScript
 * prints them. In chunks, so that a large value never exists twice in memory.
 *
 * Property values that are `undefined` are left out, as `JSON.stringify` does.
 */
function* canonicalChunks(value) {
    let buffer = '';
    const pending = [];
    const open = (next) => {
        if (Array.isArray(next))
            pending.push({ close: ']', prefix: '[', array: next, keys: undefined, object: undefined, at: 0 });
        else if (next !== null && typeof next === 'object') {
            const keys = Object.keys(next).filter((key) => next[key] !== undefined);
            pending.push({ close: '}', prefix: '{', array: undefined, keys: keys.sort(), object: next, at: 0 });
        }
        else
            buffer += scalar(next);
    };
    open(value);
    while (pending.length > 0) {
        const frame = pending.at(-1);
        if (frame.at >= (frame.array ?? frame.keys).length) {
            buffer += frame.at === 0 ? frame.prefix + frame.close : frame.close;
            pending.pop();
        }
        else {
            buffer += frame.at === 0 ? frame.prefix : ',';
            open(advance(frame, (text) => (buffer += text)));
        }
        if (buffer.length >= CHUNK_LENGTH) {
            yield buffer;
            buffer = '';
        }
    }
    if (buffer !== '')
        yield buffer;
}
function advance(frame, write) {
    const index = frame.at++;
    if (frame.array !== undefined)
        return frame.array[index] ?? null;
    const key = frame.keys[index];
    write(`${JSON.stringify(key)}:`);
    return frame.object[key];
}
function scalar(value) {
    if (typeof value === 'number' && !Number.isFinite(value))
        throw new TypeError(`${value} has no JSON form`);
    return JSON.stringify(value);
}
/** {@link canonicalChunks} as one text. */
function canonicalJson(value) {
    return [...canonicalChunks(value)].join('');
}
/** The digest of a value: of the UTF-8 of its canonical form. */
function digestOfJson(value) {
    const hash = (0,node_crypto__WEBPACK_IMPORTED_MODULE_0__.createHash)('sha256');
    for (const chunk of canonicalChunks(value))
        hash.update(chunk);
    return `sha256:${hash.digest('hex')}`;
}


/***/ }),

/***/ 1893:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Lv: () => (/* binding */ latestPosition),
/* harmony export */   Pv: () => (/* binding */ rulingOn),
/* harmony export */   U5: () => (/* binding */ skipInForce)
/* harmony export */ });
/* harmony import */ var _record_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1265);

/**
 * What the decisions since an attempt make of it. `force` and `rollback` void it for good; of `approve` and
 * `reject` the later one counts; an unreadable decision counts as one that might have been any of them.
 * A reused output is what its source made: what was decided about that counts for it too.
 */
function rulingOn(attempt, decisions, now) {
    const { source } = attempt;
    const made = source !== undefined && (0,_record_js__WEBPACK_IMPORTED_MODULE_0__/* .comparePositions */ .Ez)(source, attempt) < 0 ? source : attempt;
    if (decisions.unknownAt !== undefined && (0,_record_js__WEBPACK_IMPORTED_MODULE_0__/* .comparePositions */ .Ez)(decisions.unknownAt, made) > 0)
        return { ruling: 'unknown' };
    let ruling = { ruling: 'stands' };
    for (const decision of decisions.decided) {
        if ((0,_record_js__WEBPACK_IMPORTED_MODULE_0__/* .comparePositions */ .Ez)(decision, made) <= 0)
            continue;
        if (decision.fingerprint !== null && decision.fingerprint !== attempt.fingerprint)
            continue;
        if (decision.decision === 'force' || decision.decision === 'rollback')
            return { ruling: 'voided', by: decision };
        if (decision.decision === 'reject')
            ruling = { ruling: 'rejected', by: decision };
        if (decision.decision === 'approve' && !expired(decision, now))
            ruling = { ruling: 'approved', by: decision };
    }
    return ruling;
}
/** The skip that is in force, if any: the latest decision of a kind that ends a skip must not come after it. */
function skipInForce(decisions, fingerprint, now) {
    const last = decisions.decided.findLast((decision) => decision.decision !== 'approve');
    if (last?.decision !== 'skip' || expired(last, now))
        return undefined;
    if (decisions.unknownAt !== undefined && (0,_record_js__WEBPACK_IMPORTED_MODULE_0__/* .comparePositions */ .Ez)(decisions.unknownAt, last) > 0)
        return undefined;
    if (last.fingerprint !== null && fingerprint !== undefined && last.fingerprint !== fingerprint)
        return undefined;
    return last;
}
/** The latest of some positions. */
function latestPosition(positions) {
    return positions.reduce((a, b) => (a === undefined || (0,_record_js__WEBPACK_IMPORTED_MODULE_0__/* .comparePositions */ .Ez)(b, a) > 0 ? b : a), undefined);
}
function expired(decision, now) {
    return decision.until !== undefined && Date.parse(decision.until) <= Date.parse(now);
}


/***/ }),

/***/ 4612:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   ZD: () => (/* binding */ hexOf),
/* harmony export */   er: () => (/* binding */ digestSchema),
/* harmony export */   ol: () => (/* binding */ digestOf)
/* harmony export */ });
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7598);
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2857);


/** `sha256:` and 64 lower-case hex digits. */
const digestSchema = zod__WEBPACK_IMPORTED_MODULE_1__/* .templateLiteral */ .Uy$(['sha256:', zod__WEBPACK_IMPORTED_MODULE_1__/* .string */ .YjP().regex(/^[0-9a-f]{64}$/)]);
/** The digest of bytes or of a text's UTF-8. */
function digestOf(content) {
    return `sha256:${(0,node_crypto__WEBPACK_IMPORTED_MODULE_0__.createHash)('sha256').update(content).digest('hex')}`;
}
/** The hex digits of a digest. */
function hexOf(digest) {
    return digest.slice('sha256:'.length);
}


/***/ }),

/***/ 8466:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   KD: () => (/* binding */ contentsOf),
/* harmony export */   vo: () => (/* binding */ verdictSatisfies),
/* harmony export */   yu: () => (/* binding */ deriveUnit)
/* harmony export */ });
/* harmony import */ var _decisions_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1893);
/* harmony import */ var _record_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(1265);
/* harmony import */ var _run_state_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(1759);
/* harmony import */ var _unit_records_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(2405);




/** State of one unit, given those upstream of it. */
function deriveUnit(unit, own, upstream, told) {
    const decisions = (0,_unit_records_js__WEBPACK_IMPORTED_MODULE_2__/* .decisionsOf */ .bB)(own);
    const rulings = (0,_unit_records_js__WEBPACK_IMPORTED_MODULE_2__/* .withEarlier */ .TG)(decisions, own);
    // The first of two different claims of one name is the one that is kept to.
    const claims = new Map(own.started.toReversed().map((claimed) => [(0,_unit_records_js__WEBPACK_IMPORTED_MODULE_2__/* .placeOf */ .$t)(claimed), claimed]));
    const judged = own.ended.map((ended) => {
        const claimed = claims.get((0,_unit_records_js__WEBPACK_IMPORTED_MODULE_2__/* .placeOf */ .$t)(ended));
        return { ended, claimed, ...assess(unit, ended, claimed, own, rulings, upstream, told) };
    });
    const claim = (0,_unit_records_js__WEBPACK_IMPORTED_MODULE_2__/* .openClaim */ .fc)(own);
    const base = {
        key: unit.key,
        gate: unit.gate.id,
        leg: unit.leg.id,
        started: own.started.at(-1),
        attempts: (0,_unit_records_js__WEBPACK_IMPORTED_MODULE_2__/* .countClaims */ .rJ)(own),
    };
    const verdict = choose(unit, judged, claim, decisions, upstream, told);
    return { state: { ...base, ...verdict }, problems: problemsOf(unit, own, judged) };
}
function choose(unit, judged, claim, decisions, upstream, told) {
    const needsDone = unit.needs.every((key) => upstream.get(key)?.done);
    if (claim !== undefined && !isGone(claim, told) && !isGivenUp(claim, decisions, told))
        return not('running', `attempt ${claim.n} began at ${claim.at}`);
    const best = judged.findLast((one) => one.satisfies && one.relevant);
    const skip = (0,_decisions_js__WEBPACK_IMPORTED_MODULE_0__/* .skipInForce */ .U5)(decisions, told.fingerprints?.get(unit.key), told.now);
    const skipped = skip !== undefined && (best === undefined || (0,_record_js__WEBPACK_IMPORTED_MODULE_1__/* .comparePositions */ .Ez)(skip, best.ended) > 0);
    if (best !== undefined && !skipped)
        return satisfied(best, needsDone);
    if (skip !== undefined) {
        const choice = not('skipped', `skipped by ${skip.actor}: ${skip.reason}`);
        return { ...choice, done: needsDone, decided: skip, exports: needsDone ? (skip.exports ?? null) : undefined };
    }
    const last = judged.findLast((one) => one.relevant);
    if (claim !== undefined && isRelevantClaim(claim, unit, decisions, upstream, told)) {
        return { ...not('lost', lossOf(claim, told)), ended: last?.ended };
    }
    if (last !== undefined)
        return unsatisfied(unit, last);
    return waiting(unit, upstream, needsDone);
}
function satisfied(best, needsDone) {
    const { ended, ruling } = best;
    const how = ended.how === 'reused' ? reuseText(ended) : `attempt ${ended.n}, score ${ended.verdict.score}`;
    return {
        status: ended.verdict.status,
        reason: ruling.ruling === 'approved' ? `approved by ${ruling.by.actor}` : how,
        done: needsDone,
        reused: ended.how === 'reused',
        exports: needsDone ? (ended.exports ?? null) : undefined,
        ended,
        decided: ruling.ruling === 'approved' ? ruling.by : undefined,
    };
}
function reuseText(ended) {
    const from = ended.source;
    return from === undefined
        ? 'reused'
        : `reused from run ${from.runNumber}, call ${from.runAttempt}, attempt ${from.n}`;
}
function unsatisfied(unit, last) {
    const { ended, ruling } = last;
    const { status, score, advice, kind } = ended.verdict;
    if (ruling.ruling === 'rejected')
        return { ...not('failed', `rejected by ${ruling.by.actor}: ${ruling.by.reason}`), ended, decided: ruling.by };
    if (ruling.ruling === 'unknown')
        return { ...not('ready', 'a decision about it could not be read'), ended };
    if (last.outputMissing && verdictSatisfies(unit, ended, ruling))
        return { ...not('ready', 'its output is missing or was altered'), ended };
    if (status === 'partial') {
        const paused = unit.gate.contract.partial === 'pause';
        const text = `score ${score} is below the threshold of ${unit.gate.contract.threshold}`;
        return { ...not(paused ? 'paused' : 'partial', paused ? `${text}: waiting for approval` : text), ended };
    }
    return { ...not('failed', `${kind}: ${ended.verdict.issues[0]?.message ?? advice}`), ended };
}
function waiting(unit, upstream, needsDone) {
    if (needsDone)
        return not('ready', unit.needs.length === 0 ? 'needs nothing' : 'everything it needs is there');
    const bad = ['failed', 'lost', 'partial', 'paused', 'blocked'];
    const stopped = unit.needs.filter((key) => upstream.get(key)?.done === false && bad.includes(upstream.get(key).status));
    if (stopped.length > 0)
        return not('blocked', `needs ${stopped.map((key) => `${key} (${upstream.get(key).status})`).join(', ')}`);
    return not('pending', `waits for ${unit.needs.filter((key) => !upstream.get(key)?.done).join(', ')}`);
}
function not(status, reason) {
    return { status, reason, done: false, reused: false, exports: undefined, ended: undefined, decided: undefined };
}
function assess(unit, ended, claim, own, decisions, upstream, told) {
    const ruling = (0,_decisions_js__WEBPACK_IMPORTED_MODULE_0__/* .rulingOn */ .Pv)(ended, decisions, told.now);
    const fingerprint = told.fingerprints?.get(unit.key);
    const current = (fingerprint === undefined || fingerprint === ended.fingerprint) && (0,_unit_records_js__WEBPACK_IMPORTED_MODULE_2__/* .isLatestWork */ .t9)(ended, own);
    const relevant = ruling.ruling !== 'voided' && current && needsMatch(unit, ended.needs, upstream) && (0,_unit_records_js__WEBPACK_IMPORTED_MODULE_2__/* .claimMatches */ .ob)(ended, claim);
    const outputMissing = contentsOf(ended).some((content) => told.missingContent?.has(content.digest));
    const good = verdictSatisfies(unit, ended, ruling);
    return { relevant, ruling, outputMissing, satisfies: good && !outputMissing };
}
/** Whether a verdict lets later gates go on, by the gate's partial policy and by what was decided. */
function verdictSatisfies(unit, ended, ruling) {
    if (ruling.ruling === 'rejected' || ruling.ruling === 'voided' || ruling.ruling === 'unknown')
        return false;
    const { status } = ended.verdict;
    if (status === 'partial')
        return unit.gate.contract.partial === 'continue' || ruling.ruling === 'approved';
    return status === 'passed' || status === 'not-applicable';
}
/** Everything that an ended record refers to and that later gates may be handed. */
function contentsOf(ended) {
    const files = ended.files.flatMap((file) => (file.after?.content ? [file.after.content] : []));
    return [...(ended.value ? [ended.value] : []), ...(ended.exports ? [ended.exports] : []), ...files];
}
/**
 * Whether the needs' exports are those that the attempt was given. A need that the attempt did not have (its
 * input came from the caller) matches as long as that need has nothing to give.
 */
function needsMatch(unit, given, upstream) {
    if (Object.keys(given).some((key) => !unit.needs.includes(key)))
        return false;
    return unit.needs.every((key) => {
        const need = upstream.get(key);
        if (!Object.hasOwn(given, key))
            return need?.done !== true;
        return need?.done === true && (need.exports?.digest ?? null) === given[key];
    });
}
function isGone(claim, told) {
    if (claim.holder === 'open')
        return claim.deadline !== undefined && Date.parse(claim.deadline) <= Date.parse(told.now);
    if (told.deadWriters?.has((0,_run_state_js__WEBPACK_IMPORTED_MODULE_3__/* .writerKey */ .hQ)(claim.by)))
        return true;
    return (told.supersededBefore !== undefined && (0,_record_js__WEBPACK_IMPORTED_MODULE_1__/* .comparePositions */ .Ez)({ ...claim, n: 0 }, { ...told.supersededBefore, n: 0 }) < 0);
}
/** Whether somebody asked for a new attempt since an agent that runs by itself began: nobody waits for it any more. */
function isGivenUp(claim, decisions, told) {
    return claim.holder === 'open' && (0,_decisions_js__WEBPACK_IMPORTED_MODULE_0__/* .rulingOn */ .Pv)(claim, decisions, told.now).ruling === 'voided';
}
function isRelevantClaim(claim, unit, decisions, upstream, told) {
    const fingerprint = told.fingerprints?.get(unit.key);
    if (fingerprint !== undefined && fingerprint !== claim.fingerprint)
        return false;
    return (0,_decisions_js__WEBPACK_IMPORTED_MODULE_0__/* .rulingOn */ .Pv)(claim, decisions, told.now).ruling !== 'voided' && needsMatch(unit, claim.needs, upstream);
}
function lossOf(claim, told) {
    if (claim.holder === 'open')
        return `attempt ${claim.n} was begun at ${claim.at} and not completed in time`;
    return told.deadWriters?.has((0,_run_state_js__WEBPACK_IMPORTED_MODULE_3__/* .writerKey */ .hQ)(claim.by))
        ? `attempt ${claim.n} began at ${claim.at}; its process is gone and left no result`
        : `attempt ${claim.n} began at ${claim.at} and was overtaken by a later run attempt without a result`;
}
function problemsOf(unit, own, judged) {
    const problems = [];
    const unread = new Set(own.unknown.map(_unit_records_js__WEBPACK_IMPORTED_MODULE_2__/* .placeOf */ .$t));
    for (const { ended, claimed, outputMissing } of judged) {
        const where = `attempt ${ended.n} of ${unit.key} in call ${ended.runAttempt}`;
        const known = claimed !== undefined || unread.has((0,_unit_records_js__WEBPACK_IMPORTED_MODULE_2__/* .placeOf */ .$t)(ended));
        if (ended.how === 'ran' && ended.verdict.kind !== 'not-applicable' && !known) {
            problems.push({ code: 'ENDED_WITHOUT_START', message: `${where} ended but never started`, unit: unit.key });
        }
        if (!(0,_unit_records_js__WEBPACK_IMPORTED_MODULE_2__/* .claimMatches */ .ob)(ended, claimed)) {
            problems.push({
                code: 'CLAIM_MISMATCH',
                message: `${where} ended with another request or contract than it claimed`,
                unit: unit.key,
            });
        }
        if (outputMissing)
            problems.push({
                code: 'OUTPUT_MISSING',
                message: `the output of ${where} is missing or was altered`,
                unit: unit.key,
            });
    }
    return problems;
}


/***/ }),

/***/ 8402:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   t: () => (/* binding */ orderRecords)
/* harmony export */ });
/* harmony import */ var _canonical_json_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7999);
/* harmony import */ var _record_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(1265);


const KIND_ORDER = { started: 0, ended: 1, decided: 2 };
/**
 * Sorts by (run number, run attempt, n), never by the clock: a claim before what it came to, failure before
 * success for equal ones, so that the last one is the one to believe. Repetitions are dropped. The answer
 * does not depend on the order in which records arrive.
 */
function orderRecords(records) {
    const byName = new Map();
    for (const record of records) {
        const name = (0,_record_js__WEBPACK_IMPORTED_MODULE_1__/* .recordName */ .xD)(record);
        const same = byName.get(name);
        if (same === undefined)
            byName.set(name, [record]);
        else
            same.push(record);
    }
    const kept = [];
    const conflicts = [];
    for (const [name, same] of byName) {
        if (same.length === 1)
            kept.push(same[0]);
        else {
            const distinct = distinctOf(same);
            if (distinct.length > 1)
                conflicts.push(name);
            kept.push(...distinct);
        }
    }
    return { records: kept.sort(compareRecords), conflicts: conflicts.sort() };
}
/** Most repetitions were read from the same bytes: only what differs as it stands is compared in canonical form. */
function distinctOf(records) {
    const asTheyStand = new Map(records.map((record) => [JSON.stringify(record), record]));
    if (asTheyStand.size === 1)
        return [...asTheyStand.values()];
    return [...new Map(asTheyStand.values().map((record) => [textOf(record), record])).values()];
}
function compareRecords(a, b) {
    return ((0,_record_js__WEBPACK_IMPORTED_MODULE_1__/* .comparePositions */ .Ez)(a, b) ||
        KIND_ORDER[a.kind] - KIND_ORDER[b.kind] ||
        successOf(a) - successOf(b) ||
        compareText((0,_record_js__WEBPACK_IMPORTED_MODULE_1__/* .recordName */ .xD)(a), (0,_record_js__WEBPACK_IMPORTED_MODULE_1__/* .recordName */ .xD)(b)) ||
        (a === b ? 0 : compareText(textOf(a), textOf(b))));
}
const SUCCESS = { failed: 0, partial: 1, 'not-applicable': 2, passed: 3 };
function successOf(record) {
    return record.kind === 'ended' ? SUCCESS[record.verdict.status] : 0;
}
function textOf(record) {
    return (0,_canonical_json_js__WEBPACK_IMPORTED_MODULE_0__/* .canonicalJson */ .dj)(record);
}
function compareText(a, b) {
    return a < b ? -1 : a > b ? 1 : 0;
}


/***/ }),

/***/ 1142:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   i: () => (/* binding */ isBlind)
/* harmony export */ });
/** Whether there may be records, of any kind, that were not listed at all. */
function isBlind(problems) {
    return problems.some(({ names, code }) => names === undefined && (code === 'OUTAGE' || code === 'LISTING_LIMIT'));
}


/***/ }),

/***/ 1265:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Ez: () => (/* binding */ comparePositions),
/* harmony export */   HR: () => (/* binding */ metricsSchema),
/* harmony export */   _6: () => (/* binding */ decidedSchema),
/* harmony export */   fi: () => (/* binding */ recordSchema),
/* harmony export */   q7: () => (/* binding */ RECORD_FORMAT),
/* harmony export */   uF: () => (/* binding */ unitOf),
/* harmony export */   xD: () => (/* binding */ recordName)
/* harmony export */ });
/* unused harmony exports fileChangeSchema, startedSchema, endedSchema */
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(2857);
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(4377);
/* harmony import */ var _pipeline_pipeline_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(4469);
/* harmony import */ var _verdict_verdict_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8579);
/* harmony import */ var _digest_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(4612);




/** Version of the record format. A reader that meets another one answers `unknown`, never `absent`. */
const RECORD_FORMAT = 'gateline-record/1';
const digest = _digest_js__WEBPACK_IMPORTED_MODULE_1__/* .digestSchema */ .er;
const counter = zod__WEBPACK_IMPORTED_MODULE_2__/* .int */ .Whr().min(0).max(1_000_000_000);
const time = zod__WEBPACK_IMPORTED_MODULE_3__/* .datetime */ .w$({ precision: 3 });
const unit = zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().min(1).max(200);
/** Digest of a need's exports; `null`: the need had no output (not-applicable, skipped without one). */
const needDigests = zod__WEBPACK_IMPORTED_MODULE_2__/* .record */ .g1P(unit, digest.nullable());
/** Content kept beside the records: its digest and its size in bytes. */
const contentSchema = zod__WEBPACK_IMPORTED_MODULE_2__/* .strictObject */ .rej({ digest, bytes: counter });
/** A file's content as git would store it: blob id (`git hash-object`, filters applied) and git's mode. */
const fileStateSchema = zod__WEBPACK_IMPORTED_MODULE_2__/* .strictObject */ .rej({
    blob: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().min(1).max(80),
    mode: zod__WEBPACK_IMPORTED_MODULE_2__/* ["enum"] */ .k5n(['100644', '100755']),
});
/**
 * One file that a gate left behind. `null`: the file was not there.
 * `after.content` is where its bytes are kept; only files that are handed on have it.
 */
const fileChangeSchema = zod__WEBPACK_IMPORTED_MODULE_2__/* .strictObject */ .rej({
    path: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().min(1).max(4_096),
    before: fileStateSchema.nullable(),
    after: fileStateSchema.extend({ content: contentSchema.optional() }).nullable(),
});
/** Who wrote a record. Locally `boot` and `pid` tell whether the writer still lives. */
const writerSchema = zod__WEBPACK_IMPORTED_MODULE_2__/* .strictObject */ .rej({
    host: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().max(255),
    boot: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().max(255),
    pid: counter,
    /** When the process started, as the system tells it; guards against a reused pid. */
    pidStart: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().max(64),
    actor: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().max(255).optional(),
});
const identity = {
    format: zod__WEBPACK_IMPORTED_MODULE_2__/* .literal */ .euz(RECORD_FORMAT),
    pipeline: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().regex(_pipeline_pipeline_js__WEBPACK_IMPORTED_MODULE_4__/* .ID_PATTERN */ .p),
    subject: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().min(1).max(1_024),
    gate: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().regex(_pipeline_pipeline_js__WEBPACK_IMPORTED_MODULE_4__/* .ID_PATTERN */ .p),
    leg: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().max(80),
    runNumber: counter,
    /** Locally the call: the how-manieth `gateline` command that wrote to this run. On GitHub its run attempt. */
    runAttempt: counter,
    /** Attempt of this gate within the call, from 1. Decisions have 0. */
    n: counter,
    at: time,
    by: writerSchema,
};
const work = {
    fingerprint: digest,
    /** Digest of the contract that judges. */
    contract: digest,
    needs: needDigests,
};
/** A claim: somebody has this gate. Durable before the agent runs. */
const startedSchema = zod__WEBPACK_IMPORTED_MODULE_2__/* .strictObject */ .rej({
    kind: zod__WEBPACK_IMPORTED_MODULE_2__/* .literal */ .euz('started'),
    ...identity,
    ...work,
    /** The request document, kept as content. */
    request: digest,
    /** `process`: the writer does the work itself. `open`: `begin` was called, `complete` comes from elsewhere. */
    holder: zod__WEBPACK_IMPORTED_MODULE_2__/* ["enum"] */ .k5n(['process', 'open']),
    /** When an `open` claim is given up. */
    deadline: time.optional(),
});
/** What agents may tell of themselves. All numbers are totals of the attempt. */
const metricsSchema = zod__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({
    model: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().max(200).optional(),
    inputTokens: zod__WEBPACK_IMPORTED_MODULE_2__/* .number */ .aig().min(0).optional(),
    outputTokens: zod__WEBPACK_IMPORTED_MODULE_2__/* .number */ .aig().min(0).optional(),
    costUsd: zod__WEBPACK_IMPORTED_MODULE_2__/* .number */ .aig().min(0).optional(),
    tools: zod__WEBPACK_IMPORTED_MODULE_2__/* .array */ .YOg(zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().max(200)).max(200).optional(),
    mcps: zod__WEBPACK_IMPORTED_MODULE_2__/* .array */ .YOg(zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().max(200)).max(200).optional(),
});
const sourceSchema = zod__WEBPACK_IMPORTED_MODULE_2__/* .strictObject */ .rej({ runNumber: counter, runAttempt: counter, n: counter });
/** What an attempt came to: a checkpoint when it is satisfied. */
const endedSchema = zod__WEBPACK_IMPORTED_MODULE_2__/* .strictObject */ .rej({
    kind: zod__WEBPACK_IMPORTED_MODULE_2__/* .literal */ .euz('ended'),
    ...identity,
    ...work,
    how: zod__WEBPACK_IMPORTED_MODULE_2__/* ["enum"] */ .k5n(['ran', 'reused']),
    verdict: _verdict_verdict_js__WEBPACK_IMPORTED_MODULE_0__/* .verdictSchema */ .$D,
    startedAt: time,
    /** The output, redacted, as canonical JSON. Absent when there was none to keep. */
    value: contentSchema.optional(),
    /** The exported part, canonical JSON. */
    exports: contentSchema.optional(),
    /** Files handed on. */
    files: zod__WEBPACK_IMPORTED_MODULE_2__/* .array */ .YOg(fileChangeSchema).max(10_000),
    /** Tracked files that the gate changed without handing them on. */
    touched: zod__WEBPACK_IMPORTED_MODULE_2__/* .array */ .YOg(fileChangeSchema).max(10_000),
    logs: zod__WEBPACK_IMPORTED_MODULE_2__/* .strictObject */ .rej({ stdout: contentSchema.optional(), stderr: contentSchema.optional() }),
    exitCode: zod__WEBPACK_IMPORTED_MODULE_2__/* .int */ .Whr().optional(),
    signal: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().max(32).optional(),
    metrics: metricsSchema.optional(),
    /** What the agent wrote to its learnings file, redacted. */
    learnings: contentSchema.optional(),
    /** Where a reused output came from. */
    source: sourceSchema.optional(),
});
/** Somebody's word about a gate. It counts for everything ordered before it. */
const decidedSchema = zod__WEBPACK_IMPORTED_MODULE_2__/* .strictObject */ .rej({
    kind: zod__WEBPACK_IMPORTED_MODULE_2__/* .literal */ .euz('decided'),
    ...identity,
    decision: zod__WEBPACK_IMPORTED_MODULE_2__/* ["enum"] */ .k5n(['approve', 'reject', 'skip', 'force', 'rollback']),
    actor: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().min(1).max(255),
    reason: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().max(4_096),
    /** `skip` and `approve` end to count then. */
    until: time.optional(),
    /** Bound to this fingerprint; `null`: whatever the gate's fingerprint is. */
    fingerprint: digest.nullable(),
    /** Output supplied with a `skip`. */
    exports: contentSchema.optional(),
});
const recordSchema = zod__WEBPACK_IMPORTED_MODULE_2__/* .discriminatedUnion */ .gMt('kind', [startedSchema, endedSchema, decidedSchema]);
/** The unit of work that a record is about. */
function unitOf(record) {
    return (0,_pipeline_pipeline_js__WEBPACK_IMPORTED_MODULE_4__/* .unitKey */ .g)(record.gate, record.leg);
}
/**
 * The name under which a store keeps a record. It holds no digest, so that two claims for one attempt
 * collide. `decided` names its decision, since one call may take several.
 */
function recordName(record) {
    const kind = record.kind === 'decided' ? `decided.${record.decision}` : record.kind;
    return `${record.gate}.${record.leg || '_'}.${record.runNumber}.${record.runAttempt}.${record.n}.${kind}`;
}
/** Negative when `a` comes before `b`. */
function comparePositions(a, b) {
    return a.runNumber - b.runNumber || a.runAttempt - b.runAttempt || a.n - b.n;
}


/***/ }),

/***/ 2322:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   G2: () => (/* binding */ findCheckpoint),
/* harmony export */   XX: () => (/* binding */ addToArchive),
/* harmony export */   p_: () => (/* binding */ openArchive)
/* harmony export */ });
/* harmony import */ var _decisions_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1893);
/* harmony import */ var _fold_unit_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(8466);
/* harmony import */ var _reading_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(1142);
/* harmony import */ var _record_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(1265);
/* harmony import */ var _order_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(8402);
/* harmony import */ var _pipeline_pipeline_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(4469);
/* harmony import */ var _unit_records_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(2405);







/** Sorts a listing for {@link findCheckpoint}. */
function openArchive(listing) {
    const { records } = (0,_order_js__WEBPACK_IMPORTED_MODULE_3__/* .orderRecords */ .t)(listing.records);
    const started = Map.groupBy(records.filter((record) => record.kind === 'started'), _record_js__WEBPACK_IMPORTED_MODULE_2__/* .unitOf */ .uF);
    const ended = Map.groupBy(records.filter((record) => record.kind === 'ended'), _record_js__WEBPACK_IMPORTED_MODULE_2__/* .unitOf */ .uF);
    const decided = Map.groupBy(records.filter((record) => record.kind === 'decided'), _record_js__WEBPACK_IMPORTED_MODULE_2__/* .unitOf */ .uF);
    const unknown = Map.groupBy(listing.problems.flatMap(({ names }) => (names?.kind.startsWith('decided') ? [names] : [])), (names) => (0,_pipeline_pipeline_js__WEBPACK_IMPORTED_MODULE_5__/* .unitKey */ .g)(names.gate, names.leg));
    const decisions = new Map();
    for (const key of new Set([...decided.keys(), ...unknown.keys()])) {
        decisions.set(key, {
            decided: decided.get(key) ?? [],
            unknownAt: (0,_decisions_js__WEBPACK_IMPORTED_MODULE_0__/* .latestPosition */ .Lv)(unknown.get(key) ?? []),
        });
    }
    return { records, started, ended, decisions, blind: (0,_reading_js__WEBPACK_IMPORTED_MODULE_6__/* .isBlind */ .i)(listing.problems) };
}
/** Takes in a record that was written since, and that comes after all that there is of its unit. */
function addToArchive(archive, record) {
    const append = (into, one) => {
        const known = into.get((0,_record_js__WEBPACK_IMPORTED_MODULE_2__/* .unitOf */ .uF)(record));
        if (known === undefined)
            into.set((0,_record_js__WEBPACK_IMPORTED_MODULE_2__/* .unitOf */ .uF)(record), [one]);
        else
            known.push(one);
    };
    archive.records.push(record);
    if (record.kind === 'started')
        append(archive.started, record);
    else if (record.kind === 'ended')
        append(archive.ended, record);
    else {
        const { decided, unknownAt } = archive.decisions.get((0,_record_js__WEBPACK_IMPORTED_MODULE_2__/* .unitOf */ .uF)(record)) ?? { decided: [], unknownAt: undefined };
        archive.decisions.set((0,_record_js__WEBPACK_IMPORTED_MODULE_2__/* .unitOf */ .uF)(record), {
            decided: [...decided, record],
            unknownAt,
        });
    }
}
/** The newest earlier attempt with this fingerprint that may stand in for running the agent, and why or why not. */
function findCheckpoint(unit, archive, query) {
    if (archive.blind)
        return { choice: 'none', reason: 'not all records could be listed, so nothing is reused' };
    const same = (archive.ended.get(unit.key) ?? []).filter((ended) => ended.fingerprint === query.fingerprint);
    let reason = '';
    for (const ended of same.toReversed()) {
        if (query.except?.has(ended))
            continue;
        const objection = objectionTo(unit, ended, archive, query);
        if (objection === undefined) {
            const judged = ended.contract === query.contract;
            return { choice: judged ? 'usable' : 'judge-again', ended, reason: nameOf(ended, query.runNumber) };
        }
        reason ||= objection;
    }
    return { choice: 'none', reason };
}
function objectionTo(unit, ended, archive, query) {
    const where = nameOf(ended, query.runNumber);
    if (unit.gate.reuse === 'never' && ended.runNumber !== query.runNumber)
        return `${where} is not reused: reuse is set to never`;
    const ruling = (0,_decisions_js__WEBPACK_IMPORTED_MODULE_0__/* .rulingOn */ .Pv)(ended, archive.decisions.get(unit.key) ?? { decided: [], unknownAt: undefined }, query.now);
    if (ruling.ruling === 'unknown')
        return `${where} is not reused: a decision since then could not be read`;
    if (ruling.ruling === 'voided')
        return `${ruling.by.actor} asked for a new attempt: ${ruling.by.reason}`;
    if (ruling.ruling === 'rejected')
        return `${where} was rejected by ${ruling.by.actor}: ${ruling.by.reason}`;
    const judged = ended.contract === query.contract;
    if (!(0,_fold_unit_js__WEBPACK_IMPORTED_MODULE_1__/* .verdictSatisfies */ .vo)(unit, ended, ruling) && (judged || ended.value === undefined || !judgedByContract(ended))) {
        return `${where} ${ended.verdict.status === 'partial' ? 'was only partial' : 'failed'} (${ended.verdict.kind})`;
    }
    const age = Date.parse(query.now) - Date.parse(producedAt(ended, archive));
    if (unit.gate.maxAge !== undefined && age > unit.gate.maxAge)
        return `${where} is older than max-age`;
    const claim = archive.started.get(unit.key)?.find((started) => (0,_record_js__WEBPACK_IMPORTED_MODULE_2__/* .comparePositions */ .Ez)(started, ended) === 0);
    if (!(0,_unit_records_js__WEBPACK_IMPORTED_MODULE_4__/* .claimMatches */ .ob)(ended, claim))
        return `${where} is not reused: it ended with another request or contract than it claimed`;
    return undefined;
}
/** Failures that another contract may turn: the output was there, and judged. */
function judgedByContract(ended) {
    return ['passed', 'partial', 'schema', 'score', 'check'].includes(ended.verdict.kind);
}
/** When the agent made it, also for one that was itself reused. */
function producedAt(ended, archive) {
    let at = ended;
    for (let hops = 0; at.how === 'reused' && at.source !== undefined && hops < 10_000; hops += 1) {
        const source = at.source;
        const origin = (archive.ended.get((0,_record_js__WEBPACK_IMPORTED_MODULE_2__/* .unitOf */ .uF)(ended)) ?? []).find((one) => (0,_record_js__WEBPACK_IMPORTED_MODULE_2__/* .comparePositions */ .Ez)(one, source) === 0);
        if (origin === undefined || origin === at)
            break;
        at = origin;
    }
    return at.startedAt;
}
function nameOf(ended, runNumber) {
    const attempt = `attempt ${ended.n} of call ${ended.runAttempt}`;
    return ended.runNumber === runNumber ? attempt : `${attempt} in run ${ended.runNumber}`;
}


/***/ }),

/***/ 1759:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   LV: () => (/* binding */ RUN_STATUSES),
/* harmony export */   UG: () => (/* binding */ UNIT_STATUSES),
/* harmony export */   hQ: () => (/* binding */ writerKey)
/* harmony export */ });
/** Every status that a unit of work can have. */
const UNIT_STATUSES = [
    'pending',
    'ready',
    'blocked',
    'running',
    'paused',
    'passed',
    'partial',
    'failed',
    'lost',
    'skipped',
    'not-applicable',
];
/** Every status that a run can have. */
const RUN_STATUSES = ['initializing', 'executing', 'paused', 'error', 'completed', 'rollback'];
/** Identity of a process: equal keys are one process. */
function writerKey(writer) {
    return [writer.host, writer.boot, writer.pid, writer.pidStart].join('|');
}


/***/ }),

/***/ 3766:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   G: () => (/* binding */ subjectSlug)
/* harmony export */ });
/* unused harmony export MAX_SLUG_LENGTH */
/* harmony import */ var _digest_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(4612);

/** The longest slug that {@link subjectSlug} makes, in characters (all of them ASCII). */
const MAX_SLUG_LENGTH = 80;
/** Digits of the digest that a changed subject gets where nobody says otherwise. */
const DEFAULT_HEX_DIGITS = 6;
/** Names that Windows keeps for devices, whatever follows a dot. */
const RESERVED_ON_WINDOWS = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;
/** What a slug with a digest looks like. A subject that looks so by itself is given a digest too, or it could be taken for another's. */
const ENDS_LIKE_A_DIGEST = /-[0-9a-f]{6,16}$/;
/**
 * A subject as a name for files and folders on every system: `[a-z0-9._-]`, at most {@link MAX_SLUG_LENGTH}
 * characters, no dot or hyphen at either end, no device name of Windows.
 *
 * A subject that is such a name already is its own slug (`pr-42`, `demoqa_com-student_registration`). Any other one
 * is made readable as far as it goes and gets `-` and the first digits of its SHA-256 (`Feature/Login` →
 * `feature-login-1ce277`), so that subjects that only look alike stay apart.
 *
 * @param subject any text, lone surrogates and the empty text too
 * @param hexDigits digits of the digest, 6 to 16. With 6, two of about five thousand subjects that read alike may
 *   share a slug; with 16, none ever will. Fewer digits are always a prefix of more.
 */
function subjectSlug(subject, hexDigits = DEFAULT_HEX_DIGITS) {
    const base = readable(subject);
    if (base === subject && base.length <= MAX_SLUG_LENGTH && !ENDS_LIKE_A_DIGEST.test(base))
        return base;
    const suffix = `-${subjectDigest(subject).slice(0, hexDigits)}`;
    const room = MAX_SLUG_LENGTH - suffix.length;
    return base.slice(0, room).replace(/[.-]+$/, '') + suffix;
}
/** The subject in the letters that a slug has. Never empty, and never a name that some system treats in its own way. */
function readable(subject) {
    const letters = subject
        .normalize('NFKD')
        .replace(/\p{M}/gu, '')
        .toLowerCase()
        .replace(/[^a-z0-9._-]+/g, '-')
        .replace(/^[.-]+|[.-]+$/g, '');
    if (letters === '')
        return 'subject';
    return RESERVED_ON_WINDOWS.test(letters) ? `_${letters}` : letters;
}
/** A lone surrogate has no UTF-8: such a subject is digested by its JSON form, where each one is written out. */
function subjectDigest(subject) {
    return (0,_digest_js__WEBPACK_IMPORTED_MODULE_0__/* .hexOf */ .ZD)((0,_digest_js__WEBPACK_IMPORTED_MODULE_0__/* .digestOf */ .ol)(subject.isWellFormed() ? subject : JSON.stringify(subject)));
}


/***/ }),

/***/ 3448:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   K: () => (/* binding */ unwind),
/* harmony export */   V: () => (/* binding */ sameFile)
/* harmony export */ });
/**
 * The tree as it was before gates that are not upstream left their files: a path whose file is what such a
 * gate left is taken back to what it was before, repeatedly, so that edits of several gates unwind. A file
 * that somebody changed since is left as it is: it counts. So does one that stands as an upstream gate left it.
 *
 * @param tree files as they are now
 * @param left what gates that are not upstream changed, the latest first: where two left the same behind, the first one counts
 * @param upstream what gates that are upstream changed, in any order
 * @param counts whether a path belongs to the tree at all (for files that such a gate deleted)
 * @param settled how paths stand in what these changes have become part of: one that stands so is left as it is
 */
function unwind(tree, left, upstream, counts, settled = new Map()) {
    const byPath = Map.groupBy(left, (change) => change.path);
    const given = Map.groupBy(upstream, (change) => change.path);
    const result = new Map(tree);
    for (const [path, changes] of byPath) {
        if (!tree.has(path) && !counts(path))
            continue;
        const pending = [...changes];
        for (;;) {
            const now = result.get(path) ?? null;
            if (given.get(path)?.some((change) => sameFile(change.after, now)))
                break;
            const kept = settled.get(path);
            if (kept !== undefined && sameFile(kept, now))
                break;
            const index = pending.findIndex((change) => sameFile(change.after, now) && !sameFile(change.before, now));
            if (index < 0)
                break;
            const before = pending.splice(index, 1)[0].before;
            if (before === null)
                result.delete(path);
            else
                result.set(path, { blob: before.blob, mode: before.mode });
        }
    }
    return result;
}
/** True when both are the same content and mode, or both are absent. */
function sameFile(a, b) {
    return a === null || b === null ? a === b : a.blob === b.blob && a.mode === b.mode;
}


/***/ }),

/***/ 2405:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $t: () => (/* binding */ placeOf),
/* harmony export */   TG: () => (/* binding */ withEarlier),
/* harmony export */   bB: () => (/* binding */ decisionsOf),
/* harmony export */   fc: () => (/* binding */ openClaim),
/* harmony export */   ob: () => (/* binding */ claimMatches),
/* harmony export */   rJ: () => (/* binding */ countClaims),
/* harmony export */   t9: () => (/* binding */ isLatestWork)
/* harmony export */ });
/* harmony import */ var _decisions_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1893);
/* harmony import */ var _record_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(1265);


/** After everything: where decisions that were not even listed may be. */
const LAST = { runNumber: Infinity, runAttempt: Infinity, n: Infinity };
/** Claims, each once: also when one was listed twice, or could be read in one listing and not in another. */
function countClaims(own) {
    const unread = own.unknown.filter((name) => name.kind === 'started');
    return new Set([...own.started, ...unread].map(placeOf)).size;
}
/** A position within a run, to look things up by. */
function placeOf({ runAttempt, n }) {
    return `${runAttempt}.${n}`;
}
/** The latest claim, when nothing is recorded at or after it. */
function openClaim(own) {
    const claim = own.started.at(-1);
    if (claim === undefined)
        return undefined;
    const answered = own.ended.some((ended) => (0,_record_js__WEBPACK_IMPORTED_MODULE_1__/* .comparePositions */ .Ez)(ended, claim) >= 0);
    const unread = own.unknown.some((name) => name.kind === 'ended' && (0,_record_js__WEBPACK_IMPORTED_MODULE_1__/* .comparePositions */ .Ez)(name, claim) >= 0);
    return answered || unread ? undefined : claim;
}
/**
 * Whether an attempt was asked and judged by what the unit was last asked and judged by in this run. One that
 * passed before the request or the contract changed says nothing of how the unit stands now; nor does any while
 * something later cannot be read.
 */
function isLatestWork(ended, own) {
    const claim = own.started.at(-1);
    const end = own.ended.at(-1);
    const latest = claim !== undefined && (0,_record_js__WEBPACK_IMPORTED_MODULE_1__/* .comparePositions */ .Ez)(claim, end) >= 0 ? claim : end;
    if (own.unknown.some((name) => !name.kind.startsWith('decided') && (0,_record_js__WEBPACK_IMPORTED_MODULE_1__/* .comparePositions */ .Ez)(name, latest) > 0))
        return false;
    return ended.fingerprint === latest.fingerprint && ended.contract === latest.contract;
}
/** Whether an attempt ended with the request and contract that it claimed, as far as its claim is known. */
function claimMatches(ended, claim) {
    return claim === undefined || (claim.fingerprint === ended.fingerprint && claim.contract === ended.contract);
}
/** The decisions of this run about the unit. Where records may be missing, one of them may be a decision after everything. */
function decisionsOf(own) {
    if (own.blind)
        return { decided: own.decided, unknownAt: LAST };
    const unknown = own.unknown.filter((name) => name.kind.startsWith('decided'));
    return { decided: own.decided, unknownAt: (0,_decisions_js__WEBPACK_IMPORTED_MODULE_0__/* .latestPosition */ .Lv)(unknown) };
}
/** The same with those of earlier runs, which rule on outputs that were made then. */
function withEarlier(decisions, { earlier }) {
    if (earlier.decided.length + earlier.unknown.length === 0)
        return decisions;
    return {
        decided: [...earlier.decided, ...decisions.decided],
        unknownAt: decisions.unknownAt ?? (0,_decisions_js__WEBPACK_IMPORTED_MODULE_0__/* .latestPosition */ .Lv)(earlier.unknown),
    };
}


/***/ }),

/***/ 2878:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $J: () => (/* binding */ unitsOf),
/* harmony export */   Gw: () => (/* binding */ ancestorsOf),
/* harmony export */   gO: () => (/* binding */ descendantsOf)
/* harmony export */ });
/* harmony import */ var _pipeline_pipeline_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(4469);

/** The units of a checked pipeline (which has no cycles). */
function unitsOf(pipeline) {
    const gates = new Map(pipeline.gates.map((gate) => [gate.id, gate]));
    const ordered = new Map();
    const done = new Set();
    const pending = [...pipeline.gates].reverse();
    while (pending.length > 0) {
        const gate = pending.at(-1);
        const missing = done.has(gate.id) ? [] : gate.needs.filter((id) => !done.has(id));
        if (missing.length > 0) {
            pending.push(...missing.map((id) => gates.get(id)).reverse());
            continue;
        }
        pending.pop();
        if (done.has(gate.id))
            continue;
        done.add(gate.id);
        for (const unit of legsOf(gate, gates))
            ordered.set(unit.key, unit);
    }
    return ordered;
}
function legsOf(gate, gates) {
    const needs = gate.needs.flatMap((id) => gates.get(id).legs.map((leg) => (0,_pipeline_pipeline_js__WEBPACK_IMPORTED_MODULE_0__/* .unitKey */ .g)(id, leg.id)));
    return gate.legs.map((leg) => ({ key: (0,_pipeline_pipeline_js__WEBPACK_IMPORTED_MODULE_0__/* .unitKey */ .g)(gate.id, leg.id), gate, leg, needs }));
}
/** Every unit downstream of this one, in the graph's order. */
function descendantsOf(graph, key) {
    const found = new Set();
    for (const unit of graph.values())
        if (unit.needs.some((need) => need === key || found.has(need)))
            found.add(unit.key);
    return [...found];
}
/** Every unit upstream of this one, in the graph's order. */
function ancestorsOf(graph, key) {
    const found = new Set();
    const pending = [...(graph.get(key)?.needs ?? [])];
    while (pending.length > 0) {
        const next = pending.pop();
        if (found.has(next))
            continue;
        found.add(next);
        pending.push(...(graph.get(next)?.needs ?? []));
    }
    return [...graph.keys()].filter((candidate) => found.has(candidate));
}


/***/ }),

/***/ 9553:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   L: () => (/* binding */ atomicWrite)
/* harmony export */ });
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1455);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6760);
/* harmony import */ var _store_errors_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(6519);
/* harmony import */ var _durable_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(2491);




/**
 * Write a whole file so that readers see what was there before or all of the new content, also after a power cut.
 * Folders are made where they are missing. A symbolic link at `path` is replaced, not followed.
 *
 * @throws GatelineError `STORE_WRITE_FAILED` (fault `platform`); what was there before is unchanged then
 */
async function atomicWrite(path, content, options = {}) {
    await (0,_store_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .writing */ .dV)(path, async () => {
        await (0,_durable_js__WEBPACK_IMPORTED_MODULE_3__/* .makeFolder */ .fc)((0,node_path__WEBPACK_IMPORTED_MODULE_1__.dirname)(path));
        const temporaryFolder = options.temporaryFolder ?? (0,node_path__WEBPACK_IMPORTED_MODULE_1__.dirname)(path);
        await (0,_durable_js__WEBPACK_IMPORTED_MODULE_3__/* .makeFolder */ .fc)(temporaryFolder);
        const temporary = await (0,_durable_js__WEBPACK_IMPORTED_MODULE_3__/* .writeTemporary */ .bW)(temporaryFolder, [Buffer.from(content)]);
        try {
            await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.rename)(temporary.path, path);
        }
        catch (error) {
            await temporary.discard();
            throw error;
        }
        await (0,_durable_js__WEBPACK_IMPORTED_MODULE_3__/* .syncFolder */ .Yw)((0,node_path__WEBPACK_IMPORTED_MODULE_1__.dirname)(path));
    });
    options.onDurable?.(`file ${path}`);
}


/***/ }),

/***/ 2491:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Yw: () => (/* binding */ syncFolder),
/* harmony export */   bW: () => (/* binding */ writeTemporary),
/* harmony export */   cB: () => (/* binding */ claimName),
/* harmony export */   fc: () => (/* binding */ makeFolder),
/* harmony export */   gD: () => (/* binding */ syncFile)
/* harmony export */ });
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7598);
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(1455);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(6760);
/* harmony import */ var _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(7974);
/* harmony import */ var _new_file_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(619);
/* harmony import */ var _store_errors_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(6519);






/** What file systems answer that cannot do hard links (FAT, some network mounts, Android). */
const NO_HARD_LINKS = new Set([
    'EPERM',
    'ENOTSUP',
    'EOPNOTSUPP',
    'ENOSYS',
    'EMLINK',
    'EXDEV',
    'EINVAL',
    'EACCES',
    'UNKNOWN',
]);
/** What file systems answer that cannot flush a folder. */
const NO_FOLDER_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);
/** Flush a folder, so that names made, changed or removed in it outlive a power cut. Windows does that by itself. */
async function syncFolder(path) {
    if (process.platform === 'win32')
        return;
    const handle = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.open)(path, 'r');
    try {
        await handle.sync();
    }
    catch (error) {
        if (!(0,_store_errors_js__WEBPACK_IMPORTED_MODULE_5__/* .isFromSystem */ .GM)(error) || !NO_FOLDER_SYNC.has(error.code))
            throw error;
    }
    finally {
        await handle.close();
    }
}
/** Make a folder and those above it, durable, for nobody but its owner. @returns true when it was not there before. */
async function makeFolder(path) {
    const first = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.mkdir)(path, { recursive: true, mode: 0o700 });
    if (first === undefined)
        return false;
    for (let made = path; made.length >= first.length; made = (0,node_path__WEBPACK_IMPORTED_MODULE_2__.dirname)(made))
        await syncFolder((0,node_path__WEBPACK_IMPORTED_MODULE_2__.dirname)(made));
    return true;
}
/**
 * Write chunks to a new file with a name of its own in `folder`, and flush it. When anything goes wrong
 * (what the chunks throw included), it is removed again.
 *
 * @param flush false: the caller flushes, or throws the file away
 */
async function writeTemporary(folder, chunks, flush = true) {
    const path = (0,node_path__WEBPACK_IMPORTED_MODULE_2__.join)(folder, `${(0,node_crypto__WEBPACK_IMPORTED_MODULE_0__.randomUUID)()}.tmp`);
    const handle = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.open)(path, 'wx');
    let bytes = 0;
    try {
        for await (const chunk of chunks) {
            await (0,_new_file_js__WEBPACK_IMPORTED_MODULE_4__/* .writeAll */ .f)(handle, chunk);
            bytes += chunk.length;
        }
        if (flush)
            await handle.sync();
    }
    catch (error) {
        await handle.close();
        await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.rm)(path, { force: true });
        throw error;
    }
    await handle.close();
    return { path, bytes, discard: () => (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.rm)(path, { force: true }) };
}
/** Flush a file that was written before. */
async function syncFile(path) {
    const handle = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.open)(path, 'r+');
    try {
        await handle.sync();
    }
    finally {
        await handle.close();
    }
}
/**
 * Give a flushed temporary file a name that nobody may have yet; durable when this settles. The temporary name is
 * gone afterwards, whatever the answer.
 *
 * - `link`: a hard link, which fails where the name exists. Readers see nothing or all of it. Where the file system
 *   has no hard links, `reserve` is used instead.
 * - `reserve`: an empty file made with `O_EXCL`, then the whole file moved over it. Readers may see the empty file
 *   for a moment, and for ever if the process dies just then: the name counts as taken.
 *
 * @returns false when the name is taken
 */
async function claimName(temporary, path, claiming) {
    const linked = claiming === 'link' ? await tryLink(temporary, path) : 'unsupported';
    if (linked === 'unsupported') {
        if (!(await reserve(path))) {
            await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.rm)(temporary, { force: true });
            return false;
        }
        await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.rename)(temporary, path);
    }
    else {
        await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.unlink)(temporary);
        if (linked === 'taken')
            return false;
    }
    await syncFolder((0,node_path__WEBPACK_IMPORTED_MODULE_2__.dirname)(path));
    return true;
}
async function tryLink(temporary, path) {
    try {
        await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.link)(temporary, path);
        return 'linked';
    }
    catch (error) {
        if ((0,_errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_3__/* .isSystemError */ .Or)(error, 'EEXIST')) {
            // NFS may say EEXIST for a link that it made: the answer to the first try got lost. Two names tell.
            return (await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.stat)(temporary)).nlink > 1 ? 'linked' : 'taken';
        }
        if ((0,_store_errors_js__WEBPACK_IMPORTED_MODULE_5__/* .isFromSystem */ .GM)(error) && NO_HARD_LINKS.has(error.code))
            return 'unsupported';
        throw error;
    }
}
async function reserve(path) {
    try {
        await (await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.open)(path, 'wx')).close();
        return true;
    }
    catch (error) {
        if ((0,_errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_3__/* .isSystemError */ .Or)(error, 'EEXIST'))
            return false;
        throw error;
    }
}


/***/ }),

/***/ 4942:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Ch: () => (/* binding */ TOMBSTONE_FORMAT),
/* harmony export */   EJ: () => (/* binding */ keepAside),
/* harmony export */   Zb: () => (/* binding */ tombstoneSchema),
/* harmony export */   iE: () => (/* binding */ buryRecord)
/* harmony export */ });
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1455);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6760);
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(3024);
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(7598);
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_10__ = __webpack_require__(2857);
/* harmony import */ var _run_digest_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(4612);
/* harmony import */ var _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(7974);
/* harmony import */ var _store_errors_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(6519);
/* harmony import */ var _atomic_write_js__WEBPACK_IMPORTED_MODULE_7__ = __webpack_require__(9553);
/* harmony import */ var _durable_js__WEBPACK_IMPORTED_MODULE_8__ = __webpack_require__(2491);
/* harmony import */ var _read_file_js__WEBPACK_IMPORTED_MODULE_9__ = __webpack_require__(8781);











/** Format of what is left in the place of a record that was put into quarantine. */
const TOMBSTONE_FORMAT = 'gateline-tombstone/1';
/** What is left in the place of a record that was put into quarantine: its name stays taken, and every listing tells of it. */
const tombstoneSchema = zod__WEBPACK_IMPORTED_MODULE_10__/* .object */ .Ikc({
    format: zod__WEBPACK_IMPORTED_MODULE_10__/* .literal */ .euz(TOMBSTONE_FORMAT),
    code: zod__WEBPACK_IMPORTED_MODULE_10__/* ["enum"] */ .k5n(['TRUNCATED', 'CORRUPT', 'FOREIGN']),
    message: zod__WEBPACK_IMPORTED_MODULE_10__/* .string */ .YjP().max(1_000),
    /** Where the bytes are now, relative to the workspace. */
    quarantine: zod__WEBPACK_IMPORTED_MODULE_10__/* .string */ .YjP().max(4_096),
});
/** Digits of the digest in the name of a file in quarantine: the same bytes are kept once. */
const DIGITS = 12;
/**
 * Keep the bytes of a bad record in `quarantine/`, and put a tombstone in its place. The record's name is taken at
 * every moment, and nothing is moved that is not what was judged.
 *
 * @param judged the file that the bytes were read from
 * @returns where the bytes are kept; `undefined` when the file has changed in the meantime: read it again
 */
async function buryRecord(state, path, bytes, judged, why) {
    const target = quarantinePath(state, path, (0,_run_digest_js__WEBPACK_IMPORTED_MODULE_4__/* .hexOf */ .ZD)((0,_run_digest_js__WEBPACK_IMPORTED_MODULE_4__/* .digestOf */ .ol)(bytes)).slice(0, DIGITS));
    const { temporaryFolder, onDurable } = state;
    await state.folder((0,node_path__WEBPACK_IMPORTED_MODULE_1__.dirname)(target));
    await state.folder((0,node_path__WEBPACK_IMPORTED_MODULE_1__.dirname)(path));
    await (0,_atomic_write_js__WEBPACK_IMPORTED_MODULE_7__/* .atomicWrite */ .L)(target, bytes, { temporaryFolder, onDurable });
    await explain(state, path, target, why);
    const tombstone = { format: TOMBSTONE_FORMAT, code: why.code, message: why.message, quarantine: state.show(target) };
    const now = await (0,_store_errors_js__WEBPACK_IMPORTED_MODULE_6__/* .unlessAbsent */ .QY)((0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.lstat)(path, { bigint: true }));
    if (now === undefined || !(0,_read_file_js__WEBPACK_IMPORTED_MODULE_9__/* .isSameFile */ .Dl)(now, judged))
        return undefined;
    await (0,_atomic_write_js__WEBPACK_IMPORTED_MODULE_7__/* .atomicWrite */ .L)(path, `${JSON.stringify(tombstone, null, 2)}\n`, { temporaryFolder, onDurable });
    return target;
}
/**
 * Keep altered content in `quarantine/` as well as in its place, where it goes on being reported until the right
 * bytes are put over it. Doing it again with the same bytes changes nothing.
 *
 * @param tag what the name in quarantine ends in: digits of what the digest is now
 * @returns where it is kept
 */
async function keepAside(state, path, tag, why) {
    const target = quarantinePath(state, path, tag.slice(0, DIGITS));
    await state.folder((0,node_path__WEBPACK_IMPORTED_MODULE_1__.dirname)(target));
    if ((await (0,_store_errors_js__WEBPACK_IMPORTED_MODULE_6__/* .unlessAbsent */ .QY)((0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.lstat)(target))) !== undefined)
        return target;
    await linkOrCopy(state, path, target);
    await (0,_durable_js__WEBPACK_IMPORTED_MODULE_8__/* .syncFolder */ .Yw)((0,node_path__WEBPACK_IMPORTED_MODULE_1__.dirname)(target));
    state.onDurable(`quarantine ${state.show(target)}`);
    await explain(state, path, target, why);
    return target;
}
/** `runs/a/1/x.json` → `quarantine/runs/a/1/x.json.<tag>`: where it came from can be seen. */
function quarantinePath(state, path, tag) {
    return `${(0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(state.root, 'quarantine', (0,node_path__WEBPACK_IMPORTED_MODULE_1__.relative)(state.root, path))}.${tag}`;
}
async function linkOrCopy(state, path, target) {
    try {
        await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.link)(path, target);
    }
    catch (error) {
        if ((0,_errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_5__/* .isSystemError */ .Or)(error, 'EEXIST'))
            return;
        if (!(0,_store_errors_js__WEBPACK_IMPORTED_MODULE_6__/* .isFromSystem */ .GM)(error) || error.code === 'ENOENT')
            throw error;
        const temporary = (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(state.temporaryFolder, `${(0,node_crypto__WEBPACK_IMPORTED_MODULE_3__.randomUUID)()}.tmp`);
        await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.copyFile)(path, temporary, node_fs__WEBPACK_IMPORTED_MODULE_2__.constants.COPYFILE_EXCL);
        await (0,_durable_js__WEBPACK_IMPORTED_MODULE_8__/* .syncFile */ .gD)(temporary);
        await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.rename)(temporary, target);
    }
}
/** A note beside the file, for people. */
async function explain(state, path, target, why) {
    const note = { was: state.show(path), code: why.code, message: why.message };
    const { temporaryFolder, onDurable } = state;
    await (0,_atomic_write_js__WEBPACK_IMPORTED_MODULE_7__/* .atomicWrite */ .L)(`${target}.why.json`, `${JSON.stringify(note, null, 2)}\n`, { temporaryFolder, onDurable });
}


/***/ }),

/***/ 8781:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Dl: () => (/* binding */ isSameFile),
/* harmony export */   oD: () => (/* binding */ readWhole),
/* harmony export */   sb: () => (/* binding */ openForReading)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(1455);
/* harmony import */ var _store_errors_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(6519);



/** Never follows a link in the file's place, and never waits for a pipe that nobody writes to. */
const SAFE_READ = node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_RDONLY | (node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_NOFOLLOW ?? 0) | (node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_NONBLOCK ?? 0);
/** Open a plain file for reading. Only `ENOENT` is `absent`; folders, links, pipes and whatever the system refuses are `unreadable`. */
async function openForReading(path) {
    let handle;
    try {
        handle = await (0,_store_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .unlessAbsent */ .QY)((0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.open)(path, SAFE_READ));
        if (handle === undefined)
            return { state: 'absent' };
        const status = await handle.stat({ bigint: true });
        if (status.isFile())
            return { state: 'open', handle, status };
        await handle.close();
        return { state: 'unreadable', message: status.isDirectory() ? 'a folder stands in its place' : 'not a plain file' };
    }
    catch (error) {
        await handle?.close();
        if ((0,_store_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .isFromSystem */ .GM)(error))
            return { state: 'unreadable', message: unreadableReason(error) };
        throw error;
    }
}
/** Read a plain file of at most `limit` bytes; a larger one is `unreadable`. */
async function readWhole(path, limit) {
    const file = await openForReading(path);
    if (file.state !== 'open')
        return file;
    const { handle, status } = file;
    try {
        if (status.size > BigInt(limit))
            return { state: 'unreadable', message: `larger than ${limit} bytes` };
        return { state: 'read', bytes: await handle.readFile(), status };
    }
    catch (error) {
        if ((0,_store_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .isFromSystem */ .GM)(error))
            return { state: 'unreadable', message: unreadableReason(error) };
        throw error;
    }
    finally {
        await handle.close();
    }
}
/** True when both say that it is the very same file with the very same bytes (as far as the system tells). */
function isSameFile(a, b) {
    return a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeNs === b.mtimeNs;
}
function unreadableReason(error) {
    return error.code === 'ELOOP' ? 'a symbolic link stands in its place' : (0,_store_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .reasonOf */ .A3)(error);
}


/***/ }),

/***/ 2222:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   s: () => (/* binding */ StateFolder),
/* harmony export */   w: () => (/* binding */ initialiseRoot)
/* harmony export */ });
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1455);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6760);
/* harmony import */ var _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(7974);
/* harmony import */ var _store_errors_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(6519);
/* harmony import */ var _atomic_write_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(9553);
/* harmony import */ var _durable_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(2491);






/** Folders of ours that may be there before the first store is opened. */
const MADE_BY_OTHERS = new Set(['tmp', 'attempts']);
/** The folder that a store keeps its files in: contained in the workspace, never committed by accident. */
class StateFolder {
    root;
    workspace;
    readOnly;
    claiming;
    onDurable;
    #realWorkspace;
    #made = new Set();
    constructor(options, realWorkspace) {
        this.root = options.root;
        this.workspace = options.workspace;
        this.readOnly = options.readOnly ?? false;
        this.claiming = options.claiming ?? 'link';
        this.onDurable = options.onDurable ?? (() => undefined);
        this.#realWorkspace = realWorkspace;
    }
    /**
     * Open the folder; make it where it is missing, unless `readOnly`.
     * @throws GatelineError `STATE_ESCAPES` (fault `user`) when it, or a link on the way, leaves the workspace
     * @throws GatelineError `STORE_WRITE_FAILED`, `STORE_READ_FAILED` (fault `platform`)
     */
    static async open(options) {
        const { root, workspace } = options;
        const real = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.realpath)(workspace).catch((error) => {
            throw (0,_store_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .readFailure */ .f1)(workspace, error);
        });
        for (const path of [root, (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(root, 'tmp')])
            await refuseEscape(path, workspace, real);
        const state = new StateFolder(options, real);
        if (!state.readOnly)
            await initialiseRoot(root, options.onDurable);
        return state;
    }
    get temporaryFolder() {
        return (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(this.root, 'tmp');
    }
    /** Make a folder below the root, durable, and make sure that no link leads it out of the workspace. */
    async folder(path) {
        if (this.#made.has(path))
            return;
        // From the root down, so that nothing is made behind a link before it is looked at.
        if (path !== this.root)
            await this.folder((0,node_path__WEBPACK_IMPORTED_MODULE_1__.dirname)(path));
        await (0,_durable_js__WEBPACK_IMPORTED_MODULE_5__/* .makeFolder */ .fc)(path);
        const real = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.realpath)(path);
        if (!isInside(this.#realWorkspace, real))
            throw escapes(path, real);
        this.#made.add(path);
    }
    /** Forget which folders are there: somebody removed one. */
    forgetFolders() {
        this.#made.clear();
    }
    /** A path as people see it: relative to the workspace, `/`-separated. */
    show(path) {
        return (0,node_path__WEBPACK_IMPORTED_MODULE_1__.relative)(this.workspace, path).split(node_path__WEBPACK_IMPORTED_MODULE_1__.sep).join('/');
    }
    /** @throws GatelineError `STORE_READ_ONLY` (a bug of ours) when this was opened for reading. */
    assertWritable() {
        if (!this.readOnly)
            return;
        throw new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_2__/* .GatelineError */ .Mk('gateline', 'STORE_READ_ONLY', `${this.show(this.root)} was opened for reading only`, {
            hint: 'This is a bug in Gateline. Please report it.',
        });
    }
}
/** Make the root where it is missing, with a `.gitignore` that keeps it out of every commit. Safe to call at any time. */
async function initialiseRoot(root, onDurable) {
    await (0,_store_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .writing */ .dV)(root, async () => {
        await (0,_durable_js__WEBPACK_IMPORTED_MODULE_5__/* .makeFolder */ .fc)(root);
        const entries = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.readdir)(root);
        const temporaryFolder = (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(root, 'tmp');
        await (0,_durable_js__WEBPACK_IMPORTED_MODULE_5__/* .makeFolder */ .fc)(temporaryFolder);
        // A folder that holds anything else was here before us, and how git sees it is the user's own choice.
        if (!entries.every((entry) => MADE_BY_OTHERS.has(entry)))
            return;
        await (0,_atomic_write_js__WEBPACK_IMPORTED_MODULE_4__/* .atomicWrite */ .L)((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(root, '.gitignore'), '*\n', { onDurable, temporaryFolder });
    });
}
/** The path from the workspace to the root must not leave it, not even by a link. */
async function refuseEscape(root, workspace, realWorkspace) {
    const inside = (0,node_path__WEBPACK_IMPORTED_MODULE_1__.relative)(workspace, root);
    if (inside === '' || (0,node_path__WEBPACK_IMPORTED_MODULE_1__.isAbsolute)(inside) || inside.split(node_path__WEBPACK_IMPORTED_MODULE_1__.sep)[0] === '..')
        throw escapes(root, root);
    let path = workspace;
    for (const part of inside.split(node_path__WEBPACK_IMPORTED_MODULE_1__.sep)) {
        path = (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(path, part);
        try {
            const status = await (0,_store_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .unlessAbsent */ .QY)((0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.lstat)(path));
            if (status === undefined)
                return;
            if (!status.isSymbolicLink())
                continue;
            const target = await (0,_store_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .unlessAbsent */ .QY)((0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.realpath)(path));
            if (target === undefined || !isInside(realWorkspace, target))
                throw escapes(path, target ?? 'nowhere');
        }
        catch (error) {
            throw (0,_store_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .readFailure */ .f1)(path, error);
        }
    }
}
function isInside(folder, path) {
    const inside = (0,node_path__WEBPACK_IMPORTED_MODULE_1__.relative)(folder, path);
    return inside !== '' && !(0,node_path__WEBPACK_IMPORTED_MODULE_1__.isAbsolute)(inside) && inside.split(node_path__WEBPACK_IMPORTED_MODULE_1__.sep)[0] !== '..';
}
function escapes(path, target) {
    const where = target === path ? 'is not inside the workspace' : `is a link that leads out of the workspace, to ${target}`;
    return new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_2__/* .GatelineError */ .Mk('user', 'STATE_ESCAPES', `${path} ${where}`, {
        hint: 'Gateline keeps its state in a folder of its own inside the workspace: remove the link, or choose another folder.',
        place: { file: path },
    });
}


/***/ }),

/***/ 619:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   S: () => (/* binding */ writeNewFile),
/* harmony export */   f: () => (/* binding */ writeAll)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(1455);
/* harmony import */ var _store_errors_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(6519);



/** Windows has no such flag; there `O_EXCL` alone refuses what stands in the place. */
const NO_FOLLOW = node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_NOFOLLOW ?? 0;
const NEW_FILE = node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_WRONLY | node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_CREAT | node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_EXCL | NO_FOLLOW;
/**
 * Write chunks to a file that does not exist yet, with exactly this mode (the umask does not count). A symbolic
 * link in its place is not followed. When anything goes wrong on the way, what was written is removed.
 *
 * @param judge called when everything is written; `false` removes the file again
 * @returns what `judge` said
 * @throws GatelineError `STORE_WRITE_FAILED`, also where the file exists already (nothing of it is changed then)
 */
async function writeNewFile(path, mode, chunks, judge = () => true) {
    const handle = await (0,_store_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .writing */ .dV)(path, () => (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.open)(path, NEW_FILE, mode));
    let good = false;
    try {
        for await (const chunk of chunks)
            await (0,_store_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .writing */ .dV)(path, () => writeAll(handle, chunk));
        await (0,_store_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .writing */ .dV)(path, () => handle.chmod(mode));
        good = judge();
    }
    finally {
        await handle.close();
        if (!good)
            await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.rm)(path, { force: true });
    }
    return good;
}
/** A single write may take less than it was given. */
async function writeAll(handle, bytes) {
    for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, null);
        done += bytesWritten;
    }
}


/***/ }),

/***/ 1287:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   FF: () => (/* binding */ checkedRecord),
/* harmony export */   be: () => (/* binding */ formatOf),
/* harmony export */   dy: () => (/* binding */ judgeRecord),
/* harmony export */   jZ: () => (/* binding */ parseStoredJson)
/* harmony export */ });
/* unused harmony export parseRecord */
/* harmony import */ var _run_record_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1265);
/* harmony import */ var _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7974);


const RECORD_FORMAT_FAMILY = 'gateline-record/';
/** Bytes of a stored record → the record, or why they are none. Never throws. */
function parseRecord(bytes) {
    const json = parseStoredJson(bytes);
    return 'fault' in json ? json : judgeRecord(json.value);
}
/** A parsed JSON value → the record, or why it is none. Never throws. */
function judgeRecord(value) {
    const format = formatOf(value);
    if (format !== undefined && format !== _run_record_js__WEBPACK_IMPORTED_MODULE_0__/* .RECORD_FORMAT */ .q7 && format.startsWith(RECORD_FORMAT_FAMILY)) {
        return fault('UNKNOWN_VERSION', `written in the format ${format.slice(0, 80)}; this version of Gateline knows ${_run_record_js__WEBPACK_IMPORTED_MODULE_0__/* .RECORD_FORMAT */ .q7}`);
    }
    const parsed = _run_record_js__WEBPACK_IMPORTED_MODULE_0__/* .recordSchema */ .fi.safeParse(value);
    if (parsed.success)
        return { record: parsed.data };
    const first = parsed.error.issues[0];
    const where = first === undefined || first.path.length === 0 ? 'the record' : first.path.join('.');
    return fault('CORRUPT', `not the shape of a record: ${where}: ${first?.message ?? 'invalid'}`.slice(0, 500));
}
/** `format` of a JSON object, where it has one that is a text. */
function formatOf(value) {
    if (typeof value !== 'object' || value === null || !('format' in value))
        return undefined;
    return typeof value.format === 'string' ? value.format : undefined;
}
/** Bytes as JSON; tells an early end (`TRUNCATED`) from bytes that are wrong in themselves (`CORRUPT`). */
function parseStoredJson(bytes) {
    const written = withoutZeroTail(bytes);
    if (written.length === 0)
        return fault('TRUNCATED', 'empty');
    if (written.length < bytes.length)
        return fault('TRUNCATED', 'ends in zero bytes, as after a power cut');
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    let text;
    try {
        // With `stream`, a character that is cut off at the end is no error yet.
        text = decoder.decode(bytes, { stream: true });
    }
    catch {
        return fault('CORRUPT', 'not UTF-8');
    }
    if (endsEarly(text))
        return fault('TRUNCATED', 'ends before its JSON does');
    try {
        return { value: JSON.parse(text + decoder.decode()) };
    }
    catch {
        return fault('CORRUPT', 'not JSON');
    }
}
/**
 * The record that will be written: checked, with nothing in it that the schema does not know.
 * @throws GatelineError `RECORD_INVALID` (a bug of ours: nothing else writes records).
 */
function checkedRecord(record) {
    const parsed = _run_record_js__WEBPACK_IMPORTED_MODULE_0__/* .recordSchema */ .fi.safeParse(record);
    if (parsed.success)
        return parsed.data;
    const first = parsed.error.issues[0];
    throw new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_1__/* .GatelineError */ .Mk('gateline', 'RECORD_INVALID', `A record of gate "${record.gate}" is not valid: ${first?.path.join('.') ?? ''}: ${first?.message ?? ''}`, { hint: 'This is a bug in Gateline. Please report it with this message.', cause: parsed.error });
}
function fault(code, message) {
    return { fault: { code, message } };
}
function withoutZeroTail(bytes) {
    let end = bytes.length;
    while (end > 0 && bytes[end - 1] === 0)
        end--;
    return bytes.subarray(0, end);
}
/** True when a text opens an object or array that it does not close. Strings are skipped, so brackets in them do not count. */
function endsEarly(text) {
    if (text.trim() === '')
        return true;
    let depth = 0;
    let inString = false;
    for (let at = 0; at < text.length; at++) {
        const character = text[at];
        if (inString) {
            if (character === '\\')
                at++;
            else if (character === '"')
                inString = false;
        }
        else if (character === '"')
            inString = true;
        else if (character === '{' || character === '[')
            depth++;
        else if (character === '}' || character === ']')
            depth--;
    }
    return depth > 0;
}


/***/ }),

/***/ 6519:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   A3: () => (/* binding */ reasonOf),
/* harmony export */   EU: () => (/* binding */ writeFailure),
/* harmony export */   GM: () => (/* binding */ isFromSystem),
/* harmony export */   QY: () => (/* binding */ unlessAbsent),
/* harmony export */   dV: () => (/* binding */ writing),
/* harmony export */   f1: () => (/* binding */ readFailure)
/* harmony export */ });
/* harmony import */ var _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7974);

const HINTS = {
    ENOSPC: 'The disk is full: free some space, then run the same command again. Nothing that was kept is lost.',
    EDQUOT: 'Your disk quota is used up: free some space, then run the same command again.',
    EFBIG: 'The file is larger than the system allows (see `ulimit -f`).',
    EROFS: 'The file system is mounted read-only: run this where the workspace can be written.',
    EACCES: 'Check who owns the file and its folder: an earlier run as another user (root in a container?) may have made them.',
    EPERM: 'Check who owns the file and its folder: an earlier run as another user (root in a container?) may have made them.',
    EMFILE: 'Too many files are open: raise the limit (`ulimit -n`).',
    ENFILE: 'The system has too many files open: close some programs.',
    ENOTDIR: 'A file stands where a folder belongs: move it away.',
    EEXIST: 'Something else stands in this place: move it away.',
    EISDIR: 'A folder stands where a file belongs: move it away.',
    EIO: 'The disk answers with errors: check it before you go on.',
};
/** True for an error that the operating system gave, whatever its code. */
function isFromSystem(error) {
    return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error;
}
/** Why the system refused, short enough for a message: `EACCES: permission denied, open '…'`. */
function reasonOf(error) {
    return (0,_errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .messageOf */ .bD)(error).slice(0, 500);
}
/**
 * A write that the system refused, as an error of the platform (`STORE_WRITE_FAILED`).
 * Anything else that was thrown is given back as it is: it is a bug, or somebody else's error.
 */
function writeFailure(path, error) {
    return failure('STORE_WRITE_FAILED', 'Cannot write', path, error);
}
/** As {@link writeFailure}, for reads: `STORE_READ_FAILED`. */
function readFailure(path, error) {
    return failure('STORE_READ_FAILED', 'Cannot read', path, error);
}
/** Runs `write` and turns what the system refuses into {@link writeFailure}. */
async function writing(path, write) {
    try {
        return await write();
    }
    catch (error) {
        throw writeFailure(path, error);
    }
}
/** Answers `undefined` where a file or folder is not there; every other error is thrown on. */
async function unlessAbsent(read) {
    try {
        return await read;
    }
    catch (error) {
        if ((0,_errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .isSystemError */ .Or)(error, 'ENOENT'))
            return undefined;
        throw error;
    }
}
function failure(code, verb, path, error) {
    if (!isFromSystem(error))
        return error;
    return new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk('platform', code, `${verb} ${path}: ${reasonOf(error)}`, {
        hint: HINTS[error.code] ?? 'Check the disk and the permissions of this path, then run the same command again.',
        place: { file: path },
        cause: error,
    });
}


/***/ }),

/***/ 5443:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   O: () => (/* binding */ isJsonObject)
/* harmony export */ });
/** True for a JSON object (not an array, not null). */
function isJsonObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}


/***/ }),

/***/ 3711:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  qF: () => (/* binding */ parseJson)
});

// UNUSED EXPORTS: DEFAULT_MAX_BYTES, DEFAULT_MAX_DEPTH

// EXTERNAL MODULE: ./build/untrusted/json.js
var json = __webpack_require__(5443);
;// CONCATENATED MODULE: ./build/untrusted/json-scan.js
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const NUMBER_LIKE = /[-+.0-9a-zA-Z_]*/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SPACE = /[ \t\r\n]*/y;
/**
 * Find the first place at which a text breaks the grammar of RFC 8259, or `undefined` if it never does. Slower than
 * `JSON.parse`: for when that has failed, and for duplicate keys, which it takes. Without recursion.
 */
function findJsonError(text, options = {}) {
    return new Scan(text, options.duplicates ?? false).run();
}
class Scan {
    at = 0;
    frames = [];
    text;
    duplicates;
    constructor(text, duplicates) {
        this.text = text;
        this.duplicates = duplicates;
    }
    run() {
        this.space();
        for (;;) {
            const opened = this.value();
            if (typeof opened === 'object')
                return opened;
            if (opened)
                continue;
            const closed = this.closeOrNext();
            if (typeof closed === 'object')
                return closed;
            if (closed)
                break;
        }
        return this.at < this.text.length ? this.error('after') : undefined;
    }
    /** Read a scalar (false), or open an object or array up to its first value (true); an empty one counts as scalar. */
    value() {
        const char = this.text[this.at];
        if (char === '{' || char === '[')
            return this.open(char);
        if (char === '"')
            return this.string() ?? false;
        if (char === '-' || (char !== undefined && char >= '0' && char <= '9'))
            return this.number();
        for (const word of ['true', 'false', 'null']) {
            if (this.text.startsWith(word, this.at) && !/[A-Za-z0-9_]/.test(this.text[this.at + word.length] ?? '')) {
                this.at += word.length;
                return false;
            }
        }
        return this.error(char === undefined ? 'end' : 'value');
    }
    open(bracket) {
        this.at += 1;
        this.space();
        if (this.text[this.at] === (bracket === '{' ? '}' : ']')) {
            this.at += 1;
            return false;
        }
        this.frames.push(bracket === '{' ? { at: '', keys: new Set() } : { at: 0, keys: undefined });
        return bracket === '{' ? (this.key() ?? true) : true;
    }
    /** After a value: close what ends here; true when nothing is open, false before the next value. */
    closeOrNext() {
        for (;;) {
            this.space();
            const frame = this.frames.at(-1);
            if (frame === undefined)
                return true;
            const char = this.text[this.at];
            if (char === undefined)
                return this.error('end');
            if (char === (frame.keys ? '}' : ']')) {
                this.at += 1;
                this.frames.pop();
                continue;
            }
            if (char !== ',')
                return this.error('comma');
            const comma = this.at;
            this.at += 1;
            this.space();
            if (this.text[this.at] === '}' || this.text[this.at] === ']')
                return this.error('trailing-comma', comma);
            if (frame.keys)
                return this.key() ?? false;
            frame.at = Number(frame.at) + 1;
            return false;
        }
    }
    key() {
        const start = this.at;
        if (this.text[start] === undefined)
            return this.error('end');
        if (this.text[start] !== '"')
            return this.error('key');
        const wrong = this.string();
        if (wrong)
            return wrong;
        const frame = this.frames.at(-1);
        const key = JSON.parse(this.text.slice(start, this.at));
        frame.at = key;
        if (this.duplicates && frame.keys.has(key))
            return this.error('duplicate', start);
        if (this.duplicates)
            frame.keys.add(key);
        this.space();
        if (this.text[this.at] !== ':')
            return this.error(this.text[this.at] === undefined ? 'end' : 'colon');
        this.at += 1;
        this.space();
        return undefined;
    }
    string() {
        const start = this.at;
        this.at += 1;
        for (;;) {
            this.skip(PLAIN);
            const char = this.text[this.at];
            if (char === '"') {
                this.at += 1;
                return undefined;
            }
            if (char === undefined)
                return this.error('open-text', start);
            if (char !== '\\')
                return this.error('control');
            if (!this.skip(ESCAPE))
                return this.error('escape');
        }
    }
    number() {
        const start = this.at;
        this.skip(NUMBER);
        const end = this.at;
        this.at = start;
        this.skip(NUMBER_LIKE);
        return this.at === end && end > start ? false : this.error('number', start);
    }
    space() {
        this.skip(SPACE);
    }
    /** Move past what the pattern matches here; false if it matches nothing. */
    skip(pattern) {
        pattern.lastIndex = this.at;
        const matched = pattern.test(this.text);
        if (matched)
            this.at = pattern.lastIndex;
        return matched;
    }
    error(problem, offset = this.at) {
        return { offset, problem, path: this.frames.map((frame) => frame.at) };
    }
}

// EXTERNAL MODULE: ./build/untrusted/visible.js
var visible = __webpack_require__(8523);
;// CONCATENATED MODULE: ./build/untrusted/json-syntax-error.js

/** Words that other notations have and JSON has not, with what to write. */
const FOREIGN_WORDS = {
    NaN: 'JSON has no `NaN`: leave the number out or write null',
    Infinity: 'JSON has no `Infinity`: leave the number out or write null',
    undefined: 'JSON has no `undefined`: leave the key out or write null',
    None: '`None` is Python: write null',
    True: '`True` is Python: write true',
    False: '`False` is Python: write false',
};
const PROBLEMS = {
    end: 'the document ends too early: it may have been cut off',
    value: 'no JSON value begins here',
    key: 'a key in double quotes is expected here',
    colon: 'a `:` is expected here, after the key',
    comma: 'a `,` or the closing bracket is expected here',
    'trailing-comma': 'a `,` stands before a closing bracket; JSON has no trailing commas',
    after: 'the JSON value has ended, and something follows it',
    escape: 'a backslash begins no escape that JSON has; write `\\\\` for the character itself',
    control: 'a control character stands in a text; write it as an escape (`\\n`, `\\t`, `\\u001b`)',
    'open-text': 'the text that begins here does not end',
    number: 'this is no JSON number',
    duplicate: 'the object has this key twice',
};
/** Characters of the document that a message shows. */
const EXCERPT = 40;
/** Say what is wrong with a text, where, and what stands there. The most common mistakes of agents are named. */
function describeSyntaxError(text, error) {
    const where = `line ${lineOf(text, error.offset)}, column ${columnOf(text, error.offset)}`;
    const special = aroundTheValue(text, error) ?? notation(text, error);
    const what = special?.message ?? PROBLEMS[error.problem];
    const excerpt = excerptAt(text, error.offset);
    const message = `${what} (${where}${excerpt === '' ? '' : `: ${JSON.stringify(excerpt)}`})`;
    return special?.advice === undefined ? { message } : { message, advice: special.advice };
}
const BARE = 'Write the bare JSON value: no Markdown fence, no text before or after it.';
/** Text around the value: what a language model likes to write. */
function aroundTheValue(text, error) {
    const start = text.slice(0, 4_096).trimStart();
    if (/^(?:```|~~~)/.test(start)) {
        return { message: 'the output starts with a Markdown fence; write the bare JSON value', advice: BARE };
    }
    const fence = text.slice(0, 65_536).search(/^\s*(?:```|~~~)/m);
    if (error.problem === 'value' && error.path.length === 0 && /^[\p{L}*#>]/u.test(start) && !startsForeign(start)) {
        const has = fence >= 0 ? ' and holds a Markdown fence' : '';
        return { message: `the output starts with prose${has}; write the bare JSON value`, advice: BARE };
    }
    if (error.problem === 'after') {
        const rest = text.slice(error.offset, error.offset + 200).trimStart();
        if (/^(?:```|~~~)/.test(rest))
            return { message: 'a Markdown fence follows the JSON value', advice: BARE };
        if (/^[{[]/.test(rest)) {
            const advice = 'Write one value; several belong in one array (JSON Lines is not read).';
            return { message: 'a second JSON value follows the first', advice };
        }
        return { message: PROBLEMS.after, advice: BARE };
    }
    return undefined;
}
function startsForeign(text) {
    return /^(?:NaN|Infinity|undefined|None|True|False)\b/.test(text);
}
/** Notations that look like JSON. */
function notation(text, error) {
    const here = text.slice(error.offset, error.offset + 40);
    if (error.problem === 'value' || error.problem === 'number') {
        const word = /^-?([A-Za-z]+)/.exec(here)?.[1];
        if (word !== undefined && Object.hasOwn(FOREIGN_WORDS, word))
            return { message: FOREIGN_WORDS[word] };
    }
    if (/^['‘’]/.test(here) && (error.problem === 'value' || error.problem === 'key')) {
        return { message: 'texts and keys stand in double quotes' };
    }
    if (/^[“”„]/.test(here))
        return { message: 'typographic quotes are not JSON; use `"`' };
    if (/^(?:\/\/|\/\*|#)/.test(here))
        return { message: 'JSON has no comments' };
    if (error.problem === 'number' && /^-?0[0-9]/.test(here))
        return { message: 'a number does not begin with 0' };
    return undefined;
}
function lineOf(text, offset) {
    let line = 1;
    for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1))
        line += 1;
    return line;
}
function columnOf(text, offset) {
    return offset - (offset === 0 ? -1 : text.lastIndexOf('\n', offset - 1));
}
function excerptAt(text, offset) {
    const end = text.indexOf('\n', offset);
    const line = text.slice(offset, end < 0 ? text.length : end);
    const cut = line.slice(0, EXCERPT).toWellFormed();
    return (0,visible/* showUnseen */.A)(line.length > EXCERPT ? `${cut}…` : cut);
}

;// CONCATENATED MODULE: ./build/untrusted/json-structure.js
const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];
/**
 * Measure a JSON text before it is parsed: without recursion, in one pass over its bytes (about 0.2 s for 100 MB).
 * UTF-8 needs no care: the bytes that count here stand for nothing else.
 */
function sizeStructure(bytes, maxDepth) {
    let depth = 0;
    let deepest = 0;
    let keys = 0;
    for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at];
        if (byte === QUOTE) {
            at = endOfText(bytes, at);
        }
        else if (byte === COLON) {
            keys += 1;
        }
        else if ((byte | 0x20) === 0x7b) {
            // `{` is 0x7b and `[` is 0x5b.
            depth += 1;
            if (depth > deepest)
                deepest = depth;
            if (depth > maxDepth)
                return { depth, keys, offset: at };
        }
        else if ((byte | 0x20) === 0x7d) {
            depth -= 1;
        }
    }
    return { depth: deepest, keys, offset: bytes.length };
}
/** The byte that closes the text that opens at `at`, or the last one. */
function endOfText(bytes, at) {
    let end = at + 1;
    while (end < bytes.length && bytes[end] !== QUOTE)
        end += bytes[end] === BACKSLASH ? 2 : 1;
    return end;
}

;// CONCATENATED MODULE: ./build/untrusted/parse-json.js




const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;
const DEFAULT_MAX_DEPTH = 200;
const HIGHEST_MAX_BYTES = 500 * 1024 * 1024;
const HIGHEST_MAX_DEPTH = 1_000;
/** Numbers that lost digits: so many are named, the rest counted. */
const MAX_NOTICES = 5;
const ADVICE = 'Write one JSON value (RFC 8259) in UTF-8, and nothing around it.';
/**
 * Read JSON that somebody else wrote. Never throws, whatever the bytes are, and never repairs: a document that is
 * not exactly one JSON value (RFC 8259) is refused, with the line and column of what is wrong.
 *
 * Stricter than `JSON.parse` where that would hide something: a key that is given twice, a key `__proto__`,
 * half of a surrogate pair (`"\ud800"`: RFC 8785 has no form for it), and a number that no double can hold (`1e999`)
 * are refused with their pointer. Whole numbers beyond 2^53, which lose digits, are read with a notice. A byte
 * order mark is skipped. Other keys (`constructor`, `toString`) are plain data; look them up with `Object.hasOwn`.
 *
 * Memory beside the bytes: the text, the value, and a little. A 100 MB array of objects takes about 0.6 GiB in all.
 */
function parseJson(bytes, limits = {}) {
    const maxBytes = Math.min(limits.maxBytes ?? DEFAULT_MAX_BYTES, HIGHEST_MAX_BYTES);
    const maxDepth = Math.min(limits.maxDepth ?? DEFAULT_MAX_DEPTH, HIGHEST_MAX_DEPTH);
    if (bytes.length > maxBytes) {
        const message = `the document has ${bytes.length.toLocaleString('en')} bytes; at most ${maxBytes.toLocaleString('en')} are read`;
        return refused('too-large', { message }, 'Put large data in files that the gate hands on, and name them in the value.');
    }
    const decoded = decode(bytes);
    if (!decoded.ok)
        return decoded.refusal;
    const { text } = decoded;
    const structure = sizeStructure(bytes, maxDepth);
    if (structure.depth > maxDepth) {
        const message = `objects and arrays are nested more than ${maxDepth} deep`;
        return refused('too-large', { message: `${message}${atOffset(bytes, structure.offset)}` }, `Nest at most ${maxDepth} deep.`);
    }
    let value;
    try {
        value = JSON.parse(text);
    }
    catch (error) {
        return syntaxError(text, error);
    }
    return inspect(value, text, structure.keys);
}
function refused(kind, issue, advice = ADVICE) {
    return { ok: false, kind, issue: { severity: 'error', ...issue }, advice };
}
function decode(bytes) {
    if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
        const message = 'the document is UTF-16, not UTF-8';
        const advice = 'Write UTF-8; in Windows PowerShell use `Out-File -Encoding utf8` instead of `>`.';
        return { ok: false, refusal: refused('malformed', { message }, advice) };
    }
    try {
        // The decoder drops a byte order mark.
        const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
        if (/^[ \t\r\n]*$/.test(text.slice(0, 4_096)) && text.trim() === '') {
            return { ok: false, refusal: refused('missing', { message: 'the document is empty' }) };
        }
        return { ok: true, text };
    }
    catch {
        const offset = validPrefix(bytes);
        const message = `byte 0x${(bytes[offset] ?? 0).toString(16).padStart(2, '0')} is not UTF-8${atOffset(bytes, offset)}`;
        return { ok: false, refusal: refused('malformed', { message }) };
    }
}
/** Length of the longest part from the start that is UTF-8. Found by halving, for it is needed for a message only. */
function validPrefix(bytes) {
    const decodes = (end, stream) => {
        try {
            new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end), { stream });
            return true;
        }
        catch {
            return false;
        }
    };
    let valid = 0;
    for (let beyond = bytes.length + 1; beyond - valid > 1;) {
        const middle = (valid + beyond) >>> 1;
        if (decodes(middle, true))
            valid = middle;
        else
            beyond = middle;
    }
    // Up to three bytes of a character that did not come to an end.
    while (valid > 0 && !decodes(valid, false))
        valid -= 1;
    return valid;
}
/** ` at line 3, byte 7`. Bytes, since this is said where there is no text to count characters of. */
function atOffset(bytes, offset) {
    let line = 1;
    let start = 0;
    for (let at = bytes.indexOf(0x0a); at >= 0 && at < offset; at = bytes.indexOf(0x0a, at + 1)) {
        line += 1;
        start = at + 1;
    }
    return ` at line ${line}, byte ${offset - start + 1}`;
}
function syntaxError(text, thrown) {
    const error = findJsonError(text);
    if (error === undefined) {
        // The two parsers disagree; the engine's word counts.
        const message = thrown instanceof Error ? thrown.message.slice(0, 500) : 'the document could not be read';
        return refused('malformed', { message });
    }
    const { message, advice } = describeSyntaxError(text, error);
    return refused('malformed', { message }, advice ?? ADVICE);
}
/** Look for what `JSON.parse` takes in silence. */
function inspect(value, text, keysInText) {
    const found = { keys: 0, imprecise: 0, notices: [], path: [], surrogates: text.includes('\\u') };
    const refusal = visit(value, found, 0);
    if (refusal !== undefined)
        return refused('malformed', { message: refusal, pointer: pointerTo(found.path) });
    if (found.keys !== keysInText) {
        const duplicate = findJsonError(text, { duplicates: true });
        if (duplicate !== undefined) {
            const { message, advice } = describeSyntaxError(text, duplicate);
            return refused('malformed', { message, pointer: pointerTo(duplicate.path) }, advice ?? ADVICE);
        }
    }
    if (found.imprecise > found.notices.length) {
        const message = `${found.imprecise - found.notices.length} more whole numbers beyond 2^53 may have lost digits`;
        found.notices.push({ severity: 'notice', message });
    }
    return { ok: true, value, notices: found.notices };
}
/** Recursion is safe: the depth was checked. Answers what is wrong, with the path left standing. */
function visit(value, found, depth) {
    if (typeof value === 'string')
        return found.surrogates && !value.isWellFormed() ? LONE_SURROGATE : undefined;
    if (typeof value === 'number')
        return visitNumber(value, found, depth);
    if (Array.isArray(value)) {
        for (let index = 0; index < value.length; index += 1) {
            found.path[depth] = index;
            const wrong = visit(value[index], found, depth + 1);
            if (wrong !== undefined)
                return wrong;
        }
    }
    else if ((0,json/* isJsonObject */.O)(value)) {
        for (const key of Object.keys(value)) {
            found.path[depth] = key;
            found.keys += 1;
            const wrong = badKey(key, found) ?? visit(value[key], found, depth + 1);
            if (wrong !== undefined)
                return wrong;
        }
    }
    found.path.length = depth;
    return undefined;
}
const LONE_SURROGATE = 'a text holds half of a surrogate pair (\\ud800-\\udfff), which is no character';
function badKey(key, found) {
    if (key === '__proto__')
        return 'the key `__proto__` is not allowed';
    return found.surrogates && !key.isWellFormed() ? LONE_SURROGATE : undefined;
}
function visitNumber(value, found, depth) {
    if (!Number.isFinite(value)) {
        found.path.length = depth;
        return 'a number is too large for a double (IEEE 754)';
    }
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
        found.imprecise += 1;
        if (found.notices.length < MAX_NOTICES) {
            const pointer = pointerTo(found.path.slice(0, depth));
            const message = `a whole number beyond 2^53 is read as ${value} and may have lost digits; write it as a text to keep them`;
            found.notices.push({ severity: 'notice', message, pointer });
        }
    }
    return undefined;
}
function pointerTo(path) {
    const pointer = path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
    return pointer.toWellFormed().slice(0, 4_096);
}


/***/ }),

/***/ 1779:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  l: () => (/* binding */ createRedactor)
});

// UNUSED EXPORTS: MASK

;// CONCATENATED MODULE: ./build/untrusted/private-keys.js
/** A private key's text is looked for this far, in UTF-16 units; the longest real ones have some 20,000. */
const MAX_KEY_LENGTH = 65_536;
/** A key that is cut off is masked this far. */
const MAX_CUT_KEY_LENGTH = 16_384;
const MARKER = /-----(BEGIN|END) ([A-Z0-9 ]{0,40})-----/g;
/** Base64, line breaks, and both as JSON spells them. */
const CUT_KEY_BODY = new RegExp(String.raw `[A-Za-z0-9+/=\s\\]{0,${MAX_CUT_KEY_LENGTH}}`, 'y');
/** PEM and PGP private keys (RFC 7468), marker to marker, also where line breaks are escaped; cut-off ones as far as they go. */
function* findPrivateKeys(text) {
    if (!text.includes('-----BEGIN '))
        return;
    const markers = [...text.matchAll(MARKER)];
    for (const [index, marker] of markers.entries()) {
        if (!beginsKey(marker))
            continue;
        const next = markers[index + 1];
        const end = next?.[1] === 'END' ? next.index + next[0].length : Infinity;
        const start = marker.index;
        yield {
            name: 'private-key',
            from: start,
            start,
            end: end - start <= MAX_KEY_LENGTH ? end : endOfCutKey(text, marker),
        };
    }
}
/** Where a key begins whose end may still come in text that follows. `undefined`: there is none. */
function openKeyAt(text) {
    if (!text.includes('-----BEGIN '))
        return undefined;
    let last;
    for (const marker of text.matchAll(MARKER))
        last = marker;
    const open = last !== undefined && beginsKey(last) && text.length - last.index <= MAX_KEY_LENGTH;
    return open ? last.index : undefined;
}
function beginsKey(marker) {
    return marker[1] === 'BEGIN' && marker[2].includes('PRIVATE KEY');
}
function endOfCutKey(text, marker) {
    CUT_KEY_BODY.lastIndex = marker.index + marker[0].length;
    const body = CUT_KEY_BODY.exec(text)[0];
    return marker.index + marker[0].length + body.trimEnd().length;
}

// EXTERNAL MODULE: ./build/untrusted/json.js
var json = __webpack_require__(5443);
;// CONCATENATED MODULE: ./build/untrusted/redact-json.js

/**
 * A JSON value whose strings and keys went through `redactText`, and in which each number of `numbers` became
 * `"***"`. Works at any depth. Two keys that become one get a number (`***`, `*** (2)`), so that no value is
 * lost; the order of keys stays. Objects of a changed value have no prototype.
 */
function redactedJson(value, redactText, numbers) {
    const leaf = (one) => {
        if (typeof one === 'string')
            return redactText(one);
        return typeof one === 'number' && numbers.has(one) ? '***' : one;
    };
    if (!wouldChange(value, redactText, leaf))
        return { value, changed: false };
    return { value: rebuilt(value, redactText, leaf), changed: true };
}
function wouldChange(value, redactText, leaf) {
    const open = [value];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
        if (Array.isArray(one)) {
            for (const item of one)
                open.push(item);
        }
        else if ((0,json/* isJsonObject */.O)(one)) {
            for (const key of Object.keys(one)) {
                if (redactText(key) !== key)
                    return true;
                open.push(one[key]);
            }
        }
        else if (leaf(one) !== one) {
            return true;
        }
    }
    return false;
}
function rebuilt(value, redactText, leaf) {
    const open = [];
    const copy = (one) => {
        if (!Array.isArray(one) && !(0,json/* isJsonObject */.O)(one))
            return leaf(one);
        const to = Array.isArray(one) ? [] : Object.create(null);
        open.push({ from: one, to });
        return to;
    };
    const result = copy(value);
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
        const { from, to } = one;
        if (Array.isArray(from)) {
            for (const item of from)
                to.push(copy(item));
        }
        else {
            const names = newKeys(Object.keys(from), redactText);
            for (const [key, name] of names)
                to[name] = copy(from[key]);
        }
    }
    return result;
}
/** Old key → new key, all different. Keys without secrets keep their names. */
function newKeys(keys, redactText) {
    const names = new Map(keys.map((key) => [key, redactText(key)]));
    const taken = new Set(keys.filter((key) => names.get(key) === key));
    const counts = new Map();
    for (const [key, name] of names) {
        if (key === name)
            continue;
        let count = counts.get(name) ?? 0;
        let unique;
        do {
            count += 1;
            unique = count === 1 ? name : `${name} (${count})`;
        } while (taken.has(unique));
        counts.set(name, count);
        taken.add(unique);
        names.set(key, unique);
    }
    return names;
}

;// CONCATENATED MODULE: ./build/untrusted/redact-stream.js

/** A token up to this long is never cut. */
const LONGEST_TOKEN = 16_384;
/** What may go on in a token that was longer than the stream holds. */
const TOKEN_REST = /^[A-Za-z0-9_.+/=%-]+/;
/**
 * A stream that never gives out part of a secret, however it is split: text is held back to the end of its line,
 * in a secret of several lines or a private key to the end of that, and in a line of more than 96 KiB far
 * enough that no secret is cut. Holds a bounded amount of text. For lines below that limit, the pieces together
 * are what `redactText` makes of the whole.
 */
function createRedactedStream(rules) {
    const hold = Math.max(LONGEST_TOKEN, rules.longest);
    const limit = MAX_KEY_LENGTH + 2 * hold;
    let pending = '';
    let insideToken = false;
    const take = (count) => {
        const ready = pending.slice(0, count);
        pending = pending.slice(count);
        return rules.redactText(ready);
    };
    const push = (piece) => {
        let fresh = piece;
        if (insideToken) {
            fresh = piece.replace(TOKEN_REST, '');
            insideToken = fresh === '';
        }
        pending += fresh;
        let shown = /[\r\n]/.test(fresh) ? take(endOfLines(pending, rules.multiline)) : '';
        while (pending.length > limit) {
            const cut = cutInLine(pending, pending.length - hold, rules.find);
            if (cut > 0) {
                shown += take(cut);
            }
            else {
                shown += '***';
                pending = '';
                insideToken = true;
            }
        }
        return shown;
    };
    const flush = () => {
        insideToken = false;
        return take(pending.length);
    };
    return { push, flush };
}
/** Where the last line ends before which nothing of several lines is open. */
function endOfLines(text, multiline) {
    const keys = [...findPrivateKeys(text)].toReversed();
    let cut = lineEnd(text, openKeyAt(text) ?? text.length);
    for (let before = -1; before !== cut;) {
        before = cut;
        for (const { start, end } of keys) {
            if (start < cut && cut < end)
                cut = lineEnd(text, start);
        }
        for (const form of multiline)
            cut = lineEnd(text, cut - openPart(text, cut, form));
    }
    return cut;
}
function lineEnd(text, upTo) {
    if (upTo <= 0)
        return 0;
    return Math.max(text.lastIndexOf('\n', upTo - 1), text.lastIndexOf('\r', upTo - 1)) + 1;
}
/** How many characters before `cut` begin a form, with its line breaks, that goes on after it, as far as text is there; 0 for none. */
function openPart(text, cut, form) {
    for (let length = Math.min(form.length - 1, cut); length > 0; length -= 1) {
        const ends = form[length - 1] === '\n' || form[length - 1] === '\r';
        const start = cut - length;
        if (ends && text.startsWith(form.slice(0, text.length - start), start))
            return length;
    }
    return 0;
}
/** The last place up to `wish` that is in no secret nor in what gives one away. */
function cutInLine(text, wish, find) {
    let cut = Math.min(wish, openKeyAt(text) ?? wish);
    const findings = find(text).sort((a, b) => b.end - a.end);
    for (let before = -1; before !== cut;) {
        before = cut;
        for (const { from, end } of findings) {
            if (from < cut && cut < end)
                cut = from;
        }
    }
    const low = text.charCodeAt(cut);
    return low >= 0xdc00 && low <= 0xdfff && cut > 0 ? cut - 1 : cut;
}

;// CONCATENATED MODULE: ./build/untrusted/secret-forms.js
/** Values shorter than this are not redacted: they would blank out ordinary text. */
const MIN_SECRET_LENGTH = 3;
/** Lines of a secret shorter than this are not redacted alone (`{`, `---`, `"id":`). */
const MIN_LINE_LENGTH = 6;
/** In bytes. A shorter value is too common a piece of base64 to be looked for in it. */
const MIN_BASE64_BYTES = 5;
/** Line lengths of `base64` (76, RFC 2045) and PEM (64, RFC 7468). */
const BASE64_LINE_LENGTHS = [76, 64];
/** A longer form is looked for in parts, so that one that was cut is found too, and comparing costs little. */
const MAX_FORM_LENGTH = 256;
/**
 * Every spelling in which a secret's value is looked for: as it is and trimmed, each of its lines, and each of
 * these inside JSON (once and twice, with and without `\u` escapes), a URL, a form and, for the whole value,
 * base64 at all three alignments in both alphabets. Long forms come in parts. Empty when the value is shorter than {@link MIN_SECRET_LENGTH}.
 */
function formsOf(value) {
    const forms = new Map();
    const add = (form) => {
        for (const part of partsOf(form)) {
            if (part.text.length >= MIN_SECRET_LENGTH && !forms.has(part.text))
                forms.set(part.text, part);
        }
    };
    for (const plain of plainForms(value)) {
        for (const text of escapedForms(plain))
            add({ text, left: false, right: false });
    }
    for (const whole of new Set([value, value.trim()])) {
        if (whole.length >= MIN_SECRET_LENGTH)
            base64Forms(whole).forEach(add);
    }
    return [...forms.values()];
}
function partsOf(form) {
    const { text } = form;
    if (text.length <= MAX_FORM_LENGTH)
        return [form];
    const size = MAX_FORM_LENGTH / 2;
    const parts = [];
    for (let at = 0; at + size < text.length; at += size) {
        parts.push({ text: text.slice(at, at + size), left: form.left && at === 0, right: false });
    }
    return [...parts, { text: text.slice(-size), left: false, right: form.right }];
}
function plainForms(value) {
    const lines = value.split(/[\r\n]+/).map((line) => line.trim());
    const long = lines.length > 1 ? lines.filter((line) => line.length >= MIN_LINE_LENGTH) : [];
    return new Set([value, value.trim(), value.replaceAll('\r\n', '\n'), ...long].filter((text) => text.length >= MIN_SECRET_LENGTH));
}
function escapedForms(text) {
    const json = inJson(text);
    const ascii = json.replace(/[^\0-\x7e]/g, unicodeEscape);
    const html = ascii.replace(/[<>&']/g, unicodeEscape);
    const forms = [text, json, ascii, html, json.replaceAll('/', '\\/'), inJson(json), inJson(ascii)];
    return new Set([...forms, ...inUrls(text.toWellFormed())]);
}
function inJson(text) {
    return JSON.stringify(text).slice(1, -1);
}
function unicodeEscape(char) {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
function inUrls(text) {
    const component = encodeURIComponent(text);
    const strict = component.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
    const form = new URLSearchParams({ v: text }).toString().slice(2);
    const upper = [component, strict, form, encodeURI(text), component.replaceAll('%20', '+')];
    return [...upper, ...upper.map((one) => one.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
}
function base64Forms(value) {
    const bytes = new TextEncoder().encode(value);
    if (bytes.length < MIN_BASE64_BYTES)
        return [];
    const forms = [0, 1, 2].map((offset) => base64At(bytes, offset));
    const lines = BASE64_LINE_LENGTHS.flatMap((length) => linesOf(forms[0].text, length));
    return [...forms, ...lines].flatMap((form) => [
        form,
        { ...form, text: form.text.replaceAll('+', '-').replaceAll('/', '_') },
    ]);
}
/** The characters that the bytes alone decide when `offset` other bytes stand before them. */
function base64At(bytes, offset) {
    const padded = new Uint8Array(offset + bytes.length);
    padded.set(bytes, offset);
    const all = Buffer.from(padded).toString('base64');
    const from = Math.ceil((offset * 8) / 6);
    const to = Math.floor((padded.length * 8) / 6);
    return { text: all.slice(from, to), left: offset > 0, right: padded.length % 3 !== 0 };
}
/** `echo "$SECRET" | base64` breaks lines; each long enough one is a form. */
function linesOf(base64, length) {
    if (base64.length <= length)
        return [];
    const lines = [];
    for (let at = 0; at < base64.length; at += length) {
        const text = base64.slice(at, at + length);
        if (text.length >= 8)
            lines.push({ text, left: false, right: true });
    }
    return lines;
}

;// CONCATENATED MODULE: ./build/untrusted/token-shapes.js
/** What may stand between a name and its value: `: `, `=`, `": "`, `\": \"`, `>`, one space. */
const SEPARATOR = String.raw `[\\"' \t:=>,]{1,12}`;
const SCHEME = `(?:${[anyCase('bearer'), anyCase('token'), anyCase('basic')].join('|')})`;
const SHAPES = [
    { name: 'github-token', source: 'gh[pour]_[A-Za-z0-9_]{20}[A-Za-z0-9_]*', accept: looksRandom },
    // Since 2026 an installation token may be `ghs_`, an id and a JWT, with dots, of some 520 characters.
    { name: 'github-token', source: 'ghs_[A-Za-z0-9_.-]{20}[A-Za-z0-9_.-]*', accept: looksRandom },
    { name: 'github-token', source: 'github_pat_[A-Za-z0-9_]{20}[A-Za-z0-9_]*' },
    {
        name: 'gitlab-token',
        source: 'gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct|wt)-[A-Za-z0-9_=.-]{20}[A-Za-z0-9_=.-]*',
        accept: looksRandom,
    },
    { name: 'npm-token', source: 'npm_[A-Za-z0-9]{36}[A-Za-z0-9]*' },
    { name: 'pypi-token', source: 'pypi-[A-Za-z0-9_-]{50}[A-Za-z0-9_-]*' },
    { name: 'aws-key-id', source: '(?:AKIA|ASIA)[A-Z0-9]{16}' },
    {
        name: 'aws-secret',
        source: `((?:${['secret', 'access', 'key'].map(anyCase).join('[_-]?')}|${['session', 'token'].map(anyCase).join('[_-]?')})${SEPARATOR})[A-Za-z0-9/+=]{40}[A-Za-z0-9/+=]*`,
    },
    { name: 'slack-token', source: '(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10}[A-Za-z0-9-]*', accept: looksRandom },
    { name: 'slack-webhook', source: '(hooks\\.slack\\.com/(?:services|workflows)/)[A-Za-z0-9_/-]{20}[A-Za-z0-9_/-]*' },
    {
        name: 'api-key',
        source: 'sk-(?:(?:proj|svcacct|admin|ant|or)-[A-Za-z0-9_-]{16}[A-Za-z0-9_-]*|[A-Za-z0-9]{32}[A-Za-z0-9]*)',
        accept: looksRandom,
    },
    { name: 'google-key', source: 'AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])', accept: looksRandom },
    { name: 'google-secret', source: 'GOCSPX-[A-Za-z0-9_-]{20}[A-Za-z0-9_-]*', accept: looksRandom },
    { name: 'google-token', source: 'ya29\\.[A-Za-z0-9_-]{20}[A-Za-z0-9_-]*', accept: looksRandom },
    { name: 'stripe-key', source: '[rs]k_(?:live|test)_[A-Za-z0-9]{10}[A-Za-z0-9]*', accept: looksRandom },
    { name: 'stripe-secret', source: 'whsec_[A-Za-z0-9+/=]{24}[A-Za-z0-9+/=]*', accept: looksRandom },
    { name: 'sendgrid-key', source: 'SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}' },
    { name: 'huggingface-token', source: 'hf_[A-Za-z0-9]{34}[A-Za-z0-9]*', accept: looksRandom },
    { name: 'vault-token', source: 'hv[sbr]\\.[A-Za-z0-9_-]{24}[A-Za-z0-9_-]*', accept: looksRandom },
    { name: 'age-key', source: 'AGE-SECRET-KEY-1[A-Z0-9]{58}' },
    { name: 'jwt', source: 'eyJ[A-Za-z0-9_-]{6}[A-Za-z0-9_-]*(?:\\.[A-Za-z0-9_-]*){0,4}', accept: isJwt },
    {
        name: 'authorization',
        source: `((?:${[anyCase('authorization'), anyCase('x-api-key'), anyCase('private-token')].join('|')})${SEPARATOR}${SCHEME}[ \\t]{1,4})[A-Za-z0-9._~+/=-]{8}[A-Za-z0-9._~+/=-]*`,
    },
    {
        name: 'api-key',
        source: `((?:${anyCase('x-api-key')}|${anyCase('private-token')})${SEPARATOR})[A-Za-z0-9._~+/=-]{16}[A-Za-z0-9._~+/=-]*`,
        accept: hasDigit,
    },
    {
        name: 'bearer',
        source: `(${anyCase('bearer')}[ \\t]{1,4})[A-Za-z0-9._~+/=-]{16}[A-Za-z0-9._~+/=-]*`,
        accept: hasDigit,
    },
    { name: 'basic', source: `(${anyCase('basic')}[ \\t]{1,4})[A-Za-z0-9+/=]{8}[A-Za-z0-9+/=]*`, accept: isBasic },
    {
        name: 'url-password',
        source: String.raw `(:\/\/[^\s/?#:"'<>]{0,256}:)[^\s/?#"'<>]{1,1024}(?=@)`,
        accept: isPassword,
    },
    { name: 'url-token', source: String.raw `(:\/\/)[A-Za-z0-9_-]{20,256}(?=@)` },
];
/** Matches wherever any shape could; for asking short texts once instead of once per shape. */
const ANY_TOKEN_SOURCE = [...SHAPES.map((shape) => shape.source), '-----BEGIN '].join('|');
const PATTERNS = SHAPES.map((shape) => ({ ...shape, pattern: new RegExp(shape.source, 'g') }));
/** Every token of a known shape in a text, private keys not counted. In no particular order. */
function* findTokens(text) {
    for (const { name, pattern, accept } of PATTERNS) {
        for (const match of text.matchAll(pattern)) {
            if (accept !== undefined && !accept(match, text))
                continue;
            const start = match.index + (match[1]?.length ?? 0);
            yield { name, from: match.index, start, end: withoutDots(text, match.index + match[0].length) };
        }
    }
}
/** Dots at the end are the sentence's, not the token's. */
function withoutDots(text, end) {
    let last = end;
    while (text.charAt(last - 1) === '.')
        last -= 1;
    return last;
}
function secretOf(match) {
    return match[0].slice(match[1]?.length ?? 0);
}
function hasDigit(match) {
    return /\d/.test(secretOf(match));
}
/** A token begins here: not in the middle of a word, but after an escape (`\n`, `%3D`, `\u003d`) it does. */
function startsToken(match, text) {
    if (match.index === 0)
        return true;
    return /(?:[^A-Za-z0-9_-]|\\[nrtbfv]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4})$/.test(text.slice(Math.max(0, match.index - 6), match.index));
}
/** `highs_and_lows_of_the_market` is none, `xghs_4fK…` is. */
function looksRandom(match, text) {
    return startsToken(match, text) || (/\d/.test(match[0]) && /[A-Z]/.test(match[0]));
}
/** Header, payload and perhaps a signature; an ellipsis after base64 is none. */
function isJwt(match) {
    const [, payload, ...rest] = match[0].split('.');
    return payload !== undefined && payload.length >= 4 && (rest.length > 0 || payload.startsWith('eyJ'));
}
/** `Basic` and base64 that holds a colon; not `Basic authentication`. */
function isBasic(match) {
    return Buffer.from(secretOf(match), 'base64').includes(0x3a);
}
/** Not `${PASSWORD}`, `$PASSWORD`, `{password}`, nor something masked. */
function isPassword(match) {
    return !/^(?:\$?\{[^}]*\}|\$[A-Z_]+|\*+)$/.test(secretOf(match));
}
/** Spelt out, because the sources are joined with others that mind case. */
function anyCase(word) {
    return word.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
}

;// CONCATENATED MODULE: ./build/untrusted/redact.js





/** What stands in place of a secret. */
const MASK = '***';
/** Masking can uncover a token (`…<secret>AIza…` starts one only then); this often it is looked at again. */
const MAX_PASSES = 16;
/** So much of each form is in the pattern; the rest is compared where that much is found. */
const KEY_LENGTH = 32;
/** Makes a {@link Redactor}. Without secrets it masks tokens of known shape only. */
function createRedactor(options) {
    const secrets = Object.entries(options.secrets);
    const known = new KnownForms(secrets);
    const anything = new RegExp([...known.sources, ANY_TOKEN_SOURCE].join('|'));
    const find = (text) => {
        if (!anything.test(text))
            return [];
        const found = [...known.find(text), ...findTokens(text), ...findPrivateKeys(text)];
        return found.sort((a, b) => a.start - b.start || a.end - b.end);
    };
    const redactText = (text) => {
        let now = text;
        for (let pass = 0; pass < MAX_PASSES; pass += 1) {
            const next = masked(now, find(now));
            if (next === now)
                return now;
            now = next;
        }
        return now;
    };
    return {
        tooShort: secrets.filter(([, value]) => value.length < MIN_SECRET_LENGTH).map(([name]) => name),
        redactText,
        redactJson: (value) => redactedJson(value, redactText, known.numbers),
        find,
        createStream: () => createRedactedStream({ redactText, find, multiline: known.multiline, longest: known.longest }),
    };
}
/** The forms of all named secrets, made findable in one pass. */
class KnownForms {
    sources;
    numbers;
    multiline;
    longest;
    pattern;
    byKey = new Map();
    keyLengths;
    constructor(secrets) {
        const all = secrets.flatMap(([name, value]) => formsOf(value).map((form) => ({ name, form })));
        for (const one of all) {
            const key = one.form.text.slice(0, KEY_LENGTH);
            this.byKey.set(key, [...(this.byKey.get(key) ?? []), one]);
        }
        const keys = [...this.byKey.keys()].sort((a, b) => b.length - a.length);
        this.keyLengths = [...new Set(keys.map((key) => key.length))];
        this.sources = keys.map((key) => key.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
        this.pattern = keys.length === 0 ? undefined : new RegExp(this.sources.join('|'), 'g');
        this.multiline = [...new Set(all.map(({ form }) => form.text))].filter((text) => /[\r\n]/.test(text));
        this.longest = all.reduce((longest, { form }) => Math.max(longest, form.text.length), 0);
        this.numbers = new Set(secrets.flatMap(([, value]) => numberOf(value)));
    }
    /** By place; findings of one name that overlap are joined. */
    *find(text) {
        if (this.pattern === undefined)
            return;
        let last;
        this.pattern.lastIndex = 0;
        for (let match = this.pattern.exec(text); match !== null; match = this.pattern.exec(text)) {
            const at = match.index;
            this.pattern.lastIndex = at + 1;
            for (const found of this.at(text, at)) {
                if (last !== undefined && last.name === found.name && found.start <= last.end) {
                    last = joined(last, found);
                }
                else {
                    if (last !== undefined)
                        yield last;
                    last = found;
                }
            }
            this.pattern.lastIndex = at + 1;
        }
        if (last !== undefined)
            yield last;
    }
    *at(text, at) {
        for (const length of this.keyLengths) {
            for (const { name, form } of this.byKey.get(text.slice(at, at + length)) ?? []) {
                if (!text.startsWith(form.text, at))
                    continue;
                const start = form.left && isBase64(text, at - 1) ? at - 1 : at;
                let end = at + form.text.length;
                if (form.right && isBase64(text, end))
                    end += 1;
                if (/[^*]/.test(form.text))
                    yield { name, from: start, start, end };
            }
        }
    }
}
function joined(a, b) {
    const start = Math.min(a.start, b.start);
    return { name: a.name, from: start, start, end: Math.max(a.end, b.end) };
}
function isBase64(text, at) {
    return /[A-Za-z0-9+/_-]/.test(text.charAt(at));
}
function numberOf(value) {
    const text = value.trim();
    const isNumber = text.length >= MIN_SECRET_LENGTH && /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text);
    return isNumber ? [Number(text)] : [];
}
function masked(text, findings) {
    const pieces = [];
    let done = 0;
    let end = -1;
    for (const finding of findings) {
        if (finding.start > end) {
            if (end >= 0)
                done = end;
            pieces.push(text.slice(done, finding.start), MASK);
        }
        end = Math.max(end, finding.end);
    }
    if (end < 0)
        return text;
    pieces.push(text.slice(end));
    return pieces.join('');
}


/***/ }),

/***/ 1790:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   JM: () => (/* binding */ resolveContract),
/* harmony export */   UA: () => (/* binding */ parseContract),
/* harmony export */   h3: () => (/* binding */ contractError)
/* harmony export */ });
/* unused harmony exports CONTRACT_FORMAT, MAX_SCHEMA_BYTES */
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(2857);
/* harmony import */ var _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7974);
/* harmony import */ var _pipeline_pointer_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(2534);
/* harmony import */ var _untrusted_parse_json_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(3711);
/* harmony import */ var _verdict_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(8579);





/** Version of the contract format. Part of what a contract's digest covers. */
const CONTRACT_FORMAT = 'gateline-contract/1';
/** The largest schema file, in bytes. */
const MAX_SCHEMA_BYTES = 16 * 1024 * 1024;
const pointer = zod__WEBPACK_IMPORTED_MODULE_3__/* .string */ .YjP().max(4_096).regex(_pipeline_pointer_js__WEBPACK_IMPORTED_MODULE_4__/* .POINTER_PATTERN */ .P2, 'must be a JSON pointer: empty, or /key/0/key');
const contractSchema = zod__WEBPACK_IMPORTED_MODULE_3__/* .strictObject */ .rej({
    format: zod__WEBPACK_IMPORTED_MODULE_3__/* .literal */ .euz(CONTRACT_FORMAT),
    schema: zod__WEBPACK_IMPORTED_MODULE_3__/* .json */ .Pq9().optional(),
    standard: zod__WEBPACK_IMPORTED_MODULE_3__/* .string */ .YjP().min(1).max(1_000).optional(),
    score: pointer.optional(),
    threshold: zod__WEBPACK_IMPORTED_MODULE_3__/* .number */ .aig().min(0).max(100),
    partial: zod__WEBPACK_IMPORTED_MODULE_3__/* ["enum"] */ .k5n(['block', 'continue', 'pause']),
    checks: zod__WEBPACK_IMPORTED_MODULE_3__/* .array */ .YOg(zod__WEBPACK_IMPORTED_MODULE_3__/* .string */ .YjP().max(21_000)).max(_verdict_js__WEBPACK_IMPORTED_MODULE_2__/* .MAX_ISSUES */ .u9),
    exports: zod__WEBPACK_IMPORTED_MODULE_3__/* .array */ .YOg(pointer).max(_verdict_js__WEBPACK_IMPORTED_MODULE_2__/* .MAX_ISSUES */ .u9).optional(),
});
/**
 * A contract that was stored or sent, checked for its shape; `compileContract` checks what it says.
 * @throws GatelineError `CONTRACT_MALFORMED` when it is none.
 */
function parseContract(stored) {
    const parsed = contractSchema.safeParse(stored);
    if (parsed.success)
        return tidied(parsed.data);
    const problems = parsed.error.issues.map((issue) => ({
        code: 'CONTRACT_MALFORMED',
        message: issue.message,
        pointer: (0,_pipeline_pointer_js__WEBPACK_IMPORTED_MODULE_4__/* .pointerOf */ .rq)(issue.path),
    }));
    throw contractError(problems, undefined, 'CONTRACT_MALFORMED');
}
/**
 * The contract of a gate, from what its pipeline says and the text of its schema file.
 *
 * @param schemaText the file's text where `source.schema` names one; `undefined`: there is no such file
 * @param place where the contract is written, for errors
 * @param exports the gate's `exports`; all of the output when left out or `['']`
 * @throws GatelineError `CONTRACT_SCHEMA_MISSING`, `CONTRACT_SCHEMA_MALFORMED` (user)
 */
function resolveContract(source, schemaText, place, exports = ['']) {
    const schema = resolveSchema(source, schemaText, place);
    return tidied({
        format: CONTRACT_FORMAT,
        ...(schema === undefined ? {} : { schema }),
        ...(source.score === undefined ? {} : { score: source.score }),
        threshold: source.threshold,
        partial: source.partial,
        checks: [...source.checks],
        exports: [...exports],
    });
}
function resolveSchema(source, text, place) {
    if (source.schema === undefined)
        return undefined;
    if ('inline' in source.schema)
        return source.schema.inline;
    const { path } = source.schema;
    if (text === undefined) {
        const message = `the schema file ${path} is not there`;
        const hint = 'commit it, or correct the path; it is relative to the workspace';
        throw new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk('user', 'CONTRACT_SCHEMA_MISSING', message, { place, hint });
    }
    const parsed = (0,_untrusted_parse_json_js__WEBPACK_IMPORTED_MODULE_1__/* .parseJson */ .qF)(new TextEncoder().encode(text), { maxBytes: MAX_SCHEMA_BYTES });
    if (parsed.ok)
        return parsed.value;
    const { message, pointer } = parsed.issue;
    const where = pointer === undefined ? '' : ` at ${pointer}`;
    throw new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk('user', 'CONTRACT_SCHEMA_MALFORMED', `${path}: ${message}${where}`, {
        place: pointer === undefined ? { file: path } : { file: path, pointer },
        hint: 'a schema file holds one JSON Schema, as JSON',
    });
}
/** Only what counts: exports that name everything are left out, so that saying the default changes no digest. */
function tidied(contract) {
    const { exports, ...rest } = contract;
    return exports === undefined || exports.includes('') ? rest : { ...rest, exports };
}
/** Problems of a contract as one error: all of them, a line each. */
function contractError(problems, place, code = 'CONTRACT_INVALID') {
    const lines = problems.map(({ code, message, pointer, hint }) => {
        return `${pointer === '' ? 'the contract' : pointer}: ${message}${hint === undefined ? '' : `; ${hint}`} (${code})`;
    });
    const message = lines.length === 1 ? lines[0] : `the contract has ${lines.length} problems:\n${lines.join('\n')}`;
    const details = { hint: 'correct the contract; no output can meet it as it is' };
    return new _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk('user', code, message, place === undefined ? details : { ...details, place });
}


/***/ }),

/***/ 9879:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   evaluateCondition: () => (/* binding */ evaluateCondition),
/* harmony export */   n: () => (/* binding */ compileChecks)
/* harmony export */ });
/* harmony import */ var _pipeline_pointer_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2534);
/* harmony import */ var _pipeline_problem_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9328);
/* harmony import */ var _words_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9355);



/** Values that a message shows. */
const SHOWN_READS = 4;
/** Read all checks of a contract. `run` answers an issue for each that fails, none when the output meets them all. */
async function compileChecks(checks) {
    if (checks.length === 0)
        return { ok: true, run: () => [] };
    const { CHECK_RULES } = await Promise.resolve(/* import() */).then(__webpack_require__.bind(__webpack_require__, 4129));
    const { evaluate } = await __webpack_require__.e(/* import() */ 389).then(__webpack_require__.bind(__webpack_require__, 7389));
    const problems = [];
    const read = [];
    for (const [index, text] of checks.entries()) {
        const parsed = await parse(text, CHECK_RULES);
        if ('problem' in parsed)
            problems.push({ code: 'CONTRACT_CHECK_INVALID', pointer: `/checks/${index}`, ...parsed.problem });
        else
            read.push({ text, expression: parsed.expression });
    }
    if (problems.length > 0)
        return { ok: false, problems };
    const run = (contexts) => read.flatMap(({ text, expression }) => {
        const result = evaluate(expression, { ...contexts });
        if (!result.ok) {
            const pointer = result.context === 'output' && result.path !== undefined ? (0,_pipeline_pointer_js__WEBPACK_IMPORTED_MODULE_1__/* .pointerOf */ .rq)(result.path) : undefined;
            return [issue(text, result.message, pointer)];
        }
        return result.choice
            ? []
            : [issue(text, readsInWords(result.reads) || 'it is false', pointerOfRead(result.reads))];
    });
    return { ok: true, run };
}
/**
 * Whether a gate's `if` holds. A path that is not there is a problem, never false: a gate that is left out for a
 * spelling mistake would satisfy what needs it.
 */
async function evaluateCondition(text, contexts) {
    const { IF_RULES } = await Promise.resolve(/* import() */).then(__webpack_require__.bind(__webpack_require__, 4129));
    const { evaluate } = await __webpack_require__.e(/* import() */ 389).then(__webpack_require__.bind(__webpack_require__, 7389));
    const parsed = await parse(text, IF_RULES);
    if ('problem' in parsed) {
        const { message, hint } = parsed.problem;
        return { problem: `${(0,_words_js__WEBPACK_IMPORTED_MODULE_2__/* .cut */ .Jj)(text, 500)}: ${message}${hint === undefined ? '' : `; ${hint}`}` };
    }
    const result = evaluate(parsed.expression, { ...contexts });
    if (!result.ok)
        return { problem: (0,_words_js__WEBPACK_IMPORTED_MODULE_2__/* .cut */ .Jj)(`${(0,_words_js__WEBPACK_IMPORTED_MODULE_2__/* .cut */ .Jj)(text, 500)}: ${result.message}`, 2_000) };
    const reads = readsInWords(result.reads);
    const reason = `${(0,_words_js__WEBPACK_IMPORTED_MODULE_2__/* .cut */ .Jj)(text, 500)} is ${result.choice}${reads === '' ? '' : `: ${reads}`}`;
    return { choice: result.choice, reason: (0,_words_js__WEBPACK_IMPORTED_MODULE_2__/* .cut */ .Jj)(reason, 2_000) };
}
async function parse(text, rules) {
    const { functionNames, parseExpression } = await Promise.resolve(/* import() */).then(__webpack_require__.bind(__webpack_require__, 4129));
    const parsed = parseExpression(text, rules);
    if (parsed.ok)
        return { expression: parsed.expression };
    const { kind, message, name, offset } = parsed.problem;
    const names = kind === 'unknown-function' ? functionNames(rules) : kind === 'unknown-name' ? rules.contexts : [];
    const meant = (0,_pipeline_problem_js__WEBPACK_IMPORTED_MODULE_0__/* .nearest */ .pA)(name, [...names]);
    const known = names.length === 0 ? undefined : `known here: ${names.join(', ')}`;
    const hint = meant === undefined ? known : `did you mean ${(0,_pipeline_problem_js__WEBPACK_IMPORTED_MODULE_0__/* .quoted */ .TL)(meant)}?`;
    const where = `${message} (character ${offset + 1} of ${(0,_pipeline_problem_js__WEBPACK_IMPORTED_MODULE_0__/* .quoted */ .TL)(text)})`;
    return { problem: hint === undefined ? { message: where } : { message: where, hint } };
}
function issue(check, what, pointer) {
    return {
        severity: 'error',
        message: (0,_words_js__WEBPACK_IMPORTED_MODULE_2__/* .cut */ .Jj)(`${(0,_words_js__WEBPACK_IMPORTED_MODULE_2__/* .cut */ .Jj)(check, 500)}: ${what}`, 4_096),
        ...(pointer === undefined ? {} : { pointer: (0,_words_js__WEBPACK_IMPORTED_MODULE_2__/* .cut */ .Jj)(pointer, 4_096) }),
        rule: (0,_words_js__WEBPACK_IMPORTED_MODULE_2__/* .cut */ .Jj)(check, 4_096),
    };
}
/** `output.failed is 3, output.passed is 7`. */
function readsInWords(reads) {
    const shown = reads.slice(0, SHOWN_READS).map(({ name, value }) => `${(0,_words_js__WEBPACK_IMPORTED_MODULE_2__/* .cut */ .Jj)(name, 200)} is ${(0,_words_js__WEBPACK_IMPORTED_MODULE_2__/* .shortValue */ .wm)(value)}`);
    const more = reads.length - shown.length;
    return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
function pointerOfRead(reads) {
    const ofOutput = reads.filter(({ name }) => /^output\b/.test(name));
    return ofOutput.length === 1 && ofOutput[0].path !== undefined ? (0,_pipeline_pointer_js__WEBPACK_IMPORTED_MODULE_1__/* .pointerOf */ .rq)(ofOutput[0].path) : undefined;
}


/***/ }),

/***/ 8262:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   f: () => (/* binding */ valueAt)
/* harmony export */ });
/* harmony import */ var _pipeline_pointer_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2534);
/* harmony import */ var _untrusted_json_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(5443);


/** What a JSON pointer (RFC 6901) names in a value; `undefined` when there is nothing. Own keys only. */
function valueAt(value, pointer) {
    let found = value;
    for (const segment of (0,_pipeline_pointer_js__WEBPACK_IMPORTED_MODULE_0__/* .pointerSegments */ .cP)(pointer)) {
        if (Array.isArray(found))
            found = /^(?:0|[1-9][0-9]*)$/.test(segment) ? found[Number(segment)] : undefined;
        else if ((0,_untrusted_json_js__WEBPACK_IMPORTED_MODULE_1__/* .isJsonObject */ .O)(found) && Object.hasOwn(found, segment))
            found = found[segment];
        else
            return undefined;
    }
    return found;
}


/***/ }),

/***/ 1871:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   F5: () => (/* binding */ shapeOf),
/* harmony export */   Ir: () => (/* binding */ isAnnotation),
/* harmony export */   Mn: () => (/* binding */ knownKeywords),
/* harmony export */   RZ: () => (/* binding */ isKnownFormat),
/* harmony export */   SL: () => (/* binding */ foreignKeyword),
/* harmony export */   aP: () => (/* binding */ checkedFormats),
/* harmony export */   bz: () => (/* binding */ draftOf),
/* harmony export */   sW: () => (/* binding */ DRAFT_URIS)
/* harmony export */ });
/** `$schema` of each draft, without the empty fragment that some write. */
const DRAFT_URIS = {
    '2020-12': 'https://json-schema.org/draft/2020-12/schema',
    'draft-07': 'http://json-schema.org/draft-07/schema',
};
function shapes(shape, names) {
    return names.split(' ').map((name) => [name, shape]);
}
/** Keywords that mean the same in both drafts; `definitions` and `$defs` are taken in both, as they are used in the wild. */
const COMMON = [
    ...shapes('schema', 'additionalProperties contains propertyNames if then else not'),
    ...shapes('list', 'allOf anyOf oneOf'),
    ...shapes('map', 'properties patternProperties definitions $defs'),
    ...shapes('data', '$id $schema $ref type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum'),
    ...shapes('data', 'maxLength minLength pattern maxItems minItems uniqueItems maxProperties minProperties required format'),
];
const KEYWORDS = {
    // https://json-schema.org/draft/2020-12/schema and the vocabularies that it names
    '2020-12': new Map([
        ...COMMON,
        ...shapes('schema', 'items unevaluatedItems unevaluatedProperties contentSchema'),
        ...shapes('list', 'prefixItems'),
        ...shapes('map', 'dependentSchemas'),
        ...shapes('data', '$anchor $dynamicRef $dynamicAnchor $vocabulary maxContains minContains dependentRequired'),
    ]),
    // http://json-schema.org/draft-07/schema
    'draft-07': new Map([
        ...COMMON,
        ...shapes('either', 'items'),
        ...shapes('schema', 'additionalItems'),
        ...shapes('mixed', 'dependencies'),
    ]),
};
/**
 * Keywords that say something to people or tools and never judge. Beside those of JSON Schema itself: OpenAPI 3.1's
 * (https://spec.openapis.org/oas/v3.1.1#schema-object), VS Code's
 * (https://code.visualstudio.com/docs/languages/json), json-schema-to-typescript's, zod's and pydantic's.
 */
const ANNOTATIONS = new Set([
    '$comment title description default deprecated readOnly writeOnly examples contentEncoding contentMediaType',
    'discriminator xml externalDocs example',
    'markdownDescription enumDescriptions markdownEnumDescriptions enumItemLabels defaultSnippets errorMessage',
    'patternErrorMessage deprecationMessage suggestSortText doNotSuggest allowComments allowTrailingCommas',
    'enumNames enumTitles tsType tsEnumNames propertyOrdering propertyOrder options id',
].flatMap((names) => names.split(' ')));
/** Keywords of other drafts or of OpenAPI 3.0 that would be passed over in silence, and what to write instead. */
const FOREIGN = {
    nullable: 'is OpenAPI 3.0\'s; write `type: ["…", "null"]`',
    additionalItems: 'is draft-07; in 2020-12 write `prefixItems` and `items`',
    dependencies: 'is draft-07; in 2020-12 write `dependentRequired` or `dependentSchemas`',
    $recursiveRef: 'is 2019-09; in 2020-12 write `$dynamicRef`',
    $recursiveAnchor: 'is 2019-09; in 2020-12 write `$dynamicAnchor`',
    divisibleBy: 'is draft-03; write `multipleOf`',
    extends: 'is draft-03; write `allOf`',
    disallow: 'is draft-03; write `not`',
};
/** What a keyword's value is in that draft; `undefined` for one that judges nothing there. */
function shapeOf(keyword, draft) {
    return KEYWORDS[draft].get(keyword);
}
/** True for a keyword that is allowed and judges nothing: an annotation, or one that begins with `x-`. */
function isAnnotation(keyword) {
    return keyword.startsWith('x-') || ANNOTATIONS.has(keyword);
}
/** Every keyword that is understood in that draft, for suggestions. */
function knownKeywords(draft) {
    return [...KEYWORDS[draft].keys(), ...ANNOTATIONS];
}
/** Why a keyword that belongs elsewhere is refused, and what to write instead. */
function foreignKeyword(keyword, draft) {
    const other = draft === '2020-12' ? 'draft-07' : '2020-12';
    if (Object.hasOwn(FOREIGN, keyword))
        return FOREIGN[keyword];
    if (KEYWORDS[other].has(keyword))
        return `is ${other}; this schema is ${draft}: set \`$schema\` to "${DRAFT_URIS[other]}"`;
    return undefined;
}
/** The draft that a `$schema` names; an empty fragment counts for nothing. */
function draftOf(uri) {
    const plain = uri.replace(/#$/, '');
    return Object.keys(DRAFT_URIS).find((draft) => DRAFT_URIS[draft] === plain);
}
/** Formats that are checked: all of both drafts (https://json-schema.org/draft/2020-12/json-schema-validation#section-7.3). */
const FORMATS = new Set([
    'date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri iri-reference',
    'uuid uri-template json-pointer relative-json-pointer regex',
].flatMap((names) => names.split(' ')));
/**
 * Formats that say something and are not checked: OpenAPI's registry (https://spec.openapis.org/registry/format/)
 * and what pydantic and zod emit, which both add a `pattern` where they can.
 */
const UNCHECKED_FORMATS = new Set([
    'int8 int16 int32 int64 uint8 uint16 uint32 uint64 double-int float double decimal decimal128 single-bit',
    'byte binary char password commonmark html media-range http-date unixtime date-time-local time-local',
    'base64 base64url json-string json_string path file-path directory-path multi-host-uri name-email color',
    'uuid1 uuid3 uuid4 uuid5 uuid6 uuid7 uuid8 ipvanyaddress ipvanyinterface ipvanynetwork ipv4network ipv6network',
    'ipv4interface ipv6interface cidrv4 cidrv6 mac e164 emoji nanoid cuid cuid2 ulid xid ksuid jwt guid markdown',
    'color-hex regex-flags lowercase uppercase url',
].flatMap((names) => names.split(' ')));
/** True when a format is one that is checked, or one that is known to be a remark only. */
function isKnownFormat(format) {
    return FORMATS.has(format) || UNCHECKED_FORMATS.has(format);
}
/** The formats that are checked, for suggestions. */
function checkedFormats() {
    return [...FORMATS];
}


/***/ }),

/***/ 2573:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $x: () => (/* binding */ checkReferences),
/* harmony export */   DH: () => (/* binding */ decoded),
/* harmony export */   Xe: () => (/* binding */ isMetaSchema)
/* harmony export */ });
/* harmony import */ var _pipeline_pointer_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(2534);
/* harmony import */ var _pipeline_problem_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9328);
/* harmony import */ var _untrusted_json_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(5443);
/* harmony import */ var _json_pointer_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(8262);
/* harmony import */ var _walk_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7178);





/** The drafts' own meta-schemas, which a schema may refer to. */
const META_SCHEMA = /^(?:https:\/\/json-schema\.org\/draft\/2020-12\/(?:schema|meta\/[a-z-]+)|http:\/\/json-schema\.org\/draft-07\/schema)(?:#.*)?$/s;
/** True for the URI of something in one of the drafts' meta-schemas. */
function isMetaSchema(uri) {
    return META_SCHEMA.test(uri);
}
/** References of a schema that lead nowhere (`CONTRACT_REF_MISSING`) or out of it (`CONTRACT_REF_OUTSIDE`). */
function checkReferences(places) {
    const targets = targetsOf(places);
    return places.flatMap((place) => ['$ref', '$dynamicRef'].flatMap((keyword) => {
        const reference = place.schema[keyword];
        if (typeof reference !== 'string' || (keyword === '$dynamicRef' && place.draft === 'draft-07'))
            return [];
        const problem = checkReference(reference, place.base, targets);
        return problem === undefined ? [] : [{ ...problem, pointer: (0,_walk_js__WEBPACK_IMPORTED_MODULE_1__/* .pointerOfPlace */ .eJ)(place, keyword) }];
    }));
}
function targetsOf(places) {
    const targets = { resources: new Map(), anchors: new Set() };
    for (const { base, resource, schema } of places) {
        targets.resources.set(base, resource);
        const { $anchor, $dynamicAnchor, $id } = schema;
        for (const anchor of [$anchor, $dynamicAnchor]) {
            if (typeof anchor === 'string')
                targets.anchors.add(`${base}#${anchor}`);
        }
        if (typeof $id === 'string' && $id.includes('#'))
            targets.anchors.add(`${base}#${$id.slice($id.indexOf('#') + 1)}`);
    }
    return targets;
}
function checkReference(reference, base, targets) {
    const target = (0,_walk_js__WEBPACK_IMPORTED_MODULE_1__/* .resolveUri */ .Hi)(reference, base);
    if (target !== undefined && isMetaSchema(target))
        return undefined;
    const resource = target === undefined ? undefined : targets.resources.get((0,_walk_js__WEBPACK_IMPORTED_MODULE_1__/* .withoutFragment */ .f2)(target));
    if (target === undefined || resource === undefined) {
        return {
            code: 'CONTRACT_REF_OUTSIDE',
            message: `${(0,_pipeline_problem_js__WEBPACK_IMPORTED_MODULE_0__/* .quoted */ .TL)(reference)} is outside this schema, and nothing is ever fetched`,
            hint: 'put what it names under `$defs` and write `#/$defs/…`',
        };
    }
    const fragment = decoded(target.slice((0,_walk_js__WEBPACK_IMPORTED_MODULE_1__/* .withoutFragment */ .f2)(target).length + 1));
    if (fragment === '' || targets.anchors.has(`${(0,_walk_js__WEBPACK_IMPORTED_MODULE_1__/* .withoutFragment */ .f2)(target)}#${fragment}`))
        return undefined;
    if (fragment.startsWith('/') && _pipeline_pointer_js__WEBPACK_IMPORTED_MODULE_2__/* .POINTER_PATTERN */ .P2.test(fragment) && (0,_json_pointer_js__WEBPACK_IMPORTED_MODULE_3__/* .valueAt */ .f)(resource, fragment) !== undefined)
        return undefined;
    const meant = suggestion(resource, fragment);
    const message = `${(0,_pipeline_problem_js__WEBPACK_IMPORTED_MODULE_0__/* .quoted */ .TL)(reference)} names nothing in this schema`;
    return {
        code: 'CONTRACT_REF_MISSING',
        message,
        ...(meant === undefined ? {} : { hint: `did you mean ${(0,_pipeline_problem_js__WEBPACK_IMPORTED_MODULE_0__/* .quoted */ .TL)(meant)}?` }),
    };
}
/** A URI's fragment without percent encoding; as it is where that is broken. */
function decoded(fragment) {
    try {
        return decodeURIComponent(fragment);
    }
    catch {
        return fragment;
    }
}
function suggestion(resource, fragment) {
    const candidates = ['$defs', 'definitions'].flatMap((holder) => {
        const defs = resource[holder];
        return (0,_untrusted_json_js__WEBPACK_IMPORTED_MODULE_4__/* .isJsonObject */ .O)(defs) ? Object.keys(defs).map((name) => `#/${holder}/${name}`) : [];
    });
    return (0,_pipeline_problem_js__WEBPACK_IMPORTED_MODULE_0__/* .nearest */ .pA)(`#${fragment}`, candidates);
}


/***/ }),

/***/ 7178:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Hi: () => (/* binding */ resolveUri),
/* harmony export */   eJ: () => (/* binding */ pointerOfPlace),
/* harmony export */   f2: () => (/* binding */ withoutFragment),
/* harmony export */   uU: () => (/* binding */ walkSchemas)
/* harmony export */ });
/* harmony import */ var _pipeline_pointer_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(2534);
/* harmony import */ var _untrusted_json_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(5443);
/* harmony import */ var _keywords_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1871);



/**
 * Call `visit` for every schema in a schema, each after those inside it. Only places at which a schema stands are
 * entered, so that a property called `enum` or an example that looks like a schema is none. Boolean schemas have
 * nothing to visit.
 */
function walkSchemas(root, draft, base, visit) {
    if (!(0,_untrusted_json_js__WEBPACK_IMPORTED_MODULE_1__/* .isJsonObject */ .O)(root))
        return;
    const at = { schema: root, draft, path: [], base, resource: root, resourcePath: [] };
    enter({ ...at, ...ownResource(at) }, visit);
}
function enter(place, visit) {
    const open = (child, ...keys) => {
        if (!(0,_untrusted_json_js__WEBPACK_IMPORTED_MODULE_1__/* .isJsonObject */ .O)(child))
            return;
        const inner = { ...place, schema: child, path: [...place.path, ...keys] };
        enter({ ...inner, ...ownResource(inner) }, visit);
    };
    for (const [keyword, value] of Object.entries(place.schema)) {
        const shape = (0,_keywords_js__WEBPACK_IMPORTED_MODULE_0__/* .shapeOf */ .F5)(keyword, place.draft);
        if (Array.isArray(value) && (shape === 'list' || shape === 'either')) {
            value.forEach((child, index) => open(child, keyword, index));
        }
        else if (shape === 'schema' || shape === 'either') {
            open(value, keyword);
        }
        else if ((0,_untrusted_json_js__WEBPACK_IMPORTED_MODULE_1__/* .isJsonObject */ .O)(value) && (shape === 'map' || shape === 'mixed')) {
            for (const [name, child] of Object.entries(value))
                open(child, keyword, name);
        }
    }
    visit(place);
}
/** What changes where a schema has an `$id` or a `$schema` of its own. */
function ownResource(place) {
    const { $id, $schema, $ref } = place.schema;
    const draft = typeof $schema === 'string' ? ((0,_keywords_js__WEBPACK_IMPORTED_MODULE_0__/* .draftOf */ .bz)($schema) ?? place.draft) : place.draft;
    if (typeof $id !== 'string' || $id.startsWith('#'))
        return { draft };
    // draft-07: whatever stands beside a `$ref` is ignored, `$id` too.
    if (draft === 'draft-07' && typeof $ref === 'string' && place.path.length > 0)
        return { draft };
    const base = withoutFragment(resolveUri($id, place.base) ?? place.base);
    return { draft, base, resource: place.schema, resourcePath: place.path };
}
/** A reference resolved against a base (RFC 3986 §5); `undefined` where that cannot be done. */
function resolveUri(reference, base) {
    return URL.parse(reference, base)?.href;
}
/** A URI without `#` and what follows. */
function withoutFragment(uri) {
    return uri.replace(/#.*$/s, '');
}
/** The JSON pointer of a place. */
function pointerOfPlace(place, ...keys) {
    return (0,_pipeline_pointer_js__WEBPACK_IMPORTED_MODULE_2__/* .pointerOf */ .rq)([...place.path, ...keys]);
}


/***/ }),

/***/ 8579:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $D: () => (/* binding */ verdictSchema),
/* harmony export */   CX: () => (/* binding */ VERDICT_KINDS),
/* harmony export */   gz: () => (/* binding */ failed),
/* harmony export */   j8: () => (/* binding */ issueSchema),
/* harmony export */   u9: () => (/* binding */ MAX_ISSUES)
/* harmony export */ });
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2857);

/**
 * Why a gate did not pass, told apart so that each can say what to do.
 * `passed` and `partial` are the kinds of outputs that were judged to the end.
 */
const VERDICT_KINDS = [
    'passed',
    'partial',
    'not-applicable',
    'missing',
    'malformed',
    'too-large',
    'schema',
    'score',
    'check',
    'files',
    'agent-error',
    'not-started',
    'timeout',
    'cancelled',
    'lost',
    'claimed',
    'no-secret',
    'contract',
];
/** One thing that is wrong with an output, or worth knowing. */
const issueSchema = zod__WEBPACK_IMPORTED_MODULE_0__/* .object */ .Ikc({
    severity: zod__WEBPACK_IMPORTED_MODULE_0__/* ["enum"] */ .k5n(['error', 'warning', 'notice']),
    message: zod__WEBPACK_IMPORTED_MODULE_0__/* .string */ .YjP().max(4_096),
    /** JSON pointer into the output. */
    pointer: zod__WEBPACK_IMPORTED_MODULE_0__/* .string */ .YjP().max(4_096).optional(),
    /** JSON pointer into the schema, or the text of the check. */
    rule: zod__WEBPACK_IMPORTED_MODULE_0__/* .string */ .YjP().max(4_096).optional(),
});
/** Our judgement of one output. `score` is 0-100; `issues` holds at most {@link MAX_ISSUES}. */
const verdictSchema = zod__WEBPACK_IMPORTED_MODULE_0__/* .object */ .Ikc({
    status: zod__WEBPACK_IMPORTED_MODULE_0__/* ["enum"] */ .k5n(['passed', 'partial', 'failed', 'not-applicable']),
    kind: zod__WEBPACK_IMPORTED_MODULE_0__/* ["enum"] */ .k5n(VERDICT_KINDS),
    score: zod__WEBPACK_IMPORTED_MODULE_0__/* .number */ .aig().min(0).max(100),
    issues: zod__WEBPACK_IMPORTED_MODULE_0__/* .array */ .YOg(issueSchema).max(100),
    /** What to do, one sentence; empty when passed. */
    advice: zod__WEBPACK_IMPORTED_MODULE_0__/* .string */ .YjP().max(2_048),
});
/** More issues than this are counted in a last one instead of listed. */
const MAX_ISSUES = 100;
/** Shorthand for a verdict of status `failed` and score 0. */
function failed(kind, advice, issues = []) {
    return { status: 'failed', kind, score: 0, issues: issues.slice(0, MAX_ISSUES), advice };
}


/***/ }),

/***/ 9355:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Jj: () => (/* binding */ cut),
/* harmony export */   KE: () => (/* binding */ listed),
/* harmony export */   hS: () => (/* binding */ counted),
/* harmony export */   wF: () => (/* binding */ ruleValue),
/* harmony export */   wm: () => (/* binding */ shortValue)
/* harmony export */ });
/* harmony import */ var _untrusted_json_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(5443);

/** A value for a message: texts quoted and cut at `limit` characters, lists and objects by their size. */
function shortValue(value, limit = 60) {
    if (typeof value === 'string')
        return JSON.stringify(cut(value, limit));
    if (Array.isArray(value))
        return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
    if ((0,_untrusted_json_js__WEBPACK_IMPORTED_MODULE_0__/* .isJsonObject */ .O)(value))
        return Object.keys(value).length === 0 ? 'an empty object' : 'an object';
    return String(value);
}
/** A value that a rule names: as JSON, cut. */
function ruleValue(value, limit = 60) {
    return cut(JSON.stringify(value), limit);
}
/** `a`, `a or b`, `a, b or c`; after `most` items the rest is counted. */
function listed(items, word, most = 8) {
    const shown = items.length > most ? [...items.slice(0, most), `${items.length - most} more`] : items;
    if (shown.length < 2)
        return shown.join('');
    return `${shown.slice(0, -1).join(', ')} ${word} ${shown.at(-1)}`;
}
/** Text of at most `limit` UTF-16 units, cut between characters. */
function cut(text, limit) {
    if (text.length <= limit)
        return text.toWellFormed();
    return `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`.toWellFormed();
}
/** `1 item`, `2 items`. */
function counted(count, noun) {
    return `${count} ${noun}${count === 1 ? '' : 's'}`;
}


/***/ }),

/***/ 149:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  O: () => (/* binding */ openWorkspace)
});

// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: ./build/errors/gateline-error.js
var gateline_error = __webpack_require__(7974);
// EXTERNAL MODULE: ./build/run/tree.js
var tree = __webpack_require__(3448);
// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(7598);
// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
;// CONCATENATED MODULE: ./build/workspace/path-bytes.js
/**
 * Names on disk are bytes; ours are text. Valid UTF-8 stays as it is. Every other byte becomes U+FFFD and two
 * hex digits, and so do the bytes of a real U+FFFD, so that each name has exactly one text and back.
 */
const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const REPLACEMENT = '\uFFFD';
const ESCAPED = /\uFFFD([0-9A-F]{2})/gu;
/** The text of a name. */
function textOfName(bytes) {
    const plain = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    if (!plain.includes(REPLACEMENT))
        return plain;
    let text = '';
    for (let at = 0; at < bytes.length;) {
        const character = characterAt(bytes, at);
        text += character?.text ?? REPLACEMENT + bytes[at].toString(16).toUpperCase().padStart(2, '0');
        at += character?.length ?? 1;
    }
    return text;
}
function characterAt(bytes, at) {
    const lead = bytes[at];
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    try {
        const text = STRICT.decode(bytes.subarray(at, at + length));
        return text === REPLACEMENT || [...text].length !== 1 ? undefined : { text, length };
    }
    catch {
        // Not UTF-8 here: the caller escapes this byte.
        return undefined;
    }
}
/** The bytes of a name's text: the inverse of {@link textOfName}. */
function bytesOfName(text) {
    if (!text.includes(REPLACEMENT))
        return Buffer.from(text, 'utf8');
    const parts = [];
    let end = 0;
    for (const match of text.matchAll(ESCAPED)) {
        parts.push(Buffer.from(text.slice(end, match.index), 'utf8'), Buffer.from(match[1], 'hex'));
        end = match.index + match[0].length;
    }
    parts.push(Buffer.from(text.slice(end), 'utf8'));
    return Buffer.concat(parts);
}
/** Whether the name on disk is not UTF-8 (or holds U+FFFD): it counts as input but cannot be handed on. */
function isEscapedName(text) {
    return text.includes(REPLACEMENT);
}
/** What the file system is asked for: `path` below `root`. */
function onDisk(root, path) {
    if (!isEscapedName(path))
        return `${root}/${path}`;
    return Buffer.concat([Buffer.from(`${root}/`, 'utf8'), bytesOfName(path)]);
}
/** Names that git ended with NUL each. */
function splitNames(output) {
    const all = output.toString('utf8');
    if (!all.includes(REPLACEMENT))
        return all === '' ? [] : all.replace(/\0$/, '').split('\0');
    const names = [];
    for (let start = 0; start < output.length;) {
        const nul = output.indexOf(0, start);
        const end = nul < 0 ? output.length : nul;
        names.push(textOfName(output.subarray(start, end)));
        start = end + 1;
    }
    return names;
}
/** A name as git reads it in a list of lines: quoted as in C where a line would not hold it. */
function quotedForGit(name) {
    const bytes = bytesOfName(name);
    if (!bytes.some((byte) => byte < 0x20 || byte === 0x22 || byte === 0x5c))
        return bytes;
    const octal = [...bytes].map((byte) => byte < 0x20 || byte === 0x22 || byte === 0x5c || byte >= 0x7f
        ? `\\${byte.toString(8).padStart(3, '0')}`
        : String.fromCharCode(byte));
    return Buffer.from(`"${octal.join('')}"`, 'latin1');
}

;// CONCATENATED MODULE: ./build/workspace/blob.js
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





const TRIES = 3;
/** The id that git gives these bytes as a blob: https://git-scm.com/book/en/v2/Git-Internals-Git-Objects */
function blobOf(content, format) {
    return (0,external_node_crypto_.createHash)(format).update(`blob ${content.length}\0`).update(content).digest('hex');
}
/** `link:` and the blob id of a symbolic link's target text. */
function linkBlob(root, path, format) {
    return `link:${blobOf((0,external_node_fs_.readlinkSync)(onDisk(root, path), 'buffer'), format)}`;
}
/** Open a plain file for reading: no link followed, no wait for the other end of a pipe. */
async function openToRead(place) {
    return (0,promises_.open)(place, external_node_fs_.constants.O_RDONLY | (external_node_fs_.constants.O_NOFOLLOW ?? 0) | (external_node_fs_.constants.O_NONBLOCK ?? 0));
}
/**
 * The blob id of a file's bytes as they are, without git's filters.
 * @throws GatelineError `FILE_CHANGING` when it changes each time it is read.
 */
async function blobOfFile(root, path, format) {
    for (let tries = 0; tries < TRIES; tries++) {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const file = __addDisposableResource(env_1, await openToRead(onDisk(root, path)), true);
            const { size } = await file.stat();
            const hash = (0,external_node_crypto_.createHash)(format).update(`blob ${size}\0`);
            let bytes = 0;
            if (size > 0) {
                for await (const chunk of file.createReadStream({ autoClose: false })) {
                    bytes += chunk.length;
                    hash.update(chunk);
                }
            }
            if (bytes === size)
                return hash.digest('hex');
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
    throw new gateline_error/* GatelineError */.Mk('platform', 'FILE_CHANGING', `${path} changes while it is read.`, {
        hint: 'End the program that still writes to it.',
    });
}

;// CONCATENATED MODULE: ./build/workspace/contain.js


/** Names that Windows gives to devices, with any extension: https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$)$/i;
/** Characters that HFS+ leaves out when it compares names, so that `.g<U+200C>it` is `.git` (CVE-2014-9390). */
const INVISIBLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
const TEMPORARY = /^\.gateline-[0-9a-f]{16}\.tmp$/;
const LONGEST = 4_096;
/**
 * Why a path may not be read from or written to for another gate, or `undefined` when it may. The same on
 * every system: what is handed on from one must be safe on each. `.git` at any depth and `.state` at the
 * root are refused however they may be spelt (`.GIT`, `git~1`, `.git.`, with invisible characters).
 */
function whyNotContained(path) {
    if (path === '')
        return 'it is empty';
    if (path.length > LONGEST)
        return `it is longer than ${LONGEST} characters`;
    if (path.includes('\0'))
        return 'it holds a NUL character';
    if (path.includes('\\'))
        return 'it holds a backslash';
    if (path.startsWith('/') || /^[a-z]:/i.test(path))
        return 'it is absolute';
    if (!path.isWellFormed() || isEscapedName(path))
        return 'its name is not UTF-8';
    for (const [index, name] of path.split('/').entries()) {
        const why = whyNotName(name, index === 0);
        if (why !== undefined)
            return why;
    }
    return undefined;
}
function whyNotName(name, first) {
    if (name === '')
        return 'it holds an empty name';
    if (name === '.' || name === '..')
        return `it holds ${name}`;
    const seen = name.replace(INVISIBLE, '').normalize('NFC').toLowerCase();
    const stem = seen.split(':', 1)[0].replace(/[. ]+$/, '');
    if (stem === '.git' || stem === 'git~1')
        return 'it leads into git\u2019s own folder';
    if (first && (stem === '.state' || stem === 'state~1'))
        return 'it leads into .state';
    if (/[. ]$/.test(seen))
        return `it holds a name that ends in a dot or a space (${JSON.stringify(name)}), which Windows drops`;
    const device = seen.split(/[.:]/, 1)[0].trimEnd();
    if (DEVICE.test(device))
        return `it holds ${JSON.stringify(name)}, a device on Windows`;
    if (process.platform === 'win32' && (/[:<>"|?*]/.test(name) || [...name].some((character) => character < ' ')))
        return 'it holds a character that Windows has no file names with';
    return undefined;
}
/** @throws GatelineError `PATH_ESCAPES` for a path that {@link whyNotContained} refuses. */
function assertContained(path) {
    const why = whyNotContained(path);
    if (why === undefined)
        return;
    throw new gateline_error/* GatelineError */.Mk('agent', 'PATH_ESCAPES', `The path ${JSON.stringify(path)} is refused: ${why}.`, {
        hint: 'A gate hands on files inside the workspace only, under names that every system takes. Rename the file or leave it out of `files`.',
    });
}
/** Whether a path could be that of a file below the root, under whatever name. */
function isRelative(path) {
    return !path.includes('\0') && path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
}
/** Whether a path never counts: git's own files, `.state`, and what an interrupted write of ours left. */
function neverCounts(path) {
    if (path === '.state' || path.startsWith('.state/'))
        return true;
    if (path.includes('.git') && path.split('/').includes('.git'))
        return true;
    return path.includes('.gateline-') && TEMPORARY.test(path.slice(path.lastIndexOf('/') + 1));
}
/** The folders above a path, outermost first: `a/b/c` → `a`, `a/b`. */
function foldersOf(path) {
    const folders = [];
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
        folders.push(path.slice(0, at));
    return folders;
}

;// CONCATENATED MODULE: ./build/workspace/in-parallel.js
/** Do work on every item, a few at a time. After a first error nothing new is begun; it is thrown once what runs has ended. */
async function inParallel(width, items, work) {
    const rest = items[Symbol.iterator]();
    const errors = [];
    const worker = async () => {
        for (let next = rest.next(); next.done !== true && errors.length === 0; next = rest.next()) {
            try {
                await work(next.value);
            }
            catch (error) {
                errors.push(error);
            }
        }
    };
    await Promise.all(Array.from({ length: width }, worker));
    if (errors.length > 0)
        throw errors[0];
}

;// CONCATENATED MODULE: ./build/workspace/snapshot.js
/** Mode and blob of something that is neither file, link nor repository: a pipe, a socket, a device. Never leaves this folder. */
const SPECIAL_MODE = '000000';

;// CONCATENATED MODULE: ./build/workspace/standing.js




/**
 * A look at paths below `root`. A path under a symbolic link is not there: git sees it so, and it may lie outside.
 * Folders are remembered for the life of the look. Synchronous, since ten thousand of these cost a fifth of what
 * they cost through promises.
 */
function lookBelow(root) {
    const folders = new Map();
    const isFolder = (folder) => {
        let known = folders.get(folder);
        if (known === undefined) {
            known = lookAt(root, folder)?.isDirectory() ?? false;
            folders.set(folder, known);
        }
        return known;
    };
    return (path) => (foldersOf(path).every(isFolder) ? lookAt(root, path) : undefined);
}
/** What stands at one path, its last name not followed. `undefined`: nothing. */
function lookAt(root, path) {
    try {
        return (0,external_node_fs_.lstatSync)(onDisk(root, path), { throwIfNoEntry: false });
    }
    catch (error) {
        // A file where a folder was thought: nothing can stand below it.
        if ((0,gateline_error/* isSystemError */.Or)(error, 'ENOTDIR'))
            return undefined;
        throw error;
    }
}
/** What something is called that is no plain file. */
function kindOf(stats) {
    if (stats.isSymbolicLink())
        return 'a symbolic link';
    if (stats.isDirectory())
        return 'a folder';
    if (stats.isFIFO())
        return 'a named pipe';
    if (stats.isSocket())
        return 'a socket';
    return stats.isFile() ? 'a file' : 'a device';
}
/** For each path at which something stands, what no write leaves as it is: identity, size and times. */
function stampsOf(root, paths) {
    const look = lookBelow(root);
    return new Map(paths.flatMap((path) => {
        const stats = look(path);
        return stats === undefined ? [] : [[path, `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`]];
    }));
}

;// CONCATENATED MODULE: ./build/workspace/capture.js
var capture_addDisposableResource = (undefined && undefined.__addDisposableResource) || function (env, value, async) {
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
var capture_disposeResources = (undefined && undefined.__disposeResources) || (function (SuppressedError) {
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








/** Files that change while they are kept are kept again, so often. */
const capture_TRIES = 3;
/** Files that are kept side by side. */
const AT_ONCE = 8;
const TOUCHED_LIMIT = 10_000;
/**
 * What differs between two looks at the workspace. Git's index plays no part: an attempt may commit, switch
 * branches, stage, or change what git ignores, and the answer is the same.
 */
async function changesSince(capture) {
    const { snapshot, globs } = capture;
    const looked = await lookAtAll(capture);
    const goesOn = goingOn(capture);
    const handsOn = ({ path }) => {
        if (globs === undefined)
            return true;
        return snapshot.repositories.has(path) ? globs.matchesRepository(path) : globs.matches(path);
    };
    const touched = looked.filter((one) => !handsOn(one) && !(0,tree/* sameFile */.V)(one.before, one.after)).flatMap(asTouched);
    const handed = looked.filter((one) => handsOn(one) && goesOn(one));
    return { ...(await keepAll(capture, handed)), touched: touched.slice(0, TOUCHED_LIMIT) };
}
/**
 * Which files go on to later gates. Those that the attempt changed; those that earlier attempts which came to nothing
 * had changed already; and of those that no checkout would bring also the ones that the gate made before and left alone,
 * and those that a glob names and that it made again just the same. What lies there otherwise is somebody else's:
 * handed on, it would later take the place of what they made of it since.
 */
function goingOn({ earlier, globs, committed, before, now }) {
    const { since, made = [] } = earlier;
    const handedOn = new Map(made.map(({ path, after }) => [path, after]));
    return (one) => {
        const { path, after } = one;
        if (!(0,tree/* sameFile */.V)(one.before, after))
            return true;
        if (since !== undefined && !(0,tree/* sameFile */.V)(since.get(path) ?? null, after))
            return true;
        if ((0,tree/* sameFile */.V)(committed?.get(path) ?? null, after))
            return false;
        const known = handedOn.get(path);
        if (known !== undefined && (0,tree/* sameFile */.V)(known, after))
            return true;
        return globs !== undefined && before.stamps.get(path) !== now.stamps.get(path);
    };
}
async function lookAtAll({ snapshot, earlier, before, now }) {
    const then = new Map([...before.tree, ...before.named]);
    const after = new Map([...now.tree, ...now.named]);
    const known = [...then.keys(), ...(earlier.since?.keys() ?? []), ...(earlier.made ?? []).map(({ path }) => path)];
    // What git saw before and does not see now may still be there: ignored since, or in a new repository.
    const unseen = known.filter((path) => !after.has(path) && !neverCounts(path));
    for (const [path, file] of await snapshot.resolve(unseen))
        after.set(path, file);
    const paths = [...new Set([...known, ...after.keys()])].toSorted();
    return paths
        .map((path) => ({ path, before: then.get(path) ?? null, after: after.get(path) ?? null }))
        .filter((one) => !neverCounts(one.path));
}
/** A record tells of plain files only; a link or submodule that was touched counts as edited from then on. */
function asTouched({ path, before, after }) {
    if (whyNotPlain(before) !== undefined || whyNotPlain(after) !== undefined || whyNotContained(path) !== undefined)
        return [];
    return [{ path, before: stateOf(before), after: stateOf(after) }];
}
function stateOf(file) {
    return file === null ? null : { blob: file.blob, mode: file.mode === '100755' ? '100755' : '100644' };
}
function whyNotPlain(file) {
    if (file === null)
        return undefined;
    if (file.mode === '120000')
        return 'a symbolic link';
    if (file.mode === '160000')
        return 'a git repository of its own';
    return file.mode === SPECIAL_MODE ? file.blob : undefined;
}
function whyRefused({ path, before, after }) {
    const now = whyNotPlain(after);
    if (now !== undefined)
        return `it is ${now}; only plain files are handed on`;
    const then = whyNotPlain(before);
    if (then !== undefined)
        return `it was ${then} before; only plain files are handed on`;
    return whyNotContained(path);
}
async function keepAll(capture, handed) {
    const refused = [];
    const sound = [];
    for (const one of handed) {
        const why = whyRefused(one);
        if (why === undefined)
            sound.push(one);
        else
            refused.push({ path: one.path, why });
    }
    if (sound.length > capture.limits.files) {
        const why = `${sound.length} files changed and at most ${capture.limits.files} can be handed on, so none is`;
        return { files: [], refused: [...refused, { path: '.', why }] };
    }
    const kept = await keepUntilStill(capture, sound, refused);
    return { files: kept, refused: refused.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
}
/** Keep content, then look again: a file that changed meanwhile is kept anew, so that blob and content are of one state. */
async function keepUntilStill(capture, sound, refused) {
    const files = new Map();
    let open = [...sound];
    for (let tries = 1; open.length > 0 && tries <= capture_TRIES; tries++) {
        const kept = [];
        await inParallel(AT_ONCE, open, async (one) => {
            const content = one.after === null ? undefined : await keepOne(capture, one.path);
            if (content !== undefined && 'refused' in content) {
                files.delete(one.path);
                refused.push({ path: one.path, why: content.refused });
            }
            else {
                files.set(one.path, changeOf(one, content));
                kept.push(one);
            }
        });
        const again = await (await capture.lookAgain()).resolve(kept.map(({ path }) => path));
        open = kept
            .map((one) => ({ one, after: again.get(one.path) ?? null }))
            .filter(({ one, after }) => !(0,tree/* sameFile */.V)(one.after, after))
            .map(({ one: { path, before }, after }) => ({ path, before, after }))
            .filter((one) => stillGoesOn(capture, one, files, refused));
    }
    for (const { path } of open) {
        files.delete(path);
        refused.push({ path, why: 'it kept changing while it was read; a program still writes to it' });
    }
    return [...files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
function stillGoesOn(capture, one, files, refused) {
    const why = whyRefused(one);
    if (why === undefined && goingOn(capture)(one))
        return true;
    files.delete(one.path);
    if (why !== undefined)
        refused.push({ path: one.path, why });
    return false;
}
function changeOf({ path, before, after }, content) {
    const state = stateOf(after);
    return {
        path,
        before: stateOf(before),
        after: state === null || content === undefined ? state : { ...state, content },
    };
}
/** Keep one file's bytes, or say why not. */
async function keepOne({ root, keep, limits }, path) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        let file;
        try {
            file = await openToRead(onDisk(root, path));
        }
        catch (error) {
            // ELOOP: a link took the file's place; ENXIO: a socket or pipe did; ENOENT: it went away.
            if (['ELOOP', 'ENXIO', 'ENOENT', 'ENOTDIR'].some((code) => (0,gateline_error/* isSystemError */.Or)(error, code))) {
                return { refused: 'it was replaced while it was read' };
            }
            throw error;
        }
        const opened = capture_addDisposableResource(env_1, file, true);
        const stats = await opened.stat();
        const seen = lookBelow(root)(path);
        if (!stats.isFile() || seen?.ino !== stats.ino || seen.dev !== stats.dev)
            return { refused: 'it leads out of the workspace, or was replaced while it was read' };
        const tooLarge = {
            refused: `it is larger than ${limits.bytes.toLocaleString('en')} bytes, the most that is handed on`,
        };
        if (stats.size > limits.bytes)
            return tooLarge;
        const counted = new LimitedRead(opened.createReadStream({ autoClose: false }), limits.bytes);
        try {
            return await keep(counted, path);
        }
        catch (error) {
            if (counted.exceeded)
                return tooLarge;
            throw error;
        }
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        const result_1 = capture_disposeResources(env_1);
        if (result_1)
            await result_1;
    }
}
/** Chunks up to a number of bytes; a file that grows past it while it is read ends in an error. */
class LimitedRead {
    exceeded = false;
    #chunks;
    #limit;
    constructor(chunks, limit) {
        this.#chunks = chunks;
        this.#limit = limit;
    }
    async *[Symbol.asyncIterator]() {
        let bytes = 0;
        for await (const chunk of this.#chunks) {
            bytes += chunk.length;
            this.exceeded = bytes > this.#limit;
            if (this.exceeded)
                throw new RangeError(`larger than ${this.#limit} bytes`);
            yield chunk;
        }
    }
}

// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
;// CONCATENATED MODULE: ./build/workspace/git-hash.js


const git_hash_TRIES = 3;
const LINE_BREAK = Buffer.from('\n');
/**
 * Blob ids of plain files as git would store them (line endings and LFS filtered), in one process. A file that
 * vanished meanwhile is left out.
 */
async function hashFiles(place, paths, look) {
    let wanted = [...paths];
    for (let tries = 1; wanted.length > 0; tries++) {
        try {
            return await hashOnce(place, wanted);
        }
        catch (error) {
            const now = look();
            const left = wanted.filter((path) => now(path)?.isFile() ?? false);
            if (left.length === wanted.length || tries === git_hash_TRIES)
                throw error;
            wanted = left;
        }
    }
    return new Map();
}
async function hashOnce({ git, top, prefix }, paths) {
    const lines = paths.flatMap((path) => [quotedForGit(prefix + path), LINE_BREAK]);
    const { out } = await git(['hash-object', '--stdin-paths'], { cwd: top, input: Buffer.concat(lines) });
    const ids = out.toString('latin1').split('\n').slice(0, -1);
    if (ids.length !== paths.length) {
        throw new gateline_error/* GatelineError */.Mk('platform', 'GIT_FAILED', `git hash-object named ${ids.length} of ${paths.length} files.`, {
            hint: 'Run it again; if it stays so, check the installation of git.',
        });
    }
    return new Map(paths.map((path, index) => [path, ids[index]]));
}

;// CONCATENATED MODULE: ./build/workspace/git-index.js

/** Read git's index of what lies below the working directory: three git processes, however many files. */
async function readIndex(git) {
    const [listed, differing, others] = await Promise.all([
        git(['ls-files', '-s', '-v', '-z']),
        git(['diff-files', '--relative', '--ignore-submodules=none', '-z']),
        git(['ls-files', '--others', '--exclude-standard', '-z']),
    ]);
    const names = splitNames(others.out);
    const clones = names.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1));
    return {
        entries: parseEntries(splitNames(listed.out)),
        ...parseDifferences(splitNames(differing.out)),
        untracked: names.map((name) => (name.endsWith('/') ? name.slice(0, -1) : name)),
        clones: new Set(clones),
    };
}
/** Lines of `git ls-files -s -v`: `H 100644 <blob> <stage>\t<path>`; a small letter or `S` is a file that git does not look at. */
function parseEntries(lines) {
    const entries = new Map();
    for (const line of lines) {
        const tab = line.indexOf('\t');
        const [tag = '', mode = '', blob = '', stage] = line.slice(0, tab).split(' ');
        const unsure = stage !== '0' || tag === 'S' || tag !== tag.toUpperCase();
        entries.set(line.slice(tab + 1), { blob, mode, unsure });
    }
    return entries;
}
/** Fields of `git diff-files -z`: `:<mode> <mode> <blob> <blob> <status>`, then the path. */
function parseDifferences(fields) {
    const modified = new Set();
    const deleted = new Set();
    for (let at = 0; at + 1 < fields.length; at += 2) {
        const path = fields[at + 1];
        if (fields[at].endsWith(' D'))
            deleted.add(path);
        else
            modified.add(path);
    }
    // A file in conflict is listed twice; where one of the two says that it is there, it is looked at.
    for (const path of modified)
        deleted.delete(path);
    return { modified, deleted };
}

// EXTERNAL MODULE: external "node:timers/promises"
var external_node_timers_promises_ = __webpack_require__(8500);
;// CONCATENATED MODULE: ./build/workspace/folder-walk.js



/**
 * Paths of all below a folder of the workspace that is not a folder itself, in no particular order. Links are
 * listed and not followed, `.git` is passed over.
 *
 * @param start relative path; '' for the root itself
 * @param enters whether to go into a folder
 */
async function walkBelow(root, start, enters) {
    const found = [];
    const open = [start];
    while (open.length > 0) {
        const folder = open.pop();
        for (const { name, entry } of await entriesOf(root, folder)) {
            const path = folder === '' ? name : `${folder}/${name}`;
            if (name === '.git')
                continue;
            if (!entry.isDirectory())
                found.push(path);
            else if (enters(path))
                open.push(path);
        }
    }
    return found;
}
async function entriesOf(root, folder) {
    const place = folder === '' ? root : onDisk(root, folder);
    try {
        const entries = await (0,promises_.readdir)(place, { withFileTypes: true });
        if (!entries.some(({ name }) => isEscapedName(name)))
            return entries.map((entry) => ({ name: entry.name, entry }));
        const raw = await (0,promises_.readdir)(place, { withFileTypes: true, encoding: 'buffer' });
        return raw.map((entry) => ({ name: textOfName(entry.name), entry }));
    }
    catch (error) {
        // Removed while we walked: nothing is there.
        if ((0,gateline_error/* isSystemError */.Or)(error, 'ENOENT'))
            return [];
        throw error;
    }
}

;// CONCATENATED MODULE: ./build/workspace/plain-tree.js







/** Read at once up to here; larger ones as a stream. */
const SMALL = 256 * 1_024;
/** After so many files other work gets a turn. */
const TURN = 256;
/**
 * A folder without git. Every file counts as tracked but those in `node_modules`, which take the place of
 * what git would ignore. Blob ids are what git (sha1, no filters) would give.
 */
function openPlainView(root) {
    const modesCount = process.platform !== 'win32';
    return {
        modesCount,
        committed: async () => undefined,
        branch: async () => undefined,
        async snapshot() {
            const tracked = await walkBelow(root, '', (folder) => folder !== '.state' && !inModules(folder));
            return {
                tracked,
                untracked: [],
                repositories: new Set(),
                generated: async (prefixes) => {
                    const walks = prefixes.filter(inModules).map((prefix) => walkOrFile(root, prefix));
                    return [...new Set((await Promise.all(walks)).flat())];
                },
                resolve: (paths) => resolvePlain(root, paths, modesCount),
            };
        },
    };
}
function inModules(path) {
    return path.includes('node_modules') && path.split('/').includes('node_modules');
}
/** What is at the path, when it is no folder, or all below it. Nothing under a link. */
async function walkOrFile(root, path) {
    const stats = lookBelow(root)(path);
    if (stats === undefined)
        return [];
    return stats.isDirectory() ? walkBelow(root, path, () => true) : [path];
}
async function resolvePlain(root, paths, modesCount) {
    const look = lookBelow(root);
    const found = new Map();
    let count = 0;
    for (const path of paths) {
        if (++count % TURN === 0)
            await (0,external_node_timers_promises_.setImmediate)();
        const stats = look(path);
        if (stats === undefined || stats.isDirectory())
            continue;
        if (stats.isFile())
            found.set(path, { blob: await plainBlob(root, path, stats), mode: modeOf(stats, modesCount) });
        else if (stats.isSymbolicLink())
            found.set(path, { blob: linkBlob(root, path, 'sha1'), mode: '120000' });
        else
            found.set(path, { blob: kindOf(stats), mode: SPECIAL_MODE });
    }
    return found;
}
async function plainBlob(root, path, stats) {
    return stats.size <= SMALL ? blobOf((0,external_node_fs_.readFileSync)(onDisk(root, path)), 'sha1') : blobOfFile(root, path, 'sha1');
}
/** git's mode of a plain file: executable when its owner may execute it. */
function modeOf(stats, modesCount) {
    return modesCount && (stats.mode & 0o100) !== 0 ? '100755' : '100644';
}

// EXTERNAL MODULE: external "node:child_process"
var external_node_child_process_ = __webpack_require__(1421);
// EXTERNAL MODULE: ./build/environment.js
var build_environment = __webpack_require__(7853);
;// CONCATENATED MODULE: ./build/workspace/git.js



/** Never a monitor that the repository names. */
const ALWAYS = ['-c', 'core.fsmonitor=', '--no-optional-locks'];
const LARGEST_ANSWER = 1_024 ** 3;
/**
 * git's environment: the caller's without what would point git elsewhere, and without what the runner keeps
 * from commands, since a repository's filters are programs that git starts.
 */
function gitEnvironment(environment) {
    const kept = Object.entries(environment).filter((pair) => pair[1] !== undefined &&
        !build_environment/* WITHHELD_FROM_AGENTS */.QE.test(pair[0]) &&
        (!pair[0].toUpperCase().startsWith('GIT_') || build_environment/* KEPT_FOR_GIT */.iX.test(pair[0])));
    return { ...Object.fromEntries(kept), ...build_environment/* GIT_SETTINGS */.bd };
}
/**
 * A runner of git commands, never through a shell.
 *
 * @param binary name or path of git
 * @param place working directory
 */
function gitIn(binary, place, environment) {
    const env = gitEnvironment(environment);
    return (args, { cwd = place, input, answers = [0] } = {}) => new Promise((resolve, reject) => {
        const options = { cwd, env, encoding: 'buffer', maxBuffer: LARGEST_ANSWER, windowsHide: true };
        const child = (0,external_node_child_process_.execFile)(binary, [...ALWAYS, ...args], options, (error, out, stderr) => {
            const err = stderr.toString('utf8').trim();
            const code = error === null ? 0 : typeof error.code === 'number' ? error.code : undefined;
            if (code !== undefined && answers.includes(code))
                resolve({ code, out, err });
            else
                reject(explain(error, binary, args, cwd, err));
        });
        // git may end before it has read all; its exit code then tells why.
        child.stdin?.on('error', () => undefined);
        child.stdin?.end(input);
    });
}
function explain(error, binary, args, cwd, err) {
    if ((0,gateline_error/* isSystemError */.Or)(error, 'ENOENT')) {
        return new gateline_error/* GatelineError */.Mk('user', 'GIT_NOT_FOUND', `${cwd} is in a git repository, but \`${binary}\` could not be started.`, {
            hint: 'Install git and put it on the PATH.',
            cause: error,
        });
    }
    if (/dubious ownership/.test(err)) {
        return new gateline_error/* GatelineError */.Mk('user', 'GIT_UNSAFE_DIRECTORY', `git refuses ${cwd}, since it belongs to another user: ${err.split('\n')[0]}`, {
            hint: `If you trust it: git config --global --add safe.directory '${/safe\.directory (.+)$/m.exec(err)?.[1] ?? cwd}' (usual in containers).`,
            cause: error,
        });
    }
    if (/clean filter|external filter|filter-process|git-lfs/.test(err)) {
        return new gateline_error/* GatelineError */.Mk('platform', 'GIT_FILTER_FAILED', `A filter that .gitattributes names failed in ${cwd}: ${err}`, {
            hint: 'Install what the filter needs (for LFS: git lfs install), or take it out of the configuration.',
            cause: error,
        });
    }
    const said = err === '' ? String(error) : err;
    return new gateline_error/* GatelineError */.Mk('platform', 'GIT_FAILED', `git ${args[0] ?? ''} failed in ${cwd}: ${said}`, {
        hint: 'Run `git status` there; if it fails too, the repository is damaged or no longer there.',
        cause: error,
    });
}

;// CONCATENATED MODULE: ./build/workspace/repository.js




/**
 * The repository whose work tree holds `root`. `undefined` where there is none: no git, a bare repository, or a
 * folder that the repository around it ignores.
 *
 * @throws GatelineError `GIT_NOT_FOUND` when there is a repository and git cannot be started; `GIT_UNSAFE_DIRECTORY`
 *   when git does not trust its owner.
 */
async function findRepository(root, binary, environment) {
    const git = gitIn(binary, root, environment);
    let answer;
    try {
        answer = await git(['rev-parse', '--is-inside-work-tree', '--show-object-format', '--show-cdup', '--show-prefix']);
    }
    catch (error) {
        if (!(error instanceof gateline_error/* GatelineError */.Mk))
            throw error;
        if (error.code === 'GIT_FAILED' && error.message.includes('not a git repository'))
            return undefined;
        if (error.code === 'GIT_NOT_FOUND' && (0,gateline_error/* isSystemError */.Or)(error.cause, 'ENOENT') && !belowGit(root))
            return undefined;
        throw error;
    }
    const [inside, format, up = '', ...rest] = answer.out.toString('utf8').split('\n');
    if (inside !== 'true')
        return undefined;
    const prefix = rest.slice(0, -1).join('\n');
    const top = (0,external_node_path_.resolve)(root, up);
    if (prefix !== '' && (await isIgnored(git, top, prefix)))
        return undefined;
    const settings = await git(['config', '-z', '--type=bool', '--get-regexp', '^core\\.(filemode|symlinks)$'], {
        answers: [0, 1],
    });
    const off = new Set(settings.out.toString('utf8').split('\0'));
    return {
        git,
        top,
        prefix,
        format: format === 'sha256' ? 'sha256' : 'sha1',
        modesCount: !off.has('core.filemode\nfalse') && process.platform !== 'win32',
        links: !off.has('core.symlinks\nfalse'),
    };
}
function belowGit(root) {
    for (let folder = root;; folder = (0,external_node_path_.dirname)(folder)) {
        if ((0,external_node_fs_.existsSync)((0,external_node_path_.join)(folder, '.git')))
            return true;
        if (folder === (0,external_node_path_.dirname)(folder))
            return false;
    }
}
/** A folder that the repository around it ignores, and of which it tracks nothing, is no part of it. */
async function isIgnored(git, top, prefix) {
    const asked = await git(['check-ignore', '-q', '--no-index', `./${prefix.slice(0, -1)}`], {
        cwd: top,
        answers: [0, 1],
    });
    if (asked.code === 1)
        return false;
    return (await git(['ls-files', '-z'])).out.length === 0;
}

;// CONCATENATED MODULE: ./build/workspace/git-tree.js












/** Files that keep an otherwise ignored folder in git; they do not make it a folder of sources. */
const KEEPERS = new Set(['.gitignore', '.gitkeep', '.keep']);
const BRANCHES = 'refs/heads/';
/** A work tree as git sees it. Content is that of the work tree, never that of the index. */
function openGitView(root, repository, options) {
    return {
        modesCount: repository.modesCount,
        snapshot: async () => gitSnapshot(root, repository, options),
        committed: () => committedTree(repository.git),
        async branch() {
            const { code, out } = await repository.git(['symbolic-ref', '-q', 'HEAD'], { answers: [0, 1] });
            const name = out.toString('utf8').trim();
            return code === 0 && name.startsWith(BRANCHES) ? name.slice(BRANCHES.length) : undefined;
        },
    };
}
async function gitSnapshot(root, repository, options) {
    const index = await readIndex(repository.git);
    const submodules = [...index.entries].filter(([, { mode }]) => mode === '160000').map(([path]) => path);
    const repositories = new Set([...submodules, ...index.clones]);
    const resolver = new Resolver(root, repository, options, index);
    return {
        tracked: [...index.entries.keys()],
        untracked: index.untracked,
        repositories,
        generated: (prefixes) => generatedBelow(root, repository, index, prefixes, repositories),
        resolve: (paths) => resolver.resolve(paths),
    };
}
async function committedTree(git) {
    const head = await git(['rev-parse', '-q', '--verify', 'HEAD^{tree}'], { answers: [0, 1] });
    if (head.code !== 0)
        return undefined;
    const { out } = await git(['ls-tree', '-r', '-z', 'HEAD']);
    const files = splitNames(out).map((line) => {
        const tab = line.indexOf('\t');
        const [mode = '', , blob = ''] = line.slice(0, tab).split(' ');
        return [line.slice(tab + 1), vouched({ mode, blob })];
    });
    return new Map(files);
}
/** Says what stands at paths: from the index where git vouches for the file, else by looking. */
class Resolver {
    #root;
    #repository;
    #options;
    #index;
    constructor(root, repository, options, index) {
        this.#root = root;
        this.#repository = repository;
        this.#options = options;
        this.#index = index;
    }
    async resolve(paths) {
        const found = new Map();
        const look = lookBelow(this.#root);
        const plain = [];
        const modes = new Map();
        for (const path of paths) {
            const entry = this.#index.entries.get(path);
            if (this.#index.deleted.has(path) && entry?.unsure !== true)
                continue;
            if (entry !== undefined && !entry.unsure && !this.#index.modified.has(path)) {
                found.set(path, vouched(entry));
                continue;
            }
            const stats = look(path);
            if (stats === undefined)
                continue;
            if (stats.isFile() && !this.#standsForLink(entry)) {
                plain.push(path);
                modes.set(path, this.#modeOf(stats, entry));
            }
            else {
                const other = await this.#other(path, stats, entry);
                if (other !== undefined)
                    found.set(path, other);
            }
        }
        const place = { ...this.#repository };
        for (const [path, blob] of await hashFiles(place, plain, () => lookBelow(this.#root))) {
            found.set(path, { blob, mode: modes.get(path) });
        }
        return found;
    }
    #standsForLink(entry) {
        return entry?.mode === '120000' && !this.#repository.links;
    }
    #modeOf(stats, entry) {
        if (this.#repository.modesCount)
            return modeOf(stats, true);
        return entry?.mode === '100755' ? '100755' : '100644';
    }
    async #other(path, stats, entry) {
        const { format } = this.#repository;
        if (stats.isFile())
            return { blob: `link:${blobOf((0,external_node_fs_.readFileSync)(onDisk(this.#root, path)), format)}`, mode: '120000' };
        if (stats.isSymbolicLink())
            return { blob: linkBlob(this.#root, path, format), mode: '120000' };
        if (!stats.isDirectory())
            return { blob: kindOf(stats), mode: SPECIAL_MODE };
        const blob = await describeRepository((0,external_node_path_.join)(this.#root, path), this.#options);
        if (blob !== undefined)
            return { blob, mode: '160000' };
        return entry?.mode === '160000' ? vouched(entry) : undefined;
    }
}
function vouched({ blob, mode }) {
    if (mode === '160000')
        return { blob: `commit:${blob}`, mode };
    return { blob: mode === '120000' ? `link:${blob}` : blob, mode };
}
/**
 * A repository inside the workspace: `commit:<id>` of what is checked out (`commit:none` before the first commit),
 * and where its work tree is not that commit `+dirty.` and a digest of the work tree, so that no two states
 * look the same. `undefined` when the folder is no repository of its own.
 */
async function describeRepository(place, options) {
    const repository = await findRepository(place, options.binary, options.environment);
    if (repository === undefined || repository.prefix !== '')
        return undefined;
    const { git } = repository;
    const head = await git(['rev-parse', '-q', '--verify', 'HEAD^{commit}'], { answers: [0, 1] });
    const commit = `commit:${head.code === 0 ? head.out.toString('utf8').trim() : 'none'}`;
    const status = await git(['status', '--porcelain', '-z', '--untracked-files=all', '--ignore-submodules=none']);
    if (status.out.length === 0)
        return commit;
    const snapshot = await gitSnapshot(place, repository, options);
    const tree = [...(await snapshot.resolve(snapshot.tracked.concat(snapshot.untracked).toSorted()))];
    return `${commit}+dirty.${(0,external_node_crypto_.createHash)('sha256').update(JSON.stringify(tree)).digest('hex').slice(0, 16)}`;
}
/**
 * Files that git ignores, below prefixes that name something generated: the prefix is ignored itself or lies in an
 * ignored folder, or git sees nothing below it but what keeps the folder.
 */
async function generatedBelow(root, { git, top, prefix: down }, index, prefixes, repositories) {
    const look = lookBelow(root);
    const inRepository = (path) => [...repositories].some((one) => path === one || path.startsWith(`${one}/`));
    const there = prefixes.filter((path) => !neverCounts(path) && !inRepository(path) && look(path) !== undefined);
    if (there.length === 0)
        return [];
    const input = Buffer.concat(there.flatMap((path) => [bytesOfName(`./${down}${path}\0`)]));
    const asked = await git(['check-ignore', '-z', '--stdin', '--no-index'], { cwd: top, input, answers: [0, 1] });
    const ignored = new Set(splitNames(asked.out));
    const walked = there.filter((path) => ignored.has(`./${down}${path}`) || holdsKeepersOnly(path, look, index));
    const files = (await Promise.all(walked.map((path) => walkOrFile(root, path)))).flat();
    return [...new Set(files)];
}
function holdsKeepersOnly(folder, look, { entries, untracked, deleted }) {
    if (look(folder)?.isDirectory() !== true)
        return false;
    const keeps = (path) => !path.startsWith(`${folder}/`) || deleted.has(path) || KEEPERS.has(path.slice(path.lastIndexOf('/') + 1));
    return [...entries.keys()].every(keeps) && untracked.every(keeps);
}

// EXTERNAL MODULE: ./node_modules/picomatch/index.js
var picomatch = __webpack_require__(4006);
;// CONCATENATED MODULE: ./build/workspace/globs.js


const WILD = /[*?[\]{}()\\]/;
/** `s`: a name may hold a line break, and `**` takes it too. */
const OPTIONS = { dot: true, nonegate: true, windows: false, flags: 's' };
/**
 * Compile globs. They are `/`-separated, relative to the workspace, and see dot files. One that names a
 * folder (`src`, `src/`, `.`) takes everything below it. A leading `!` excludes; as in GitHub's path filters
 * the last glob that takes a path decides.
 *
 * @throws GatelineError `GLOB_ESCAPES` for a glob that is absolute or holds `..`; `GLOB_EMPTY` for one without text;
 *   `GLOBS_ONLY_EXCLUDE` when every glob excludes.
 */
function compileGlobs(written) {
    const globs = written.map(compileGlob);
    const including = globs.filter((glob) => !glob.excludes);
    if (globs.length > 0 && including.length === 0) {
        throw new gateline_error/* GatelineError */.Mk('user', 'GLOBS_ONLY_EXCLUDE', `The globs ${written.join(', ')} all exclude, so that no file is left.`, {
            hint: 'Say first what counts, for instance `**`, and then what does not.',
        });
    }
    const takes = (test) => {
        const last = globs.findLast(test);
        return last !== undefined && !last.excludes;
    };
    return {
        matches: (path) => takes((glob) => glob.test(path)),
        matchesRepository: (path) => takes((glob) => reaches(glob, path)),
        unmatched(paths, repositories) {
            const open = new Set(including);
            for (const path of paths) {
                if (open.size === 0)
                    break;
                const inside = repositories.has(path);
                for (const glob of open)
                    if (inside ? reaches(glob, path) : glob.test(path))
                        open.delete(glob);
            }
            return [...open].map((glob) => glob.written);
        },
        prefixes: [...new Set(including.map((glob) => glob.prefix))].filter((prefix) => prefix !== ''),
    };
}
function reaches(glob, repository) {
    return glob.test(repository) || (!glob.excludes && glob.prefix.startsWith(`${repository}/`));
}
function compileGlob(written) {
    const excludes = written.startsWith('!');
    const body = (excludes ? written.slice(1) : written).replaceAll(/\/{2,}/g, '/').replace(/^(?:\.\/)+/, '');
    const names = body.split('/').filter((name) => name !== '.');
    if (written === '' || body === '')
        throw bad('GLOB_EMPTY', written, 'is empty');
    if (body.startsWith('/') || /^[a-z]:/i.test(body))
        throw bad('GLOB_ESCAPES', written, 'is absolute');
    if (names.includes('..'))
        throw bad('GLOB_ESCAPES', written, 'holds `..`');
    const folder = body.endsWith('/') || names.length === 0;
    const path = names.filter((name) => name !== '').join('/');
    if (path === '')
        return { written, excludes, prefix: '', test: () => true };
    const wild = names.findIndex((name) => WILD.test(name));
    const prefix = wild < 0 ? path : names.slice(0, wild).join('/');
    const below = picomatch(`${path}/**/*`, OPTIONS);
    const itself = picomatch(path, OPTIONS);
    const named = wild < 0 ? (candidate) => candidate.startsWith(`${path}/`) : folder ? below : () => false;
    return { written, excludes, prefix, test: (candidate) => named(candidate) || (!folder && itself(candidate)) };
}
function bad(code, written, why) {
    return new gateline_error/* GatelineError */.Mk('user', code, `The glob ${JSON.stringify(written)} ${why}.`, {
        hint: 'Globs are relative to the workspace, for instance `src/**`.',
    });
}

;// CONCATENATED MODULE: ./build/workspace/displace.js





const SHELF = '.state/displaced';
/** Where versions of files that somebody made are put aside: `.state/displaced/<n>/<path>`, a new `n` for each use. */
class Displaced {
    #root;
    #folder;
    constructor(root) {
        this.#root = root;
    }
    /**
     * Keep what stands at `path`, which then may be overwritten or deleted: a plain file stays in its place too.
     * @returns where it is now, relative to the root
     */
    async keep(path) {
        this.#folder ??= nextFolder(this.#root);
        const kept = `${await this.#folder}/${path}`;
        await makeFolders(this.#root, kept);
        const from = `${this.#root}/${path}`;
        const to = `${this.#root}/${kept}`;
        if ((await (0,promises_.lstat)(from)).isFile())
            await linkOrCopy(from, to);
        else
            await move(from, to);
        return kept;
    }
}
async function nextFolder(root) {
    await makeFolders(root, `${SHELF}/1`);
    const taken = (await (0,promises_.readdir)(`${root}/${SHELF}`)).map(Number).filter(Number.isSafeInteger);
    for (let n = Math.max(0, ...taken) + 1;; n++) {
        try {
            await (0,promises_.mkdir)(`${root}/${SHELF}/${n}`);
            return `${SHELF}/${n}`;
        }
        catch (error) {
            if (!(0,gateline_error/* isSystemError */.Or)(error, 'EEXIST'))
                throw error;
        }
    }
}
async function linkOrCopy(from, to) {
    try {
        await (0,promises_.link)(from, to);
    }
    catch (error) {
        if ((0,gateline_error/* isSystemError */.Or)(error, 'EEXIST') || (0,gateline_error/* isSystemError */.Or)(error, 'ENOENT'))
            throw error;
        // Not every file system has hard links, nor do they reach across two.
        await (0,promises_.copyFile)(from, to, external_node_fs_.constants.COPYFILE_EXCL);
    }
}
async function move(from, to) {
    try {
        await (0,promises_.rename)(from, to);
    }
    catch (error) {
        if (!(0,gateline_error/* isSystemError */.Or)(error, 'EXDEV'))
            throw error;
        await (0,promises_.symlink)(await (0,promises_.readlink)(from), to);
        await (0,promises_.unlink)(from);
    }
}
/**
 * Make the folders above a path, one by one, never through a link.
 * @throws GatelineError as {@link blockedBy} says.
 */
async function makeFolders(root, path) {
    for (const folder of foldersOf(path)) {
        const stats = lookAt(root, folder);
        if (stats?.isDirectory() === true)
            continue;
        if (stats !== undefined)
            throw blockedBy(path, folder, stats);
        try {
            await (0,promises_.mkdir)(`${root}/${folder}`);
        }
        catch (error) {
            if (!(0,gateline_error/* isSystemError */.Or)(error, 'EEXIST'))
                throw error;
        }
    }
}
/** `PATH_ESCAPES` for a link on the way to a path, `PATH_BLOCKED` for anything else that is in the way. */
function blockedBy(path, obstacle, stats) {
    if (stats.isSymbolicLink()) {
        return new gateline_error/* GatelineError */.Mk('user', 'PATH_ESCAPES', `${path} cannot be written: ${obstacle} is a symbolic link, and may lead out of the workspace.`, {
            hint: `Replace ${obstacle} by a folder, or leave the file out of \`files\`.`,
        });
    }
    return new gateline_error/* GatelineError */.Mk('user', 'PATH_BLOCKED', `${path} cannot be written: ${obstacle} is ${kindOf(stats)}.`, {
        hint: `Move ${obstacle} out of the way.`,
    });
}

;// CONCATENATED MODULE: ./build/workspace/goals.js
var goals_addDisposableResource = (undefined && undefined.__addDisposableResource) || function (env, value, async) {
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
var goals_disposeResources = (undefined && undefined.__disposeResources) || (function (SuppressedError) {
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
 * One goal a path, in order of first mention: the last change decides. A path that two gates changed is written
 * once, and what the first of them left is known, not foreign.
 *
 * @throws GatelineError `PATH_ESCAPES` for a path that may not be written; `PATH_BLOCKED` when one file would have to be
 *   the folder of another.
 */
function goalsOf(changes) {
    for (const { path } of changes)
        assertContained(path);
    const goals = new Map();
    for (const { path, before, after } of changes) {
        const states = [before, after].filter((state) => state !== null);
        goals.set(path, { path, after, known: [...(goals.get(path)?.known ?? []), ...states] });
    }
    for (const { path, after } of goals.values()) {
        const folder = after === null ? undefined : foldersOf(path).find((one) => (goals.get(one)?.after ?? null) !== null);
        if (folder === undefined)
            continue;
        throw new gateline_error/* GatelineError */.Mk('agent', 'PATH_BLOCKED', `${path} and ${folder} cannot both be files.`, {
            hint: 'Two gates left them; let both hand on the same layout.',
        });
    }
    return goals;
}
/** What stands at the goals' paths now. */
async function presentAt({ view }, goals) {
    return (await view.snapshot()).resolve(goals.keys());
}
/** Whether a file is as a state says. Where line endings or LFS are set up otherwise than where it was taken, its bytes tell. */
async function isAs({ root, view }, path, file, state) {
    if (file === undefined || state === null)
        return file === undefined && state === null;
    if (file.mode !== '100644' && file.mode !== '100755')
        return false;
    if (view.modesCount && file.mode !== state.mode)
        return false;
    return file.blob === state.blob || hasBytes(root, path, state);
}
async function hasBytes(root, path, { content }) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        if (content === undefined)
            return false;
        const file = goals_addDisposableResource(env_1, await openToRead(onDisk(root, path)), true);
        if ((await file.stat()).size !== content.bytes)
            return false;
        const hash = (0,external_node_crypto_.createHash)('sha256');
        if (content.bytes > 0) {
            for await (const chunk of file.createReadStream({ autoClose: false }))
                hash.update(chunk);
        }
        return `sha256:${hash.digest('hex')}` === content.digest;
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        const result_1 = goals_disposeResources(env_1);
        if (result_1)
            await result_1;
    }
}

;// CONCATENATED MODULE: ./build/workspace/materialise.js
var materialise_addDisposableResource = (undefined && undefined.__addDisposableResource) || function (env, value, async) {
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
var materialise_disposeResources = (undefined && undefined.__disposeResources) || (function (SuppressedError) {
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








/** See `Workspace.stands`. */
async function stands(place, changes) {
    const goals = goalsOf(changes);
    const present = await presentAt(place, goals);
    for (const { path, after } of goals.values()) {
        if (!(await isAs(place, path, present.get(path), after)))
            return false;
    }
    return true;
}
/**
 * See `Workspace.materialise`. Everything is checked before the first file is changed. Files go before new ones
 * come, so that a file may take the place of a folder and the other way round. Answers once for each path.
 */
async function materialise(place, changes, copy) {
    const goals = goalsOf(changes);
    const steps = await stepsFor(place, goals, await presentAt(place, goals));
    const leaving = new Set(steps.filter(({ goal }) => goal.after === null).map(({ goal }) => goal.path));
    for (const { goal } of steps)
        await checkWay(place.root, goal, leaving);
    const displaced = new Displaced(place.root);
    const done = new Map();
    const byPath = steps.toSorted((a, b) => (a.goal.path < b.goal.path ? -1 : 1));
    for (const step of byPath.filter(({ goal }) => goal.after === null)) {
        done.set(step.goal.path, await inPlace(step.goal.path, () => remove(place.root, step, displaced)));
    }
    for (const step of byPath.filter(({ goal }) => goal.after !== null)) {
        done.set(step.goal.path, await inPlace(step.goal.path, () => write(place.root, step, displaced, copy)));
    }
    return [...goals.keys()].map((path) => done.get(path) ?? { path, action: 'unchanged' });
}
async function stepsFor(place, goals, present) {
    const steps = [];
    const reached = new Set();
    for (const goal of goals.values()) {
        const file = present.get(goal.path);
        if (await isAs(place, goal.path, file, goal.after)) {
            reached.add(goal.path);
            continue;
        }
        const matches = await Promise.all(goal.known.map((state) => isAs(place, goal.path, file, state)));
        steps.push({ goal, foreign: file !== undefined && !matches.includes(true) });
    }
    return steps.filter(({ goal }) => goal.after !== null || !isOtherSpelling(place.root, goal.path, goals, reached));
}
/** On a file system that ignores case, `A` to delete may be the very file `a` that already stands as it should. */
function isOtherSpelling(root, path, goals, reached) {
    const fold = (name) => name.normalize('NFC').toLowerCase();
    const mine = lookAt(root, path);
    return [...goals.values()].some(({ path: other, after }) => {
        if (after === null || other === path || !reached.has(other) || fold(other) !== fold(path))
            return false;
        const its = lookAt(root, other);
        return its?.ino === mine?.ino && its?.dev === mine?.dev;
    });
}
/** Refuse what cannot be done, as things will be once the files that are leaving are gone. */
async function checkWay(root, { path, after }, leaving) {
    if (after !== null && after.content === undefined)
        throw missing(path, 'the record does not say where its content is kept');
    for (const folder of foldersOf(path)) {
        const stats = lookAt(root, folder);
        if (stats === undefined || (leaving.has(folder) && !stats.isDirectory()))
            return;
        if (!stats.isDirectory())
            throw blockedBy(path, folder, stats);
    }
    const stats = lookBelow(root)(path);
    if (stats?.isDirectory() !== true)
        return;
    const stays = after === null ||
        lookAt(root, `${path}/.git`) !== undefined ||
        !(await walkBelow(root, path, () => true)).every((one) => leaving.has(one));
    if (stays)
        throw blockedBy(path, path, stats);
}
async function remove(root, { goal: { path }, foreign }, displaced) {
    await makeFolders(root, path);
    const kept = foreign ? await displaced.keep(path) : undefined;
    await (0,promises_.rm)(`${root}/${path}`, { force: true });
    return { path, action: 'deleted', ...(kept === undefined ? {} : { displaced: kept }) };
}
async function write(root, { goal: { path, after }, foreign }, displaced, copy) {
    await makeFolders(root, path);
    const target = `${root}/${path}`;
    const temporary = `${target.slice(0, target.lastIndexOf('/'))}/.gateline-${(0,external_node_crypto_.randomBytes)(8).toString('hex')}.tmp`;
    try {
        await stage(path, after.content, temporary, after.mode === '100755' ? 0o755 : 0o644, copy);
        const kept = foreign ? await displaced.keep(path) : undefined;
        if (lookAt(root, path)?.isDirectory() === true)
            await removeEmptyFolders(target);
        await (0,promises_.rename)(temporary, target);
        return { path, action: 'written', ...(kept === undefined ? {} : { displaced: kept }) };
    }
    catch (error) {
        await unlinkIfThere(temporary);
        throw error;
    }
}
/** The content in a new file beside its place, on disk for good. */
async function stage(path, content, temporary, mode, copy) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const copied = await copy(content.digest, temporary, mode);
        if (copied.state === 'absent')
            throw missing(path, `its content ${content.digest} is not kept any more`);
        if (copied.state === 'unknown')
            throw missing(path, `its content could not be read (${copied.problem.code}: ${copied.problem.message})`);
        if (copied.value.digest !== content.digest || copied.value.bytes !== content.bytes)
            throw missing(path, 'its content is not what the record says');
        await (0,promises_.chmod)(temporary, mode);
        const file = materialise_addDisposableResource(env_1, await (0,promises_.open)(temporary, 'r+'), true);
        await file.sync();
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        const result_1 = materialise_disposeResources(env_1);
        if (result_1)
            await result_1;
    }
}
async function removeEmptyFolders(folder) {
    for (const entry of await (0,promises_.readdir)(folder, { withFileTypes: true })) {
        if (entry.isDirectory())
            await removeEmptyFolders(`${folder}/${entry.name}`);
    }
    await (0,promises_.rmdir)(folder);
}
async function unlinkIfThere(place) {
    try {
        await (0,promises_.unlink)(place);
    }
    catch (error) {
        if (!(0,gateline_error/* isSystemError */.Or)(error, 'ENOENT'))
            throw error;
    }
}
async function inPlace(path, work) {
    try {
        return await work();
    }
    catch (error) {
        if (error instanceof gateline_error/* GatelineError */.Mk)
            throw error;
        throw new gateline_error/* GatelineError */.Mk('platform', 'FILE_NOT_WRITTEN', `${path} could not be brought to where a gate left it: ${(0,gateline_error/* messageOf */.bD)(error)}`, {
            hint: 'Check permissions and free space, then run again: files that were done are left alone.',
            cause: error,
        });
    }
}
function missing(path, why) {
    return new gateline_error/* GatelineError */.Mk('platform', 'CONTENT_MISSING', `${path} cannot be brought to where a gate left it: ${why}.`, {
        hint: 'Run the gate that left it again.',
    });
}

;// CONCATENATED MODULE: ./build/workspace/read-text.js
var read_text_addDisposableResource = (undefined && undefined.__addDisposableResource) || function (env, value, async) {
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
var read_text_disposeResources = (undefined && undefined.__disposeResources) || (function (SuppressedError) {
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




const LARGEST = 16 * 1_024 ** 2;
/**
 * A file of the workspace as text; see `Workspace.readText`. A byte order mark is dropped.
 * @throws GatelineError `PATH_ESCAPES` when it lies outside or a link leads there; `FILE_UNREADABLE` when it is no
 *   plain file or may not be read; `FILE_TOO_LARGE` over 16 MiB; `FILE_NOT_UTF8`.
 */
async function readText(root, path) {
    const place = await realPlace(root, path);
    if (place === undefined)
        return undefined;
    try {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const file = read_text_addDisposableResource(env_1, await openToRead(place), true);
            const stats = await file.stat();
            if (!stats.isFile())
                throw unreadable(path, 'it is no plain file');
            const bytes = stats.size > LARGEST ? undefined : await file.readFile();
            if (bytes === undefined || bytes.length > LARGEST) {
                throw new gateline_error/* GatelineError */.Mk('user', 'FILE_TOO_LARGE', `${path} is larger than 16 MiB.`, {
                    hint: 'Name a smaller file.',
                });
            }
            return decode(path, bytes);
        }
        catch (e_1) {
            env_1.error = e_1;
            env_1.hasError = true;
        }
        finally {
            const result_1 = read_text_disposeResources(env_1);
            if (result_1)
                await result_1;
        }
    }
    catch (error) {
        if (error instanceof gateline_error/* GatelineError */.Mk)
            throw error;
        if ((0,gateline_error/* isSystemError */.Or)(error, 'ENOENT'))
            return undefined;
        throw unreadable(path, (0,gateline_error/* messageOf */.bD)(error), error);
    }
}
async function realPlace(root, path) {
    if (path.includes('\0') || (0,external_node_path_.isAbsolute)(path) || leaves((0,external_node_path_.relative)(root, (0,external_node_path_.join)(root, path))))
        throw escapes(path);
    try {
        const place = await (0,promises_.realpath)((0,external_node_path_.join)(root, path));
        if (leaves((0,external_node_path_.relative)(root, place)))
            throw escapes(path);
        return place;
    }
    catch (error) {
        if (error instanceof gateline_error/* GatelineError */.Mk)
            throw error;
        if ((0,gateline_error/* isSystemError */.Or)(error, 'ENOENT'))
            return undefined;
        throw unreadable(path, (0,gateline_error/* messageOf */.bD)(error), error);
    }
}
function leaves(way) {
    return way === '..' || way.startsWith(`..${external_node_path_.sep}`) || (0,external_node_path_.isAbsolute)(way);
}
function escapes(path) {
    return new gateline_error/* GatelineError */.Mk('user', 'PATH_ESCAPES', `${JSON.stringify(path)} lies outside the workspace.`, {
        hint: 'Name a file inside it; a symbolic link must not lead out either.',
    });
}
function unreadable(path, why, cause) {
    return new gateline_error/* GatelineError */.Mk('user', 'FILE_UNREADABLE', `${path} cannot be read: ${why}.`, {
        hint: 'Name a plain file that you may read.',
        cause,
    });
}
function decode(path, bytes) {
    try {
        return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    }
    catch (error) {
        throw new gateline_error/* GatelineError */.Mk('user', 'FILE_NOT_UTF8', `${path} is not UTF-8.`, {
            hint: 'Save it as UTF-8.',
            cause: error,
        });
    }
}

;// CONCATENATED MODULE: ./build/workspace/select.js

/** Names that a list of globs takes out of a snapshot, ignored ones too where a glob names their place. */
async function namedPaths(snapshot, globs) {
    const generated = await snapshot.generated(globs.prefixes);
    const all = [...new Set([...snapshot.tracked, ...snapshot.untracked, ...generated])].filter((path) => !neverCounts(path));
    const taken = all.filter((path) => snapshot.repositories.has(path) ? globs.matchesRepository(path) : globs.matches(path));
    return { taken, all };
}
/** Tracked files and untracked ones that git does not ignore. */
function visiblePaths(snapshot) {
    return [...snapshot.tracked, ...snapshot.untracked].filter((path) => !neverCounts(path));
}
/** The part of a tree that lies at these paths, sorted by path. */
function treeOf(tree, paths) {
    const picked = paths.toSorted().map((path) => [path, tree.get(path)]);
    return new Map(picked.filter((pair) => pair[1] !== undefined));
}

;// CONCATENATED MODULE: ./build/workspace/open-workspace.js













const MOST_FILES = 10_000;
const MOST_BYTES = 100 * 1_024 ** 2;
/**
 * The files below `root`: as git sees them when `root` lies in a git work tree (it need not be its top), else a
 * plain folder. What git is asked is asked anew by each call; nothing is remembered between them.
 *
 * @param root an existing folder
 * @throws GatelineError `WORKSPACE_MISSING` when it is no folder; `GIT_NOT_FOUND`, `GIT_UNSAFE_DIRECTORY` or `GIT_FAILED`
 *   when there is a repository that git cannot read.
 */
async function openWorkspace(root, options) {
    const place = await realFolder(root);
    const binary = options.git ?? 'git';
    const { environment } = options;
    const repository = await findRepository(place, binary, environment);
    const view = repository === undefined ? openPlainView(place) : openGitView(place, repository, { binary, environment });
    const limits = {
        bytes: options.maxFileBytes ?? MOST_BYTES,
        files: Math.min(options.maxFiles ?? MOST_FILES, MOST_FILES),
    };
    return workspaceOn(place, view, limits);
}
async function realFolder(root) {
    try {
        const place = await (0,promises_.realpath)(root);
        if ((await (0,promises_.stat)(place)).isDirectory())
            return place;
    }
    catch (error) {
        if (!(0,gateline_error/* isSystemError */.Or)(error, 'ENOENT')) {
            throw new gateline_error/* GatelineError */.Mk('platform', 'WORKSPACE_UNREADABLE', `The folder ${root} cannot be opened: ${(0,gateline_error/* messageOf */.bD)(error)}`, {
                hint: 'Check the permissions of the folder and of those above it.',
                cause: error,
            });
        }
    }
    throw new gateline_error/* GatelineError */.Mk('user', 'WORKSPACE_MISSING', `There is no folder ${root}.`, {
        hint: 'Name the folder that your pipeline works on.',
    });
}
function workspaceOn(root, view, limits) {
    const globsOf = rememberGlobs();
    return {
        root,
        inputs: async (globs) => inputs(view, globs === undefined ? undefined : globsOf(globs)),
        counts(globs, path) {
            if (!isRelative(path) || neverCounts(path))
                return false;
            return globs === undefined || globsOf(globs).matches(path);
        },
        baseline: async (files) => standing(root, await view.snapshot(), files === 'changed' ? undefined : globsOf(files)),
        async changesSince(before, files, keep, earlier = {}) {
            const globs = files === 'changed' ? undefined : globsOf(files);
            const snapshot = await view.snapshot();
            const asksForCommit = globs !== undefined || (earlier.made ?? []).length > 0;
            const commit = asksForCommit ? view.committed() : undefined;
            const now = await standing(root, snapshot, globs);
            const looks = { snapshot, lookAgain: () => view.snapshot(), before, earlier, now, committed: await commit };
            return changesSince({ root, ...looks, globs, keep, limits });
        },
        materialise: (changes, copy) => materialise({ root, view }, changes, copy),
        stands: (changes) => stands({ root, view }, changes),
        readText: (path) => readText(root, path),
        committed: (paths) => committed(view, paths),
        branch: () => view.branch(),
    };
}
/** Lists of globs are few and asked for often: each is compiled once. */
function rememberGlobs() {
    const known = new Map();
    return (globs) => {
        const key = JSON.stringify(globs);
        const found = known.get(key) ?? compileGlobs(globs);
        known.set(key, found);
        return found;
    };
}
async function inputs(view, globs) {
    const snapshot = await view.snapshot();
    if (globs === undefined) {
        const tracked = snapshot.tracked.filter((path) => !neverCounts(path));
        return { files: withoutSpecial(treeOf(await snapshot.resolve(tracked), tracked)), unmatched: [] };
    }
    const { taken, all } = await namedPaths(snapshot, globs);
    // A glob may take files of which none stands (deleted ones): it then matched nothing.
    const present = await snapshot.resolve(taken);
    const files = withoutSpecial(treeOf(present, taken));
    const gone = new Set(taken.filter((path) => !files.has(path)));
    return {
        files,
        unmatched: globs.unmatched(all.filter((path) => !gone.has(path)), snapshot.repositories),
    };
}
async function committed(view, paths) {
    const commit = await view.committed();
    return new Map(commit === undefined ? [] : paths.map((path) => [path, commit.get(path) ?? null]));
}
function withoutSpecial(tree) {
    return new Map([...tree].filter(([, { mode }]) => mode !== SPECIAL_MODE));
}
async function standing(root, snapshot, globs) {
    const visible = visiblePaths(snapshot);
    const named = globs === undefined ? [] : (await namedPaths(snapshot, globs)).taken;
    const all = await snapshot.resolve(new Set([...visible, ...named]));
    return { tree: treeOf(all, visible), named: treeOf(all, named), stamps: stampsOf(root, named) };
}


/***/ })

};
