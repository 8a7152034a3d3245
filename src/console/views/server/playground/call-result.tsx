import { Problem } from '../../../components/loaded.tsx'
import { unlistedResource } from '../../../mcp/catalog.ts'
import { isObject, McpError, type Params, textOf } from '../../../mcp/messages.ts'
import { navigate } from '../../../router/router.ts'
import { JsonTree, LongText, Name, ResultView } from '../../../schema-form/results/main.ts'
import type { Call } from './call.ts'
import { entryPath, type Place } from './place.ts'
import type { Playground } from './playground.ts'

interface ResultProps {
  call: Call
  playground: Playground
  place: Place
}

export function CallResult({ call, playground, place }: ResultProps) {
  const outcome = call.outcome.value
  if (outcome.status === 'failed')
    return outcome.error instanceof McpError ? (
      <ServerError error={outcome.error} />
    ) : (
      <Problem error={outcome.error} />
    )
  if (outcome.status === 'cancelled') return <p class="muted">You cancelled the call.</p>
  if (outcome.status === 'running') return null
  const read = (uri: string) => {
    const resource = unlistedResource(uri)
    navigate(entryPath(place, resource))
    playground.run(resource, {})
  }
  return <Answer call={call} result={outcome.result} onRead={read} />
}

function Answer({ call, result, onRead }: { call: Call; result: Params; onRead(uri: string): void }) {
  if (call.entry.kind === 'tool')
    return <ResultView label="Content" result={result} onReadResource={onRead} />
  if (call.entry.kind === 'prompt') return <Messages result={result} onRead={onRead} />
  const contents = Array.isArray(result.contents) ? result.contents : []
  if (contents.length === 0) return <JsonTree value={result} />
  return (
    <ResultView
      label="Content"
      result={{ content: contents.map(resource => ({ type: 'resource', resource })) }}
    />
  )
}

/** A prompt is a conversation for a model. */
function Messages({ result, onRead }: { result: Params; onRead(uri: string): void }) {
  const messages = Array.isArray(result.messages) ? result.messages.filter(isObject) : []
  if (messages.length === 0) return <JsonTree value={result} />
  return (
    <ol class="pg-messages">
      {messages.map((message, index) => (
        <li key={index}>
          <h3>
            <Name value={textOf(message.role) ?? 'unknown'} max={40} />
          </h3>
          <ResultView
            label={`Message ${index + 1}`}
            result={{ content: [message.content] }}
            onReadResource={onRead}
          />
        </li>
      ))}
    </ol>
  )
}

/** An error from the server, unchanged. */
function ServerError({ error: { message, code, data } }: { error: McpError }) {
  return (
    <div class="pg-error" role="alert">
      <p class="sf-error">
        <LongText value={message} max={4000} />
      </p>
      <p class="muted">The server refused the request{code !== undefined && ` with code ${code}`}.</p>
      {data !== undefined && <JsonTree name="data" value={data} />}
    </div>
  )
}
