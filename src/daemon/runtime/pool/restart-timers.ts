export class RestartTimers {
  readonly #timers = new Set<NodeJS.Timeout>()

  get size(): number {
    return this.#timers.size
  }

  add(delayMs: number, restart: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      restart()
    }, delayMs)
    this.#timers.add(timer)
  }

  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }
}
