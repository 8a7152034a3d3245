import { defineCommand } from '../command.ts'
import { LOCAL } from '../context.ts'
import { removeKey } from '../credentials.ts'

export default defineCommand({
  name: 'logout',
  summary: 'forget a saved API key',
  description:
    'Removes the saved key of the current context, or of the one that --context names. The key itself stays valid until it is revoked.',
  examples: [
    { command: 'mcp logout', does: 'the current context' },
    { command: 'mcp logout --context work', does: 'another one' },
  ],
  run({ output, paths, settings }) {
    const { value: context } = settings().context
    const removed = removeKey(paths.credentials, context)
    output.result({ context, removed }, () => {
      output.line(
        removed
          ? `Forgot the key of the context "${context}"`
          : `There is no saved key of the context "${context}".`,
      )
      if (removed && context === LOCAL)
        output.next({ description: 'Have the daemon make a new one', command: 'mcp daemon restart' })
    })
  },
})
