/** Where in the user's code this was called, as ` at tools/add.ts:3:9`; an empty text when that is not known. */
export function readSource(): string {
  const stack = String(new Error('for its stack').stack)
  const frames = stack.split('\n').slice(1)
  const frame = frames.find(line => !line.includes('node:') && !OWN_FILE.test(line))
  return frame === undefined ? '' : ` ${frame.trim()}`
}

/** The bundle that this code is part of. */
const OWN_FILE = /[\\/]dist[\\/]instance/
