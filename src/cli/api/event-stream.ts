/**
 * Yields the `data` of each server-sent event, parsed as JSON, after calling `onId` with its id
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
 */
export async function* readEvents<T>(
  chunks: AsyncIterable<Uint8Array>,
  onId?: (id: string) => void,
): AsyncGenerator<T> {
  const decoder = new TextDecoder()
  let rest = ''
  let data: string[] = []
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop()!
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
      if (line.startsWith('id:')) onId?.(line.slice(line[3] === ' ' ? 4 : 3))
      if (line !== '' || data.length === 0) continue
      // Events without data only carry an id.
      const text = data.join('\n')
      if (text !== '') yield JSON.parse(text)
      data = []
    }
  }
}
