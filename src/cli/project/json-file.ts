import { readFileSync } from 'node:fs'
import { HostingError } from '../../shared/errors.ts'

/** Reads a JSON object. Undefined when the file does not exist. Throws INVALID_REQUEST naming the file. */
export function readJsonFile(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new HostingError('INVALID_REQUEST', `Could not read ${path} (${code}).`, { cause: error })
  }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Reported below.
  }
  throw new HostingError('INVALID_REQUEST', `${path} is not a JSON object. Correct or remove it.`)
}
