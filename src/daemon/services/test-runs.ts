import type { ModelMessage } from 'ai'
import { toSeconds } from '../../shared/duration.ts'
import { HostingError, toHostingError } from '../../shared/errors.ts'
import { createId } from '../../shared/ids.ts'
import type { TestEvent, TestResult } from '../../shared/test-results.ts'
import type { TestRequest } from '../../shared/test-runs.ts'
import { EventQueue } from '../agent/event-queue.ts'
import {
  DEFAULT_VENDOR_MODEL,
  type ModelChoice,
  modelName,
  parseModelId,
} from '../agent/providers/model-id.ts'
import type { ModelKeys } from '../agent/providers/open-model.ts'
import type { Build } from '../store/builds.ts'
import { getBuild, requireReady } from './builds.ts'
import type { Chats } from './chats.ts'
import type { VendorKeys } from './model-keys.ts'
import type { Rooms } from './rooms.ts'
import type { TestAddresses } from './test-addresses.ts'

/** Messages to the test agent. Its code, and that of the models, is loaded by the first one. */
export class TestRuns {
  readonly #rooms: Rooms
  readonly #chats: Chats
  readonly #keys: VendorKeys
  readonly #addresses: TestAddresses
  /** Chats that a run is at work on: what two say at once would not be one conversation. */
  readonly #busy = new Set<string>()

  constructor(rooms: Rooms, chats: Chats, keys: VendorKeys, addresses: TestAddresses) {
    this.#rooms = rooms
    this.#chats = chats
    this.#keys = keys
    this.#addresses = addresses
  }

  /**
   * Sends the message and resolves when the agent has answered. Throws NOT_FOUND for an unknown build or chat, CONFLICT
   * for one that is not ready or busy and for a model without a key, INVALID_REQUEST for an unknown model, and what
   * the model's vendor fails with.
   */
  async run(
    request: TestRequest,
    signal: AbortSignal,
    tell: (event: TestEvent) => void = () => {},
  ): Promise<TestResult> {
    const startedMs = performance.now()
    const build = requireReady(getBuild(this.#rooms, request.mcp_id))
    const chatId = request.chat_id ?? createId('chat')
    const history = request.chat_id ? this.#resume(request.chat_id, build) : []
    this.#busy.add(chatId)
    try {
      const keys = this.#keys.resolve(request.model_access)
      const choice = request.ai_model === undefined ? defaultModel(keys) : parseModelId(request.ai_model)
      return await this.#addresses.use(build, async url => {
        const { testServer } = await import('../agent/test-server.ts')
        const { messages, result } = await testServer({ url, request, choice, keys, history, signal, tell })
        const chat = { id: chatId, mcpId: build.id, name: build.name, model: result.model! }
        this.#chats.append(chat, messages)
        const execution_time = toSeconds(performance.now() - startedMs)
        return { ...result, chat_id: chatId, execution_time, ...warningsOf(request, choice) }
      })
    } finally {
      this.#busy.delete(chatId)
    }
  }

  /** The same, told as it happens; the result or the error comes last. Whoever stops reading ends the run. */
  async *events(request: TestRequest, signal: AbortSignal): AsyncGenerator<TestEvent> {
    const queue = new EventQueue<TestEvent>()
    const left = new AbortController()
    const run = this.run(request, AbortSignal.any([signal, left.signal]), event => queue.push(event))
      .then(result => queue.push({ type: 'result', result }))
      .catch(error => queue.push({ type: 'error', error: this.#tellable(error) }))
      .finally(() => queue.end())
    try {
      yield* queue.read()
    } finally {
      left.abort()
      await run
    }
  }

  /** Of a request that names none. */
  defaultModel(): string {
    return modelName(defaultModel(this.#keys.resolve()))
  }

  #tellable(error: unknown) {
    const known = toHostingError(error)
    if (known !== error) this.#rooms.background.report(error)
    return known.toBody()
  }

  #resume(chatId: string, build: Build): ModelMessage[] {
    const chat = this.#chats.get(chatId)
    if (chat.name !== build.name)
      throw new HostingError(
        'CONFLICT',
        `The chat ${chatId} is with the server "${chat.name}", not with "${build.name}".`,
      )
    if (this.#busy.has(chatId))
      throw new HostingError('CONFLICT', `The chat ${chatId} has a message that is not answered yet.`)
    return this.#chats.history(chatId)
  }
}

/** The contract's default model needs a key. */
function warningsOf({ ai_model }: TestRequest, { kind }: ModelChoice): { warnings?: string[] } {
  if (ai_model !== undefined || kind !== 'embedded') return {}
  const name = modelName(DEFAULT_VENDOR_MODEL)
  const how = 'save one (mcp models login anthropic) or set ANTHROPIC_API_KEY'
  return { warnings: [`The embedded model was used, because no key for ${name} is configured: ${how}.`] }
}

/** The contract's default where its vendor's key is there, else the one that needs nothing. */
function defaultModel(keys: ModelKeys): ModelChoice {
  return keys.anthropic ? DEFAULT_VENDOR_MODEL : { kind: 'embedded' }
}
