export const id=7975;export const ids=[7975];export const modules={97975:((e,t,n)=>{n.r(t),n.d(t,{execute:()=>execute});var r=n(22077),i=n(65158);let a=[`bash`,`zsh`,`fish`],o=`gateline graph --names 2>/dev/null`,s=new Set([`GATE`]),c=new Set([`FILE`,`PATH`,`DIR`]);function completionScript(e,t){return{bash,zsh,fish}[e](t)}function bash(e){let t=e.map(({name:e})=>e).join(` `),n=e.flatMap(({name:e,options:t})=>t.filter(({value:e})=>e!==void 0).map(t=>({option:t,name:e}))),after=e=>n.filter(({option:t})=>e(t.value)).flatMap(({name:e,option:t})=>spellings(t).map(t=>`"${e} ${t}"`)).join(` | `),isOther=e=>!s.has(e)&&!c.has(e);return`# Completion of gateline for bash: eval "$(gateline completion bash)" in ~/.bashrc
_gateline() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command=\${COMP_WORDS[1]} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${t}" -- "$current"))
    return
  fi
  case "$command $before" in
    ${after(e=>s.has(e))})
      COMPREPLY=($(compgen -W "$(${o})" -- "$current")); return ;;
    ${after(e=>c.has(e))})
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
    ${e.filter(takesGate).map(({name:e})=>e).join(` | `)})
      case "$current" in -*) ;; *) words="$words $(${o})" ;; esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _gateline gateline
`}function zsh(e){let quoted=e=>`'${e.replaceAll(`'`,`'\\''`)}'`,plain=e=>e.replace(/[[\]:\\]/g,`\\$&`),action=e=>s.has(e)?`_gateline_gates`:c.has(e)?`_files`:` `,optionOf=e=>spellings(e).map(t=>{let n=e.value===void 0?``:`:${e.value}:${action(e.value)}`;return quoted(`${e.multiple===!0?`*`:``}${t}[${plain(e.help)}]${n}`)}),positionalsOf=({positionals:e})=>e.map(({name:e},t)=>quoted(`${t+1}:${e}:${action(e)}`)),t=e.map(e=>`    ${e.name}) _arguments -s ${[...e.options.flatMap(optionOf),...positionalsOf(e)].join(` `)} ;;`);return`#compdef gateline
# Completion of gateline for zsh: save as _gateline in a folder of $fpath, or eval "$(gateline completion zsh)" after compinit
_gateline_gates() {
  local -a gates
  gates=(\${(f)"$(${o})"})
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
${e.flatMap(e=>{let t=`-n ${quoted(`__fish_seen_subcommand_from ${e.name}`)}`,n=e.options.map(e=>{let n=e.value===void 0?``:c.has(e.value)?` -r -F`:` -x${choicesOf(e.value)}`,r=e.short===void 0?``:` -s ${e.short}`;return`complete -c gateline ${t} -l ${e.name}${r}${n} -d ${quoted(e.help)}`}),r=takesGate(e)?[`complete -c gateline ${t} -a '(${o})'`]:[];return[`complete -c gateline -n __fish_use_subcommand -a ${e.name} -d ${quoted(e.summary)}`,...n,...r]}).join(`
`)}
`}function choicesOf(e){return s.has(e)?` -a '(${o})'`:``}function takesGate({positionals:e}){return e.some(({name:e})=>s.has(e))}function spellings({name:e,short:t}){return[`--${e}`,...t===void 0?[]:[`-${t}`]]}function wordsOf(e){return e.options.map(({name:e})=>`--${e}`).join(` `)}async function execute({world:e,positionals:t}){let[o=``]=t,s=a.find(e=>e===o);if(s===void 0)throw new r.Mk(`OPTION_VALUE`,`there is no completion for ${o}`,{hint:`Shells: ${a.join(`, `)}.`});let{COMMANDS:c}=await Promise.resolve().then(n.bind(n,99034));return e.out.write(completionScript(s,c)),i.ai.ok}})};