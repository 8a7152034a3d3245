/**
 * Yields the `data` of each server-sent event, parsed as JSON, after calling `onId` with its id
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
 */
export async function* readEvents<T>(
  chunks: AsyncIterable<Uint8Array>,
  onId?: (id: string) => void,
): AsyncGenerator<T> {
  let data: string[] = []
  for await (const line of readLines(chunks)) {
    if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
    if (line.startsWith('id:')) onId?.(line.slice(line[3] === ' ' ? 4 : 3))
    if (line !== '' || data.length === 0) continue
    // Events without data only carry an id.
    const text = data.join('\n')
    if (text !== '') yield JSON.parse(text)
    data = []
  }
}

/** Complete lines. Pieces of a line are joined once, because a line may contain many megabytes. */
async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pieces: string[] = []
  let held = ''
  for await (const chunk of chunks) {
    const text = held + decoder.decode(chunk, { stream: true })
    // The other half of a CRLF may follow.
    held = text.endsWith('\r') ? '\r' : ''
    const [first = '', ...others] = text.slice(0, text.length - held.length).split(/\r\n|\n|\r/)
    pieces.push(first)
    for (const other of others) {
      yield pieces.join('')
      pieces = [other]
    }
  }
}
