import { readFileSync } from 'node:fs'
import { HostingError } from '../shared/errors.ts'

/** A file that holds one JSON object; undefined when there is no such file. Throws INVALID_REQUEST that names it. */
export function readJsonFile(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new HostingError('INVALID_REQUEST', `${path} cannot be read (${code}).`, { cause: error })
  }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Told below, together with JSON that is no object.
  }
  throw new HostingError('INVALID_REQUEST', `${path} does not hold a JSON object: correct or remove it.`)
}
