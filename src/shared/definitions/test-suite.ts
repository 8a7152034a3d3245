import * as z from 'zod'
import {
  answersSchema,
  limitsSchema,
  testRequestSchema,
  toolFilterSchema,
} from '../contract/testing/test-runs.ts'
import { jsonObject, jsonSchema } from '../json/json-value.ts'
import { named } from '../json/schema-metadata.ts'

/** Test suite of `mcp test --suite`: cases and expectations (docs/testing.md). */

const texts = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)])
const names = z.array(z.string().min(1))
const pattern = z.string().refine(isPattern, 'must be a regular expression')
const patterns = z.union([pattern, z.array(pattern).min(1)])

const range = z
  .union([
    z.number().min(0),
    z.strictObject({
      min: z.number().min(0).optional().describe('Minimum.'),
      max: z.number().min(0).optional().describe('Maximum.'),
    }),
  ])
  .meta({ id: 'Range', description: 'A range. A number is the maximum.' })

const chosen = z
  .union([
    names,
    z.strictObject({
      any: names.min(1).optional().describe('At least one of them.'),
      all: names.optional().describe('All of them, and possibly others.'),
      exact: names.optional().describe('All of them and no others.'),
      sequence: names.optional().describe('In this order, possibly with others in between.'),
      never: names.optional().describe('None of them.'),
    }),
  ])
  .meta({
    id: 'NameExpectation',
    description: 'Names that must or must not have been used. A list requires all of its names.',
  })

const callSchema = named('CallExpectation', 'An expected tool call.').strictObject({
  tool: z.string().min(1).describe('Name of the tool.'),
  arguments: jsonObject
    .optional()
    .describe('These arguments with these values. Other arguments are allowed.'),
  schema: jsonSchema.optional().describe('JSON Schema of the arguments.'),
  patterns: z
    .record(z.string(), pattern)
    .optional()
    .describe('Regular expressions by argument. `address.city` is a nested argument.'),
  times: z.int().min(0).optional().describe('Number of such calls. By default at least one.'),
})

export const expectationSchema = named('Expectation', 'Expectations of what the agent does.').strictObject({
  tools: chosen.optional().describe('Tools that were called.'),
  resources: chosen.optional().describe('Resources that were read.'),
  prompts: chosen.optional().describe('Prompts that were fetched.'),
  calls: z.array(callSchema).optional().describe('Expected tool calls.'),
  reply: z
    .strictObject({
      contains: texts.optional().describe('Text that the reply must contain (case-insensitive).'),
      excludes: texts.optional().describe('Text that the reply must not contain (case-insensitive).'),
      pattern: patterns.optional().describe('Regular expressions that the reply must match.'),
    })
    .optional()
    .describe('Reply of the agent.'),
  errors: range.optional().describe('Number of failed calls.'),
  turns: range.optional().describe('Number of turns.'),
  seconds: range.optional().describe('Duration in seconds.'),
  tokens: range.optional().describe('Number of tokens.'),
})

const messageSchema = z.union([
  z.string().min(1),
  z.strictObject({
    message: z.string().min(1).describe('Message to the agent.'),
    expect: expectationSchema.optional().describe("Expectations of the agent's answer."),
  }),
])

/** Settings of a case, or of a suite for all its cases. */
const sharedFields = {
  repeat: z.int().min(1).max(1000).optional().describe('Number of runs of each case.'),
  threshold: z.number().min(0).max(1).optional().describe('Share of the runs of a case that must pass.'),
  context: testRequestSchema.shape.context,
  limits: limitsSchema.optional(),
  offer: toolFilterSchema.optional().describe('Tools that the model is offered.'),
  answers: answersSchema.optional(),
  settings: testRequestSchema.shape.settings,
  make_calls: testRequestSchema.shape.make_calls,
}

const caseSchema = z
  .strictObject({
    name: z.string().min(1).max(200).optional().describe('Name of the case.'),
    message: z.string().min(1).optional().describe('Message to the agent.'),
    messages: z.array(messageSchema).min(1).optional().describe('A conversation.'),
    expect: expectationSchema.optional(),
    ...sharedFields,
  })
  .refine(({ message, messages }) => (message === undefined) !== (messages === undefined), {
    error: 'needs either "message" or "messages"',
  })

export const suiteSchema = z.strictObject({
  $schema: z.string().optional().describe('Path of this schema, so that an editor completes the file.'),
  name: z.string().optional().describe('Name of the suite.'),
  server: z
    .string()
    .optional()
    .describe('Name, build id or deployment id. By default the project that contains the suite.'),
  models: z
    .union([z.string(), z.array(z.string()).min(1)])
    .optional()
    .describe('Models to run the cases with.'),
  pass: z.number().min(0).max(1).optional().describe('Share of the cases that must pass.'),
  ...sharedFields,
  cases: z.array(caseSchema).min(1).max(10_000).describe('The cases.'),
})

export type Suite = z.infer<typeof suiteSchema>
export type SuiteCase = z.infer<typeof caseSchema>
export type Expectation = z.infer<typeof expectationSchema>
export type Range = z.infer<typeof range>
export type NameExpectation = z.infer<typeof chosen>
export type CallExpectation = z.infer<typeof callSchema>

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'u')
    return true
  } catch {
    return false
  }
}
