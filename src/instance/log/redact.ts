import { bare, replaceEvery } from '../isolation/intrinsics.ts'

const SECRET_NAME =
  /authorization|cookie|token|passw|passphrase|secret|credential|api[-_]?key|private[-_]?key|access[-_]?key|^(pwd|auth|bearer)$/i
/** Below this a value is replaced only where it stands alone: "1" or "eu" is part of too many other words. */
const SHORTEST_PART = 4
const HIDDEN = '[redacted]'
/** Names of the protocol that only look like secrets. */
const HARMLESS = new Set(['progressToken'])

/** Makes a copy of any JSON value without the values of `secrets` and of members whose name says that they are secret. */
export function createRedactor(secrets: readonly string[]): (value: unknown) => unknown {
  const whole = new Set(secrets.filter(secret => secret !== ''))
  const wholeNames = bare<Record<string, true>>(Object.fromEntries([...whole].map(name => [name, true])))
  // The longest first, so that a secret that contains another one does not leave its rest behind.
  const parts = [
    ...new Set([...whole].filter(secret => secret.length >= SHORTEST_PART).flatMap(writings)),
  ].sort((a, b) => b.length - a.length)

  // Also for what user code prints, which may have replaced the methods of texts and lists.
  function redactText(text: string): string {
    if (wholeNames[text] === true) return HIDDEN
    let rest = text
    for (let index = 0; index < parts.length; index++) rest = replaceEvery(rest, parts[index]!, HIDDEN)
    return rest
  }

  function redact(value: unknown): unknown {
    if (typeof value === 'string') return redactText(value)
    if (typeof value === 'number') return parts.includes(String(value)) ? HIDDEN : value
    if (Array.isArray(value)) return value.map(redactInner)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [redactText(name), redactMember(name, member)]),
    )
  }

  function redactMember(name: string, member: unknown): unknown {
    // A schema's member called "password" is a description, not a password.
    return isValue(member) && SECRET_NAME.test(name) && !HARMLESS.has(name) ? HIDDEN : redactInner(member)
  }

  /** Inside of a message a text may be JSON itself, as servers answer. What user code prints is never parsed. */
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

  return redact
}

const MEMBER = /"((?:[^"\\]|\\.){1,100})"(\s*:\s*)(?:"(?:[^"\\]|\\.)*(?:"|$)|-?\d[\d.eE+-]*)/g

/** JSON within other text, or cut off. */
function redactMembers(text: string): string {
  return text.replace(MEMBER, (member, name: string, colon: string) =>
    SECRET_NAME.test(name) && !HARMLESS.has(name) ? `"${name}"${colon}"${HIDDEN}"` : member,
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

/** A secret as it is, inside of a JSON text and inside of a URL. */
function writings(secret: string): string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())]
}
