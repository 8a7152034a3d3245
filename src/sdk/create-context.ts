import type {
  Context,
  ElicitRequest,
  ElicitResult,
  LogLevel,
  SampleRequest,
  SampleResult,
} from './context.ts'
import { createStore } from './store/create-store.ts'
import type { ServerStore } from './store/store.ts'

/** Parts of a handler's context in a unit test. All are optional. */
export interface ContextOptions {
  /** Environment variables, including defaults of declarations. */
  env?: Record<string, string>
  /** Default: an empty store in memory. */
  store?: ServerStore
  /** `subject` of the signed-in user, such as `github|42`. Without it, no user is signed in. */
  user?: string
  token?: string
  signal?: AbortSignal
  meta?: Record<string, unknown>
  sessionId?: string
  /** URI that a resource handler reads. */
  uri?: string
  inputResponses?: Context['inputResponses']
  requestState?: unknown
  /** Answers a form of `elicit` or a page of `elicitUrl`. Without this function, the client supports neither. */
  elicit?(question: { message: string; schema?: unknown; url?: string }): ElicitResult<unknown>
  /** Answers `sample` with text. Without this function, the client does not support sampling. */
  sample?(request: SampleRequest): string
  /** Result of `listRoots`. Without this list, the client does not support roots. */
  roots?: { uri: string; name?: string }[]
}

/** Context that records what a handler sends to the client. */
export interface TestContext extends Context {
  readonly uri: string
  readonly logs: { level: LogLevel; data: unknown; logger?: string }[]
  readonly progressReports: { progress: number; total?: number; message?: string }[]
  readonly announced: ('tools' | 'prompts' | 'resources')[]
  readonly updatedResources: string[]
}

/** A context for unit tests: `tool.handler({ count: 2 }, createContext({ env: { MAX: '3' } }))`. Needs no server. */
export function createContext(options: ContextOptions = {}): TestContext {
  const { user } = options
  return {
    signal: options.signal ?? new AbortController().signal,
    env: options.env ?? {},
    client: clientOf(options),
    meta: options.meta ?? {},
    token: options.token,
    auth: user === undefined ? undefined : signedIn(user),
    sessionId: options.sessionId,
    store: options.store ?? createStore({ user: user ?? null }),
    uri: options.uri ?? '',
    inputResponses: options.inputResponses,
    requestState: options.requestState,
    ...createRecorder(),
    ...createQuestions(options),
    closeStream() {},
  }
}

function clientOf({ elicit, sample, roots }: ContextOptions): Context['client'] {
  const capabilities = {
    ...(elicit && { elicitation: {} }),
    ...(sample && { sampling: {} }),
    ...(roots && { roots: {} }),
  }
  return { protocolVersion: '2025-11-25', capabilities, info: { name: 'test', version: '1.0.0' } }
}

function signedIn(subject: string): Context['auth'] {
  return {
    subject,
    clientId: 'test',
    scopes: [],
    expiresAt: Number.MAX_SAFE_INTEGER,
    claims: { sub: subject },
  }
}

type RecordName = 'logs' | 'progressReports' | 'announced' | 'updatedResources'
type ReportMethod = LogLevel | 'log' | 'progress' | 'announce' | 'resourceUpdated'

function createRecorder(): Pick<TestContext, RecordName | Extract<ReportMethod, keyof Context>> {
  const recorded: Pick<TestContext, RecordName> = {
    logs: [],
    progressReports: [],
    announced: [],
    updatedResources: [],
  }
  const log: Context['log'] = (level, data, logger) =>
    void recorded.logs.push({ level, data, ...(logger !== undefined && { logger }) })
  return {
    ...recorded,
    log,
    debug: (data, logger) => log('debug', data, logger),
    info: (data, logger) => log('info', data, logger),
    notice: (data, logger) => log('notice', data, logger),
    warning: (data, logger) => log('warning', data, logger),
    error: (data, logger) => log('error', data, logger),
    progress(progress, total, message) {
      recorded.progressReports.push({
        progress,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message }),
      })
    },
    announce: list => void recorded.announced.push(list),
    resourceUpdated: uri => void recorded.updatedResources.push(uri),
  }
}

function createQuestions({
  elicit,
  sample,
  roots,
}: ContextOptions): Pick<Context, 'sample' | 'elicit' | 'elicitUrl' | 'listRoots'> {
  return {
    async sample(prompt) {
      if (!sample) throw unsupportedError('sampling', 'sample')
      return sampleResult(sample(typeof prompt === 'string' ? toRequest(prompt) : prompt))
    },
    async elicit({ message, schema }: ElicitRequest) {
      if (!elicit) throw unsupportedError('elicitation', 'elicit')
      return elicit({ message, schema }) as ElicitResult<never>
    },
    async elicitUrl({ message, url }) {
      if (!elicit) throw unsupportedError('elicitation', 'elicit')
      return elicit({ message, url }) as ElicitResult<undefined>
    },
    async listRoots() {
      if (!roots) throw unsupportedError('roots', 'roots')
      return roots
    },
  }
}

const DEFAULT_MAX_TOKENS = 1000

function toRequest(text: string): SampleRequest {
  return { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: DEFAULT_MAX_TOKENS }
}

function sampleResult(text: string): SampleResult {
  return { role: 'assistant', content: { type: 'text', text }, model: 'test', text }
}

function unsupportedError(capability: string, option: string): Error {
  return new Error(`The client does not support ${capability}. Pass \`${option}\` to createContext().`)
}
