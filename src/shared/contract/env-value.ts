import * as z from 'zod'

/** Linux limits `NAME=value` to 128 KiB with the NUL at its end (execve(2)). A longer one makes every start of a program fail. */
const MAX_VARIABLE_BYTES = 128 * 1024 - 1

/** Makes messages omit the value, which may be a secret. */
const params = { hidesValue: true }

/** Value of an environment variable. The limit on its size applies together with the name, see `checkVariableSizes`. */
export const envValueSchema = z
  .string()
  .refine(text => !text.includes('\0'), { error: 'must not contain a NUL character', params })

type Issues = Pick<z.core.$RefinementCtx, 'addIssue'>

/** Refines a record of environment variables. Each entry is a value, an object with a value, or null. */
export function checkVariableSizes(
  variables: Record<string, string | { value: string } | null>,
  issues: Issues,
): void {
  for (const [name, entry] of Object.entries(variables)) {
    const value = typeof entry === 'string' ? entry : entry?.value
    checkVariableSize({ name, value, path: name }, issues)
  }
}

/** `path`: key of the value in the refined object. */
export function checkVariableSize(
  { name, value = '', path }: { name: string; value: string | undefined; path: string },
  issues: Issues,
): void {
  const bytes = new TextEncoder().encode(`${name}=${value}`).length
  if (bytes <= MAX_VARIABLE_BYTES) return
  const [size, limit] = [bytes, MAX_VARIABLE_BYTES].map(count => count.toLocaleString('en'))
  const message = `NAME=value has ${size} bytes in UTF-8, expected at most ${limit}, the limit of Linux for one variable`
  issues.addIssue({ code: 'custom', path: [path], message, params })
}
