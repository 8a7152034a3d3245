import * as z from 'zod'

/** POST /v1/test (service interface 2.5 and 4.2). What goes beyond the contract is optional (docs/testing.md). */

/** When a run ends although the model would go on. */
export const limitsSchema = z.strictObject({
  /** Requests to the model. */
  turns: z.int().min(1).max(100).optional(),
  /** Tool calls, resource reads and prompts. */
  calls: z.int().min(1).max(1000).optional(),
  /** Input and output together. */
  tokens: z.int().min(1).max(10_000_000).optional(),
  seconds: z.number().positive().max(3600).optional(),
})

export const DEFAULT_LIMITS = { turns: 12, calls: 50, tokens: 500_000, seconds: 120 } as const

/** Which tools of the server the model is offered; names, or patterns with `*`. */
export const toolFilterSchema = z.strictObject({
  allow: z.array(z.string().min(1).max(200)).max(1000).optional(),
  deny: z.array(z.string().min(1).max(200)).max(1000).optional(),
})

/** What a server is answered when it asks during a call; what nothing here matches is declined. */
export const answersSchema = z.strictObject({
  elicitation: z
    .array(
      z.strictObject({
        /** Text that the question's message holds, whatever its case; any question when absent. */
        contains: z.string().optional(),
        action: z.enum(['accept', 'decline', 'cancel']).default('accept'),
        content: z.record(z.string(), z.json()).optional(),
      }),
    )
    .max(100)
    .optional(),
  sampling: z
    .array(z.strictObject({ contains: z.string().optional(), text: z.string() }))
    .max(100)
    .optional(),
})

/** What a model answered, without its vendor's envelope. */
export const recordedResponseSchema = z.strictObject({
  content: z.array(
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text'), text: z.string() }),
      z.strictObject({ type: z.literal('reasoning'), text: z.string() }),
      z.strictObject({ type: z.literal('tool-call'), id: z.string(), name: z.string(), input: z.string() }),
    ]),
  ),
  finish: z.string(),
  input_tokens: z.int().optional(),
  output_tokens: z.int().optional(),
})

export const cassetteSchema = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('record') }),
  z.strictObject({
    mode: z.literal('replay'),
    /** Digest of the normalised request → what is answered. */
    responses: z.record(z.string(), recordedResponseSchema),
  }),
])

const vendorAccessSchema = z.strictObject({ api_key: z.string().min(1), base_url: z.url().optional() })

/** Vendors' keys for this run alone: they are neither stored nor logged. */
export const modelAccessSchema = z.strictObject({
  anthropic: vendorAccessSchema.optional(),
  openai: vendorAccessSchema.optional(),
})

export const testRequestSchema = z.strictObject({
  mcp_id: z.string().min(1).max(128),
  message: z.string().min(1).max(200_000),
  ai_model: z.string().min(1).max(500).optional(),
  context: z
    .looseObject({
      user_id: z.string().optional(),
      session_data: z.record(z.string(), z.json()).optional(),
    })
    .optional(),
  // Extensions
  /** Goes on with that conversation. */
  chat_id: z.string().min(1).max(128).optional(),
  limits: limitsSchema.optional(),
  tools: toolFilterSchema.optional(),
  answers: answersSchema.optional(),
  /** False: calls are checked against their schemas, but not made. */
  make_calls: z.boolean().optional(),
  settings: z
    .strictObject({
      temperature: z.number().min(0).max(2).optional(),
      seed: z.int().optional(),
      max_output_tokens: z.int().min(1).optional(),
    })
    .optional(),
  model_access: modelAccessSchema.optional(),
  cassette: cassetteSchema.optional(),
})

const usageSchema = z.object({
  input_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int(),
  /** Of the input, what the vendor had cached. */
  cached_input_tokens: z.int(),
  /** Requests to the model. */
  requests: z.int(),
})

const toolCallSchema = z.object({
  name: z.string(),
  arguments: z.unknown(),
  /** As the server answered it; null when there was no answer. */
  result: z.unknown().nullable(),
  /** Why it failed; null when it worked. */
  error: z.string().nullable(),
  seconds: z.number(),
  /** The turn it belongs to, from 1: calls of one turn run side by side. */
  turn: z.int(),
})

/** Reads of resources and fetches of prompts. */
const readSchema = z.object({
  uri: z.string(),
  error: z.string().nullable(),
  seconds: z.number(),
  turn: z.int(),
})
const fetchedPromptSchema = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.string()),
  error: z.string().nullable(),
  seconds: z.number(),
  turn: z.int(),
})

const questionSchema = z.object({
  kind: z.enum(['elicitation', 'sampling']),
  message: z.string(),
  /** `accept`, `decline`, `cancel`, or `answered`. */
  outcome: z.string(),
})

export const testResultSchema = z.object({
  ai_response: z.string(),
  tools_used: z.array(z.string()),
  resources_accessed: z.array(z.string()),
  /** Seconds. */
  execution_time: z.number(),
  success_rate: z.number(),
  // Extensions
  chat_id: z.string().optional(),
  /** The model that made this result. */
  model: z.string().optional(),
  tool_calls: z.array(toolCallSchema).optional(),
  resource_reads: z.array(readSchema).optional(),
  prompts: z.array(fetchedPromptSchema).optional(),
  /** What the server asked during calls, and what became of it. */
  questions: z.array(questionSchema).optional(),
  usage: usageSchema.optional(),
  turns: z.int().optional(),
  /** The limit that ended the run before the model did; null when none. */
  stopped_by: z.enum(['turns', 'calls', 'tokens', 'seconds']).nullable().optional(),
  /** What was accepted but not applied, one sentence each. */
  warnings: z.array(z.string()).optional(),
  /** With `cassette: {mode: "record"}`. */
  recording: z
    .array(z.object({ digest: z.string(), request: z.string(), response: recordedResponseSchema }))
    .optional(),
})

/** With `Accept: text/event-stream`: what happens as it happens, and the result (or the error) at the end. */
export const testEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('call'),
    id: z.string(),
    kind: z.enum(['tool', 'resource', 'prompt']),
    name: z.string(),
    arguments: z.unknown(),
  }),
  z.object({
    type: z.literal('answer'),
    id: z.string(),
    error: z.string().nullable(),
    text: z.string(),
    seconds: z.number(),
  }),
  z.object({ type: z.literal('question'), question: questionSchema }),
  z.object({ type: z.literal('result'), result: testResultSchema }),
  z.object({
    type: z.literal('error'),
    error: z.object({ code: z.string(), message: z.string(), details: z.string().optional() }),
  }),
])

export type TestRequest = z.infer<typeof testRequestSchema>
export type TestContext = NonNullable<TestRequest['context']>
export type TestResult = z.infer<typeof testResultSchema>
export type TestEvent = z.infer<typeof testEventSchema>
export type TestLimits = z.infer<typeof limitsSchema>
export type ToolFilter = z.infer<typeof toolFilterSchema>
export type Answers = z.infer<typeof answersSchema>
export type ModelAccess = z.infer<typeof modelAccessSchema>
export type Cassette = z.infer<typeof cassetteSchema>
export type RecordedResponse = z.infer<typeof recordedResponseSchema>
export type ToolCallRecord = z.infer<typeof toolCallSchema>
export type Question = z.infer<typeof questionSchema>
export type Usage = z.infer<typeof usageSchema>
