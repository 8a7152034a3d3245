/** Reads single keys from the terminal while nothing else asks for input. */
export class Hotkeys {
  readonly #actions: Readonly<Record<string, () => void>>
  readonly #input = process.stdin
  #isOn = false

  /** `actions`: by key; Ctrl-C is told as `\x03`. */
  constructor(actions: Readonly<Record<string, () => void>>) {
    this.#actions = actions
  }

  on(): void {
    if (this.#isOn) return
    this.#isOn = true
    this.#input.setRawMode(true)
    this.#input.setEncoding('utf8')
    this.#input.on('data', this.#onData)
    this.#input.resume()
  }

  /** The terminal is as it was. */
  off(): void {
    if (!this.#isOn) return
    this.#isOn = false
    this.#input.off('data', this.#onData)
    this.#input.setRawMode(false)
    this.#input.pause()
  }

  readonly #onData = (text: string | Buffer): void => {
    // What is pasted is no key, and neither are arrows.
    const key = String(text)
    if (key.length === 1) this.#actions[key.toLowerCase()]?.()
  }
}
