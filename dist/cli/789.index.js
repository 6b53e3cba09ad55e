export const id = 789;
export const ids = [789];
export const modules = {

/***/ 6789:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  createMetaValidator: () => (/* binding */ createMetaValidator),
  createValidator: () => (/* binding */ createValidator)
});

// EXTERNAL MODULE: ./node_modules/@hyperjump/json-schema/draft-07/index.js + 8 modules
var draft_07 = __webpack_require__(8159);
// EXTERNAL MODULE: ./node_modules/@hyperjump/json-schema/draft-2020-12/index.js + 13 modules
var draft_2020_12 = __webpack_require__(16);
// EXTERNAL MODULE: ./node_modules/@hyperjump/json-schema/lib/experimental.js + 1 modules
var experimental = __webpack_require__(689);
;// CONCATENATED MODULE: ./build/verdict/json-schema/collect-errors.js
/** More than this is only counted, for each schema. */
const KEPT = 100;
const ALTERNATIVES = new Set(['https://json-schema.org/keyword/anyOf', 'https://json-schema.org/keyword/oneOf']);
/** draft-07: a list of names for some keys, a schema for others. */
const DEPENDENCIES = 'https://json-schema.org/keyword/draft-04/dependencies';
/**
 * Gathers what is wrong while the validator runs, with a limit at every level, so that a list of a million wrong
 * items costs no more than one of a hundred. Keywords that only apply other schemas hand on what those found.
 */
class ErrorCollector {
    id = 'https://gateline.invalid/plugins/errors';
    #root;
    beforeKeyword(node, _instance, context) {
        if (ALTERNATIVES.has(node[0]))
            context.gatelineErrors = { errors: [], total: 0, branches: [], assigned: 0 };
    }
    afterKeyword(node, instance, context, valid, schemaContext, keyword) {
        if (valid)
            return;
        const inner = context.gatelineErrors;
        const applies = keyword.simpleApplicator === true || (node[0] === DEPENDENCIES && inner !== undefined);
        if (!applies)
            add(listOf(schemaContext), node[1], instance, inner?.branches ?? []);
        else if (inner !== undefined)
            handOn(inner, listOf(schemaContext));
    }
    afterSchema(url, instance, context, valid) {
        if (context.ast[url] === false)
            add(listOf(context), url, instance, []);
        const list = context.gatelineErrors;
        if (list?.branches !== undefined && list.branches.length < KEPT) {
            list.branches.push({ valid, errors: list.errors.slice(list.assigned) });
            list.assigned = list.errors.length;
        }
        this.#root = list;
    }
    /** What was found in the last run. */
    get found() {
        return this.#root ?? { errors: [], total: 0 };
    }
}
function listOf(context) {
    return (context.gatelineErrors ??= { errors: [], total: 0, assigned: 0 });
}
function add(list, rule, node, branches) {
    list.total += 1;
    if (list.errors.length >= KEPT)
        return;
    list.errors.push({ rule, path: node.path, value: node.value ?? null, onKey: node.isKey, branches });
}
function handOn(from, to) {
    to.total += from.total;
    for (const error of from.errors) {
        if (to.errors.length >= KEPT)
            return;
        to.errors.push(error);
    }
}

// EXTERNAL MODULE: ./node_modules/@hyperjump/json-schema/formats/lite.js + 17 modules
var lite = __webpack_require__(5077);
// EXTERNAL MODULE: ./node_modules/@hyperjump/json-schema-formats/src/index.js + 15 modules
var src = __webpack_require__(8667);
// EXTERNAL MODULE: ./node_modules/idn-hostname/index.js
var idn_hostname = __webpack_require__(9724);
;// CONCATENATED MODULE: ./build/verdict/json-schema/formats.js




const URI = 'https://json-schema.org/format/';
/**
 * Give the validator the formats that its small set leaves out. Its full set has them too, but prints what it thinks
 * of a host name to stdout, which belongs to our own output. draft-07 is given the two formats that came later.
 */
