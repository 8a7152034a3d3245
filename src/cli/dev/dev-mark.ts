import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { isAlive } from '../local-daemon/process.ts'

/** Mark of a running `mcp dev`, by which commands in the same folder find the server that `mcp dev` serves. */
export interface DevMark {
  pid: number
  /** Distinguishes the process from a later one with the same pid. Empty if the system does not report start times. */
  startedAt: string
  directory: string
  /** Name of the server. */
  name: string
  /** API that serves the preview. Empty for the local daemon. */
  apiUrl: string
}

type Place = Pick<CommandContext, 'paths' | 'settings' | 'cwd'>

/** Writes the mark of this process. Returns a function that removes it. */
export function markDev({ paths, settings }: Place, directory: string, name: string): () => void {
  removeStale(paths.devMarks)
  const mark: DevMark = {
    pid: process.pid,
    startedAt: startOf(process.pid),
    directory,
    name,
    apiUrl: settings().apiUrl?.value ?? '',
  }
  mkdirSync(paths.devMarks, { recursive: true, mode: 0o700 })
  const file = join(paths.devMarks, `${process.pid}.json`)
  writeFileAtomic(file, `${JSON.stringify(mark)}\n`, 0o600)
  return () => rmSync(file, { force: true })
}

/** `preview` for the server that `mcp dev` serves from this folder or a folder above it. Otherwise undefined. */
export function impliedEnvironment(context: Place, server: string): 'preview' | undefined {
  return findDev(context)?.name === server ? 'preview' : undefined
}

/** The session in this folder or in the nearest folder above it. */
export function findDev(context: Place): DevMark | undefined {
  return listRunning(context)
    .filter(({ directory }) => isInside(context.cwd, directory))
    .toSorted((a, b) => b.directory.length - a.directory.length)[0]
}

/** True when `mcp dev` serves the server from any folder. */
export function isServedByDev(context: Place, server: string): boolean {
  return listRunning(context).some(({ name }) => name === server)
}

/** Running sessions that use the same API. */
function listRunning({ paths, settings }: Place): DevMark[] {
  const marks = readMarks(paths.devMarks)
  if (marks.length === 0) return []
  const apiUrl = settings().apiUrl?.value ?? ''
  return marks.filter(mark => mark.apiUrl === apiUrl && isRunning(mark))
}

function readMarks(folder: string): DevMark[] {
  try {
    return readdirSync(folder).flatMap(file => readMark(join(folder, file)))
  } catch {
    return [] // `mcp dev` never ran
  }
}

function readMark(file: string): DevMark[] {
  try {
    return [JSON.parse(readFileSync(file, 'utf8')) as DevMark]
  } catch {
    return [] // removed in the meantime, or a temporary file
  }
}

/** A killed session cannot remove its mark. */
function removeStale(folder: string): void {
  for (const mark of readMarks(folder))
    if (!isRunning(mark)) rmSync(join(folder, `${mark.pid}.json`), { force: true })
}

function isRunning({ pid, startedAt }: DevMark): boolean {
  return isAlive(pid) && startOf(pid) === startedAt
}

/** Start time of the process, in clock ticks since boot (proc(5), /proc/pid/stat, field 22). */
function startOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Field 2, the name of the program, may contain spaces.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

function isInside(path: string, folder: string): boolean {
  return !/^\.\.(?:[\\/]|$)/.test(relative(folder, path))
}
