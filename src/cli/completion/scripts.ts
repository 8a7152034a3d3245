export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/**
 * Script that a shell loads. It only calls `mcp __complete`, so that it never becomes outdated. Words are passed after `--`
 * because options among them are not options of `__complete`.
 */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell]
}

const BASH = `# bash completion of mcp
_mcp() {
  local line words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <("\${COMP_WORDS[0]}" __complete -- "\${words[@]}" 2>/dev/null)
  [[ \${#COMPREPLY[@]} -eq 0 ]] && compopt -o default
}
complete -F _mcp mcp
`

const ZSH = `#compdef mcp
_mcp() {
  local line
  local -a described
  for line in "\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n "$line" ]] && described+=("\${\${line%%$'\\t'*}//:/\\\\:}\${\${(M)line%$'\\t'*}:+:\${line#*$'\\t'}}")
  done
  if (( \${#described} )); then _describe mcp described; else _files; fi
}
if [[ "\${funcstack[1]}" == _mcp ]]; then _mcp "$@"; else compdef _mcp mcp; fi
`

const FISH = `# fish completion of mcp
function __mcp_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] __complete -- $words[2..-1] 2>/dev/null
end
complete -c mcp -f -a '(__mcp_complete)'
complete -c mcp -n 'test (count (__mcp_complete)) -eq 0' -F
`

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