function addFormats() {
    (0,experimental/* addFormat */.tt)({ id: `${URI}idn-email`, handler: (value) => typeof value !== 'string' || (0,src/* isIdnEmail */.iN)(value) });
    (0,experimental/* addFormat */.tt)({ id: `${URI}idn-hostname`, handler: (value) => typeof value !== 'string' || isIdn(value) });
    (0,experimental/* addFormat */.tt)({
        id: `${URI}hostname`,
        handler: (value) => typeof value !== 'string' || ((0,src/* isHostname */.Kq)(value) && isIdn(value)),
    });
    for (const name of ['uuid', 'duration']) {
        (0,experimental/* setFormatHandler */._Y)('https://json-schema.org/keyword/draft-07/format', name, URI + name);
    }
}
function isIdn(hostname) {
    if (/[.\uff0e\u3002\uff61]$/.test(hostname))
        return false;
    try {
        return idn_hostname.isIdnHostname(hostname);
    }
    catch {
        // The library answers no by throwing why.
        return false;
    }
}

// EXTERNAL MODULE: ./build/verdict/json-schema/keywords.js
var keywords = __webpack_require__(1871);
// EXTERNAL MODULE: ./build/untrusted/json.js
var json = __webpack_require__(5443);
;// CONCATENATED MODULE: ./build/verdict/json-schema/lazy-node.js

/**
 * A value as the validator walks it. The validator's own nodes are all made at once and kept, which takes 1.4 GB
 * for a value of 100 MB; these are made when they are looked at and are gone after.
 */
class LazyNode {
    baseUri = '';
    type;
    value;
    parent;
    /** Key or index in the parent; for a key's own node, the key. */
    key;
    /** True for the node of a key itself, which `propertyNames` judges. */
    isKey;
    constructor(value, type, parent, key = '', isKey = false) {
        this.value = value;
        this.type = type;
        this.parent = parent;
        this.key = key;
        this.isKey = isKey;
    }
    get children() {
        const { value } = this;
        if (this.type === 'property') {
            const { parent, key } = this;
            const held = parent.value[key];
            return [new LazyNode(String(key), 'string', this, key, true), new LazyNode(held, typeOf(held), this, key)];
        }
        if (Array.isArray(value))
            return value.map((item, index) => new LazyNode(item, typeOf(item), this, index));
        if ((0,json/* isJsonObject */.O)(value))
            return Object.keys(value).map((key) => new LazyNode(undefined, 'property', this, key));
        return [];
    }
    /** Keys and indices that lead here from the root. A key's own node counts as what the key holds. */
    get path() {
        const { parent, key, type } = this;
        if (parent === undefined)
            return [];
        if (type !== 'property' && parent.type === 'property')
            return parent.path;
        return [...parent.path, key];
    }
}
/** The root node of a value, as the validator's type. */
function nodeOf(value) {
    return new LazyNode(value, typeOf(value));
}
/** The name that JSON Schema has for what a value is, with every number `number`. */
function typeOf(value) {
    if (value === null)
        return 'null';
    if (Array.isArray(value))
        return 'array';
    return typeof value;
}

// EXTERNAL MODULE: ./build/pipeline/pointer.js
var pipeline_pointer = __webpack_require__(2534);
// EXTERNAL MODULE: ./build/verdict/json-schema/references.js
var references = __webpack_require__(2573);
// EXTERNAL MODULE: ./build/verdict/json-schema/walk.js
var walk = __webpack_require__(7178);
;// CONCATENATED MODULE: ./build/verdict/json-schema/prepare.js





/** Put before every URI of a contract, so that the validator meets no scheme that it could fetch or read. */
const PREFIX = 'gateline+';
/**
 * A copy of a schema for the validator:
 * - absolute URIs carry {@link PREFIX}, but for those of the drafts' meta-schemas;
 * - a pointer that leads into a part with an `$id` of its own names that part, since the validator keeps such parts apart;
 * - in draft-07, what stands beside a `$ref` is ignored, as the draft says (§8.3), but for definitions;
 * - annotations are gone, so that an example which looks like a schema cannot be taken for one.
 */
