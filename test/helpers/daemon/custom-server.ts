import { execFileSync } from 'node:child_process'
import { uniqueName } from '../unique-name.ts'
import type { TestDaemon } from './daemon.ts'

/** Builds a folder of handler modules as a custom server. Returns the build record. */
export async function buildFolder(daemon: TestDaemon, name: string, folder: string, request: object = {}) {
  const { body: project } = await daemon.api('POST', '/api/projects', { body: { name: uniqueName(name) } })
  const uploaded = await daemon.api('PUT', `/api/projects/${project.id}/source`, {
    body: execFileSync('tar', ['-czf', '-', '-C', folder, '.']),
    headers: { 'content-type': 'application/gzip' },
  })
  const { body, text } = await daemon.api('POST', '/v1/build', {
    body: { name, template: 'custom', source: uploaded.body.sourceId, ...request },
  })
  if (body.data?.status !== 'ready') throw new Error(`not built: ${text}`)
  return body.data
}

/** Builds and deploys the folder. Returns the deployment record. */
export async function deployFolder(
  daemon: TestDaemon,
  name: string,
  folder: string,
  { request = {}, environment = 'production', config = {} }: DeployOptions = {},
) {
  const build = await buildFolder(daemon, name, folder, request)
  const { body, text } = await daemon.api('POST', '/v1/deploy', {
    body: { mcp_id: build.mcp_id, environment, config },
  })
  if (body.data?.status !== 'deployed') throw new Error(`not deployed: ${text}`)
  return body.data
}

interface DeployOptions {
  request?: object
  environment?: string
  config?: object
}
