import { Button } from '../components/button.tsx'
import { useLazyDialog } from '../components/lazy-dialog.ts'
import { COMMAND_KEY, character, useShortcut, withCommandKey } from '../components/shortcut.ts'
import type { Views } from './commands.ts'

/** Opens the command palette and the list of keyboard shortcuts. */
export function CommandBar({ views }: { views: Views }) {
  const palette = useLazyDialog('the commands', async () =>
    import('../views/lazy-views.ts').then(({ Palette }) => Palette),
  )
  const shortcuts = useLazyDialog('the keyboard shortcuts', async () =>
    import('../views/lazy-views.ts').then(({ ShortcutsDialog }) => ShortcutsDialog),
  )
  useShortcut(withCommandKey('k'), palette.open)
  useShortcut(character('?'), shortcuts.open)
  return (
    <>
      <Button kind="quiet" icon="search" label={`Commands (${COMMAND_KEY}K)`} onClick={palette.open} />
      {palette.View && <palette.View views={views} onShortcuts={shortcuts.open} onClose={palette.close} />}
      {shortcuts.View && <shortcuts.View onClose={shortcuts.close} />}
    </>
  )
}