function prepareSchema(schema, draft, base) {
    const copy = structuredClone(schema);
    const places = [];
    (0,walk/* walkSchemas */.uU)(copy, draft, base, (place) => places.push(place));
    const resources = new Map([[prefixed(base), '']]);
    for (const place of places)
        resources.set(prefixed(place.base), (0,pipeline_pointer/* pointerOf */.rq)(place.resourcePath));
    const changes = places.map((place) => ({ place, changed: changed(place) }));
    // All were looked at as written, before the first is changed.
    for (const { place, changed } of changes) {
        for (const key of Object.keys(place.schema))
            Reflect.deleteProperty(place.schema, key);
        Object.assign(place.schema, changed);
    }
    return { schema: copy, resources };
}
function changed(place) {
    const result = {};
    for (const [keyword, value] of Object.entries(place.schema)) {
        if ((0,keywords/* isAnnotation */.Ir)(keyword) && !keyword.startsWith('x-'))
            continue;
        result[keyword] = value;
    }
    if (typeof result['$id'] === 'string')
        result['$id'] = prefixedId(result['$id'], place);
    if (typeof result['$schema'] === 'string')
        result['$schema'] = prefixed(result['$schema']);
    for (const keyword of ['$ref', '$dynamicRef']) {
        const reference = result[keyword];
        if (typeof reference === 'string')
            result[keyword] = prefixedReference(reference, place);
    }
    return place.draft === 'draft-07' && typeof result['$ref'] === 'string' ? referenceOnly(result, place) : result;
}
function referenceOnly(schema, place) {
    const { $ref, $defs, definitions, $schema, $id } = schema;
    const kept = {};
    if ($defs !== undefined)
        kept['$defs'] = $defs;
    if (definitions !== undefined)
        kept['definitions'] = definitions;
    if ($schema !== undefined)
        kept['$schema'] = $schema;
    if ($id !== undefined && place.path.length === 0)
        kept['$id'] = $id;
    return Object.keys(kept).length === 0 ? { $ref: $ref } : { ...kept, allOf: [{ $ref: $ref }] };
}
function prefixedId(id, place) {
    if (id.startsWith('#'))
        return id;
    const fragment = id.slice((0,walk/* withoutFragment */.f2)(id).length);
    return prefixed(place.base) + fragment;
}
function prefixedReference(reference, place) {
    const inner = reference.startsWith('#/') ? intoResource(reference.slice(1), place) : undefined;
    if (inner !== undefined)
        return inner;
    if (reference.startsWith('#'))
        return reference;
    const target = (0,walk/* resolveUri */.Hi)(reference, place.base);
    if (target === undefined)
        return reference;
    return (0,references/* isMetaSchema */.Xe)(target) ? target : prefixed(target);
}
/** A pointer from a resource into a part of it that has an `$id`, as a reference to that part. */
function intoResource(pointer, place) {
    if (!pipeline_pointer/* POINTER_PATTERN */.P2.test(pointer))
        return undefined;
    let found = place.resource;
    let base = place.base;
    let rest = [];
    for (const segment of (0,pipeline_pointer/* pointerSegments */.cP)((0,references/* decoded */.DH)(pointer))) {
        found = Array.isArray(found)
            ? found[Number(segment)]
            : (0,json/* isJsonObject */.O)(found) && Object.hasOwn(found, segment)
                ? found[segment]
                : undefined;
        rest.push(segment);
        const id = (0,json/* isJsonObject */.O)(found) ? found['$id'] : undefined;
        if (typeof id === 'string' && !id.startsWith('#')) {
            base = (0,walk/* withoutFragment */.f2)((0,walk/* resolveUri */.Hi)(id, base) ?? base);
            rest = [];
        }
    }
    if (base === place.base || found === undefined)
        return undefined;
    return `${prefixed(base)}#${encodeURI((0,pipeline_pointer/* pointerOf */.rq)(rest))}`;
}
function prefixed(uri) {
    return uri.startsWith(PREFIX) || (0,references/* isMetaSchema */.Xe)(uri) ? uri : PREFIX + uri;
}

// EXTERNAL MODULE: ./build/verdict/json-pointer.js
var json_pointer = __webpack_require__(8262);
;// CONCATENATED MODULE: ./build/verdict/json-schema/rules.js





