export const id = 669;
export const ids = [669];
export const modules = {

/***/ 7669:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  explainValidation: () => (/* binding */ explainValidation)
});

// EXTERNAL MODULE: ./build/pipeline/pointer.js
var pipeline_pointer = __webpack_require__(2534);
// EXTERNAL MODULE: ./build/verdict/words.js
var words = __webpack_require__(9355);
// EXTERNAL MODULE: ./build/verdict/verdict.js
var verdict = __webpack_require__(8579);
// EXTERNAL MODULE: ./build/pipeline/problem.js
var problem = __webpack_require__(9328);
// EXTERNAL MODULE: ./build/untrusted/json.js
var json = __webpack_require__(5443);
;// CONCATENATED MODULE: ./build/verdict/json-schema/explain-keyword.js



/** What a value has against one rule, to be read after the place: "must be at least 3, is 2". */
function explainKeyword(error, rule) {
    const value = error.value;
    const explainer = Object.hasOwn(EXPLAINERS, rule.keyword) ? EXPLAINERS[rule.keyword] : undefined;
    const known = explainer?.({ value, wanted: rule.value, rule, path: error.path });
    const text = known ?? (rule.value === false ? notAllowed(error, rule) : undefined) ?? `does not meet \`${rule.keyword}\``;
    return error.onKey ? `the key itself ${text}` : text;
}
const TYPES = {
    string: 'a string',
    number: 'a number',
    integer: 'a whole number',
    boolean: 'true or false',
    object: 'an object',
    array: 'a list',
    null: 'null',
};
const EXPLAINERS = {
    type: ({ value, wanted }) => {
        const types = (Array.isArray(wanted) ? wanted : [wanted]).map((type) => TYPES[plain(type)] ?? plain(type));
        return `must be ${(0,words/* listed */.KE)(types, 'or')}, is ${(0,words/* shortValue */.wm)(value)}`;
    },
    enum: explainEnum,
    const: ({ value, wanted }) => wanted === undefined ? undefined : `must be ${(0,words/* ruleValue */.wF)(wanted)}, is ${(0,words/* shortValue */.wm)(value)}`,
    minimum: ({ value, wanted }) => `must be at least ${plain(wanted)}, is ${(0,words/* shortValue */.wm)(value)}`,
    maximum: ({ value, wanted }) => `must be at most ${plain(wanted)}, is ${(0,words/* shortValue */.wm)(value)}`,
    exclusiveMinimum: ({ value, wanted }) => `must be more than ${plain(wanted)}, is ${(0,words/* shortValue */.wm)(value)}`,
    exclusiveMaximum: ({ value, wanted }) => `must be less than ${plain(wanted)}, is ${(0,words/* shortValue */.wm)(value)}`,
    multipleOf: ({ value, wanted }) => `must be a multiple of ${plain(wanted)}, is ${(0,words/* shortValue */.wm)(value)}`,
    minLength: ({ value, wanted }) => `must have at least ${(0,words/* counted */.hS)(Number(wanted), 'character')}, has ${lengthOf(value)}`,
    maxLength: ({ value, wanted }) => `must have at most ${(0,words/* counted */.hS)(Number(wanted), 'character')}, has ${lengthOf(value)}`,
    pattern: ({ value, wanted }) => `must match the pattern ${(0,problem/* quoted */.TL)(plain(wanted))}, is ${(0,words/* shortValue */.wm)(value)}`,
    format: ({ value, wanted }) => `must have the format ${(0,problem/* quoted */.TL)(plain(wanted))}, is ${(0,words/* shortValue */.wm)(value)}`,
    minItems: ({ value, wanted }) => `must have at least ${(0,words/* counted */.hS)(Number(wanted), 'item')}, has ${lengthOf(value)}`,
    maxItems: ({ value, wanted }) => `must have at most ${(0,words/* counted */.hS)(Number(wanted), 'item')}, has ${lengthOf(value)}`,
    uniqueItems: ({ value }) => `must not hold an item twice${firstTwice(value)}`,
    contains: explainContains,
    minProperties: ({ value, wanted }) => `must have at least ${(0,words/* counted */.hS)(Number(wanted), 'key')}, has ${lengthOf(value)}`,
    maxProperties: ({ value, wanted }) => `must have at most ${(0,words/* counted */.hS)(Number(wanted), 'key')}, has ${lengthOf(value)}`,
    required: explainRequired,
    dependentRequired: explainDependent,
    dependencies: explainDependent,
    not: () => 'must not match what `not` says',
};
function explainEnum({ value, wanted }) {
    if (!Array.isArray(wanted))
        return undefined;
    const texts = wanted.filter((item) => typeof item === 'string');
    const meant = typeof value === 'string' ? (0,problem/* nearest */.pA)(value, texts) : undefined;
    const one = wanted.length === 1 ? '' : 'one of ';
    const choices = (0,words/* listed */.KE)(wanted.map((item) => (0,words/* ruleValue */.wF)(item)), 'or');
    const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
    return `must be ${one}${choices}, is ${(0,words/* shortValue */.wm)(value)}${hint}`;
}
function explainContains({ value, rule }) {
    const { minContains, maxContains } = rule.schema;
    const least = typeof minContains === 'number' ? minContains : 1;
    const most = typeof maxContains === 'number' ? ` and at most ${maxContains}` : '';
    return `must have at least ${least}${most} of the items that \`contains\` asks for, has ${(0,words/* counted */.hS)(lengthOf(value), 'item')}`;
}
function explainRequired({ value, wanted }) {
    if (!Array.isArray(wanted) || !(0,json/* isJsonObject */.O)(value))
        return undefined;
    const keys = Object.keys(value);
    const lacking = wanted.map(String).filter((key) => !Object.hasOwn(value, key));
    const named = lacking.map((key) => {
        const like = (0,problem/* nearest */.pA)(key, keys.slice(0, 500));
        return like === undefined || wanted.includes(like) ? (0,problem/* quoted */.TL)(key) : `${(0,problem/* quoted */.TL)(key)} (there is ${(0,problem/* quoted */.TL)(like)})`;
    });
    return `lacks ${(0,words/* listed */.KE)(named, 'and', 20)}`;
}
function explainDependent({ value, wanted }) {
    if (!(0,json/* isJsonObject */.O)(wanted) || !(0,json/* isJsonObject */.O)(value))
        return undefined;
    const broken = Object.entries(wanted).flatMap(([key, needs]) => {
        if (!Object.hasOwn(value, key) || !Array.isArray(needs))
            return [];
        const lacking = needs.map(String).filter((need) => !Object.hasOwn(value, need));
        return lacking.length === 0 ? [] : [`lacks ${(0,words/* listed */.KE)(lacking.map(problem/* quoted */.TL), 'and')}, which ${(0,problem/* quoted */.TL)(key)} needs`];
    });
    return broken.length === 0 ? undefined : broken.join('; ');
}
function notAllowed(error, rule) {
    const key = error.path.at(-1);
    const { properties } = rule.schema;
    const names = (0,json/* isJsonObject */.O)(properties) ? Object.keys(properties) : [];
    const meant = typeof key === 'string' ? (0,problem/* nearest */.pA)(key, names.slice(0, 1_000)) : undefined;
    if (error.path.length === 0)
        return 'nothing is allowed here: the schema is false';
    return `is not allowed here${meant === undefined || meant === key ? '' : `; did you mean ${(0,problem/* quoted */.TL)(meant)}?`}`;
}
function lengthOf(value) {
    if (typeof value === 'string')
        return [...value].length;
    return value !== null && typeof value === 'object' ? Object.keys(value).length : 0;
}
/** Where the first item that is there twice stands; equal by canonical text, as far as it is needed for a message. */
function firstTwice(value) {
    if (!Array.isArray(value))
        return '';
    const seen = new Map();
    for (const [index, item] of value.entries()) {
        const text = JSON.stringify(item);
        const first = seen.get(text);
        if (first !== undefined)
            return `; items ${first} and ${index} are the same`;
        seen.set(text, index);
    }
    return '';
}
function plain(wanted) {
    return typeof wanted === 'string' ? wanted : JSON.stringify(wanted ?? null);
}

