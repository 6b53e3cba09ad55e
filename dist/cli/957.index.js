export const id = 957;
export const ids = [957];
export const modules = {

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

/***/ 2957:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  execute: () => (/* binding */ execute)
});

// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./build/errors/gateline-error.js
var gateline_error = __webpack_require__(7974);
// EXTERNAL MODULE: ./build/pipeline/problem.js
var problem = __webpack_require__(9328);
// EXTERNAL MODULE: ./build/cli/command.js
var command = __webpack_require__(3192);
// EXTERNAL MODULE: ./build/cli/exit-codes.js
var exit_codes = __webpack_require__(5158);
// EXTERNAL MODULE: ./build/cli/print-json.js + 1 modules
var print_json = __webpack_require__(3174);
;// CONCATENATED MODULE: ./build/cli/templates/agents.js
const schema = (required, properties) => `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ${JSON.stringify(required)},
  "properties": ${properties}
}
`;
/** Design, implement, review, verify: the chain that most teams start with. */
const AGENTS = {
    name: 'agents',
    summary: 'design, implement, review and verify, with a schema for each',
    files: {
        'gateline.yml': `# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
pipeline: agents
metadata:
  task: Say hello
gates:
  design:
    agent: Designer
    run: sh agents/design.sh
    shell: sh
    inputs: [agents/design.sh]
    output:
      schema: schemas/design.schema.json
      score: /score
      threshold: 70
      exports: /steps
  implement:
    agent: Implementer
    needs: design
    run: sh agents/implement.sh
    shell: sh
    inputs: [agents/implement.sh]
    files: [hello.txt]
    retries: 1
    output:
      schema: schemas/implement.schema.json
  review:
    agent: Reviewer
    needs: implement
    run: sh agents/review.sh
    shell: sh
    inputs: [agents/review.sh, hello.txt]
    output:
      schema: schemas/review.schema.json
      checks:
        - output.critical == 0
  verify:
    agent: Verifier
    needs: [implement, review]
    run: sh agents/verify.sh
    shell: sh
    inputs: [agents/verify.sh, hello.txt]
    output:
      schema: schemas/verify.schema.json
      checks:
        - output.passed
`,
        'agents/design.sh': `# Replace this by the agent that designs. What it may use is in the file $GATELINE_REQUEST.
printf '{"steps": ["write hello.txt"], "score": 90}' > "$GATELINE_OUTPUT"
`,
        'agents/implement.sh': `# Replace this by the agent that implements. On a retry, $GATELINE_FEEDBACK tells what was wrong.
echo hello > hello.txt
printf '{"changed": ["hello.txt"]}' > "$GATELINE_OUTPUT"
`,
        'agents/review.sh': `# Replace this by the agent that reviews.
if grep -q hello hello.txt; then critical=0; else critical=1; fi
printf '{"critical": %s, "comments": []}' "$critical" > "$GATELINE_OUTPUT"
`,
        'agents/verify.sh': `# Replace this by the command that verifies.
if [ "$(cat hello.txt)" = hello ]; then passed=true; else passed=false; fi
printf '{"passed": %s}' "$passed" > "$GATELINE_OUTPUT"
`,
        'schemas/design.schema.json': schema(['steps', 'score'], '{ "steps": { "type": "array", "minItems": 1, "items": { "type": "string" } }, "score": { "type": "number" } }'),
        'schemas/implement.schema.json': schema(['changed'], '{ "changed": { "type": "array", "items": { "type": "string" } } }'),
        'schemas/review.schema.json': schema(['critical', 'comments'], '{ "critical": { "type": "integer" }, "comments": { "type": "array", "items": { "type": "string" } } }'),
        'schemas/verify.schema.json': schema(['passed'], '{ "passed": { "type": "boolean" } }'),
    },
};

