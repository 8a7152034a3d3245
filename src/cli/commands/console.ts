import type { ConsoleLink, EndedConsoleSessions } from '../../shared/contract/access/console-sessions.ts'
import { counted } from '../../shared/counted.ts'
import { defineCommand } from '../command-line/command.ts'
import { openBrowser } from '../sign-in/open-browser.ts'

export default defineCommand({
  name: 'console',
  description:
    'Sign a browser in to the console with the rights of the current key, for 12 hours. Opens a URL that works once, within a minute. Without a terminal, only prints the URL.',
  options: {
    signOut: { type: 'boolean', doc: 'sign out every browser that was signed in with the current key' },
  },
  examples: {
    'mcp console': 'open it in a browser',
    'mcp console --json': '{url, expiresAt, opened}',
    'mcp console --sign-out': 'sign out all browsers',
  },
  async run(context, { signOut }) {
    const { output } = context
    const api = await context.api()
    if (signOut) {
      const result = await api.delete<EndedConsoleSessions>('/api/console/sessions')
      return output.result(result, () => output.line(`Signed out ${counted(result.ended, 'browser')}`))
    }
    const { url, expiresAt } = await api.post<ConsoleLink>('/api/console/links')
    const opened = output.interactive ? await openBrowser(url, context.env) : 'not interactive'
    output.result({ url, expiresAt, opened: opened === undefined }, () => {
      output.line(url)
      if (opened instanceof Error)
        output.note(`Could not open a browser (${opened.message}). Open the URL within a minute.`)
    })
  },
})
