import type { ModelMessage } from 'ai'
import type { ChatMessageRecord, ChatRecord } from '../../../shared/contract/testing/chats.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { Chat, ChatFilter, ChatMessage, ChatRole } from '../../store/tables/chats.ts'
import type { ServiceDependencies } from '../dependencies.ts'

/** Older chats are removed, because test suites create hundreds per day. */
const KEPT_CHATS = 10_000
const TRIM_EVERY = 100
const BEFORE_ALL = -1
const TITLE_LENGTH = 200

type Dependencies = Pick<ServiceDependencies, 'store' | 'clock'>

/** Conversations with the test agent. Every test run creates or continues one. */
export class Chats {
  readonly #deps: Dependencies
  #added = 0

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Throws NOT_FOUND. */
  get(id: string): Chat {
    const chat = this.#deps.store.chats.find(id)
    if (chat) return chat
    throw new HostingError('NOT_FOUND', `Chat "${id}" does not exist.`, {
      details: 'GET /api/chats lists all chats.',
    })
  }

  /** Throws NOT_FOUND. */
  record(id: string): ChatRecord {
    return this.#record(this.get(id))
  }

  list(filter: ChatFilter, limit: number, cursor?: string) {
    const { items, nextCursor } = this.#deps.store.chats.list(filter, limit, cursor)
    return { items: items.map(chat => this.#record(chat)), nextToken: nextCursor }
  }

  /** Oldest first. Throws NOT_FOUND, and INVALID_REQUEST for an invalid token. */
  messages(id: string, limit: number, token?: string) {
    const { messageCount } = this.get(id)
    const page = this.#deps.store.chats.messages(id, limit, token === undefined ? 0 : toPosition(token))
    const last = page.at(-1)?.position ?? messageCount
    return { items: page.map(toMessageRecord), nextToken: last < messageCount ? String(last) : null }
  }

  /** The whole conversation in the format of models. */
  history(id: string): ModelMessage[] {
    const messages = this.#deps.store.chats.messages(this.get(id).id, BEFORE_ALL)
    return messages.map(({ role, content }) => ({ role, content }) as ModelMessage)
  }

  count(id: string): { chatId: string; messageCount: number; countedAt: string } {
    const { messageCount } = this.get(id)
    return { chatId: id, messageCount, countedAt: this.#deps.clock.now() }
  }

  /** Adds messages to a new or existing chat. */
  append(chat: Pick<Chat, 'id' | 'mcpId' | 'name' | 'model'>, messages: readonly ModelMessage[]): Chat {
    const { store, clock } = this.#deps
    if (++this.#added % TRIM_EVERY === 0) store.chats.trim(KEPT_CHATS)
    const now = clock.now()
    const createdAt = store.chats.find(chat.id)?.createdAt ?? now
    const added = messages.map(({ role, content }) => ({ role: role as ChatRole, content }))
    return store.chats.append({ ...chat, createdAt, updatedAt: now }, added)
  }

  /** Throws NOT_FOUND. */
  remove(id: string): void {
    this.#deps.store.chats.remove(this.get(id).id)
  }

  #record({ id, mcpId, name, model, messageCount, createdAt, updatedAt }: Chat): ChatRecord {
    const [first] = this.#deps.store.chats.messages(id, 1)
    const title = first ? textOf(first.content).slice(0, TITLE_LENGTH).toWellFormed() : ''
    return { chatId: id, mcpId, name, model, messageCount, title, createdAt, updatedAt }
  }
}

function toMessageRecord({ chatId, position, role, content, createdAt }: ChatMessage): ChatMessageRecord {
  return { messageId: `${chatId}-${position}`, chatId, role, text: textOf(content), content, createdAt }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = content as { type: string; text?: string }[]
  return parts.map(part => (part.type === 'text' ? (part.text ?? '') : '')).join('')
}

function toPosition(token: string): number {
  if (/^\d{1,9}$/.test(token)) return Number(token)
  throw new HostingError(
    'INVALID_REQUEST',
    `The nextToken "${token}" is not valid. Use the one from the previous page.`,
  )
}
