export const id=7975;export const ids=[7975];export const modules={97975:((e,t,n)=>{n.r(t),n.d(t,{execute:()=>execute});var r=n(13784),i=n(86577),a=n(65158);let o=[`bash`,`zsh`,`fish`],s=`gateline graph --names 2>/dev/null`,c=new Set([`GATE`]),l=new Set([`FILE`,`PATH`,`DIR`]);function completionScript(e,t){return{bash,zsh,fish}[e](t)}function bash(e){let t=e.map(({name:e})=>e).join(` `),n=e.flatMap(({name:e,options:t})=>t.filter(({value:e})=>e!==void 0).map(t=>({option:t,name:e}))),after=e=>n.filter(({option:t})=>e(t.value)).flatMap(({name:e,option:t})=>spellings(t).map(t=>`"${e} ${t}"`)).join(` | `),isOther=e=>!c.has(e)&&!l.has(e);return`# Completion of gateline for bash: eval "$(gateline completion bash)" in ~/.bashrc
_gateline() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command=\${COMP_WORDS[1]} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${t}" -- "$current"))
    return
  fi
  case "$command $before" in
    ${after(e=>c.has(e))})
      COMPREPLY=($(compgen -W "$(${s})" -- "$current")); return ;;
    ${after(e=>l.has(e))})
      COMPREPLY=($(compgen -f -- "$current")); return ;;
    ${after(isOther)})
      return ;;
  esac
  case "$command" in
${e.map(e=>`    ${e.name}) words="${wordsOf(e)}" ;;`).join(`
`)}
    help) words="${t}" ;;
  esac
  case "$command" in
    ${namesOf(e,takesGate)})
      case "$current" in -*) ;; *) words="$words $(${s})" ;; esac ;;
    ${namesOf(e,takesFile)})
      case "$current" in -*) ;; *) COMPREPLY=($(compgen -f -- "$current")) ;; esac ;;
  esac
  COMPREPLY+=($(compgen -W "$words" -- "$current"))
}
complete -F _gateline gateline
`}function zsh(e){let quoted=e=>`'${e.replaceAll(`'`,`'\\''`)}'`,plain=e=>e.replace(/[[\]:\\]/g,`\\$&`),action=e=>c.has(e)?`_gateline_gates`:l.has(e)?`_files`:` `,optionOf=e=>spellings(e).map(t=>{let n=e.value===void 0?``:`:${e.value}:${action(e.value)}`;return quoted(`${e.multiple===!0?`*`:``}${t}[${plain(e.help)}]${n}`)}),positionalsOf=({positionals:e})=>e.map(({name:e,words:t},n)=>quoted(`${n+1}:${e}:${t===void 0?action(e):`(${t.join(` `)})`}`)),t=e.map(e=>`    ${e.name}) _arguments -s ${[...e.options.flatMap(optionOf),...positionalsOf(e)].join(` `)} ;;`);return`#compdef gateline
# Completion of gateline for zsh: save as _gateline in a folder of $fpath, or eval "$(gateline completion zsh)" after compinit
_gateline_gates() {
  local -a gates
  gates=(\${(f)"$(${s})"})
  compadd -a gates
}
_gateline() {
  if (( CURRENT == 2 )); then
    local -a commands
    commands=(${e.map(({name:e,summary:t})=>quoted(`${e}:${t}`)).join(` `)})
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${t.join(`
`)}
  esac
}
if [ "$funcstack[1]" = _gateline ]; then _gateline "$@"; else compdef _gateline gateline; fi
`}function fish(e){let quoted=e=>`'${e.replaceAll(`\\`,`\\\\`).replaceAll(`'`,`\\'`)}'`;return`# Completion of gateline for fish: gateline completion fish > ~/.config/fish/completions/gateline.fish
complete -c gateline -f
${e.flatMap(e=>{let t=`-n ${quoted(`__fish_seen_subcommand_from ${e.name}`)}`,n=e.options.map(e=>{let n=e.value===void 0?``:l.has(e.value)?` -r -F`:` -x${choicesOf(e.value)}`,r=e.short===void 0?``:` -s ${e.short}`;return`complete -c gateline ${t} -l ${e.name}${r}${n} -d ${quoted(e.help)}`}),r=e.positionals.flatMap(e=>e.words??[]).join(` `),i=r===``?[]:[`complete -c gateline ${t} -a ${quoted(r)}`],a=takesFile(e)?[`complete -c gateline ${t} -F`]:[],o=takesGate(e)?[`complete -c gateline ${t} -a '(${s})'`]:[];return[`complete -c gateline -n __fish_use_subcommand -a ${e.name} -d ${quoted(e.summary)}`,...n,...i,...a,...o]}).join(`
`)}
`}function choicesOf(e){return c.has(e)?` -a '(${s})'`:``}function takesGate({positionals:e}){return e.some(({name:e})=>c.has(e))}function takesFile({positionals:e}){return e.some(({name:e})=>l.has(e))}function namesOf(e,t){return e.filter(t).map(({name:e})=>e).join(` | `)}function spellings({name:e,short:t}){return[`--${e}`,...t===void 0?[]:[`-${t}`]]}function wordsOf(e){let t=e.positionals.flatMap(({words:e=[]})=>e);return[...e.options.map(({name:e})=>`--${e}`),...t].join(` `)}async function execute({world:e,positionals:t,commands:n}){let[s=``]=t,c=o.find(e=>e===s);if(c===void 0)throw new r.Mk(`OPTION_VALUE`,`there is no completion for ${s}`,{hint:`Shells: ${o.join(`, `)}.`});return e.out.write(completionScript(c,[...n,...i.G])),a.ai.ok}})};