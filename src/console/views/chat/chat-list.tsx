import { useSignal } from '@preact/signals'
import type { ChatRecord } from '../../../shared/contract/testing/chats.ts'
import { counted } from '../../../shared/counted.ts'
import { request } from '../../api/client.ts'
import { useFirstItems } from '../../api/first-items.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { notify } from '../../components/notices.tsx'
import { shown, Text } from '../../components/text.tsx'
import { Time } from '../../components/time.tsx'
import { Link } from '../../router/link.tsx'
import { navigate } from '../../router/router.ts'
import { chatPath } from '../paths.ts'
import { forgetSession } from './session.ts'

/** Earlier chats, newest first. */
export function ChatList({ chosen }: { chosen: string | undefined }) {
  const removed = useSignal<ChatRecord | undefined>(undefined)
  const { resource, showMore } = useFirstItems<ChatRecord>('/api/chats', {
    pageSize: 30,
    concerns: ({ type }) => type === 'reset' || type === 'chat',
  })
  return (
    <section class="chat-list" aria-labelledby="chats">
      <h2 id="chats">Earlier chats</h2>
      <Loaded resource={resource} what="the chats">
        {({ items, hasMore }) => (
          <>
            {items.length === 0 && <p class="muted">None yet.</p>}
            <ul>
              {items.map(chat => (
                <Entry
                  key={chat.chatId}
                  chat={chat}
                  isChosen={chat.chatId === chosen}
                  onRemove={() => (removed.value = chat)}
                />
              ))}
            </ul>
            {hasMore && <Button onClick={showMore}>Show more chats</Button>}
          </>
        )}
      </Loaded>
      {removed.value && (
        <RemoveDialog
          chat={removed.value}
          isChosen={removed.value.chatId === chosen}
          onClose={() => (removed.value = undefined)}
        />
      )}
    </section>
  )
}

interface EntryProps {
  chat: ChatRecord
  isChosen: boolean
  onRemove(): void
}

function Entry({ chat: { chatId, name, title, updatedAt }, isChosen, onRemove }: EntryProps) {
  return (
    <li class={isChosen ? 'chosen' : undefined}>
      <Link to={chatPath(chatId)} aria-current={isChosen ? 'page' : undefined}>
        <span class="truncate">
          <Text value={title || name} max={100} />
        </span>
        <span class="chat-facts truncate">
          <Time at={updatedAt} /> · <Text value={name} max={60} />
        </span>
      </Link>
      <Button
        kind="quiet"
        icon="remove"
        label={`Delete the chat with ${name}: ${shown(title, 60)}`}
        onClick={onRemove}
      />
    </li>
  )
}

interface RemoveDialogProps {
  chat: ChatRecord
  isChosen: boolean
  onClose(): void
}

function RemoveDialog({ chat: { chatId, name, messageCount }, isChosen, onClose }: RemoveDialogProps) {
  const remove = async () => {
    await request('DELETE', `/api/chats/${encodeURIComponent(chatId)}`)
    forgetSession(chatId)
    if (isChosen) navigate(chatPath())
    notify('Deleted the chat.')
  }
  return (
    <Dialog title="Delete this chat?" confirm="Delete" danger onConfirm={remove} onClose={onClose}>
      <p class="wrap">
        The chat with <Text value={name} max={100} /> and its {counted(messageCount, 'message')} are deleted
        permanently.
      </p>
    </Dialog>
  )
}
