import * as z from 'zod'
import { suiteSchema } from '../../definitions/test-suite.ts'
import { described, named } from '../../json/schema-metadata.ts'
import {
  deploymentIdSchema,
  EXAMPLE_MCP_ID,
  EXAMPLE_TIME,
  failureSchema,
  isoTime,
  itemPage,
  mcpIdSchema,
} from '../fields.ts'
import { SUITE_STATES } from '../states.ts'
import { usageSchema } from './test-results.ts'

/** Stored runs of test suites (extension; docs/testing.md). */

const SUITE_RUN_ID = 'srun_4h7k2m9q5w1x8z3c6v0b'

const text = z.string().max(20_000)
const name = z.string().max(500)
const share = z.number().min(0).max(1)
const count = z.int().min(0)
const seconds = z.number().min(0)

const status = z.enum(SUITE_STATES).meta({
  id: 'SuiteState',
  description: 'Verdict. `error`: a fault prevented a verdict.',
})

const transcriptEntrySchema = named('TranscriptEntry', 'A message of a conversation, or a tool call.', {
  role: 'tool',
  tool: 'greet',
  arguments: '{"name":"Ada"}',
  text: 'Hello, Ada!',
  error: null,
  seconds: 0.004,
}).strictObject({
  role: z
    .enum(['user', 'assistant', 'tool'])
    .describe('Author of the message. `tool`: a call and its result.'),
  text: text.describe('Text of the message or of the result.'),
  tool: name.optional().describe('Name of the called tool.'),
  arguments: text.optional().describe('Arguments of the call, as JSON.'),
  error: text.nullable().optional().describe('Why the call failed. Null if it succeeded.'),
  seconds: seconds.optional().describe('Duration of the call.'),
  isTruncated: z.boolean().optional().describe('Part of the text was truncated.'),
})

const replaySchema = named(
  'ReplayedRecording',
  'Recorded answers were used instead of those of a model.',
).strictObject({
  recordedAt: isoTime.nullable().describe('Time of the recording. Null if it has none.'),
})

const caseRunSchema = named('CaseRun', 'One run of a case.').strictObject({
  status,
  failures: z.array(text).max(1000).describe('One sentence per failed expectation.'),
  error: failureSchema.nullable().describe('Error that prevented a verdict, if there was one.'),
  model: name.nullable().describe('Model that answered.'),
  reply: text.describe('Last reply of the agent.'),
  seconds: seconds.describe('Duration in seconds.'),
  usage: usageSchema.nullable().describe('Usage of the model. Null if the API does not report it.'),
  cost: z.number().nullable().describe('US dollars. Null for a model without a price.'),
  chatId: name.nullable().describe('Id of the chat, which may have been removed.'),
  replay: replaySchema.optional(),
  transcript: z
    .array(transcriptEntrySchema)
    .max(2000)
    .describe('The conversation. Empty if it was too long.'),
})

const suiteCaseSchema = named('SuiteCase', 'A case with one model.').strictObject({
  name: name.describe('Name of the case.'),
  model: name.describe('Model of the agent.'),
  status,
  passRate: share.describe('Share of judged runs that passed.'),
  threshold: share.describe('Share of runs that must pass.'),
  runs: z.array(caseRunSchema).max(1000).describe('Runs in order.'),
})

const results = {
  suite: name.nullable().describe('Name of the suite.'),
  models: z.array(name).max(100).describe('Models of the agent.'),
  status,
  passed: count.describe('Number of cases that passed.'),
  failed: count.describe('Number of cases that failed.'),
  errors: count.describe('Number of cases without a verdict.'),
  successRate: share.describe('Share of judged cases that passed.'),
  threshold: share.describe('Share of cases that must pass.'),
  seconds: seconds.describe('Duration in seconds.'),
  totalTokens: count.describe('Tokens used by all runs.'),
  cost: z.number().nullable().describe('US dollars. Null if no model has a price.'),
}

const cases = z.array(suiteCaseSchema).min(1).max(2000).describe('One entry per case and model.')

const exampleResults = {
  suite: 'greetings',
  models: ['embedded'],
  status: 'passed',
  passed: 1,
  failed: 0,
  errors: 0,
  successRate: 1,
  threshold: 1,
  seconds: 0.4,
  totalTokens: 812,
  cost: null,
}

const exampleCases = [
  { name: 'greets', model: 'embedded', status: 'passed', passRate: 1, threshold: 1, runs: [] },
]

/** POST /api/suite-runs */
export const newSuiteRunSchema = named('NewSuiteRun', 'A finished run of a test suite.', {
  mcpId: EXAMPLE_MCP_ID,
  ...exampleResults,
  cases: exampleCases,
}).strictObject({
  mcpId: mcpIdSchema.max(128),
  deploymentId: deploymentIdSchema
    .max(128)
    .optional()
    .describe('Deployment that the suite ran against. Absent if it ran against a build.'),
  ...results,
  definition: suiteSchema
    .optional()
    .describe(
      'The suite that ran, with the settings of the command line. Values that look like a credential are replaced.',
    ),
  cases,
})

const summary = {
  id: z.string().meta(described('Id of the run.', SUITE_RUN_ID)),
  server: z.string().describe('Name of the server.'),
  mcpId: z.string().describe('Id of the tested build, which may have been removed.'),
  deploymentId: z.string().nullable().describe('Id of the deployment, if one was named.'),
  ...results,
  author: z.string().nullable().describe('Name of the API key.'),
  createdAt: isoTime.describe('Time at which the run ended.'),
}

const exampleSummary = {
  id: SUITE_RUN_ID,
  server: 'greeter',
  mcpId: EXAMPLE_MCP_ID,
  deploymentId: null,
  ...exampleResults,
  author: 'owner',
  createdAt: EXAMPLE_TIME,
}

export const suiteRunSummarySchema = named(
  'SuiteRunSummary',
  'A run of a test suite without its cases.',
  exampleSummary,
).object(summary)

/** GET /api/suite-runs/{id} */
export const suiteRunSchema = named('SuiteRun', 'A run of a test suite.', {
  ...exampleSummary,
  definition: { name: 'greetings', cases: [{ name: 'greets', message: 'Greet Ada.' }] },
  cases: exampleCases,
}).object({
  ...summary,
  definition: suiteSchema.nullable().describe('The suite that ran. Null if it was not stored.'),
  cases,
})

export const suiteRunPageSchema = itemPage(suiteRunSummarySchema, 'SuiteRunPage')

export type NewSuiteRun = z.infer<typeof newSuiteRunSchema>
export type SuiteRunSummary = z.infer<typeof suiteRunSummarySchema>
export type SuiteRunRecord = z.infer<typeof suiteRunSchema>
export type SuiteRunCase = z.infer<typeof suiteCaseSchema>
export type TranscriptEntry = z.infer<typeof transcriptEntrySchema>
