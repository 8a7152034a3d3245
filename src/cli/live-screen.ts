import { written } from './own-styles.ts'

/**
 * Lines that are drawn again and again in the same place of a terminal, each time in one write and without clearing first, so
 * that nothing flickers (ECMA-48: cursor up, erase to the end of the line, erase to the end of the screen).
 */
export class LiveScreen {
  readonly #stream: NodeJS.WriteStream
  #drawn = 0

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream
  }

  /** Columns that a line may have; undefined when the terminal does not tell. */
  get columns(): number | undefined {
    return this.#stream.columns || undefined
  }

  /** What is higher than the screen is cut. */
  draw(lines: readonly string[]): void {
    const most = Math.max(2, (this.#stream.rows || 24) - 1)
    const shown =
      lines.length <= most ? lines : [...lines.slice(0, most - 1), `… ${lines.length - most + 1} more`]
    const up = this.#drawn > 0 ? `\x1b[${this.#drawn}A` : ''
    this.#stream.write(`${up}\r${shown.map(line => `${written(line)}\x1b[K\n`).join('')}\x1b[J`)
    this.#drawn = shown.length
  }
}
