import { existsSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { Suite } from '../../shared/definitions/test-suite.ts'
import { HostingError } from '../../shared/errors.ts'

const MAX_PROBLEMS = 20

/** Reads a suite in YAML or JSON. Throws NOT_FOUND, or INVALID_REQUEST with every problem. */
export async function loadSuite(file: string): Promise<Suite> {
  const path = resolve(file)
  if (!existsSync(path)) throw new HostingError('NOT_FOUND', `Suite ${path} does not exist.`)
  const { parseDocument } = await import('yaml')
  const document = parseDocument(readFileSync(path, 'utf8'))
  const [fault] = document.errors
  if (fault)
    throw new HostingError('INVALID_REQUEST', `${basename(path)} is not valid YAML: ${fault.message}`)
  return parseSuite(document.toJS(), basename(path))
}

/** `name` is used in messages. Throws INVALID_REQUEST. */
export async function parseSuite(value: unknown, name: string): Promise<Suite> {
  const { suiteSchema } = await import('../../shared/definitions/test-suite.ts')
  const parsed = suiteSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const lines = parsed.error.issues
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }) => `${placeOf(path)}${message}`)
  throw new HostingError('INVALID_REQUEST', `${name} is not a valid suite: ${lines[0]}`, {
    details: lines.join('\n'),
  })
}

/** `['cases', 2, 'expect']` → `cases[2].expect: ` */
function placeOf(path: readonly PropertyKey[]): string {
  const place = path.map(step => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
  return place === '' ? '' : `${place.replace(/^\./, '')}: `
}
