import type { ModelMessage } from 'ai'
import { HostingError } from '../../shared/errors.ts'
import { connectToServer } from '../../shared/mcp-connection.ts'
import type { TestEvent, TestResult } from '../../shared/test-results.ts'
import type { TestRequest } from '../../shared/test-runs.ts'
import { ASKABLE, answerWith } from './answers.ts'
import { argumentCheck } from './argument-check.ts'
import { summarize } from './call-ledger.ts'
import { recordModel, replayModel } from './cassette.ts'
import { type ModelChoice, modelName, recordedName, takesImages } from './providers/model-id.ts'
import { type ModelKeys, type OpenedModel, openModel } from './providers/open-model.ts'
import { readOffer } from './read-offer.ts'
import { type AgentOutcome, runAgent } from './run-agent.ts'

/** An instance that starts and answers takes less, or never answers. */
const START_TIMEOUT_MS = 60_000

export interface ServerTest {
  /** MCP endpoint of the server. */
  url: string
  request: TestRequest
  choice: ModelChoice
  keys: ModelKeys
  history: ModelMessage[]
  signal: AbortSignal
  tell(event: TestEvent): void
}

/** Connects to the server as any MCP client does, lets the model work with it, and says what came of it. */
export async function testServer(
  test: ServerTest,
): Promise<{ messages: ModelMessage[]; result: TestResult }> {
  const { request, signal, tell } = test
  const questions: NonNullable<TestResult['questions']> = []
  const recording: NonNullable<TestResult['recording']> = []
  const model = await modelFor(test, recording)
  const connection = await connectToServer(test.url, {
    signal,
    timeoutMs: START_TIMEOUT_MS,
    capabilities: ASKABLE,
    prepare: client =>
      answerWith(client, request.answers ?? {}, question => {
        questions.push(question)
        tell({ type: 'question', question })
      }),
  }).catch(error => {
    throw signal.aborted ? new HostingError('CANCELLED', 'The test run was cancelled.') : unreachable(error)
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
      tell,
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

/** What does not start is told as what it is to the caller: out of reach, with the server's own words. */
function unreachable(error: HostingError): HostingError {
  return new HostingError('UNAVAILABLE', `The server could not be used: ${error.message}`, {
    details: error.details,
    cause: error,
    next: [{ description: 'See its log', command: 'mcp logs <mcp_id>' }],
  })
}

/** In a replay no vendor is asked, so no key is needed either. */
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
    ai_response: reply || (stoppedBy ? `The run was ended by its limit of ${stoppedBy}.` : ''),
    execution_time: 0,
    usage,
    turns,
    stopped_by: stoppedBy,
  }
}
