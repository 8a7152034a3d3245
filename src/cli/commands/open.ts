import { defineCommand } from '../command-line/command.ts'
import { chooseServer } from '../pickers/choose-server.ts'
import { openBrowser } from '../sign-in/open-browser.ts'
import { SERVER_OPTIONS } from '../targets/server-input.ts'
import { chooseTarget } from '../targets/server-target.ts'

export default defineCommand({
  name: 'open',
  description:
    'Open the URL of a server in a browser: a page with its tools and the configuration for clients. Without a terminal, only print the URL.',
  arguments: {
    server: {
      kind: 'server',
      doc: 'server name, deployment id or mcp_id (default: the server of the project in this folder)',
    },
  },
  options: { env: SERVER_OPTIONS.env },
  examples: {
    'mcp open weather': 'the live deployment of the server',
    'mcp open weather --env preview': 'its newest build',
  },
  async run(context, { server, env }) {
    const { output } = context
    const reference = server ?? (await chooseServer(context))
    const { name, url } = await chooseTarget(context, { server: reference, env })
    const opened = output.interactive ? await openBrowser(url, context.env) : 'not interactive'
    output.result({ name, url, opened: opened === undefined }, () => {
      output.line(url)
      if (opened instanceof Error)
        output.note(`Could not open a browser (${opened.message}). Open the URL yourself.`)
    })
  },
})
