import { expect, test } from 'vitest'
import { matchPieces, type UriPiece } from '../../../src/shared/definitions/uri-matcher.ts'

test('matches exactly the URIs that an exhaustive search matches', () => {
  const pick = createPick(1)
  for (let round = 0; round < 5000; round++) {
    const pieces = Array.from({ length: 1 + pick(6) }, (_, index) => randomPiece(index, pick))
    const uri = Array.from({ length: pick(10) }, () => 'ab-,/'[pick(5)]).join('')
    const found = matchPieces(uri, pieces, at => at === uri.length) !== undefined
    expect(found, `${uri} by ${JSON.stringify(pieces)}`).toBe(hasReading(uri, pieces, 0, 0))
  }
})

function randomPiece(index: number, pick: (count: number) => number): UriPiece {
  if (pick(2) === 0) return { literal: ['a', 'b', '-', 'ab', ','][pick(5)]! }
  const value = { name: `v${index}`, stops: ['', '/', '-,', ','][pick(4)]! }
  return pick(3) === 0 ? { ...value, separator: ',' } : value
}

function hasReading(uri: string, pieces: readonly UriPiece[], index: number, at: number): boolean {
  const piece = pieces[index]
  if (!piece) return at === uri.length
  if ('literal' in piece)
    return uri.startsWith(piece.literal, at) && hasReading(uri, pieces, index + 1, at + piece.literal.length)
  for (let to = at + 1; to <= uri.length; to++) {
    const value = uri.slice(at, to)
    if ([...value].some(character => piece.stops.includes(character))) return false
    const hasGap = piece.separator !== undefined && value.split(piece.separator).includes('')
    if (!hasGap && hasReading(uri, pieces, index + 1, to)) return true
  }
  return false
}

/** Reproducible random integers below `count` (a linear congruential generator). */
function createPick(seed: number): (count: number) => number {
  let state = seed
  return count => {
    state = (state * 1664525 + 1013904223) % 2 ** 32
    return Math.floor((state / 2 ** 32) * count)
  }
}
