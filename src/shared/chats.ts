import * as z from 'zod'

/** Service interface 2.9 and 4.9, and the extensions around it: every test run is a chat. */
const isoTime = z.iso.datetime()

export const chatSchema = z.object({
  chatId: z.string(),
  mcpId: z.string(),
  /** The server's name. */
  name: z.string(),
  /** The model that answered last. */
  model: z.string(),
  messageCount: z.int(),
  createdAt: isoTime,
  updatedAt: isoTime,
})

/** One message of a turn: what was said, called, answered. */
export const chatMessageSchema = z.object({
  messageId: z.string(),
  chatId: z.string(),
  role: z.enum(['user', 'assistant', 'tool']),
  /** Its text; empty for a message of calls alone. */
  text: z.string(),
  /** The message whole, as models get it. */
  content: z.unknown(),
  createdAt: isoTime,
})

export const chatPageSchema = z.object({ items: z.array(chatSchema), nextToken: z.string().nullable() })
export const chatMessagePageSchema = z.object({
  items: z.array(chatMessageSchema),
  nextToken: z.string().nullable(),
})

export const chatMessageCountSchema = z.object({
  chatId: z.string(),
  messageCount: z.int(),
  countedAt: isoTime,
})

export type ChatRecord = z.infer<typeof chatSchema>
export type ChatMessageRecord = z.infer<typeof chatMessageSchema>
