interface JsonFault {
  message: string
  /** Offset in the text. Chromium's parser does not always report one. */
  position: number | undefined
}

/** Error of the browser's parser for invalid JSON. Undefined for valid JSON and for blank text, which counts as no value. */
export function jsonFault(text: string): JsonFault | undefined {
  if (text.trim() === '') return undefined
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const { message } = error as Error
    return { message, position: positionOf(message, text) }
  }
}

/** Offset of a fault. Chromium and Safari count characters, Firefox counts lines and columns. */
function positionOf(message: string, text: string): number | undefined {
  const [, position] = /position (\d+)/.exec(message) ?? []
  if (position !== undefined) return Number(position)
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? []
  if (line === undefined || column === undefined) return undefined
  const before = text.split('\n').slice(0, Number(line) - 1)
  return before.join('\n').length + (before.length > 0 ? 1 : 0) + Number(column) - 1
}
