import * as z from 'zod'
import {
  chatMessageCountSchema,
  chatMessagePageSchema,
  chatPageSchema,
  chatSchema,
} from '../../../shared/contract/testing/chats.ts'
import type { Services } from '../../services/services.ts'
import { dataEndpoint } from '../endpoint.ts'
import { idSchema, limitSchema, logTokenSchema, pageTokenSchema, serverFilterSchema } from '../path-ids.ts'

const params = z.object({ chatId: idSchema.describe('Id of the chat.') })

export function chatsEndpoints({ chats }: Services) {
  const record = ({ chatId }: z.output<typeof params>) => chats.record(chatId)

  const listChats = dataEndpoint({
    operationId: 'listChats',
    summary: 'List chats with the test agent, newest first',
    query: z.strictObject({
      mcpId: z.string().optional().describe('Only chats with this build.'),
      name: serverFilterSchema,
      limit: limitSchema,
      nextToken: pageTokenSchema,
    }),
    answers: { 200: { description: 'A page of chats.', schema: chatPageSchema } },
    run: ({ query: { limit, nextToken, ...filter } }) => chats.list(filter, limit, nextToken),
  })

  const getChat = dataEndpoint({
    operationId: 'getChat',
    summary: 'Show a chat without its messages',
    params,
    record,
    answers: { 200: { description: 'The chat.', schema: chatSchema } },
    run: ({ params }) => record(params),
  })

  const listMessages = dataEndpoint({
    operationId: 'listChatMessages',
    summary: 'List the messages of a chat, oldest first',
    params,
    query: z.strictObject({ limit: limitSchema, nextToken: logTokenSchema }),
    answers: { 200: { description: 'A page of messages.', schema: chatMessagePageSchema } },
    run: ({ params, query }) => chats.messages(params.chatId, query.limit, query.nextToken),
  })

  const countMessages = dataEndpoint({
    operationId: 'countChatMessages',
    summary: 'Count the messages of a chat',
    params,
    answers: { 200: { description: 'The count.', schema: chatMessageCountSchema } },
    run: ({ params }) => chats.count(params.chatId),
  })

  const removeChat = dataEndpoint({
    operationId: 'removeChat',
    summary: 'Remove a chat with its messages',
    params,
    record,
    answers: { 204: { description: 'Removed.' } },
    run: ({ params }) => chats.remove(params.chatId),
  })

  return { listChats, getChat, listMessages, countMessages, removeChat }
}
