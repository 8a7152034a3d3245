import { toTerminalText } from './style.ts'

/**
 * Lines that are redrawn in place. Each frame is one write without clearing first, so that nothing flickers (ECMA-48:
 * cursor up, erase to end of line, erase to end of screen).
 */
export class LiveScreen {
  readonly #stream: NodeJS.WriteStream
  #drawn = 0

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream
  }

  /** Width of the terminal, if known. */
  get columns(): number | undefined {
    return this.#stream.columns || undefined
  }

  /** Replaces the lines that do not fit the screen with their number. */
  draw(lines: readonly string[]): void {
    const maxLines = Math.max(2, (this.#stream.rows || 24) - 1)
    const shown =
      lines.length <= maxLines
        ? lines
        : [...lines.slice(0, maxLines - 1), `… ${lines.length - maxLines + 1} more`]
    const up = this.#drawn > 0 ? `\x1b[${this.#drawn}A` : ''
    this.#stream.write(`${up}\r${shown.map(line => `${toTerminalText(line)}\x1b[K\n`).join('')}\x1b[J`)
    this.#drawn = shown.length
  }
}
