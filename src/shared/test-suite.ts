import * as z from 'zod'
import { answersSchema, limitsSchema, testRequestSchema, toolFilterSchema } from './test-runs.ts'

/** A suite of `mcp test --suite`: cases, and what is expected of the agent (docs/testing.md). */

const texts = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)])
const names = z.array(z.string().min(1))
const pattern = z.string().refine(isPattern, 'must be a regular expression')
const patterns = z.union([pattern, z.array(pattern).min(1)])

/** A number alone is the most that there may be. */
const range = z.union([
  z.number().min(0),
  z.strictObject({ min: z.number().min(0).optional(), max: z.number().min(0).optional() }),
])

/** A list alone means all of them. */
const chosen = z.union([
  names,
  z.strictObject({
    /** At least one of them. */
    any: names.min(1).optional(),
    /** Each of them, and maybe others. */
    all: names.optional(),
    /** Each of them and no other. */
    exact: names.optional(),
    /** In this order, others may come between. */
    sequence: names.optional(),
    never: names.optional(),
  }),
])

const callSchema = z.strictObject({
  tool: z.string().min(1),
  /** These members with these values; others may be there. */
  arguments: z.record(z.string(), z.json()).optional(),
  /** JSON Schema of the arguments. */
  schema: z.record(z.string(), z.json()).optional(),
  /** Member (`address.city` is one within another) → regular expression. */
  patterns: z.record(z.string(), pattern).optional(),
  /** How many such calls; at least one when absent. */
  times: z.int().min(0).optional(),
})

export const expectationSchema = z.strictObject({
  tools: chosen.optional(),
  resources: chosen.optional(),
  prompts: chosen.optional(),
  /** For each entry there is a call that fits it. */
  calls: z.array(callSchema).optional(),
  reply: z
    .strictObject({
      /** Whatever its case. */
      contains: texts.optional(),
      excludes: texts.optional(),
      pattern: patterns.optional(),
    })
    .optional(),
  /** Calls that failed. */
  errors: range.optional(),
  turns: range.optional(),
  seconds: range.optional(),
  tokens: range.optional(),
})

const messageSchema = z.union([
  z.string().min(1),
  z.strictObject({ message: z.string().min(1), expect: expectationSchema.optional() }),
])

/** What a case may set for itself and a suite for all of its cases. */
const sharedFields = {
  repeat: z.int().min(1).max(1000).optional(),
  /** Share of a case's runs that must pass. */
  threshold: z.number().min(0).max(1).optional(),
  context: testRequestSchema.shape.context,
  limits: limitsSchema.optional(),
  offer: toolFilterSchema.optional(),
  answers: answersSchema.optional(),
  settings: testRequestSchema.shape.settings,
}

export const caseSchema = z
  .strictObject({
    name: z.string().min(1).max(200).optional(),
    message: z.string().min(1).optional(),
    /** A conversation; each goes on where the last one ended. */
    messages: z.array(messageSchema).min(1).optional(),
    expect: expectationSchema.optional(),
    ...sharedFields,
  })
  .refine(({ message, messages }) => (message === undefined) !== (messages === undefined), {
    error: 'needs either "message" or "messages"',
  })

export const suiteSchema = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().optional(),
  /** Name, mcp_id or deployment id; the project that the suite lies in when absent. */
  server: z.string().optional(),
  models: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  /** Share of the cases that must pass. */
  pass: z.number().min(0).max(1).optional(),
  ...sharedFields,
  cases: z.array(caseSchema).min(1).max(10_000),
})

export type Suite = z.infer<typeof suiteSchema>
export type SuiteCase = z.infer<typeof caseSchema>
export type Expectation = z.infer<typeof expectationSchema>
export type Range = z.infer<typeof range>
export type Chosen = z.infer<typeof chosen>
export type CallExpectation = z.infer<typeof callSchema>

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'u')
    return true
  } catch {
    return false
  }
}