;// CONCATENATED MODULE: ./build/verdict/json-schema/explain.js




/** What a value has against a schema, in plain words, in the order of the schema, each thing once; at most {@link MAX_ISSUES}. */
function explainValidation(validation, options) {
    const findings = validation.errors.flatMap((error) => explain(error, options.rules));
    const byMessage = new Map(findings.map((finding) => issueOf(finding, options.root)).map((issue) => [issue.message, issue]));
    const issues = [...byMessage.values()];
    const more = validation.total - validation.errors.length;
    if (more === 0 && issues.length <= verdict/* MAX_ISSUES */.u9)
        return issues;
    const kept = issues.slice(0, verdict/* MAX_ISSUES */.u9 - 1);
    const left = more + issues.length - kept.length;
    return [...kept, { severity: 'error', message: `${left.toLocaleString('en')} more things are wrong` }];
}
function issueOf({ path, rule, text }, root) {
    const pointer = (0,pipeline_pointer/* pointerOf */.rq)(path).toWellFormed();
    const where = pointer === '' ? root : (0,words/* cut */.Jj)(pointer, 1_000);
    return {
        severity: 'error',
        message: (0,words/* cut */.Jj)(`${where}: ${text}`, 4_096),
        pointer: (0,words/* cut */.Jj)(pointer, 4_096),
        rule: (0,words/* cut */.Jj)(rule.pointer, 4_096),
    };
}
function explain(error, rules) {
    const rule = rules.find(error.rule);
    if (error.branches.length > 0)
        return explainAlternatives(error, rule, rules);
    return [{ path: error.path, rule, text: explainKeyword(error, rule) }];
}
function explainAlternatives(error, rule, rules) {
    const matching = error.branches.flatMap(({ valid }, index) => (valid ? [`#${index + 1}`] : []));
    if (matching.length > 1) {
        const text = `must match exactly one of ${error.branches.length} alternatives, matches ${matching.join(' and ')}`;
        return [{ path: error.path, rule, text }];
    }
    const kinds = onlyKinds(error, rules);
    if (kinds !== undefined)
        return [{ path: error.path, rule, text: kinds }];
    const number = closest(error, rules);
    const details = error.branches[number].errors.flatMap((inner) => explain(inner, rules));
    const which = error.branches.length === 1 ? '' : ` (alternative #${number + 1} of ${error.branches.length} is the closest)`;
    if (details.length === 1)
        return [{ ...details[0], text: details[0].text + which }];
    return [{ path: error.path, rule, text: `matches none of the alternatives${which}` }, ...details];
}
/** "must be a string or null, is 12", when every alternative only asks for another kind of value. */
function onlyKinds(error, rules) {
    const wanted = [];
    let found = '';
    for (const { errors } of error.branches) {
        const [only] = errors;
        if (only === undefined || errors.length > 1 || only.path.length !== error.path.length)
            return undefined;
        const rule = rules.find(only.rule);
        if (!['type', 'const', 'enum'].includes(rule.keyword))
            return undefined;
        const [, want, is] = /^must be (.*), is (.*?)(?:; did you mean .*)?$/s.exec(explainKeyword(only, rule)) ?? [];
        if (want === undefined || is === undefined)
            return undefined;
        wanted.push(want);
        found = is;
    }
    return `must be ${[...new Set(wanted)].join(' or ')}, is ${found}`;
}
/** The alternative that was probably meant: of the right kind, then with the fewest and the deepest faults. */
function closest(error, rules) {
    const ranks = error.branches.map((branch) => rank(branch, error.path.length, rules));
    let best = 0;
    for (let index = 1; index < ranks.length; index += 1)
        if (less(ranks[index], ranks[best]))
            best = index;
    return best;
}
function rank(branch, depth, rules) {
    let kind = 0;
    for (const error of branch.errors) {
        const { keyword } = rules.find(error.rule);
        const own = error.path.length - depth;
        if (own === 0 && ['type', 'const', 'enum'].includes(keyword))
            kind = Math.max(kind, 2);
        // A property that must be one value tells alternatives apart (OpenAPI's discriminator).
        if (own === 1 && (keyword === 'const' || keyword === 'enum'))
            kind = Math.max(kind, 1);
    }
    const deepest = Math.max(0, ...branch.errors.map((error) => error.path.length));
    return [kind, branch.errors.length, -deepest];
}
function less(a, b) {
    const differs = a.findIndex((part, index) => part !== b[index]);
    return differs >= 0 && a[differs] < b[differs];
}


/***/ })

};
