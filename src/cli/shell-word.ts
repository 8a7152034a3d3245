/** A text as one word of a POSIX shell: names and addresses come from servers, and commands that are shown get copied. */
export function shellWord(text: string): string {
  return /^[\w./:@=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
