import { parse, stringify } from '../isolation/intrinsics.ts'
import { createRedactor, SECRET_NAME, SHORTEST_PART } from './redact.ts'

/**
 * Pattern for everything in a message's JSON text that may make `createRedactor` change the message: names that look secret, at
 * any depth of nested JSON. Escapes may hide a name or a value. Line feeds are formatting, which the log does not keep.
 */
const SUSPICIOUS_TEXT = `${SECRET_NAME.source.replace('^(pwd|auth|bearer)$', '"(?:pwd|auth|bearer)\\\\*"')}|\\\\[u/]|\\n`
/** Part of many requests and not secret. */
const PROGRESS_TOKEN = '"progressToken"'

/**
 * Creates a function that returns a JSON-RPC message as text without secrets. A message with nothing suspicious is returned as
 * it is, because parsing and copying each message would take longer than answering most requests.
 */
export function createMessageRedactor(secrets: readonly string[]): (message: unknown) => string {
  const redact = createRedactor(secrets)
  const suspicious = new RegExp(
    [SUSPICIOUS_TEXT, ...secrets.filter(Boolean).flatMap(patternsOf)].join('|'),
    'i',
  )
  return message => {
    const text = typeof message === 'string' ? message : stringify(message)
    if (!suspicious.test(text.replace(PROGRESS_TOKEN, ''))) return text
    return stringify(redact(typeof message === 'string' ? parseText(message) : message))
  }
}

/**
 * Patterns of a secret in JSON text. A secret that JSON escapes has too many forms at different depths, so every backslash is
 * suspicious instead.
 */
function patternsOf(secret: string): string[] {
  const isEscaped = stringify(secret) !== `"${secret}"`
  const forms =
    secret.length < SHORTEST_PART
      ? [`"${escapePattern(secret)}\\\\*"`]
      : [escapePattern(secret), escapePattern(encodeURIComponent(secret.toWellFormed()))]
  return isEscaped ? [...forms, '\\\\'] : forms
}

/** Escapes text for a regular expression. `RegExp.escape` does not exist in Node 22. */
function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

function parseText(text: string): unknown {
  try {
    return parse(text)
  } catch {
    return text
  }
}
