import type { ClientFormat } from '../../../../shared/client-formats.ts'

/** Entry for a server in a client's configuration. */
export function entryText(
  { format, key, entry }: ClientFormat,
  server: { name: string; url: string },
): string {
  const value = entry(server.url)
  if (format === 'json') return JSON.stringify({ [key]: { [server.name]: value } }, null, 2)
  const name = /^[\w-]+$/.test(server.name) ? server.name : JSON.stringify(server.name)
  // A JSON string is also valid TOML.
  const lines = Object.entries(value).map(([property, text]) => `${property} = ${JSON.stringify(text)}`)
  return [`[${key}.${name}]`, ...lines].join('\n')
}
