import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { ImageDefinition, ProgramDefinition } from '../shared/definitions.ts'
import { HostingError } from '../shared/errors.ts'
import { SERVER_NAME } from '../shared/names.ts'
import type { Buildable } from './build-server.ts'
import type { Project } from './project.ts'
import { splitShellWords } from './shell-words.ts'

/** Of the commands that take a server that exists already for a project. */
export const PROGRAM_OPTIONS = {
  command: {
    type: 'string',
    value: 'command',
    doc: 'host a server that exists: a command that speaks MCP over stdio, such as "npx -y some-server"',
  },
  http: { type: 'boolean', doc: 'the command serves MCP over HTTP on $PORT instead' },
  path: { type: 'string', value: 'path', doc: 'where it serves MCP over HTTP (default: /mcp)' },
  cwd: { type: 'string', value: 'dir', doc: 'folder that the command runs in' },
  isolation: {
    type: 'string',
    value: 'mode',
    choices: ['session', 'shared'],
    doc: 'a process for each session, or one for all (default: as the server needs it)',
  },
  name: { type: 'string', value: 'name', doc: 'name of the server (default: made from the command)' },
} as const

export interface ProgramInput {
  command: string | undefined
  http: boolean
  path: string | undefined
  cwd: string | undefined
  isolation: string | undefined
  name: string | undefined
}

/** A project without a file: the program that `--command` names. Undefined without one. Throws INVALID_REQUEST. */
export function programProject(input: ProgramInput): Project | undefined {
  const { command, http, name } = input
  if (command === undefined) return refuseLoneOptions(input)
  const [file, ...args] = splitShellWords(command) as [string, ...string[]]
  const cwd = input.cwd === undefined ? findFolder([file, ...args]) : resolve(input.cwd)
  const program: ProgramDefinition = {
    type: http ? 'http' : 'stdio',
    command: file,
    args,
    path: input.path ?? '/mcp',
    ...(cwd !== undefined && { cwd }),
    ...(input.isolation !== undefined && { isolation: input.isolation as 'session' | 'shared' }),
  }
  return {
    file: command,
    directory: resolve('.'),
    test: undefined,
    project: undefined,
    sourceDirectory: undefined,
    request: { name: name ?? nameOf([file, ...args]), template: 'custom', program },
    deploy: {},
  }
}

/** The same for an image that exists. Throws INVALID_REQUEST when no name can be made of its own. */
export function imageProject(
  image: string,
  { path, name }: { path?: string | undefined; name?: string | undefined },
): Project {
  const program: ImageDefinition = { type: 'image', image, path: path ?? '/mcp' }
  return {
    file: image,
    directory: resolve('.'),
    test: undefined,
    project: undefined,
    sourceDirectory: undefined,
    request: { name: name ?? nameOfImage(image), template: 'custom', program },
    deploy: {},
  }
}

/** For example `weather` of `ghcr.io/team/weather:1.2@sha256:…`. */
function nameOfImage(image: string): string {
  const name = basename(image.replace(/@sha256:[0-9a-f]+$/, '').replace(/:[^/:]*$/, ''))
  if (SERVER_NAME.test(name)) return name
  throw new HostingError(
    'INVALID_REQUEST',
    `No name can be made from --image ${image}; give one with --name.`,
  )
}

/** What a program is started with it may need to say what it offers, too. */
export function withEnvVars<T extends Buildable>(project: T, env_vars: Record<string, string>): T {
  if (!project.request.program || Object.keys(env_vars).length === 0) return project
  return { ...project, request: { ...project.request, env_vars } }
}

function refuseLoneOptions({ http, path, cwd, isolation }: ProgramInput): undefined {
  const lone = Object.entries({ http: http || undefined, path, cwd, isolation }).find(
    ([, value]) => value !== undefined,
  )
  if (!lone) return undefined
  throw new HostingError(
    'INVALID_REQUEST',
    `--${lone[0]} says how a command runs, and there is no --command.`,
  )
}

/** A command that names files of this folder (`python server.py`) runs here; any other one in a folder of its own. */
function findFolder(words: string[]): string | undefined {
  return words.some(word => !word.startsWith('-') && existsSync(word)) ? resolve('.') : undefined
}

const RUNNERS = new Set(['npx', 'bunx', 'uvx', 'pipx', 'pnpm', 'yarn', 'bun', 'deno', 'uv', 'npm'])
const INTERPRETER = /^(node|python[\d.]*|tsx|ts-node|sh|bash|ruby|php|java|dotnet|go|perl)$/
const SUBCOMMANDS = new Set(['run', 'exec', 'dlx', 'x', 'tool', 'start'])

/** A script of its command that is not here, so that it was looked for in a folder of the server's own: `python server.py`. */
export function missingScript({ command, args, cwd }: ProgramDefinition): string | undefined {
  if (cwd !== undefined || !INTERPRETER.test(basename(command))) return undefined
  const script = args.find(word => !word.startsWith('-'))
  return script && SCRIPT.test(script) && !existsSync(script) ? script : undefined
}

const SCRIPT = /\.(?:[cm]?[jt]s|py|rb|php|sh|jar|pl)$/

/** For example `server-everything` of `npx -y @modelcontextprotocol/server-everything@1.2 --verbose`. */
function nameOf(words: string[]): string {
  const programs = words.filter(word => !word.startsWith('-'))
  const [first = '', ...rest] = programs
  const runner = basename(first)
  const isIndirect = RUNNERS.has(runner) || INTERPRETER.test(runner)
  const target = isIndirect ? (rest.find(word => !SUBCOMMANDS.has(word)) ?? runner) : first
  const name = nameOfTarget(target)
  if (SERVER_NAME.test(name)) return name
  throw new HostingError(
    'INVALID_REQUEST',
    `No name can be made from --command ${words.join(' ')}; give one with --name.`,
  )
}

function nameOfTarget(target: string): string {
  const withoutVersion = target.replace(/(?<=.)@[^@/]*$/, '')
  const last = basename(withoutVersion).replace(/\.(m|c)?[jt]s$|\.(py|rb|php|sh|jar|pl)$/, '')
  // Every second project calls its file this; the folder says more.
  const scope = /^@([^/]+)\//.exec(withoutVersion)?.[1]
  if (scope && /^(mcp|server|mcp-server|cli)$/.test(last)) return `${scope}-${last}`
  const isUnspecific = /^(index|main|server|app|dist|build)$/.test(last)
  const parent = isUnspecific ? basename(resolve(withoutVersion, '..')) : last
  const name = /^(dist|build|src|lib|bin)$/.test(parent) ? basename(resolve(withoutVersion, '../..')) : parent
  return name.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 63)
}
