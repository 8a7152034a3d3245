import type { Client, ClientCapabilities } from '@modelcontextprotocol/client'
import type { Question } from '../../shared/test-results.ts'
import type { Answers } from '../../shared/test-runs.ts'

/** A server may always ask; what it is answered stands in {@link Answers}. */
export const ASKABLE: ClientCapabilities = { sampling: {}, elicitation: { form: {} } }

/** Text that tells a server that nobody is there to sample for it. */
const DECLINED = 'The test agent declines to sample: no answer of the suite fits this request.'

/** Answers what a server asks during a call, the first fitting answer each time, and tells what became of it. */
export function answerWith(client: Client, answers: Answers, tell: (question: Question) => void): void {
  client.setRequestHandler('elicitation/create', ({ params }) => {
    const message = params.message
    const found = answers.elicitation?.find(({ contains }) => holds(message, contains))
    const action = found?.action ?? 'decline'
    tell({ kind: 'elicitation', message, outcome: action })
    return action === 'accept' ? { action, content: (found?.content ?? {}) as never } : { action }
  })
  client.setRequestHandler('sampling/createMessage', ({ params }) => {
    const message = textOf(params.messages)
    const found = answers.sampling?.find(({ contains }) => holds(message, contains))
    tell({ kind: 'sampling', message, outcome: found ? 'answered' : 'decline' })
    if (!found) throw new Error(DECLINED)
    return {
      role: 'assistant' as const,
      model: 'mcp-hosting/suite',
      stopReason: 'endTurn',
      content: { type: 'text' as const, text: found.text },
    }
  })
}

function holds(message: string, wanted: string | undefined): boolean {
  return wanted === undefined || message.toLowerCase().includes(wanted.toLowerCase())
}

function textOf(messages: readonly { content: unknown }[]): string {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : [content]))
  return blocks
    .map(block => ((block as { type?: string }).type === 'text' ? (block as { text: string }).text : ''))
    .join('\n')
}