/** Finds rules by the URIs that the validator gives them. */
class RuleBook {
    #documents = new Map();
    /** Take in the schemas of a contract. */
    addPrepared(prepared) {
        for (const [uri, pointer] of prepared.resources) {
            this.#documents.set((0,walk/* withoutFragment */.f2)(uri), { root: (0,json_pointer/* valueAt */.f)(prepared.schema, pointer), pointer });
        }
    }
    /** Take in a meta-schema, whose rules are known by their URI alone. */
    addMeta(uri, root) {
        this.#documents.set(uri, { root, pointer: undefined });
    }
    /** The rule of that URI. */
    find(uri) {
        const base = (0,walk/* withoutFragment */.f2)(uri);
        const inner = (0,references/* decoded */.DH)(uri.slice(base.length + 1));
        const document = this.#documents.get(base);
        const pointer = document?.pointer === undefined ? uri : document.pointer + inner;
        const root = (document?.root ?? null);
        const keyword = (0,pipeline_pointer/* pointerSegments */.cP)(inner).at(-1) ?? '';
        const schema = (0,json_pointer/* valueAt */.f)(root, inner.slice(0, Math.max(0, inner.lastIndexOf('/'))));
        const value = (0,json_pointer/* valueAt */.f)(root, inner);
        return { pointer, keyword, value, schema: (0,json/* isJsonObject */.O)(schema) ? schema : {} };
    }
}

;// CONCATENATED MODULE: ./build/verdict/json-schema/validator.js









addFormats();
/**
 * Make a schema ready, by the library `@hyperjump/json-schema`. Reads no file and asks no network: every URI that the
 * library meets has a scheme that it cannot fetch.
 * @throws Error where the schema is not sound; see `checkSchema` for what is wrong with it.
 */
async function createValidator(schema, draft, options) {
    const cache = {};
    const rules = new RuleBook();
    for (const [uri, other] of Object.entries(options.others ?? {})) {
        keep(cache, prepareSchema(other, draft, uri), draft);
    }
    const prepared = prepareSchema(schema, draft, options.base);
    rules.addPrepared(prepared);
    const uri = keep(cache, prepared, draft);
    const compiled = await (0,experimental/* compile */.wE)(await (0,experimental/* getSchema */._w)(uri, { _cache: cache }));
    const formats = options.formats ?? true;
    return { rules, validate: (value) => withFormats(formats, () => run(compiled, value)) };
}
/** Documents that make up each draft's meta-schema. */
const META_DOCUMENTS = {
    '2020-12': [
        keywords/* DRAFT_URIS */.sW['2020-12'],
        ...['core', 'applicator', 'unevaluated', 'validation', 'meta-data', 'format-annotation', 'content'].map((name) => `https://json-schema.org/draft/2020-12/meta/${name}`),
    ],
    'draft-07': [keywords/* DRAFT_URIS */.sW['draft-07']],
};
/** The validator of a draft's own meta-schema. */
async function createMetaValidator(draft) {
    const rules = new RuleBook();
    for (const uri of META_DOCUMENTS[draft])
        rules.addMeta(uri, (await (0,experimental/* getSchema */._w)(uri)).document.root);
    const compiled = await (0,experimental/* compile */.wE)(await (0,experimental/* getSchema */._w)(keywords/* DRAFT_URIS */.sW[draft]));
    return { rules, validate: (value) => withFormats(false, () => run(compiled, value)) };
}
function keep(cache, ready, draft) {
    const retrieval = ready.resources.keys().next().value;
    const document = (0,experimental/* buildSchemaDocument */.Vy)(ready.schema, retrieval, keywords/* DRAFT_URIS */.sW[draft]);
    cache[retrieval] = document;
    return retrieval;
}
function run(compiled, value) {
    const node = nodeOf(value);
    // Twice for a value that fails: without a plugin the library takes a faster way, and most values pass.
    if ((0,experimental/* interpret */.U4)(compiled, node, 'FLAG').valid)
        return { errors: [], total: 0 };
    const collector = new ErrorCollector();
    (0,experimental/* interpret */.U4)(compiled, node, { outputFormat: 'FLAG', plugins: [collector] });
    return collector.found;
}
/** The library's switch for `format` is one for the whole process; it is set for this call and put back. */
function withFormats(judge, call) {
    const before = (0,draft_07/* getShouldValidateFormat */.pg)();
    (0,draft_07/* setShouldValidateFormat */.DZ)(judge);
    try {
        return call();
    }
    finally {
        (0,draft_07/* setShouldValidateFormat */.DZ)(before);
    }
}


/***/ })

};
