#!/usr/bin/env node
import { createRequire as __WEBPACK_EXTERNAL_createRequire } from "module";
/******/ var __webpack_modules__ = ({

/***/ 1916:
/***/ ((__unused_webpack_module, exports) => {

var __webpack_unused_export__;

__webpack_unused_export__ = true;
exports.Io = exports.kp = void 0;
var peq = new Uint32Array(0x10000);
var myers_32 = function (a, b) {
    var n = a.length;
    var m = b.length;
    var lst = 1 << (n - 1);
    var pv = -1;
    var mv = 0;
    var sc = n;
    var i = n;
    while (i--) {
        peq[a.charCodeAt(i)] |= 1 << i;
    }
    for (i = 0; i < m; i++) {
        var eq = peq[b.charCodeAt(i)];
        var xv = eq | mv;
        eq |= ((eq & pv) + pv) ^ pv;
        mv |= ~(eq | pv);
        pv &= eq;
        if (mv & lst) {
            sc++;
        }
        if (pv & lst) {
            sc--;
        }
        mv = (mv << 1) | 1;
        pv = (pv << 1) | ~(xv | mv);
        mv &= xv;
    }
    i = n;
    while (i--) {
        peq[a.charCodeAt(i)] = 0;
    }
    return sc;
};
var myers_x = function (b, a) {
    var n = a.length;
    var m = b.length;
    var mhc = [];
    var phc = [];
    var hsize = Math.ceil(n / 32);
    var vsize = Math.ceil(m / 32);
    for (var i = 0; i < hsize; i++) {
        phc[i] = -1;
        mhc[i] = 0;
    }
    var j = 0;
    for (; j < vsize - 1; j++) {
        var mv_1 = 0;
        var pv_1 = -1;
        var start_1 = j * 32;
        var vlen_1 = Math.min(32, m) + start_1;
        for (var k = start_1; k < vlen_1; k++) {
            peq[b.charCodeAt(k)] |= 1 << k;
        }
        for (var i = 0; i < n; i++) {
            var eq = peq[a.charCodeAt(i)];
            var pb = (phc[(i / 32) | 0] >>> i) & 1;
            var mb = (mhc[(i / 32) | 0] >>> i) & 1;
            var xv = eq | mv_1;
            var xh = ((((eq | mb) & pv_1) + pv_1) ^ pv_1) | eq | mb;
            var ph = mv_1 | ~(xh | pv_1);
            var mh = pv_1 & xh;
            if ((ph >>> 31) ^ pb) {
                phc[(i / 32) | 0] ^= 1 << i;
            }
            if ((mh >>> 31) ^ mb) {
                mhc[(i / 32) | 0] ^= 1 << i;
            }
            ph = (ph << 1) | pb;
            mh = (mh << 1) | mb;
            pv_1 = mh | ~(xv | ph);
            mv_1 = ph & xv;
        }
        for (var k = start_1; k < vlen_1; k++) {
            peq[b.charCodeAt(k)] = 0;
        }
    }
    var mv = 0;
    var pv = -1;
    var start = j * 32;
    var vlen = Math.min(32, m - start) + start;
    for (var k = start; k < vlen; k++) {
        peq[b.charCodeAt(k)] |= 1 << k;
    }
    var score = m;
    for (var i = 0; i < n; i++) {
        var eq = peq[a.charCodeAt(i)];
        var pb = (phc[(i / 32) | 0] >>> i) & 1;
        var mb = (mhc[(i / 32) | 0] >>> i) & 1;
        var xv = eq | mv;
        var xh = ((((eq | mb) & pv) + pv) ^ pv) | eq | mb;
        var ph = mv | ~(xh | pv);
        var mh = pv & xh;
        score += (ph >>> (m - 1)) & 1;
        score -= (mh >>> (m - 1)) & 1;
        if ((ph >>> 31) ^ pb) {
            phc[(i / 32) | 0] ^= 1 << i;
        }
        if ((mh >>> 31) ^ mb) {
            mhc[(i / 32) | 0] ^= 1 << i;
        }
        ph = (ph << 1) | pb;
        mh = (mh << 1) | mb;
        pv = mh | ~(xv | ph);
        mv = ph & xv;
    }
    for (var k = start; k < vlen; k++) {
        peq[b.charCodeAt(k)] = 0;
    }
    return score;
};
var distance = function (a, b) {
    if (a.length < b.length) {
        var tmp = b;
        b = a;
        a = tmp;
    }
    if (b.length === 0) {
        return a.length;
    }
    if (a.length <= 32) {
        return myers_32(a, b);
    }
    return myers_x(a, b);
};
exports.Io = distance;
var closest = function (str, arr) {
    var min_distance = Infinity;
    var min_index = 0;
    for (var i = 0; i < arr.length; i++) {
        var dist = distance(str, arr[i]);
        if (dist < min_distance) {
            min_distance = dist;
            min_index = i;
        }
    }
    return arr[min_index];
};
exports.kp = closest;


/***/ }),

/***/ 181:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("buffer");

/***/ }),

/***/ 4573:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:buffer");

/***/ }),

/***/ 1421:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:child_process");

/***/ }),

/***/ 7598:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:crypto");

/***/ }),

/***/ 8474:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:events");

/***/ }),

/***/ 3024:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:fs");

/***/ }),

/***/ 1455:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:fs/promises");

/***/ }),

/***/ 8161:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:os");

/***/ }),

/***/ 6760:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:path");

/***/ }),

/***/ 1708:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:process");

/***/ }),

/***/ 8500:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:timers/promises");

/***/ }),

/***/ 3136:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:url");

/***/ }),

/***/ 7975:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:util");

/***/ }),

/***/ 932:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("process");

/***/ }),

/***/ 5158:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   S: () => (/* binding */ EXIT_MEANINGS),
/* harmony export */   a: () => (/* binding */ EXIT_CODES)
/* harmony export */ });
/**
 * Exit codes of `gateline`, documented in docs/reference/cli.md. Those above 63 follow sysexits.h, where it has
 * one that fits.
 */
const EXIT_CODES = {
    ok: 0,
    gateFailed: 1,
    usage: 2,
    paused: 3,
    internal: 70,
    platform: 74,
    busy: 75,
    interrupted: 130,
};
/** What each exit code says: in a few words for help, in full for the reference. */
const EXIT_MEANINGS = {
    ok: { short: 'done', long: 'Everything that was asked for is done. With `--gate`, that is those gates.' },
    gateFailed: {
        short: 'a gate failed',
        long: 'A gate failed, is partial, lost or blocked. Mend it and run the same command again.',
    },
    usage: {
        short: 'the definition, an option or an input is wrong',
        long: 'The definition, an option or an input is wrong. Nothing was run, or not all.',
    },
    paused: {
        short: 'waiting',
        long: 'The run waits: for an approval, or for an agent that runs by itself (`gateline begin`).',
    },
    internal: { short: 'a bug', long: 'A bug of Gateline (EX_SOFTWARE). Please report what was printed.' },
    platform: {
        short: 'disk or git failed',
        long: 'Disk, git or another service failed (EX_IOERR). What was recorded before stays.',
    },
    busy: {
        short: 'somebody else is at work',
        long: 'Another engine holds the workspace, or a gate is claimed (EX_TEMPFAIL). Try again later.',
    },
    interrupted: {
        short: 'interrupted',
        long: 'Ended by Ctrl-C, SIGTERM or SIGHUP, after the agents were ended and recorded. The run can go on.',
    },
};


/***/ }),

