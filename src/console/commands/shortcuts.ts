interface Shortcut {
  keys: readonly string[]
  effect: string
}

/** All keys of the console. docs/console.md has the same list. */
export const SHORTCUTS: readonly Shortcut[] = [
  { keys: ['Ctrl+K', '⌘ K'], effect: 'opens the command palette' },
  { keys: ['?'], effect: 'shows these keys' },
  { keys: ['/'], effect: 'moves to the filter' },
  {
    keys: ['arrows', 'Page Up', 'Page Down', 'Home', 'End'],
    effect: 'select a request or a log line, or move through the list in the playground',
  },
  { keys: ['Ctrl+Enter', '⌘ Enter'], effect: 'runs what the playground shows' },
  { keys: ['Enter', 'Shift+Enter'], effect: 'sends a chat message, or starts a new line in it' },
  { keys: ['Alt+J'], effect: 'switches between a form and JSON' },
  { keys: ['F8'], effect: 'moves to the next error in JSON' },
  { keys: ['Escape'], effect: 'closes a dialog' },
]
