import type { Line } from './daemon-life.ts'

/** All log lines that were ever shown. */
export class Shown {
  readonly #texts = new Map<string, string[]>()

  get count(): number {
    return [...this.#texts.values()].reduce((sum, texts) => sum + texts.length, 0)
  }

  /** `lines`: a log from its start. */
  add(id: string, lines: readonly Line[]): void {
    if (lines.length > (this.#texts.get(id)?.length ?? 0)) this.#texts.set(id, lines.map(textOf))
  }

  /** Shown lines that are missing from the current log. */
  lost(logs: ReadonlyMap<string, Line[]>): string[] {
    return [...this.#texts].flatMap(([id, texts]) => {
      const now = (logs.get(id) ?? []).map(textOf)
      const at = texts.findIndex((text, index) => text !== now[index])
      return at === -1 ? [] : [`${id}: the line ${texts[at]} was shown, but the log now contains ${now[at]}`]
    })
  }
}

function textOf({ timestamp, phase, message }: Line): string {
  return JSON.stringify([timestamp, phase, message])
}
