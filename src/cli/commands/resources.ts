import { quoteShellWord } from '../../shared/shell-words.ts'
import { defineCommand } from '../command-line/command.ts'
import { commandForServer, SERVER_ARGUMENT, SERVER_OPTIONS } from '../targets/server-input.ts'
import { useServer } from '../targets/use-server.ts'

export default defineCommand({
  name: 'resources',
  arguments: { server: SERVER_ARGUMENT },
  options: SERVER_OPTIONS,
  examples: {
    'mcp resources weather': 'list all resources',
    'mcp resources weather --json': '{resources, resourceTemplates}',
  },
  async run(context, input) {
    const { output } = context
    await useServer(context, input, async (connection, { name, env }) => {
      const { resources, resourceTemplates } = await connection.listResources()
      const all = [...resources, ...resourceTemplates.map(one => ({ uri: one.uriTemplate, ...one }))]
      output.result({ resources, resourceTemplates }, () => {
        const rows = all.map(one => [one.uri, one.mimeType ?? '', one.description ?? one.name])
        output.table(['URI', 'TYPE', 'DESCRIPTION'], rows, `${name} has no resources.`)
        const [first] = all
        if (first)
          output.next({
            description: 'Read a resource',
            command: commandForServer('read', { ...input, env }, quoteShellWord(first.uri)),
          })
      })
    })
  },
})
