import type { ServerEnv } from '../../shared/contract/servers/variables.ts'
import { formatEnvLine } from './env-file.ts'

/**
 * A `.env` file. Variables whose value is secret, unreadable, or contains every kind of quote are comments, listed in `left`.
 */
export function formatEnvFile(variables: ServerEnv['variables']): {
  text: string
  written: string[]
  left: string[]
} {
  const written: string[] = []
  const left: string[] = []
  const lines = variables.map(({ name, value }) => {
    const line = value === null ? undefined : formatEnvLine(name, value)
    ;(line === undefined ? left : written).push(name)
    return line ?? `# ${name}=`
  })
  return { text: lines.map(line => `${line}\n`).join(''), written, left }
}
