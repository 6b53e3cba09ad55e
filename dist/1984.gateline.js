export const id=1984;export const ids=[1984];export const modules={33192:((e,t,n)=>{n.d(t,{kV:()=>recordedOption,vU:()=>textOption,y8:()=>listOption});var r=n(85932);function textOption(e,t){let n=e[t];return typeof n==`string`?n:void 0}function recordedOption(e,t,n){let i=textOption(e,t);if(i===void 0||i.length<=n)return i;throw new r.Mk(`OPTION_VALUE`,`--${t} has ${i.length} characters; at most ${n} are kept`,{hint:`Write a shorter text.`})}function listOption(e,t){let n=e[t];return Array.isArray(n)?n:[]}}),41984:((e,t,n)=>{n.r(t),n.d(t,{TEMPLATES:()=>p,execute:()=>execute});var r=n(51455),i=n(76760),a=n(85932),o=n(19328),s=n(33192),c=n(65158),l=n(42079),u=n(15628);let schema=(e,t)=>`{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ${JSON.stringify(e)},
  "properties": ${t}
}
`,d={name:`agents`,summary:`design, implement, review and verify, with a schema for each`,files:{"gateline.yml":`# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
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
`,"schemas/design.schema.json":schema([`steps`,`score`],`{ "steps": { "type": "array", "minItems": 1, "items": { "type": "string" } }, "score": { "type": "number" } }`),"schemas/implement.schema.json":schema([`changed`],`{ "changed": { "type": "array", "items": { "type": "string" } } }`),"schemas/review.schema.json":schema([`critical`,`comments`],`{ "critical": { "type": "integer" }, "comments": { "type": "array", "items": { "type": "string" } } }`),"schemas/verify.schema.json":schema([`passed`],`{ "passed": { "type": "boolean" } }`)}},f={name:`single`,summary:`one gate with an inline contract`,files:{"gateline.yml":`# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
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
`}};async function execute({world:e,options:t}){if(t.list){let n=p.map(({name:e,summary:t})=>({name:e,summary:t}));if(t.json)(0,l.Q)(e,{format:`gateline-templates/1`,templates:n});else for(let{name:t,summary:r}of n)(0,u.c)(e.out,`${t.padEnd(10)} ${r}`);return c.ai.ok}let n=templateNamed((0,s.vU)(t,`template`)??p[0].name),r=Object.keys(n.files),a=t[`dry-run`]!==!0;if(await refuseExisting(e.workingDirectory,r),a)for(let t of r)await writeNew((0,i.join)(e.workingDirectory,t),n.files[t]);if(t.json)return(0,l.Q)(e,{format:`gateline-init/1`,template:n.name,written:a,files:r}),c.ai.ok;for(let t of r)e.out.write(`${a?`wrote`:`would write`} ${t}\n`);return a&&(0,u.c)(e.out,"\nNext: `gateline plan` shows what would run, `gateline run` runs it."),c.ai.ok}function templateNamed(e){let t=p.find(t=>t.name===e);if(t!==void 0)return t;let n=p.map(e=>e.name),r=(0,o.au)(e,n),i=r===void 0?``:`; ${r}`;throw new a.Mk(`TEMPLATE_UNKNOWN`,`there is no template ${e}${i}`,{hint:`Templates: ${n.join(`, `)}.`})}async function refuseExisting(e,t){let n=[];for(let r of t)await exists((0,i.join)(e,r))&&n.push(r);if(n.length!==0)throw new a.Mk(`FILE_EXISTS`,`${n.join(`, `)}: already there; nothing was written`)}async function exists(e){try{return await(0,r.lstat)(e),!0}catch(t){if((0,a.Or)(t,`ENOENT`))return!1;throw new a.Mk(`FILE_UNREADABLE`,`${e} cannot be looked at: ${(0,a.bD)(t)}`,{fault:`platform`,hint:`Check what is in its place and who owns it.`,cause:t})}}async function writeNew(e,t){try{await(0,r.mkdir)((0,i.dirname)(e),{recursive:!0}),await(0,r.writeFile)(e,t,{flag:`wx`})}catch(t){throw new a.Mk(`FILE_UNWRITABLE`,`${e} cannot be written: ${(0,a.bD)(t)}`,{cause:t})}}let p=[d,f]})};