/***/ 9713:
/***/ ((__webpack_module__, __unused_webpack___webpack_exports__, __nccwpck_require__) => {

__nccwpck_require__.a(__webpack_module__, async (__webpack_handle_async_dependencies__, __webpack_async_result__) => { try {
/* harmony import */ var _main_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(9687);
/* harmony import */ var _node_version_js__WEBPACK_IMPORTED_MODULE_4__ = __nccwpck_require__(9792);
/* harmony import */ var _process_world_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(6781);
/* harmony import */ var _report_error_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(9980);
/* harmony import */ var _exit_codes_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(5158);





const tooOld = (0,_node_version_js__WEBPACK_IMPORTED_MODULE_4__/* .nodeTooOld */ .u)(process.versions.node);
if (tooOld === undefined) {
    const world = (0,_process_world_js__WEBPACK_IMPORTED_MODULE_1__/* .processWorld */ .m)(process.env);
    (0,_process_world_js__WEBPACK_IMPORTED_MODULE_1__/* .onUncaught */ .n)((error) => (0,_report_error_js__WEBPACK_IMPORTED_MODULE_2__/* .reportError */ .N7)(world, error));
    process.exitCode = await (0,_main_js__WEBPACK_IMPORTED_MODULE_0__/* .main */ .i)(world);
}
else {
    process.stderr.write(tooOld);
    process.exitCode = _exit_codes_js__WEBPACK_IMPORTED_MODULE_3__/* .EXIT_CODES */ .a.usage;
}

__webpack_async_result__();
} catch(e) { __webpack_async_result__(e); } }, 1);

/***/ }),

/***/ 9687:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  i: () => (/* binding */ main)
});

// EXTERNAL MODULE: ./build/errors/gateline-error.js
var gateline_error = __nccwpck_require__(7974);
// EXTERNAL MODULE: ./build/pipeline/problem.js
var problem = __nccwpck_require__(9328);
;// CONCATENATED MODULE: ./build/version.js
/** Version of this package; a test holds it equal to package.json. */
const VERSION = '0.1.0';

// EXTERNAL MODULE: external "node:util"
var external_node_util_ = __nccwpck_require__(7975);
;// CONCATENATED MODULE: ./build/cli/arguments.js



/** @throws GatelineError `OPTION_UNKNOWN`, `OPTION_VALUE`, `ARGUMENT_MISSING`, `ARGUMENT_UNEXPECTED` */
function parseArguments(command, args) {
    const config = { args: [...args], options: configOf(command), allowPositionals: true, strict: false };
    const { values, positionals, tokens } = (0,external_node_util_.parseArgs)({ ...config, tokens: true });
    for (const token of tokens)
        if (token.kind === 'option')
            refuseWrong(command, token);
    const required = command.positionals.filter((one) => one.required).length;
    if (positionals.length < required) {
        const names = command.positionals.slice(positionals.length, required).map((one) => one.name);
        throw wrong(command, 'ARGUMENT_MISSING', `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} missing`);
    }
    if (positionals.length > command.positionals.length) {
        throw wrong(command, 'ARGUMENT_UNEXPECTED', `${positionals[command.positionals.length]} is one argument too many`);
    }
    return { options: values, positionals };
}
function configOf(command) {
    return Object.fromEntries(command.options.map((option) => [
        option.name,
        {
            type: option.value === undefined ? 'boolean' : 'string',
            ...(option.short !== undefined && { short: option.short }),
            ...(option.multiple && { multiple: true }),
        },
    ]));
}
function refuseWrong(command, { name, rawName, value, inlineValue }) {
    const option = command.options.find((one) => one.name === name);
    if (option === undefined) {
        const names = command.options.map((one) => `--${one.name}`);
        const meant = rawName.startsWith('--') ? (0,problem/* didYouMean */.au)(rawName, names) : undefined;
        throw wrong(command, 'OPTION_UNKNOWN', `there is no option ${rawName}${meant === undefined ? '' : `; ${meant}`}`);
    }
    if (option.value === undefined && value !== undefined) {
        throw wrong(command, 'OPTION_VALUE', `${rawName} takes no value`);
    }
    // Of `--subject --quiet`, a missing value is likelier than a strange one.
    const isOption = value !== undefined && inlineValue !== true && /^-./.test(value);
    if (option.value !== undefined && (value === undefined || isOption)) {
        throw wrong(command, 'OPTION_VALUE', `${rawName} needs a value: ${spelled(option)}`);
    }
}
function spelled(option) {
    return `--${option.name} ${option.value} (--${option.name}=${option.value} where it begins with a dash)`;
}
function wrong(command, code, message) {
    return new gateline_error/* GatelineError */.Mk('user', code, `gateline ${command.name}: ${message}`, {
        hint: `\`gateline help ${command.name}\` tells what it takes.`,
    });
}

;// CONCATENATED MODULE: ./build/cli/options.js
/** Options that say what to work on; every command that looks at a run takes them. */
const SUBJECT_OPTIONS = [
    { name: 'file', short: 'f', value: 'FILE', help: 'the definition (default: gateline.yml here or above)' },
    {
        name: 'subject',
        short: 's',
        value: 'TEXT',
        help: "what the run is about (default: the file's subject, else the branch)",
    },
];
/** Options that say what agents are given. */
const INPUT_OPTIONS = [
    {
        name: 'input',
        short: 'i',
        value: 'FILE',
        help: "JSON file with the caller's input, for every gate; - for standard input",
    },
    {
        name: 'metadata',
        short: 'm',
        value: 'KEY=VALUE',
        multiple: true,
        help: "lay a value over the file's metadata; VALUE is JSON or plain text",
    },
];

;// CONCATENATED MODULE: ./build/cli/commands.js

