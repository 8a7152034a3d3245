import { HostingError } from '../../shared/errors.ts'
import { printable } from '../../shared/format/printable.ts'
import { defineCommand } from '../command-line/command.ts'
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts'
import { completionScript, SHELLS, type Shell } from '../completion/scripts.ts'

const INSTALL: Readonly<Record<Shell, string>> = {
  bash: 'mcp completion bash > ~/.local/share/bash-completion/completions/mcp',
  zsh: 'mcp completion zsh > "$fpath[1]/_mcp"',
  fish: 'mcp completion fish > ~/.config/fish/completions/mcp.fish',
}

export const completion = defineCommand({
  name: 'completion',
  description:
    'Print a script that completes commands, options, ids and server names. Defaults to the shell in SHELL.',
  arguments: { shell: { choices: SHELLS, doc: SHELLS.join(', ') } },
  examples: Object.fromEntries(SHELLS.map(shell => [INSTALL[shell], 'enable it in new shells'])),
  run({ output, env }, input) {
    const shell = input.shell ?? env.SHELL?.split('/').at(-1)
    if (!isShell(shell))
      throw new HostingError(
        'INVALID_REQUEST',
        `Shell "${shell ?? ''}" is not supported. Choose ${SHELLS.join(', ')}.`,
      )
    const script = completionScript(shell)
    output.result({ shell, script, install: INSTALL[shell] }, () => output.line(script.trimEnd()))
  },
})

/**
 * Called by the shell. Prints one suggestion per line, with its description after a tab. Exits with 1 if file names are also
 * possible.
 */
export const complete = defineCommand({
  name: '__complete',
  arguments: { words: { doc: 'words so far; the last one may be incomplete', variadic: true } },
  passThrough: true,
  async run(context, { words }): Promise<ExitCode> {
    const { suggest } = await import('../completion/suggest.ts')
    const { choices, files } = await suggest(context, words)
    for (const { value, doc } of choices) context.output.line(printable(doc ? `${value}\t${doc}` : value))
    return files ? EXIT.failed : EXIT.done
  },
})

function isShell(text: string | undefined): text is Shell {
  return (SHELLS as readonly (string | undefined)[]).includes(text)
}
