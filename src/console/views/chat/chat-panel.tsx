import type { ChatMessageRecord, ChatRecord } from '../../../shared/contract/testing/chats.ts'
import { listAll, request } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { Loaded, Problem } from '../../components/loaded.tsx'
import { shown } from '../../components/text.tsx'
import type { Server } from '../../model/servers.ts'
import { Link } from '../../router/link.tsx'
import { query } from '../../router/router.ts'
import { Composer } from './composer.tsx'
import { Conversation } from './conversation.tsx'
import { type Exchange, exchangesOf } from './exchange.ts'
import { ModelKeys } from './model-keys.tsx'
import type { Models } from './models.ts'
import { type ChatSession, shownExchanges } from './session.ts'
import { targetsOf } from './targets.ts'

interface StoredChat {
  /** Undefined for a new chat. */
  chat?: ChatRecord
  exchanges: readonly Exchange[]
}

interface ChatPanelProps {
  session: ChatSession
  models: Models
  servers: ReadonlyMap<string, Server>
}

/** One chat: its messages, and the field for the next one. */
export function ChatPanel({ session, models, servers }: ChatPanelProps) {
  const id = session.id.value
  const stored = useResource<StoredChat>(id ?? '', {
    load: async signal => (id === undefined ? { exchanges: [] } : loadChat(id, signal)),
    concerns: change => id !== undefined && (change.type === 'reset' || change.id === id),
  })
  const sent = session.sent.value
  // A chat that began on this page is shown before it is loaded.
  if (!stored.value && sent[0]?.index !== 0)
    return (
      <Loaded resource={stored} what="the chat">
        {() => null}
      </Loaded>
    )
  const exchanges = shownExchanges(stored.value?.exchanges ?? [], sent)
  const usable = [...servers.values()].filter(server => targetsOf(server).length > 0)
  const wanted = stored.value?.chat?.name ?? query.value.get('server')
  const server = usable.find(({ name }) => name === wanted) ?? (stored.value?.chat ? undefined : usable[0])
  return (
    <>
      {stored.error && <Problem error={stored.error} onRetry={stored.reload} />}
      <Conversation exchanges={exchanges} isRunning={session.isRunning} server={server?.name} />
      {server ? (
        <Composer
          session={session}
          server={server}
          servers={id === undefined ? usable : [server]}
          chat={stored.value?.chat}
          models={models}
          count={exchanges.filter(({ sent }) => !sent || sent.outcome.status === 'answered').length}
        />
      ) : (
        <NoServer name={stored.value?.chat?.name} servers={servers} />
      )}
      {exchanges.length === 0 && <ModelKeys models={models} />}
    </>
  )
}

async function loadChat(id: string, signal: AbortSignal): Promise<StoredChat> {
  const path = encodeURIComponent(id)
  const [chat, messages] = await Promise.all([
    request<ChatRecord>('GET', `/api/chats/${path}`, { signal }),
    listAll<ChatMessageRecord>(`/api/chat-messages/chat/id/${path}`, {}, signal),
  ])
  return { chat, exchanges: exchangesOf(messages) }
}

function NoServer({ name, servers }: { name: string | undefined; servers: ReadonlyMap<string, Server> }) {
  if (name !== undefined && servers.has(name))
    return <p class="muted">The server “{shown(name, 100)}” has no ready build. Deploy it to continue.</p>
  if (name !== undefined)
    return <p class="muted">The server “{shown(name, 100)}” was removed, so the chat cannot continue.</p>
  return (
    <div class="empty">
      <h2>There is no server to chat with</h2>
      <p>
        <Link to="/">Deploy your first server</Link>
      </p>
    </div>
  )
}
