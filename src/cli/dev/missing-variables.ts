import type { ServerEnv } from '../../shared/contract/servers/variables.ts'
import { HostingError } from '../../shared/errors.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { readServerEnvIfStored } from '../variables/server-env.ts'

/**
 * Warns about declared variables without a value, with the command that sets them. Repeats the warning only after the missing
 * variables have changed.
 */
export class MissingVariables {
  readonly #context: CommandContext
  #shown = ''

  constructor(context: CommandContext) {
    this.#context = context
  }

  /** `given`: names of the variables that this run sets. */
  async report(server: string, given: readonly string[]): Promise<void> {
    const { output } = this.#context
    const env = await this.#read(server)
    const missing = (env?.missing ?? []).filter(({ name }) => !given.includes(name))
    const names = missing.map(({ name }) => name).join(' ')
    if (names === this.#shown) return
    this.#shown = names
    if (output.json && missing.length > 0)
      return output.entry({ event: 'missing', name: server, variables: missing }, () => '')
    for (const { name, required } of missing)
      output.hint({
        description: `No value for ${name}${required ? ' (required)' : ''}`,
        command: `mcp env set ${quoteShellWord(server)} ${name}`,
      })
  }

  /**
   * Undefined if the API stores no variables, and while the daemon is stopped. The build after the daemon's next start reports
   * the variables.
   */
  async #read(name: string): Promise<ServerEnv | undefined> {
    try {
      return await readServerEnvIfStored(await this.#context.api(), { name, environment: 'development' })
    } catch (error) {
      if (error instanceof HostingError && error.code === 'UNAVAILABLE') return undefined
      throw error
    }
  }
}
