import type { ModelMessage } from 'ai'
import { connectToServer } from '../../shared/mcp-connection.ts'
import type { TestEvent, TestRequest, TestResult } from '../../shared/test-runs.ts'
import { ASKABLE, answerWith } from './answers.ts'
import { argumentCheck } from './argument-check.ts'
import { summarize } from './call-ledger.ts'
import type { ModelChoice } from './providers/model-id.ts'
import { type ModelKeys, openModel } from './providers/open-model.ts'
import { readOffer } from './read-offer.ts'
import { type AgentOutcome, runAgent } from './run-agent.ts'

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
  const model = await openModel(test.choice, test.keys)
  const connection = await connectToServer(test.url, {
    signal,
    capabilities: ASKABLE,
    prepare: client =>
      answerWith(client, request.answers ?? {}, question => {
        questions.push(question)
        tell({ type: 'question', question })
      }),
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
    return { messages: outcome.messages, result: { ...toResult(outcome), model: model.name, questions } }
  } finally {
    await connection.close()
  }
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
