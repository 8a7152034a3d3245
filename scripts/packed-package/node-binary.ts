import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runOrThrow } from './run-command.ts'

/** Path of a Node release, installed from npm into a cache outside the checkout. */
export async function nodeBinary(version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const folder = join(cache, 'mcp-hosting-node', version)
  const binary = join(folder, 'node_modules', name, 'bin', 'node')
  if (existsSync(binary)) return binary
  mkdirSync(folder, { recursive: true })
  const args = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', `${name}@${version}`]
  await runOrThrow('npm', args, { cwd: folder, env: process.env })
  return binary
}

if (import.meta.main) console.log(await nodeBinary(process.argv[2]!))
