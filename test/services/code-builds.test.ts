import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callTool, startTestDaemon, type TestDaemon } from '../helpers/daemon.ts'
import { createProjectFolder } from '../helpers/project-folder.ts'

let daemon: TestDaemon
let projectId: string
beforeAll(async () => {
  daemon = await startTestDaemon({ warmSpares: 1 })
  projectId = (await daemon.api('POST', '/api/projects', { body: { name: 'shop' } })).body.id
})
afterAll(() => daemon.close())

/** Uploads the files as the project's source; gives its id. */
async function upload(files: Record<string, string>): Promise<string> {
  using project = createProjectFolder(files)
  const archive = execFileSync('tar', ['-czf', '-', '-C', project.path, '.'])
  const { status, body, text } = await daemon.api('PUT', `/api/projects/${projectId}/source`, {
    body: archive,
    headers: { 'content-type': 'application/gzip' },
  })
  expect(status, text).toBe(200)
  return body.sourceId
}

async function build(files: Record<string, string>, request: object = {}) {
  const source = await upload(files)
  const { body, text } = await daemon.api('POST', '/v1/build', {
    body: { name: 'shop', template: 'custom', source, ...request },
  })
  expect(body.success, text).toBe(true)
  return body.data
}

const ADD = `import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Adds two numbers',
  input: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
  handler: ({ a, b }: { a: number; b: number }) => String(a + b),
})
`

test('a folder of handler modules becomes a server whose preview answers', async () => {
  const record = await build({ 'tools/add.ts': ADD })
  expect(record).toMatchObject({ status: 'ready', name: 'shop' })
  const result = await callTool(record.url, 'add', { a: 2, b: 40 })
  expect(result.content).toEqual([{ type: 'text', text: '42' }])
})
