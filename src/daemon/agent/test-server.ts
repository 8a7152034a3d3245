import type { ModelMessage } from 'ai'
import type { TestEvent, TestResult } from '../../shared/contract/testing/test-results.ts'
import type { TestRequest } from '../../shared/contract/testing/test-runs.ts'
import { HostingError } from '../../shared/errors.ts'
import { connectToServer, MAX_RESPONSE_BYTES } from '../../shared/mcp-client/connect.ts'
import { answerWith, CLIENT_CAPABILITIES } from './calls/answers.ts'
import { argumentCheck } from './calls/argument-check.ts'
import { summarize } from './calls/call-ledger.ts'
import { recordModel, replayModel } from './cassette.ts'
import { readOffer } from './offer/read-offer.ts'
import { type ModelChoice, modelName, recordedName, takesImages } from './providers/model-id.ts'
import { type ModelKeys, type OpenedModel, openModel } from './providers/open-model.ts'
import { type AgentOutcome, runAgent } from './run-agent.ts'

/** Longer than any working instance takes to start. */
const START_TIMEOUT_MS = 60_000

export interface ServerTest {
  /** MCP endpoint of the server. */
  url: string
  request: TestRequest
  choice: ModelChoice
  keys: ModelKeys
  history: ModelMessage[]
  signal: AbortSignal
  onEvent(event: TestEvent): void
}

/** Connects to the server like any MCP client, runs the model against it and returns the result. */
export async function testServer(
  test: ServerTest,
): Promise<{ messages: ModelMessage[]; result: TestResult }> {
  const { request, signal, onEvent } = test
  const questions: NonNullable<TestResult['questions']> = []
  const recording: NonNullable<TestResult['recording']> = []
  const model = await modelFor(test, recording)
  const connection = await connectToServer(test.url, {
    signal,
    timeoutMs: START_TIMEOUT_MS,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    capabilities: CLIENT_CAPABILITIES,
    prepare: client =>
      answerWith(client, request.answers ?? {}, question => {
        questions.push(question)
        onEvent({ type: 'question', question })
      }),
  }).catch(error => {
    throw signal.aborted
      ? new HostingError('CANCELLED', 'The test run was cancelled.')
      : unusableServer(error)
  })
  try {
    const offer = await readOffer(connection, request.tools)
    const outcome = await runAgent({
      model,
      connection,
      offer,
      history: test.history,
      message: request.message,
      context: request.context,
      limits: request.limits,
      settings: request.settings,
      ...(request.make_calls === false ? { check: argumentCheck(offer.tools) } : {}),
      signal,
      onEvent,
    })
    return {
      messages: outcome.messages,
      result: {
        ...toResult(outcome),
        model: model.name,
        questions,
        ...(request.cassette?.mode === 'record' ? { recording } : {}),
      },
    }
  } finally {
    await connection.close()
  }
}

function unusableServer(error: HostingError): HostingError {
  return new HostingError('UNAVAILABLE', `The server could not be used: ${error.message}`, {
    details: error.details,
    cause: error,
    next: [{ description: 'Read its log', command: 'mcp logs <mcp_id>' }],
  })
}

/** A replay needs no key, because it makes no request. */
async function modelFor(
  { choice, keys, request }: ServerTest,
  recording: NonNullable<TestResult['recording']>,
): Promise<OpenedModel> {
  const { cassette } = request
  if (cassette?.mode === 'replay') {
    const model = replayModel(recordedName(choice), cassette.responses)
    return { model, name: modelName(choice), takesImages: takesImages(choice), providerOptions: {} }
  }
  const opened = await openModel(choice, keys)
  if (!cassette) return opened
  return { ...opened, model: recordModel(opened.model, recordedName(choice), recording) }
}

function toResult({ reply, calls, usage, turns, stoppedBy }: AgentOutcome) {
  return {
    ...summarize(calls),
    ai_response: reply || (stoppedBy ? `The run reached its limit on ${stoppedBy}.` : ''),
    execution_time: 0,
    usage,
    turns,
    stopped_by: stoppedBy,
  }
}