;// CONCATENATED MODULE: ./build/cli/templates/single.js
/** The smallest pipeline: one gate, its contract in the file. */
const SINGLE = {
    name: 'single',
    summary: 'one gate with an inline contract',
    files: {
        'gateline.yml': `# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
pipeline: single
gates:
  summarise:
    # Replace this by your agent. It reads $GATELINE_REQUEST and writes JSON to $GATELINE_OUTPUT.
    run: |
      printf '{"summary": "nothing yet", "score": 90}' > "$GATELINE_OUTPUT"
    shell: sh
    # Files that count. None here; without this line, all of them do.
    inputs: []
    output:
      schema:
        type: object
        required: [summary, score]
        properties:
          summary: { type: string, minLength: 1 }
          score: { type: number }
      score: /score
      threshold: 80
`,
    },
};

;// CONCATENATED MODULE: ./build/cli/templates/templates.js


/** What `gateline init --template` knows; a test runs each of them. */
const TEMPLATES = [AGENTS, SINGLE];

;// CONCATENATED MODULE: ./build/cli/commands/init.js








/** `gateline init`: writes a pipeline to start from. Never writes over a file. */
async function execute({ world, options }) {
    if (options['list']) {
        const templates = TEMPLATES.map(({ name, summary }) => ({ name, summary }));
        if (options['json'])
            (0,print_json/* printJson */.Q)(world, { format: 'gateline-templates/1', templates });
        else
            for (const { name, summary } of templates)
                world.out.write(`${name.padEnd(10)} ${summary}\n`);
        return exit_codes/* EXIT_CODES */.a.ok;
    }
    const template = templateNamed((0,command/* textOption */.vU)(options, 'template') ?? TEMPLATES[0].name);
    const files = Object.keys(template.files);
    const written = options['dry-run'] !== true;
    await refuseExisting(world.workingDirectory, files);
    if (written)
        for (const path of files)
            await writeNew((0,external_node_path_.join)(world.workingDirectory, path), template.files[path]);
    if (options['json']) {
        (0,print_json/* printJson */.Q)(world, { format: 'gateline-init/1', template: template.name, written, files });
        return exit_codes/* EXIT_CODES */.a.ok;
    }
    for (const path of files)
        world.out.write(`${written ? 'wrote' : 'would write'} ${path}\n`);
    if (written)
        world.out.write('\nNext: `gateline plan` tells what would run, `gateline run` runs it.\n');
    return exit_codes/* EXIT_CODES */.a.ok;
}
function templateNamed(name) {
    const found = TEMPLATES.find((template) => template.name === name);
    if (found !== undefined)
        return found;
    const names = TEMPLATES.map((template) => template.name);
    const meant = (0,problem/* didYouMean */.au)(name, names);
    const suggestion = meant === undefined ? '' : `; ${meant}`;
    throw new gateline_error/* GatelineError */.Mk('user', 'TEMPLATE_UNKNOWN', `there is no template ${name}${suggestion}`, {
        hint: `Templates: ${names.join(', ')}.`,
    });
}
async function refuseExisting(folder, paths) {
    const existing = [];
    for (const path of paths)
        if (await exists((0,external_node_path_.join)(folder, path)))
            existing.push(path);
    if (existing.length === 0)
        return;
    throw new gateline_error/* GatelineError */.Mk('user', 'FILE_EXISTS', `${existing.join(', ')}: there already; nothing was written`, {
        hint: 'Work in another folder, or move them away.',
    });
}
async function exists(path) {
    try {
        await (0,promises_.lstat)(path);
        return true;
    }
    catch (error) {
        if ((0,gateline_error/* isSystemError */.Or)(error, 'ENOENT'))
            return false;
        throw new gateline_error/* GatelineError */.Mk('platform', 'FILE_UNREADABLE', `${path} cannot be looked at: ${(0,gateline_error/* messageOf */.bD)(error)}`, {
            hint: 'Check what stands in its way and who owns it.',
            cause: error,
        });
    }
}
async function writeNew(path, text) {
    try {
        await (0,promises_.mkdir)((0,external_node_path_.dirname)(path), { recursive: true });
        await (0,promises_.writeFile)(path, text, { flag: 'wx' });
    }
    catch (cause) {
        throw new gateline_error/* GatelineError */.Mk('platform', 'FILE_UNWRITABLE', `${path} cannot be written: ${(0,gateline_error/* messageOf */.bD)(cause)}`, {
            hint: 'Check free space, and who owns the folder.',
            cause,
        });
    }
}


/***/ })

};
