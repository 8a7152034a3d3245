import type { ChatMessageRecord, ChatRecord } from '../../shared/contract/testing/chats.ts'
import { formatAge } from '../../shared/format/relative-time.ts'
import { listItems } from '../api/list-items.ts'
import { defineCommand } from '../command-line/command.ts'
import { confirm } from '../output/prompt.ts'
import { resolveBuild } from '../targets/resolve-id.ts'
import { shorten } from '../testing/test-output.ts'

const CHAT = {
  chat: { kind: 'chat', required: true, doc: 'chat id, as printed by `mcp test` and `mcp chats list`' },
} as const

export const list = defineCommand({
  name: 'chats list',
  arguments: { server: { kind: 'server', doc: 'only chats with this server: its name or an mcp_id' } },
  options: { limit: { type: 'integer', value: 'count', default: 20, doc: 'maximum number of chats' } },
  examples: {
    'mcp chats list': 'the newest 20',
    'mcp chats list weather --limit 100': 'chats with one server',
  },
  async run({ output, api }, { server, limit }) {
    const client = await api()
    const filter = server?.startsWith('mcp_')
      ? { mcpId: await resolveBuild(client, server) }
      : { name: server }
    const { items } = await client.get<{ items: ChatRecord[] }>('/api/chats', { ...filter, limit })
    output.result(items, () => {
      const rows = items.map(({ chatId, name, model, messageCount, title, updatedAt }) => [
        chatId,
        name,
        model,
        String(messageCount),
        formatAge(updatedAt),
        // Chats of other APIs may have no title.
        shorten(title ?? ''),
      ])
      output.table(['ID', 'SERVER', 'MODEL', 'MESSAGES', 'UPDATED', 'TITLE'], rows, 'No chats.')
      output.next(
        items[0]
          ? { description: 'Show a chat', command: `mcp chats show ${items[0].chatId}` }
          : { description: 'Start a chat', command: 'mcp chat <server>' },
      )
    })
  },
})

export const show = defineCommand({
  name: 'chats show',
  arguments: CHAT,
  examples: { 'mcp chats show chat_4h7k… --json': 'including tool calls' },
  async run({ output, api }, { chat }) {
    const path = `/api/chat-messages/chat/id/${encodeURIComponent(chat)}`
    const messages = await listItems<ChatMessageRecord>(await api(), path, { limit: 1000 })
    output.result(messages, () => {
      for (const { role, text } of messages)
        if (text !== '') output.line(`${output.style.bold(role)}: ${text}`)
      if (messages.length === 0) output.line('No messages.')
    })
  },
})

export const count = defineCommand({
  name: 'chats count',
  arguments: CHAT,
  examples: { 'mcp chats count chat_4h7k… --json': '{chatId, messageCount, countedAt}' },
  async run({ output, api }, { chat }) {
    const path = `/api/chat-messages/chat/id/${encodeURIComponent(chat)}/count`
    const counted = await (await api()).get<{ messageCount: number }>(path)
    const { messageCount } = counted
    output.result(counted, () =>
      output.line(`${messageCount} ${messageCount === 1 ? 'message' : 'messages'} in chat ${chat}`),
    )
  },
})

export const remove = defineCommand({
  name: 'chats remove',
  arguments: CHAT,
  examples: { 'mcp chats remove chat_4h7k… --yes': 'without confirmation' },
  async run(context, { chat }) {
    const client = await context.api()
    await confirm(context, {
      question: `Permanently remove chat ${chat}?`,
      action: `Removing chat ${chat} permanently`,
    })
    await client.delete(`/api/chats/${encodeURIComponent(chat)}`)
    context.output.result({ removed: chat }, () => context.output.line(`Removed chat ${chat}`))
  },
})
