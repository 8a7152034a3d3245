import type { ModelMessage } from 'ai'
import type { TestEvent, TestResult } from '../../../shared/contract/testing/test-results.ts'
import type { TestRequest } from '../../../shared/contract/testing/test-runs.ts'
import { toSeconds } from '../../../shared/duration.ts'
import { embeddedModelWarning } from '../../../shared/embedded-model.ts'
import { HostingError, toHostingError } from '../../../shared/errors.ts'
import { createId } from '../../../shared/ids.ts'
import {
  DEFAULT_VENDOR_MODEL,
  type ModelChoice,
  modelName,
  parseModelId,
} from '../../agent/providers/model-id.ts'
import type { ModelKeys } from '../../agent/providers/open-model.ts'
import type { Build } from '../../store/tables/builds.ts'
import type { VendorKeys } from '../access/model-keys.ts'
import type { TestAddresses } from '../addresses/test-addresses.ts'
import { getBuild, requireReady } from '../builds/stored-builds.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { EventQueue } from '../event-queue.ts'
import type { Chats } from './chats.ts'

type Dependencies = Pick<ServiceDependencies, 'background' | 'store'>

/** Messages to the test agent. The first message loads the code of the agent and the models. */
export class TestRuns {
  readonly #deps: Dependencies
  readonly #chats: Chats
  readonly #keys: VendorKeys
  readonly #addresses: TestAddresses
  /** Chats that are waiting for an answer. A chat accepts one message at a time. */
  readonly #busy = new Set<string>()

  constructor(deps: Dependencies, chats: Chats, keys: VendorKeys, addresses: TestAddresses) {
    this.#deps = deps
    this.#chats = chats
    this.#keys = keys
    this.#addresses = addresses
  }

  /**
   * Sends a message and resolves with the agent's answer. Throws NOT_FOUND for an unknown build or chat, CONFLICT for a
   * build that is not ready, a chat that is busy or belongs to another server, or a model without a key, INVALID_REQUEST for an
   * unknown model, and errors from the model's vendor.
   */
  async run(
    request: TestRequest,
    signal: AbortSignal,
    onEvent: (event: TestEvent) => void = () => {},
  ): Promise<TestResult> {
    const startedMs = performance.now()
    const build = requireReady(getBuild(this.#deps, request.mcp_id))
    const chatId = request.chat_id ?? createId('chat')
    const history = request.chat_id ? this.#resume(request.chat_id, build) : []
    this.#busy.add(chatId)
    try {
      const keys = this.#keys.resolve(request.model_access)
      const choice = request.ai_model === undefined ? defaultModel(keys) : parseModelId(request.ai_model)
      return await this.#addresses.use(build, async url => {
        const { testServer } = await import('../../agent/test-server.ts')
        const { messages, result } = await testServer({
          url,
          request,
          choice,
          keys,
          history,
          signal,
          onEvent,
        })
        const chat = { id: chatId, mcpId: build.id, name: build.name, model: result.model! }
        this.#chats.append(chat, messages)
        const execution_time = toSeconds(performance.now() - startedMs)
        return { ...result, chat_id: chatId, execution_time, ...warningsOf(request, choice) }
      })
    } finally {
      this.#busy.delete(chatId)
    }
  }

  /** Like `run`, but yields events. The last event is the result or the error. The run stops when the reader stops. */
  async *events(request: TestRequest, signal: AbortSignal): AsyncGenerator<TestEvent> {
    const queue = new EventQueue<TestEvent>()
    const disconnected = new AbortController()
    const run = this.run(request, AbortSignal.any([signal, disconnected.signal]), event => queue.push(event))
      .then(result => queue.push({ type: 'result', result }))
      .catch(error => queue.push({ type: 'error', error: this.#toErrorBody(error) }))
      .finally(() => queue.end())
    try {
      yield* queue.read()
    } finally {
      disconnected.abort()
      await run
    }
  }

  /** Default model for requests. */
  defaultModel(): string {
    return modelName(defaultModel(this.#keys.resolve()))
  }

  #toErrorBody(error: unknown) {
    const known = toHostingError(error)
    if (known !== error) this.#deps.background.report(error)
    return known.toBody()
  }

  #resume(chatId: string, build: Build): ModelMessage[] {
    const chat = this.#chats.get(chatId)
    if (chat.name !== build.name)
      throw new HostingError(
        'CONFLICT',
        `The chat ${chatId} belongs to the server "${chat.name}", not to "${build.name}".`,
      )
    if (this.#busy.has(chatId))
      throw new HostingError('CONFLICT', `The chat ${chatId} is waiting for the answer to another message.`)
    return this.#chats.history(chatId)
  }
}

/** Warns when the embedded model replaced the contract's default. */
function warningsOf({ ai_model }: TestRequest, { kind }: ModelChoice): { warnings?: string[] } {
  if (ai_model !== undefined || kind !== 'embedded') return {}
  return { warnings: [embeddedModelWarning(modelName(DEFAULT_VENDOR_MODEL))] }
}

/** The contract's default if there is a key for it, otherwise the embedded model. */
function defaultModel(keys: ModelKeys): ModelChoice {
  return keys.anthropic ? DEFAULT_VENDOR_MODEL : { kind: 'embedded' }
}
