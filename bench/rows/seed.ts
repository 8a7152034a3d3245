import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openStore, type Store } from '../../src/daemon/store/store.ts'
import type { Build } from '../../src/daemon/store/tables/builds.ts'
import type { ContainerBuild } from '../../src/daemon/store/tables/container-builds.ts'
import type { Deployment } from '../../src/daemon/store/tables/deployments.ts'
import type { Project } from '../../src/daemon/store/tables/projects.ts'
import { homePaths } from '../../src/shared/paths.ts'

/** Ids that the queries use. */
export const SEEDED = {
  server: 'server-7',
  project: 'prj_0000000',
  containerBuild: 'bld_0000000',
  deployment: 'dep_0000000',
  chat: 'cht_0000000',
} as const

const BATCH = 20_000
const SERVERS = 10
const FIRST_MS = Date.parse('2026-01-01T00:00:00.000Z')

/** Fills a home with this number of builds, deployments, projects, container builds, chat messages and log lines. */
export function seedHome(home: string, rows: number): void {
  const paths = homePaths({ MCP_HOME: home })
  const store = openStore(paths.database)
  for (let index = 0; index < SERVERS; index++) store.servers.ensure(`server-${index}`, timestampOf(0))
  fill(store, rows, index => store.projects.create(project(index, rows)))
  fill(store, rows, index => store.builds.create(build(index)))
  fill(store, rows, index => store.deployments.create(deployment(index)))
  fill(store, rows, index => store.containerBuilds.create(containerBuild(index)))
  seedChats(store, rows)
  store.close()
  for (const id of [SEEDED.containerBuild, SEEDED.deployment]) writeLog(join(paths.logs, id), rows)
}

function fill(store: Store, rows: number, create: (index: number) => void): void {
  for (let from = 0; from < rows; from += BATCH)
    store.transaction(() => {
      for (let index = from; index < Math.min(rows, from + BATCH); index++) create(index)
    })
}

/** Adds chats. Half of the messages are in one chat, and the others are in chats of fifty. */
function seedChats(store: Store, rows: number): void {
  const append = (id: string, index: number, count: number) => {
    const createdAt = timestampOf(index)
    const chat = { id, mcpId: 'mcp_0', name: `server-${index % SERVERS}`, model: 'embedded', createdAt }
    const messages = Array.from({ length: count }, (_, at) => ({
      role: 'user' as const,
      content: `message ${at}`,
    }))
    store.chats.append({ ...chat, updatedAt: createdAt }, messages)
  }
  const long = rows / 2
  for (let from = 0; from < long; from += BATCH) append(SEEDED.chat, 0, Math.min(BATCH, long - from))
  fill(store, rows / 2 / 50, index => append(idOf('cht', index + 1), index + 1, 50))
}

function writeLog(folder: string, lines: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = openSync(join(folder, 'daemon.log'), 'w', 0o600)
  for (let from = 0; from < lines; from += BATCH) {
    const count = Math.min(BATCH, lines - from)
    writeSync(file, Array.from({ length: count }, (_, at) => logLine(from + at, lines)).join(''))
  }
  closeSync(file)
}

function logLine(index: number, lines: number): string {
  const phase = index < lines / 2 ? 'INSTALL' : 'BUILD'
  const message = `line ${index} of a log that is long enough to be worth a page`
  return `${JSON.stringify({ timestamp: timestampOf(index), level: 'info', stream: 'server', phase, message })}\n`
}

function project(index: number, rows: number): Project {
  const at = timestampOf(index)
  return {
    id: idOf('prj', index),
    name: `project-${index % 100}`,
    description: null,
    repositoryUrl: null,
    framework: null,
    // The newer half is deleted. Lists omit these projects.
    status: index < rows / 2 ? 'active' : 'deleted',
    storageLocation: null,
    templateId: null,
    sourceId: null,
    baseImage: null,
    createdAt: at,
    updatedAt: at,
  }
}

function build(index: number): Build {
  return {
    id: idOf('mcp', index),
    name: `server-${index % SERVERS}`,
    template: 'basic',
    status: index % 100 === 0 ? 'failed' : 'ready',
    digest: null,
    tools: ['echo'],
    resources: [],
    prompts: [],
    env: [],
    projectId: null,
    sourceDigest: null,
    buildMs: 5,
    error: null,
    createdAt: timestampOf(index),
    expiresAt: null,
  }
}

function deployment(index: number): Deployment {
  const at = timestampOf(index)
  return {
    id: idOf('dep', index),
    mcpId: idOf('mcp', index),
    name: `server-${index % SERVERS}`,
    environment: index % 3 ? 'production' : 'staging',
    status: 'stopped',
    domain: null,
    config: { scaling: { min_instances: 1, max_instances: 1 } },
    env: null,
    deployMs: 5,
    error: null,
    createdAt: at,
    updatedAt: at,
    deployedAt: at,
    stoppedAt: at,
  } as Deployment
}

function containerBuild(index: number): ContainerBuild {
  const at = timestampOf(index)
  return {
    id: idOf('bld', index),
    projectId: index % 2 ? SEEDED.project : idOf('prj', index),
    status: index % 100 === 0 ? 'failed' : 'succeeded',
    phase: 'COMPLETED',
    storageLocation: 'file:///source.tar.gz',
    sourceId: null,
    mcpId: '',
    imageRepository: '',
    imageUri: '',
    imageDigest: '',
    errorMessage: '',
    startTime: at,
    endTime: at,
    createdAt: at,
    updatedAt: at,
  }
}

function idOf(kind: string, index: number): string {
  return `${kind}_${String(index).padStart(7, '0')}`
}

function timestampOf(index: number): string {
  return new Date(FIRST_MS + index * 1000).toISOString()
}
