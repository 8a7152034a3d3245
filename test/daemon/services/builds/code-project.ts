import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../../helpers/daemon/daemon.ts'
import { createProjectFolder } from '../../../helpers/daemon/project-folder.ts'

/** Daemon of the test file that calls `useCodeProject`. */
export let daemon: TestDaemon
let projectId: string

/** Starts a daemon with a project for the tests of the calling file. */
export function useCodeProject(): void {
  beforeAll(async () => {
    daemon = await startTestDaemon()
    projectId = (await daemon.api('POST', '/api/projects', { body: { name: 'shop' } })).body.id
  })
  afterAll(() => daemon.close())
}

/** Uploads the files as the project's source. Returns the id of the source. */
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

/** Builds the files as a custom server. */
export async function build(files: Record<string, string>, request: object = {}) {
  const source = await upload(files)
  const { body, text } = await daemon.api('POST', '/v1/build', {
    body: { name: 'shop', template: 'custom', source, ...request },
  })
  expect(body.success, text).toBe(true)
  return body.data
}

/** Source of a module with a tool that adds two numbers. */
export const ADD = `import { defineTool } from 'mcp-hosting/server'

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
