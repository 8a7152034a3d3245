import { useSignal } from '@preact/signals'
import type { DeploymentStatus } from '../../shared/contract/deployments/deployments.ts'
import { connection } from '../api/feed.ts'
import { servers } from '../model/servers.ts'
import { path } from '../router/router.ts'
import { signOut } from '../sign-out.tsx'
import { otherTheme, switchTheme } from '../theme.ts'
import { performVerb } from '../views/deployment-verbs.ts'
import { matchServerTab, SERVER_TABS } from '../views/server/server-tabs.ts'
import { StopDialog } from '../views/stop-dialog.tsx'
import { CommandSearch } from './command-search.tsx'
import { type Command, serverCommands, type Views, viewCommands } from './commands.ts'

interface PaletteProps {
  views: Views
  onShortcuts(): void
  onClose(): void
}

/** Finds views, servers and actions by name. Stopping a server asks for confirmation, as everywhere else. */
export function Palette({ views, onShortcuts, onClose }: PaletteProps) {
  const stopping = useSignal<DeploymentStatus | undefined>(undefined)
  const deployment = stopping.value
  if (deployment)
    return (
      <StopDialog
        deployment={deployment}
        onConfirm={() => performVerb('stop', deployment)}
        onClose={onClose}
      />
    )
  const onStop = (chosen: DeploymentStatus) => {
    stopping.value = chosen
  }
  return (
    <CommandSearch
      commands={allCommands(views, { onShortcuts, onStop })}
      onClose={() => stopping.peek() ?? onClose()}
    />
  )
}

interface Handlers {
  onShortcuts(): void
  onStop(deployment: DeploymentStatus): void
}

/** Commands in the order of the palette. Commands for the current server come first. */
function allCommands(views: Views, { onShortcuts, onStop }: Handlers): Command[] {
  const all = [...(servers.value?.values() ?? [])]
  const name = matchServerTab(path.value)?.name
  const commandsOf = (isShown: boolean) =>
    all
      .filter(server => (server.name === name) === isShown)
      .flatMap(server => serverCommands(server, SERVER_TABS, onStop))
  return [
    ...commandsOf(true),
    ...viewCommands(views),
    { title: `Switch to the ${otherTheme.value} theme`, kind: 'Action', run: switchTheme },
    { title: 'Show keyboard shortcuts', kind: 'Action', run: onShortcuts },
    ...(connection.value === 'refused'
      ? []
      : [{ title: 'Sign out', kind: 'Action' as const, run: () => void signOut() }]),
    ...commandsOf(false),
  ]
}
