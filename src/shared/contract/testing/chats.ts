import * as z from 'zod'
import { described, named } from '../../json/schema-metadata.ts'
import { EXAMPLE_MCP_ID, EXAMPLE_TIME, isoTime, itemPage } from '../fields.ts'

/** Chats (service interface 2.9 and 4.9, with extensions). Every test run is a chat. */

const CHAT_ID = 'chat_4h7k2m9q5w1x8z3c6v0b'
const chatId = z.string().meta(described('Id of the chat.', CHAT_ID))

const namedChat = named('Chat', 'A conversation with the test agent.', {
  chatId: CHAT_ID,
  mcpId: EXAMPLE_MCP_ID,
  name: 'greeter',
  model: 'claude-sonnet-4-5',
  messageCount: 2,
  title: 'Greet Ada.',
  createdAt: EXAMPLE_TIME,
  updatedAt: EXAMPLE_TIME,
})

export const chatSchema = namedChat.object({
  chatId,
  mcpId: z.string().describe('Id of the build that was tested last.'),
  name: z.string().describe('Name of the server.'),
  model: z.string().describe('Model that answered last.'),
  messageCount: z.int().describe('Number of messages.'),
  title: z.string().describe('The first 200 characters of the first message.'),
  createdAt: isoTime.describe('Creation time.'),
  updatedAt: isoTime.describe('Time of the last message.'),
})

const namedChatMessage = named('ChatMessage', 'A message of a chat.', {
  messageId: 'msg_1',
  chatId: CHAT_ID,
  role: 'user',
  text: 'Greet Ada.',
  content: { role: 'user', content: 'Greet Ada.' },
  createdAt: EXAMPLE_TIME,
})

export const chatMessageSchema = namedChatMessage.object({
  messageId: z.string().describe('Id of the message.'),
  chatId,
  role: z.enum(['user', 'assistant', 'tool']).describe('Author of the message.'),
  text: z.string().describe('Text of the message. Empty if it only calls tools.'),
  content: z.unknown().describe('The whole message, as models receive it.'),
  createdAt: isoTime.describe('Creation time.'),
})

export const chatPageSchema = itemPage(chatSchema, 'ChatPage')
export const chatMessagePageSchema = itemPage(chatMessageSchema, 'ChatMessagePage')

const namedChatMessageCount = named('ChatMessageCount', 'Number of messages of a chat.', {
  chatId: CHAT_ID,
  messageCount: 2,
  countedAt: EXAMPLE_TIME,
})

export const chatMessageCountSchema = namedChatMessageCount.object({
  chatId,
  messageCount: z.int().describe('Number of messages.'),
  countedAt: isoTime.describe('Time of the count.'),
})

export type ChatRecord = z.infer<typeof chatSchema>
export type ChatMessageRecord = z.infer<typeof chatMessageSchema>
