import type { ChatRecord } from '../../../shared/contract/testing/chats.ts'
import type { Database } from '../database.ts'
import { RecordStore } from '../record-store.ts'
import { type Page, Table } from '../table.ts'

export type ChatRole = 'user' | 'assistant' | 'tool'

export type Chat = Omit<ChatRecord, 'chatId' | 'title'> & { id: string }

export interface ChatMessage {
  chatId: string
  /** Counts from 1 without gaps. */
  position: number
  role: ChatRole
  /** Text, or parts as models use them. */
  content: unknown
  createdAt: string
}

export type ChatFilter = Partial<Pick<Chat, 'mcpId' | 'name'>>

/** Chats with their messages. Removing a chat removes its messages. */
export class ChatStore extends RecordStore<Chat> {
  readonly #messages: Table<ChatMessage>

  constructor(database: Database) {
    super(database, 'chats')
    this.#messages = new Table(database, 'chat_messages', { json: ['content'] })
  }

  list({ mcpId, name }: ChatFilter, limit: number, cursor?: string): Page<Chat> {
    return this.table.page({ filters: { mcp_id: mcpId, name }, limit, cursor })
  }

  /** Messages after a position, oldest first. */
  messages(chatId: string, limit: number, after = 0): ChatMessage[] {
    return this.#messages.list('WHERE chat_id = ? AND position > ? ORDER BY position LIMIT ?', [
      chatId,
      after,
      limit,
    ])
  }

  /** Creates or continues a chat in one transaction. Returns the resulting chat. */
  append(chat: Omit<Chat, 'messageCount'>, messages: readonly Pick<ChatMessage, 'role' | 'content'>[]): Chat {
    return this.database.transaction(() => {
      const before = this.find(chat.id)?.messageCount ?? 0
      this.table.insert(
        { ...chat, messageCount: before + messages.length },
        `ON CONFLICT (id) DO UPDATE SET model = excluded.model, message_count = excluded.message_count,
           updated_at = excluded.updated_at`,
      )
      for (const [index, { role, content }] of messages.entries()) {
        const position = before + index + 1
        this.#messages.insert({ chatId: chat.id, position, role, content, createdAt: chat.updatedAt })
      }
      return this.find(chat.id)!
    })
  }

  /** Keeps the newest chats only. */
  trim(kept: number): void {
    this.table.remove('id IN (SELECT id FROM chats ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET ?)', [
      kept,
    ])
  }
}
