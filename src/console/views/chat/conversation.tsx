import { useEffect, useRef } from 'preact/hooks'
import { formatMs } from '../../../shared/format/metric-format.ts'
import { Problem } from '../../components/loaded.tsx'
import { State } from '../../components/state.tsx'
import { Text } from '../../components/text.tsx'
import { LongText } from '../../schema-form/results/main.ts'
import { CallView } from './call-view.tsx'
import type { Part } from './exchange.ts'
import type { Sent, ShownExchange } from './session.ts'

/** Longer answers are truncated until the reader asks for the rest. */
const MAX_TEXT = 20_000
/** Maximum distance from the end at which the page still follows an answer. */
const NEAR_END_PX = 120

interface ConversationProps {
  exchanges: readonly ShownExchange[]
  isRunning: boolean
  server: string | undefined
}

export function Conversation({ exchanges, isRunning, server }: ConversationProps) {
  useFollowedEnd(exchanges)
  if (exchanges.length === 0) return <Introduction server={server} />
  return (
    <div class="chat-log" role="log" aria-label="Conversation" aria-busy={isRunning}>
      {exchanges.map(exchange => (
        <ExchangeView key={exchange.id} exchange={exchange} />
      ))}
    </div>
  )
}

/** Scrolls to the end of a chat when it opens, and follows the answer unless the reader has scrolled up. */
function useFollowedEnd(exchanges: readonly ShownExchange[]): void {
  const isAtEnd = useRef(true)
  useEffect(() => {
    const check = () => {
      const { scrollHeight } = document.documentElement
      isAtEnd.current = scrollY + innerHeight > scrollHeight - NEAR_END_PX
    }
    addEventListener('scroll', check, { passive: true })
    return () => removeEventListener('scroll', check)
  }, [])
  useEffect(() => {
    if (exchanges.length > 0 && isAtEnd.current) scrollTo(0, document.documentElement.scrollHeight)
  }, [exchanges.length, exchanges.at(-1)?.sent])
}

function Introduction({ server }: { server: string | undefined }) {
  if (server === undefined) return null
  return (
    <div class="chat-introduction">
      <h2>
        Ask <Text value={server} max={100} />
      </h2>
      <p class="muted">
        A model answers with the server's tools, resources and prompts. They run in the preview, or in a
        temporary instance of the build that an environment serves. Live deployments get no requests.
      </p>
    </div>
  )
}

function ExchangeView({ exchange: { message, parts, sent } }: { exchange: ShownExchange }) {
  return (
    <>
      <div class="chat-message">
        <span class="hidden">You: </span>
        <LongText value={message} max={MAX_TEXT} />
      </div>
      <div class="chat-answer">
        <span class="hidden">Agent: </span>
        {parts.map((part, index) => (
          <PartView key={index} part={part} isOver={sent?.outcome.status !== 'running'} />
        ))}
        {sent && <Ending sent={sent} />}
      </div>
    </>
  )
}

function PartView({ part, isOver }: { part: Part; isOver: boolean }) {
  if (part.type === 'call') return <CallView call={part} isOver={isOver} />
  if (part.type === 'question') return <QuestionLine question={part.question} />
  return (
    <p class="chat-text" dir="auto">
      <LongText value={part.text} max={MAX_TEXT} />
    </p>
  )
}

function QuestionLine({
  question: { kind, message, outcome },
}: {
  question: (Part & { type: 'question' })['question']
}) {
  return (
    <p class="muted wrap">
      The server asked ({kind}): “<Text value={message} max={400} />” The agent answered: {outcome}.
    </p>
  )
}

/** State of the answer: how it ended, or that it is running. */
function Ending({ sent: { outcome } }: { sent: Sent }) {
  if (outcome.status === 'running') return <State value="running" />
  if (outcome.status === 'stopped')
    return <p class="muted">You stopped the answer. It was not saved to the chat.</p>
  if (outcome.status === 'failed') return <Problem error={outcome.error} />
  const { model, execution_time, usage, stopped_by } = outcome.result
  const facts = [model, formatMs(execution_time * 1000), usage && `${usage.total_tokens} tokens`]
  return (
    <p class="chat-facts">
      {stopped_by && <strong>Stopped at the limit on {stopped_by}. </strong>}
      <Text value={facts.filter(Boolean).join(' · ')} max={200} />
    </p>
  )
}
