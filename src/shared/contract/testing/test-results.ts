import * as z from 'zod'
import { named } from '../../json/schema-metadata.ts'
import { failureSchema } from '../fields.ts'
import { recordedResponseSchema } from './test-runs.ts'

/** Response of POST /v1/test (service interface 2.5; docs/testing.md). */

export const usageSchema = named('Usage', 'Model usage of a test run.').object({
  input_tokens: z.int().describe('Input tokens.'),
  output_tokens: z.int().describe('Output tokens.'),
  total_tokens: z.int().describe('Input and output tokens together.'),
  cached_input_tokens: z.int().describe('Input tokens that the vendor had cached.'),
  requests: z.int().describe('Number of requests to the model.'),
})

const seconds = z.number().describe('Duration in seconds.')
const turn = z.int().describe('Number of the turn, from 1. Calls of one turn run in parallel.')
const callError = z.string().nullable().describe('Why it failed. Null if it succeeded.')

const toolCallSchema = named('ToolCall', 'A tool call of the agent.').object({
  name: z.string().describe('Name of the tool.'),
  arguments: z.unknown().describe('Arguments of the call.'),
  result: z.unknown().nullable().describe('Result as the server sent it. Null without a response.'),
  error: callError,
  seconds,
  turn,
})

const readSchema = named('ResourceRead', 'A resource that the agent read.').object({
  uri: z.string().describe('URI of the resource.'),
  error: callError,
  seconds,
  turn,
})

const fetchedPromptSchema = named('FetchedPrompt', 'A prompt that the agent fetched.').object({
  name: z.string().describe('Name of the prompt.'),
  arguments: z.record(z.string(), z.string()).describe('Arguments of the prompt.'),
  error: callError,
  seconds,
  turn,
})

const questionSchema = named('ServerQuestion', 'A question that the server asked during a call.').object({
  kind: z.enum(['elicitation', 'sampling']).describe('Kind of question.'),
  message: z.string().describe('The question.'),
  outcome: z.string().describe('`accept`, `decline`, `cancel`, or `answered`.'),
})

const namedTestResult = named('TestResult', "The agent's reply and actions.", {
  ai_response: 'Hello, Ada!',
  tools_used: ['greet'],
  resources_accessed: [],
  execution_time: 0.031,
  success_rate: 1,
  chat_id: 'chat_4h7k2m9q5w1x8z3c6v0b',
  model: 'claude-sonnet-4-5',
})

export const testResultSchema = namedTestResult.object({
  ai_response: z.string().describe('Reply of the agent.'),
  tools_used: z.array(z.string()).describe('Names of the tools that the agent called, each once.'),
  resources_accessed: z.array(z.string()).describe('URIs of the resources that the agent read.'),
  execution_time: z.number().describe('Duration in seconds.'),
  success_rate: z.number().describe('Share of successful tool calls, 0 to 1. 1 if there were no calls.'),
  // Extensions
  chat_id: z.string().optional().describe('Id of the chat. Pass it as `chat_id` to continue the chat.'),
  warnings: z
    .array(z.string())
    .optional()
    .describe('Extension: accepted settings that have no effect, one sentence each.'),
  model: z.string().optional().describe('Model that produced this result.'),
  tool_calls: z.array(toolCallSchema).optional().describe('Tool calls in order.'),
  resource_reads: z.array(readSchema).optional().describe('Resources that were read, in order.'),
  prompts: z.array(fetchedPromptSchema).optional().describe('Prompts that were fetched, in order.'),
  questions: z.array(questionSchema).optional().describe('Questions that the server asked during calls.'),
  usage: usageSchema.optional(),
  turns: z.int().optional().describe('Number of turns.'),
  stopped_by: z
    .enum(['turns', 'calls', 'tokens', 'seconds'])
    .nullable()
    .optional()
    .describe('Limit that ended the run. Null if the model ended it.'),
  recording: z
    .array(
      z.object({
        digest: z.string().describe('Digest of the request.'),
        request: z.string().describe('The normalized request.'),
        response: recordedResponseSchema,
      }),
    )
    .optional()
    .describe('Recorded responses, with `cassette: {"mode": "record"}`.'),
})

const eventType = <T extends string>(type: T) => z.literal(type).describe('Kind of event.')
const callId = z.string().describe('Id of the call.')

/** Event of a response with `Accept: text/event-stream`. */
export const testEventSchema = z
  .discriminatedUnion('type', [
    z.object({ type: eventType('text'), text: z.string().describe('Next part of the reply.') }),
    z.object({
      type: eventType('call'),
      id: callId,
      kind: z.enum(['tool', 'resource', 'prompt']).describe('Kind of call.'),
      name: z.string().describe('Name or URI of the tool, resource or prompt.'),
      arguments: z.unknown().describe('Arguments of the call.'),
    }),
    z.object({
      type: eventType('answer'),
      id: callId,
      error: callError,
      text: z.string().describe('Text of the answer.'),
      seconds,
    }),
    z.object({ type: eventType('question'), question: questionSchema }),
    z.object({ type: eventType('result'), result: testResultSchema }),
    z.object({ type: eventType('error'), error: failureSchema.describe('Why the run failed.') }),
  ])
  .meta({ id: 'TestEvent', description: 'An event of a test run. The last one is the result or the error.' })

export type TestResult = z.infer<typeof testResultSchema>
export type TestEvent = z.infer<typeof testEventSchema>
export type ToolCallRecord = z.infer<typeof toolCallSchema>
export type Question = z.infer<typeof questionSchema>
export type Usage = z.infer<typeof usageSchema>
