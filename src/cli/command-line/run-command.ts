import { HostingError } from '../../shared/errors.ts'
import { homePaths } from '../../shared/paths.ts'
import { type ApiClient, createApiClient } from '../api/client.ts'
import { resolveSettings, type Settings } from '../api/context.ts'
import { readCredentials } from '../api/credentials.ts'
import { findDaemon } from '../local-daemon/find-daemon.ts'
import { ensureDaemon } from '../local-daemon/start-daemon.ts'
import { createOutput, type Output } from '../output/output.ts'
import { wantsUpdateHint } from '../update/wants-hint.ts'
import type { Command } from './command.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT, EXIT_CODE_OF, type ExitCode } from './exit-codes.ts'
import { parseCommandLine } from './parse-command-line.ts'
import { QUIET_FIELDS } from './quiet-fields.ts'

/** Parses the words after the command's name, runs the command and reports any error. Never throws. */
export async function runCommand(command: Command, argv: string[]): Promise<ExitCode> {
  let output: Output | undefined
  const signal = abortOnInterrupt()
  let close = () => {}
  try {
    const parsed = parseCommandLine(command, argv)
    if (parsed === 'help') return EXIT.done
    const { globals, input } = parsed
    output = await createOutput({ ...globals, quietFields: QUIET_FIELDS[command.name], env: process.env })
    const words = [...command.name.split(' '), ...argv]
    const context = createContext({ globals, output, words, signal })
    close = context.close
    if (isIncomplete(command, input)) {
      const { completeInput } = await import('../pickers/complete-input.ts')
      await completeInput(context, command, input)
    }
    const code = (await command.run(context, input)) ?? EXIT.done
    if (wantsUpdateHint(command.name, output, process.env))
      (await import('../update/update-hint.ts')).showUpdateHint(context.paths, output)
    return code === EXIT.done && signal.aborted ? EXIT.interrupted : code
  } catch (error) {
    return await report(error, output ?? (await outputBeforeParsing(argv)), signal)
  } finally {
    close()
  }
}

function isIncomplete(command: Command, input: Record<string, unknown>): boolean {
  return Object.entries(command.arguments ?? {}).some(
    ([key, { required }]) => required && input[key] === undefined,
  )
}

/** Reports an error in a command line that contains no known command. */
export async function reportUsage(error: HostingError, argv: string[]): Promise<ExitCode> {
  return report(error, await outputBeforeParsing(argv))
}

/** Output for reporting an invalid command line. Honours `--json` even though the line as a whole is invalid. */
function outputBeforeParsing(argv: string[]): Promise<Output> {
  const words = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  const has = (flag: string) => words.includes(flag)
  return createOutput({
    json: has('--json'),
    quiet: false,
    color: !has('--no-color'),
    debug: has('--debug'),
    env: process.env,
  })
}

async function report(thrown: unknown, output: Output, signal?: AbortSignal): Promise<ExitCode> {
  const error = toReportedError(thrown, signal)
  // After Ctrl-C or a question answered with no, the user needs no message, but a script that reads JSON does.
  if (error.code !== 'CANCELLED' || output.json) await output.error(error)
  return EXIT_CODE_OF[error.code] ?? EXIT.bug
}

function toReportedError(thrown: unknown, signal: AbortSignal | undefined): HostingError {
  // After Ctrl-C, every error is a consequence of the interrupt. inquirer's prompts throw ExitPromptError on Ctrl-C.
  if (signal?.aborted || (thrown as Error)?.name === 'ExitPromptError')
    return new HostingError('CANCELLED', 'Interrupted.', { cause: thrown })
  if (thrown instanceof HostingError) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new HostingError('INTERNAL', `Internal error in mcp: ${message}`, {
    cause: thrown,
    next: [{ description: 'Run the command again with --debug for a stack trace' }],
  })
}

/** Time between Ctrl-C and a forced exit. */
const INTERRUPT_GRACE_MS = 2000

let interrupt: AbortController | undefined

/** The listener stays. Without it, a second Ctrl-C would kill the process with the signal instead of exiting with 130. */
function abortOnInterrupt(): AbortSignal {
  if (interrupt) return interrupt.signal
  const controller = new AbortController()
  interrupt = controller
  process.on('SIGINT', () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted)
    controller.abort()
    setTimeout(() => process.exit(EXIT.interrupted), INTERRUPT_GRACE_MS).unref()
  })
  return controller.signal
}

function createContext(
  given: Pick<CommandContext, 'globals' | 'output' | 'words' | 'signal'>,
): CommandContext & { close(): void } {
  const { globals } = given
  const env = process.env
  const paths = homePaths(env)
  let settings: Settings | undefined
  let client: Promise<ApiClient> | undefined
  const context: CommandContext = {
    ...given,
    paths,
    env,
    cwd: process.cwd(),
    settings: () => (settings ??= resolveSettings({ globals, env, paths })),
    api: () => (client ??= openApi(context)),
    async reopenApi() {
      if (!context.settings().apiUrl && !(await findDaemon(paths))) return undefined
      client?.then(
        one => one.close(),
        () => {},
      )
      client = openApi(context)
      return client
    },
  }
  return Object.assign(context, {
    close: () =>
      void client?.then(
        one => one.close(),
        () => {},
      ),
  })
}

async function openApi(context: CommandContext): Promise<ApiClient> {
  const { output, globals, signal } = context
  const { apiUrl, apiKey } = context.settings()
  const target = apiUrl
    ? { url: apiUrl.value, apiKey: apiKey?.value ?? (await sessionToken(context)) }
    : await openLocal(context)
  return createApiClient({ ...target, timeoutMs: globals.timeout, signal, trace: output.trace })
}

/** Access token of the sign-in that is used instead of a key. */
async function sessionToken({ settings, paths, signal }: CommandContext): Promise<string | undefined> {
  const { session } = settings()
  if (!session) return undefined
  const { accessToken } = await import('../sign-in/api-session.ts')
  return accessToken({ credentials: paths.credentials, context: session.value, signal })
}

/** Starts the daemon if necessary. Its first start creates the owner's key. */
async function openLocal(context: CommandContext): Promise<{ url: string; apiKey: string | undefined }> {
  const { url } = await ensureDaemon(context)
  const { apiKey, context: name } = context.settings()
  return {
    url,
    apiKey: apiKey?.value ?? readCredentials(context.paths.credentials).contexts[name.value]?.apiKey,
  }
}
