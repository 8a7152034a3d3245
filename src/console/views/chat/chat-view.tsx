import './chat.css'
import { useEffect } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { loadServers, servers, serversError } from '../../model/servers.ts'
import { Link } from '../../router/link.tsx'
import { correctPath, navigate } from '../../router/router.ts'
import { useTitle } from '../../router/use-title.ts'
import { chatPath } from '../paths.ts'
import { ChatList } from './chat-list.tsx'
import { ChatPanel } from './chat-panel.tsx'
import { useModels } from './models.ts'
import { newSession, sessionOf, startOver } from './session.ts'

/** A chat with the test agent. Without an id, a new chat. */
export function ChatView({ id }: { id: string | undefined }) {
  useTitle('Chat')
  const models = useModels()
  const loadedServers = { value: servers.value, error: serversError.value, reload: () => void loadServers() }
  const session = id === undefined ? newSession.value : sessionOf(id)
  useNewId(id, session.id.value)
  return (
    <>
      <div class="page-head">
        <h1>Chat</h1>
        {models.value && <Button onClick={createChat}>New chat</Button>}
      </div>
      <Loaded resource={models} what="the models">
        {models => (
          <Loaded resource={loadedServers} what="the servers">
            {servers => (
              <div class={id === undefined ? 'chat' : 'chat chosen'}>
                <ChatList chosen={id} />
                <div class="chat-main">
                  {id !== undefined && (
                    <Link to={chatPath()} class="chat-back">
                      All chats
                    </Link>
                  )}
                  <ChatPanel key={session.key} session={session} models={models} servers={servers} />
                </div>
              </div>
            )}
          </Loaded>
        )}
      </Loaded>
    </>
  )
}

function createChat(): void {
  startOver()
  navigate(chatPath())
}

/** A new chat gets its id with the first answer. The URL changes to that id while the chat is shown. */
function useNewId(shown: string | undefined, id: string | undefined): void {
  useEffect(() => {
    if (shown !== undefined || id === undefined) return
    startOver()
    correctPath(chatPath(id))
  }, [shown, id])
}
