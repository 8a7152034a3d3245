/** Part of a URI template. */
export type UriPiece = { literal: string } | UriValue

interface UriValue {
  name: string
  /** Characters that the value cannot contain. */
  stops: string
  /** Separator of the values of an exploded list. */
  separator?: string
}

export interface UriMatch {
  /** Raw values, the last one first. */
  values: Map<UriValue, string>
  /** Start of the remainder that `acceptsEnd` accepted. */
  end: number
}

/**
 * Parses a URI with the pieces of its template, each value as short as possible. Remembers failed positions, because with n
 * variables a regular expression would take O(length^n).
 */
export function matchPieces(
  uri: string,
  pieces: readonly UriPiece[],
  acceptsEnd: (at: number) => boolean,
): UriMatch | undefined {
  /** Last range of start positions without a match, by piece. */
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
    // Later starts have no other possible ends.
    if (stretch && at >= stretch.from && at < stretch.to) return false
    let last = at
    for (const to of possibleEnds(uri, at, piece)) {
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

/** Possible ends of a value that starts at `at`. A value has at least one character, and lists have no empty values. */
function* possibleEnds(uri: string, at: number, { stops, separator }: UriValue): Generator<number> {
  for (let to = at; to < uri.length; to++) {
    const character = uri[to]!
    if (stops.includes(character)) return
    if (character !== separator) yield to + 1
    else if (to === at || uri[to - 1] === separator) return
  }
}