const JSON_OPTION = {
    name: 'json',
    help: 'one JSON document on standard output (docs/reference/json-output.md)',
};
const STAND_IN = {
    name: 'stand-in',
    help: 'where a need has no output yet, run all the same: the agent takes what it needs from --input',
};
const RUN_OPTION = { name: 'run', value: 'N', help: 'an earlier run (default: the newest)' };
const ACTOR = { name: 'actor', value: 'NAME', help: "who decides (default: your account's name)" };
/** Every command, in the order in which help lists them. */
const COMMANDS = [
    {
        name: 'init',
        summary: 'write a pipeline to start from',
        positionals: [],
        options: [
            { name: 'template', short: 't', value: 'NAME', help: 'which one (default: agents)' },
            { name: 'list', help: 'list the templates' },
            { name: 'dry-run', short: 'n', help: 'only say what would be written' },
            JSON_OPTION,
        ],
        description: 'Writes gateline.yml and what it needs into this folder. It runs as it is, with placeholders for agents; nothing that exists is written over.',
        examples: [{ command: 'gateline init --template single', what: 'one gate, contract and all in one file' }],
        load: () => __nccwpck_require__.e(/* import() */ 957).then(__nccwpck_require__.bind(__nccwpck_require__, 2957)),
    },
    {
        name: 'validate',
        summary: 'check the definition and every contract',
        positionals: [],
        options: [SUBJECT_OPTIONS[0], JSON_OPTION],
        description: 'Tells everything that is wrong at once, with file, line and column, a code, and what to do. Runs nothing.',
        examples: [{ command: 'gateline validate --file other.yml', what: 'check another definition' }],
        load: () => Promise.all(/* import() */[__nccwpck_require__.e(134), __nccwpck_require__.e(831), __nccwpck_require__.e(904)]).then(__nccwpck_require__.bind(__nccwpck_require__, 8904)),
    },
    {
        name: 'plan',
        summary: 'say what a run would do, and why',
        positionals: [],
        options: [...SUBJECT_OPTIONS, ...INPUT_OPTIONS, STAND_IN, JSON_OPTION],
        description: 'For each gate: keep, reuse, run, skip, blocked or depends, with the reason: which file, which variable, which upstream export changed, and where a reused output came from. Writes nothing and starts nothing but the version commands under `tools`.',
        examples: [{ command: 'gateline plan', what: 'the same as gateline run --dry-run' }],
        load: () => Promise.all(/* import() */[__nccwpck_require__.e(134), __nccwpck_require__.e(831), __nccwpck_require__.e(75), __nccwpck_require__.e(494)]).then(__nccwpck_require__.bind(__nccwpck_require__, 9286)),
    },
    {
        name: 'run',
        summary: 'run the pipeline, or go on with a run that stopped',
        positionals: [],
        options: [
            ...SUBJECT_OPTIONS,
            ...INPUT_OPTIONS,
            {
                name: 'gate',
                short: 'g',
                value: 'GATE',
                multiple: true,
                help: 'run only these gates; others are reused where they still hold',
            },
            STAND_IN,
            { name: 'force', value: 'GATE', multiple: true, help: 'run this gate again although nothing changed' },
            { name: 'reason', value: 'TEXT', help: 'why, for --force' },
            ACTOR,
            { name: 'dry-run', short: 'n', help: 'only say what would be done' },
            { name: 'quiet', short: 'q', help: 'no agent output and no checkpoints' },
            JSON_OPTION,
        ],
        description: 'Runs every gate whose needs are satisfied, side by side where they do not need each other, checks each output against its contract, and keeps everything below .state/.\nA run stays open until it is completed: after a failure, a crash or Ctrl-C, run it again and it goes on from what is ready, and says why each gate is reused or run. Once completed, the next call begins a new run, which reuses what still holds.',
        examples: [
            { command: 'gateline run', what: 'run, or go on' },
            { command: 'gateline run --subject pr-42 --input story.json', what: 'another subject, with input from a file' },
            {
                command: 'gateline run --force review --reason "new model"',
                what: 'run review again, and what depends on it if it says something else',
            },
        ],
        load: () => Promise.all(/* import() */[__nccwpck_require__.e(134), __nccwpck_require__.e(831), __nccwpck_require__.e(943), __nccwpck_require__.e(75), __nccwpck_require__.e(643)]).then(__nccwpck_require__.bind(__nccwpck_require__, 643)),
    },
    {
        name: 'begin',
        summary: 'begin a gate for an agent that runs by itself',
        positionals: [{ name: 'GATE', required: true, help: 'the gate, or gate/leg' }],
        options: [...SUBJECT_OPTIONS, ...INPUT_OPTIONS, STAND_IN, JSON_OPTION],
        description: "Loads and checks what the gate needs, claims it, writes its request, and prints the variables of the agent protocol as shell commands, for eval. The claim holds for the gate's timeout.\nIf an earlier output still holds there is nothing to do: then GATELINE_TOKEN is unset. If it cannot begin, what is printed ends the eval with begin's exit code.",
        examples: [
            {
                command: `eval "$(gateline begin design)" && [ -n "\${GATELINE_TOKEN:-}" ] && { my-agent; gateline complete --exit-code $?; }`,
                what: 'wrap any command that reads $GATELINE_REQUEST and writes $GATELINE_OUTPUT',
            },
        ],
        load: () => Promise.all(/* import() */[__nccwpck_require__.e(134), __nccwpck_require__.e(831), __nccwpck_require__.e(943), __nccwpck_require__.e(75), __nccwpck_require__.e(714)]).then(__nccwpck_require__.bind(__nccwpck_require__, 2714)),
    },
    {
        name: 'complete',
        summary: 'complete a gate that was begun',
        positionals: [],
        options: [
            SUBJECT_OPTIONS[0],
            { name: 'token', value: 'TOKEN', help: 'what begin printed (default: $GATELINE_TOKEN)' },
            { name: 'exit-code', value: 'N', help: 'how the agent ended (default: 0)' },
            JSON_OPTION,
        ],
        description: 'Judges what the agent wrote by the contract as it was when the gate was begun, and records what it came to.',
        examples: [
            { command: 'gateline complete --exit-code $?', what: 'also when the agent failed: the failure is recorded' },
        ],
        load: () => Promise.all(/* import() */[__nccwpck_require__.e(134), __nccwpck_require__.e(831), __nccwpck_require__.e(943), __nccwpck_require__.e(819)]).then(__nccwpck_require__.bind(__nccwpck_require__, 819)),
    },
    {
        name: 'status',
        summary: 'tell how far the run is',
        positionals: [],
        options: [
            ...SUBJECT_OPTIONS,
            RUN_OPTION,
            { name: 'subjects', help: 'list the subjects that there are runs of' },
            JSON_OPTION,
        ],
        description: "The state of every gate in the subject's newest run, derived from its records, and what to do next.",
        examples: [{ command: 'gateline status --json', what: 'for programs' }],
        load: () => Promise.all(/* import() */[__nccwpck_require__.e(134), __nccwpck_require__.e(831), __nccwpck_require__.e(180)]).then(__nccwpck_require__.bind(__nccwpck_require__, 6180)),
    },
    {
        name: 'show',
        summary: 'show what is kept of a gate',
        positionals: [
            { name: 'GATE', required: true, help: 'the gate, or gate/leg' },
            {
                name: 'PART',
                required: false,
                help: 'verdict (default), request, output, exports, record, stdout, stderr, learnings, contract',
            },
        ],
        options: [...SUBJECT_OPTIONS, RUN_OPTION, JSON_OPTION],
        description: "Everything that is kept of a gate's latest attempt: what it was asked, what it answered, and what was thought of it.",
        examples: [
            { command: 'gateline show review', what: 'why it failed, and what to do' },
            { command: 'gateline show review request', what: 'what the agent was given' },
        ],
        load: () => Promise.all(/* import() */[__nccwpck_require__.e(134), __nccwpck_require__.e(831), __nccwpck_require__.e(71)]).then(__nccwpck_require__.bind(__nccwpck_require__, 4071)),
    },
    {
        name: 'decide',
        summary: 'approve, reject, skip or force a gate',
        positionals: [
            { name: 'DECISION', required: true, help: 'approve, reject, skip or force' },
            { name: 'GATE', required: true, help: 'the gate, or gate/leg' },
        ],
        options: [
            ...SUBJECT_OPTIONS,
            { name: 'reason', value: 'TEXT', help: 'why; required, shown everywhere' },
            ACTOR,
            { name: 'until', value: 'TIME', help: 'approve and skip end to count then (ISO 8601)' },
            { name: 'output', value: 'FILE', help: 'with skip: the output for later gates; it must meet the contract' },
            JSON_OPTION,
        ],
        description: "Records a person's word about a gate. It counts for what happened before it; gateline run goes on from there.",
        examples: [
            {
                command: 'gateline decide approve review --reason "score is low for a known reason"',
                what: 'let a paused gate pass',
            },
        ],
        load: () => Promise.all(/* import() */[__nccwpck_require__.e(134), __nccwpck_require__.e(831), __nccwpck_require__.e(943), __nccwpck_require__.e(75), __nccwpck_require__.e(643), __nccwpck_require__.e(874)]).then(__nccwpck_require__.bind(__nccwpck_require__, 6874)),
    },
];

// EXTERNAL MODULE: ./build/cli/exit-codes.js
var exit_codes = __nccwpck_require__(5158);
;// CONCATENATED MODULE: ./build/cli/help.js

const WIDTH = 100;
/** `gateline help`: what it is for, the commands, and how one begins. */
function overview(commands) {
    const longest = Math.max(...commands.map((command) => command.name.length));
    return [
        'gateline: a chain of agent gates, each output checked before the next one starts,',
        'and a failed run goes on from where it stopped.',
        '',
        'Commands:',
        ...commands.map((command) => `  ${command.name.padEnd(longest)}  ${command.summary}`),
        '',
        'How to begin:',
        '  gateline init           writes a pipeline of four gates that runs as it is',
        '  gateline run            runs it; run it again after a failure, and it goes on from there',
        '  gateline status         tells how far it is; gateline show GATE tells why',
        '',
        'gateline help COMMAND tells all about one of them. Everything is kept below .state/.',
        '',
    ].join('\n');
}
/** `gateline help COMMAND`. */
function commandHelp(command) {
    const usage = [
        'gateline',
        command.name,
        ...command.positionals.map((one) => (one.required ? one.name : `[${one.name}]`)),
        '[options]',
    ];
    const rows = [
        ...command.positionals.map((one) => [one.name, one.help]),
        ...command.options.map((option) => [spell(option), option.help]),
    ];
    const longest = Math.max(0, ...rows.map(([left]) => left.length));
    return [
        usage.join(' '),
        '',
        ...wrap(command.description, ''),
        ...(rows.length > 0 ? ['', 'Options:', ...rows.flatMap(([left, right]) => row(left, right, longest))] : []),
        ...(command.examples.length > 0
            ? ['', 'Examples:', ...command.examples.flatMap((example) => [`  ${example.command}`, `      ${example.what}`])]
            : []),
        '',
        ...wrap(`Exit codes: ${exitCodes()}.`, ''),
        '',
    ].join('\n');
}
function exitCodes() {
    return Object.entries(exit_codes/* EXIT_CODES */.a)
        .map(([name, code]) => `${code} ${exit_codes/* EXIT_MEANINGS */.S[name].short}`)
        .join(', ');
}
function spell(option) {
    const short = option.short === undefined ? '    ' : `-${option.short}, `;
    return `${short}--${option.name}${option.value === undefined ? '' : ` ${option.value}`}`;
}
function row(left, right, longest) {
    const [first = '', ...more] = wrap(right, '', WIDTH - longest - 4);
    return [`  ${left.padEnd(longest)}  ${first}`, ...more.map((line) => `  ${' '.repeat(longest)}  ${line}`)];
}
function wrap(text, indent, width = WIDTH) {
    return text.split('\n').flatMap((paragraph) => {
        const lines = [];
        let line = indent;
        for (const word of paragraph.split(' ')) {
            if (line.length + word.length + 1 > width && line.trim() !== '') {
                lines.push(line);
                line = indent;
            }
            line += line === indent ? word : ` ${word}`;
        }
        return [...lines, line];
    });
}

