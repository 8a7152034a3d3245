/** Reads single keys from the terminal while no prompt is open. */
export class Hotkeys {
  readonly #actions: Readonly<Record<string, () => void>>
  readonly #input = process.stdin
  #isOn = false

  /** `actions`: by key. Ctrl-C is `\x03`. */
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

  /** Restores the terminal. */
  off(): void {
    if (!this.#isOn) return
    this.#isOn = false
    this.#input.off('data', this.#onData)
    this.#input.setRawMode(false)
    this.#input.pause()
  }

  readonly #onData = (text: string | Buffer): void => {
    // Ignores pasted text and arrow keys.
    const key = String(text)
    if (key.length === 1) this.#actions[key.toLowerCase()]?.()
  }
}
