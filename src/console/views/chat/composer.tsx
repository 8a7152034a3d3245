import { useRef } from 'preact/hooks'
import type { ChatRecord } from '../../../shared/contract/testing/chats.ts'
import { bound } from '../../components/bound.ts'
import { Button } from '../../components/button.tsx'
import type { Server } from '../../model/servers.ts'
import { query } from '../../router/router.ts'
import { ModelChoice } from './model-choice.tsx'
import type { Models } from './models.ts'
import type { ChatSession } from './session.ts'
import { TargetChoice } from './target-choice.tsx'
import { chosenTarget, targetsOf } from './targets.ts'

interface ComposerProps {
  session: ChatSession
  server: Server
  /** Servers to choose from. */
  servers: readonly Server[]
  chat: ChatRecord | undefined
  models: Models
  /** Number of the user's messages that have been answered. */
  count: number
}

/** Field for the next message, with choices of server, build and model. */
export function Composer({ session, server, servers, chat, models, count }: ComposerProps) {
  const { draft } = session
  const field = useRef<HTMLTextAreaElement>(null)
  const targets = targetsOf(server)
  const target = chosenTarget(targets, { environment: query.value.get('env'), mcpId: chat?.mcpId })!
  const model = query.value.get('model') ?? chat?.model ?? models.keys.defaultModel
  const { isRunning } = session
  const send = () => {
    const message = draft.value.trim()
    if (message === '' || isRunning) return
    draft.value = ''
    field.current!.focus()
    void session.send({ mcp_id: target.mcpId, ai_model: model, message }, count).then(() => {
      // A message without an answer can be edited and sent again.
      if (session.sent.peek().at(-1)!.outcome.status !== 'answered' && draft.peek() === '')
        draft.value = message
    })
  }
  const stop = () => {
    session.stop()
    field.current!.focus()
  }
  return (
    <form
      class="chat-composer"
      onSubmit={event => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        ref={field}
        class="input"
        aria-label="Message"
        placeholder={`Message to an agent with ${server.name}`}
        rows={3}
        maxLength={200_000}
        dir="auto"
        {...bound(draft)}
        onKeyDown={event => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          send()
        }}
      />
      <div class="chat-choices">
        <TargetChoice servers={servers} server={server} targets={targets} target={target} />
        <ModelChoice model={model} models={models} />
        {/* Different keys, because a button that changed its type during a click would submit the form. */}
        {isRunning ? (
          <Button key="stop" icon="stop" onClick={stop}>
            Stop
          </Button>
        ) : (
          <Button key="send" type="submit" kind="primary" icon="up">
            Send
          </Button>
        )}
      </div>
    </form>
  )
}
