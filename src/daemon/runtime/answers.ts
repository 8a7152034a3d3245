import type { FromInstance } from '../../shared/instance-protocol.ts'

type Told<Type extends FromInstance['type']> = Extract<FromInstance, { type: Type }>

interface Answer {
  resolve(message: FromInstance): void
  reject(error: Error): void
}

/** What a process was asked and has not answered; several of one kind are answered in the order they were asked. */
export class Answers {
  readonly #waiting = new Map<string, Answer[]>()

  expect<Type extends FromInstance['type']>(type: Type, tenantId: string): Promise<Told<Type>> {
    return new Promise((resolve, reject) => {
      const key = `${type} ${tenantId}`
      const waiting = this.#waiting.get(key)
      const answer: Answer = { resolve: message => resolve(message as Told<Type>), reject }
      if (waiting) waiting.push(answer)
      else this.#waiting.set(key, [answer])
    })
  }

  /** The one that was asked first; undefined when nobody waits for such an answer. */
  take(type: FromInstance['type'], tenantId: string): Answer | undefined {
    const key = `${type} ${tenantId}`
    const waiting = this.#waiting.get(key)
    const next = waiting?.shift()
    if (waiting?.length === 0) this.#waiting.delete(key)
    return next
  }

  rejectAll(error: Error): void {
    const all = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    for (const { reject } of all) reject(error)
  }
}
