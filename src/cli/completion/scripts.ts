export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/**
 * Script that a shell loads. The script only calls `mcp __complete`, so that it never becomes outdated. Words are passed after
 * `--` because options among them are not options of `__complete`. An exit code other than 0 means that file names are also
 * possible.
 */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell]
}

/**
 * bash splits words at the characters of COMP_WORDBREAKS, such as `=` and `:`. The loop joins the parts again. Suggestions omit
 * everything up to the last of these characters, because bash only replaces the text after it.
 */
const BASH = `# bash completion for mcp
_mcp() {
  local line word cut files=1 i rest="\${COMP_LINE:0:COMP_POINT}" words=() out
  for (( i = 0; i <= COMP_CWORD; i++ )); do
    word="\${COMP_WORDS[i]}"
    (( i == COMP_CWORD )) && word="\${word:0:\${#rest}}"
    if (( i > 0 )) && [[ "$rest" != [[:space:]]* && \${#words[@]} -gt 0 ]]; then
      words[\${#words[@]}-1]+="$word"
    else
      rest="\${rest#"\${rest%%[![:space:]]*}"}"
      words+=("$word")
    fi
    rest="\${rest#"$word"}"
  done
  COMPREPLY=()
  out="$("\${words[0]}" __complete -- "\${words[@]:1}" 2>/dev/null)" && files=
  word="\${words[\${#words[@]}-1]}"
  cut="\${word%"\${word##*[=:]}"}"
  [[ "$COMP_WORDBREAKS" == *[=:]* ]] || cut=
  while IFS= read -r line; do
    line="\${line%%$'\\t'*}"
    [[ -n "$line" ]] && COMPREPLY+=("$(printf '%q' "\${line#"$cut"}")")
  done <<< "$out"
  if [[ \${#COMPREPLY[@]} -eq 0 ]]; then
    [[ -n "$files" ]] && compopt -o default
  elif [[ "\${COMPREPLY[*]}" == *= ]]; then
    compopt -o nospace
  fi
  return 0
}
complete -F _mcp mcp
`

const ZSH = `#compdef mcp
_mcp() {
  local line out value files=
  local -a values names open openNames
  out="$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)" || files=1
  for line in "\${(@f)out}"; do
    value="\${line%%$'\\t'*}"
    [[ -z "$value" ]] && continue
    if [[ "$line" == *$'\\t'* ]]; then line="$value  -- \${line#*$'\\t'}"; fi
    if [[ "$value" == *= ]]; then open+=("$value"); openNames+=("$line"); else values+=("$value"); names+=("$line"); fi
  done
  (( \${#open} )) && compadd -S '' -l -d openNames -a open
  (( \${#values} )) && compadd -l -d names -a values
  (( \${#open} + \${#values} )) && return 0
  if [[ -n "$files" ]]; then _files; else return 1; fi
}
if [[ "\${funcstack[1]}" == _mcp ]]; then _mcp "$@"; else compdef _mcp mcp; fi
`

const FISH = `# fish completion for mcp
function __mcp_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l out ($words[1] __complete -- $words[2..-1] 2>/dev/null)
  if test $status -ne 0 -a (count $out) -eq 0
    __fish_complete_path (commandline -ct)
  else
    string join \\n -- $out
  end
end
complete -c mcp -f -a '(__mcp_complete)'
`

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
