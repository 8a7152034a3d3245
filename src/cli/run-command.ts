import { HostingError } from '../shared/errors.ts'
import { homePaths } from '../shared/paths.ts'
import { type ApiClient, createApiClient } from './api-client.ts'
import type { Command } from './command.ts'
import type { CommandContext } from './command-context.ts'
import { resolveSettings, type Settings } from './context.ts'
import { readCredentials } from './credentials.ts'
import { ensureDaemon, findDaemon } from './daemon-client.ts'
import { EXIT, EXIT_CODE_OF, type ExitCode } from './exit-codes.ts'
import type { GlobalInput } from './global-options.ts'
import { createOutput, type Output } from './output.ts'
import { parseCommandLine } from './parse-command-line.ts'

/** Parses the words after the command's name, runs it and reports what went wrong. Never throws. */
export async function runCommand(command: Command, argv: string[]): Promise<ExitCode> {
  let output: Output | undefined
  const signal = abortOnInterrupt()
  let close = () => {}
  try {
    const parsed = await parseCommandLine(command, argv)
    if (parsed === 'help') return EXIT.done
    const { globals, input } = parsed
    output = await createOutput({ ...globals, env: process.env })
    const context = createContext(globals, output, signal)
    close = context.close
    return (await command.run(context, input)) ?? EXIT.done
  } catch (error) {
    return await report(error, output ?? (await outputBeforeParsing(argv)), signal)
  } finally {
    close()
  }
}

/** For a command that could not even be found. */
export async function reportUsage(error: HostingError, argv: string[]): Promise<ExitCode> {
  return report(error, await outputBeforeParsing(argv))
}

/** What a wrong command line is reported on: its `--json` counts although the line as a whole is wrong. */
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
  const error = toReported(thrown, signal)
  // Whoever pressed Ctrl-C knows; a script wants its line all the same.
  if (error.code !== 'CANCELLED' || output.json) await output.error(error)
  return EXIT_CODE_OF[error.code] ?? EXIT.bug
}

function toReported(thrown: unknown, signal: AbortSignal | undefined): HostingError {
  if (thrown instanceof HostingError) return thrown
  // inquirer's prompts throw this on Ctrl-C.
  if (signal?.aborted || (thrown as Error)?.name === 'ExitPromptError')
    return new HostingError('CANCELLED', 'Interrupted.', { cause: thrown })
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new HostingError('INTERNAL', `mcp met a bug of its own: ${message}`, {
    cause: thrown,
    next: [{ description: 'Run the same command with --debug to see where' }],
  })
}

/** What a command does on Ctrl-C before it is ended anyway. */
const INTERRUPT_GRACE_MS = 2000

function abortOnInterrupt(): AbortSignal {
  const controller = new AbortController()
  process.once('SIGINT', () => {
    controller.abort()
    process.once('SIGINT', () => process.exit(EXIT.interrupted))
    setTimeout(() => process.exit(EXIT.interrupted), INTERRUPT_GRACE_MS).unref()
  })
  return controller.signal
}

function createContext(
  globals: GlobalInput,
  output: Output,
  signal: AbortSignal,
): CommandContext & { close(): void } {
  const env = process.env
  const paths = homePaths(env)
  let settings: Settings | undefined
  let client: Promise<ApiClient> | undefined
  const context: CommandContext = {
    output,
    globals,
    paths,
    signal,
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

/** The access token of the sign-in that stands for a key, if there is one. */
async function sessionToken({ settings, paths, signal }: CommandContext): Promise<string | undefined> {
  const { session } = settings()
  if (!session) return undefined
  const { accessToken } = await import('./sign-in/api-session.ts')
  return accessToken({ credentials: paths.credentials, context: session.value, signal })
}

/** The daemon, started when it does not run, and its owner's key, which its first start makes. */
async function openLocal(context: CommandContext): Promise<{ url: string; apiKey: string | undefined }> {
  const { url } = await ensureDaemon(context)
  const { apiKey, context: name } = context.settings()
  return {
    url,
    apiKey: apiKey?.value ?? readCredentials(context.paths.credentials).contexts[name.value]?.apiKey,
  }
}