// EXTERNAL MODULE: ./build/cli/report-error.js
var report_error = __nccwpck_require__(9980);
;// CONCATENATED MODULE: ./build/cli/main.js








/** Runs one command line to the end. Never throws; the answer is the exit code. */
async function main(world) {
    try {
        return await dispatch(world);
    }
    catch (error) {
        return (0,report_error/* reportError */.N7)(world, error);
    }
}
async function dispatch(world) {
    const [first, ...rest] = world.arguments;
    if (first === undefined || first === '--help' || first === '-h' || first === 'help')
        return help(world, rest);
    if (first === '--version' || first === '-V') {
        world.out.write(`${VERSION}\n`);
        return exit_codes/* EXIT_CODES */.a.ok;
    }
    const command = commandNamed(first);
    if (rest.includes('--help') || rest.includes('-h')) {
        world.out.write(commandHelp(command));
        return exit_codes/* EXIT_CODES */.a.ok;
    }
    const parsed = parseArguments(command, rest);
    const { execute } = await command.load();
    return execute({ world, ...parsed });
}
function help(world, names) {
    const [name] = names;
    world.out.write(name === undefined || name.startsWith('-') ? overview(COMMANDS) : commandHelp(commandNamed(name)));
    return exit_codes/* EXIT_CODES */.a.ok;
}
function commandNamed(name) {
    const found = COMMANDS.find((command) => command.name === name);
    if (found !== undefined)
        return found;
    if (name.startsWith('-')) {
        throw new gateline_error/* GatelineError */.Mk('user', 'OPTION_UNKNOWN', `there is no option ${name} before a command`, {
            hint: 'Options come after the command: gateline COMMAND [options]. `gateline help` lists the commands.',
        });
    }
    const meant = (0,problem/* didYouMean */.au)(name, COMMANDS.map((command) => command.name));
    const suggestion = meant === undefined ? '' : `; ${meant}`;
    throw new gateline_error/* GatelineError */.Mk('user', 'COMMAND_UNKNOWN', `there is no command ${name}${suggestion}`, {
        hint: '`gateline help` lists them.',
    });
}


/***/ }),

/***/ 9792:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   u: () => (/* binding */ nodeTooOld)
/* harmony export */ });
/* unused harmony export OLDEST_NODE */
/** The oldest major version of Node that has what Gateline is written in. */
const OLDEST_NODE = 22;
/** What to tell somebody whose Node is too old; `undefined` when it is not. @param version as `process.versions.node` */
function nodeTooOld(version) {
    if (Number(version.split('.')[0]) >= OLDEST_NODE)
        return undefined;
    return `gateline: it needs Node ${OLDEST_NODE} or newer, and this is Node ${version}.\n  Install a newer one, or run it through npm in a clone, which brings its own.\n`;
}


/***/ }),

/***/ 3174:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  Q: () => (/* binding */ printJson)
});

;// CONCATENATED MODULE: ./build/report/json-text.js
/** Everything that a terminal may obey or hide and that `JSON.stringify` leaves as it is: DEL, C1 controls, marks and overrides of direction, zero-width characters, separators, tags. */
const UNSEEN = /[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;
/**
 * A value as JSON text for `--json`: two spaces of indentation and a line break at the end. Nothing is lost, but
 * characters that a terminal would obey or not show are written as `\uXXXX`, which every JSON reader gives back.
 */
function jsonText(value) {
    return `${JSON.stringify(value, null, 2).replace(UNSEEN, escaped)}\n`;
}
function escaped(character) {
    let result = '';
    for (let at = 0; at < character.length; at += 1)
        result += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
    return result;
}

;// CONCATENATED MODULE: ./build/cli/print-json.js

/** One JSON document on standard output; docs/reference/json-output.md describes each. */
function printJson(world, value) {
    world.out.write(jsonText(value));
}


/***/ }),

/***/ 6781:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   m: () => (/* binding */ processWorld),
/* harmony export */   n: () => (/* binding */ onUncaught)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(3024);
/* harmony import */ var _environment_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(7853);
/* harmony import */ var _exit_codes_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(5158);



/** The world of the process that the command line runs in. */
function processWorld(environment, durable = {}) {
    const { argv, stdout, stderr } = process;
    return {
        arguments: argv.slice(2),
        environment,
        workingDirectory: process.cwd(),
        out: screenOf(stdout, 1, environment, (why) => void stderr.write(`gateline: OUTPUT_FAILED: ${why}\n`)),
        err: screenOf(stderr, 2, environment, () => undefined),
        readStandardInput,
        now: () => new Date(),
        onInterrupt,
        ...durable,
    };
}
/** The reader went away (`gateline status | head`), or the terminal was closed. No error of ours, and a run goes on. */
const READER_GONE = new Set(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']);
function screenOf(stream, fd, environment, tell) {
    let broken = false;
    const fail = (error) => {
        if (broken)
            return;
        broken = true;
        if (READER_GONE.has(error.code ?? ''))
            return;
        // Whoever reads the file later must not take a part for the whole.
        process.once('exit', () => (process.exitCode = _exit_codes_js__WEBPACK_IMPORTED_MODULE_2__/* .EXIT_CODES */ .a.platform));
        tell(error.message);
    };
    stream.on('error', fail);
    const toFile = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.fstatSync)(fd).isFile();
    const interactive = stream.isTTY &&
        [undefined, '', 'false'].includes(environment[_environment_js__WEBPACK_IMPORTED_MODULE_1__/* .CLI_VARIABLES */ .PM.ci]) &&
        environment[_environment_js__WEBPACK_IMPORTED_MODULE_1__/* .CLI_VARIABLES */ .PM.terminal] !== 'dumb';
    return {
        write: (text) => {
            if (broken)
                return;
            if (toFile)
                writeToFile(fd, text, fail);
            else
                stream.write(text);
        },
        interactive,
        get columns() {
            return stream.columns ?? 0;
        },
        get rows() {
            return stream.rows ?? 0;
        },
    };
}
/** Node's stream for a file loses what a nearly full disk did not take, and says nothing. */
function writeToFile(fd, text, fail) {
    try {
        for (let rest = Buffer.from(text); rest.length > 0;)
            rest = rest.subarray((0,node_fs__WEBPACK_IMPORTED_MODULE_0__.writeSync)(fd, rest));
    }
    catch (error) {
        fail(error);
    }
}
async function readStandardInput() {
    const chunks = [];
    for await (const chunk of process.stdin)
        chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
}
function onInterrupt(listener) {
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals)
        process.on(signal, listener);
    return {
        [Symbol.dispose]: () => {
            for (const signal of signals)
                process.off(signal, listener);
        },
    };
}
/** What nobody caught is a bug: tells it by `report` and ends the process, so that it is never taken for a gate's failure. */
function onUncaught(report) {
    process.on('uncaughtException', (error) => process.exit(report(error)));
}


/***/ }),

/***/ 9980:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   LL: () => (/* binding */ exitCodeOfError),
/* harmony export */   N7: () => (/* binding */ reportError),
/* harmony export */   S6: () => (/* binding */ errorLines),
/* harmony export */   ok: () => (/* binding */ problemJson)
/* harmony export */ });
/* harmony import */ var _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(7974);
/* harmony import */ var _untrusted_escape_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(2854);
/* harmony import */ var _exit_codes_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(5158);
/* harmony import */ var _local_pipeline_invalid_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(2466);
/* harmony import */ var _print_json_js__WEBPACK_IMPORTED_MODULE_4__ = __nccwpck_require__(3174);





