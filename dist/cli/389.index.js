export const id = 389;
export const ids = [389];
export const modules = {

/***/ 7389:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  evaluate: () => (/* binding */ evaluate)
});

// EXTERNAL MODULE: ./node_modules/@actions/expressions/dist/index.js + 28 modules
var dist = __webpack_require__(4082);
// EXTERNAL MODULE: ./node_modules/@actions/expressions/dist/ast.js
var ast = __webpack_require__(2049);
// EXTERNAL MODULE: ./build/verdict/words.js
var words = __webpack_require__(9355);
// EXTERNAL MODULE: ./build/pipeline/problem.js
var problem = __webpack_require__(9328);
// EXTERNAL MODULE: ./build/untrusted/json.js
var json = __webpack_require__(5443);
;// CONCATENATED MODULE: ./build/verdict/expression/operand.js


/** Why an expression gives no answer. */
class ExpressionRefusal extends Error {
    name = 'ExpressionRefusal';
    /** What the refusal is about. */
    at;
    constructor(message, at) {
        super(message);
        this.at = at;
    }
}
/** What a value is, in words of the messages. */
function kindOf(value) {
    if (value === null)
        return 'null';
    if (Array.isArray(value))
        return 'list';
    return (0,json/* isJsonObject */.O)(value) ? 'object' : typeof value;
}
/** `a number`, `an object`, `null`. */
function aKind(value) {
    const kind = kindOf(value);
    if (kind === 'null')
        return kind;
    return kind === 'object' ? 'an object' : `a ${kind}`;
}
/** A value as GitHub's evaluator holds it. Objects are never handed over: it merges keys that differ in case. */
function toData(value) {
    if (value === null)
        return new dist/* data.Null */.p.Uv();
    if (typeof value === 'string')
        return new dist/* data.StringData */.p.uQ(value);
    if (typeof value === 'number')
        return new dist/* data.NumberData */.p.Q9(value);
    if (typeof value === 'boolean')
        return new dist/* data.BooleanData */.p.bo(value);
    const list = new dist/* data.Array */.p.O3();
    for (const item of Array.isArray(value) ? value : Object.values(value))
        list.add(toData(item));
    return list;
}
/** What GitHub's evaluator answered; it answers with simple values here. */
function fromData(answer) {
    if (answer instanceof dist/* data.BooleanData */.p.bo || answer instanceof dist/* data.NumberData */.p.Q9)
        return answer.value;
    return answer instanceof dist/* data.Null */.p.Uv ? null : answer.coerceString();
}

;// CONCATENATED MODULE: ./build/verdict/expression/access.js




/**
 * `of.key`, `of['key']`, `of[0]`. GitHub answers null for what is not there; this refuses, with what there is.
 * Keys are taken as they are spelt: in JSON `Failed` and `failed` are two keys.
 */
