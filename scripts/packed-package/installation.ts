import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Result, runCommand, runOrThrow } from './run-command.ts'

/** Programs that an installation needs besides Node and npm. No compiler. */
const TOOLS = ['env', 'sh']

/** The packed package in an empty folder, with an empty home and a PATH without compilers. */
export class Installation {
  readonly folder = mkdtempSync(join(tmpdir(), 'mcp-packed-'))
  readonly node: string
  readonly env: NodeJS.ProcessEnv

  constructor(node: string) {
    this.node = node
    const [bin, home] = ['bin', 'home'].map(name => join(this.folder, name))
    for (const path of [bin!, home!, this.app]) mkdirSync(path)
    for (const tool of TOOLS) symlinkSync(which(tool), join(bin!, tool))
    for (const tool of ['npm', 'npx']) symlinkSync(realpathSync(which(tool)), join(bin!, tool))
    symlinkSync(node, join(bin!, 'node'))
    this.env = {
      PATH: bin,
      HOME: home,
      MCP_HOME: join(this.folder, 'mcp'),
      MCP_PORT: '0',
      NO_COLOR: '1',
      npm_config_cache: ask('cache'),
      npm_config_registry: ask('registry'),
      npm_config_update_notifier: 'false',
      NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS,
    }
  }

  /** Folder of the application that depends on the package. */
  get app(): string {
    return join(this.folder, 'app')
  }

  async install(tarball: string): Promise<void> {
    writeFileSync(join(this.app, 'package.json'), '{ "private": true, "type": "module" }')
    await runOrThrow('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', tarball], this.options)
  }

  get options() {
    return { cwd: this.app, env: this.env }
  }

  /** Runs `mcp` and returns its output. Throws when it fails. */
  mcp(args: readonly string[], input?: string): Promise<string> {
    const program = join(this.app, 'node_modules', '.bin', 'mcp')
    return runOrThrow(program, args, { ...this.options, ...(input !== undefined && { input }) })
  }

  run(file: string, args: readonly string[]): Promise<Result> {
    return runCommand(file, args, this.options)
  }

  /** Folders of all installed packages. */
  packages(modules = join(this.app, 'node_modules')): string[] {
    if (!existsSync(modules)) return []
    const names = readdirSync(modules).filter(name => !name.startsWith('.'))
    const folders = names.flatMap(name =>
      name.startsWith('@')
        ? readdirSync(join(modules, name)).map(inner => join(modules, name, inner))
        : [join(modules, name)],
    )
    return folders.flatMap(folder => [folder, ...this.packages(join(folder, 'node_modules'))])
  }

  /** Disk usage of `node_modules`, as du counts it. */
  bytesOnDisk(): number {
    const modules = join(this.app, 'node_modules')
    const files = readdirSync(modules, { recursive: true, encoding: 'utf8' }).map(name =>
      lstatSync(join(modules, name)),
    )
    const byInode = new Map(files.map(({ ino, blocks }) => [ino, blocks * 512]))
    return [...byInode.values()].reduce((sum, bytes) => sum + bytes, 0)
  }

  async remove(): Promise<void> {
    await this.mcp(['daemon', 'stop']).catch(() => {})
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

function which(tool: string): string {
  const path = process.env
    .PATH!.split(':')
    .map(folder => join(folder, tool))
    .find(file => existsSync(file))
  if (!path) throw new Error(`${tool} is not on the PATH.`)
  return path
}

function ask(setting: string): string {
  return execFileSync('npm', ['config', 'get', setting], {
    encoding: 'utf8',
    cwd: dirname(tmpdir()),
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
}