/** Tells an error on stderr (as JSON on stdout too with `--json`) and chooses the exit code by whose fault it is. */
function reportError(world, error) {
    const known = error instanceof _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk ? error : undefined;
    if (world.arguments.includes('--json'))
        (0,_print_json_js__WEBPACK_IMPORTED_MODULE_4__/* .printJson */ .Q)(world, errorJson(error));
    if (known === undefined) {
        const stack = error instanceof Error ? (error.stack ?? '') : '';
        world.err.write(`gateline: INTERNAL: ${safe((0,_errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .messageOf */ .bD)(error))}\n${safe(stack)}\nThis is a bug in Gateline. Please report it with the lines above.\n`);
        return _exit_codes_js__WEBPACK_IMPORTED_MODULE_2__/* .EXIT_CODES */ .a.internal;
    }
    for (const line of errorLines(known))
        world.err.write(`${line}\n`);
    return exitCodeOfError(known);
}
/** An error as lines for a terminal: what, where, and what to do. */
function errorLines(error) {
    const { code, message, hint, place } = error;
    const lines = [];
    if (error instanceof _local_pipeline_invalid_js__WEBPACK_IMPORTED_MODULE_3__/* .PipelineInvalidError */ .i)
        lines.push(...safe(message).split('\n'));
    else {
        const where = place?.line === undefined ? '' : `${place.file}:${place.line}:${place.column ?? 1} `;
        lines.push(`gateline: ${safe(where)}${code}: ${safe(message)}`);
        if (where === '' && place !== undefined && !message.includes(place.file))
            lines.push(`  in ${safe(place.file)}${place.pointer === undefined ? '' : ` at ${safe(place.pointer)}`}`);
    }
    return hint === undefined ? lines : [...lines, `  ${safe(hint)}`];
}
/** `gateline-error/1`; see docs/reference/json-output.md. */
function errorJson(error) {
    const known = error instanceof _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk ? error : undefined;
    return {
        format: 'gateline-error/1',
        code: known?.code ?? 'INTERNAL',
        fault: known?.fault ?? 'gateline',
        message: (0,_errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .messageOf */ .bD)(error),
        hint: known?.hint ?? null,
        place: known?.place === undefined ? null : placeJson(known.place),
        problems: error instanceof _local_pipeline_invalid_js__WEBPACK_IMPORTED_MODULE_3__/* .PipelineInvalidError */ .i ? error.problems.map(problemJson) : [],
    };
}
/** A problem of a definition or a contract for programs; `null` stands for what there is not. */
function problemJson(problem) {
    const { severity = 'error', code, message, hint = null, place } = problem;
    return { severity, code, message, hint, place: place === undefined ? null : placeJson(place) };
}
function placeJson({ file, line = null, column = null, pointer = null }) {
    return { file, line, column, pointer };
}
const BUSY = new Set(['ENGINE_BUSY', 'GATE_CLAIMED']);
/** The exit code that an error stands for. */
function exitCodeOfError(error) {
    if (BUSY.has(error.code))
        return _exit_codes_js__WEBPACK_IMPORTED_MODULE_2__/* .EXIT_CODES */ .a.busy;
    switch (error.fault) {
        case 'gateline':
            return _exit_codes_js__WEBPACK_IMPORTED_MODULE_2__/* .EXIT_CODES */ .a.internal;
        case 'platform':
            return _exit_codes_js__WEBPACK_IMPORTED_MODULE_2__/* .EXIT_CODES */ .a.platform;
        case 'agent':
            return _exit_codes_js__WEBPACK_IMPORTED_MODULE_2__/* .EXIT_CODES */ .a.gateFailed;
        case 'user':
            return _exit_codes_js__WEBPACK_IMPORTED_MODULE_2__/* .EXIT_CODES */ .a.usage;
    }
}
/** Messages quote files, options and agents: nothing in them is obeyed by a terminal, and lines stay lines. */
function safe(text) {
    return (0,_untrusted_escape_js__WEBPACK_IMPORTED_MODULE_1__/* .forTerminal */ .Qf)(text).replaceAll('##[', '## [');
}


/***/ }),

/***/ 7853:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   It: () => (/* binding */ AGENT_VARIABLES),
/* harmony export */   PM: () => (/* binding */ CLI_VARIABLES),
/* harmony export */   QE: () => (/* binding */ WITHHELD_FROM_AGENTS),
/* harmony export */   bd: () => (/* binding */ GIT_SETTINGS),
/* harmony export */   iX: () => (/* binding */ KEPT_FOR_GIT)
/* harmony export */ });
/**
 * Every environment variable that Gateline reads or sets, in one place. Nothing else in `src` names one.
 * What the caller's environment holds arrives as an argument; nothing here reads `process.env`.
 */
/** Given to every agent: agent protocol 1, docs/agent-protocol.md. */
const AGENT_VARIABLES = {
    /** File: the request, JSON. */
    request: 'GATELINE_REQUEST',
    /** File to write the output value to, JSON. */
    output: 'GATELINE_OUTPUT',
    /** File to write metrics to, JSON: model, inputTokens, outputTokens, costUsd, tools, mcps. */
    metrics: 'GATELINE_METRICS',
    /** File to write learnings to, JSON or Markdown. */
    learnings: 'GATELINE_LEARNINGS',
    /** File: the verdict on the attempt before, JSON; the variable is not set on a first attempt. */
    feedback: 'GATELINE_FEEDBACK',
    /** Number of this attempt, from 1. */
    attempt: 'GATELINE_ATTEMPT',
    /** Id of the gate, and of its leg where it has one. */
    gate: 'GATELINE_GATE',
    leg: 'GATELINE_LEG',
};
/** Read by the command line. */
const CLI_VARIABLES = {
    /** https://no-color.org: any value turns colours off. */
    noColor: 'NO_COLOR',
    /** Any value turns colours on where there is no terminal. */
    forceColor: 'FORCE_COLOR',
    /** Set by CI systems: plain lines instead of live progress. */
    ci: 'CI',
    /** The claim that `gateline begin` printed, for `gateline complete`. */
    token: 'GATELINE_TOKEN',
    /** `dumb`: no cursor movement, so plain lines. */
    terminal: 'TERM',
    /** Who decides, when `--actor` is not given. */
    user: 'USER',
    windowsUser: 'USERNAME',
};
/** Taken out of what a gate's command inherits: the runner's own, which a `run:` step would not have. */
const WITHHELD_FROM_AGENTS = /^(?:INPUT_.*|STATE_.*|ACTIONS_(?:RUNTIME|RESULTS|CACHE|ID_TOKEN)_.*|GATELINE_.*)$/;
/** Set for git: answers in one language, no lock taken for a mere look, no question on the terminal. */
const GIT_SETTINGS = { LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' };
/**
 * git's own variables that reach it: where settings come from and how far up it looks. All others are taken
 * out, since `GIT_DIR`, `GIT_INDEX_FILE` and the like (set in hooks, for one) would point it at another repository.
 */
const KEPT_FOR_GIT = /^GIT_(?:CONFIG_.*|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH|LFS_.*)$/;


/***/ }),

/***/ 7974:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   Mk: () => (/* binding */ GatelineError),
/* harmony export */   Or: () => (/* binding */ isSystemError),
/* harmony export */   bD: () => (/* binding */ messageOf)
/* harmony export */ });
/**
 * Every error that Gateline throws on purpose. `code` is stable (SCREAMING_SNAKE_CASE) and listed in
 * {@link file://./error-codes.ts}; the message is for people and may change.
 */
class GatelineError extends Error {
    name = 'GatelineError';
    code;
    fault;
    hint;
    place;
    constructor(fault, code, message, details = {}) {
        super(message, details.cause === undefined ? undefined : { cause: details.cause });
        this.fault = fault;
        this.code = code;
        this.hint = details.hint;
        this.place = details.place;
    }
}
/** True for an error of the operating system with that code (`ENOENT`, `EEXIST`, …). */
function isSystemError(error, code) {
    return error instanceof Error && 'code' in error && error.code === code;
}
/** The message of anything that was thrown. */
function messageOf(thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
}