function accessKey(of, index) {
    if (of.parts !== undefined) {
        const parts = of.parts.map((part) => accessKey(part, index));
        return { value: parts.map(({ value }) => value), name: nameOf(of, index.value), parts };
    }
    const key = index.value;
    if (Array.isArray(of.value) && typeof key === 'number')
        return accessItem(of, of.value.length, key);
    if ((0,json/* isJsonObject */.O)(of.value) && typeof key === 'string')
        return accessProperty(of, of.value, key);
    const name = nameOf(of, typeof key === 'string' || typeof key === 'number' ? key : '…');
    const why = of.name === '' ? `there is nothing in ${aKind(of.value)}` : `${of.name} is ${aKind(of.value)}`;
    const wanted = Array.isArray(of.value) ? '; a list takes a number, or `*` for each of its items' : '';
    throw new ExpressionRefusal(`there is no ${name}: ${why}${wanted}`, { name, ...pathOf(of, key) });
}
/** `of.*`: the items of a list, the values of an object. GitHub answers an empty list for anything else; this refuses. */
function accessAll(of) {
    if (of.parts !== undefined) {
        const parts = of.parts.flatMap((part) => accessAll(part).parts ?? []);
        return { value: parts.map(({ value }) => value), name: `${of.name}.*`, parts };
    }
    const { value } = of;
    if (!Array.isArray(value) && !(0,json/* isJsonObject */.O)(value)) {
        throw new ExpressionRefusal(`there is no ${of.name}.*: ${of.name} is ${aKind(value)}`, of);
    }
    const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
    const parts = keys.map((key) => new Part(value[key], of, key));
    return { value: parts.map((part) => part.value), name: `${of.name}.*`, parts };
}
/** A part of another operand. Its name and path are put together when they are asked for: a filter finds a million. */
class Part {
    value;
    #of;
    #key;
    constructor(value, of, key) {
        this.value = value;
        this.#of = of;
        this.#key = key;
    }
    get name() {
        return nameOf(this.#of, this.#key);
    }
    get path() {
        return pathOf(this.#of, this.#key).path;
    }
}
function accessItem(of, length, index) {
    const value = of.value[index];
    if (value !== undefined)
        return new Part(value, of, index);
    const found = { name: nameOf(of, index), ...pathOf(of, index) };
    const why = Number.isInteger(index) && index >= 0 ? `${of.name} has ${(0,words/* counted */.hS)(length, 'item')}` : 'items count from 0';
    throw new ExpressionRefusal(`there is no ${found.name}: ${why}`, found);
}
function accessProperty(of, object, key) {
    if (Object.hasOwn(object, key))
        return new Part(object[key], of, key);
    const found = { name: nameOf(of, key), ...pathOf(of, key) };
    const keys = Object.keys(object).slice(0, 1_000);
    const sameInLower = keys.find((other) => other.toLowerCase() === key.toLowerCase());
    const like = sameInLower ?? (0,problem/* nearest */.pA)(key, keys);
    const hint = like === undefined
        ? ''
        : `; there is ${(0,problem/* quoted */.TL)(like)}${sameInLower === undefined ? '' : ' (keys count as they are spelt)'}`;
    throw new ExpressionRefusal(`there is no ${found.name}${hint}`, found);
}
function nameOf(of, key) {
    const base = of.name === '' ? '(…)' : of.name;
    if (typeof key === 'number')
        return `${base}[${key}]`;
    return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(key) ? `${base}.${key}` : `${base}['${key.replaceAll("'", "''")}']`;
}
function pathOf(of, key) {
    if (of.path === undefined)
        return {};
    return { path: typeof key === 'string' || typeof key === 'number' ? [...of.path, key] : of.path };
}

// EXTERNAL MODULE: ./build/pipeline/pointer.js
var pipeline_pointer = __webpack_require__(2534);
// EXTERNAL MODULE: ./build/untrusted/parse-json.js + 3 modules
var parse_json = __webpack_require__(3711);
// EXTERNAL MODULE: ./build/verdict/json-pointer.js
var json_pointer = __webpack_require__(8262);
;// CONCATENATED MODULE: ./build/verdict/expression/functions.js






/**
 * The functions of an expression, by their name in lower case. GitHub's own do the work; what is given to them is
 * looked at first, since they take anything and answer false or an empty text for what makes no sense.
 * `case` is not among them: it evaluates only what it needs.
 */
const FUNCTIONS = {
    has: ([of, pointer]) => has(of.value, textOf('has', pointer)),
    contains: ([search, item]) => {
        checkContains(search, item);
        return official('contains', [search, item]);
    },
    startswith: (args) => official('startswith', args.map((arg) => texts('startsWith', arg))),
    endswith: (args) => official('endswith', args.map((arg) => texts('endsWith', arg))),
    format: ([text, ...rest]) => official('format', [texts('format', text), ...rest.map((arg) => simple('format', arg))]),
    join: ([list, ...separator]) => {
        if (!Array.isArray(list.value))
            throw wrong('join', 'a list', list);
        for (const item of itemsOf(list))
            simple('join', item);
        return official('join', [list, ...separator.map((arg) => texts('join', arg))]);
    },
    tojson: ([of]) => JSON.stringify(of.value, null, 2),
    fromjson: ([text]) => {
        const parsed = (0,parse_json/* parseJson */.qF)(new TextEncoder().encode(textOf('fromJSON', text)));
        if (parsed.ok)
            return parsed.value;
        throw new ExpressionRefusal(`fromJSON: ${shown(text)} is no JSON: ${parsed.issue.message}`, text);
    },
};
/** Whether a pointer names something. Own keys only; `''` names the whole. */
function has(value, pointer) {
    if (!pipeline_pointer/* POINTER_PATTERN */.P2.test(pointer)) {
        throw new ExpressionRefusal(`has: ${(0,words/* shortValue */.wm)(pointer)} is no JSON pointer; write '/key' or '/list/0'`);
    }
    return (0,json_pointer/* valueAt */.f)(value, pointer) !== undefined;
}
function checkContains(search, item) {
    const { value } = search;
    if (typeof value === 'string')
        return void texts('contains', item);
    if (!Array.isArray(value))
        throw wrong('contains', 'a text or a list', search);
    simple('contains', item);
    for (const other of itemsOf(search)) {
        if (kindOf(other.value) === kindOf(item.value))
            continue;
        const looked = `${shown(item)} is looked for`;
        throw new ExpressionRefusal(`contains: ${other.name} is ${aKind(other.value)}, and ${looked}, ${aKind(item.value)}`, other);
    }
}
/** The items of a list, each with its name. */
function itemsOf(list) {
    if (list.parts !== undefined)
        return list.parts;
    return list.value.map((value, index) => ({
        value,
        name: `${list.name}[${index}]`,
        ...(list.path === undefined ? {} : { path: [...list.path, index] }),
    }));
}
function textOf(name, arg) {
    if (typeof arg.value !== 'string')
        throw wrong(name, 'a text', arg);
    return arg.value;
}
function texts(name, arg) {
    textOf(name, arg);
    return arg;
}
function simple(name, arg) {
    const kind = kindOf(arg.value);
    if (kind === 'list' || kind === 'object' || kind === 'null')
        throw wrong(name, 'a text, a number, true or false', arg);
    return arg;
}
function wrong(name, wanted, arg) {
    return new ExpressionRefusal(`${name} takes ${wanted}, and ${shown(arg)} is ${aKind(arg.value)}`, arg);
}
function shown(arg) {
    return arg.name === '' ? (0,words/* shortValue */.wm)(arg.value) : arg.name;
}
function official(name, args) {
    try {
        return fromData(dist/* wellKnownFunctions */.j7[name].call(...args.map(({ value }) => toData(value))));
    }
    catch (error) {
        throw new ExpressionRefusal(error instanceof Error ? error.message : String(error));
    }
}

;// CONCATENATED MODULE: ./build/verdict/expression/evaluate.js






/**
 * Evaluate an expression of GitHub's language to true or false, by GitHub's own evaluator with a guard in front.
 *
 * GitHub's evaluator never fails: what is missing is null, null is 0 and an empty text, texts are turned into
 * numbers. A check written for a value that came out differently would so pass. Here
 * - every path must exist; `has(output, '/x')` asks,
 * - both sides of a comparison must be of one kind (but for `== null` and `!= null`, which ask for null itself),
 * - `!`, `&&`, `||` and the whole take true and false only,
 * or there is no answer. What is not evaluated (`false && …`) is not looked at.
 *
 * Texts compare as on GitHub: without regard to case.
 */
function evaluate(expression, contexts) {
    const guarded = new GuardedEvaluator(contexts);
    try {
        const result = expression.accept(guarded);
        if (typeof result.value === 'boolean') {
            guarded.read(result);
            return { ok: true, choice: result.value, reads: guarded.reads };
        }
        const what = result.name === '' ? (0,words/* shortValue */.wm)(result.value) : `${result.name}, ${aKind(result.value)}`;
        throw new ExpressionRefusal(`it comes to ${what}, not to true or false; compare it with something`, result);
    }
    catch (error) {
        if (!(error instanceof ExpressionRefusal))
            throw error;
        const { at } = error;
        const context = at?.name.split(/[.[]/)[0];
        return { ok: false, message: error.message, ...(at?.path && context ? { path: at.path, context } : {}) };
    }
}
class GuardedEvaluator {
    #contexts;
    #reads = new Map();
    constructor(contexts) {
        this.#contexts = contexts;
    }
    /** The parts of the contexts that the answer hangs on, in order. */
    get reads() {
        return [...this.#reads.values()];
    }
    read(...operands) {
        for (const operand of operands)
            if (operand.path !== undefined)
                this.#reads.set(operand.name, operand);
    }
    visitLiteral(literal) {
        const { lexeme } = literal.token;
        // The lexer of @actions/expressions 0.3 takes only the first '' of a text for a quote.
        if (lexeme.startsWith("'"))
            return said(lexeme.slice(1, -1).replaceAll("''", "'"));
        const value = fromData(literal.literal);
        return value === null ? { ...said(null), isNullLiteral: true } : said(value);
    }
    visitGrouping(grouping) {
        return grouping.group.accept(this);
    }
    visitContextAccess(access) {
        const name = access.name.lexeme.toLowerCase();
        const value = Object.hasOwn(this.#contexts, name) ? this.#contexts[name] : undefined;
        if (value === undefined)
            throw new ExpressionRefusal(`there is no ${name} here`);
        return { value, name, path: [] };
    }
    visitIndexAccess(access) {
        const of = access.expr.accept(this);
        return access.index instanceof ast/* Star */.FE ? accessAll(of) : accessKey(of, access.index.accept(this));
    }
    visitUnary(unary) {
        return said(!this.#truth(unary.expr, '!'));
    }
    visitLogical(logical) {
        const operator = logical.operator.lexeme;
        const decides = operator === '||';
        for (const arg of logical.args)
            if (this.#truth(arg, operator) === decides)
                return said(decides);
        return said(!decides);
    }
    visitBinary(binary) {
        const [left, right] = [binary.left.accept(this), binary.right.accept(this)];
        this.read(left, right);
        const operator = binary.operator.lexeme;
        const equality = operator === '==' || operator === '!=';
        if (equality && (left.isNullLiteral === true || right.isNullLiteral === true)) {
            return said((left.value === right.value) === (operator === '=='));
        }
        checkComparison(left, right, equality);
        const compared = new ast/* Binary */.yI(literal(left, binary), binary.operator, literal(right, binary));
        return said(fromData(new dist/* Evaluator */.oi(compared, new dist/* data.Dictionary */.p.bT()).evaluate()));
    }
    visitFunctionCall(call) {
        const name = call.functionName.lexeme.toLowerCase();
        if (name === 'case')
            return this.#case(call.args);
        const args = call.args.map((arg) => arg.accept(this));
        this.read(...args.filter(({ value }) => typeof value !== 'object'));
        const value = FUNCTIONS[name](args);
        if (typeof value === 'boolean') {
            const asked = `${call.functionName.lexeme}(${args.map((arg) => arg.name || (0,words/* ruleValue */.wF)(arg.value, 40)).join(', ')})`;
            this.#reads.set(asked, { value, name: asked });
        }
        return { value, name: name === 'fromjson' ? 'fromJSON(…)' : '' };
    }
    /** `case(predicate, value, …, default)`: the value of the first predicate that is true. */
    #case(args) {
        for (let at = 0; at + 1 < args.length; at += 2)
            if (this.#truth(args[at], 'case'))
                return args[at + 1].accept(this);
        return args.at(-1).accept(this);
    }
    #truth(expression, operator) {
        const operand = expression.accept(this);
        this.read(operand);
        if (typeof operand.value === 'boolean')
            return operand.value;
        const what = operand.name === '' ? (0,words/* shortValue */.wm)(operand.value) : `${operand.name} is ${aKind(operand.value)}`;
        throw new ExpressionRefusal(`${what}, and \`${operator}\` takes true or false only`, operand);
    }
}
function said(value) {
    return { value, name: '' };
}
function literal(operand, binary) {
    return new ast/* Literal */.uS(toData(operand.value), binary.operator);
}
function checkComparison(left, right, equality) {
    const kinds = [kindOf(left.value), kindOf(right.value)];
    const named = left.name === '' ? right : left;
    if (kinds[0] !== kinds[1]) {
        throw new ExpressionRefusal(`${inWords(left)} and ${inWords(right)} cannot be compared`, named);
    }
    if (kinds[0] === 'list' || kinds[0] === 'object') {
        throw new ExpressionRefusal(`${inWords(named)}; a list or an object cannot be compared as a whole`, named);
    }
    if (!equality && (kinds[0] === 'null' || kinds[0] === 'boolean')) {
        throw new ExpressionRefusal(`${inWords(named)}; null, true and false have no order`, named);
    }
}
function inWords({ name, value }) {
    if (name !== '')
        return value === null ? `${name} (null)` : `${name} (${aKind(value)}: ${(0,words/* shortValue */.wm)(value, 40)})`;
    return value === null ? 'null' : `${aKind(value)} (${(0,words/* shortValue */.wm)(value, 40)})`;
}


/***/ })

};
