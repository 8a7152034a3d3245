import type { Client, ClientCapabilities } from '@modelcontextprotocol/client'
import type { Question } from '../../../shared/contract/testing/test-results.ts'
import type { Answers } from '../../../shared/contract/testing/test-runs.ts'

/** Capabilities of the test client. {@link Answers} supplies its answers. */
export const CLIENT_CAPABILITIES: ClientCapabilities = { sampling: {}, elicitation: { form: {} } }

const DECLINED = 'The test agent declines to sample: no answer in the suite matches this request.'

/** Answers the server's questions with the first matching answer, and reports each question. */
export function answerWith(client: Client, answers: Answers, onQuestion: (question: Question) => void): void {
  client.setRequestHandler('elicitation/create', ({ params }) => {
    const message = params.message
    const found = answers.elicitation?.find(({ contains }) => matches(message, contains))
    const action = found?.action ?? 'decline'
    onQuestion({ kind: 'elicitation', message, outcome: action })
    return action === 'accept' ? { action, content: (found?.content ?? {}) as never } : { action }
  })
  client.setRequestHandler('sampling/createMessage', ({ params }) => {
    const message = textOf(params.messages)
    const found = answers.sampling?.find(({ contains }) => matches(message, contains))
    onQuestion({ kind: 'sampling', message, outcome: found ? 'answered' : 'decline' })
    if (!found) throw new Error(DECLINED)
    return {
      role: 'assistant' as const,
      model: 'mcp-hosting/suite',
      stopReason: 'endTurn',
      content: { type: 'text' as const, text: found.text },
    }
  })
}

function matches(message: string, wanted: string | undefined): boolean {
  return wanted === undefined || message.toLowerCase().includes(wanted.toLowerCase())
}

function textOf(messages: readonly { content: unknown }[]): string {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : [content]))
  return blocks
    .map(block => ((block as { type?: string }).type === 'text' ? (block as { text: string }).text : ''))
    .join('\n')
}
