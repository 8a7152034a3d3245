import * as z from 'zod'

/** Any id that could exist; everything else in a path (slashes, dots alone, control characters) is refused. */
export const idSchema = z
  .string()
  .regex(/^(?!\.+$)[A-Za-z0-9._-]{1,128}$/, 'letters, digits, "-", "_" and ".", 128 at most')

export const limitSchema = z.coerce.number().int().min(1).max(1000).default(100)