/***/ }),

/***/ 2466:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   i: () => (/* binding */ PipelineInvalidError)
/* harmony export */ });
/* harmony import */ var _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(7974);
/* harmony import */ var _pipeline_problem_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(9328);


/** Definition errors, all of them. Fault `user`, code `PIPELINE_INVALID`; the message is the list, a line each. */
class PipelineInvalidError extends _errors_gateline_error_js__WEBPACK_IMPORTED_MODULE_0__/* .GatelineError */ .Mk {
    problems;
    constructor(problems) {
        super('user', 'PIPELINE_INVALID', problems.map(_pipeline_problem_js__WEBPACK_IMPORTED_MODULE_1__/* .formatProblem */ .Vw).join('\n'), {
            hint: 'Mend these and run again; nothing was run.',
        });
        this.problems = problems;
    }
}


/***/ }),

/***/ 9328:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   Mc: () => (/* binding */ suggester),
/* harmony export */   SP: () => (/* binding */ shown),
/* harmony export */   TL: () => (/* binding */ quoted),
/* harmony export */   Vw: () => (/* binding */ formatProblem),
/* harmony export */   WY: () => (/* binding */ described),
/* harmony export */   al: () => (/* binding */ inOrder),
/* harmony export */   au: () => (/* binding */ didYouMean),
/* harmony export */   pA: () => (/* binding */ nearest)
/* harmony export */ });
/* harmony import */ var fastest_levenshtein__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(1916);
/* harmony import */ var _untrusted_visible_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(8523);


/**
 * A problem as one line of text: ``gateline.yml:12:9 NEED_UNKNOWN needs: `desing`: no such gate; did you mean `design`?``
 * Warnings say so before the code.
 */
function formatProblem(problem) {
    const { place } = problem;
    const where = `${place.file}:${place.line}:${place.column}`;
    const code = problem.severity === 'warning' ? `warning ${problem.code}` : problem.code;
    return `${where} ${code} ${problem.message}${problem.hint === undefined ? '' : `; ${problem.hint}`}`;
}
/** Problems by place, each once. One text reached over two aliases is one problem. */
function inOrder(problems) {
    const seen = new Set();
    const once = problems.filter((problem) => {
        const { line, column } = problem.place;
        const key = `${line}:${column}:${problem.code}:${problem.message}`;
        if (seen.has(key))
            return false;
        seen.add(key);
        return true;
    });
    return once.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column || compare(a.code, b.code));
}
function compare(a, b) {
    return a < b ? -1 : a > b ? 1 : 0;
}
/** Text from the file as a message may show it: at most `limit` characters, nothing hidden, on one line. */
function shown(text, limit = 60) {
    const cut = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
    return (0,_untrusted_visible_js__WEBPACK_IMPORTED_MODULE_1__/* .showUnseen */ .A)(cut).replaceAll('\n', '␊').replaceAll('\t', '␉');
}
/** {@link shown}, in backticks. */
function quoted(text) {
    return `\`${shown(text)}\``;
}
/** What a value is, in words, for "expected …, found …". */
function described(value) {
    if (value === undefined || value === null)
        return 'nothing';
    if (typeof value === 'string')
        return `the text ${JSON.stringify(shown(value, 40))}`;
    if (typeof value === 'number')
        return `the number ${value}`;
    if (typeof value === 'boolean')
        return `\`${value}\``;
    if (Array.isArray(value))
        return value.length === 0 ? 'an empty list' : 'a list';
    return Object.keys(value).length === 0 ? 'an empty map' : 'a map';
}
/** The candidate that was probably meant, if one is near enough; case and `_` for `-` never count. */
function nearest(text, candidates) {
    const plain = (name) => name.toLowerCase().replaceAll('_', '-');
    const wanted = plain(text.slice(0, 80));
    const same = candidates.find((candidate) => plain(candidate) === wanted);
    if (same !== undefined || candidates.length === 0)
        return same;
    const best = (0,fastest_levenshtein__WEBPACK_IMPORTED_MODULE_0__/* .closest */ .kp)(wanted, candidates.map(plain));
    const allowed = Math.max(1, Math.ceil(Math.min(wanted.length, best.length) / 3));
    if ((0,fastest_levenshtein__WEBPACK_IMPORTED_MODULE_0__/* .distance */ .Io)(wanted, best) > allowed)
        return undefined;
    return candidates.find((candidate) => plain(candidate) === best);
}
/** The most suggestions for one list of candidates; each takes time for every candidate. */
const MAX_SUGGESTIONS = 100;
/** {@link didYouMean} for many texts and one list of candidates, each text once; after {@link MAX_SUGGESTIONS} none. */
function suggester(candidates) {
    const known = new Map();
    return (text) => {
        if (!known.has(text)) {
            known.set(text, known.size < MAX_SUGGESTIONS ? didYouMean(text, candidates) : undefined);
        }
        return known.get(text);
    };
}
/** "did you mean `x`?", or nothing. */
function didYouMean(text, candidates) {
    const meant = nearest(text, candidates);
    return meant === undefined ? undefined : `did you mean ${quoted(meant)}?`;
}


/***/ }),

/***/ 2854:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   BO: () => (/* binding */ forMarkdownCell),
/* harmony export */   Bm: () => (/* binding */ forMarkdown),
/* harmony export */   PZ: () => (/* binding */ inlineCodeCell),
/* harmony export */   QY: () => (/* binding */ truncateBytes),
/* harmony export */   Qf: () => (/* binding */ forTerminal),
/* harmony export */   ti: () => (/* binding */ inlineCode)
/* harmony export */ });
/* unused harmony exports codeFence, forHtml, forMermaid */
/* harmony import */ var _visible_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(8523);

