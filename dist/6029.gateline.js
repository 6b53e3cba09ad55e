export const id=6029;export const ids=[6029,5230,9179];export const modules={33192:((e,t,n)=>{n.d(t,{kV:()=>recordedOption,vU:()=>textOption,y8:()=>listOption});var r=n(42280);function textOption(e,t){let n=e[t];return typeof n==`string`?n:void 0}function recordedOption(e,t,n){let i=textOption(e,t);if(i===void 0||i.length<=n)return i;throw new r.Mk(`OPTION_VALUE`,`--${t} has ${i.length} characters; at most ${n} are kept`,{hint:`Write a shorter text.`})}function listOption(e,t){let n=e[t];return Array.isArray(n)?n:[]}}),41984:((e,t,n)=>{n.r(t),n.d(t,{TEMPLATES:()=>v,execute:()=>execute});var r=n(51455),i=n(76760),a=n(42280),o=n(72466),s=n(99179),c=n(4469),l=n(19328),u=n(33192),d=n(65158),f=n(42079),p=n(15628),m=n(30172);let schema=(e,t)=>`{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ${JSON.stringify(e)},
  "properties": ${t}
}
`,h={name:`agents`,summary:`design, implement, review and verify, with a schema for each`,files:{"gateline.yml":`# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
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
    files: changed
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
`,"agents/design.sh":`# Replace this by the agent that designs. Its input is in the file $GATELINE_REQUEST.
printf '{"steps": ["write hello.txt"], "score": 90}' > "$GATELINE_OUTPUT"
`,"agents/implement.sh":`# Replace this by the agent that implements. On a retry, $GATELINE_FEEDBACK says what was wrong.
echo hello > hello.txt
printf '{"changed": ["hello.txt"]}' > "$GATELINE_OUTPUT"
`,"agents/review.sh":`# Replace this by the agent that reviews.
if grep -q hello hello.txt; then critical=0; else critical=1; fi
printf '{"critical": %s, "comments": []}' "$critical" > "$GATELINE_OUTPUT"
`,"agents/verify.sh":`# Replace this by the command that verifies.
if [ "$(cat hello.txt)" = hello ]; then passed=true; else passed=false; fi
printf '{"passed": %s}' "$passed" > "$GATELINE_OUTPUT"
`,"schemas/design.schema.json":schema([`steps`,`score`],`{ "steps": { "type": "array", "minItems": 1, "items": { "type": "string" } }, "score": { "type": "number" } }`),"schemas/implement.schema.json":schema([`changed`],`{ "changed": { "type": "array", "items": { "type": "string" } } }`),"schemas/review.schema.json":schema([`critical`,`comments`],`{ "critical": { "type": "integer" }, "comments": { "type": "array", "items": { "type": "string" } } }`),"schemas/verify.schema.json":schema([`passed`],`{ "passed": { "type": "boolean" } }`)}},g={name:`single`,summary:`one gate with an inline contract`,files:{"gateline.yml":`# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
pipeline: single
gates:
  summarise:
    # Replace this by your agent. It reads $GATELINE_REQUEST and writes JSON to $GATELINE_OUTPUT.
    run: |
      printf '{"summary": "nothing yet", "score": 90}' > "$GATELINE_OUTPUT"
    shell: sh
    # Input files: part of the fingerprint. None here; without this line, every file that git does not ignore.
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
`}};async function execute({world:e,options:t}){if(t.list){let n=v.map(({name:e,summary:t})=>({name:e,summary:t}));if(t.json)(0,f.Q)(e,{format:`gateline-templates/1`,templates:n});else for(let{name:t,summary:r}of n)(0,p.c)(e.out,`${t.padEnd(10)} ${r}`);return d.ai.ok}let n=templateNamed((0,u.vU)(t,`template`)??v[0].name),r={...n.files,...t.workflow===!0&&await compiled(e,n)},a=Object.keys(r),o=t[`dry-run`]!==!0;if(await refuseExisting(e.workingDirectory,a),o)for(let t of a)await writeNew((0,i.join)(e.workingDirectory,t),r[t]);if(t.json)return(0,f.Q)(e,{format:`gateline-init/1`,template:n.name,written:o,files:a}),d.ai.ok;for(let t of a)e.out.write(`${o?`wrote`:`would write`} ${t}\n`);return o&&(0,p.c)(e.out,`\n${_}`),d.ai.ok}let _="Next: `gateline plan` shows what would run, `gateline run` runs it, `gateline compile` writes the workflow that runs it on GitHub.";async function compiled(e,{files:t}){let n=(0,s.parsePipeline)(t[c.Yc[0]],c.Yc[0]);if(!n.ok)throw new o.i(n.problems);let{pipeline:r}=n,a=e.workingDirectory,{name:l,text:u}=await(0,m.E)(e,{},{pipeline:r,root:a,path:(0,i.join)(a,c.Yc[0])});return{[l]:u}}function templateNamed(e){let t=v.find(t=>t.name===e);if(t!==void 0)return t;let n=v.map(e=>e.name),r=(0,l.au)(e,n),i=r===void 0?``:`; ${r}`;throw new a.Mk(`TEMPLATE_UNKNOWN`,`there is no template ${e}${i}`,{hint:`Templates: ${n.join(`, `)}.`})}async function refuseExisting(e,t){let n=[];for(let r of t)await exists((0,i.join)(e,r))&&n.push(r);if(n.length!==0)throw new a.Mk(`FILE_EXISTS`,`${n.join(`, `)}: already there; nothing was written`)}async function exists(e){try{return await(0,r.lstat)(e),!0}catch(t){if((0,a.Or)(t,`ENOENT`))return!1;throw new a.Mk(`FILE_UNREADABLE`,`${e} cannot be looked at: ${(0,a.bD)(t)}`,{fault:`platform`,hint:`Check what is in its place and who owns it.`,cause:t})}}async function writeNew(e,t){try{await(0,r.mkdir)((0,i.dirname)(e),{recursive:!0}),await(0,r.writeFile)(e,t,{flag:`wx`})}catch(t){throw new a.Mk(`FILE_UNWRITABLE`,`${e} cannot be written: ${(0,a.bD)(t)}`,{cause:t})}}let v=[h,g]}),99179:((e,t,n)=>{n.d(t,{parsePipeline:()=>parsePipeline});var r=n(52656),i=n(85230);function parsePipeline(e,t){return(0,r.A)((0,i.readSource)(e,t))}}),85230:((e,t,n)=>{n.r(t),n.d(t,{MAX_SOURCE_BYTES:()=>d,readSource:()=>readSource});var r=n(38815),i=n(19328),a=n(31094);let o=1e5;class YamlConversion{#e;#t;#n;#r=new Set;#i=0;constructor(e,t){this.#e=e,this.#t=t,this.#n=aliasTargets(e)}run(){let e=this.#a(this.#e.contents,``,0,0);return this.#i>o?void 0:e}#a(e,t,n,i){let a=e?.range?.[0]??n;if(this.#i+=1,this.#i>o)return this.#i===100001&&this.#t.report(a,t,s),null;if(i>64)return this.#t.report(a,t,c),null;if((0,r.Vj)(e))return this.#o(e,t,n,i);if(this.#t.spots.set(t,{key:t===``?a:n,value:a,node:e}),e===null)return null;if((0,r.jn)(e))return this.#s(e.value,a,t);this.#r.add(e);let l=(0,r.jh)(e)?this.#l(e,t,i):this.#c(e,t,i);return this.#r.delete(e),l}#o(e,t,n,r){let a=e.range?.[0]??n,o=this.#n.get(e);if(o!==void 0&&!this.#r.has(o))return this.#a(o,t,n,r);this.#t.spots.set(t,{key:n,value:a,node:e});let s=(0,i.TL)(`*${e.source}`),c=o===void 0?`no anchor of that name is defined before it`:`it is inside its own anchor`,l=/[*/.]/.test(e.source)?"put a glob that begins with `*` in quotes":void 0;return this.#t.report(a,t,{code:`YAML_ALIAS`,message:`alias ${s}: ${c}`,hint:l}),null}#s(e,t,n){if(typeof e==`string`)return e.isWellFormed()||this.#t.report(t,n,l),e;if(typeof e!=`number`)return e===!0||e===!1?e:null;if(!Number.isFinite(e)){let r=`${e} is not a JSON value`;return this.#t.report(t,n,{code:`VALUE_INVALID`,message:r,hint:`put it in quotes if you mean text`}),null}if(Number.isInteger(e)&&!Number.isSafeInteger(e)){let r=`a whole number this large loses digits: it is read as ${e}`;this.#t.report(t,n,{severity:`warning`,code:`NUMBER_CHANGED`,message:r,hint:`put it in quotes`})}return Object.is(e,-0)?0:e}#c(e,t,n){return((0,r.oP)(e)?e.items:[]).map((e,r)=>this.#a(e,`${t}/${r}`,e?.range?.[0]??0,n+1))}#l(e,t,n){let i=Object.create(null),o=new Map;for(let{key:s,value:c}of e.items){let l=(0,r.Vj)(s)?this.#n.get(s):s,u=(0,r.jn)(l)?String(l.value):``,d=s?.range?.[0]??e.range?.[0]??0,f=t+(0,a.rq)([u]),p=this.#u(u,o.get(u));p===void 0?(o.set(u,d),i[u]=this.#a(c,f,d,n+1)):this.#t.report(d,f,p)}return i}#u(e,t){return t===void 0?e===`<<`?u:e===`__proto__`?{code:`KEY_RESERVED`,message:"the key `__proto__` is not allowed"}:e.isWellFormed()?void 0:l:{code:`KEY_DUPLICATE`,message:`key ${(0,i.TL)(e)} is given twice; the first is on line ${this.#t.lineOf(t)}`}}}let s={code:`FILE_TOO_LARGE`,message:`the file has more than ${o} values, including those that aliases repeat`},c={code:`FILE_TOO_DEEP`,message:`maps and lists are nested more than 64 deep`},l={code:`TEXT_INVALID`,message:`half a surrogate pair is not a character`,hint:`write the character itself, or both halves of its escape`},u={code:`YAML_MERGE`,message:"the merge key `<<` is not part of YAML 1.2, and GitHub does not support it either",hint:`use an alias for a whole value, or write the keys out`};function aliasTargets(e){let t=new Map,n=new Map;return(0,r.YR)(e,{Node:(e,i)=>{if((0,r.Vj)(i)){let e=t.get(i.source);e!==void 0&&n.set(i,e)}else i.anchor!==void 0&&t.set(i.anchor,i)}}),n}let d=1048576;function readSource(e,t){let n=e.startsWith(`﻿`)?e.slice(1):e,a=lineStarts(n),o=new Map,s=[],placeAt=(e,n)=>{let{line:r,col:i}=a.linePos(e);return{file:t,line:Math.max(r,1),column:Math.max(i,1),pointer:n}},problemAt=(e,t,n)=>{let{code:r,hint:a,severity:o=`error`}=n;return{severity:o,code:r,message:(0,i.r4)(n),...a===void 0?{}:{hint:a},place:placeAt(e,t)}},spotOf=e=>{let t=e;for(;!o.has(t)&&t!==``;)t=t.slice(0,t.lastIndexOf(`/`));return o.get(t)??{key:0,value:0,node:null}},source=e=>({value:e,problems:s,at:(e,t)=>{let r=spotOf(e),i=t.offset===void 0?0:shiftInto(r.node,n,t.offset);return problemAt((t.of===`key`?r.key:r.value)+i,e,t)},placeOf:e=>placeAt(spotOf(e).key,e),numberAsWritten:e=>{let t=o.get(e)?.node;return(0,r.jn)(t)&&typeof t.value==`number`?t.source:void 0},isLiteral:()=>!1}),c=unreadable(n);if(c!==void 0)return s.push(problemAt(c.offset??0,``,c)),source(void 0);let l=(0,r.parseDocument)(n,{prettyErrors:!1,uniqueKeys:!1,stringKeys:!0,merge:!1,schema:`core`,resolveKnownTags:!1,version:`1.2`,logLevel:`error`}),u=syntaxErrors(l);if(u.length>0){for(let e of u)s.push(problemAt(e.pos[0],``,explainSyntax(e)));return source(void 0)}let d=l.directives?.yaml;return d?.explicit===!0&&d.version!==`1.2`?(s.push(problemAt(0,``,f)),source(void 0)):source(new YamlConversion(l,{spots:o,report:(e,t,n)=>void s.push(problemAt(e,t,n)),lineOf:e=>a.linePos(e).line}).run())}function shiftInto(e,t,n){if(!(0,r.jn)(e)||typeof e.value!=`string`||!e.range)return 0;let{value:i}=e,a=e.range[0];for(let e of[0,1])if(t.startsWith(i,a+e))return e+n;return 0}let f={code:`YAML_VERSION`,message:`only YAML 1.2 is supported`,hint:"leave out the `%YAML` line"},p=new Set([``,``,``]),m=/[^\P{Cc}\t\n\r\u0085]|[\uFFFE\uFFFF]/u;function unreadable(e){if((e.length>d?e.length:Buffer.byteLength(e))>d)return{code:`FILE_TOO_LARGE`,message:`the file is larger than ${d} bytes`,hint:`keep prompts and schemas in separate files`};let t=m.exec(e);if(t!==null)return{code:`YAML_SYNTAX`,message:`character U+${t[0].charCodeAt(0).toString(16).toUpperCase().padStart(4,`0`)} is not allowed in YAML`,hint:`is the file saved as UTF-8 text?`,offset:t.index};let n=tooDeepAt(e);return n===void 0?void 0:{...h,offset:n}}function tooDeepAt(e){let t=0,n=0;for(let i of new r.JG().lex(e)){if(i===`[`||i===`{`?n+=1:(i===`]`||i===`}`)&&(n=Math.max(0,n-1)),n>64)return t;p.has(i)||(t+=i.length)}}function lineStarts(e){let t=new r.HN;t.addNewLine(0);for(let n=e.indexOf(`
`);n>=0;n=e.indexOf(`
`,n+1))t.addNewLine(n+1);return t}function syntaxErrors(e){return[...e.errors,...e.warnings].filter((e,t)=>t===0||!e.message.includes(` in YAML stream`)).slice(0,20)}let h={code:`FILE_TOO_DEEP`,message:`maps and lists are nested more than 64 deep`};function explainSyntax(e){let t=(0,i.SP)(e.message,200);switch(e.code){case`MULTIPLE_DOCS`:return{code:`YAML_DOCUMENTS`,message:`the file has more than one document`,hint:"remove everything from this `---` on, or use one file per pipeline"};case`TAB_AS_INDENT`:return{code:`YAML_SYNTAX`,message:`a tab is used as indentation`,hint:`use spaces`};case`NON_STRING_KEY`:return{code:`YAML_SYNTAX`,message:`a key must be text, not a map or a list`};case`RESOURCE_EXHAUSTION`:return h;case`TAG_RESOLVE_FAILED`:return{code:`YAML_TAG`,message:t,hint:"remove the tag; put text that begins with `!` in quotes"};case`BLOCK_AS_IMPLICIT_KEY`:return{code:`YAML_SYNTAX`,message:t,hint:"put text that holds `: ` in quotes"};default:return{code:`YAML_SYNTAX`,message:t}}}}),47612:((e,t,n)=>{n.d(t,{C:()=>readBounded,M:()=>readNamed});var r=n(51455),i=n(24591),__addDisposableResource=function(e,t,n){if(t!=null){if(typeof t!=`object`&&typeof t!=`function`)throw TypeError(`Object expected.`);var dispose,r;if(n){if(!Symbol.asyncDispose)throw TypeError(`Symbol.asyncDispose is not defined.`);dispose=t[Symbol.asyncDispose]}if(dispose===void 0){if(!Symbol.dispose)throw TypeError(`Symbol.dispose is not defined.`);dispose=t[Symbol.dispose],n&&(r=dispose)}if(typeof dispose!=`function`)throw TypeError(`Object not disposable.`);r&&(dispose=function(){try{r.call(this)}catch(e){return Promise.reject(e)}}),e.stack.push({value:t,dispose,async:n})}else n&&e.stack.push({async:!0});return t},a=(function(e){return function(t){function fail(n){t.error=t.hasError?new e(n,t.error,`An error was suppressed during disposal.`):n,t.hasError=!0}var n,r=0;function next(){for(;n=t.stack.pop();)try{if(!n.async&&r===1)return r=0,t.stack.push(n),Promise.resolve().then(next);if(n.dispose){var e=n.dispose.call(n.value);if(n.async)return r|=2,Promise.resolve(e).then(next,function(e){return fail(e),next()})}else r|=1}catch(e){fail(e)}if(r===1)return t.hasError?Promise.reject(t.error):Promise.resolve();if(t.hasError)throw t.error}return next()}})(typeof SuppressedError==`function`?SuppressedError:function(e,t,n){var r=Error(n);return r.name=`SuppressedError`,r.error=e,r.suppressed=t,r});async function readNamed(e,t){let n={stack:[],error:void 0,hasError:!1};try{let a=await readBounded(__addDisposableResource(n,await(0,i.g)(await(0,r.realpath)(e)),!0),t);if(a===`not-plain`)throw Error(`it is not a plain file`);if(a===`too-large`)throw Error(`it has more than ${t.toLocaleString(`en`)} bytes`);return a}catch(e){n.error=e,n.hasError=!0}finally{let e=a(n);e&&await e}}async function readBounded(e,t){let n=await e.stat();if(!n.isFile())return`not-plain`;if(n.size>t)return`too-large`;let r=[];for await(let n of e.createReadStream({end:t,autoClose:!1}))r.push(n);let i=Buffer.concat(r);return i.length>t?`too-large`:i}})};