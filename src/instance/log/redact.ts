import { REDACTED_TEXT } from '../../shared/instances/log-line.ts'
import { bare, replaceEvery } from '../isolation/intrinsics.ts'

/** Names of members whose values are hidden. */
export const SECRET_NAME =
  /authorization|cookie|token|passw|passphrase|secret|credential|api[-_]?key|private[-_]?key|access[-_]?key|^(pwd|auth|bearer)$/i
/** Shorter values are replaced only when they are the whole text, because "1" or "eu" occurs in too many words. */
export const SHORTEST_PART = 4
/** Protocol names that only look secret. */
const HARMLESS_NAMES = new Set(['progressToken'])

/** Creates a function that copies a JSON value and hides `secrets` and the values of members whose names look secret. */
export function createRedactor(secrets: readonly string[]): (value: unknown) => unknown {
  const whole = new Set(secrets.filter(secret => secret !== ''))
  const wholeNames = bare<Record<string, true>>(Object.fromEntries([...whole].map(name => [name, true])))
  // Longest first, so that replacing a secret that is part of another one does not leave the rest behind.
  const parts = [
    ...new Set([...whole].filter(secret => secret.length >= SHORTEST_PART).flatMap(encodings)),
  ].sort((a, b) => b.length - a.length)

  // Also used for output of user code, which may have replaced methods of strings and arrays.
  function redactText(text: string): string {
    if (wholeNames[text] === true) return REDACTED_TEXT
    let rest = text
    for (let index = 0; index < parts.length; index++) rest = replaceEvery(rest, parts[index]!, REDACTED_TEXT)
    return rest
  }

  function redact(value: unknown): unknown {
    if (typeof value === 'string') return redactText(value)
    if (typeof value === 'number') return parts.includes(String(value)) ? REDACTED_TEXT : value
    if (Array.isArray(value)) return value.map(redactInner)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [redactText(name), redactMember(name, member)]),
    )
  }

  function redactMember(name: string, member: unknown): unknown {
    // A schema's property called "password" is a description, not a password.
    return isValue(member) && SECRET_NAME.test(name) && !HARMLESS_NAMES.has(name)
      ? REDACTED_TEXT
      : redactInner(member)
  }

  /** Redacts a value inside a message, where text may be JSON itself. Output of user code is never parsed. */
  function redactInner(value: unknown): unknown {
    return typeof value === 'string' ? redactText(redactJson(value)) : redact(value)
  }

  function redactJson(text: string): string {
    if (!/[{[]/.test(text)) return text
    const value = parseJson(text)
    if (typeof value !== 'object' || value === null) return redactMembers(text)
    const redacted = JSON.stringify(redact(value))
    return redacted === JSON.stringify(value) ? text : redacted
  }

  return value => {
    try {
      return redact(value)
    } catch {
      return REDACTED_TEXT // nested too deeply for the stack
    }
  }
}

const MEMBER = /"((?:[^"\\]|\\.){1,100})"(\s*:\s*)(?:"(?:[^"\\]|\\.)*(?:"|$)|-?\d[\d.eE+-]*)/g

/** Redacts JSON inside other text, and truncated JSON. */
function redactMembers(text: string): string {
  return text.replace(MEMBER, (member, name: string, colon: string) =>
    SECRET_NAME.test(name) && !HARMLESS_NAMES.has(name) ? `"${name}"${colon}"${REDACTED_TEXT}"` : member,
  )
}

function parseJson(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isValue(member: unknown): boolean {
  if (Array.isArray(member)) return member.length > 0 && member.every(isValue)
  return typeof member === 'string' || typeof member === 'number'
}

/** The secret as is, inside JSON text and inside a URL. */
function encodings(secret: string): string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())]
}