/** U+200B. What is put into a mention or a reference so that GitHub does not make it live. */
const BREAK = '\u200b';
/** Everything with a meaning inside a line of GitHub Flavored Markdown, and HTML's own. */
const INLINE_SYNTAX = /[\\`*_[\]<>&$~|]/g;
/** What a line must not begin with: headings, lists, quotes, rules, underlines of headings, rows of tables. */
const LINE_START = /^(?:[#+\-=:]|\d{1,9}(?=[.)]))/;
/**
 * A URL of any scheme, or what GitHub links without one. The scheme is bounded so that a long word costs
 * no more than a short one.
 */
const URL_LIKE = /(?:[a-z][a-z0-9+.-]{0,31}:\/\/|www\.)[^\s<>`|"]+/gi;
/** Punctuation that ends the sentence rather than the URL. */
const AFTER_URL = /[.,;:!?'()[\]*_~]$/;
/** `GH-12`, GitHub's other spelling of `#12`. */
const GH_REFERENCE = /\b(GH-)(?=\d)/gi;
/**
 * Untrusted text as one line of GitHub Flavored Markdown that shows exactly that text and does nothing: no
 * mention, reference, closing keyword, link, image, HTML, comment, emphasis, math, footnote, heading or list.
 * Safe at the start of a line, in a list item, in a heading and in a table cell.
 *
 * Syntax is written as character references (`&#42;`), which cannot become syntax again. Substitutions, beyond
 * those of {@link showUnseen}: white space is trimmed and each run of it becomes one space; URLs become code;
 * U+200B follows `@`, `#` and `GH-`, because GitHub links those after Markdown, where no escape helps; and
 * {@link inlineCode}'s inside a URL. Commit ids stay: GitHub links only those that exist, and tells nobody.
 */
function forMarkdown(text) {
    const line = oneLine((0,_visible_js__WEBPACK_IMPORTED_MODULE_0__/* .showUnseen */ .A)(text)).trim();
    let result = '';
    let from = 0;
    for (const match of line.matchAll(URL_LIKE)) {
        const url = withoutTrailing(match[0]);
        if (url.length < 5)
            continue;
        result += prose(line.slice(from, match.index), from === 0) + inlineCode(url);
        from = match.index + url.length;
    }
    return result + prose(line.slice(from), from === 0);
}
/** {@link forMarkdown} for a cell of a table: the same text. It is a function of its own so that call sites say where they are. */
function forMarkdownCell(text) {
    return forMarkdown(text);
}
/**
 * Untrusted text as a code span, in which GitHub makes nothing live. Its delimiter is longer than any run of
 * backticks inside. Substitutions, beyond those of {@link showUnseen}: a line break becomes a space, and U+200B
 * stands inside `<!--`, so that a forged marker is not found in the source of a comment either. Empty text
 * gives an empty string, because Markdown has no empty code span. In a table use {@link inlineCodeCell}.
 */
function inlineCode(text) {
    const line = breakComments((0,_visible_js__WEBPACK_IMPORTED_MODULE_0__/* .showUnseen */ .A)(text).replaceAll('\n', ' '));
    if (line === '')
        return '';
    const delimiter = '`'.repeat(longestRunOfBackticks(line) + 1);
    const pad = /^[` ]|[` ]$/.test(line) && line.trim() !== '' ? ' ' : '';
    return `${delimiter}${pad}${line}${pad}${delimiter}`;
}
/**
 * {@link inlineCode} for a cell of a table, where a `|` must be escaped even in code. U+200B goes between a
 * backslash and a `|`, which GitHub cannot show side by side in a cell's code.
 */
function inlineCodeCell(text) {
    return inlineCode(text.replaceAll('\t', ' ')).replaceAll('\\|', `\\${BREAK}|`).replaceAll('|', '\\|');
}
/**
 * Untrusted text as a fenced code block that ends with a line break, its fence longer than any run of backticks
 * inside. `lang` names the language and is reduced to letters, digits and `+#_.-`. Substitutions: as for
 * {@link inlineCode}, but line breaks stay. Must begin at the start of a line.
 */
function codeFence(text, lang = '') {
    const body = breakComments(showUnseen(text)).replace(/\n$/, '');
    const fence = '`'.repeat(Math.max(3, longestRunOfBackticks(body) + 1));
    return `${fence}${lang.replace(/[^A-Za-z0-9+#_.-]/g, '')}\n${body}\n${fence}\n`;
}
/** Untrusted text for HTML, as content or as a quoted attribute's value. Unseen characters are shown, see {@link showUnseen}. */
function forHtml(text) {
    return showUnseen(text).replace(/[&<>"'`]/g, characterReference);
}
/**
 * Untrusted text for a terminal: escape sequences (colours, OSC titles and links, cursor moves), carriage returns
 * and bidirectional overrides are shown instead of obeyed. Line breaks and tabs stay.
 */
function forTerminal(text) {
    return (0,_visible_js__WEBPACK_IMPORTED_MODULE_0__/* .showUnseen */ .A)(text);
}
/**
 * Untrusted text as a label of a Mermaid diagram, quotes included. Everything but letters, digits, spaces and
 * `.,_-` becomes one of Mermaid's entity codes (`#35;`), so that neither Mermaid, Markdown nor HTML sees syntax.
 * White space as in {@link forMarkdown}.
 */
function forMermaid(text) {
    const line = oneLine(showUnseen(text)).trim();
    const label = line.replace(/[^\p{L}\p{M}\p{N} .,_-]/gu, (char) => `#${char.codePointAt(0)};`);
    return `"${label === '' ? ' ' : label}"`;
}
/**
 * The longest beginning of a text whose UTF-8 has at most `maxBytes` bytes; never half a character. GitHub's
 * limits are in bytes. Half of a surrogate pair counts as U+FFFD: 3 bytes.
 */
function truncateBytes(text, maxBytes) {
    if (text.length * 3 <= maxBytes)
        return text;
    const room = new Uint8Array(Math.max(0, Math.min(maxBytes, text.length * 3)));
    return text.slice(0, new TextEncoder().encodeInto(text, room).read);
}
function oneLine(text) {
    return text.replace(/\s+/g, ' ');
}
function prose(text, atStart) {
    let safe = text.replace(GH_REFERENCE, `$1${BREAK}`).replace(/[@#]/g, `$&${BREAK}`);
    const start = atStart ? LINE_START.exec(safe)?.[0] : undefined;
    if (start === undefined)
        return safe.replace(INLINE_SYNTAX, characterReference);
    const last = /^\d/.test(start) ? start.length : 0;
    safe = safe.slice(last + 1).replace(INLINE_SYNTAX, characterReference);
    return start.slice(0, last) + characterReference(text.charAt(last)) + safe;
}
function characterReference(char) {
    return `&#${char.codePointAt(0)};`;
}
function withoutTrailing(url) {
    let end = url.length;
    while (end > 0 && AFTER_URL.test(url.charAt(end - 1)))
        end -= 1;
    return url.slice(0, end);
}
function breakComments(text) {
    return text.replaceAll('<!--', `<${BREAK}!--`);
}
function longestRunOfBackticks(text) {
    let longest = 0;
    for (const run of text.matchAll(/`+/g))
        longest = Math.max(longest, run[0].length);
    return longest;
}


/***/ }),

/***/ 8523:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   A: () => (/* binding */ showUnseen)
/* harmony export */ });
/**
 * Characters that change how text is shown without being seen: C0 and C1 controls (but tab and line feed),
 * soft hyphen, zero-width characters, bidirectional marks, overrides and isolates (CVE-2021-42574, "Trojan
 * Source"), line and paragraph separators, Hangul and Khmer fillers, interlinear annotation, tag characters
 * and the variation selectors that emoji do not use.
 */
const UNSEEN = new RegExp(String.raw `[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]`, 'gu');
/**
 * Text in which nothing is hidden: each unseen character becomes something that can be read. C0 controls become
 * their picture (`␛` for ESC, `␀` for NUL), everything else `<U+202E>`, and half of a surrogate pair becomes
 * U+FFFD. Tab and line feed stay; CR LF becomes LF. The joiners U+200C and U+200D stay between two characters
 * outside ASCII, where scripts and emoji need them.
 */
function showUnseen(text) {
    return text.toWellFormed().replaceAll('\r\n', '\n').replace(UNSEEN, picture);
}
function picture(char, offset, text) {
    const code = char.codePointAt(0);
    if (code < 0x20)
        return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f)
        return '\u2421';
    if ((code === 0x200c || code === 0x200d) && joins(text, offset))
        return char;
    return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
function joins(text, offset) {
    return text.charCodeAt(offset - 1) > 0x7f && text.charCodeAt(offset + 1) > 0x7f;
}


/***/ })

/******/ });
/************************************************************************/
/******/ // The module cache
/******/ var __webpack_module_cache__ = {};
/******/ 
/******/ // The require function
/******/ function __nccwpck_require__(moduleId) {
/******/ 	// Check if module is in cache
/******/ 	var cachedModule = __webpack_module_cache__[moduleId];
/******/ 	if (cachedModule !== undefined) {
/******/ 		return cachedModule.exports;
/******/ 	}
/******/ 	// Create a new module (and put it into the cache)
/******/ 	var module = __webpack_module_cache__[moduleId] = {
/******/ 		// no module.id needed
/******/ 		// no module.loaded needed
/******/ 		exports: {}
/******/ 	};
/******/ 
/******/ 	// Execute the module function
/******/ 	var threw = true;
/******/ 	try {
/******/ 		__webpack_modules__[moduleId](module, module.exports, __nccwpck_require__);
/******/ 		threw = false;
/******/ 	} finally {
/******/ 		if(threw) delete __webpack_module_cache__[moduleId];
/******/ 	}
/******/ 
/******/ 	// Return the exports of the module
/******/ 	return module.exports;
/******/ }
/******/ 
/******/ // expose the modules object (__webpack_modules__)
/******/ __nccwpck_require__.m = __webpack_modules__;
/******/ 
/************************************************************************/
/******/ /* webpack/runtime/asset-relocator-loader */
/******/ if (typeof __nccwpck_require__ !== 'undefined') __nccwpck_require__.ab = decodeURIComponent(new URL('.', import.meta.url).pathname).slice(import.meta.url.match(/^file:\/\/\/\w:/) ? 1 : 0, -1) + "/";
/******/ 
/******/ /* webpack/runtime/async module */
/******/ (() => {
/******/ 	var webpackQueues = typeof Symbol === "function" ? Symbol("webpack queues") : "__webpack_queues__";
/******/ 	var webpackExports = typeof Symbol === "function" ? Symbol("webpack exports") : "__webpack_exports__";
/******/ 	var webpackError = typeof Symbol === "function" ? Symbol("webpack error") : "__webpack_error__";
/******/ 	var resolveQueue = (queue) => {
/******/ 		if(queue && queue.d < 1) {
/******/ 			queue.d = 1;
/******/ 			queue.forEach((fn) => (fn.r--));
/******/ 			queue.forEach((fn) => (fn.r-- ? fn.r++ : fn()));
/******/ 		}
/******/ 	}
/******/ 	var wrapDeps = (deps) => (deps.map((dep) => {
/******/ 		if(dep !== null && typeof dep === "object") {
/******/ 			if(dep[webpackQueues]) return dep;
/******/ 			if(dep.then) {
/******/ 				var queue = [];
/******/ 				queue.d = 0;
/******/ 				dep.then((r) => {
/******/ 					obj[webpackExports] = r;
/******/ 					resolveQueue(queue);
/******/ 				}, (e) => {
/******/ 					obj[webpackError] = e;
/******/ 					resolveQueue(queue);
/******/ 				});
/******/ 				var obj = {};
/******/ 				obj[webpackQueues] = (fn) => (fn(queue));
/******/ 				return obj;
/******/ 			}
/******/ 		}
/******/ 		var ret = {};
/******/ 		ret[webpackQueues] = x => {};
/******/ 		ret[webpackExports] = dep;
/******/ 		return ret;
/******/ 	}));
/******/ 	__nccwpck_require__.a = (module, body, hasAwait) => {
/******/ 		var queue;
/******/ 		hasAwait && ((queue = []).d = -1);
/******/ 		var depQueues = new Set();
/******/ 		var exports = module.exports;
/******/ 		var currentDeps;
/******/ 		var outerResolve;
/******/ 		var reject;
/******/ 		var promise = new Promise((resolve, rej) => {
/******/ 			reject = rej;
/******/ 			outerResolve = resolve;
/******/ 		});
/******/ 		promise[webpackExports] = exports;
/******/ 		promise[webpackQueues] = (fn) => (queue && fn(queue), depQueues.forEach(fn), promise["catch"](x => {}));
/******/ 		module.exports = promise;
/******/ 		body((deps) => {
/******/ 			currentDeps = wrapDeps(deps);
/******/ 			var fn;
/******/ 			var getResult = () => (currentDeps.map((d) => {
/******/ 				if(d[webpackError]) throw d[webpackError];
/******/ 				return d[webpackExports];
/******/ 			}))
/******/ 			var promise = new Promise((resolve) => {
/******/ 				fn = () => (resolve(getResult));
/******/ 				fn.r = 0;
/******/ 				var fnQueue = (q) => (q !== queue && !depQueues.has(q) && (depQueues.add(q), q && !q.d && (fn.r++, q.push(fn))));
/******/ 				currentDeps.map((dep) => (dep[webpackQueues](fnQueue)));
/******/ 			});
/******/ 			return fn.r ? promise : getResult();
/******/ 		}, (err) => ((err ? reject(promise[webpackError] = err) : outerResolve(exports)), resolveQueue(queue)));
/******/ 		queue && queue.d < 0 && (queue.d = 0);
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/define property getters */
/******/ (() => {
/******/ 	// define getter functions for harmony exports
/******/ 	__nccwpck_require__.d = (exports, definition) => {
/******/ 		for(var key in definition) {
/******/ 			if(__nccwpck_require__.o(definition, key) && !__nccwpck_require__.o(exports, key)) {
/******/ 				Object.defineProperty(exports, key, { enumerable: true, get: definition[key] });
/******/ 			}
/******/ 		}
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/ensure chunk */
/******/ (() => {
/******/ 	__nccwpck_require__.f = {};
/******/ 	// This file contains only the entry chunk.
/******/ 	// The chunk loading function for additional chunks
/******/ 	__nccwpck_require__.e = (chunkId) => {
/******/ 		return Promise.all(Object.keys(__nccwpck_require__.f).reduce((promises, key) => {
/******/ 			__nccwpck_require__.f[key](chunkId, promises);
/******/ 			return promises;
/******/ 		}, []));
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/get javascript chunk filename */
/******/ (() => {
/******/ 	// This function allow to reference async chunks
/******/ 	__nccwpck_require__.u = (chunkId) => {
/******/ 		// return url for filenames based on template
/******/ 		return "" + chunkId + ".index.js";
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/hasOwnProperty shorthand */
/******/ (() => {
/******/ 	__nccwpck_require__.o = (obj, prop) => (Object.prototype.hasOwnProperty.call(obj, prop))
/******/ })();
/******/ 
/******/ /* webpack/runtime/make namespace object */
/******/ (() => {
/******/ 	// define __esModule on exports
/******/ 	__nccwpck_require__.r = (exports) => {
/******/ 		if(typeof Symbol !== 'undefined' && Symbol.toStringTag) {
/******/ 			Object.defineProperty(exports, Symbol.toStringTag, { value: 'Module' });
/******/ 		}
/******/ 		Object.defineProperty(exports, '__esModule', { value: true });
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/import chunk loading */
/******/ (() => {
/******/ 	// no baseURI
/******/ 	
/******/ 	// object to store loaded and loading chunks
/******/ 	// undefined = chunk not loaded, null = chunk preloaded/prefetched
/******/ 	// [resolve, Promise] = chunk loading, 0 = chunk loaded
/******/ 	var installedChunks = {
/******/ 		792: 0
/******/ 	};
/******/ 	
/******/ 	var installChunk = (data) => {
/******/ 		var {ids, modules, runtime} = data;
/******/ 		// add "modules" to the modules object,
/******/ 		// then flag all "ids" as loaded and fire callback
/******/ 		var moduleId, chunkId, i = 0;
/******/ 		for(moduleId in modules) {
/******/ 			if(__nccwpck_require__.o(modules, moduleId)) {
/******/ 				__nccwpck_require__.m[moduleId] = modules[moduleId];
/******/ 			}
/******/ 		}
/******/ 		if(runtime) runtime(__nccwpck_require__);
/******/ 		for(;i < ids.length; i++) {
/******/ 			chunkId = ids[i];
/******/ 			if(__nccwpck_require__.o(installedChunks, chunkId) && installedChunks[chunkId]) {
/******/ 				installedChunks[chunkId][0]();
/******/ 			}
/******/ 			installedChunks[ids[i]] = 0;
/******/ 		}
/******/ 	
/******/ 	}
/******/ 	
/******/ 	__nccwpck_require__.f.j = (chunkId, promises) => {
/******/ 			// import() chunk loading for javascript
/******/ 			var installedChunkData = __nccwpck_require__.o(installedChunks, chunkId) ? installedChunks[chunkId] : undefined;
/******/ 			if(installedChunkData !== 0) { // 0 means "already installed".
/******/ 	
/******/ 				// a Promise means "currently loading".
/******/ 				if(installedChunkData) {
/******/ 					promises.push(installedChunkData[1]);
/******/ 				} else {
/******/ 					if(true) { // all chunks have JS
/******/ 						// setup Promise in chunk cache
/******/ 						var promise = import("./" + __nccwpck_require__.u(chunkId)).then(installChunk, (e) => {
/******/ 							if(installedChunks[chunkId] !== 0) installedChunks[chunkId] = undefined;
/******/ 							throw e;
/******/ 						});
/******/ 						var promise = Promise.race([promise, new Promise((resolve) => (installedChunkData = installedChunks[chunkId] = [resolve]))])
/******/ 						promises.push(installedChunkData[1] = promise);
/******/ 					}
/******/ 				}
/******/ 			}
/******/ 	};
/******/ 	
/******/ 	// no prefetching
/******/ 	
/******/ 	// no preloaded
/******/ 	
/******/ 	// no external install chunk
/******/ 	
/******/ 	// no on chunks loaded
/******/ })();
/******/ 
/************************************************************************/
/******/ 
/******/ // startup
/******/ // Load entry module and return exports
/******/ // This entry module used 'module' so it can't be inlined
/******/ var __webpack_exports__ = __nccwpck_require__(9713);
/******/ __webpack_exports__ = await __webpack_exports__;
/******/ 
