import { Button } from '../components/button.tsx'
import { openDialog } from '../components/dialog-outlet.tsx'
import { COMMAND_KEY, character, useShortcut, withCommandKey } from '../components/shortcut.ts'
import type { Views } from './commands.ts'

/** Opens the command palette and the list of keyboard shortcuts. */
export function CommandBar({ views }: { views: Views }) {
  const openCommands = () =>
    void openDialog('the commands', async () =>
      import('../views/lazy-views.ts').then(({ Palette }) => onClose => (
        <Palette views={views} onShortcuts={openShortcuts} onClose={onClose} />
      )),
    )
  useShortcut(withCommandKey('k'), openCommands)
  useShortcut(character('?'), openShortcuts)
  return <Button kind="quiet" icon="search" label={`Commands (${COMMAND_KEY}K)`} onClick={openCommands} />
}

function openShortcuts(): void {
  void openDialog('the keyboard shortcuts', async () =>
    import('../views/lazy-views.ts').then(({ ShortcutsDialog }) => onClose => (
      <ShortcutsDialog onClose={onClose} />
    )),
  )
}
