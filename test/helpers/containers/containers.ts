import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../daemon/mcp.ts'
import { processesNaming } from '../processes.ts'
import { baseStore } from './base-store.ts'
import { writeEngineSettings } from './engine-settings.ts'

/** True when the Debian packages for container tests are installed, as by `.ci/run`. Otherwise, these tests are skipped. */
export const HAS_CONTAINER_TOOLS = ['skopeo', 'docker-registry', 'podman', 'runc'].every(isInstalled)

/** For tests that only need the engine. */
export const HAS_PODMAN = ['podman', 'runc'].every(isInstalled)

/** A registry and an engine for one test. */
export class ContainerTools implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'mcp-containers-'))
  /** `127.0.0.1:<port>` */
  readonly registry: string
  readonly #registry: ChildProcess
  readonly #env: NodeJS.ProcessEnv

  private constructor(port: number, images: string) {
    this.registry = `127.0.0.1:${port}`
    this.#env = { ...process.env, ...writeEngineSettings(this.directory, [images]) }
    const config = join(this.directory, 'registry.yml')
    writeFileSync(config, registryConfig(join(this.directory, 'registry'), this.registry))
    this.#registry = spawn('docker-registry', ['serve', config], { stdio: 'ignore' })
  }

  static async open(): Promise<ContainerTools> {
    const tools = new ContainerTools(await freePort(), await baseStore())
    while (!(await isAnswering(`http://${tools.registry}/v2/`))) await pause()
    return tools
  }

  skopeo(...args: string[]): string {
    return execFileSync('skopeo', args, { encoding: 'utf8', env: this.#env })
  }

  podman(...args: string[]): string {
    return execFileSync('podman', args, {
      encoding: 'utf8',
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  /** Runs an image with the fewest privileges. Returns the name and the URL of the container when it answers. */
  async run(image: string, env: Record<string, string> = {}): Promise<{ name: string; url: string }> {
    const port = await freePort()
    const name = `mcp-test-${port}`
    const variables = Object.entries({ PORT: String(port), ...env }).flatMap(([key, value]) => [
      '-e',
      `${key}=${value}`,
    ])
    const limits = [
      '--read-only',
      '--cap-drop',
      'ALL',
      '--security-opt',
      'no-new-privileges',
      '--memory',
      '128m',
      '--pids-limit',
      '64',
    ]
    this.podman('run', '-d', '--name', name, '--network', 'host', ...limits, ...variables, image)
    const url = `http://127.0.0.1:${port}`
    while (!(await isAnswering(`${url}/health`))) {
      const state = this.podman('inspect', name, '--format', '{{.State.Status}}').trim()
      if (state !== 'running') throw new Error(`the container is ${state}: ${this.podman('logs', name)}`)
      await pause()
    }
    return { name, url: `${url}/mcp` }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise(resolve => this.#registry.once('exit', resolve))
    this.#registry.kill()
    await ended
    await resetEngine(this.directory, (...args) => this.podman(...args))
    rmSync(this.directory, { recursive: true, force: true })
  }
}

/**
 * Removes the containers and the storage of the engine whose settings are in the folder. podman's monitor writes events shortly
 * after a container has stopped. A reset that is emptying the folder at that time fails and is retried.
 */
export async function resetEngine(directory: string, podman: (...args: string[]) => string): Promise<void> {
  podman('rm', '--all', '--force', '--ignore', '--time', '1')
  await eventually(() => processesNaming(directory).length === 0)
  try {
    podman('system', 'reset', '--force')
  } catch {
    await pause()
    podman('system', 'reset', '--force')
  }
}

function registryConfig(directory: string, address: string): string {
  return `version: 0.1\nlog: {level: error}\nstorage:\n  filesystem: {rootdirectory: ${directory}}\n  delete: {enabled: true}\nhttp: {addr: ${address}}\n`
}

function isInstalled(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function isAnswering(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}

function pause(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 20))
}

function freePort(): Promise<number> {
  return new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
