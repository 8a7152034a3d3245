/** What a URI template is made of, in the order in which it is read. */
export type UriPiece = { literal: string } | UriValue

export interface UriValue {
  name: string
  /** Characters that no value here holds. */
  stops: string
  /** Of an exploded list: what stands between its values. */
  separator?: string
}

export interface UriMatch {
  /** As they stand in the URI, the last one first. */
  values: Map<UriValue, string>
  /** Where the rest begins that `acceptsEnd` took. */
  end: number
}

/**
 * Reads a URI by the pieces of its template, each value as short as possible. What failed once is not tried again: a
 * regular expression would take a time that grows with the URI's length to the power of the number of variables.
 */
export function matchPieces(
  uri: string,
  pieces: readonly UriPiece[],
  acceptsEnd: (at: number) => boolean,
): UriMatch | undefined {
  /** Of each piece the start and end of the last stretch in which no value of it leads to a match. */
  const failed: { from: number; to: number }[] = []
  const values: UriMatch['values'] = new Map()
  let end = 0

  const read = (index: number, at: number): boolean => {
    const piece = pieces[index]
    if (!piece) {
      end = at
      return acceptsEnd(at)
    }
    if ('literal' in piece)
      return uri.startsWith(piece.literal, at) && read(index + 1, at + piece.literal.length)
    const stretch = failed[index]
    // A value that begins later has no other ends than the one that was tried.
    if (stretch && at >= stretch.from && at < stretch.to) return false
    let last = at
    for (const to of ends(uri, at, piece)) {
      last = to
      if (!read(index + 1, to)) continue
      values.set(piece, uri.slice(at, to))
      return true
    }
    failed[index] = { from: at, to: last }
    return false
  }

  return read(0, 0) ? { values, end } : undefined
}

/** Where a value that begins at `at` may end: after one character or more, and never with an empty value in a list. */
function* ends(uri: string, at: number, { stops, separator }: UriValue): Generator<number> {
  for (let to = at; to < uri.length; to++) {
    const character = uri[to]!
    if (stops.includes(character)) return
    if (character !== separator) yield to + 1
    else if (to === at || uri[to - 1] === separator) return
  }
}
