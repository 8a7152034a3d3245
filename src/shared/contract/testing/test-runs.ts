import * as z from 'zod'
import { jsonObject } from '../../json/json-value.ts'
import { described, named } from '../../json/schema-metadata.ts'
import { EMBEDDED_MODEL, VENDOR_MODELS } from '../access/vendor-models.ts'
import { EXAMPLE_MCP_ID } from '../fields.ts'

/** POST /v1/test (service interface 2.5 and 4.2). All extensions of the contract are optional (docs/testing.md). */

export const DEFAULT_LIMITS = { turns: 12, calls: 50, tokens: 500_000, seconds: 120 } as const

const DOCUMENTED_MODELS = Object.values(VENDOR_MODELS)

export const limitsSchema = named('TestLimits', 'Limits of a test run.').strictObject({
  turns: z.int().min(1).max(100).optional().meta({
    description: 'Maximum number of requests to the model.',
    default: DEFAULT_LIMITS.turns,
  }),
  calls: z.int().min(1).max(1000).optional().meta({
    description: 'Maximum number of tool calls, resource reads and prompts.',
    default: DEFAULT_LIMITS.calls,
  }),
  tokens: z.int().min(1).max(10_000_000).optional().meta({
    description: 'Maximum number of tokens, input and output together.',
    default: DEFAULT_LIMITS.tokens,
  }),
  seconds: z.number().positive().max(3600).optional().meta({
    description: 'Maximum duration in seconds.',
    default: DEFAULT_LIMITS.seconds,
  }),
})

const toolNames = z.array(z.string().min(1).max(200)).max(1000).optional()

export const toolFilterSchema = named(
  'ToolFilter',
  'Tools by name. `*` stands for any characters.',
).strictObject({
  allow: toolNames.describe('Tools that the model is offered. By default all.'),
  deny: toolNames.describe('Tools that the model is not offered.'),
})

const contains = z
  .string()
  .optional()
  .describe('Text in the message of the question (case-insensitive). By default any question.')

export const answersSchema = named(
  'ServerAnswers',
  'Answers to questions from the server. The first match applies. Questions without a match are declined.',
).strictObject({
  elicitation: z
    .array(
      z.strictObject({
        contains,
        action: z.enum(['accept', 'decline', 'cancel']).default('accept').describe('The answer.'),
        content: jsonObject.optional().describe('Values of the form.'),
      }),
    )
    .max(100)
    .optional()
    .describe('Answers to elicitation requests.'),
  sampling: z
    .array(z.strictObject({ contains, text: z.string().describe('Text of the answer.') }))
    .max(100)
    .optional()
    .describe('Answers to sampling requests.'),
})

/** Response from a model without the vendor's envelope. */
export const recordedResponseSchema = named(
  'RecordedResponse',
  'A recorded response from a model.',
).strictObject({
  content: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({
          type: z.literal('text').describe('Kind of part.'),
          text: z.string().describe('The text.'),
        }),
        z.strictObject({
          type: z.literal('reasoning').describe('Kind of part.'),
          text: z.string().describe('The reasoning.'),
        }),
        z.strictObject({
          type: z.literal('tool-call').describe('Kind of part.'),
          id: z.string().describe('Id of the call.'),
          name: z.string().describe('Name of the tool.'),
          input: z.string().describe('Arguments as JSON.'),
        }),
      ]),
    )
    .describe('Parts of the response.'),
  finish: z.string().meta(described('Why the model stopped.', 'stop')),
  input_tokens: z.int().optional().describe('Input tokens.'),
  output_tokens: z.int().optional().describe('Output tokens.'),
})

const cassetteSchema = z
  .discriminatedUnion('mode', [
    named('RecordCassette', "Return the model's responses as `recording`.").strictObject({
      mode: z.literal('record').describe("Record the model's responses."),
    }),
    named('ReplayCassette', 'Use recorded responses instead of the model.').strictObject({
      mode: z.literal('replay').describe('Replay recorded responses.'),
      responses: z
        .record(z.string(), recordedResponseSchema)
        .describe('Recorded responses by the digest of the request.'),
    }),
  ])
  .meta({ id: 'Cassette', description: "Recording or replay of the model's responses." })

const vendorAccessSchema = named('VendorAccess', 'Access to the models of a vendor.').strictObject({
  api_key: z.string().min(1).describe('Key of the vendor.'),
  base_url: z
    .url('expected a URL such as https://api.example.com/v1')
    .optional()
    .describe("URL to use instead of the vendor's."),
})

const modelAccessSchema = named(
  'ModelAccess',
  'Keys for this run only. They are neither stored nor logged.',
).strictObject({ anthropic: vendorAccessSchema.optional(), openai: vendorAccessSchema.optional() })

const contextSchema = named(
  'TestContext',
  'Context that the server receives with each call as `_meta["mcp-hosting/context"]`.',
).looseObject({
  user_id: z.string().optional().describe('User id for resource access.'),
  session_data: jsonObject.optional().describe('Session-specific data.'),
})

const settingsSchema = named('ModelSettings', 'Settings of the model.').strictObject({
  temperature: z.number().min(0).max(2).optional().describe('Temperature.'),
  seed: z.int().optional().describe('Seed, for models that support one.'),
  max_output_tokens: z.int().min(1).optional().describe('Maximum number of tokens in a response.'),
})

const namedTestRequest = named('TestRequest', 'A message to an agent that uses a server.', {
  mcp_id: EXAMPLE_MCP_ID,
  message: 'Greet Ada.',
  ai_model: 'claude-sonnet-4-5',
  context: { user_id: 'user_1', session_data: { locale: 'en' } },
})

export const testRequestSchema = namedTestRequest.strictObject({
  mcp_id: z.string().min(1).max(128).meta(described('Id of the build to test.', EXAMPLE_MCP_ID)),
  message: z.string().min(1).max(200_000).describe('Message to the agent.'),
  ai_model: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta({
      description:
        'Model of the agent. The default applies if there is a key for it, else `embedded` is used, which needs no network. Also `anthropic:<model>`, `openai:<model>`, `openai:<model>@<base url>`, `gguf:<file>`, `<vendor-a>-sonnet-4-5` and `<vendor-b>-5.2`.',
      default: VENDOR_MODELS.anthropic,
      anyOf: [{ type: 'string', enum: [...DOCUMENTED_MODELS, EMBEDDED_MODEL] }, { type: 'string' }],
      examples: ['claude-sonnet-4-5'],
    }),
  context: contextSchema.optional(),
  // Extensions
  chat_id: z.string().min(1).max(128).optional().describe('Id of the chat to continue.'),
  limits: limitsSchema.optional(),
  tools: toolFilterSchema.optional().describe('Tools that the model is offered.'),
  answers: answersSchema.optional(),
  make_calls: z.boolean().optional().meta({
    description: '`false` validates calls against their schemas without making them.',
    default: true,
  }),
  settings: settingsSchema.optional(),
  model_access: modelAccessSchema.optional(),
  cassette: cassetteSchema.optional(),
})

export type TestRequest = z.infer<typeof testRequestSchema>
export type TestContext = NonNullable<TestRequest['context']>
export type TestLimits = z.infer<typeof limitsSchema>
export type ToolFilter = z.infer<typeof toolFilterSchema>
export type Answers = z.infer<typeof answersSchema>
export type ModelAccess = z.infer<typeof modelAccessSchema>
export type Cassette = z.infer<typeof cassetteSchema>
export type RecordedResponse = z.infer<typeof recordedResponseSchema>
