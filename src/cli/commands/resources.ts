import { defineCommand } from '../command.ts'
import { SERVER_ARGUMENT, SERVER_OPTIONS, useServer } from '../server-target.ts'
import { shellWord } from '../shell-word.ts'

export default defineCommand({
  name: 'resources',
  summary: 'list the resources and resource templates of a server',
  arguments: { server: SERVER_ARGUMENT },
  options: SERVER_OPTIONS,
  examples: [
    { command: 'mcp resources weather', does: 'all of them' },
    { command: 'mcp resources weather --json', does: '{resources, resourceTemplates}' },
  ],
  async run(context, input) {
    const { output } = context
    const { listResources } = await import('../mcp-client.ts')
    await useServer(context, input, async (connection, { name }) => {
      const { resources, resourceTemplates } = await listResources(connection)
      const all = [...resources, ...resourceTemplates.map(one => ({ uri: one.uriTemplate, ...one }))]
      output.result({ resources, resourceTemplates }, () => {
        const rows = all.map(one => [one.uri, one.mimeType ?? '', one.description ?? one.name])
        output.table(['URI', 'TYPE', 'DESCRIPTION'], rows, `${name} has no resources.`)
        const [first] = all
        if (first)
          output.next({
            description: 'Read one',
            command: `mcp read ${shellWord(name)} ${shellWord(first.uri)}`,
          })
      })
    })
  },
})
