import * as z from 'zod'
import { jsonValue } from '../json/json-value.ts'
import { described, named } from '../json/schema-metadata.ts'
import { contentBlockSchema, liquid } from './content-blocks.ts'

/** Handlers of tools, resources and prompts (docs/definitions.md). */

const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const

const emitStepSchema = z
  .union([
    z.strictObject({
      log: z
        .strictObject({
          level: z.enum(LOG_LEVELS).default('info').describe('Level of the message.'),
          message: liquid.describe('The message. A Liquid template.'),
          logger: z.string().optional().describe('Name of the logger.'),
        })
        .describe('Log message sent to the client.'),
    }),
    z.strictObject({
      progress: z
        .strictObject({
          progress: z.number().describe('Progress so far.'),
          total: z.number().optional().describe('Progress at the end.'),
          message: liquid.optional().describe('The message. A Liquid template.'),
        })
        .describe('Progress sent to the client.'),
    }),
    z.strictObject({
      waitMs: z.int().min(0).max(10_000).describe('Pause in milliseconds.'),
    }),
  ])
  .meta({
    id: 'EmitStep',
    description: 'A log message, a progress notification or a pause before the answer.',
  })

/** Exactly one of the fields. */
const answer = {
  text: liquid.optional().describe('Text answer. A Liquid template.'),
  json: jsonValue
    .optional()
    .describe(
      'JSON answer. Its strings are Liquid templates. A string that is exactly one `{{ expression }}` becomes its value, such as a number.',
    ),
  content: z.array(contentBlockSchema).optional().describe('Answer as MCP content blocks.'),
}

const emit = z
  .array(emitStepSchema)
  .optional()
  .describe('Log messages, progress and pauses before the answer, in order.')

const templateHandlerSchema = named(
  'TemplateHandler',
  'A declared answer: exactly one of `text`, `json`, `content`.',
).strictObject({
  type: z.literal('template').describe('Kind of handler.'),
  ...answer,
  isError: z
    .union([z.boolean(), liquid])
    .optional()
    .describe('`true`, or a Liquid template that renders to `true`, makes the answer a tool error.'),
  emit,
})

const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

export const httpHandlerSchema = named(
  'HttpHandler',
  'A call to another API (templates `advanced` and `custom`).',
).strictObject({
  type: z.literal('http').describe('Kind of handler.'),
  method: z.enum(HTTP_METHODS).default('GET').describe('HTTP method.'),
  url: z
    .string()
    .min(1)
    .meta(
      described('URL to call. A Liquid template.', 'https://api.example.com/weather/{{ city | url_encode }}'),
    ),
  headers: z.record(z.string(), liquid).optional().describe('Request headers. Values are Liquid templates.'),
  query: z
    .record(z.string(), liquid)
    .optional()
    .describe('Query parameters. Values are Liquid templates. An empty value omits the parameter.'),
  body: jsonValue
    .optional()
    .describe(
      'Request body. A string is sent as rendered, anything else as JSON whose strings are templates.',
    ),
  result: z
    .strictObject(answer)
    .optional()
    .describe(
      'Answer made from `response` `{status, headers, body}`. Without it, the response body is the answer.',
    ),
  timeoutMs: z.int().min(1).max(300_000).default(30_000).describe('Time limit in milliseconds.'),
  maxResponseBytes: z
    .int()
    .min(1)
    .max(50_000_000)
    .default(5_000_000)
    .describe('Maximum size of the response in bytes.'),
  retries: z
    .int()
    .min(0)
    .max(5)
    .default(2)
    .describe(
      'Retries of idempotent methods (RFC 9110 9.2.2) after connection errors, 429, 502, 503 and 504.',
    ),
  emit,
})

export const moduleHandlerSchema = named(
  'ModuleHandler',
  'Code in the source archive (template `custom`).',
).strictObject({
  type: z.literal('module').describe('Kind of handler.'),
  path: z.string().min(1).meta(described('Module file, relative to the project.', 'src/tools/greet.ts')),
  export: z.string().min(1).default('default').describe('Name of the exported function.'),
})

export const handlerSchema = z
  .discriminatedUnion('type', [templateHandlerSchema, httpHandlerSchema, moduleHandlerSchema])
  .meta({ id: 'Handler', description: 'How a tool or resource answers.' })

export type LogLevel = (typeof LOG_LEVELS)[number]
export type EmitStep = z.infer<typeof emitStepSchema>
export type TemplateHandler = z.infer<typeof templateHandlerSchema>
export type HttpHandler = z.infer<typeof httpHandlerSchema>
export type ModuleHandler = z.infer<typeof moduleHandlerSchema>
export type Handler = z.infer<typeof handlerSchema>
