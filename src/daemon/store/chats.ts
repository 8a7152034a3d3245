import type { Database } from './database.ts'
import { selectPage } from './keyset.ts'

export type ChatRole = 'user' | 'assistant' | 'tool'

export interface Chat {
  id: string
  mcpId: string
  /** The server's name. */
  name: string
  /** The model that answered last. */
  model: string
  messageCount: number
  createdAt: string
  updatedAt: string
}

export interface ChatMessage {
  chatId: string
  /** From 1, without gaps. */
  position: number
  role: ChatRole
  /** Text, or parts, as models take them. */
  content: unknown
  createdAt: string
}

export interface ChatFilter {
  mcpId?: string
  name?: string
}

interface ChatRow {
  id: string
  mcp_id: string
  name: string
  model: string
  message_count: number
  created_at: string
  updated_at: string
}

interface MessageRow {
  chat_id: string
  position: number
  role: ChatRole
  content: string
  created_at: string
}

export class ChatStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  find(id: string): Chat | undefined {
    const row = this.#database.prepare<ChatRow>('SELECT * FROM chats WHERE id = ?').get([id])
    return row && toChat(row)
  }

  list(filter: ChatFilter, limit: number, cursor?: string): { items: Chat[]; nextCursor: string | null } {
    const { rows, nextCursor } = selectPage<ChatRow>(this.#database, {
      table: 'chats',
      filters: { mcp_id: filter.mcpId, name: filter.name },
      limit,
      cursor,
    })
    return { items: rows.map(toChat), nextCursor }
  }

  /** Messages after a position, oldest first. */
  messages(chatId: string, limit: number, after = 0): ChatMessage[] {
    return this.#database
      .prepare<MessageRow>(
        'SELECT * FROM chat_messages WHERE chat_id = ? AND position > ? ORDER BY position LIMIT ?',
      )
      .all([chatId, after, limit])
      .map(toMessage)
  }

  /** Makes the chat, or goes on with it; all or nothing. Returns it as it is then. */
  append(chat: Omit<Chat, 'messageCount'>, messages: readonly Pick<ChatMessage, 'role' | 'content'>[]): Chat {
    return this.#database.transaction(() => {
      const before = this.find(chat.id)?.messageCount ?? 0
      this.#save({ ...chat, messageCount: before + messages.length })
      const insert = this.#database.prepare(
        'INSERT INTO chat_messages (chat_id, position, role, content, created_at) VALUES (?, ?, ?, ?, ?)',
      )
      for (const [index, { role, content }] of messages.entries())
        insert.run([chat.id, before + index + 1, role, JSON.stringify(content), chat.updatedAt])
      return this.find(chat.id)!
    })
  }

  /** With its messages. False when there was none. */
  remove(id: string): boolean {
    return this.#database.prepare('DELETE FROM chats WHERE id = ?').run([id]) === 1
  }

  /** Keeps the newest ones only. */
  trim(kept: number): void {
    this.#database
      .prepare(
        'DELETE FROM chats WHERE id IN (SELECT id FROM chats ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET ?)',
      )
      .run([kept])
  }

  #save(chat: Chat): void {
    this.#database
      .prepare(
        `INSERT INTO chats (id, mcp_id, name, model, message_count, created_at, updated_at)
         VALUES (@id, @mcpId, @name, @model, @messageCount, @createdAt, @updatedAt)
         ON CONFLICT (id) DO UPDATE SET model = excluded.model, message_count = excluded.message_count, updated_at = excluded.updated_at`,
      )
      .run(chat)
  }
}

function toChat(row: ChatRow): Chat {
  return {
    id: row.id,
    mcpId: row.mcp_id,
    name: row.name,
    model: row.model,
    messageCount: row.message_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function toMessage(row: MessageRow): ChatMessage {
  return {
    chatId: row.chat_id,
    position: row.position,
    role: row.role,
    content: JSON.parse(row.content),
    createdAt: row.created_at,
  }
}
