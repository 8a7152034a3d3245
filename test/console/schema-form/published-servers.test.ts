import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, test } from 'vitest'
import { formFault } from './fill.ts'

const programs = fileURLToPath(new URL('../../../node_modules/.bin/', import.meta.url))

/** The servers in scripts/published-servers.ts that are installed. The script tests all of its servers in the same way. */
test.each([
  ['mcp-server-everything', 10],
  ['mcp-server-filesystem', 10],
  ['mcp-server-memory', 9],
])('the form can fill in the arguments of every tool of %s', async (program, count) => {
  const client = new Client({ name: 'schema-form', version: '1.0.0' })
  const args = program === 'mcp-server-filesystem' ? [programs] : []
  await client.connect(new StdioClientTransport({ command: `${programs}${program}`, args, stderr: 'ignore' }))
  try {
    const { tools } = await client.listTools()
    expect(tools.length).toBeGreaterThanOrEqual(count)
    const faults = tools.map(({ name, inputSchema }) => [name, formFault(inputSchema)])
    expect(faults.filter(([, fault]) => fault !== undefined)).toEqual([])
  } finally {
    await client.close()
  }
})
